"""Statistics, charts, countries, files and citations in the shell are those of Python."""

import json
import zipfile
from inspect import signature

import pandas as pd
import pytest

import dirframe
from dirframe import plot, stats
from dirframe.charts import CHARTS, STATISTICS
from dirframe.cli.functions import READERS


@pytest.mark.parametrize(
    ("noun", "name"),
    [
        ("language_share", "projects"),
        ("accounts_by_country", "accounts"),
        ("monthly_activity", "activity"),
    ],
)
def test_statistics_are_those_of_python(noun, name, files, folder, run):
    file = files / f"{name}.parquet"
    outcome = run("stats", noun, file, "--format", "csv")
    assert outcome.code == 0, outcome.err
    expected = getattr(stats, noun)(dirframe.read_table(file))
    exported = dirframe.export(expected, folder / f"{noun}.csv")
    assert outcome.out == exported.read_text(encoding="utf-8")
    assert "Source: dirframe sample directory" in outcome.err


def test_statistic_of_raw_countries_unifies_them(sample, folder, run):
    accounts = dirframe.load_accounts(sample, max_items=100, progress=False)
    dirframe.export(accounts, "accounts.parquet")
    outcome = run("stats", "accounts_by_country", "accounts.parquet")
    expected = stats.accounts_by_country(dirframe.unify_countries(accounts))
    assert len(outcome.table) == len(expected) > 3


def test_options_reach_statistics(files, run):
    file = files / "projects.parquet"
    assert len(run("stats", "tags", "-p", "top=3", file).table) == 4
    assert len(run("stats", "tags", "-p", "top=None", file).table) > 4
    assert len(run("stats", "team_size_classes", "-p", "bounds=[0,1,10]", file).table) == 3
    assert len(run("stats", "team_size_classes", "-p", "bounds=0,10", file).table) == 2
    outcome = run("stats", "growth", "-p", "freq=YS", file)
    assert (pd.to_datetime(outcome.table.iloc[:, 0]).dt.month == 1).all()


def test_options_that_are_no_texts_have_a_reader():
    functions = [*(getattr(stats, name) for name in STATISTICS)]
    functions += [getattr(plot, name) for name in CHARTS]
    options = [option for each in functions for option in signature(each).parameters.values()]
    named = [option for option in options if option.kind is option.KEYWORD_ONLY]
    texts = {"as_of", "ax", "date", "freq", "width"}
    assert {option.name for option in named} - texts == set(READERS)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("bounds=0,10", [0, 10]),
        ("bounds=[0,10]", [0, 10]),
        ("top=None", None),
        ("top=three", "three"),
        ("title=2013", "2013"),
        ("title=false", False),
        ("confidence=0.9", 0.9),
        ("per_million=true", True),
    ],
)
def test_option_of_a_function_is_read_as_its_type(option, value):
    name, _, text = option.partition("=")
    assert READERS[name](text) == value


@pytest.mark.parametrize(
    ("noun", "name", "suffix", "magic"),
    [
        pytest.param("language_share", "projects", ".png", b"\x89PNG", marks=pytest.mark.slow),
        ("accounts_by_country", "accounts", ".svg", b"<?xml"),
        ("monthly_activity", "activity", ".PDF", b"%PDF"),
    ],
)
def test_charts_are_written_by_their_suffix(noun, name, suffix, magic, files, folder, run):
    outcome = run("plot", noun, files / f"{name}.parquet", "-o", f"new/{noun}{suffix}")
    assert (outcome.code, outcome.out) == (0, ""), outcome.err
    [file] = (folder / "new").iterdir()
    assert file.name == f"{noun}{suffix}"
    content = file.read_bytes()
    assert content.startswith(magic)
    if magic == b"%PDF":
        assert (b"/Type3" in content, b"/CIDFontType2" in content) == (False, True)


