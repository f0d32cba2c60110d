"""Open SQLite databases."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

#: What a database raises that is damaged, locked, on a full disk or not there. The names in a damaged
#: schema, and texts, may be no UTF-8.
DATABASE_FAILURES = (sqlite3.Error, OSError, UnicodeError)

T = TypeVar("T", bound=Any)  # what can be closed


def open_database(
    path: Path | None, *, mode: str = "rwc", timeout: float = 30.0, any_thread: bool = False
) -> sqlite3.Connection:
    """Open a database, in memory without a `path`, in autocommit mode: transactions are explicit.

    A new file can be read by its owner alone, since pages of a directory hold data about persons.
    """
    if path is not None and mode == "rwc":
        with suppress(OSError):  # it exists, or SQLite says why it cannot be created
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}" if path else ":memory:",
        uri=path is not None,
        timeout=timeout,  # seconds, for another process
        isolation_level=None,
        check_same_thread=not any_thread,  # any may use it, and the caller synchronizes them
    )


@contextmanager
def close_on_error(opened: T) -> Iterator[T]:
    """Run a block that prepares what was just opened, and close that on an exception."""
    try:
        yield opened
    except BaseException:
        opened.close()
        raise


def enable_wal(database: sqlite3.Connection) -> None:
    """Switch a database to write-ahead logging (WAL), where readers and a writer do not block."""
    try:
        database.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        # A file that another process writes to in another mode stays in that.
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise


def seal_of(values: Iterable[Any]) -> str:
    """Return the digest of the values of a row; a truth value is a number there."""
    plain = [int(value) if isinstance(value, bool) else value for value in values]
    return sha256(json.dumps(plain, default=repr).encode()).hexdigest()
