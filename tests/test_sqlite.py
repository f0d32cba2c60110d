"""A new SQLite file that several processes begin with at the same instant."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from dirframe._sqlite import close_on_error, enable_wal, open_database, transaction

if TYPE_CHECKING:
    from pathlib import Path


def test_it_waits_for_whoever_writes_first(tmp_path: Path) -> None:
    file = tmp_path / "new.sqlite"
    with (
        closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as first,
        closing(sqlite3.connect(file, isolation_level=None, timeout=30)) as second,
    ):
        first.execute("BEGIN IMMEDIATE")
        # SQLite alone does not wait, however patient the connection is.
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            second.execute("PRAGMA journal_mode = WAL")
        end = threading.Timer(0.2, first.execute, ["COMMIT"])
        end.start()
        enable_wal(second)
        end.join()
        assert second.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_its_patience_ends_and_other_faults_are_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "new.sqlite"
    with (
        closing(sqlite3.connect(file, isolation_level=None)) as first,
        closing(sqlite3.connect(file, isolation_level=None)) as second,
    ):
        first.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            enable_wal(second, timeout=0.05)
    file.write_bytes(b"no database at all" * 100)
    with closing(sqlite3.connect(file)) as broken, pytest.raises(sqlite3.DatabaseError):
        enable_wal(broken)


def insert(database: sqlite3.Connection, statement: str) -> None:
    with transaction(database):
        database.execute("INSERT INTO rows VALUES (2)")
        database.execute(statement)


def test_a_transaction_is_kept_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    with closing(open_database(tmp_path / "a #1%20?.sqlite")) as database:
        database.execute("CREATE TABLE rows (value INTEGER)")
        with transaction(database):
            database.execute("INSERT INTO rows VALUES (1)")
        with pytest.raises(sqlite3.OperationalError, match="no such table"):
            insert(database, "INSERT INTO another VALUES (2)")
        database.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.OperationalError, match="disk is full"):
            insert(database, "INSERT INTO rows VALUES (zeroblob(100000))")
        assert database.execute("SELECT value FROM rows").fetchall() == [(1,)]
    assert [one.name for one in tmp_path.iterdir()] == ["a #1%20?.sqlite"]


@pytest.mark.parametrize("mode", ["ro", "rw", "fixed"])
def test_a_file_that_is_missing_is_made_only_where_that_is_meant(mode: Any, tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        open_database(tmp_path / "missing.sqlite", mode=mode)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", ["ro", "fixed"])
def test_what_is_opened_to_read_cannot_be_written_to(mode: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite"
    with closing(open_database(file)) as database:
        database.execute("CREATE TABLE rows (value INTEGER)")
    with (
        closing(open_database(file, mode=mode)) as database,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        database.execute("INSERT INTO rows VALUES (1)")


def test_what_cannot_be_prepared_is_closed_and_what_can_stays_open(tmp_path: Path) -> None:
    with close_on_error(open_database(tmp_path / "good.sqlite")) as good:
        good.execute("CREATE TABLE t (n)")
    with closing(good):
        assert good.execute("SELECT count(*) FROM t").fetchone() == (0,)
    bad = open_database(tmp_path / "bad.sqlite")
    with pytest.raises(KeyboardInterrupt), close_on_error(bad):
        raise KeyboardInterrupt
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        bad.execute("SELECT 1")
