"""What was exported comes back with its dtypes, texts, lists, times and provenance."""

import csv
import datetime as dt
import json
import re
import tempfile
import warnings
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from pyarrow import parquet

from dirframe import (
    ExportWarning,
    InvalidInputError,
    MissingColumnsError,
    UnreadableValueWarning,
    _tables,
    child_table,
    export,
    read_table,
    stats,
)
from dirframe.io.formats import OF_ONE_TABLE, WITH_RECORD
from dirframe.io.writers import digest_of
from tests.cases import raised, slow_except
from tests.frames import frames, rich

#: The formats that are read back.
READ = list(OF_ONE_TABLE)
#: Formats of UTF-8 text: a file beside each holds its provenance.
TEXT_FORMATS = WITH_RECORD


def same(before, after):
    """Compare exactly: the assertion of pandas takes None, NaN and an empty list lightly."""
    pd.testing.assert_frame_equal(before, after, check_exact=True)
    assert after.attrs == before.attrs
    objects = [name for name in before if before[name].dtype == object]
    lists = {name: after[name].tolist() for name in objects}
    assert lists == {name: before[name].tolist() for name in objects}


def returned(frame, folder, suffix):
    return read_table(export(frame, Path(folder) / f"f{suffix}", overwrite=True))


@given(frame=frames())
def test_parquet_of_any_frame_comes_back_as_it_was(frame):
    frame = frame if len(frame) else frame.drop(columns="kind")  # Parquet has no empty categories
    with tempfile.TemporaryDirectory() as folder:
        same(frame, returned(frame, folder, ".parquet"))


@pytest.mark.parametrize("suffix", slow_except(TEXT_FORMATS, [".csv", ".json"]))
@given(frame=frames())
def test_fields_of_the_interface_come_back_from_text_whatever_they_hold(suffix, frame):
    odd = "=name, \"'"
    projects = frame[["id", odd]].assign(
        name=frame[odd],
        stack_count=frame["count"],
        average_rating=frame["share"].where(frame["share"].abs() < float("inf")),
        created_at=frame["utc"],
        tags=frame["lists"],
    )
    with tempfile.TemporaryDirectory() as folder:
        same(projects, returned(projects, folder, suffix))


@pytest.mark.parametrize("suffix", READ)
def test_frame_of_a_loader_comes_back_as_it_was(suffix, tmp_path, sample_frames):
    same(rich(), returned(rich(), tmp_path, suffix))
    for frame in sample_frames.values():
        same(frame, returned(frame, tmp_path, suffix))
        same(frame.iloc[:0], returned(frame.iloc[:0], tmp_path, suffix))


def test_frame_of_a_loader_comes_back_also_if_its_provenance_was_lost(tmp_path, sample_frames):
    frame = returned(sample_frames["accounts"], tmp_path, ".csv")
    (tmp_path / "f.csv.provenance.json").unlink()
    found = read_table(tmp_path / "f.csv")
    assert found.attrs["dirframe"]["resource"] == "account"
    pd.testing.assert_frame_equal(found, frame)


@pytest.mark.parametrize("suffix", READ)
def test_values_that_readers_take_for_others_come_back_as_they_were(suffix, tmp_path):
    moment = pd.Timestamp("2026-01-02T03:04:05.678901Z")
    fields = pd.DataFrame(
        {
            "id": pd.Series(["007", "010", "1e5", "2020-01-01"], dtype="str"),
            "name": pd.Series(["NA", None, "", "null"], dtype="str"),
            "stack_count": pd.array([None, 2**53 + 1, 2**63 - 1, -1], dtype="Int64"),
            "average_rating": pd.array([0.1 + 0.2, None, 1e300, -0.0], dtype="Float64"),
            "created_at": pd.Series([moment, pd.NaT, moment, moment]).astype("datetime64[us, UTC]"),
            "tags": [["c++", "a,b"], [], None, ["NA", ""]],
            "licenses": [[{"name": "x"}], None, [], [{"name": "y"}, {"name": "z"}]],
            "last": pd.Series(["a", "b", "c", ""], dtype="str"),
        }
    )
    fields.to_parquet(tmp_path / "theirs.parquet")
    theirs = pd.read_parquet(tmp_path / "theirs.parquet")  # their lists are arrays
    same(fields, returned(fields, tmp_path, suffix))
    same(fields, returned(theirs, tmp_path, suffix))


