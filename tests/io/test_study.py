"""A study: tables with a description that says what is known, and nothing of who wrote it."""

import json
import re
import shutil
import zipfile
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from textwrap import dedent
from threading import Thread

import pandas as pd
import pytest

import dirframe
from dirframe import DirframeError, InvalidInputError, export, fields, read_table, stats
from dirframe._tables import read_columns
from dirframe.charts import STATISTICS
from dirframe.client.directory import connection_of
from dirframe.io.columns import STRATA
from dirframe.io.methods import FLAG_RULES
from dirframe.provenance import copy_provenance
from dirframe.quality.rules import RULES
from dirframe.stats.strata import DERIVED
from tests import processes
from tests.cases import slow_except
from tests.frames import with_provenance
from tests.rig.server import Rig

AUTHORS = ["Grace Hopper", "The Navy"]
#: What tells who or where a member is.
PERSONAL = ["name", "homepage_url", "avatar_url", "email_sha1", "location", "latitude", "longitude"]


@pytest.fixture(scope="module")
def records(sample):
    """Load a capped and a complete collection."""
    projects = dirframe.load_projects(sample, max_items=120, sort="name", progress=False)
    return {
        "projects": projects,
        "All accounts": dirframe.load_accounts(sample, query="ada", progress=False),
    }


@pytest.fixture(scope="module")
def study(records, tmp_path_factory):
    """Export a study, and unpack it into the folder of the file."""
    folder = tmp_path_factory.mktemp("study")
    file = export(records, folder / "study.zip", title="A study", authors=AUTHORS)
    with zipfile.ZipFile(file) as packed:
        packed.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def few_columns(records):
    """Return projects with what a statistic counts, for studies whose tables nobody reads."""
    return records["projects"][["id", "name", "analysis_id", "analysis_main_language_name"]]


def files_of(frames, file, **options):
    """Return the files of a study of some frames, by name."""
    export(frames, file, overwrite=True, **options)
    with zipfile.ZipFile(file) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.fixture
def write(tmp_path):
    """Return the files of a study of some frames."""
    return partial(files_of, file=tmp_path / "one.zip")


@pytest.fixture(scope="module")
def statistic_of(kind_frames, tmp_path_factory):
    """Return each statistic, of 60 records and a blank one, and the files of its study."""
    folder = tmp_path_factory.mktemp("statistics")

    @cache
    def make(name):
        frame = kind_frames[STATISTICS[name].collection or "projects"]
        with_blank = frame.reindex([*frame.index, len(frame)]).astype(frame.dtypes)
        table = getattr(stats, name)(with_provenance(with_blank, source="A directory"))
        return table, files_of(table, folder / f"{name}.zip")

    return make


def published_facts(frame):
    """Return the provenance without the words by which accounts were searched."""
    facts = frame.attrs["dirframe"]
    words = {"query": "(left out)"} if facts["resource"] == "account" else {}
    return facts | {"query": facts["query"] | words}


def package_of(files):
    return json.loads(files["datapackage.json"])


def columns_of(files):
    return {*read_columns(files["data/one.csv"], is_own=True).columns}


LISTED = {
    "data/projects.csv",
    "data/projects.parquet",
    "data/all-accounts.csv",
    "data/all-accounts.parquet",
}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("table", ["projects", "All accounts"])
def test_study_holds_each_table_twice(table, suffix, study, records):
    frame = records[table]
    file = table.lower().replace(" ", "-")
    back = read_table(study / "data" / f"{file}.{suffix}")
    without = [column for column in PERSONAL if column in frame and table != "projects"]
    pd.testing.assert_frame_equal(back, frame.drop(columns=without))
    assert back.attrs["dirframe"] == published_facts(frame)


