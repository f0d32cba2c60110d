"""Open SQLite databases."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar


def open_database(
    path: Path | None, *, mode: str = "rwc", timeout: float = 30.0, any_thread: bool = False
) -> sqlite3.Connection:
    """Open a database, in memory without a `path`, in autocommit mode: transactions are explicit.

    `timeout` is in seconds, for another process. `mode` is that of SQLite's URIs. With `any_thread`,
    the caller synchronizes the threads.
    """
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}" if path else ":memory:",
        uri=path is not None,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=not any_thread,
    )


class _Closable(Protocol):
    def close(self) -> None: ...


T = TypeVar("T", bound=_Closable)


@contextmanager
def close_on_error(opened: T) -> Iterator[T]:
    """Run a block that prepares what was just opened, and close that on an exception."""
    try:
        yield opened
    except BaseException:
        opened.close()
        raise


def enable_wal(database: sqlite3.Connection) -> None:
    """Switch a database to write-ahead logging (WAL), where readers and a writer do not block.

    While another process writes to a file that is not in this mode, it stays in the other one.
    """
    try:
        database.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