def test_chart_has_the_title_caption_width_and_colours_asked_for(files, folder, run):
    words = ("plot", "tags", files / "projects.parquet", "-o", "tags.svg")
    options = ("-p", "title=Our tags, 2013", "-p", "caption=2013", "-p", "width=column")
    assert run(*words, *options).code == 0
    picture = (folder / "tags.svg").read_text(encoding="utf-8")
    assert ">Our tags, 2013</text>" in picture  # text stays text
    assert ">2013 " in picture
    assert 'width="237.6pt"' in picture  # 84 mm
    assert run(*words, "-p", "caption=false", "--overwrite").code == 0
    assert "50 projects" not in (folder / "tags.svg").read_text(encoding="utf-8")


@pytest.fixture
def audit(folder, run):
    """Return the audit of four countries, one of them unknown."""
    (folder / "accounts.csv").write_text(
        "id,name,country_code\n1,a,Korea\n2,b,DE\n3,c,Atlantis\n4,d,NA\n"
    )
    outcome = run("clean", "accounts.csv", "-o", "clean.parquet", "--audit", "audit.csv")
    assert outcome.code == 0, outcome.err
    return pd.read_csv("audit.csv", keep_default_na=False, dtype="str")


def answered(audit):
    """Return an audit in which a person has answered each country."""
    codes = {"Korea": "KR", "DE": "DE", "Atlantis": "GR", "NA": "NA"}
    return audit.assign(country_alpha_2=audit["raw"].map(codes))


def test_cleaning_leaves_what_is_unclear_without_a_country(audit):
    frame = dirframe.read_table("clean.parquet")
    assert frame["country_code"].tolist() == ["Korea", "DE", "Atlantis", "NA"]
    assert frame["country_alpha_2"].fillna("").tolist() == ["", "DE", "", "NA"]


def test_cleaning_follows_an_edited_audit(audit, folder, run):
    answered(audit).to_csv(folder / "audit.csv", index=False)
    again = run("clean", "accounts.csv", "--overrides", "audit.csv", "--strict")
    assert again.code == 0, again.err
    assert again.table["country_alpha_2"].tolist() == ["KR", "DE", "GR", "NA"]


def test_cleaning_follows_some_rows_of_an_audit(audit, folder, run):
    edited = answered(audit)
    row = edited.loc[edited["raw"] == "Korea", ["raw", "country_alpha_2"]]
    row.to_csv(folder / "audit.csv", index=False, sep=";")
    again = run("clean", "accounts.csv", "--overrides", "audit.csv")
    assert again.code == 0, again.err
    assert again.table["country_alpha_2"].fillna("").tolist() == ["KR", "DE", "", "NA"]


def described(file):
    """Return the description of a study."""
    with zipfile.ZipFile(file) as packed:
        return json.loads(packed.read("datapackage.json"))


def test_export_converts_and_replaces_a_file_if_asked(files, folder, run):
    (folder / "projects.csv").write_text("mine")
    assert run("export", files / "projects.parquet", "projects.csv", "--overwrite").code == 0
    assert len(pd.read_csv("projects.csv")) == 50


LONE = ["", "--overwrite", "--collection projects", "--query a", "--overwrite --where language=C"]


@pytest.mark.parametrize("words", LONE)
def test_export_of_one_file_that_exists_names_the_missing_target(words, shell_rig, folder, run):
    dirframe.export(pd.DataFrame({"id": ["1", "2"], "name": ["a", "b"]}), "projects.csv")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    outcome = run("export", "projects.csv", *words.split())
    assert (outcome.code, outcome.out, shell_rig.requests) == (2, "", [])
    assert "dirframe export projects.csv TARGET" in outcome.err
    assert "overwrite" not in outcome.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_export_replaces_a_file_by_records_of_the_directory_if_told_both(shell_rig, folder, run):
    (folder / "projects.csv").write_text("mine")
    words = ("--collection", "projects", "--overwrite")
    assert run("export", "projects.csv", *words).code == 0
    assert len(dirframe.read_table("projects.csv")) == 2


