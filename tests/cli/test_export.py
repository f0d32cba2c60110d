"""Records handed on: other files, studies, citations."""

import json
import zipfile

import pandas as pd

import dirframe

STUDY = (
    *("--title", "Who maintains it?", "--author", "Hopper, Grace", "--author", "The Navy"),
    *("--license", "CC-BY-4.0"),
)


def described(file):
    """Return the description of a study."""
    with zipfile.ZipFile(file) as packed:
        return json.loads(packed.read("datapackage.json"))


def test_export_converts_and_replaces_no_file_unless_asked(files, folder, run):
    words = ("export", files / "projects.parquet", "projects.csv")
    assert run(*words).code == 0
    assert len(pd.read_csv("projects.csv")) == 50
    assert run(*words).code == 2
    assert run(*words, "--overwrite").code == 0
    assert run("export", *words[1:2], "projects.xlsx").code == 0
    assert (folder / "projects.xlsx").read_bytes().startswith(b"PK")


def test_export_of_several_files_is_a_study_with_title_authors_and_licence(files, folder, run):
    words = ("export", files / "projects.parquet", files / "accounts.parquet", "study.zip")
    assert run(*words, *STUDY).code == 0
    study = described("study.zip")
    assert study["title"] == "Who maintains it?"
    assert [one["title"] for one in study["contributors"]] == ["Grace Hopper", "The Navy"]
    assert [one["name"] for one in study["licenses"]] == ["CC-BY-4.0"]
    assert [table["name"] for table in study["resources"]][::2] == ["projects-csv", "accounts-csv"]
    again = run(*words)
    assert (again.code, "study.zip" in again.err) == (2, True)
    assert described("study.zip") == study


def test_study_has_the_directory_as_author_and_its_licence_unless_told(files, folder, run):
    assert run("export", files / "projects.parquet", "study.zip").code == 0
    study = described("study.zip")
    assert study["licenses"][0]["name"] == "CC0-1.0"
    assert [one["title"] for one in study["contributors"]] == ["dirframe sample directory"]


def test_study_holds_persons_and_pages_if_told(files, folder, run, sample):
    dirframe.harvest("accounts", "pages.archive", directory=sample, query="ada")
    words = ("export", files / "accounts.parquet", "study.zip")
    outcome = run(*words, "--archive", "pages.archive")
    assert (outcome.code, (folder / "study.zip").exists()) == (2, False)
    assert "--personal" in outcome.err
    assert run(*words).code == 0
    names = {field["name"] for field in described("study.zip")["resources"][0]["schema"]["fields"]}
    assert not {"name", "location"} & names
    assert run(*words, "--personal", "--archive", "pages.archive", "--overwrite").code == 0
    names = {field["name"] for field in described("study.zip")["resources"][0]["schema"]["fields"]}
    assert {"name", "location"} <= names
    with zipfile.ZipFile("study.zip") as packed:
        assert packed.read("pages.archive") == (folder / "pages.archive").read_bytes()


def test_export_refuses_options_and_names_of_a_study_that_cannot_be(files, folder, run):
    file = files / "projects.parquet"
    for words in (
        ("study.zip", "--author", " "),
        ("study.zip", "--license", "ftp://a.org/l"),
        ("p.csv", *STUDY),
        (file, "study.zip"),  # two tables of one name
    ):
        outcome = run("export", file, *words)
        assert (outcome.code, outcome.out) == (2, "")
        assert "Traceback" not in outcome.err
    assert [*folder.iterdir()] == []


def test_cite_writes_a_citation_in_each_style(files, run):
    file = files / "projects.parquet"
    frame = dirframe.read_export(file)
    for style in ("text", "bibtex"):
        expected = str(dirframe.cite(frame, style=style)).rstrip("\n")
        assert run("cite", file, "--style", style).out == f"{expected}\n"
