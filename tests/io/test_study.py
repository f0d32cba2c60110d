"""A study: tables with a description that says what is known, and nothing of who wrote it."""

import json
import shutil
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import dirframe
from dirframe import DirframeError, InvalidInputError, export, fields, read_export, stats
from dirframe._tables import read_columns
from tests import processes
from tests.frames import with_provenance

AUTHORS = ["Hopper, Grace", "The Navy"]
#: What tells who or where a member is.
PERSONAL = ["name", "homepage_url", "avatar_url", "email_sha1", "location", "latitude", "longitude"]


@pytest.fixture(scope="module")
def records(sample):
    """Load a capped and a complete collection."""
    projects = sample.projects(max_items=120, sort="name", progress=False)
    return {"projects": projects, "All accounts": sample.accounts(query="ada", progress=False)}


@pytest.fixture(scope="module")
def study(records, tmp_path_factory):
    """Export a study, and unpack it into the folder of the file."""
    folder = tmp_path_factory.mktemp("study")
    file = export(records, folder / "study.zip", title="A study", authors=AUTHORS)
    with zipfile.ZipFile(file) as packed:
        packed.extractall(folder)
    return folder


def package_of(folder):
    return json.loads((folder / "datapackage.json").read_text("utf-8"))


def described(file):
    with zipfile.ZipFile(file) as packed:
        return json.loads(packed.read("datapackage.json"))


def test_study_holds_each_table_twice_and_cites(study, records):
    names = {path.relative_to(study).as_posix() for path in study.rglob("*") if path.is_file()}
    tables = {
        f"data/{name}.{s}" for name in ("projects", "all-accounts") for s in ("csv", "parquet")
    }
    assert tables | {"datapackage.json", "README.md", "citation.bib"} <= names
    for suffix in ("csv", "parquet"):
        for name, frame in zip(("projects", "all-accounts"), records.values(), strict=True):
            back = read_export(study / "data" / f"{name}.{suffix}")
            without = [column for column in PERSONAL if column in frame and name != "projects"]
            pd.testing.assert_frame_equal(back, frame.drop(columns=without))
            assert back.attrs == frame.attrs
    readme = (study / "README.md").read_text("utf-8")
    assert "A study" in readme
    assert dirframe.cite(records["projects"]).partition(":")[0] in readme
    listed = {file for table in package_of(study)["resources"] for file in [table["path"]]}
    assert listed == tables


def test_same_frames_give_the_same_bytes(study, records, tmp_path):
    again = export(records, tmp_path / "other.zip", title="A study", authors=AUTHORS)
    assert again.read_bytes() == (study / "study.zip").read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["other.zip"]


def test_each_column_has_the_type_the_unit_and_the_meaning_of_the_schema(study):
    known = fields("project").set_index("name")
    types = {"str": "string", "Int64": "integer", "Float64": "number", "object": "array"}
    columns = {c["name"]: c for c in package_of(study)["resources"][0]["schema"]["fields"]}
    assert {*known.query("dialects == 'specification'").index} <= {*columns}
    failures = []
    for name in columns.keys() & {*known.index}:
        dtype, unit, meaning = known.loc[name, ["type", "unit", "meaning"]]
        expected = types.get(dtype, "datetime"), unit if isinstance(unit, str) else None
        found = columns[name]["type"], columns[name].get("unit")
        if found != expected or not meaning.startswith(columns[name]["description"]):
            failures.append((columns[name], expected, meaning))
    assert not failures


def test_package_says_what_was_asked_when_and_whether_all_came(study, records):
    package = package_of(study)
    capped, whole = package["resources"][0], package["resources"][2]
    assert capped["query"] == {"sort": "name", "max_items": 120}
    assert "max_items=120" in capped["completeness"]
    assert whole["completeness"] == "proven"
    assert whole["provenance"] == records["All accounts"].attrs["dirframe"]
    assert whole["accessed"].startswith(whole["provenance"]["retrieved_oldest"])
    assert package["licenses"][0]["name"] == "CC0-1.0"  # generated
    assert [c["title"] for c in package["contributors"]] == ["Grace Hopper", "The Navy"]


def test_column_of_a_statistic_is_not_the_field_of_that_name(records, tmp_path):
    shares = stats.language_share(records["projects"]).rename(columns={"language": "name"})
    table = described(export(shares, tmp_path / "shares.zip"))["resources"][0]
    assert "description" not in table["schema"]["fields"][0]
    assert "primaryKey" not in table["schema"]


