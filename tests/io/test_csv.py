"""CSV, TSV and JSON lines as other programs read them."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from dirframe import export, read_export
from dirframe.client.frames.lists import ListDtype
from dirframe.errors import ExportWarning, InvalidInputError
from dirframe.io.csv import parse_csv, stream_csv
from tests.io import rich

if TYPE_CHECKING:
    from pathlib import Path


def test_no_cell_of_a_csv_begins_like_a_formula(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["=1", "+1", "-1", "@x", "\t=", "\r=", "'=1", "a=1"], "n": -1})
    text = export(frame, tmp_path / "f.csv").read_bytes().decode()
    cells = [row[0] for row in csv.reader(io.StringIO(text, newline=""))][1:]
    assert cells == ["'=1", "'+1", "'-1", "'@x", "'\t=", "'\r=", "''=1", "a=1"]
    assert pd.read_csv(tmp_path / "f.csv")["n"].eq(-1).all()


def test_pandas_reads_a_csv_as_the_docstring_says(tmp_path: Path) -> None:
    file = export(rich(), tmp_path / "f.csv")
    back = pd.read_csv(file, keep_default_na=False, na_values=[""], dtype={"id": "str"})
    assert list(back["name"].fillna("")) == ['Größe, "quoted"\nand broken', "", "NA"]
    assert back["created_at"][0] == "2007-01-08T09:10:11Z"
    assert json.loads(back["tags"][0]) == ["c++", "a,b"]


def test_a_line_of_json_holds_lists_as_lists(tmp_path: Path) -> None:
    lines = export(rich(), tmp_path / "f.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    assert (first["tags"], first["stack_count"]) == (["c++", "a,b"], 7)
    assert len(lines) == 3


@pytest.mark.parametrize("suffix", ["json", "jsonl", "csv", "xlsx", "sqlite"])
def test_what_cannot_be_written_is_told_by_its_column_and_where_it_can(
    tmp_path: Path, suffix: str
) -> None:
    frame = pd.DataFrame({"id": ["1"], "day": [dt.date(2026, 1, 2)], "name": ["x"]})
    with pytest.raises(InvalidInputError, match=r"'day' holds a date, .* \.parquet, \.feather"):
        export(frame, tmp_path / f"days.{suffix}")
    kept = read_export(export(frame, tmp_path / "days.parquet"))
    assert kept["day"].tolist() == frame["day"].tolist()


def test_a_stream_gets_what_a_file_gets(tmp_path: Path) -> None:
    stream = io.StringIO()
    stream_csv(rich(), stream)
    assert stream.getvalue() == export(rich(), tmp_path / "f.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("edited", [["c", {"name": "c"}], "c", 7, [["c"]]])
def test_lists_that_were_edited_into_another_form_are_read_all_the_same(
    tmp_path: Path, edited: object
) -> None:
    tags = pd.Series([["c++"], ["c"]], dtype=ListDtype())
    file = export(pd.DataFrame({"id": ["1", "2"], "tags": tags}), tmp_path / "f.csv")
    rows = list(csv.reader(io.StringIO(file.read_text(encoding="utf-8"), newline="")))
    rows[2][1] = json.dumps(edited)
    with file.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)
    with pytest.warns(ExportWarning, match="changed"):
        assert read_export(file)["tags"].tolist() == [["c++"], edited]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "sqlite"])
def test_texts_in_a_column_of_objects_stay_in_one(tmp_path: Path, suffix: str) -> None:
    frame = pd.DataFrame({"id": ["1"], "note": pd.Series(["text"], dtype="object")})
    back = read_export(export(frame, tmp_path / f"f.{suffix}"))
    pd.testing.assert_frame_equal(back, frame)


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_last_row_is_read_whatever_ends_it_and_whatever_it_holds(end: str) -> None:
    for cell, value in {"": None, '""': "", '""""': '"', "end": "end", '"a\nb"': "a\nb"}.items():
        content = f"id,name{end or chr(10)}1,a{end or chr(10)}end,{cell}{end}".encode()
        assert parse_csv(content, 2, ",") == [["1", "end"], ["a", value]]
