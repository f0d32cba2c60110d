"""API keys and their daily quotas, exact across threads and processes."""

# Only the hash of a key is stored. A key has 160 random bits, so that an unsalted SHA-256 cannot be
# inverted and can serve as the lookup column.

from __future__ import annotations

import math
import secrets
import sqlite3
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Self

from dirframe._sqlite import (
    BUSY_TIMEOUT,
    close_on_error,
    enable_wal,
    file_format,
    open_database,
    set_file_format,
    transaction,
)
from dirframe.errors import InvalidInputError, StoreError
from dirframe.settings import data_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Requests per day and key, and applications of a developer (specification, Limits).
DAILY_QUOTA = 1_000
APPLICATIONS_PER_DEVELOPER = 5

#: Path of keys that are kept in memory.
IN_MEMORY = ":memory:"

#: Seconds that a request waits for the file: all threads of the service may be waiting.
_CHARGE_TIMEOUT = 0.5
_LARGEST = 2**63 - 1  # whole number of SQLite
_DAY = 86_400
_FORMAT = (0x6469726B, 1)

_TABLE = """
CREATE TABLE keys (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    developer TEXT NOT NULL,
    application TEXT NOT NULL,
    daily_limit INTEGER NOT NULL,
    created_at REAL NOT NULL,
    revoked_at REAL,
    window_start REAL NOT NULL DEFAULT 0,
    used INTEGER NOT NULL DEFAULT 0
)
"""
_RECORDS = """
SELECT id, developer, application, daily_limit, iif(window_start > :now - :day, used, 0), created_at,
    revoked_at, iif(window_start > :now - :day, window_start + :day, NULL)
FROM keys ORDER BY id
"""
# A single statement checks and counts, so that two requests cannot both use the last one.
_COUNT = """
UPDATE keys SET
    used = CASE WHEN window_start <= :now - :day THEN 1 ELSE used + 1 END,
    window_start = CASE WHEN window_start <= :now - :day THEN :now
        ELSE min(window_start, :now) END
WHERE hash = :hash AND revoked_at IS NULL
    AND (used < daily_limit OR window_start <= :now - :day)
RETURNING daily_limit - used
"""
#: A clock that was ahead may have started the window in the future; start it now.
_REDATE = "UPDATE keys SET window_start = :now WHERE hash = :hash AND window_start > :now"
_REFUSED = "SELECT window_start FROM keys WHERE hash = :hash AND revoked_at IS NULL"


@dataclass(frozen=True)
class QuotaDecision:
    """Whether a key is known and the request allowed; `retry_after` is in seconds."""

    known: bool
    allowed: bool
    remaining: int = 0
    retry_after: int = 0


@dataclass(frozen=True)
class KeyRecord:
    """A key without its secret; times are seconds since 1970, `used` requests since `resets_at` less a day."""

    id: int
    developer: str
    application: str
    daily_limit: int
    used: int
    created_at: float
    revoked_at: float | None
    resets_at: float | None