def test_parquet_of_another_program_has_the_dtypes_of_the_loaders(tmp_path):
    moment = pd.Timestamp("2020-01-02T03:04:05.123456789")
    theirs = pd.DataFrame(
        {
            "id": [7, 8],
            "analysis_id": pd.array([12, None], dtype="Int64"),
            "stack_count": [3.0, None],
            "created_at": ["2020-01-01", "then"],
            "updated_at": [moment, moment],
            "tags": ['["c"]', None],
            "rank": [1, 2],
        }
    )
    theirs.to_parquet(tmp_path / "f.parquet")
    with pytest.warns(UnreadableValueWarning, match="created_at"):
        frame = read_table(tmp_path / "f.parquet")
    assert frame.attrs["dirframe"]["resource"] == "project"
    assert frame["id"].tolist() == ["7", "8"]
    assert frame["analysis_id"].tolist()[0] == "12"
    assert frame["stack_count"].tolist() == [3, pd.NA]
    assert frame["stack_count"].dtype == "Int64"
    assert frame["created_at_unreadable"].tolist()[1] == "then"
    assert frame["updated_at"][0] == moment.floor("us").tz_localize("UTC")
    assert frame["tags"].tolist() == [["c"], None]
    assert frame["rank"].tolist() == [1, 2]
    pd.DataFrame({"t": [moment]}).to_parquet(tmp_path / "times.parquet")
    assert read_table(tmp_path / "times.parquet")["t"].dtype == "datetime64[us, UTC]"


@pytest.mark.parametrize("suffix", READ)
def test_columns_of_nobody_are_numbers_truths_and_times_where_all_values_are(suffix, tmp_path):
    months = pd.to_datetime(["2020-01-01", None, "2020-03-01"], utc=True)
    frame = pd.DataFrame(
        {
            "language": pd.Series(["C", "NA", None], dtype="str"),
            "count": pd.array([1, None, 3], dtype="Int64"),
            "share": pd.array([0.5, None, 0.25], dtype="Float64"),
            "ratio": pd.array([1.5, None, float("inf")], dtype="Float64"),
            "month": months.astype("datetime64[us, UTC]"),
            "known": pd.array([True, None, False], dtype="boolean"),
            "code": pd.Series(["007", "1", "2"], dtype="str"),
        }
    )
    pd.testing.assert_frame_equal(returned(frame, tmp_path, suffix), frame)


@pytest.mark.parametrize("suffix", READ)
def test_computed_columns_come_back_as_numbers_and_text_of_digits_as_text(
    suffix, tmp_path, sample_frames
):
    loaded = sample_frames["projects"]
    projects = loaded[["id", "stack_count"]].assign(
        ratio=1.25, whole=pd.array([7] * len(loaded), dtype="Int64"), kept="7"
    )
    projects["ratio"] = projects["ratio"].astype("Float64")
    breakdown = child_table(loaded, "analysis_languages")
    codes = pd.DataFrame({"x": pd.Series(["5", "6"], dtype="str"), "flag": ["true", "false"]})
    for frame in (projects, breakdown, codes, breakdown.head(0), codes.head(0)):
        pd.testing.assert_frame_equal(returned(frame, tmp_path, suffix), frame)


def test_text_in_a_column_of_objects_is_written_as_it_is(tmp_path):
    frame = pd.DataFrame(
        {"code": ["NA", None, "=1", 'a, "b"'], "kind": ["x", 5, np.float64(1.5), np.int64(2)]},
        dtype="object",
    )
    texts = frame.assign(kind=["x", "5", "1.5", "2"]).astype("str")
    same(texts, returned(frame, tmp_path, ".csv"))
    same(texts, returned(frame, tmp_path, ".tsv"))
    assert json.loads(export(frame, tmp_path / "f.json").read_text())[1] == {
        "code": None,
        "kind": 5,
    }
    openpyxl = pytest.importorskip("openpyxl", reason="Excel is an extra")
    sheet = openpyxl.load_workbook(export(frame, tmp_path / "f.xlsx"))["data"]
    assert [[cell.value for cell in column][1:] for column in sheet.iter_cols()] == [
        ["NA", None, "=1", 'a, "b"'], ["x", 5, 1.5, 2],
    ]  # fmt: skip


