"""What was exported comes back with its dtypes, texts, lists, times and provenance."""

import csv
import datetime as dt
import json
import tempfile
import warnings
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from pyarrow import parquet

from dirframe import ExportWarning, InvalidInputError, export, read_export
from dirframe.errors import DirframeError
from tests.frames import frames, rich

#: The formats that are read back.
READ = [".csv", ".tsv", ".json", ".jsonl", ".parquet"]


def same(before, after):
    """Compare exactly: the assertion of pandas takes None, NaN and an empty list lightly."""
    pd.testing.assert_frame_equal(before, after, check_exact=True)
    assert after.attrs == before.attrs
    for name in before:
        if before[name].dtype == object:
            assert after[name].tolist() == before[name].tolist()


def returned(frame, folder, suffix):
    return read_export(export(frame, Path(folder) / f"f{suffix}", overwrite=True))


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
@given(frame=frames())
def test_any_frame_comes_back_as_it_was(suffix, frame):
    with tempfile.TemporaryDirectory() as folder:
        same(frame, returned(frame, folder, suffix))


def test_frame_of_a_loader_comes_back_as_it_was(tmp_path, sample_projects):
    for suffix in READ:
        same(rich(), returned(rich(), tmp_path, suffix))
    for suffix in (".csv", ".jsonl", ".parquet"):
        same(sample_projects, returned(sample_projects, tmp_path, suffix))
    same(sample_projects.iloc[:0], returned(sample_projects.iloc[:0], tmp_path, ".csv"))


def test_values_that_readers_take_for_others_come_back_as_they_were(tmp_path):
    moment = pd.Timestamp("2026-01-02T03:04:05.678901Z")
    frame = pd.DataFrame(
        {
            "id": pd.Series(["007", "010", "1e5", "2020-01-01"], dtype="str"),
            "country_code": pd.Series(["NA", None, "", "null"], dtype="str"),
            "count": pd.array([None, 2**53 + 1, 2**63 - 1, -1], dtype="Int64"),
            "large": pd.Series([2**64 - 1, 0, 1, 2], dtype="uint64"),
            "share": pd.array([0.1 + 0.2, None, 1e300, -0.0], dtype="Float64"),
            "known": pd.array([True, None, False, True], dtype="boolean"),
            "when": pd.Series([moment, pd.NaT, moment, moment]).astype("datetime64[us, UTC]"),
            "tags": [["c++", "a,b"], [], None, ["NA", ""]],
            "licenses": [[{"name": "x"}], None, [], ["y", {"name": "z"}]],
            "kind": pd.Categorical([2, None, 1, 2]),
            "sure": pd.Categorical([True, None, False, True]),
            "nothing": pd.Categorical([None] * 4),
            "note": pd.Series(["text", "NA", None, ""], dtype="object"),
            "last": pd.Series(["a", "b", "c", ""], dtype="str"),
        }
    )
    for suffix in READ:
        same(frame, returned(frame, tmp_path, suffix))


def test_lists_that_pandas_read_from_parquet_are_exported_as_lists(tmp_path):
    entries = [[{"name": "x"}, {"name": "y"}], [], None]
    frame = pd.DataFrame(
        {"id": ["1", "2", "3"], "tags": [["a", "b"], None, []], "licenses": entries}
    )
    frame.to_parquet(tmp_path / "theirs.parquet")
    theirs = pd.read_parquet(tmp_path / "theirs.parquet")  # their lists are arrays
    for suffix in READ:
        same(frame, returned(theirs, tmp_path, suffix))


def test_objects_come_back_from_parquet_and_are_refused_by_text(tmp_path):
    frame = pd.DataFrame({"id": ["1"], "day": [dt.date(2026, 1, 2)], "name": ["x"]})
    for suffix in (*READ[:-1], ".xlsx"):
        with pytest.raises(InvalidInputError, match="'day'"):
            export(frame, tmp_path / f"days{suffix}")
    assert returned(frame, tmp_path, ".parquet")["day"].tolist() == frame["day"].tolist()


@pytest.mark.filterwarnings("ignore::dirframe.ExportWarning")
def test_csv_that_a_spreadsheet_saved_holds_the_same_values(tmp_path):
    frame = pd.DataFrame({"id": ["1", "2"], "active": [True, False], "name": ["NA", None]})
    file = export(frame, tmp_path / "f.csv")
    text = file.read_text("utf-8").replace("True", "TRUE").replace("False", "FALSE")
    for end in ("\r\n", "\n"):
        for last in (end, ""):
            saved = end.join(text.splitlines()) + last
            file.write_text(saved, encoding="utf-8-sig", newline="")
            same(frame, read_export(file))


@pytest.mark.filterwarnings("ignore::dirframe.ExportWarning")
def test_half_a_file_or_another_value_is_never_read_as_the_whole_one(tmp_path):
    frame = pd.DataFrame({"id": ["1", "2"], "n": [3, 4], "kind": pd.Categorical(["a", "b"])})
    for suffix in READ[:-1]:
        file = export(frame, tmp_path / f"f{suffix}")
        text = file.read_text("utf-8")
        lines = text.splitlines(keepends=True)
        for damaged in (
            "".join(lines[:-1]), text[:-4], text.replace("4", "four"), text.replace("b", "c"),
            text.replace("kind", "mind"),
        ):  # fmt: skip
            file.write_text(damaged, encoding="utf-8")
            with pytest.raises(InvalidInputError):
                read_export(file)


