"""The day's allowance of a key: counted on this machine, shared by all processes of a person.

A directory allows so many requests a day and key (1,000 by the specification). pyrate-limiter
keeps a log of them in SQLite, a table a key by its fingerprint, and lets a request pass while
fewer than the allowance went out in the 24 hours before it. That never exceeds what a
directory allows which counts from the first request of a day on. Answers from the cache are
not counted. What the directory itself says of the allowance is believed: see `exhaust`.

What stays out: the key, HTTP, and waiting.
"""

from __future__ import annotations

import sqlite3
import threading
import time
import warnings
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

from pyrate_limiter import Duration, Rate, RateItem
from pyrate_limiter.buckets import SQLiteBucket

from dirframe.errors import AllowanceWarning
from dirframe.writeahead import PATIENCE, write_ahead

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

__all__ = ["ALLOWANCE_FILE", "Allowance", "AllowanceWarning"]

ALLOWANCE_FILE = "allowance.sqlite"

_T = TypeVar("_T")

_DAY = timedelta(days=1)
_PATIENCE = PATIENCE


class Allowance:
    """The requests that a key may make within 24 hours.

    Parameters
    ----------
    folder
        Where the shared count is kept; None to count for this object alone.
    fingerprint
        Tells the key, without leading back to it.
    limit
        Requests within 24 hours.

    Warns
    -----
    AllowanceWarning
        If the file cannot be used, now or later; the count goes on in memory.
    """

    def __init__(self, folder: Path | None, fingerprint: str, limit: int) -> None:
        self.limit = limit
        self._folder = folder
        self._table = f"key_{fingerprint}"
        self._giving_up = threading.Lock()
        try:
            self._open(None if folder is None else folder / ALLOWANCE_FILE)
        except (sqlite3.Error, OSError) as error:
            self._count_alone(error)

    def _open(self, path: Path | None) -> None:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(
            path or ":memory:", timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        try:
            write_ahead(database, patience=_PATIENCE)
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(
                f"CREATE TABLE IF NOT EXISTS {self._table} (name VARCHAR, item_timestamp INTEGER)"
            )
            database.execute(
                f"CREATE INDEX IF NOT EXISTS {self._table}_time ON {self._table} (item_timestamp)"
            )
        except BaseException:
            database.close()
            raise
        self._lock = _Exclusively(database)
        self._bucket = SQLiteBucket(
            [Rate(self.limit, Duration.DAY)], database, self._table, lock=self._lock
        )

    def _count_alone(self, error: Exception) -> None:
        warnings.warn(
            f"The count of requests cannot be kept in {self._folder} ({error}); requests of other "
            "processes with the same key are not seen. Set DIRFRAME_DATA_DIR to a folder that "
            "can be written.",
            AllowanceWarning,
            stacklevel=3,
        )
        self._folder = None
        self._open(None)

    def _even_if_the_file_fails(self, act: Callable[[], _T]) -> _T:
        """Do something with the count, and begin one in memory if the file cannot be used."""
        used = self._bucket
        try:
            return act()
        except sqlite3.Error as error:
            with self._giving_up:
                if self._folder is None and used is self._bucket:
                    raise
                if used is self._bucket:  # no other thread was here before
                    self._count_alone(error)
        return act()

    def spend(self) -> bool:
        """Count one request, if the allowance has room for it; tell whether it had."""
        return self._even_if_the_file_fails(self._spend)

    def _spend(self) -> bool:
        return bool(self._bucket.put(RateItem("request", _now())))

    def give_back(self) -> None:
        """Take back the newest count: the directory refused the request without counting it."""
        self._even_if_the_file_fails(self._give_back)

    def _give_back(self) -> None:
        with self._lock as database:
            database.execute(
                f"DELETE FROM {self._table} WHERE rowid = (SELECT max(rowid) FROM {self._table})"  # noqa: S608  # the name is made of a digest
            )

    def exhaust(self, resets_at: datetime | None = None) -> None:
        """Believe the directory that nothing is left, until a time if it says one.

        It is a day's allowance: what is said to come back later is asked for again in a day.
        """
        self._even_if_the_file_fails(lambda: self._exhaust(resets_at))

    def _exhaust(self, resets_at: datetime | None) -> None:
        if resets_at is not None:
            begin = min(_milliseconds(resets_at - _DAY), _now())
        else:
            known = self.resets_at()
            begin = _milliseconds(known - _DAY) if known else _now()
        missing = self.left()
        if missing:
            self._bucket.put(RateItem("said by the directory", begin, weight=missing))

    def left(self) -> int:
        """Return how many requests may still go out now."""
        return self._even_if_the_file_fails(self._left)

    def _left(self) -> int:
        self._forget_yesterday()
        return max(self.limit - self._bucket.count(), 0)

    def resets_at(self) -> datetime | None:
        """Return when the oldest counted request is a day old; None if none is counted."""
        return self._even_if_the_file_fails(self._resets_at)

    def _resets_at(self) -> datetime | None:
        self._forget_yesterday()
        oldest = self._bucket.peek(self._bucket.count() - 1) if self._bucket.count() else None
        if oldest is None:
            return None
        return datetime.fromtimestamp(oldest.timestamp / 1000, UTC) + _DAY

    def close(self) -> None:
        """Close the file."""
        self._lock.close()

    def _forget_yesterday(self) -> None:
        self._bucket.leak(_now())


class _Exclusively:
    """Keep threads apart by a lock and processes by SQLite's write lock."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._threads = threading.RLock()
        self._depth = 0

    def close(self) -> None:
        with self._threads:
            self._database.close()

    def __enter__(self) -> sqlite3.Connection:
        self._threads.acquire()
        if self._depth == 0:
            try:
                self._database.execute("BEGIN IMMEDIATE")
            except BaseException:
                self._threads.release()
                raise
        self._depth += 1
        return self._database

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._depth -= 1
        # The bucket commits by itself after a change.
        if self._depth == 0 and self._database.in_transaction:
            self._database.execute("COMMIT")
        self._threads.release()


def _now() -> int:
    return time.time_ns() // 1_000_000


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