@pytest.mark.parametrize("column", ["stack_count", "score"])  # one that a project has, or none
@pytest.mark.parametrize(
    ("form", "options"),
    [("parquet", {}), ("json", {"orient": "records"}), ("csv", {"index": False})],
    ids=["parquet", "json", "csv"],
)
def test_ids_of_another_program_are_text_also_where_it_made_fractions_of_them(
    form, options, column, tmp_path
):
    """pandas makes 7.0 of 7 if another id is missing; they would fit no id of a directory."""
    file = tmp_path / f"theirs.{form}"
    theirs = pd.DataFrame({"id": [711, None], column: [1, 2]})
    getattr(theirs, f"to_{form}")(file, **options)
    found = read_table(file)
    assert found["id"].dtype == "str"
    assert found["id"].tolist()[0] == "711"
    assert found["id"].isna().tolist() == [False, True]
    assert found[column].tolist() == [1, 2]


@pytest.mark.parametrize("ids", [[1, 2, 3], [711, 5, 8]])
def test_ids_in_the_index_of_another_program_become_a_column(ids, tmp_path):
    # pandas writes a range in the metadata alone.
    theirs = pd.DataFrame({"id": ids, "stack_count": [7, 8, 9]}).set_index("id")
    theirs.to_parquet(tmp_path / "ids.parquet")
    found = read_table(tmp_path / "ids.parquet")
    assert found["id"].tolist() == [*map(str, ids)]
    assert found["stack_count"].tolist() == [7, 8, 9]


@pytest.mark.parametrize("suffix", READ)
def test_groups_become_a_column(suffix, tmp_path, sample_frames):
    groups = sample_frames["projects"].groupby("analysis_main_language_name")
    by = groups["stack_count"].sum().to_frame()
    found = returned(by, tmp_path, suffix)
    assert list(found) == ["analysis_main_language_name", "stack_count"]
    assert found["stack_count"].tolist() == by["stack_count"].tolist()


def test_index_without_a_name_is_left_out_with_a_warning(tmp_path):
    with pytest.warns(ExportWarning, match="index") as caught:
        export(pd.DataFrame({"a": [1]}, index=["x"]), tmp_path / "index.csv")
    assert caught[0].filename == __file__


def test_index_of_rows_in_another_order_is_left_out(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        export(pd.DataFrame({"a": [1, 2]}).iloc[::-1], tmp_path / "order.csv")


def test_index_of_the_name_of_a_column_is_refused(tmp_path):
    named = pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}).set_index("a", drop=False)
    with pytest.raises(InvalidInputError, match="'a'"):
        export(named, tmp_path / "other.csv")


@pytest.mark.parametrize("value", [dt.date(2026, 1, 2), pd.Timedelta(days=1)], ids=str)
def test_objects_come_back_from_parquet(value, tmp_path):
    frame = pd.DataFrame({"id": ["1"], "day": [value], "name": ["x"]})
    assert returned(frame, tmp_path, ".parquet")["day"].tolist() == frame["day"].tolist()


@pytest.mark.parametrize("suffix", [*TEXT_FORMATS, ".xlsx"])
def test_bytes_are_refused_by_text(suffix, tmp_path):
    frame = pd.DataFrame({"id": ["1"], "day": [b"x"], "name": ["x"]})
    with pytest.raises(InvalidInputError, match="'day'"):
        export(frame, tmp_path / f"days{suffix}")


@pytest.mark.filterwarnings("ignore::dirframe.ExportWarning")
@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("last_line_ends", [True, False])
def test_csv_that_a_spreadsheet_saved_holds_the_same_values(end, last_line_ends, tmp_path):
    frame = pd.DataFrame({"id": ["1", "2"], "active": [True, False], "name": ["NA", None]})
    frame["active"] = frame["active"].astype("boolean")
    file = export(frame, tmp_path / "f.csv")
    text = file.read_text("utf-8").replace("True", "TRUE").replace("False", "FALSE")
    saved = end.join(text.splitlines())
    if last_line_ends:
        saved += end
    file.write_text(saved, encoding="utf-8-sig", newline="")
    same(frame, read_table(file))