def test_study_cites_its_records_and_shows_how_to_read_them(study, records):
    readme = (study / "README.md").read_text("utf-8")
    assert "A study" in readme
    assert f"By {', '.join(AUTHORS)}." in readme
    assert dirframe.cite(records["projects"]).partition(":")[0] in readme
    assert "CC0-1.0" in readme
    # Its lines for pandas read what they name.
    lines = re.findall(r"pandas\.read_(?:csv|parquet)\(\"data/.*\)", readme)
    frames = [eval(line.replace("data/", f"{study}/data/"), {"pandas": pd}) for line in lines]
    ids = [[frame[name].dropna().tolist() for name in ("id", "analysis_id")] for frame in frames]
    expected = [records["projects"][name].dropna().tolist() for name in ("id", "analysis_id")]
    assert ids == [expected, expected]


def test_study_package_lists_its_files_and_their_provenance(study, records):
    names = {path.relative_to(study).as_posix() for path in study.rglob("*") if path.is_file()}
    assert LISTED | {"datapackage.json", "README.md", "citation.bib", "columns.csv"} <= names
    package = json.loads((study / "datapackage.json").read_text("utf-8"))
    assert {table["path"] for table in package["resources"]} == LISTED
    provenance = package["resources"][2]["provenance"]
    assert provenance == published_facts(records["All accounts"])
    assert provenance["completeness"] == "proven"
    assert package["licenses"][0]["name"] == "CC0-1.0"  # generated
    assert [c["title"] for c in package["contributors"]] == AUTHORS


def test_study_of_the_same_frames_has_the_same_bytes_and_no_key_or_path(
    sample, study, records, tmp_path
):
    again = export(records, tmp_path / "other.zip", title="A study", authors=AUTHORS)
    assert again.read_bytes() == (study / "study.zip").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["other.zip"]
    secrets = [connection_of(sample).key.reveal(), *map(str, (Path.home(), study, Path.cwd()))]
    texts = {path: path.read_bytes() for path in study.rglob("*") if path.is_file()}
    assert not [(path, s) for path, text in texts.items() for s in secrets if s.encode() in text]


def test_study_columns_have_type_unit_and_meaning_of_the_schema(write, records):
    known = fields("project").set_index("name")
    types = {"str": "string", "Int64": "integer", "Float64": "number", "object": "array"}
    table = package_of(write(records["projects"]))["resources"][0]
    columns = {c["name"]: c for c in table["schema"]["fields"]}
    assert {*known.query("dialects == 'specification'").index} <= {*columns}
    failures = []
    for name in columns.keys() & {*known.index}:
        dtype, unit, meaning = known.loc[name, ["type", "unit", "meaning"]]
        expected = types.get(dtype, "datetime"), unit if isinstance(unit, str) else None
        found = columns[name]["type"], columns[name].get("unit")
        if found != expected or not meaning.startswith(columns[name]["description"]):
            failures.append((columns[name], expected, meaning))
    assert not failures


def described(files, table="one"):
    """Return what a study says of the columns of a table: type, unit and meaning."""
    columns = pd.read_csv(BytesIO(files["columns.csv"]), keep_default_na=False)
    return columns[columns["table"] == table].set_index("column").drop(columns="table")


def test_study_does_not_describe_a_column_of_a_statistic_as_the_field_of_its_name(records, write):
    shares = stats.language_share(records["projects"]).rename(columns={"language": "name"})
    meanings = described(write(shares, keep=["name"]))["meaning"]
    assert meanings["name"] == ""
    assert meanings["users"].startswith("members who say that they use these projects")


def test_study_describes_the_entries_of_a_list(records, write):
    entries = dirframe.child_table(records["projects"], "analysis_languages")
    columns = described(write(entries))
    assert columns.loc["project_id", "meaning"] == "ID of the project that has the entry"
    assert columns.loc["percentage", "meaning"] == "share of the code lines"
    assert columns["meaning"].ne("").all()


