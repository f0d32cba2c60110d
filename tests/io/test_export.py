"""A file is written whole or not at all, never over another one unasked."""

import json
import os
import re
import stat
import sys
import zipfile
from datetime import date, time, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dirframe import (
    ExportWarning,
    InvalidInputError,
    MissingExtraError,
    export,
    harvest,
    read_table,
)
from dirframe.io.formats import OF_ONE_TABLE, WITH_RECORD
from dirframe.io.writers import WRITERS
from tests import processes
from tests.frames import with_provenance
from tests.rig.server import Rig

WRITTEN = [*OF_ONE_TABLE, ".xlsx"]
SMALL = pd.DataFrame({"id": ["1", "2"], "name": ["NA", "old"]})
HALF_A_CHARACTER = pd.DataFrame({"name": pd.Series(["a\ud800"], dtype="object")})
PROGRAM = """
import os, resource, signal, sys
from pathlib import Path
import pandas as pd
from dirframe import export
from dirframe.provenance import set_provenance

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sys.dont_write_bytecode = True  # no module is compiled into a cut file
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
for end, target in zip(sys.argv[1::2], sys.argv[2::2]):
    rows, limit = (1, 60) if end == "provenance" else (5_000, 20_000)  # what is cut
    frame = pd.DataFrame({"id": [str(hash(str(n))) for n in range(rows)]})
    if end == "killed":
        Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        export(set_provenance(frame, source="A directory"), target, overwrite=True)
    except OSError as error:
        is_named = target in str(error) and ".part" not in str(error)
        print("refused" if is_named else error, flush=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
"""


@pytest.mark.parametrize("suffix", WRITTEN)
def test_existing_file_is_replaced_only_if_that_was_asked_for(suffix, tmp_path):
    if suffix == ".xlsx":
        pytest.importorskip("xlsxwriter", reason="Excel is an extra")
    file = tmp_path / f"f{suffix}"
    file.write_text("mine")
    with pytest.raises(InvalidInputError, match=file.name):
        export(SMALL, file)
    assert file.read_text() == "mine"
    assert [*tmp_path.iterdir()] == [file]
    export(SMALL, file, overwrite=True)
    assert file.read_bytes() != b"mine"


@pytest.mark.parametrize("suffix", WITH_RECORD)
def test_provenance_stands_beside_a_file_of_text(suffix, tmp_path):
    file = export(SMALL, tmp_path / f"f{suffix}")
    beside = tmp_path / f"f{suffix}.provenance.json"
    assert {*tmp_path.iterdir()} == {file, beside}
    assert {"citation", "provenance", "columns"} <= {*json.loads(beside.read_text("utf-8"))}


@pytest.mark.parametrize("suffix", [suffix for suffix in WRITTEN if suffix not in WITH_RECORD])
def test_provenance_stands_in_a_file_that_can_hold_it(suffix, tmp_path):
    if suffix == ".xlsx":
        pytest.importorskip("xlsxwriter", reason="Excel is an extra")
    file = export(SMALL, tmp_path / f"f{suffix}")
    assert [*tmp_path.iterdir()] == [file]


@pytest.mark.parametrize("name", ["kept.archive", "kept.csv"])
def test_table_never_replaces_an_archive(name, tmp_path):
    with Rig(3).in_process() as rig:
        archive = harvest("projects", tmp_path / name, directory=rig.directory()).path
    before = archive.read_bytes()
    with pytest.raises(InvalidInputError, match=name):
        export(SMALL, archive, overwrite=True)
    assert archive.read_bytes() == before


def check_on_a_full_disk(file):
    file.write_text("mine")
    outcome = processes.run("table", file, program=PROGRAM)
    assert (outcome.code, outcome.out) == (0, "refused\n"), outcome.err
    assert file.read_text() == "mine"
    assert [*file.parent.iterdir()] == [file]


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """Return what a process says that meets a full disk and is killed, and the files that it wrote."""
    files = [tmp_path_factory.mktemp(name) / "f.csv" for name in ("full", "killed")]
    files[0].write_text("mine")
    export(SMALL, files[1])
    return processes.run("provenance", files[0], "killed", files[1], program=PROGRAM), *files


