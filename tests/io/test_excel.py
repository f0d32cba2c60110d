"""Workbooks hold no formula and say what they cannot hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest
from openpyxl import load_workbook

from dirframe import ExportWarning, InvalidInputError, export, read_export
from tests.io import rich

if TYPE_CHECKING:
    from pathlib import Path


def test_a_text_that_looks_like_a_formula_is_a_text(tmp_path: Path) -> None:
    book = load_workbook(export(pd.DataFrame({"a": ["=1+1", "007"]}), tmp_path / "f.xlsx"))
    cells = [cell for row in book["f"].iter_rows() for cell in row]
    assert [(cell.value, cell.data_type) for cell in cells[1:]] == [("=1+1", "s"), ("007", "s")]


def test_times_that_lose_their_zone_are_named(tmp_path: Path) -> None:
    with pytest.warns(ExportWarning, match=r"without a zone.*: created_at\."):
        export(rich(), tmp_path / "f.xlsx")


def test_large_numbers_are_text_and_named(tmp_path: Path) -> None:
    with pytest.warns(ExportWarning, match="15 digits of a number: n"):
        export(pd.DataFrame({"n": [2**60]}), tmp_path / "f.xlsx")


@pytest.mark.parametrize("name", ["x" * 32, "a/b", "'a", "History"])
def test_a_name_that_a_sheet_cannot_have_is_refused(name: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1]})
    with pytest.raises(InvalidInputError, match="sheet"):
        export({name: frame, "other": frame}, tmp_path / "f.xlsx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "frame", [pd.DataFrame({"a": ["x" * 32_768]}), pd.DataFrame({"a": range(1_048_576)})]
)
def test_what_is_too_large_is_refused(frame: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="holds"):
        export(frame, tmp_path / "f.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_entries_that_lie_before_the_file_are_a_clear_error(tmp_path: Path) -> None:
    file = export(pd.DataFrame({"a": [1]}), tmp_path / "f.xlsx")
    content = bytearray(file.read_bytes())
    end = content.rindex(b"PK\5\6")  # of the zip's directory, whose offset is told there
    offset = int.from_bytes(content[end + 16 : end + 20], "little")
    content[end + 16 : end + 20] = (offset + 100).to_bytes(4, "little")
    file.write_bytes(content)
    with pytest.raises(InvalidInputError, match=r"f\.xlsx"):
        read_export(file)