@pytest.mark.filterwarnings("ignore::dirframe.ExportWarning")
def test_list_that_was_edited_into_another_form_is_read_all_the_same(tmp_path):
    frame = rich()[["id", "tags"]]
    file = export(frame, tmp_path / "f.csv")
    rows = [*csv.reader(StringIO(file.read_text("utf-8"), newline=""))]
    for edited in (["c", {"name": "c"}], "c", 7, [["c"]]):
        rows[2][1] = json.dumps(edited)
        with file.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows(rows)
        assert read_export(file)["tags"].tolist() == [["c++", "a,b"], edited, frame["tags"][2]]


def test_damaged_parquet_is_an_error(tmp_path):
    file = export(rich(), tmp_path / "f.parquet")
    content, group = file.read_bytes(), parquet.read_metadata(file).row_group(0)
    failures = []
    for number in range(group.num_columns):
        column = group.column(number)
        place = column.data_page_offset + column.total_compressed_size // 2
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        try:
            found = read_export(file)
        except DirframeError:
            continue
        failures.append((column.path_in_schema, found))
    assert not failures


def test_file_of_something_else_is_refused(tmp_path):
    for suffix in (".json", ".parquet"):
        file = tmp_path / f"f{suffix}"
        file.write_text("GIF89a, and no table")
        with pytest.raises(InvalidInputError, match=file.name):
            read_export(file)
    with pytest.raises(FileNotFoundError):
        read_export(tmp_path / "none.csv")


# As other programs read them


def test_other_programs_read_csv_json_and_parquet(tmp_path):
    frame = rich()
    file = export(frame, tmp_path / "f.csv")
    back = pd.read_csv(file, keep_default_na=False, na_values=[""], dtype={"id": "str"})
    assert [*back["name"].fillna("")] == ['Größe, "quoted"\nand broken', "", "NA"]
    assert back["created_at"][0] == "2007-01-08T09:10:11Z"
    assert json.loads(back["tags"][0]) == ["c++", "a,b"]
    lines = export(frame, tmp_path / "f.jsonl").read_text("utf-8").splitlines()
    first = json.loads(lines[0])
    assert (first["tags"], first["stack_count"], len(lines)) == (["c++", "a,b"], 7, 3)
    file = export(frame, tmp_path / "f.parquet")
    back = pd.read_parquet(file)
    mixed = "analysis_languages"  # a text beside a record: no type of Arrow holds both
    dtypes = [one.drop(columns=mixed).dtypes.astype(str) for one in (back, frame)]
    assert dtypes[0].equals(dtypes[1])
    assert json.loads(back[mixed][0]) == frame[mixed][0]
    assert [[*tags] for tags in back["tags"].dropna()] == [["c++", "a,b"]]
    assert back.attrs == frame.attrs
    assert b"https://directory.example" in parquet.read_schema(file).metadata[b"citation"]


def test_no_cell_of_a_csv_begins_like_a_formula(tmp_path):
    frame = pd.DataFrame({"id": ["=1", "+1", "-1", "@x", "\t=", "\r=", "'=1", "a=1"], "n": -1})
    for suffix, delimiter in ((".csv", ","), (".tsv", "\t")):
        text = export(frame, tmp_path / f"f{suffix}").read_bytes().decode()
        rows = [*csv.reader(StringIO(text, newline=""), delimiter=delimiter)][1:]
        cells = [row[0] for row in rows]
        assert cells == ["'=1", "'+1", "'-1", "'@x", "'\t=", "'\r=", "''=1", "a=1"]
        assert {row[1] for row in rows} == {"-1"}


def test_no_cell_of_a_workbook_is_a_formula_and_what_it_cannot_hold_is_said(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="Excel is an extra")
    file = export(pd.DataFrame({"a": ["=1+1", "007", "NA"]}), tmp_path / "f.xlsx")
    cells = [cell for row in openpyxl.load_workbook(file)["f"].iter_rows() for cell in row][1:]
    assert [(cell.value, cell.data_type) for cell in cells] == [
        ("=1+1", "s"), ("007", "s"), ("NA", "s"),
    ]  # fmt: skip
    with pytest.warns(ExportWarning, match="created_at") as caught:  # without its zone
        export(rich(), tmp_path / "zones.xlsx")
    assert {warning.filename for warning in caught} == {__file__}
    with pytest.warns(ExportWarning, match="15.*: n"):
        export(pd.DataFrame({"n": [2**60]}), tmp_path / "digits.xlsx")
    written = {*tmp_path.iterdir()}
    one = pd.DataFrame({"a": [1]})
    for refused in (
        *({name: one, "other": one} for name in ("x" * 32, "a/b", "'a", "History")),
        pd.DataFrame({"a": ["x" * 32_768]}),
        pd.DataFrame({"a": range(1_048_576)}),
    ):
        with pytest.raises(InvalidInputError):
            export(refused, tmp_path / "refused.xlsx")
    assert {*tmp_path.iterdir()} == written


def test_index_and_strange_dtype_are_named(tmp_path):
    for frame, said in (
        (pd.DataFrame({"a": [1]}, index=["x"]), "index"),
        (pd.DataFrame({"gap": pd.to_timedelta([1])}), "gap"),
    ):
        with pytest.warns(ExportWarning, match=said) as caught:
            export(frame, tmp_path / f"{said}.csv")
        assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        export(pd.DataFrame({"a": [1, 2]}).iloc[::-1].reset_index(drop=True), tmp_path / "f.csv")
