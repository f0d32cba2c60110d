"""A SQLite file whose readers and writers do not wait for one another.

What stays out: what stands in the file (`client.http.quota`, `service.keys`).
"""

from __future__ import annotations

import sqlite3
import time

__all__ = ["PATIENCE", "write_ahead"]

#: Seconds to wait for another process.
PATIENCE = 30.0
_PAUSE = 0.01
#: The low byte of an extended code is the primary one.
_PRIMARY = 0xFF


def write_ahead(database: sqlite3.Connection, *, patience: float = PATIENCE) -> None:
    """Keep the journal of a file ahead of it (WAL).

    Parameters
    ----------
    database
        A connection to the file.
    patience
        Seconds to wait. SQLite itself does not wait while another process writes to a file
        whose journal is of the older kind, as those do that begin with the same new file.

    Raises
    ------
    sqlite3.Error
        The file is still locked, or is no database.
    """
    ends = time.monotonic() + patience
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not _is_locked(error) or time.monotonic() > ends:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _is_locked(error: sqlite3.Error) -> bool:
    return error.sqlite_errorcode & _PRIMARY in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
