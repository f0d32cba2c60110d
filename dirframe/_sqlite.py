"""Open a SQLite file, keep its journal ahead of it (WAL), and hold a transaction."""

from __future__ import annotations

import sqlite3
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BUSY_TIMEOUT", "enable_wal", "open_database", "transaction"]

#: Seconds to wait for another process.
BUSY_TIMEOUT = 30.0
_PAUSE = 0.01

_PARAMETERS = {"rwc": "mode=rwc", "rw": "mode=rw", "ro": "mode=ro", "fixed": "mode=ro&immutable=1"}


def open_database(
    path: Path | None,
    *,
    mode: Literal["rwc", "rw", "ro", "fixed"] = "rwc",
    timeout: float = BUSY_TIMEOUT,
    any_thread: bool = False,
) -> sqlite3.Connection:
    """Open a file in which nothing is committed, and no transaction begun, without saying so.

    Parameters
    ----------
    path : pathlib.Path or None
        The file; None for a database in memory.
    mode : {"rwc", "rw", "ro", "fixed"}
        To read and write, made where it is missing or not; to read; or to read what nobody
        writes to while it is open, without any lock.
    timeout : float
        Seconds to wait for another process that writes.
    any_thread : bool, default False
        Whether other threads may use the connection too; the caller keeps them apart.

    Returns
    -------
    sqlite3.Connection
        The open file.

    Raises
    ------
    sqlite3.Error
        The file cannot be opened.

    Examples
    --------
    >>> with open_database(None) as database:
    ...     database.execute("SELECT 1 + 1").fetchone()
    (2,)
    """
    where = ":memory:" if path is None else f"{Path(path).absolute().as_uri()}?{_PARAMETERS[mode]}"
    return sqlite3.connect(
        where,
        uri=path is not None,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=not any_thread,
    )


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Hold the write lock of a file: all that is done is kept, or nothing.

    Parameters
    ----------
    database : sqlite3.Connection
        What `open_database` gave.
    """
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if database.in_transaction:  # SQLite ends it itself where the disk is full, say
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def enable_wal(database: sqlite3.Connection, *, timeout: float = BUSY_TIMEOUT) -> None:
    """Keep the journal of a file ahead of it (WAL): readers and writers do not wait.

    Parameters
    ----------
    database : sqlite3.Connection
        A connection to the file.
    timeout : float
        Seconds to wait. SQLite itself does not wait while another process writes to a file
        whose journal is of the older kind, as those do that begin with the same new file.

    Raises
    ------
    sqlite3.Error
        The file is still locked, or is no database.
    """
    deadline = time.monotonic() + timeout
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return