@pytest.mark.parametrize("blank", [" ", "-"], ids=["words", "one long word"])
def test_workbook_holds_a_long_fact_of_the_provenance_whole(blank, tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="Excel is an extra")
    reason = blank.join(f"project {number:,}" for number in range(10_000))
    frame = with_provenance(pd.DataFrame({"id": ["1"]}), incomplete_reason=reason, source="A")
    book = openpyxl.load_workbook(export(frame, tmp_path / "f.xlsx"))
    rows = book["provenance"].iter_rows(min_row=2, values_only=True)
    parts = [value for _, fact, value in rows if fact == "incomplete_reason"]
    assert ("".join(parts), len(parts) > 1) == (reason, True)
    assert max(map(len, parts)) <= 32_767
    assert all(part.endswith(blank) for part in parts[:-1]) == (blank == " ")


LONG = {
    "text": pd.DataFrame({"a": ["x" * 32_768]}),
    "text of pairs": pd.DataFrame({"a": ["\N{GRINNING FACE}" * 16_384]}),
    "name": pd.DataFrame({"a" * 32_768: ["x"]}),
    "name of pairs": pd.DataFrame({"\N{GRINNING FACE}" * 16_384: ["x"]}),
    "list": pd.DataFrame({"a": [["x" * 200] * 200]}),
}


@pytest.mark.parametrize("kind", LONG)
def test_workbook_refuses_what_it_would_cut_and_leaves_nothing(kind, tmp_path):
    pytest.importorskip("xlsxwriter", reason="Excel is an extra")
    with pytest.raises(InvalidInputError, match="32,767"):
        export(LONG[kind], tmp_path / "new" / "folder" / "f.xlsx")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    "name",
    ["a\0", "a\x0b", "a\n", "a\tb", "\ufffe", "a" * 32, "\N{GRINNING FACE}" * 16, "a/b", "History"],
)
def test_workbook_refuses_names_of_sheets_that_it_cannot_hold(name, tmp_path):
    pytest.importorskip("xlsxwriter", reason="Excel is an extra")
    with pytest.raises(InvalidInputError):
        export({name: SMALL}, tmp_path / "f.xlsx")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("text", ["x" * 32_767, "\N{GRINNING FACE}" * 16_383])
def test_workbook_holds_the_longest_text_of_a_cell(text, tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="Excel is an extra")
    book = openpyxl.load_workbook(export(pd.DataFrame({text: [text]}), tmp_path / "f.xlsx"))
    assert [row[0] for row in book["data"].iter_rows(values_only=True)] == [text, text]


