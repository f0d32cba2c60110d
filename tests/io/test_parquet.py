"""Parquet and Feather as other programs read them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pandas as pd
from pyarrow import parquet

from dirframe import export, provenance
from tests.io import rich

if TYPE_CHECKING:
    from pathlib import Path


def test_pandas_reads_every_dtype_lists_and_the_provenance(tmp_path: Path) -> None:
    back = pd.read_parquet(export(rich(), tmp_path / "f.parquet"))
    mixed = "analysis_languages"  # a text beside a record: no type of Arrow holds both
    dtypes = [frame.drop(columns=mixed).dtypes.astype(str) for frame in (back, rich())]
    assert dtypes[0].equals(dtypes[1])
    assert json.loads(back[mixed][0]) == rich()[mixed][0]
    assert [list(tags) for tags in back["tags"].dropna()] == [["c++", "a,b"]]
    assert provenance.get_provenance(back) == provenance.get_provenance(rich())


def test_the_citation_is_in_the_metadata(tmp_path: Path) -> None:
    schema = parquet.read_schema(export(rich(), tmp_path / "f.parquet"))
    assert b"https://directory.example" in schema.metadata[b"citation"]
