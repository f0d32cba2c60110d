"""What the explorer writes: records or a statistic of them, and sentences where it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from dirframe.explorer.export import write

if TYPE_CHECKING:
    from pathlib import Path

    from dirframe.explorer.load import LoadResult

FRAME = pd.DataFrame({"id": ["1", "2"], "analysis_main_language_name": ["C", "C"]})
FRAME["analysis_total_code_lines"] = pd.Series([10, 20], dtype="Int64")


def written(path: Path, **changes: Any) -> LoadResult:
    settings: dict[str, Any] = {
        "overwrite": False,
        "statistic": "",
        "options": {},
        "noun": "projects",
    }
    return write(FRAME, str(path), **settings | changes)


def test_records_are_written_and_counted(tmp_path: Path) -> None:
    result = written(tmp_path / "out.parquet")
    assert (result.severity, result.error) == ("success", None)
    assert result.message.startswith("2 projects written to ")
    assert list(dirframe.read_export(tmp_path / "out.parquet")["id"]) == ["1", "2"]


def test_a_statistic_is_written_with_its_options(tmp_path: Path) -> None:
    written(tmp_path / "out.csv", statistic="language_share", options={"top": 1})
    table = dirframe.read_export(tmp_path / "out.csv")
    assert table[["language", "projects", "share"]].to_numpy().tolist() == [["C", 2, 1.0]]


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("out.nonsense", {}, "out.nonsense"),
        (".", {}, "suffix"),
        ("out.csv", {"statistic": "posts_distribution"}, "posts_count"),
        ("out.csv", {"statistic": "language_share", "options": {"top": 1.5}}, "top"),
    ],
)
def test_what_cannot_be_written_is_a_sentence_and_leaves_no_file(
    tmp_path: Path, name: str, changes: dict[str, Any], words: str
) -> None:
    result = written(tmp_path / name, **changes)
    assert result.severity == "error"
    assert words in result.message
    assert "Traceback" not in result.message
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_replaced_only_if_asked(tmp_path: Path) -> None:
    file = tmp_path / "out.csv"
    file.write_text("mine")
    assert written(file).severity == "error"
    assert file.read_text() == "mine"
    assert written(file, overwrite=True).severity == "success"