def test_study_describes_the_columns_of_a_divided_statistic_and_those_that_were_added(
    records, write
):
    projects = records["projects"]
    by_age = stats.by(stats.activity, projects, "age", min_records=15)
    columns = described(write(by_age))
    assert columns.loc["age", "meaning"] == "age of the projects of the group in years"
    assert columns["meaning"].ne("").all()
    added = described(write(dirframe.with_license_family(projects)))
    assert "dirframe.with_license_family" in added.loc["license_family", "meaning"]


def test_study_describes_columns_of_its_author_as_they_say(records, write):
    tests = pd.DataFrame({"test": ["age", "size"], "p_value": [0.03, 0.4], "n": [3, 4]})
    copy_provenance(records["projects"], tests, "tests")
    keep = {"test": "what was compared", "p_value": "two-sided, of Mann and Whitney"}
    files = write(tests, keep={"one": keep})
    assert described(files)["meaning"].to_dict() == keep | {"n": ""}
    fields = package_of(files)["resources"][0]["schema"]["fields"]
    assert [field.get("description", "") for field in fields] == [*keep.values(), ""]


def test_study_names_the_rules_of_its_tables(records, write):
    projects = dirframe.exclude(records["projects"], ["negative_lines"])
    tables = {
        "activity": stats.activity(projects, window=6),
        "families": stats.license_families(projects),
        "survival": stats.survival(projects),
    }
    files = write(tables)
    rules = package_of(files)["methods"]
    assert [rule for rule in rules if rule.startswith("`negative_lines` (impossible): ")]
    assert [rule for rule in rules if "active if" in rule and "6 months" in rule]
    assert [rule for rule in rules if "It has ended if the last 12 months" in rule]
    readme = files["README.md"].decode()
    assert [rule for rule in rules if f"- {rule}\n" not in readme] == []
    families = pd.read_csv(BytesIO(files["rules/licenses.csv"]))
    assert set(families["family"]) == {"permissive", "weak copyleft", "strong copyleft", "other"}
    assert "rules/licenses.csv" not in write(records["projects"])


#: How the rules of this project begin that statistics use. Name a new statistic here: if it uses
#: no such rule, in the second table.
RULES_OF_STATISTICS = {
    "accounts_by_country": ["A country is read"],
    "activity": ["A project is placed in time", "A project is active if"],
    "license_families": ["The family of a licence"],
    "life_span": ["A project is placed in time", "The life of a project"],
    "survival": ["A project is placed in time", "The life of a project"],
}
WITHOUT_RULES = [
    *("accounts_by_kudo_rank", "commit_concentration", "commits_by_contributor"),
    *("contributor_concentration", "contributor_distribution", "contributors_by_language"),
    *("growth", "language_breakdown", "language_share", "languages_by_year", "licenses", "lorenz"),
    *("monthly_activity", "posts_distribution", "tags", "team_size_classes"),
    "users_against_contributors",
]


@pytest.mark.parametrize("name", STATISTICS)
def test_study_names_the_rules_of_each_statistic(name, statistic_of):
    assert RULES_OF_STATISTICS.keys() ^ set(WITHOUT_RULES) == STATISTICS.keys()
    _, files = statistic_of(name)
    rules = package_of(files).get("methods", [])
    expected = RULES_OF_STATISTICS.get(name, [])
    assert len(rules) == len(expected)
    pairs = zip(rules, expected, strict=True)
    assert [(rule, words) for rule, words in pairs if not rule.startswith(words)] == []


#: A statistic to divide by each stratum, and how the rules of this project begin that the stratum uses.
RULES_OF_STRATA = {
    "age": ("contributor_distribution", ["The age of a project"]),
    "country": ("posts_distribution", ["A country is read"]),
    "language": ("contributor_distribution", []),
    "license": ("contributor_distribution", []),
    "license_family": ("contributor_distribution", ["The family of a licence"]),
    "tag": ("contributor_distribution", []),
    "team_size": ("contributor_distribution", []),
    "year": ("contributor_distribution", []),
}


