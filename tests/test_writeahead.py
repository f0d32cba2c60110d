"""A new SQLite file that several processes begin with at the same instant."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from dirframe.writeahead import write_ahead

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
        write_ahead(second)
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
            write_ahead(second, patience=0.05)
    file.write_bytes(b"no database at all" * 100)
    with closing(sqlite3.connect(file)) as broken, pytest.raises(sqlite3.DatabaseError):
        write_ahead(broken)
