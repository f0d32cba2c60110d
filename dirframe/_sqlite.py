"""Open SQLite databases, run transactions, and leave what is open to the parent of a fork."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar
from weakref import WeakMethod

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

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
    """Open a database in autocommit mode, so that every transaction is explicit.

    Parameters
    ----------
    path : pathlib.Path or None
        The file; None for an in-memory database.
    mode : {"rwc", "rw", "ro", "fixed"}
        Read and write, creating a missing file; read and write; read only; or read only and
        without locks, for a file that nobody writes to while it is open.
    timeout : float
        Seconds to wait for a lock held by another process.
    any_thread : bool, default False
        Whether other threads may use the connection; the caller must synchronize them.

    Returns
    -------
    sqlite3.Connection
        The connection.

    Raises
    ------
    sqlite3.Error
        The file cannot be opened.

    Examples
    --------
    >>> from contextlib import closing
    >>> with closing(open_database(None)) as database:
    ...     database.execute("SELECT 1 + 1").fetchone()
    (2,)
    """
    uri = ":memory:" if path is None else f"{path.absolute().as_uri()}?{_PARAMETERS[mode]}"
    return sqlite3.connect(
        uri,
        uri=path is not None,
        timeout=timeout,
        isolation_level=None,
        check_same_thread=not any_thread,
    )


def file_format(database: sqlite3.Connection) -> tuple[int, int]:
    """Return the application id and version that a database is stamped with; zeros if it is not."""
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return application, version


def set_file_format(database: sqlite3.Connection, application: int, version: int) -> None:
    """Stamp a database with the id of the application that it belongs to, and a version."""
    database.execute(f"PRAGMA application_id = {application:d}")
    database.execute(f"PRAGMA user_version = {version:d}")


def file_identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from a later one at the same path; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


class _Closable(Protocol):
    def close(self) -> None: ...


T = TypeVar("T", bound=_Closable)


@contextmanager
def close_on_error(opened: T) -> Iterator[T]:
    """Run a block that prepares what was just opened, and close that on an exception.

    Parameters
    ----------
    opened : object
        A database, or an object with one; it has a method ``close``.
    """
    try:
        yield opened
    except BaseException:
        opened.close()
        raise


@contextmanager
def transaction(database: sqlite3.Connection) -> Iterator[None]:
    """Run a block in a write transaction: commit on success, roll back on an exception.

    Parameters
    ----------
    database : sqlite3.Connection
        A connection from `open_database`.
    """
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        # SQLite may have rolled back itself, for example if the disk is full.
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def enable_wal(database: sqlite3.Connection, *, timeout: float = BUSY_TIMEOUT) -> None:
    """Switch a database to write-ahead logging (WAL), where readers and a writer do not block.

    Parameters
    ----------
    database : sqlite3.Connection
        A connection to the file.
    timeout : float
        Seconds to wait. SQLite's own busy timeout does not apply while another process writes
        to a file that is not in WAL mode yet, such as a file that both have just created.

    Raises
    ------
    sqlite3.Error
        The file is still locked, or is not a database.
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


# -- forked processes ----------------------------------------------------------------------

# SQLite must not even close a file that the parent has open. The same holds for other things: two
# processes on one socket get each other's responses, and an epoll object is one for both.

_methods: set[WeakMethod[Any]] = set()
_inherited: list[object] = []


def call_after_fork(leave: Callable[[], object]) -> None:
    """Call a method in each forked process, as long as its object lives.

    Parameters
    ----------
    leave : callable
        A bound method. It begins anew, and returns what must not be collected in the forked process.
    """
    _methods.add(WeakMethod(leave, _methods.discard))


def _after_fork() -> None:
    for method in list(_methods):
        leave = method()
        if leave is not None:
            _inherited.append(leave())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