@pytest.mark.parametrize(
    "stratum", slow_except(DERIVED, ["age", "country", "license", "license_family"])
)
def test_study_names_the_rules_of_each_stratum(stratum, kind_frames, write):
    name, expected = RULES_OF_STRATA[stratum]
    table = stats.by(getattr(stats, name), kind_frames[STATISTICS[name].collection], stratum)
    rules = package_of(write(table)).get("methods", [])
    assert [rule[: len(words)] for rule, words in zip(rules, expected, strict=True)] == expected


def test_study_names_the_rule_of_an_age_that_was_added(kind_frames, write):
    [rule] = package_of(write(dirframe.with_age(kind_frames["projects"])))["methods"]
    assert rule.startswith("The age of a project")


def test_study_has_words_for_every_rule_and_stratum():
    assert FLAG_RULES.keys() == RULES.keys()
    assert STRATA.keys() == set(DERIVED)


def test_study_names_steps_versions_and_the_rows_of_a_cut_table(records, write):
    shares = stats.language_share(dirframe.exclude(records["projects"], ["negative_lines"]))
    files = write(shares.head(3))
    readme = files["README.md"].decode()
    assert f"3 of {len(shares)} rows" in readme
    assert re.search(r"Steps: exclude: negative_lines \d+; language_share\.", readme)
    assert "without an analysis" in readme  # so that they have no main language
    software = package_of(files)["software"]
    assert software["dirframe"] == dirframe.__version__
    assert software["pandas"] == pd.__version__
    assert "pip install ." in readme


#: Statistics in whose tables a record stands in several rows, or as unknown.
IN_SEVERAL_ROWS = {"activity", "language_breakdown", "licenses", "tags"}


@pytest.mark.parametrize("name", STATISTICS)
def test_study_says_of_each_record_once_why_it_is_not_in_the_figures(name, statistic_of):
    table, files = statistic_of(name)
    readme = files["README.md"].decode()
    size = re.search(rf"^- `{name}`.*: n = ([\d,]+)(?: of ([\d,]+))? ", readme, re.MULTILINE)
    base, whole = int(size[1]), int(size[2] or size[1])
    nowhere, in_part = (
        sum(map(int, re.findall(r"(\d+) (?!day)", sentence)))
        for begin in ("Not in the figures", "Not in the columns of these numbers")
        for sentence in re.findall(rf"^  {begin}: (.*)\.$", readme, re.MULTILINE) or [""]
    )
    assert ("in two of these" in readme) == (nowhere > whole - base)
    assert nowhere + in_part >= whole - base
    records = table.get(STATISTICS[name].collection)
    if records is not None and name not in IN_SEVERAL_ROWS and "in two of these" not in readme:
        assert records.sum() == whole - nowhere


def test_study_names_the_project_whose_months_it_holds(sample, write):
    months = dirframe.load_activity("633", directory=sample, progress=False)
    files = write(months)
    assert package_of(files)["resources"][0]["provenance"]["query"] == {"project": "633"}
    assert "(left out)" not in files["README.md"].decode()