@pytest.mark.parametrize("suffix", READ)
@pytest.mark.parametrize(
    "name",
    [
        "lines<100",
        "<100",
        "<html>",
        "[a",
        '{"b": 1}',
        "a;b;c",
        "a\n;;;;",
        "=x",
        "'=x",
        " ",
        "\ufeffid",
    ],
)
def test_names_of_columns_come_back_whatever_they_are_like(name, suffix, tmp_path):
    alone, first = pd.DataFrame({name: ["x"]}), pd.DataFrame({name: ["x"], "n": ["y"]})
    pd.testing.assert_frame_equal(returned(alone, tmp_path, suffix), alone)
    pd.testing.assert_frame_equal(returned(first, tmp_path, suffix), first)


@pytest.mark.parametrize("suffix", TEXT_FORMATS)
def test_file_cut_in_half_is_never_read_as_the_whole_one(suffix, tmp_path):
    frame = pd.DataFrame({"id": ["1", "2"], "n": [3, 4], "kind": ["a", "b"]})
    file = export(frame, tmp_path / f"f{suffix}")
    text = file.read_text("utf-8")
    file.write_text(text[:-4], encoding="utf-8")
    with pytest.raises(InvalidInputError, match=file.name):
        read_table(file)
    if suffix != ".json":
        file.write_text(text[: text.rstrip().rindex("\n") + 1], encoding="utf-8")
        with pytest.warns(ExportWarning, match=rf"f\{suffix} holds 1 row; "):
            assert len(read_table(file)) == 1


def test_list_that_was_edited_into_another_form_is_read_all_the_same_or_named(tmp_path):
    file = tmp_path / "f.csv"
    file.write_text('id,tags,stack_count\n1,"[[""c""]]",1\n2,7,1\n3,,1\n')
    assert read_table(file)["tags"].tolist() == [[["c"]], [7], None]
    file.write_text("id,tags,stack_count\n1,[],1\n2,c|d,1\n")
    with pytest.raises(InvalidInputError, match="tags of record 2"):
        read_table(file)


@pytest.mark.parametrize("suffix", TEXT_FORMATS)
def test_list_has_no_number_that_json_lacks(suffix, tmp_path):
    frame = pd.DataFrame({"id": ["1"], "tags": [[1.0, float("nan"), {"most": float("inf")}]]})
    file = export(frame, tmp_path / f"f{suffix}")
    assert not {"NaN", "Infinity"} & {*re.findall(r"\w+", file.read_text("utf-8"))}
    assert read_table(file)["tags"].tolist() == [[1.0, None, {"most": "inf"}]]


def test_list_with_a_missing_number_is_a_list_of_numbers_in_parquet(tmp_path):
    file = export(pd.DataFrame({"x": [[1.0, float("nan")]]}), tmp_path / "f.parquet")
    assert str(parquet.read_schema(file).field("x").type) == "list<element: double>"


def test_provenance_beside_a_file_that_is_of_another_program_is_ignored(tmp_path):
    file = export(rich(), tmp_path / "f.csv")
    (tmp_path / "f.csv.provenance.json").write_text("[]")
    assert len(read_table(file)) == len(rich())


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": "many"},
        {"columns": ["id"]},
        {"columns": {"id": 7}},
        {"sha256": 7},
        {"provenance": "none"},
    ],
)
def test_provenance_beside_a_file_with_facts_of_wrong_types_is_refused(wrong, tmp_path):
    file = export(rich(), tmp_path / "f.csv")
    beside = tmp_path / "f.csv.provenance.json"
    record = json.loads(beside.read_bytes()) | wrong
    beside.write_text(json.dumps(record | {"digest": digest_of(record)}))
    with pytest.raises(InvalidInputError, match=r"f\.csv\.provenance\.json"):
        read_table(file)


def test_number_or_time_that_cannot_be_read_is_kept_as_text(tmp_path):
    file = tmp_path / "f.csv"
    head = "id,posts_count,created_at,created_at_unreadable"
    file.write_text(f"{head}\n1,many,2020-01-01,then\n2,4,yesterday,\n")
    with pytest.warns(UnreadableValueWarning) as caught:
        frame = read_table(file)
    assert len(caught) == 1
    assert {warning.filename for warning in caught} == {__file__}
    assert frame["posts_count"].tolist() == [pd.NA, 4]
    assert frame["posts_count_unreadable"][0] == "many"
    assert frame["created_at_unreadable"][0] == "then"  # of an earlier load
    assert frame["created_at_unreadable_"][1] == "yesterday"
    assert frame["created_at"][0] == pd.Timestamp("2020-01-01", tz="UTC")


