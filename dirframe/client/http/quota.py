"""The daily quota of a key: counted on this machine, shared by all processes of a user."""

# A directory allows a number of requests per day and key (1,000 by the specification). A request may
# be sent if fewer were sent in the 24 hours before it. This never exceeds the quota of a directory
# that counts from the first request of a day, unless the clock of the machine is a day ahead for a while:
# no other clock lasts from one process to the next.
#
# The count is in a file that all processes share. Each process also remembers its own requests, and
# how many others it saw: if the file fails, it counts on from there, and what a new file lacks is
# added to it.

from __future__ import annotations

import math
import os
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from dirframe._display import card, quantity
from dirframe._sqlite import DATABASE_FAILURES, close_on_error, open_database
from dirframe.client.http.responses import RUN_AGAIN_LATER
from dirframe.errors import DirframeError, QuotaExceededError, QuotaWarning, warn

_DAY = timedelta(days=1)
_FILE = "quota.sqlite"
#: Seconds to wait for another process that holds the file, and after the file has failed once.
_TIMEOUT = 30.0
_SHORT_TIMEOUT = 0.1

#: Times are seconds since 1970. A row is a request; or, if a directory says that the quota is used up,
#: all that was left of it.
_TABLE = """
CREATE TABLE IF NOT EXISTS requests (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, sent_at REAL NOT NULL, count INTEGER NOT NULL
)
"""
#: A row that is damaged counts as a request that was just sent.
_STATE = """
SELECT coalesce(sum(number), 0), coalesce(sum(number) FILTER (WHERE is_own), 0), min(moment)
FROM (
    SELECT
        iif(typeof(count) = 'integer' AND count BETWEEN 1 AND 1000000000, count, 1) AS number,
        iif(typeof(sent_at) IN ('real', 'integer'), sent_at, :now) AS moment,
        id BETWEEN :first AND :last AS is_own
    FROM requests WHERE fingerprint = :fingerprint
)
WHERE moment > :day_ago
"""
#: Nobody waits for longer than a day.
_DATE_BY_NOW = """
UPDATE requests SET sent_at = :now
WHERE sent_at > :now OR typeof(sent_at) NOT IN ('real', 'integer')
"""


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

    The count is in a file of `folder`, or in memory without one. If the file fails, a `QuotaWarning`
    is issued once, and this process counts on from what it knows to be used; each further request
    tries the file again.
    """

    def __init__(self, folder: Path | None, fingerprint: str, limit: int) -> None:
        self.limit = limit
        self._path = None if folder is None else folder / _FILE
        self._fingerprint = fingerprint
        self._known = _Known() if self._path is None else _known_of(self._path, fingerprint)
        self._file: _CountFile | None = None
        self._failure: Exception | None = None
        self._may_lack_requests = False
        self._is_warned = False
        self._is_closed = False
        with self._known.lock:
            seen = self._known.file
            if self._known.users == 0 and seen is not None and seen != _identity_of(self._path):
                self._known.forget()  # a person deleted or replaced the file between two loads
            self._known.users += 1
        self.state()

    def state(self) -> Quota:
        """Return what is used and left."""
        with self._counting():
            used, oldest = self._state()
        left = max(self.limit - used, 0)
        resets_at = None if oldest is None else datetime.fromtimestamp(oldest, UTC) + _DAY
        return Quota(limit=self.limit, used=used, left=left, resets_at=resets_at)

    def acquire(self, url: str) -> int:
        """Count a request of a URL, and return a receipt for `release`; raise if none is left."""
        with self._counting():
            receipt = self._add(1, time.time())
        if receipt is not None:
            return receipt
        resets_at = self.state().resets_at
        raise QuotaExceededError(
            f"{url} was not requested: the quota of {quantity(self.limit, 'request')} within 24 hours is "
            f"used up, and the next one is free at {resets_at or datetime.now(UTC):%Y-%m-%d %H:%M} UTC.",
            url=url,
            resets_at=resets_at,
            hint=RUN_AGAIN_LATER,
        )

    def release(self, receipt: int) -> None:
        """Undo one count: the request was not sent, or the directory did not count it."""
        with self._counting():
            self._known.remove(receipt)
            try:
                file = self._opened()
                if file is not None:
                    file.remove(receipt)
            except DATABASE_FAILURES as error:
                self._leave(error)

    def mark_exhausted(self, resets_at: datetime | None) -> datetime | None:
        """Mark the quota as used up until then, for a day at most, and return when it is back."""
        tomorrow = datetime.now(UTC) + _DAY
        reset = min(resets_at or self.state().resets_at or tomorrow, tomorrow)
        with self._counting():
            self._add(self.limit, (reset - _DAY).timestamp())
        return resets_at or self.state().resets_at

    def close(self) -> None:
        """Close the file."""
        with self._known.lock:
            if not self._is_closed:
                self._is_closed = True
                self._known.users -= 1
            if self._file is not None:
                self._file.close()

    @contextmanager
    def _counting(self) -> Iterator[None]:
        """Run a block that counts while no other thread does; then warn if the file failed."""
        with self._known.lock:
            if self._is_closed:
                raise DirframeError(
                    "The directory was closed while it was used; no further request is made.",
                    hint="Close it after the last load. Loaded pages are in the cache.",
                )
            self._known.expire()
            yield
            used = self._known.used + self._known.others.count
        if self._failure is None or self._is_warned:
            return
        self._is_warned = True
        warn(
            QuotaWarning(
                f"The count of requests cannot be kept in {self._path} ({self._failure}). This process "
                f"counts alone, and goes on from {quantity(used, 'request')} of the last 24 hours; those of "
                "other processes with the same key are not seen.",
                hint="Set DIRFRAME_DATA_DIR to a folder that can be written.",
            )
        )

    def _state(self) -> tuple[int, float | None]:
        """Return the number of requests within 24 hours, and when the oldest of them was sent."""
        try:
            file = self._opened()
            if file is not None:
                self._compare(file)  # first, for a file that can only be read
                file.tidy()
                return self._compare(file)
        except DATABASE_FAILURES as error:
            self._leave(error)
        return self._known.state()

    def _add(self, number: int, sent_at: float) -> int | None:
        """Count requests, at most those that are left, and return a receipt; None if none is left."""
        receipt = next(self._known.receipts)
        try:
            request = self._add_to_file(receipt, number, sent_at)
        except DATABASE_FAILURES as error:
            self._leave(error)
            request = None
        if self._file is None:
            used, _ = self._known.state()
            request = _Request(sent_at, min(number, self.limit - used))
        if request is None or request.count <= 0:
            return None
        self._known.add(receipt, request)
        return receipt

    def _add_to_file(self, receipt: int, number: int, sent_at: float) -> _Request | None:
        """Count requests in the file, if there is one."""
        file = self._opened()
        if file is None:
            return None
        # No other process counts between the two.
        with file.transaction():
            used, _ = self._compare(file)
            request = _Request(sent_at, min(number, self.limit - used))
            if request.count > 0:
                file.add({receipt: request})
        return request

    def _opened(self) -> _CountFile | None:
        """Return the file, opened again if it was replaced; None if the count is in memory alone."""
        if self._path is None:
            return None
        if self._file is not None and self._known.file != _identity_of(self._path):
            self._file.close()
            self._file = None
            self._may_lack_requests = True
        if self._file is None:
            timeout = _TIMEOUT if self._failure is None else _SHORT_TIMEOUT
            try:
                self._file = _CountFile(self._path, self._fingerprint, timeout)
            finally:
                self._known.file = _identity_of(self._path)
        return self._file

    def _compare(self, file: _CountFile) -> tuple[int, float | None]:
        """Return the state of the file, to which requests that it lacks are added first."""
        known = self._known
        used, own, oldest = file.state(known.first_receipt)
        if self._may_lack_requests or own < known.used:
            seen = known.others
            known.others = _Request(time.time(), used - own)
            lost = seen.count - known.others.count
            if lost > 0:
                known.add(next(known.receipts), _Request(seen.sent_at, lost))
            file.add(known.own)
            used, own, oldest = file.state(known.first_receipt)
            self._may_lack_requests = False
        known.others = _Request(time.time(), used - own)
        return used, oldest

    def _leave(self, error: Exception) -> None:
        """Close a file that failed."""
        self._failure = error
        self._may_lack_requests = True
        if self._file is not None:
            self._file.close()
            self._file = None


@dataclass(frozen=True, slots=True)
class _Request:
    """A request; or as many as were counted at that time."""

    sent_at: float  # seconds since 1970
    count: int


class _Known:
    """The requests of a key that a process knows of; it outlives a directory."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0  # directories that are open
        self.file: tuple[int, int] | None = None  # as it was seen last
        #: Those of a process are one range, which it shares with no other.
        self.first_receipt = secrets.randbits(31) << 32
        self.receipts = count(self.first_receipt)
        self.forget()

    def forget(self) -> None:
        """Begin without requests."""
        self.own: dict[int, _Request] = {}  # by receipt
        self.used = 0  # of the requests of this process
        self.others = _Request(0.0, 0)  # of other processes, as they were seen last
        self._oldest, self._newest = math.inf, -math.inf

    def add(self, receipt: int, request: _Request) -> None:
        """Add a request of this process."""
        self.own[receipt] = request
        self.used += request.count
        self._oldest = min(self._oldest, request.sent_at)
        self._newest = max(self._newest, request.sent_at)

    def remove(self, receipt: int) -> None:
        """Remove a request of this process."""
        request = self.own.pop(receipt, None)
        if request is not None:
            self.used -= request.count

    def expire(self) -> None:
        """Forget the requests of other days."""
        now = time.time()
        if self.others.sent_at <= _day_ago():
            self.others = _Request(0.0, 0)
        if self._oldest > _day_ago() and self._newest <= now:
            return
        before, others = self.own, self.others
        self.forget()
        self.others = others
        for receipt, request in before.items():
            if request.sent_at > now:  # by a clock that was ahead
                self.add(receipt, _Request(now, request.count))
            elif request.sent_at > _day_ago():
                self.add(receipt, request)

    def state(self) -> tuple[int, float | None]:
        """Return the number of requests within 24 hours, and when the oldest of them was sent."""
        requests = list(self.own.values())
        if self.others.count:
            requests.append(self.others)
        oldest = min((request.sent_at for request in requests), default=None)
        return sum(request.count for request in requests), oldest