def test_study_holds_files_with_their_digests(few_columns, write, tmp_path):
    figure, script = tmp_path / "figure 1.svg", tmp_path / "study.py"
    figure.write_text("<svg/>")
    script.write_text("import dirframe\nDirectory(url, api_key=os.environ['KEY'])\n")
    files = write(few_columns, files=[figure, str(script)])
    assert files["files/figure 1.svg"] == b"<svg/>"
    listed = {one["path"]: one for one in package_of(files)["resources"]}
    digest = sha256(b"<svg/>").hexdigest()
    assert listed["files/figure 1.svg"]["hash"] == f"sha256:{digest}"
    readme = files["README.md"].decode()
    assert f"`files/figure 1.svg`, 6 bytes, SHA-256 {digest}" in readme
    assert "were not examined for data about persons" in readme


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("s.zip", [Path("none.txt")]),
        ("s.zip", [Path("a")]),
        ("s.zip", [Path("one.txt"), Path("a/one.txt")]),
        ("s.zip", "one.txt"),
        ("s.zip", 3),
        ("s.csv", [Path("one.txt")]),
    ],
    ids=["no file", "folder", "one name twice", "text", "number", "no study"],
)
def test_study_refuses_files_that_it_cannot_hold(name, files, records, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a").mkdir()
    Path("one.txt").write_text("x")
    Path("a/one.txt").write_text("x")
    with pytest.raises(InvalidInputError):
        export(records["projects"], name, files=files)
    assert {path.name for path in tmp_path.iterdir()} == {"a", "one.txt"}


def test_study_refuses_a_table_whose_name_no_file_can_have(records, tmp_path):
    with pytest.raises(InvalidInputError, match="300 characters"):
        export({"a" * 300: records["projects"]}, tmp_path / "a.zip")
    assert list(tmp_path.iterdir()) == []
    name = "b" * 200
    file = export({name: records["projects"].head(1)}, tmp_path / "b.zip")
    with zipfile.ZipFile(file) as packed:
        packed.extractall(tmp_path)
    assert (tmp_path / "data" / f"{name}.csv.provenance.json").exists()


@pytest.mark.parametrize("place", ["environment", "directory", "address"])
def test_study_refuses_a_file_with_a_key(place, records, tmp_path, monkeypatch):
    secret = "0123456789abcdef" * 2
    directory = None
    if place == "environment":
        monkeypatch.setenv("DIRFRAME_API_KEY", secret)
    elif place == "directory":
        directory = dirframe.Directory("https://directory.example", secret)
    text = f"https://d.example/projects.xml?api_key={secret}" if place == "address" else secret
    (tmp_path / "notes.txt").write_text(f"key: {text}")
    with pytest.raises(InvalidInputError) as caught:
        export(records["projects"], tmp_path / "s.zip", files=[tmp_path / "notes.txt"])
    assert secret not in str(caught.value)
    assert not (tmp_path / "s.zip").exists()
    del directory


def test_study_takes_files_in_the_shell(few_columns, run, tmp_path):
    export(few_columns, tmp_path / "p.parquet")
    (tmp_path / "f.txt").write_text("x")
    words = ("export", tmp_path / "p.parquet", tmp_path / "s.zip", "--file", tmp_path / "f.txt")
    assert run(*words).code == 0
    with zipfile.ZipFile(tmp_path / "s.zip") as packed:
        assert packed.read("files/f.txt") == b"x"


def test_study_gives_its_figures_with_pandas_alone(records, write, tmp_path, monkeypatch):
    loaded = records["projects"]
    made = {
        "projects": loaded,
        "languages": stats.language_share(loaded),
        "families": stats.license_families(loaded),
        "activity": stats.activity(loaded),
    }
    files = write(made)
    (tmp_path / "data").mkdir()
    for name in ("columns.csv", "data/projects.csv"):
        (tmp_path / name).write_bytes(files[name])
    monkeypatch.chdir(tmp_path)
    code = files["README.md"].decode().partition("types of `columns.csv` by\n\n")[2]
    names = {"pandas": pd}
    exec(
        dedent(code.partition("\n\n`")[0]).replace("\npandas.read", "\nframe = pandas.read"), names
    )
    projects = names["frame"]
    language = projects["analysis_main_language_name"]
    shares = language.value_counts(normalize=True)
    expected = pd.read_csv(BytesIO(files["data/languages.csv"])).set_index("language")["share"]
    assert shares[expected.index].tolist() == pytest.approx(expected.tolist())
    table = pd.read_csv(BytesIO(files["rules/license_families.csv"]), dtype="str")
    by_code = table.groupby("license")["family"].agg(set)
    found = [
        set().union(*(by_code[licence["name"]] for licence in json.loads(text)))
        for text in projects["licenses"].fillna("[]")
    ]
    families = pd.read_csv(BytesIO(files["data/families.csv"])).set_index("family")["projects"]
    names = [name for name in families.index if name != "none"]
    assert [sum(name in one for one in found) for name in names] == families[names].tolist()
    assert sum(not one for one in found) == families["none"]
    activity = pd.read_csv(BytesIO(files["data/activity.csv"]), parse_dates=["as_of"])
    as_of = activity["as_of"][0]
    first, last = projects["analysis_min_month"], projects["analysis_max_month"]
    fetched = projects["analysis_logged_at"]
    is_known = first.notna() & (first <= last) & (fetched >= as_of) & (last <= fetched)
    is_known &= first <= as_of
    active = is_known & (last > as_of - pd.DateOffset(months=12))
    counts = activity.set_index("activity")["projects"]
    assert (active.sum(), (is_known & ~active).sum()) == (counts["active"], counts["dormant"])


def test_entries_of_the_bibliography_have_different_keys(few_columns, write):
    files = write({"projects": few_columns, "languages": stats.language_share(few_columns)})
    keys = re.findall("^@.*$", files["citation.bib"].decode(), re.MULTILINE)
    assert keys
    assert len(set(keys)) == len(keys)


def test_entry_of_records_does_not_tell_what_was_done_for_another_table(few_columns, write):
    shares = stats.language_share(few_columns)
    before = write({"a": few_columns, "b": shares})["citation.bib"].decode()
    after = write({"b": shares, "a": few_columns})["citation.bib"].decode()
    assert before == after == dirframe.cite(few_columns, style="bibtex")
    assert "language" in write({"b": shares})["citation.bib"].decode()


UNLICENSED = with_provenance(
    pd.DataFrame({"id": ["1"]}),
    source="A directory",
    base_url="https://directory.example",
    resource="project",
)


def test_study_claims_no_licence_that_is_not_known(write):
    files = write(UNLICENSED)
    package = package_of(files)
    assert "licenses" not in package
    assert package["sources"] == [{"title": "A directory", "path": "https://directory.example"}]
    assert b"terms of A directory (https://directory.example)" in files["README.md"]


TERMS = "https://directory.example/terms"


@pytest.mark.parametrize(
    ("license", "expected"),
    [
        ("MIT OR Apache-2.0", {"name": "MIT OR Apache-2.0"}),
        (TERMS, {"name": TERMS, "path": TERMS}),
        ("CC-BY-4.0", {"name": "CC-BY-4.0", "path": "https://spdx.org/licenses/CC-BY-4.0"}),
    ],
)
def test_study_has_the_licence_of_its_author_beside_the_terms_of_the_source(
    license, expected, write
):
    files = write(UNLICENSED, license=license)
    assert package_of(files)["licenses"] == [expected]
    assert f"Licence: {license}." in files["README.md"].decode()
    assert b"terms of A directory (https://directory.example)" in files["README.md"]


def test_study_options_that_cannot_be_meant_are_refused(records, tmp_path):
    one = records["projects"]
    (tmp_path / "no.archive").write_text("nothing")
    failures = []
    for frames, options in [
        (one, {"license": "CC BY 4.0"}),
        (one, {"license": "public domain"}),
        (one, {"license": 1}),
        (one, {"title": 1}),
        *((one, {"authors": authors}) for authors in ("Grace Hopper", 1, [1], iter(AUTHORS))),
        (one, {"archive": tmp_path / "no.archive", "personal": True}),
        (pd.DataFrame({"id": ["1"]}), {}),  # without a source
        ({"a b": one, "a/b": one}, {}),  # the same file
        (records["All accounts"][["name", "location"]], {}),  # all of it is about persons
    ]:
        try:
            export(frames, tmp_path / "study.zip", **options)
            failures.append(options)
        except DirframeError:
            pass
    assert not failures
    assert [path.name for path in tmp_path.iterdir()] == ["no.archive"]


def test_persons_are_left_out_unless_asked_for(records, write):
    accounts = records["All accounts"].assign(latitude_unreadable="52,5", country_alpha_2="DE")
    files = write(accounts)
    assert not {*PERSONAL, "latitude_unreadable"} & columns_of(files)
    assert {"id", "created_at", "country_code", "country_alpha_2"} <= columns_of(files)
    readme = files["README.md"].decode()
    assert [name for name in PERSONAL if name not in readme] == []
    cells = accounts[["name", "email_sha1", "location"]].to_numpy().ravel()
    members = {cell for cell in cells if isinstance(cell, str) and len(cell) > 4}
    assert members
    everything = b"".join(files.values())
    assert {member for member in members if member.encode() in everything} == set()
    files = write(accounts, personal=True)
    assert set(PERSONAL) <= columns_of(files)
    assert b"law" in files["README.md"]
    contributors = pd.DataFrame(
        {
            "contributor_id": ["1"],
            "contributor_name": ["Ada L."],
            "contributor_language_facts": [[{"contributor_name": "Ada L.", "commits": "3"}]],
        }
    )
    with_provenance(contributors, source="A directory", resource="contributor_fact")
    assert [name for name, text in write(contributors).items() if b"Ada" in text] == []
    assert set(fields("account").query("personal")["name"]) >= set(PERSONAL)


@pytest.fixture(scope="module")
def strange(records):
    """Return frames with columns that the schema does not know, which name a person."""
    accounts = records["All accounts"].head(2)
    badges = [[{"name": "Scribe", "awarded_by": "Ada L."}, "Ada L."], None]
    accounts = accounts.assign(
        badges=pd.Series(badges, accounts.index, dtype="object"),
        languages=["Ada L.", None],  # no list, as the schema has it
        real_name=["Ada L.", None],
        friends=pd.Series([["Ada L."], None], accounts.index, dtype="object"),
        years=[3, 4],
    )
    project = records["projects"].head(1)
    position = pd.DataFrame({"id": ["1"], "name": ["Ada L."], "phone": [49301]})
    return {
        "project": project.assign(manager="Ada L.", size=pd.Categorical(["small"])),
        "position": with_provenance(position, source="A directory", resource="employment"),
        "entries": dirframe.child_table(accounts, "badges"),  # a table of its own
        "accounts": accounts,
    }


@pytest.mark.parametrize(
    ("name", "held", "left_out"),
    [
        ("project", {"name"}, {"manager", "size"}),
        ("position", {"id"}, {"name", "phone"}),
        ("entries", {"account_id", "name"}, {"awarded_by"}),
        ("accounts", {"badges", "years"}, {"real_name", "friends", "languages"}),
    ],
    ids=["project", "position", "entries", "accounts"],
)
def test_study_leaves_out_columns_that_the_schema_does_not_know(
    name, held, left_out, strange, write
):
    with pytest.warns(dirframe.ExportWarning, match="personal=True"):
        files = write(strange[name])
    assert not [name for name, text in files.items() if b"Ada L." in text]
    assert held <= columns_of(files)
    assert not left_out & columns_of(files)
    readme = files["README.md"].decode()
    assert {column for column in left_out if column not in readme} == set()


def test_study_leaves_out_parts_of_entries_that_the_schema_does_not_know(strange, write):
    with pytest.warns(dirframe.ExportWarning, match="personal=True"):
        files = write(strange["accounts"])
    assert b"awarded_by in badges, badge in badges" in files["README.md"]
    kept = json.loads(read_columns(files["data/one.csv"], is_own=True).columns["badges"][0])
    assert kept == [{"name": "Scribe"}]


def test_study_of_persons_holds_columns_that_the_schema_does_not_know(strange, write):
    assert {"real_name", "friends"} <= columns_of(write(strange["accounts"], personal=True))


POSITIONS = "/accounts/{}/positions.xml"


@pytest.mark.parametrize(
    ("resource", "query", "expected"),
    [
        ("account", {"id": "ada.l"}, {"id": "(left out)"}),
        ("account", {"id": "7"}, {"id": "7"}),
        ("account", {"query": "ada.l"}, {"query": "(left out)"}),
        (
            "position",
            {"path": POSITIONS.format("ada.l")},
            {"path": POSITIONS.format("(left out)")},
        ),
        ("position", {"path": POSITIONS.format("7")}, {"path": POSITIONS.format("7")}),
        ("position", {"path": "/accounts.xml"}, {"path": "/accounts.xml"}),
    ],
    ids=str,
)
def test_account_that_was_asked_for_by_name_is_not_named_by_its_query(
    resource, query, expected, write
):
    columns = {"id": ["7"], "posts_count": [1]} if resource == "account" else {"id": ["1"]}
    asked = with_provenance(pd.DataFrame(columns), source="A", resource=resource, query=query)
    files = write(asked)
    assert package_of(files)["resources"][0]["provenance"]["query"] == expected
    assert not [name for name, text in files.items() if b"ada.l" in text]
    assert asked.attrs["dirframe"]["query"] == query  # the frame stays as it was


def test_archive_is_whole_in_a_study_while_a_harvest_writes_to_it(tmp_path):
    def harvest():
        with Rig(200, size=5).in_process() as rig:
            begun.append(rig.directory(tmp_path / "cache"))
            dirframe.harvest("projects", pages, directory=begun[0])

    frame = with_provenance(pd.DataFrame({"id": ["1"]}), source="A directory", resource="project")
    pages, begun, rows = tmp_path / "p.archive", [], []
    thread = Thread(target=harvest)
    thread.start()
    while thread.is_alive() or not rows:
        with suppress(dirframe.ArchiveError):  # it is not there yet
            dirframe.open_archive(pages)
            file = export(frame, tmp_path / "s.zip", overwrite=True, personal=True, archive=pages)
            with zipfile.ZipFile(file) as packed:
                packed.extract("pages.archive", tmp_path)
                assert b"with names and places of persons" in packed.read("README.md")
            rows.append(dirframe.open_archive(tmp_path / "pages.archive").status().records)
    thread.join()
    assert rows == sorted(rows)
    assert {path.name for path in tmp_path.iterdir()} == {
        *("cache", "p.archive", "pages.archive", "s.zip")
    }


REPLAY = """
import socket, sys, warnings, zipfile
warnings.simplefilter("error")
def refuse(*_, **__): raise OSError("there is no network")
socket.socket.connect = socket.getaddrinfo = refuse
import dirframe
from dirframe import stats
zipfile.ZipFile(sys.argv[1]).extractall("here")
projects = dirframe.read_table("here/data/projects.parquet")
accounts = dirframe.open_archive("here/pages.archive").frame()
print(dirframe.cite(projects))
print(stats.language_share(projects).to_csv())
print(len(accounts), dirframe.cite(accounts))
"""


def test_study_gives_another_person_every_number(sample, records, tmp_path):
    archive = dirframe.harvest("accounts", tmp_path / "a.archive", directory=sample, query="ada")
    projects = records["projects"]
    with pytest.raises(InvalidInputError, match="personal=True"):
        export({"projects": projects}, tmp_path / "study.zip", archive=archive)
    assert not (tmp_path / "study.zip").exists()
    file = tmp_path / "study.zip"
    export({"projects": projects}, file, personal=True, archive=archive)
    (tmp_path / "elsewhere").mkdir()
    moved = shutil.move(file, tmp_path / "elsewhere")
    done = processes.run(
        moved, program=REPLAY, cwd=tmp_path / "elsewhere", env={"HOME": str(tmp_path)}
    )
    assert done.code == 0, done.err
    accounts = archive.frame()
    expected = (
        f"{dirframe.cite(projects)}\n{stats.language_share(projects).to_csv()}\n"
        f"{len(accounts)} {dirframe.cite(accounts)}\n"
    )
    assert done.out == expected