def test_workbook_counts_the_provenance_in_units_of_utf_16(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="Excel is an extra")
    reason = "\N{GRINNING FACE} " * 20_000
    frame = with_provenance(pd.DataFrame({"id": ["1"]}), incomplete_reason=reason, source="A")
    book = openpyxl.load_workbook(export(frame, tmp_path / "f.xlsx"))
    rows = book["provenance"].iter_rows(min_row=2, values_only=True)
    parts = [value for _, fact, value in rows if fact == "incomplete_reason"]
    assert "".join(parts) == reason
    assert max(len(part.encode("utf-16-le")) // 2 for part in parts) <= 32_767


def test_export_that_is_refused_keeps_folders_that_were_there(tmp_path):
    (tmp_path / "old").mkdir()
    with pytest.raises(InvalidInputError):
        export(HALF_A_CHARACTER, tmp_path / "old" / "new" / "f.csv")
    assert [path.name for path in tmp_path.rglob("*")] == ["old"]


#: Values that a column of objects may hold, and their text in files.
OBJECTS = {
    "2020-01-02": date(2020, 1, 2),
    "1.20": Decimal("1.20"),
    "2020-01": pd.Period("2020-01", "M"),
    "01:02:00": time(1, 2),
    "P1DT0H0M0S": timedelta(days=1),
    "(0, 1]": pd.Interval(0, 1),
}


@pytest.mark.parametrize("suffix", OF_ONE_TABLE)
@pytest.mark.parametrize("text", OBJECTS)
def test_objects_are_written_and_read_again(text, suffix, tmp_path):
    frame = pd.DataFrame({"id": ["1", "2"], "a": pd.Series([OBJECTS[text], None], dtype="object")})
    file = export(frame, tmp_path / f"f{suffix}")
    if suffix != ".parquet":
        assert text in file.read_text("utf-8")
    assert read_table(file)["a"].isna().tolist() == [False, True]


@pytest.mark.parametrize("suffix", OF_ONE_TABLE)
def test_columns_of_periods_durations_intervals_and_decimals_are_written(suffix, tmp_path):
    frame = pd.DataFrame(
        {
            "month": pd.period_range("2020-01", periods=2, freq="M"),
            "lasted": pd.to_timedelta([1, 2], unit="D"),
            "class": pd.cut(pd.Series([1, 2]), [0, 1, 2]),
            "price": pd.Series([Decimal("1.20"), None], dtype=pd.ArrowDtype(pa.decimal128(5, 2))),
        }
    )
    file = export(frame, tmp_path / f"f{suffix}")
    back = read_table(file)
    assert back["class"].tolist() == ["(0, 1]", "(1, 2]"]
    assert back.isna().sum().to_dict() == {"month": 0, "lasted": 0, "class": 0, "price": 1}
    if suffix == ".csv":
        assert file.read_text("utf-8").splitlines()[1] == '2020-01,P1DT0H0M0S,"(0, 1]",1.20'


def test_decimals_of_a_workbook_are_numbers_unless_it_would_cut_them(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="Excel is an extra")
    long = Decimal("1.2345678901234567890")
    frame = pd.DataFrame({"a": [Decimal("1.20"), None], "b": [long, Decimal(1)]})
    with pytest.warns(ExportWarning, match="15 digits"):
        file = export(frame, tmp_path / "f.xlsx")
    rows = [*openpyxl.load_workbook(file)["data"].iter_rows(min_row=2, values_only=True)]
    assert rows == [(1.2, str(long)), (None, "1")]


def test_formats_have_a_writer_each():
    assert tuple(WRITERS) == OF_ONE_TABLE


def test_full_disk_leaves_the_old_file_and_nothing_else(ended):
    outcome, file, _ = ended
    assert outcome.out == "refused\n", outcome.err
    assert file.read_text() == "mine"
    assert [*file.parent.iterdir()] == [file]


def test_export_that_is_killed_leaves_the_old_file_and_the_next_one_writes_the_new(ended):
    outcome, _, file = ended
    assert outcome.code == -9, outcome.err
    pd.testing.assert_frame_equal(read_table(file), SMALL)
    new = SMALL.assign(stars=pd.array([3, None], dtype="Int64"))
    assert len([*file.parent.glob(".*.part")]) == 2  # the table and its provenance
    export(new, file, overwrite=True)
    pd.testing.assert_frame_equal(read_table(file), new)
    assert not [*file.parent.glob(".*.part")]


def test_export_of_what_cannot_be_written_is_refused_before_anything_is(tmp_path):
    pytest.importorskip("xlsxwriter", reason="Excel is an extra")
    two = {"a": SMALL, "b": SMALL}
    failures = []
    for name, frames, options in [
        ("f.csv", two, {}),
        ("f.parquet", {}, {}),
        ("f.csv", SMALL, {"title": "A study"}),
        ("f.csv", SMALL, {"license": "CC0-1.0"}),
        ("f.csv", SMALL, {"personal": True}),
        ("f.csv.gz", SMALL, {}),
        ("f", SMALL, {}),
        ("f.csv", pd.DataFrame(), {}),
        ("f.csv", pd.DataFrame({1: [1]}), {}),
        ("f.csv", pd.DataFrame([[1, 2]], columns=["a", "a"]), {}),
        ("f.csv", [1], {}),
        *((f"f{suffix}", HALF_A_CHARACTER, {}) for suffix in WRITTEN),
        *((f"f{suffix}", pd.DataFrame({"a": [1j]}), {}) for suffix in WRITTEN),
        ("f.parquet", pd.DataFrame({"a": pd.arrays.SparseArray([0, 1])}), {}),
    ]:
        try:
            export(frames, tmp_path / name, **options)
            failures.append((name, options))
        except InvalidInputError:
            pass
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InvalidInputError, match=r"folder\.csv"):
        export(SMALL, tmp_path / "folder.csv")
    assert not failures
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


