"""The daily quota of a key: counted on this machine, shared by all processes of a user."""

# A directory allows a number of requests per day and key (1,000 by the specification). A request may
# be sent if fewer were sent in the 24 hours before it. This never exceeds the quota of a directory
# that counts from the first request of a day.

from __future__ import annotations

import sqlite3
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from dirframe._display import card
from dirframe._sqlite import close_on_error, open_database
from dirframe.client.http.responses import RUN_AGAIN_LATER
from dirframe.errors import DirframeError, QuotaExceededError, QuotaWarning, warn

_DAY = timedelta(days=1)

#: Times are seconds since 1970. A row is a request; or, if a directory says that the quota is used up,
#: all that was left of it. Ids are random, so that a receipt never refers to a later row.
_TABLE = """
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, sent_at REAL NOT NULL, count INTEGER NOT NULL
)
"""
_STATE = """
SELECT coalesce(sum(count), 0) AS used, min(sent_at) FROM requests
WHERE fingerprint = :fingerprint AND sent_at > :day_ago
"""
# A single statement checks and counts, so that two requests cannot take the same last slot.
_ADD = f"""
INSERT INTO requests (id, fingerprint, sent_at, count)
SELECT random(), :fingerprint, :sent_at, min(:count, :limit - used) FROM ({_STATE})
WHERE used < :limit RETURNING id
"""  # noqa: S608  # of constants
#: A clock that was ahead dated requests in the future: they were sent by now, so that nobody waits for
#: longer than a day.
_REDATE = "UPDATE requests SET sent_at = :now WHERE sent_at > :now"


@dataclass(frozen=True, kw_only=True, repr=False)
class Quota:
    """The daily quota of a key, as counted on this machine for all processes of a user."""

    limit: int  # requests within 24 hours
    used: int
    left: int
    resets_at: datetime | None  # when the oldest of these requests is a day old

    def __repr__(self) -> str:
        facts = {
            "used in the last 24 hours": f"{self.used:,}",
            "left": f"{self.left:,} of {self.limit:,}",
        }
        if self.resets_at is not None:
            facts["the first comes back"] = f"{self.resets_at:%Y-%m-%d %H:%M} UTC"
        return card("Daily quota", facts)


class DailyQuota:
    """The requests that a key may make within 24 hours.

    The count is in a file of `folder`, or in memory without one. If the file cannot be used, now or
    later, a `QuotaWarning` is issued and counting continues in memory.
    """

    def __init__(self, folder: Path | None, fingerprint: str, limit: int) -> None:
        self.limit, self._folder, self._fingerprint = limit, folder, fingerprint
        # One connection and a lock: threads that wait here never reach SQLite's busy timeout.
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._execute("DELETE FROM requests WHERE sent_at <= :day_ago")

    def state(self) -> Quota:
        """Return what is used and left."""
        self._execute(_REDATE)
        used, oldest = self._execute(_STATE)
        left = max(self.limit - used, 0)
        resets_at = None if oldest is None else datetime.fromtimestamp(oldest, UTC) + _DAY
        return Quota(limit=self.limit, used=used, left=left, resets_at=resets_at)

    def acquire(self, url: str) -> int:
        """Count a request of a URL, and return a receipt for `release`; raise if none is left."""
        if (row := self._execute(_ADD, count=1, sent_at=time.time())) is not None:
            return int(row[0])
        resets_at = self.state().resets_at
        raise QuotaExceededError(
            f"{url} was not requested: the quota of {self.limit:,} requests within 24 hours is used "
            f"up, and the next one is free at {resets_at or datetime.now(UTC):%Y-%m-%d %H:%M} UTC.",
            url=url,
            resets_at=resets_at,
            hint=RUN_AGAIN_LATER,
        )

    def release(self, receipt: int) -> None:
        """Undo one count: the request did not arrive, or the directory did not count it."""
        self._execute("DELETE FROM requests WHERE id = :id", id=receipt)

    def mark_exhausted(self, resets_at: datetime | None) -> datetime | None:
        """Mark the quota as used up until then, for a day at most, and return when it is back."""
        tomorrow = datetime.now(UTC) + _DAY
        reset = min(resets_at or self.state().resets_at or tomorrow, tomorrow)
        self._execute(_ADD, count=self.limit, sent_at=(reset - _DAY).timestamp())
        return resets_at or self.state().resets_at

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._database is not None:
                self._database.close()

    def _execute(self, statement: str, **values: float) -> Any:
        """Run a statement and return its first row; count in memory if the file fails."""
        now = time.time()
        facts = {"fingerprint": self._fingerprint, "limit": self.limit, "now": now, **values}
        facts["day_ago"] = now - _DAY.total_seconds()
        with self._lock:
            try:
                self._database = self._database or _open(self._folder)
                return self._database.execute(statement, facts).fetchone()
            except sqlite3.ProgrammingError:  # it is closed
                raise DirframeError(
                    "The directory was closed while it was used; no further request is made.",
                    hint="Close it after the last load. Loaded pages are in the cache.",
                ) from None
            except (sqlite3.Error, OSError) as error:
                if self._database is not None:
                    self._database.close()
                self._database = _open(None)
                warn(
                    QuotaWarning(
                        f"The count of requests cannot be kept in {self._folder} ({error}); requests "
                        "of other processes with the same key are not seen.",
                        hint="Set DIRFRAME_DATA_DIR to a folder that can be written.",
                    )
                )
                return self._database.execute(statement, facts).fetchone()


def _open(folder: Path | None) -> sqlite3.Connection:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    file = folder and folder / "quota.sqlite"
    with close_on_error(open_database(file, any_thread=True)) as database:
        # The count of a day is worth no wait for the disk: only a power cut can lose it.
        database.execute("PRAGMA synchronous = OFF")
        database.execute(_TABLE)
    return database