#: By process: a fork inherits locks, which may be held.
_known: dict[tuple[int, Path, str], _Known] = {}


def _known_of(path: Path, fingerprint: str) -> _Known:
    """Return what this process knows of a key in a file."""
    return _known.setdefault((os.getpid(), path.absolute(), fingerprint), _Known())


class _CountFile:
    """The requests of a key in the file that all processes share."""

    def __init__(self, path: Path, fingerprint: str, timeout: float) -> None:
        self._fingerprint = fingerprint
        path.parent.mkdir(parents=True, exist_ok=True)
        with close_on_error(open_database(path, timeout=timeout, any_thread=True)) as database:
            # The count of a day is worth no wait for the disk: only a power cut can lose it.
            database.execute("PRAGMA synchronous = OFF")
            database.execute(_TABLE)
        self._database = database

    def state(self, first_receipt: int) -> tuple[int, int, float | None]:
        """Return how many requests are used, how many of them by this process, and the oldest time."""
        facts = {
            "fingerprint": self._fingerprint,
            "now": time.time(),
            "day_ago": _day_ago(),
            "first": first_receipt,
            "last": first_receipt + 2**32 - 1,
        }
        used, own, oldest = self._database.execute(_STATE, facts).fetchone()
        return used, own, oldest

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run a block while no other process reads or writes the count."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def add(self, requests: Mapping[int, _Request]) -> None:
        """Add the requests that the file lacks, by receipt."""
        rows = [
            (receipt, self._fingerprint, request.sent_at, request.count)
            for receipt, request in requests.items()
        ]
        self._database.executemany("INSERT OR IGNORE INTO requests VALUES (?, ?, ?, ?)", rows)

    def remove(self, receipt: int) -> None:
        """Remove a request."""
        self._database.execute("DELETE FROM requests WHERE id = ?", [receipt])

    def tidy(self) -> None:
        """Forget the requests of other days, and date those of a clock that was ahead by now."""
        now = time.time()
        self._database.execute("DELETE FROM requests WHERE sent_at <= ?", [_day_ago()])
        self._database.execute(_DATE_BY_NOW, {"now": now})

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _identity_of(path: Path | None) -> tuple[int, int] | None:
    """Return what tells a file from another one of its name; None if there is none."""
    if path is None:
        return None
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _day_ago() -> float:
    """Return the time 24 hours ago, in seconds since 1970."""
    return time.time() - _DAY.total_seconds()