def test_damaged_parquet_is_an_error(tmp_path):
    file = export(rich(), tmp_path / "f.parquet")
    content, group = file.read_bytes(), parquet.read_metadata(file).row_group(0)
    failures, refused = [], 0
    for number in range(group.num_columns):
        column = group.column(number)
        place = column.data_page_offset + column.total_compressed_size // 2
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        try:
            same(rich(), read_table(file))  # it may be a byte that says nothing
        except InvalidInputError:
            refused += 1
        except AssertionError:
            failures.append(column.path_in_schema)
    assert not failures
    assert refused > group.num_columns / 2


@pytest.mark.parametrize("words", [b"stack_count", b'"datetime64[us', b'"Int64"'])
def test_damaged_names_and_types_of_parquet_are_an_error(words, tmp_path):
    """The checksums are of pages, not of names and types."""
    file = export(rich(), tmp_path / "f.parquet")
    content = file.read_bytes()
    assert words in content
    file.write_bytes(content.replace(words, words[:-1] + b"<"))
    with pytest.raises(InvalidInputError, match=file.name):
        read_table(file)


def numbered(count, template):
    return ",".join(template.format(number) for number in range(count))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("wide.csv", f"{numbered(50_000, 'c{0}')}\n{numbered(50_000, '{0}')}\n"),
        ("wide.json", f"[{{{numbered(50_000, '&c{0}&:{0}')}}}]".replace("&", '"')),
        # 65 KB, and 25 million cells
        ("sparse.json", f"[{numbered(5_000, '<&c{0}&:{0}>')}]"),
        ("sparse.jsonl", numbered(5_000, "<&c{0}&:{0}>").replace(",", "\n")),
    ],
)
def test_table_of_very_many_columns_or_hardly_any_values_is_refused(name, text, tmp_path):
    (tmp_path / name).write_text(text.translate({60: "{", 62: "}", 38: '"'}))
    with pytest.raises(InvalidInputError) as caught:
        read_table(tmp_path / name)
    assert len(str(caught.value)) < 500


def test_table_of_many_columns_is_read(tmp_path):
    (tmp_path / "a.csv").write_text(f"{numbered(500, 'c{0}')}\n{numbered(500, '{0}')}\n")
    assert read_table(tmp_path / "a.csv").shape == (1, 500)


@pytest.mark.parametrize(("rows", "columns"), [(6_000_000, 1), (60_000, 100)])
def test_parquet_of_few_bytes_and_very_many_cells_is_refused(rows, columns, tmp_path):
    nothing = pa.nulls(rows, pa.string())
    table = pa.table({f"c{number}": nothing for number in range(columns)})
    parquet.write_table(table, tmp_path / "a.parquet", compression="zstd")
    with pytest.raises(InvalidInputError, match=r"a\.parquet") as caught:
        read_table(tmp_path / "a.parquet")
    assert f"{rows * columns:,} values" in str(caught.value)


def repeated(number):
    """Return a text of 100 KB so many times."""
    return pa.DictionaryArray.from_arrays(np.zeros(number, "int32"), pa.array(["x" * 100_000]))


#: Columns of 1 GB, or of 6 million values, of which Parquet makes less than 2 KB.
LARGE_OF_FEW_BYTES = {
    "texts": repeated(10_000),
    "lists of texts": pa.ListArray.from_arrays(pa.array([0, 10_000], "int32"), repeated(10_000)),
    "lists of records": pa.ListArray.from_arrays(
        pa.array([0, 10_000], "int32"),
        pa.StructArray.from_arrays([repeated(10_000)], names=["name"]),
    ),
    "a list": pa.ListArray.from_arrays(pa.array([0, 6_000_000], "int32"), pa.nulls(6_000_000)),
}


@pytest.mark.parametrize("column", LARGE_OF_FEW_BYTES.values(), ids=LARGE_OF_FEW_BYTES)
def test_parquet_of_few_bytes_that_would_fill_the_memory_is_refused(column, tmp_path):
    file = tmp_path / "a.parquet"
    table = pa.table({"id": ["1"] * len(column), "name": column})
    parquet.write_table(table, file, compression="zstd", store_schema=False)
    assert file.stat().st_size < 2_000
    with pytest.raises(InvalidInputError, match=r"a\.parquet") as caught:
        read_table(file)
    assert re.search(r"1,000,0\d\d,\d{3} bytes|6,000,001 values", str(caught.value))


