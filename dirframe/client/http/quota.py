"""The daily quota of a key: counted on this machine, shared by all processes of a user."""

# A directory allows a number of requests per day and key (1,000 by the specification). A request may
# be sent if fewer were sent in the 24 hours before it. This never exceeds the quota of a directory
# that counts from the first request of a day.

from __future__ import annotations

import sqlite3
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from dirframe._sqlite import (
    BUSY_TIMEOUT,
    close_on_error,
    enable_wal,
    file_identity,
    open_database,
)
from dirframe.errors import DirframeError, Hint, QuotaWarning, warn

if TYPE_CHECKING:
    from pathlib import Path


QUOTA_FILE = "quota.sqlite"

_DAY = timedelta(days=1)
_TIMEOUT = BUSY_TIMEOUT

#: Times are seconds since 1970; a row with a count above one is the usage reported by a directory.
#: Ids are random, so that a receipt never refers to a later row or to a row of another file.
_TABLE = """
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, sent_at REAL NOT NULL, count INTEGER NOT NULL
)
"""
_INDEX = "CREATE INDEX IF NOT EXISTS by_key ON requests (fingerprint, sent_at, count)"
_EXPIRE = "DELETE FROM requests WHERE sent_at <= :day_ago"

_USED = """
SELECT coalesce(sum(count), 0) FROM requests
WHERE fingerprint = :fingerprint AND sent_at > :day_ago
"""
# A single statement checks and counts, so that two requests cannot take the same last slot.
_ACQUIRE = f"""
INSERT INTO requests (id, fingerprint, sent_at, count)
SELECT random(), :fingerprint, :now, 1 WHERE ({_USED}) < :limit
RETURNING id
"""  # made of constants
_EXHAUST = f"""
INSERT INTO requests (id, fingerprint, sent_at, count)
SELECT random(), :fingerprint, :sent_at, :limit - ({_USED}) WHERE ({_USED}) < :limit
"""
_OLDEST = """
SELECT min(sent_at) FROM requests WHERE fingerprint = :fingerprint AND sent_at > :day_ago
"""
_RELEASE = "DELETE FROM requests WHERE id = :id"
#: A clock that was ahead dated requests in the future; they were sent by now. Otherwise they would
#: count until a day after that date. Other threads and processes are at most a minute ahead.
_REDATE = "UPDATE requests SET sent_at = :now WHERE sent_at > :now + 60"


class DailyQuota:
    """The requests that a key may make within 24 hours.

    Parameters
    ----------
    folder
        Folder of the shared count; None to count for this object only.
    fingerprint
        Identifies the key without revealing it.
    limit
        Maximum number of requests within 24 hours.

    Warns
    -----
    QuotaWarning
        If the file cannot be used, now or later; counting continues in memory.
    """

    def __init__(self, folder: Path | None, fingerprint: str, limit: int) -> None:
        self.limit = limit
        self._folder = folder
        self._is_closed = False
        self._fingerprint = fingerprint
        # One connection and a lock: threads that wait here never reach SQLite's busy timeout.
        self._lock = threading.Lock()
        try:
            self._database = self._open_file()
        except (sqlite3.Error, OSError) as error:
            self._use_memory(error)

    def acquire(self) -> int | None:
        """Count one request.

        Returns
        -------
        int or None
            A receipt for `release`; None if the quota is used up and nothing was counted.
        """
        receipt = self._execute(_ACQUIRE)
        return None if receipt is None else int(receipt)

    def release(self, receipt: int) -> None:
        """Undo one count: the request did not arrive, or the directory did not count it.

        Parameters
        ----------
        receipt
            The value returned by `acquire`.
        """
        self._execute(_RELEASE, id=receipt)

    def mark_exhausted(self, resets_at: datetime | None = None) -> None:
        """Mark the quota as used up, as reported by the directory.

        Parameters
        ----------
        resets_at
            Time of the reset, at most a day from now. Default: a day after the first request.
        """
        now = datetime.now(UTC)
        reset = min(resets_at or self.resets_at() or now + _DAY, now + _DAY)
        self._execute(_EXHAUST, sent_at=(reset - _DAY).timestamp())

    def remaining(self) -> int:
        """Return the number of requests left."""
        return max(self.limit - int(self._execute(_USED)), 0)

    def resets_at(self) -> datetime | None:
        """Return the time when the oldest counted request is a day old; None if none is counted."""
        self._execute(_REDATE)
        oldest = self._execute(_OLDEST)
        return None if oldest is None else datetime.fromtimestamp(oldest, UTC) + _DAY

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._folder = None  # a request still in flight does not begin a count of its own
            self._is_closed = True
            self._database.close()

    def _execute(self, statement: str, **values: float) -> Any:
        """Run a statement and return its first value; switch to memory if the file fails."""
        now = time.time()
        facts: dict[str, Any] = {
            "fingerprint": self._fingerprint,
            "limit": self.limit,
            "now": now,
            "day_ago": now - _DAY.total_seconds(),
        }
        with self._lock:
            if self._is_closed:
                raise DirframeError(
                    "The directory was closed while it was used; no further request is made.",
                    hint=Hint("Close it after the last load. Loaded pages are in the cache."),
                )
            try:
                if self._folder and file_identity(self._folder / QUOTA_FILE) != self._identity:
                    self._make_anew()
                rows = self._database.execute(statement, facts | values).fetchall()
            except (sqlite3.Error, OSError) as error:
                if self._folder is None:
                    raise
                self._database.close()
                self._use_memory(error)
                rows = self._database.execute(statement, facts | values).fetchall()
        return rows[0][0] if rows else None

    def _open_file(self) -> sqlite3.Connection:
        file = None if self._folder is None else self._folder / QUOTA_FILE
        database = _open(file)
        self._identity = file and file_identity(file)
        return database

    def _make_anew(self) -> None:
        """Open the file that took the place of the removed one, and count there what was counted."""
        removed = self._database
        rows = removed.execute("SELECT * FROM requests").fetchall()
        self._database = self._open_file()
        removed.close()
        self._database.executemany("INSERT OR IGNORE INTO requests VALUES (?, ?, ?, ?)", rows)

    def _use_memory(self, error: Exception) -> None:
        warn(
            QuotaWarning(
                f"The count of requests cannot be kept in {self._folder} ({error}); requests of "
                "other processes with the same key are not seen.",
                hint=Hint("Set DIRFRAME_DATA_DIR to a folder that can be written."),
            )
        )
        self._folder = None
        self._database = _open(None)


def _open(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
    with close_on_error(open_database(path, timeout=_TIMEOUT, any_thread=True)) as database:
        enable_wal(database, timeout=_TIMEOUT)
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute(_TABLE)
        database.execute(_INDEX)
        now = time.time()
        database.execute(_EXPIRE, {"day_ago": now - _DAY.total_seconds()})
        database.execute(_REDATE, {"now": now})
    return database
