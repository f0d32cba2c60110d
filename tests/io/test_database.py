"""SQLite and DuckDB as other programs read them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import pytest

from dirframe import InvalidInputError, export
from tests.io import rich

if TYPE_CHECKING:
    from pathlib import Path


def test_sqlite_has_the_table_and_the_citation(tmp_path: Path) -> None:
    with closing(sqlite3.connect(export(rich(), tmp_path / "projects.sqlite"))) as base:
        assert base.execute("SELECT id, stack_count FROM projects").fetchone() == ("1", 7)
        cited = "SELECT value FROM dirframe_provenance WHERE fact = 'citation'"
        assert "https://directory.example" in base.execute(cited).fetchone()[0]


def test_duckdb_has_lists_as_lists(tmp_path: Path) -> None:
    with duckdb.connect(str(export(rich(), tmp_path / "projects.duckdb")), read_only=True) as base:
        assert base.sql("SELECT unnest(tags) FROM projects").fetchall() == [("c++",), ("a,b",)]


@pytest.mark.parametrize("suffix", [".sqlite", ".duckdb"])
def test_names_that_a_database_takes_for_one_are_refused(suffix: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="case alone"):
        export(pd.DataFrame({"a": [1], "A": [2]}), tmp_path / f"f{suffix}")
    assert list(tmp_path.iterdir()) == []