def test_entries_of_the_bibliography_have_different_keys(records, tmp_path):
    projects = records["projects"]
    tables = {"projects": projects, "languages": stats.language_share(projects)}
    with zipfile.ZipFile(export(tables, tmp_path / "s.zip")) as packed:
        entries = packed.read("citation.bib").decode()
    keys = [line for line in entries.splitlines() if line.startswith("@")]
    assert keys
    assert len(set(keys)) == len(keys)


def test_no_licence_is_claimed_that_is_not_known(tmp_path):
    frame = with_provenance(
        pd.DataFrame({"id": ["1"]}),
        source="A directory",
        base_url="https://directory.example",
        resource="project",
        items_loaded=1,
        complete=True,
        retrieved_newest="2026-11-20T09:00:00Z",
    )
    package = described(export(frame, tmp_path / "study.zip"))
    assert "licenses" not in package
    assert package["sources"] == [{"title": "A directory", "path": "https://directory.example"}]
    assert package["created"] == "2026-11-20T00:00:00Z"
    package = described(export(frame, tmp_path / "own.zip", license="CC-BY-4.0"))
    assert package["licenses"][0]["name"] == "CC-BY-4.0"
    with_provenance(frame, retrieved_newest=None)
    assert "created" not in described(export(frame, tmp_path / "undated.zip"))  # nor of today


def test_what_a_study_cannot_say_is_refused_before_anything_is_written(records, tmp_path):
    one = records["projects"]
    failures = []
    for frames, options in [
        (one, {"license": "CC BY 4.0"}),
        (one, {"license": "public domain"}),
        (one, {"authors": "Hopper, Grace"}),
        (one, {"authors": [" "]}),
        (pd.DataFrame({"id": ["1"]}), {}),  # without a source
        ({"a b": one, "a/b": one}, {}),  # the same file
    ]:
        try:
            export(frames, tmp_path / "study.zip", **options)
            failures.append(options)
        except InvalidInputError:
            pass
    assert not failures
    assert not [*tmp_path.iterdir()]


def test_no_file_holds_a_key_or_a_path_of_this_machine(sample, study):
    secrets = [sample.api_key.reveal(), *map(str, (Path.home(), study, Path.cwd()))]
    held = [
        (path, secret)
        for path in study.rglob("*")
        if path.is_file()
        for secret in secrets
        if secret.encode() in path.read_bytes()
    ]
    assert not held


def test_persons_are_left_out_unless_asked_for(records, tmp_path):
    accounts = records["All accounts"].assign(latitude_unreadable="52,5", country_alpha_2="DE")
    with zipfile.ZipFile(export(accounts, tmp_path / "without.zip")) as packed:
        texts = {name: packed.read(name) for name in packed.namelist()}
    held = read_columns(texts["data/without.csv"])
    assert not {*PERSONAL, "latitude_unreadable"} & {*held}
    assert {"id", "created_at", "country_code", "country_alpha_2"} <= {*held}
    assert b"without" in texts["README.md"]
    assert all(name.encode() in texts["README.md"] for name in PERSONAL)
    for member in accounts[["name", "email_sha1", "location"]].to_numpy().ravel():
        if isinstance(member, str) and len(member) > 4:
            assert not any(member.encode() in text for text in texts.values())
    with zipfile.ZipFile(export(accounts, tmp_path / "all.zip", personal=True)) as packed:
        assert set(PERSONAL) <= {*read_columns(packed.read("data/all.csv"))}
        assert b"law" in packed.read("README.md")
    contributors = pd.DataFrame(
        {
            "contributor_id": ["1"],
            "contributor_name": ["Ada L."],
            "contributor_language_facts": [[{"contributor_name": "Ada L.", "commits": "3"}]],
        }
    )
    with_provenance(contributors, source="A directory", resource="contributor_fact")
    with zipfile.ZipFile(export(contributors, tmp_path / "people.zip")) as packed:
        assert not any(b"Ada" in packed.read(name) for name in packed.namelist())
    with pytest.raises(InvalidInputError, match="personal=True"):
        export(accounts[["name", "location"]], tmp_path / "nobody.zip")
    assert set(fields("account").query("personal")["name"]) >= set(PERSONAL)


