"""Every format on a full disk and after a kill, workbooks of any frame, a study as Frictionless reads it."""

import tempfile
import warnings
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given

import dirframe
from dirframe import ExportWarning, export, read_export
from tests import processes
from tests.frames import frames, with_provenance

#: Replaces a file, on a disk with room for 20 kB or killed at a change of names.
PROGRAM = """
import os, resource, signal, sys
from pathlib import Path
import pandas as pd
from dirframe import export
from dirframe.provenance import set_provenance

target, when, step = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
calls, rename = 0, Path.replace


def dying(path, to):
    global calls
    calls += 1
    if (when, calls) == ("before", step):
        os.kill(os.getpid(), signal.SIGKILL)
    moved = rename(path, to)
    if (when, calls) == ("after", step):
        os.kill(os.getpid(), signal.SIGKILL)
    return moved


frame = pd.DataFrame({"id": ["1", "2"], "stars": pd.array([3, None], dtype="Int64")})
if when == "full":
    frame = pd.DataFrame({"a": [str(hash(str(n))) for n in range(20_000)]})
    set_provenance(frame, source="A directory")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    sys.dont_write_bytecode = True  # no module is compiled into a cut file
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
Path.replace = dying
try:
    export(frame, target, overwrite=True)
except OSError as error:
    sys.exit(7 if str(target) in str(error) and ".part" not in str(error) else str(error))
"""
OLD = pd.DataFrame({"id": ["1", "2"], "name": ["NA", "old"]})
NEW = pd.DataFrame({"id": ["1", "2"], "stars": pd.array([3, None], dtype="Int64")})


@pytest.mark.parametrize("suffix", [".csv", ".json", ".jsonl", ".parquet", ".xlsx", ".zip"])
def test_full_disk_leaves_the_old_file_and_nothing_else(suffix, tmp_path):
    file = tmp_path / f"f{suffix}"
    file.write_text("mine")
    outcome = processes.run(file, "full", 0, program=PROGRAM)
    assert outcome.code == 7, outcome.err
    assert file.read_text() == "mine"
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.parametrize(
    ("when", "step", "left"),
    [
        ("before", 1, OLD),
        ("after", 1, NEW),
        ("before", 2, NEW),
        ("after", 2, NEW),
    ],
)
def test_kill_at_a_change_of_names_leaves_a_whole_file_and_no_record_of_another(
    when, step, left, tmp_path
):
    file = export(with_provenance(OLD.copy(), source="The old"), tmp_path / "f.csv")
    outcome = processes.run(file, when, step, program=PROGRAM)
    assert outcome.code == -9, outcome.err
    found = read_export(file)
    pd.testing.assert_frame_equal(found, left)
    assert found.attrs.get("dirframe", {}).get("source", "") == ""
    export(NEW, file, overwrite=True)
    pd.testing.assert_frame_equal(read_export(file), NEW)


@given(frame=frames())
def test_any_frame_is_written_to_a_workbook_without_a_formula(frame):
    openpyxl = pytest.importorskip("openpyxl", reason="Excel is an extra")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)
        book = openpyxl.load_workbook(export(frame, Path(folder) / "f.xlsx"))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert not [cell.value for cell in cells if cell.data_type == "f"]
    assert book["data"].max_row == len(frame) + 1


@pytest.mark.filterwarnings("ignore::dirframe.errors.IncompleteWarning")
def test_recorded_projects_come_back_as_they_were(shared, tmp_path):
    real = dirframe.read_pages(shared / "real" / "pages")
    for suffix in (".csv", ".tsv", ".json", ".jsonl", ".parquet"):
        back = read_export(export(real, tmp_path / f"f{suffix}"))
        pd.testing.assert_frame_equal(real, back, check_exact=True)
        assert back.attrs == real.attrs


@pytest.mark.filterwarnings("ignore")
def test_frictionless_finds_no_error_in_any_value_of_a_study(sample, tmp_path):
    frictionless = pytest.importorskip("frictionless", reason="a reader of data packages")
    records = {
        "projects": sample.projects(max_items=120, sort="name", progress=False),
        "All accounts": sample.accounts(query="ada", progress=False),
    }
    with zipfile.ZipFile(export(records, tmp_path / "study.zip")) as packed:
        packed.extractall(tmp_path)
    with frictionless.system.use_context(trusted=True):
        report = frictionless.Package(str(tmp_path / "datapackage.json")).validate()
    assert report.valid, report.flatten(["rowNumber", "fieldName", "note"])
    accounts = len(records["All accounts"])
    assert [task.stats["rows"] for task in report.tasks] == [120, 120, accounts, accounts]
