"""Records handed on: other files, studies, citations, archives."""

import json
import shutil
import zipfile
from datetime import datetime

import pandas as pd
import pytest
import time_machine

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


def test_harvest_stops_at_its_budget_and_goes_on(folder, run):
    words = ("harvest", "projects", "--to", "kept.archive", "--sample")
    planned = run(*words, "--plan")
    assert (planned.code, (folder / "kept.archive").exists()) == (0, False)
    stopped = run(*words, "--requests-per-day", 5)
    assert (stopped.code, stopped.out) == (4, "")
    assert "5 of 60 pages" in stopped.err
    assert run("status", "kept.archive").code == 0
    done = run(*words)
    assert (done.code, "1,500" in done.out) == (0, True), done.err
    assert len(dirframe.open_archive("kept.archive").frame()) == 1500
    assert run("harvest", "accounts", "--to", "kept.archive", "--sample").code in {2, 9}


@pytest.mark.parametrize(
    ("stop", "pages"), [("12:01", [1]), ("2026-11-24T12:01", [1]), ("11:59", [1, 2, 3, 4])]
)
def test_harvest_stops_at_a_time_and_one_of_the_day_is_the_next(stop, pages, rig, folder, run):
    rig.add("project", 30)
    noon = datetime(2026, 11, 24, 12).astimezone()
    with time_machine.travel(noon, tick=False) as clock:
        rig.before = lambda _request: clock.shift(90)
        outcome = run("harvest", "projects", "--to", "kept.archive", "--stop-at", stop)
    assert (outcome.code, sorted(rig.pages)) == (0, pages), outcome.err


@pytest.mark.parametrize("name", ["kept.archive", "kept.db"])
def test_no_table_replaces_an_archive(name, sample, folder, run):
    dirframe.harvest("accounts", name, directory=sample, query="ada")
    before = (folder / name).read_bytes()
    shutil.copy(name, "copy.archive")
    outcome = run("export", "copy.archive", name, "--overwrite")
    assert (outcome.code, (folder / name).read_bytes()) == (2, before)
    assert name in outcome.err
