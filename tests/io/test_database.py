"""SQLite and DuckDB as other programs read them."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import pytest

from dirframe import InvalidInputError, export, read_export
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


@pytest.mark.parametrize("suffix", [".sqlite", ".duckdb"])
@pytest.mark.filterwarnings("ignore:.*has changed since:dirframe.ExportWarning")
def test_a_table_with_other_columns_is_refused_with_their_names(
    suffix: str, tmp_path: Path
) -> None:
    # Values are texts in both: by their place they would fit either.
    frame = pd.DataFrame({"id": ["1"], "name": ["a"], "country": ["b"]})
    for number, change in enumerate(
        [
            "ALTER TABLE f RENAME COLUMN name TO title",
            "ALTER TABLE f ADD COLUMN note TEXT",
            "CREATE TABLE g AS SELECT id, country, name FROM f; DROP TABLE f; ALTER TABLE g RENAME TO f",
        ]
    ):
        file = export({"f": frame}, tmp_path / f"{number}{suffix}")
        if suffix == ".sqlite":
            with closing(sqlite3.connect(file)) as base:
                base.executescript(change)
        else:
            with duckdb.connect(str(file)) as base:
                base.execute(change)
        with pytest.raises(InvalidInputError, match="do not belong together"):
            read_export(file)


@pytest.mark.parametrize(
    ("column", "value"), [("active", "'yes'"), ("count", "2.7"), ("name", "x'00ff'")]
)
@pytest.mark.filterwarnings("ignore:.*has changed since:dirframe.ExportWarning")
def test_a_value_of_another_kind_is_refused(column: str, value: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"active": [True], "count": [2], "name": ["a"]})
    file = export(frame, tmp_path / "f.sqlite")
    with closing(sqlite3.connect(file)) as base:
        base.execute(f"UPDATE f SET {column} = {value}")
        base.commit()
    with pytest.raises(InvalidInputError, match=f"column '{column}' was exported as"):
        read_export(file)


@pytest.mark.parametrize("dtype", ["uint64", "UInt64"])
def test_unsigned_numbers_come_back_with_all_digits(dtype: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"n": [2**64 - 1, 3]}).astype({"n": dtype})
    pd.testing.assert_frame_equal(read_export(export(frame, tmp_path / "f.sqlite")), frame)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_path_that_duckdb_reads_as_options_is_refused(tmp_path: Path) -> None:
    for target in (tmp_path / "which?.duckdb", tmp_path / "why?" / "f.duckdb"):
        with pytest.raises(InvalidInputError, match="question mark"):
            export(pd.DataFrame({"a": [1]}), target)
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