def test_what_the_schema_does_not_know_is_left_out_and_said(records, tmp_path):
    accounts = records["All accounts"].head(2)
    badges = [[{"name": "Scribe", "awarded_by": "Ada L."}, "Ada L."], None]
    strange = accounts.assign(
        badges=pd.Series(badges, accounts.index, dtype="object"),
        languages=["Ada L.", None],  # no list, as the schema has it
        real_name=["Ada L.", None],
        friends=pd.Series([["Ada L."], None], accounts.index, dtype="object"),
        years=[3, 4],
    )
    project = records["projects"].head(1).assign(manager="Ada L.", size=pd.Categorical(["small"]))
    position = pd.DataFrame({"id": ["1"], "name": ["Ada L."], "phone": [49301]})
    with_provenance(position, source="A directory", resource="position")
    for name, frame, held, left_out in [
        ("accounts", strange, {"badges", "years"}, {"real_name", "friends", "languages"}),
        ("project", project, {"name", "size"}, {"manager"}),
        ("position", position, {"id"}, {"name", "phone"}),
    ]:
        with pytest.warns(dirframe.ExportWarning, match="personal=True"):
            file = export(frame, tmp_path / f"{name}.zip")
        with zipfile.ZipFile(file) as packed:
            texts = {entry: packed.read(entry) for entry in packed.namelist()}
        assert not [entry for entry, text in texts.items() if b"Ada L." in text]
        columns = {*read_columns(texts[f"data/{name}.csv"])}
        assert held <= columns
        assert not left_out & columns
        assert all(column.encode() in texts["README.md"] for column in left_out)
    with zipfile.ZipFile(tmp_path / "accounts.zip") as packed:
        assert b"awarded_by in badges, badge in badges" in packed.read("README.md")
        kept = json.loads(read_columns(packed.read("data/accounts.csv"))["badges"][0])
        assert kept == [{"name": "Scribe"}]
    everything = export(strange, tmp_path / "all.zip", personal=True)
    with zipfile.ZipFile(everything) as packed:
        assert {"real_name", "friends"} <= {*read_columns(packed.read("data/all.csv"))}


def test_account_that_was_asked_for_by_name_is_not_named_by_its_query(tmp_path):
    account = pd.DataFrame({"id": ["7"], "posts_count": [1]})
    position = pd.DataFrame({"id": ["1"]})
    for frame, resource, query, expected in [
        (account, "account", {"id": "ada.l"}, {"id": "(left out)"}),
        (account, "account", {"id": "7"}, {"id": "7"}),
        (account, "account", {"query": "x"}, {"query": "x"}),
        (position, "position", {"path": "/accounts/ada.l/positions.xml"},
         {"path": "/accounts/(left out)/positions.xml"}),
        (position, "position", {"path": "/accounts/7/positions.xml"},
         {"path": "/accounts/7/positions.xml"}),
        (position, "position", {"path": "/accounts.xml"}, {"path": "/accounts.xml"}),
    ]:  # fmt: skip
        asked = with_provenance(frame.copy(), source="A", resource=resource, query=query)
        file = export(asked, tmp_path / "one.zip", overwrite=True)
        assert described(file)["resources"][0]["query"] == expected
        with zipfile.ZipFile(file) as packed:
            assert not [name for name in packed.namelist() if b"ada.l" in packed.read(name)]
        assert asked.attrs["dirframe"]["query"] == query  # the frame stays as it was


def test_table_of_entries_keeps_what_is_about_no_person(tmp_path):
    lists = pd.Series([[{"name": "Scribe", "awarded_by": "Ada"}]], dtype="object")
    accounts = pd.DataFrame({"id": ["1"], "posts_count": [2], "badges": lists})
    with_provenance(accounts, source="A directory", resource="account")
    badges = dirframe.child_table(accounts, "badges")
    with pytest.warns(dirframe.ExportWarning, match="awarded_by"):
        file = export(badges, tmp_path / "badges.zip")
    with zipfile.ZipFile(file) as packed:
        assert {"account_id", "name"} <= {*read_columns(packed.read("data/badges.csv"))}


REPLAY = """
import socket, sys, warnings, zipfile
warnings.simplefilter("error")
def refuse(*_, **__): raise OSError("there is no network")
socket.socket.connect = socket.getaddrinfo = refuse
import dirframe
from dirframe import stats
zipfile.ZipFile(sys.argv[1]).extractall("here")
projects = dirframe.read_export("here/data/projects.parquet")
accounts = dirframe.open_archive("here/pages.archive").frame()
print(dirframe.cite(projects))
print(stats.language_share(projects).to_csv())
print(len(accounts), dirframe.cite(accounts))
"""


def test_another_person_gets_every_number_from_the_file_alone(sample, tmp_path):
    archive = dirframe.harvest("accounts", tmp_path / "a.archive", directory=sample, query="ada")
    projects = sample.projects(max_items=200, sort="name", progress=False)
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


def test_file_that_is_no_archive_is_not_added(records, tmp_path):
    (tmp_path / "a.archive").write_text("nothing")
    with pytest.raises(DirframeError, match=r"a\.archive"):
        export(records, tmp_path / "s.zip", personal=True, archive=tmp_path / "a.archive")
    assert [path.name for path in tmp_path.iterdir()] == ["a.archive"]
