"""Every format on a full disk, workbooks of any frame, a study as Frictionless reads it."""

import contextlib
import tempfile
import warnings
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given

import dirframe
from dirframe import ExportWarning, InvalidInputError, export, read_table
from tests.frames import frames, rich
from tests.io.test_export import check_on_a_full_disk
from tests.io.test_read import same


@pytest.mark.parametrize("suffix", [".csv", ".json", ".jsonl", ".parquet", ".xlsx", ".zip"])
def test_full_disk_leaves_the_old_file_of_any_format(suffix, tmp_path):
    check_on_a_full_disk(tmp_path / f"f{suffix}")


def test_parquet_with_a_damaged_footer_is_refused_or_the_same(tmp_path):
    file, whole = export(rich(), tmp_path / "f.parquet"), rich()
    content = file.read_bytes()
    for place in range(len(content) - int.from_bytes(content[-8:-4], "little"), len(content), 5):
        file.write_bytes(content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :])
        with contextlib.suppress(InvalidInputError):
            same(whole, read_table(file))


@given(frame=frames())
def test_workbook_of_any_frame_has_no_formula(frame):
    openpyxl = pytest.importorskip("openpyxl", reason="Excel is an extra")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)
        book = openpyxl.load_workbook(export(frame, Path(folder) / "f.xlsx"))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert not [cell.value for cell in cells if cell.data_type == "f"]
    assert book["data"].max_row == len(frame) + 1


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".json", ".jsonl", ".parquet"])
def test_recorded_projects_come_back_as_they_were(suffix, shared, tmp_path):
    real = dirframe.read_pages(shared / "real" / "pages")
    back = read_table(export(real, tmp_path / f"f{suffix}"))
    pd.testing.assert_frame_equal(real, back, check_exact=True)
    assert back.attrs == real.attrs


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of that library's own code
def test_frictionless_finds_no_error_in_any_value_of_a_study(sample, tmp_path):
    frictionless = pytest.importorskip("frictionless", reason="a reader of data packages")
    records = {
        "projects": dirframe.load_projects(sample, max_items=120, sort="name", progress=False),
        "All accounts": dirframe.load_accounts(sample, query="ada", progress=False),
    }
    with zipfile.ZipFile(export(records, tmp_path / "study.zip")) as packed:
        packed.extractall(tmp_path)
    with frictionless.system.use_context(trusted=True):
        report = frictionless.Package(str(tmp_path / "datapackage.json")).validate()
    assert report.valid, report.flatten(["rowNumber", "fieldName", "note"])
    accounts = len(records["All accounts"])
    assert [task.stats["rows"] for task in report.tasks] == [120, 120, accounts, accounts]


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet"])
def test_table_of_very_many_columns_that_was_exported_comes_back(suffix, tmp_path):
    frame = pd.DataFrame({f"c{number}": ["a"] for number in range(10_001)}, dtype="str")
    export(frame, tmp_path / f"a{suffix}")
    assert read_table(tmp_path / f"a{suffix}").shape == (1, 10_001)
