"""What was exported comes back as it was, or an error or a warning says what does not."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings

import dirframe
from dirframe import ExportWarning, InvalidInputError, export, read_export
from tests.io import READABLE, frames, rich

each = pytest.mark.parametrize("suffix", READABLE)


def same(before: pd.DataFrame, after: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(before, after, check_exact=True)
    assert after.attrs == before.attrs
    for name in before:  # the assertion above takes None, NaN and an empty list lightly
        if before[name].dtype == object:
            assert after[name].tolist() == before[name].tolist()


@each
@settings(max_examples=12)
@given(frame=frames())
def test_every_frame_comes_back_as_it_was(suffix: str, frame: pd.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)  # a workbook's times have no zone
        same(frame, read_export(export(frame, Path(folder) / f"f{suffix}")))


@each
def test_large_whole_numbers_beside_missing_ones_come_back_exactly(
    suffix: str, tmp_path: Path
) -> None:
    frame = pd.DataFrame({"count": pd.array([None, 2**53 + 1, 2**63 - 1], dtype="Int64")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)  # a workbook keeps 15 digits of a number
        same(frame, read_export(export(frame, tmp_path / f"f{suffix}")))


@each
def test_lists_that_pandas_read_from_parquet_are_exported_as_lists(
    suffix: str, tmp_path: Path
) -> None:
    lists = [["a", "b"], None, [], ["c"]]
    entries = [[{"name": "x"}, {"name": "y"}], [], None, [{"name": "z"}]]
    frame = pd.DataFrame({"id": ["1", "2", "3", "4"], "tags": lists, "licenses": entries})
    frame.to_parquet(tmp_path / "theirs.parquet")
    theirs = pd.read_parquet(tmp_path / "theirs.parquet")  # their lists are arrays
    same(frame, read_export(export(theirs, tmp_path / f"f{suffix}")))


@each
def test_a_frame_of_a_loader_comes_back_as_it_was(suffix: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)
        same(rich(), read_export(export(rich(), tmp_path / f"f{suffix}")))


@each
def test_the_whole_sample_comes_back_as_it_was(suffix: str, tmp_path: Path) -> None:
    with dirframe.sample_directory() as directory, warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)
        projects = dirframe.load_projects(directory=directory, progress=False)
        same(projects, read_export(export(projects, tmp_path / f"f{suffix}")))


@each
def test_the_real_pages_come_back_as_they_were(shared: Path, suffix: str, tmp_path: Path) -> None:
    real = dirframe.read_pages(shared / "real" / "pages")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExportWarning)
        same(real, read_export(export(real, tmp_path / f"f{suffix}")))


@pytest.mark.parametrize("suffix", [".xlsx", ".sqlite", ".duckdb"])
def test_several_frames_come_back_by_their_names(suffix: str, tmp_path: Path) -> None:
    two = {"projects": rich()[["id", "name"]], "tags": pd.DataFrame({"n": [1, 2]})}
    file = export(two, tmp_path / f"all{suffix}")
    for name, frame in two.items():
        same(frame, read_export(file, table=name))
    with pytest.raises(InvalidInputError, match="'projects', 'tags': name one"):
        read_export(file)
    with pytest.raises(InvalidInputError, match="there is no 'x'"):
        read_export(file, table="x")


def test_a_changed_file_is_read_with_a_warning(tmp_path: Path) -> None:
    file = export(rich(), tmp_path / "f.csv")
    file.write_text(file.read_text(encoding="utf-8").replace("Größe", "Masse"), encoding="utf-8")
    with pytest.warns(ExportWarning, match="has changed since") as caught:
        assert read_export(file)["name"][0].startswith("Masse")
    assert caught[0].filename == __file__  # the line of the caller


@pytest.mark.filterwarnings("ignore:.*has changed since:dirframe.ExportWarning")
def test_what_a_spreadsheet_saved_is_read_as_the_same_values(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["1", "2"], "active": [True, False]})
    file = export(frame, tmp_path / "f.csv")
    text = file.read_text(encoding="utf-8").replace("True", "TRUE").replace("False", "FALSE")
    file.write_text(text.replace("\n", "\r\n"), encoding="utf-8-sig", newline="")
    same(frame, read_export(file))


@pytest.mark.filterwarnings("ignore:.*has changed since:dirframe.ExportWarning")
def test_half_a_file_is_never_read_as_a_whole_one(tmp_path: Path) -> None:
    for suffix in (".csv", ".tsv", ".jsonl"):
        frame = pd.DataFrame({"id": ["1", "2"], "n": [3, 4]})
        file = export(frame, tmp_path / f"f{suffix}")
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        file.write_text("".join(lines[:-1]), encoding="utf-8")
        with pytest.raises(InvalidInputError, match="rows"):
            read_export(file)
        file.write_text("".join(lines).replace("4", "four"), encoding="utf-8")
        with pytest.raises((InvalidInputError), match=r"column 'n'|cannot be read"):
            read_export(file)


@each
def test_a_file_of_something_else_is_refused_and_says_so(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"f{suffix}"
    file.write_text("id,name\n1,a\n")
    with pytest.raises(InvalidInputError):
        read_export(file)


@pytest.mark.parametrize("suffix", [".html", ".md"])
def test_what_is_for_people_is_not_read_back(suffix: str, tmp_path: Path) -> None:
    file = export(rich(), tmp_path / f"f{suffix}")
    with pytest.raises(InvalidInputError, match=r"\.parquet"):
        read_export(file)


def test_a_file_that_is_not_there_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_export(tmp_path / "f.csv")


def test_the_error_of_a_library_is_one_sentence_of_the_message(tmp_path: Path) -> None:
    file = tmp_path / "picture.parquet"
    file.write_bytes(b"GIF89a, and no table")
    with pytest.raises(InvalidInputError, match=r"magic bytes.*[^.]\. Export the frame again\."):
        read_export(file)