@pytest.mark.parametrize(
    "line",
    [
        "export people.csv people.csv",
        "export people.csv ./people.csv",
        "export people.csv link.csv",
        "export link.csv people.csv",
        "export people.csv other.csv people.csv",
        "export people.csv people.csv.provenance.json",
        "export people.csv --where country=DE -n 1 people.csv",
        "clean people.csv -o people.csv",
        "clean people.csv -o new.csv --audit people.csv",
        "clean people.csv -o new.csv --audit new.csv",
        "clean people.csv --overrides audit.csv -o audit.csv",
        "clean people.csv --overrides audit.csv -o new.csv --audit audit.csv",
        "stats accounts_by_country people.csv -o people.csv",
        "plot accounts_by_country people.png -o people.png",
        "report people.html -o people.html",
    ],
)
def test_file_that_is_read_is_never_replaced(line, folder, run):
    people = pd.DataFrame({"id": ["1", "2"], "name": ["a", "b"], "country_code": ["DE", "Korea"]})
    for name in ("people", "other"):
        dirframe.export(people, f"{name}.csv")
    dirframe.export(dirframe.country_audit(people), "audit.csv")
    for name in ("people.png", "people.html"):
        (folder / name).write_text("mine")
    (folder / "link.csv").symlink_to("people.csv")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    outcome = run(*line.split(), "--overwrite")
    assert (outcome.code, outcome.out) == (2, "")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_export_of_several_files_is_a_study_with_title_authors_and_licence(files, folder, run):
    words = ("export", files / "projects.parquet", files / "accounts.parquet", "study.zip")
    authors = ("--author", "Grace Hopper", "--author", "The Navy")
    assert run(*words, "--title", "Who?", *authors, "--license", "CC-BY-4.0").code == 0
    study = described("study.zip")
    assert study["title"] == "Who?"
    assert [one["title"] for one in study["contributors"]] == ["Grace Hopper", "The Navy"]
    assert [one["name"] for one in study["licenses"]] == ["CC-BY-4.0"]
    assert [table["name"] for table in study["resources"]][::2] == ["projects-csv", "accounts-csv"]


def names_of(study):
    """Return the columns of the first table of a study."""
    return {field["name"] for field in described(study)["resources"][0]["schema"]["fields"]}


def test_study_holds_persons_and_pages_if_told(files, folder, run, sample):
    dirframe.harvest("accounts", "pages.archive", directory=sample, query="ada")
    words = ("export", files / "accounts.parquet", "study.zip")
    outcome = run(*words, "--archive", "pages.archive")
    assert (outcome.code, (folder / "study.zip").exists()) == (2, False)
    assert "--personal" in outcome.err
    assert run(*words).code == 0
    assert names_of("study.zip") & {"name", "location"} == set()
    told = ("--personal", "--archive", "pages.archive", "--overwrite")
    assert run(*words, *told).code == 0
    assert names_of("study.zip") & {"name", "location"} != set()
    authors = described("study.zip")["contributors"]
    assert [one["title"] for one in authors] == ["dirframe sample directory"]
    with zipfile.ZipFile("study.zip") as packed:
        packed.extract("pages.archive", folder / "elsewhere")
    stored = dirframe.open_archive("pages.archive").frame()
    held = dirframe.open_archive(folder / "elsewhere" / "pages.archive").frame()
    pd.testing.assert_frame_equal(held, stored)
    assert held.attrs == stored.attrs


def test_summary_is_that_of_python(files, run):
    file = files / "projects.parquet"
    assert run("summary", file).out == f"{dirframe.summary(dirframe.read_table(file))}\n"


@pytest.mark.parametrize("style", ["text", "bibtex", "apa"])
def test_citation_is_that_of_python(style, files, run):
    file = files / "projects.parquet"
    expected = str(dirframe.cite(dirframe.read_table(file), style=style)).rstrip("\n")
    assert run("cite", file, "--style", style).out == f"{expected}\n"
