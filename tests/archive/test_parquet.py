"""Parquet files hold what the frame holds, with one schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import dirframe
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
    # pandas' own reading cannot unify folders with the one of missing values.
    by = ds.partitioning(pa.schema([(LANGUAGE, pa.string())]), flavor="hive")
    again = ds.dataset(parted, partitioning=by).to_table().to_pandas()
    assert set(again["id"]) == set(frame["id"])
    counts = again[LANGUAGE].dropna().value_counts()
    assert counts.to_dict() == frame[LANGUAGE].value_counts().to_dict()
    with pytest.raises(InvalidInputError, match="exists"):
        archive.to_parquet(folder)
    with pytest.raises(InvalidInputError, match="no column of text 'x'"):
        archive.to_parquet(tmp_path / "c", partition_on="x")
    assert not (tmp_path / "c").exists()