def test_statistic_of_a_parquet_file_that_would_fill_the_memory_is_refused(tmp_path):
    file = tmp_path / "a.parquet"
    table = pa.table({"id": ["1"] * 10_000, "analysis_main_language_name": repeated(10_000)})
    parquet.write_table(table, file, compression="zstd", store_schema=False)
    with pytest.raises(InvalidInputError, match="1,000,000,000 bytes"):
        stats.language_share(file)
    with pytest.raises(MissingColumnsError):  # this one is not read
        stats.licenses(file)


def test_parquet_of_texts_by_what_they_have_in_common_is_refused(tmp_path, monkeypatch):
    """The table would have 100 MB; no more than the bound is read before it is refused."""
    monkeypatch.setattr(_tables, "_MOST_REPEATED_BYTES", 1_000_000)
    table = pa.table({"name": ["x" * 100_000] * 1_000})
    options = {"use_dictionary": False, "column_encoding": {"name": "DELTA_BYTE_ARRAY"}}
    parquet.write_table(table, tmp_path / "a.parquet", **options, write_statistics=False)
    with pytest.raises(InvalidInputError, match=r"a\.parquet") as caught:
        read_table(tmp_path / "a.parquet")
    [read] = re.findall(r"at least ([\d,]+) bytes", str(caught.value))
    assert int(read.replace(",", "")) < 2.5 * 1_000_000


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"use_dictionary": False, "column_encoding": {"name": "DELTA_BYTE_ARRAY"}},
        {"use_dictionary": False, "column_encoding": {"name": "DELTA_LENGTH_BYTE_ARRAY"}},
        {"row_group_size": 500, "data_page_version": "2.0"},
    ],
    ids=["dictionary", "deltas", "lengths", "row groups"],
)
def test_parquet_of_texts_that_may_be_large_is_read_in_each_encoding(
    options, tmp_path, monkeypatch
):
    monkeypatch.setattr(_tables, "_MOST_REPEATED_BYTES", 1_000_000)
    names = [f"{number}: {'x' * 400}" for number in range(1_000)]
    table = pa.table({"id": ["1"] * 1_000, "name": names})
    parquet.write_table(table, tmp_path / "a.parquet", **options)
    assert read_table(tmp_path / "a.parquet")["name"].tolist() == names


def test_parquet_with_a_damaged_bit_in_its_footer_is_refused_or_read(tmp_path):
    """Of some bits Arrow ends the process, where columns are described before they are read."""
    file = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"id": ["1"]}), file, store_schema=False)
    content = file.read_bytes()
    end = len(content) - 8  # of the footer, before its length and the mark
    found = {}
    for place in range(end - int.from_bytes(content[end : end + 4], "little"), end):
        damaged = bytearray(content)
        damaged[place] ^= 1
        file.write_bytes(damaged)
        found[place] = type(raised(read_table, file))
    assert set(found.values()) == {InvalidInputError, type(None)}


