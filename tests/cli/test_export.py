"""Handing records on: other files, citations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from dirframe import export, fields, read_export, report
from tests.cli import dirframe
from tests.reports.templates import notebook, write

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("handing") / "projects.parquet"
    assert dirframe("projects", "--sample", "--max-items", "25", "-o", str(file)).returncode == 0
    return file


def test_a_file_is_cited_in_each_style(projects: Path, run: Any) -> None:
    assert "Projects, at most 25 (25 records)" in run("cite", projects).out
    assert run("cite", projects, "--style", "bibtex").out.startswith("@misc{")
    csl = json.loads(run("cite", projects, "--style", "csl").out)
    assert csl[0]["type"] == "dataset"


def test_the_answer_of_a_directory_is_cited(there: Any, run: Any) -> None:
    outcome = run("cite", "--collection", "projects")
    assert outcome.code == 0, outcome.err
    assert "Projects (2 records)" in outcome.out


def test_what_does_not_say_where_it_is_from_cannot_be_cited(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text("id,name\n1,a\n")
    outcome = run("cite", file)
    assert outcome.code == 2
    assert outcome.out == ""


def test_records_go_to_another_kind_of_file_and_never_over_one(
    projects: Path, run: Any, tmp_path: Path
) -> None:
    target = tmp_path / "projects.csv"
    assert run("export", projects, target).code == 0
    assert len(pd.read_csv(target)) == 25
    assert run("export", projects, target).code == 2
    assert run("export", projects, target, "--overwrite").code == 0


@pytest.mark.parametrize("words", [["a.csv", "b.csv", "c.csv"], ["c.csv"], []])
def test_an_export_has_one_source_and_one_target(words: list[str], run: Any) -> None:
    assert run("export", *words).code == 2


def test_an_export_asks_the_directory(there: Any, run: Any, tmp_path: Path) -> None:
    target = tmp_path / "p.parquet"
    assert run("export", "--collection", "projects", target).code == 0
    assert list(pd.read_parquet(target)["id"]) == ["1", "2"]


def test_the_dictionary_is_that_of_python(run: Any) -> None:
    outcome = run("fields", "project", "--format", "csv")
    assert outcome.code == 0, outcome.err
    assert list(outcome.table["name"]) == list(fields("project")["name"])


def test_no_report_is_written_over_a_file(projects: Path, run: Any, tmp_path: Path) -> None:
    target = tmp_path / "report.md"
    target.write_text("mine", encoding="utf-8")
    assert run("report", projects, "-o", target).code == 2
    assert target.read_text(encoding="utf-8") == "mine"


def test_a_report_is_of_the_records_and_the_strata_that_were_chosen(
    projects: Path, tmp_path: Path
) -> None:
    source = """
from dirframe import stats
from dirframe.reports import report_data, show
show(stats.contributor_concentration, report_data().projects)
"""
    template = write(notebook(source), tmp_path / "mine.ipynb")
    frame = read_export(projects)
    frame.loc[[0, 1], "analysis_total_code_lines"] = -1
    file = export(frame, tmp_path / "faulty.parquet")
    words = ("--exclude", "negative_lines", "--max-age", "2y", "--by", "team_size")
    options = (*words, "--min-records", "3", "--template", str(template))
    done = dirframe("report", str(file), *options, "-o", str(tmp_path / "shell.md"))
    assert done.returncode == 0, done.stderr
    expected = report(
        read_export(file),
        tmp_path / "python.md",
        template=template,
        exclude=["negative_lines"],
        max_age="2y",
        by=["team_size"],
        min_records=3,
    )
    written = (tmp_path / "shell.md").read_text(encoding="utf-8")
    assert written == expected.read_text(encoding="utf-8")
    assert "team size" in written
    assert "23 of 25 records loaded" in written


def test_a_report_refuses_a_rule_or_a_stratum_that_there_is_none_of(
    projects: Path, run: Any, tmp_path: Path
) -> None:
    for words in (["--exclude", "nonsense"], ["--by", "nonsense"], ["--max-age", "soon"]):
        outcome = run("report", projects, *words, "-o", tmp_path / "report.md")
        assert outcome.code == 2
        assert words[1] in outcome.err
    assert [*tmp_path.iterdir()] == []
