"""Overviews and comparisons in the shell."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from tests.cli import dirframe as process

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("looking")
    with dirframe.sample_directory() as directory:
        frame = dirframe.load_projects(max_items=30, directory=directory, progress=False)
    later = frame.drop(index=0).assign(stack_count=frame["stack_count"] + 1)
    return [
        dirframe.export(one, folder / f"{name}.parquet")
        for name, one in (("before", frame), ("after", later))
    ]


def test_a_file_is_described_as_in_python(files: list[Path], run: Any) -> None:
    outcome = run("summary", files[0])
    assert outcome.code == 0, outcome.err
    assert outcome.out == f"{dirframe.summary(dirframe.read_export(files[0]))}\n"


def test_an_overview_is_json_for_programs(files: list[Path], run: Any) -> None:
    found = json.loads(run("summary", files[0], "--format", "json").out)
    assert set(found) == {"title", "fields", "bias", "source"}
    by_column = {row["column"]: row for row in found["fields"]}
    assert by_column["id"] == {
        "column": "id",
        "present": 30,
        "missing_share": 0.0,
        "values": "30 different",
    }


def test_the_answer_of_a_directory_is_described(there: Any, run: Any) -> None:
    assert run("summary", "--collection", "projects").out.startswith("2 projects, complete")


def test_two_files_are_compared_as_in_python(files: list[Path], run: Any) -> None:
    outcome = run("compare", *files)
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("0 new, 1 gone, 29 changed")
    found = json.loads(run("compare", *files, "--format", "json").out)
    assert len(found["gone"]) == 1
    assert {row["column"] for row in found["changed"]} == {"stack_count"}


def test_numbers_and_times_of_a_comparison_as_json_are_those_of_export(
    files: list[Path], run: Any, tmp_path: Path
) -> None:
    frame = dirframe.read_export(files[0])
    frame.loc[0, "average_rating"] = 4.1234567890123
    frame["updated_at"] += pd.Timedelta(milliseconds=250)
    before = dirframe.export(frame.iloc[1:], tmp_path / "before.parquet")
    after = dirframe.export(frame, tmp_path / "after.parquet")
    (new,) = json.loads(run("compare", before, after, "--format", "json").out)["new"]
    exported = dirframe.export(frame.iloc[:1], tmp_path / "new.json").read_text()
    assert [new] == json.loads(exported)


def test_a_table_of_standard_input_is_not_compared_with_itself(run: Any) -> None:
    outcome = run("compare", "-", "-")
    assert (outcome.code, outcome.out) == (2, "")


def test_flags_in_a_process_are_those_of_python(files: list[Path]) -> None:
    words = ("--rule", "stale_analysis", "--rule", "lines_outlier", "--max-age", "26w")
    done = process("flags", str(files[0]), *words, "--format", "csv")
    assert done.returncode == 0, done.stderr
    rules = ["stale_analysis", "lines_outlier"]
    expected = dirframe.flags(dirframe.read_export(files[0]), rules=rules, max_age="26w")
    found = pd.read_csv(io.StringIO(done.stdout), dtype="str")
    assert found["rule"].tolist() == expected["rule"].tolist()
    assert found["evidence"].tolist() == expected["evidence"].tolist()


def test_a_rule_that_the_records_do_not_allow_is_a_wrong_call(files: list[Path], run: Any) -> None:
    outcome = run("flags", files[0], "--rule", "negative_posts")
    assert (outcome.code, outcome.out) == (2, "")
    assert "posts_count" in outcome.err
