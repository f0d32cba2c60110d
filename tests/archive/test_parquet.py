"""Parquet files hold what the frame holds, with one schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyarrow.parquet as pq
import pytest

import dirframe
from dirframe.archive import parquet
from dirframe.archive.parquet import write_parquet
from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGE = "analysis_main_language_name"


def test_the_files_hold_the_frame_and_every_part_has_the_same_types(tmp_path: Path) -> None:
    with dirframe.sample_directory(cache=False) as directory:
        archive = dirframe.harvest("projects", tmp_path / "a", directory=directory)
    frame = archive.frame(columns=["name", LANGUAGE, "created_at", "stack_count"])
    folder = archive.to_parquet(tmp_path / "all", columns=[str(name) for name in frame])
    pd.testing.assert_frame_equal(pd.read_parquet(folder), frame)
    parted = archive.to_parquet(tmp_path / "parted", partition_on=LANGUAGE)
    files = sorted(parted.rglob("*.parquet"))
    assert len(files) > 5
    assert len({str(pq.read_schema(file).remove_metadata()) for file in files}) == 1
    again = pd.read_parquet(parted, columns=[str(name) for name in frame]).set_index("id")
    pd.testing.assert_frame_equal(again.loc[frame["id"]].reset_index()[list(frame)], frame)
    only = pd.read_parquet(parted, filters=[(LANGUAGE, "==", "C++")])
    assert len(only) == int((frame[LANGUAGE] == "C++").sum())
    assert pd.read_parquet(parted / "C%2B%2B")["id"].tolist() == only["id"].tolist()
    with pytest.raises(InvalidInputError, match="exists"):
        archive.to_parquet(folder)
    with pytest.raises(InvalidInputError, match="no column of text 'x'"):
        archive.to_parquet(tmp_path / "c", partition_on="x")
    assert not (tmp_path / "c").exists()


def test_no_value_leads_out_of_the_folder_or_into_that_of_another(tmp_path: Path) -> None:
    values = ["..", ".", "a/b", "A/b", "_x", "CON.", "", "ж" * 300, "ж" * 301, "a=b", None, "007"]
    frame = pd.DataFrame({"id": [str(n) for n in range(12)], "by": pd.array(values, dtype="str")})
    folder = write_parquet([lambda: [frame, frame]], tmp_path / "in" / "parted", partition_on="by")
    assert list((tmp_path / "in").iterdir()) == [folder]
    names = [path.name for path in folder.iterdir() if path.is_dir()]
    assert len({name.casefold() for name in names}) == 11
    again = pd.read_parquet(folder)
    assert sorted(again["by"].dropna()) == sorted(2 * [one for one in values if one is not None])
    assert again["by"].isna().sum() == 2


def test_a_column_of_too_many_values_is_refused(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [str(number) for number in range(1_001)]}, dtype="str")
    with pytest.raises(InvalidInputError, match="more than 1,000"):
        write_parquet([lambda: [frame]], tmp_path / "parted", partition_on="id")
    assert list(tmp_path.iterdir()) == []


def test_few_open_files_and_small_ones_hold_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "_GROUPS", 2)
    monkeypatch.setattr(parquet, "_ROWS", 4)
    monkeypatch.setattr(parquet, "_BATCH", 4)
    frame = pd.DataFrame({"id": [str(n) for n in range(40)], "by": list("abcd") * 10}, dtype="str")
    chunks = [one.reset_index(drop=True) for one in (frame[:17], frame[17:20], frame[20:])]
    runs = [lambda: chunks[:1], lambda: chunks[1:]]
    folder = write_parquet(runs, tmp_path / "p", partition_on="by")
    assert len(list(folder.rglob("*.parquet"))) > 4
    assert max(pq.ParquetFile(file).num_row_groups for file in folder.rglob("*.parquet")) <= 2
    for value, of_one in frame.groupby("by"):
        pd.testing.assert_frame_equal(
            pd.read_parquet(folder / str(value)), of_one.reset_index(drop=True)
        )