@pytest.mark.parametrize("stop", [0, 3, 10**12, 10**30, -1])
def test_parquet_whose_index_has_other_rows_than_the_table_is_refused(stop, tmp_path):
    index = {"kind": "range", "name": "id", "start": 0, "stop": stop, "step": 1}
    metadata = {"index_columns": [index], "columns": [], "column_indexes": []}
    table = pa.table({"name": ["a", "b"]})
    table = table.replace_schema_metadata({"pandas": json.dumps(metadata)})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InvalidInputError, match=r"a\.parquet"):
        read_table(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("gif.json", "GIF89a, and no table", "gif.json"),
        ("gif.parquet", "GIF89a, and no table", "gif.parquet"),
        ("page.xml", "<response/>", "page.xml"),
        ("page.csv", "<response/>", "page.csv"),
        ("page.tsv", "\n<!DOCTYPE html>\n<p>no\ttable</p>\n", "page.tsv"),
        ("book.xlsx", "PK", "book.xlsx"),
        ("study.zip", "PK", "Unpack a study"),
        ("ragged.csv", "id,name\n1,a\n2,b,c\n", "2,b,c"),
        ("nul.csv", "id,na\0me\n1,a\n2,b\n", "nul.csv"),
    ],
)
def test_file_of_something_else_is_refused(name, content, named, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(InvalidInputError, match=named):
        read_table(tmp_path / name)


@pytest.mark.parametrize("name", ["folder", "none.csv"])
def test_folder_or_file_that_is_not_there_is_refused(name, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidInputError, match=name):
        read_table(tmp_path / name)


# As other programs read them


def test_csv_json_and_parquet_are_read_by_other_programs(tmp_path):
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


@pytest.mark.parametrize(("suffix", "delimiter"), [(".csv", ","), (".tsv", "\t")])
def test_csv_cells_do_not_begin_like_formulas(suffix, delimiter, tmp_path):
    signs = ["=1", "+1", "-1", "@x", "\t=", "\r=", "\n=", "\0=", "\uff1d1", "\uff201", "'=1"]
    frame = pd.DataFrame({"id": [*signs, "a=1"], "n": -1})
    file = export(frame, tmp_path / f"f{suffix}")
    text = file.read_bytes().decode()
    rows = [*csv.reader(StringIO(text, newline=""), delimiter=delimiter)][1:]
    assert [row[0] for row in rows] == [*(f"'{sign}" for sign in signs), "a=1"]
    assert {row[1] for row in rows} == {"-1"}
    assert read_table(file)["id"].tolist() == [*signs, "a=1"]


def test_workbook_has_no_formula_and_shares_as_percentages(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="Excel is an extra")
    file = export(pd.DataFrame({"a": ["=1+1", "007", "NA", None, ""]}), tmp_path / "f.xlsx")
    cells = [cell for row in openpyxl.load_workbook(file)["data"].iter_rows() for cell in row][1:]
    assert [(cell.value, cell.data_type) for cell in cells] == [
        ("=1+1", "s"), ("007", "s"), ("NA", "s"), (None, "n"), ("", "s"),
    ]  # fmt: skip
    shares = pd.DataFrame({"user_share": pd.array([0.25, None], dtype="Float64"), "shared": 0.5})
    sheets = openpyxl.load_workbook(export(shares, tmp_path / "shares.xlsx"))
    head, first, _ = sheets["data"].iter_rows()
    assert [(c.value, c.number_format) for c in first] == [(0.25, "0.0%"), (0.5, "General")]
    assert all(cell.font.bold for cell in (*head, *sheets["provenance"][1]))
    assert not first[0].font.bold


def test_workbook_names_what_it_cannot_hold(tmp_path):
    pytest.importorskip("xlsxwriter", reason="Excel is an extra")
    with pytest.warns(ExportWarning, match="created_at") as caught:  # without its zone
        export(rich(), tmp_path / "zones.xlsx")
    assert {warning.filename for warning in caught} == {__file__}
    with pytest.warns(ExportWarning, match="15.*: n"):
        export(pd.DataFrame({"n": [2**60]}), tmp_path / "digits.xlsx")
    with pytest.warns(ExportWarning, match="infinite.*: ratio"):
        export(pd.DataFrame({"ratio": [1.5, float("inf")]}), tmp_path / "infinite.xlsx")
    days = pd.to_datetime(["1900-02-28"])
    with pytest.warns(ExportWarning, match="before 1901.*: first"):
        export(pd.DataFrame({"first": days}), tmp_path / "early.xlsx")
    export(pd.DataFrame({"a": days + pd.Timedelta(days=365)}), tmp_path / "times.xlsx")


@pytest.mark.parametrize("name", ["x" * 32, "a/b", "'a", "History", "provenance"])
def test_workbook_refuses_the_name_of_one_of_its_sheets(name, tmp_path):
    pytest.importorskip("xlsxwriter", reason="Excel is an extra")
    one = pd.DataFrame({"a": [1]})
    with pytest.raises(InvalidInputError):
        export({name: one, "other": one}, tmp_path / "refused.xlsx")
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("values", [["x" * 32_768], range(1_048_576)], ids=["text", "rows"])
def test_workbook_refuses_what_is_too_long(values, tmp_path):
    pytest.importorskip("xlsxwriter", reason="Excel is an extra")
    with pytest.raises(InvalidInputError):
        export(pd.DataFrame({"a": values}), tmp_path / "refused.xlsx")
    assert [*tmp_path.iterdir()] == []