def test_missing_package_is_named_with_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(MissingExtraError) as caught:
        export(SMALL, tmp_path / "f.xlsx")
    assert caught.value.extra == "excel"
    assert not [*tmp_path.iterdir()]


class Text(str):
    """A text of another type, as some libraries have."""


ACTIVE = [
    *("=1+1", "{=1+1}", "+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "'=1", "=cmd|' /C calc'!A0"),
    *("external:\\\\host\\share", "internal:Sheet1!A1", "mailto:a@example.org", "ftp://a.example"),
    *("https://a.example", "file:///etc/passwd", "=HYPERLINK(1)", "ftps://a.example"),
]


@pytest.mark.parametrize("text", ACTIVE)
def test_workbook_has_neither_formulas_nor_links_wherever_a_text_stands(text, tmp_path):
    pytest.importorskip("xlsxwriter", reason="Excel is an extra")
    texts = [text, None]
    frame = pd.DataFrame(
        {
            text: texts,
            "category": pd.Categorical(texts),
            "objects": pd.Series([Text(text), np.str_(text)], dtype="object"),
            "lists": [[text], None],
        }
    )
    query = {"query": text, "id": text}
    facts = {"source": text, "resource": "project", "query": query, "steps": [text]}
    with_provenance(frame, **facts, base_url="https://directory.example")
    file = export({"a": frame, "b": frame}, tmp_path / "f.xlsx")
    with zipfile.ZipFile(file) as packed:
        parts = {name: packed.read(name) for name in packed.namelist()}
    sheets = b"".join(part for name, part in parts.items() if "worksheets/sheet" in name)
    assert sheets
    assert not [sign for sign in (b"<f>", b"<f ", b"hyperlink") if sign in sheets]
    assert not [name for name in parts if name.startswith("xl/worksheets/_rels")]


def modes(folder):
    """Return the modes of the files of a folder."""
    return {oct(stat.S_IMODE(path.stat().st_mode)) for path in folder.iterdir()}


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o400])
@pytest.mark.parametrize("suffix", [*WRITTEN, ".zip"])
def test_file_that_is_replaced_keeps_its_mode(suffix, mode, tmp_path):
    if suffix == ".xlsx":
        pytest.importorskip("xlsxwriter", reason="Excel is an extra")
    file = tmp_path / f"f{suffix}"
    frame = with_provenance(SMALL.copy(), source="A directory", resource="project")
    file.write_text("mine")
    file.chmod(mode)
    export(frame, file, overwrite=True)  # without the provenance beside it
    assert modes(tmp_path) == {oct(mode)}
    export(frame, file, overwrite=True)
    assert modes(tmp_path) == {oct(mode)}


def test_file_that_is_new_is_as_readable_as_others(tmp_path):
    (tmp_path / "other").write_text("other")
    export(SMALL, tmp_path / "f.csv")
    assert len({path.stat().st_mode for path in tmp_path.iterdir()}) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["f.csv", "f.csv.provenance.json"])
def test_named_pipe_is_never_replaced_by_a_file(name, tmp_path):
    os.mkfifo(tmp_path / name)
    with pytest.raises(InvalidInputError, match=re.escape(name)):
        export(SMALL, tmp_path / "f.csv", overwrite=True)
    assert [path.name for path in tmp_path.iterdir() if path.is_fifo()] == [name]


@pytest.mark.parametrize("to", ["mine.csv", "nowhere.csv", "f.csv"])
def test_link_is_never_replaced_by_a_file(to, tmp_path):
    (tmp_path / "mine.csv").write_text("mine")
    link = tmp_path / "f.csv"
    link.symlink_to(to)
    with pytest.raises(InvalidInputError, match=r"f\.csv"):
        export(SMALL, link)
    with pytest.raises(InvalidInputError, match=r"f\.csv"):
        export(SMALL, link, overwrite=True)
    link.rename(tmp_path / "f.csv.provenance.json")
    with pytest.raises(InvalidInputError, match=r"f\.csv\.provenance\.json"):
        export(SMALL, link, overwrite=True)
    assert {path.name: path.is_symlink() for path in tmp_path.iterdir()} == {
        "f.csv.provenance.json": True,
        "mine.csv": False,
    }
    assert (tmp_path / "mine.csv").read_text() == "mine"
