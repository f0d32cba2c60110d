"""Workbooks hold no formula and say what they cannot hold."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING, Any

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
    with pytest.warns(ExportWarning, match=r"without a zone.*: created_at\.") as caught:
        export(rich(), tmp_path / "f.xlsx")
    assert {warning.filename for warning in caught} == {__file__}


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


def test_a_sorted_workbook_keeps_each_value_in_its_row(tmp_path: Path) -> None:
    # The record lists the rows of empty texts and of numbers that need 17 digits.
    frame = pd.DataFrame({"id": ["1", "2", "3"], "n": [0.1 + 0.2, 1.5, 2.5], "t": ["", "b", "c"]})
    file = export(frame, tmp_path / "f.xlsx")
    book = load_workbook(file)
    sheet = book["f"]
    rows: list[list[Any]] = [["3", 2.5, "c"], ["2", 99.0, "b"], ["1", 0.3, None]]
    for row, values in enumerate(rows, start=2):
        for column, value in enumerate(values, start=1):
            sheet.cell(row, column).value = value
    book.save(file)
    with pytest.warns(ExportWarning, match="has changed since it was exported"):
        found = read_export(file)
    assert found["n"].tolist() == [2.5, 99.0, 0.3]
    assert found["t"].fillna("").tolist() == ["c", "b", ""]


def test_a_row_with_the_number_of_a_billion_fills_no_memory(tmp_path: Path) -> None:
    file, hostile = export(pd.DataFrame({"a": ["x"]}), tmp_path / "f.xlsx"), tmp_path / "g.xlsx"
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(hostile, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith("sheet1.xml"):  # not a billion here: the test has to be able to fail
                content = re.sub(rb'<row r="2"', b'<row r="3000000"', content)
                content = content.replace(b'r="A2"', b'r="A3000000"')
            target.writestr(name, content)
    with pytest.raises(InvalidInputError, match="holds 1,048,575 rows"):
        read_export(hostile)
