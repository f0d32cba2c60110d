"""Frames become files, whole or not at all, and come back as they were."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from dirframe import provenance
from dirframe.errors import InvalidInputError
from dirframe.export import export, write_csv
from tests.client.test_frames import build, project

if TYPE_CHECKING:
    from pathlib import Path

RICH = (
    '<name>Größe, "quoted"\nand broken</name><description>NA</description>'
    "<created_at>2007-01-08T09:10:11Z</created_at><stack_count>7</stack_count>"
    "<tags><tag>c++</tag><tag>a,b</tag></tags>"
    '<analysis><languages><language percentage="98">C</language></languages></analysis>'
)


def frame() -> pd.DataFrame:
    made = build([project(1, RICH), project(2), project(3, "<name>NA</name>")])
    return provenance.attach(made, source="A directory", resource="project", complete=True)


def test_a_csv_comes_back_as_the_docstring_says(tmp_path: Path) -> None:
    file = export(frame(), tmp_path / "f.csv")
    back = pd.read_csv(file, keep_default_na=False, na_values=[""], dtype={"id": "str"})
    assert list(back) == list(frame())
    assert list(back["id"]) == ["1", "2", "3"]
    assert list(back["name"].fillna("")) == ['Größe, "quoted"\nand broken', "", "NA"]
    assert back["created_at"][0] == "2007-01-08T09:10:11Z"
    assert json.loads(back["tags"][0]) == ["c++", "a,b"]
    assert json.loads(back["analysis_languages"][0]) == [{"percentage": "98", "language": "C"}]
    assert back["tags"].isna().tolist() == [False, True, True]


def test_a_csv_has_the_same_bytes_on_every_system(tmp_path: Path) -> None:
    content = export(frame(), tmp_path / "f.csv").read_bytes()
    assert b"\r" not in content
    assert "Größe".encode() in content
    assert not content.startswith(b"\xef\xbb\xbf")


def test_a_parquet_file_keeps_every_dtype_and_the_provenance(tmp_path: Path) -> None:
    file = export(frame(), tmp_path / "f.parquet")
    back = pd.read_parquet(file)
    assert back.dtypes.equals(frame().dtypes)
    assert provenance.describe(back) == provenance.describe(frame())
    plain = [name for name in map(str, frame()) if frame()[name].dtype != object]
    pd.testing.assert_frame_equal(back[plain], frame()[plain])
    assert [list(tags) for tags in back["tags"].dropna()] == [["c++", "a,b"]]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_frame_that_came_from_a_file_can_be_written_again(suffix: str, tmp_path: Path) -> None:
    export(frame(), tmp_path / "f.parquet")
    back = pd.read_parquet(tmp_path / "f.parquet")
    once, again = export(frame(), tmp_path / f"a{suffix}"), export(back, tmp_path / f"b{suffix}")
    if suffix == ".csv":
        assert once.read_bytes() == again.read_bytes()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_lists_of_different_form_can_be_written(suffix: str, tmp_path: Path) -> None:
    mixed = build(
        [
            project(1, "<licenses><license>MIT</license></licenses>"),
            project(2, "<licenses><license><name>gpl</name></license></licenses>"),
            project(
                3, "<licenses><license>MIT</license><license><name>x</name></license></licenses>"
            ),
            project(4, "<links><link><a>1</a><a>2</a></link><link><a>3</a></link></links>"),
        ]
    )
    file = export(mixed, tmp_path / f"f{suffix}")
    assert file.stat().st_size > 100


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".CSV"])
def test_an_empty_frame_keeps_its_columns(suffix: str, tmp_path: Path) -> None:
    file = export(build([]), tmp_path / f"f{suffix}")
    back = pd.read_parquet(file) if suffix == ".parquet" else pd.read_csv(file)
    assert list(back) == list(build([]))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_an_existing_file_is_replaced_only_if_that_was_asked_for(
    suffix: str, tmp_path: Path
) -> None:
    file = tmp_path / f"f{suffix}"
    file.write_text("mine")
    with pytest.raises(InvalidInputError, match="overwrite=True"):
        export(frame(), file)
    assert file.read_text() == "mine"
    export(frame(), file, overwrite=True)
    assert file.read_bytes() != b"mine"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", ["f.xlsx", "f", "f.csv.zip"])
def test_an_unknown_suffix_is_refused_with_the_known_ones(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"\.csv, \.parquet"):
        export(frame(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_in_between_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "f.csv"
    file.write_text("mine")

    def fail(self: pd.DataFrame, stream: Any, **_: Any) -> None:
        stream.write("half a li")
        raise OSError("the disk is full")

    monkeypatch.setattr(pd.DataFrame, "to_csv", fail)
    with pytest.raises(OSError, match="full"):
        export(frame(), file, overwrite=True)
    assert file.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [file]


def test_folders_on_the_way_are_made(tmp_path: Path) -> None:
    assert export(frame(), tmp_path / "a" / "b" / "f.csv").is_file()


def test_a_stream_gets_what_a_file_gets(tmp_path: Path) -> None:
    stream = io.StringIO()
    write_csv(frame(), stream)
    assert stream.getvalue() == export(frame(), tmp_path / "f.csv").read_text(encoding="utf-8")


def test_writing_changes_no_frame(tmp_path: Path) -> None:
    before, after = frame(), frame()
    export(after, tmp_path / "f.csv")
    export(after, tmp_path / "f.parquet")
    pd.testing.assert_frame_equal(before, after)
    assert after["tags"].tolist() == before["tags"].tolist()


def test_the_whole_sample_can_be_written(tmp_path: Path) -> None:
    with dirframe.sample_directory() as directory:
        projects = dirframe.load_projects(directory=directory, progress=False)
    for suffix in (".csv", ".parquet"):
        export(projects, tmp_path / f"p{suffix}")
    assert len(pd.read_parquet(tmp_path / "p.parquet")) == len(projects)


def test_the_real_pages_can_be_written(shared: Path, tmp_path: Path) -> None:
    real = dirframe.read_pages(shared / "real" / "pages")
    for suffix in (".csv", ".parquet"):
        export(real, tmp_path / f"p{suffix}")
    back = pd.read_csv(
        tmp_path / "p.csv", keep_default_na=False, na_values=[""], dtype={"id": "str"}
    )
    assert list(back["id"]) == list(real["id"])
    # pandas' own reader takes a carriage return in a text for the end of a line.
    assert len(back) == 313