class KeyStore:
    """The API keys of a directory, in a SQLite file; by default ``keys.sqlite`` in the data folder."""

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = data_folder() / "keys.sqlite" if path is None else Path(path)
        # One connection with a lock, so that threads never run into SQLite's busy timeout.
        self._lock = threading.Lock()
        try:
            if path == IN_MEMORY:
                self._database = open_database(None, any_thread=True)
            else:
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._database = open_database(self.path, any_thread=True)
            with close_on_error(self._database):
                self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"The keys cannot be kept in {self.path}: {error}.") from error

    def _prepare(self) -> None:
        database = self._database
        enable_wal(database)  # of a database in memory without effect
        # A crash of the process loses nothing; a power failure may lose the last counts.
        database.execute("PRAGMA synchronous = NORMAL")
        with transaction(database):
            stamp = file_format(database)
            (tables,) = database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if not tables and not any(stamp):
                database.execute(_TABLE)
                set_file_format(database, *_FORMAT)
            elif stamp != _FORMAT:
                raise StoreError(f"{self.path} holds no keys of this version of dirframe.")

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def add(self, developer: str, application: str, *, daily_limit: int = DAILY_QUOTA) -> str:
        """Register an application and return its key, 40 hexadecimal digits, which is not kept.

        A developer has five applications at most, each with one key; names are compared in any
        case.
        """
        developer, application = _name("developer", developer), _name("application", application)
        _check_limit(daily_limit)
        key = secrets.token_hex(20)
        with self._access(), transaction(self._database):
            rows = self._database.execute(
                "SELECT developer, application FROM keys WHERE revoked_at IS NULL"
            )
            live = [a.casefold() for d, a in rows if d.casefold() == developer.casefold()]
            if application.casefold() in live:
                raise InvalidInputError(
                    f"{developer} already has a key for {application}. Revoke it to get a new one."
                )
            if len(live) >= APPLICATIONS_PER_DEVELOPER:
                raise InvalidInputError(
                    f"{developer} has {len(live)} applications, and "
                    f"{APPLICATIONS_PER_DEVELOPER} are the most. Revoke one first."
                )
            self._database.execute(
                "INSERT INTO keys (hash, developer, application, daily_limit, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (_hash(key), developer, application, daily_limit, time.time()),
            )
        return key

    def records(self) -> list[KeyRecord]:
        """Return all keys that were ever issued, in order."""
        with self._access():
            rows = self._database.execute(_RECORDS, {"now": time.time(), "day": _DAY}).fetchall()
        return [KeyRecord(*row) for row in rows]

    def revoke(self, key_id: int) -> None:
        """Revoke a key by its id in `records`."""
        self._change("revoked_at", time.time(), key_id)

    def set_daily_limit(self, key_id: int, daily_limit: int) -> None:
        """Set the requests that a key may make in 24 hours, effective at once."""
        _check_limit(daily_limit)
        self._change("daily_limit", daily_limit, key_id)

    def _change(self, column: str, value: float, key_id: int) -> None:
        changed = 0
        if 0 < key_id <= _LARGEST:
            with self._access():
                changed = self._database.execute(
                    f"UPDATE keys SET {column} = ? WHERE id = ? AND revoked_at IS NULL",
                    (value, key_id),
                ).rowcount
        if not changed:
            raise InvalidInputError(f"There is no active key number {key_id}.")

    def charge(self, key: str) -> QuotaDecision:
        """Count one request with `key` if it is allowed, within 24 hours from the first one.

        That the file is locked by another program, or cannot be written, is a StoreError.
        """
        facts = {"hash": _hash(key), "now": time.time(), "day": _DAY}
        with self._access(_CHARGE_TIMEOUT):
            if row := self._database.execute(_COUNT, facts).fetchone():
                return QuotaDecision(known=True, allowed=True, remaining=row[0])
            self._database.execute(_REDATE, facts)
            row = self._database.execute(_REFUSED, facts).fetchone()
        if row is None:
            return QuotaDecision(known=False, allowed=False)
        wait = math.ceil(row[0] + _DAY - time.time())
        return QuotaDecision(known=True, allowed=False, retry_after=max(1, wait))

    @contextmanager
    def _access(self, seconds: float = BUSY_TIMEOUT) -> Iterator[None]:
        """Hold the connection; wait so long for other threads, and for other processes."""
        if not self._lock.acquire(timeout=seconds):
            raise StoreError(f"The file {self.path} of the keys is in use.")
        try:
            self._database.execute(f"PRAGMA busy_timeout = {seconds * 1_000:.0f}")
            yield
        except sqlite3.Error as error:
            raise StoreError(f"The keys in {self.path} cannot be used: {error}.") from error
        finally:
            self._lock.release()


def _hash(key: str) -> str:
    return sha256(key.encode("utf-8", "replace")).hexdigest()


def _name(what: str, text: str) -> str:
    name = " ".join(text.split())
    if not name or not name.isprintable() or len(name) > 200:
        raise InvalidInputError(
            f"The {what} is {text!r}; it must be a printable name of at most 200 characters."
        )
    return name


def _check_limit(daily_limit: int) -> None:
    if not 1 <= daily_limit <= _LARGEST:
        raise InvalidInputError(
            f"The daily limit is {daily_limit}; it must be 1 or more, and {_LARGEST} or less. "
            "Revoke a key to stop it."
        )
