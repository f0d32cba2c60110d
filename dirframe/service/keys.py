"""API keys and their daily quotas, exact across threads and processes."""

# Only the hash of a key is stored. A key has 160 random bits, so that an unsalted SHA-256 cannot be
# inverted and can serve as the lookup column.

from __future__ import annotations

import math
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from dirframe._sqlite import (
    DATABASE_FAILURES,
    close_on_error,
    enable_wal,
    open_database,
    seal_of,
)
from dirframe.errors import InvalidInputError, StoreError
from dirframe.settings import user_data_folder

#: Requests per day and key, and applications of a developer (specification, Limits).
DAILY_QUOTA = 1_000
APPLICATIONS_PER_DEVELOPER = 5

#: Seconds to wait for the file, and for the threads before: all of the service may be waiting.
_TIMEOUT = 0.5
_DAY = 86_400
_LATEST = 253_402_300_800  # the year 10000, in seconds since 1970
_LARGEST = 2**63 - 1  # integer of SQLite

_TABLE = """
CREATE TABLE keys (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    developer TEXT NOT NULL,
    application TEXT NOT NULL,
    daily_limit INTEGER NOT NULL CHECK (daily_limit > 0),
    created_at REAL NOT NULL,
    revoked_at REAL,
    window_start REAL NOT NULL DEFAULT 0,
    used INTEGER NOT NULL DEFAULT 0,
    last_used_at REAL,
    seal TEXT -- the digest of the row
)
"""
# A function of the connection makes the seal. Damaged texts may be no UTF-8.
_TEXTS = ", ".join(f"CAST({name} AS BLOB)" for name in ("hash", "developer", "application"))
_KEY = f"id, {_TEXTS}, daily_limit, created_at, revoked_at"
_SEAL = f"seal({_KEY}, window_start, used, last_used_at)"
#: Also if a clock that was days ahead began the window.
_IS_OVER = f"abs(:now - window_start) >= {_DAY}"
#: A clock that was hours ahead blocks a key for a day, from the first request with the right time.
_WINDOW_START = f"iif({_IS_OVER}, :now, min(window_start, :now))"
_USED = f"iif({_IS_OVER}, 1, used + 1)"
_IS_ACTIVE = f"hash = :hash AND revoked_at IS NULL AND seal = {_SEAL}"
# A single statement checks and counts, so that two requests cannot both use the last one. Its values
# are those before the change: the seal is of the new ones.
_COUNT = f"""
UPDATE keys SET used = {_USED}, window_start = {_WINDOW_START}, last_used_at = :now,
    seal = seal({_KEY}, {_WINDOW_START}, {_USED}, :now)
WHERE {_IS_ACTIVE} AND (used < daily_limit OR {_IS_OVER})
"""
_CORRECT_WINDOW = f"""
UPDATE keys SET window_start = :now, seal = seal({_KEY}, :now, used, last_used_at)
WHERE {_IS_ACTIVE} AND window_start > :now
"""
_RESETS_AT = f"""
SELECT id, seal = {_SEAL}, window_start + {_DAY} FROM keys
WHERE hash = :hash AND revoked_at IS NULL
"""
_RECORDS = f"""
SELECT id, developer, application, daily_limit, created_at, revoked_at,
    iif({_IS_OVER}, 0, used) AS used, last_used_at FROM keys ORDER BY id
"""


def default_key_file() -> Path:
    """Return the file of keys where none is named."""
    return user_data_folder() / "keys.sqlite"


@dataclass(frozen=True, slots=True)
class Counted:
    """A request was counted: the key allows it."""


@dataclass(frozen=True, slots=True)
class LimitReached:
    """A request was not counted: the daily limit of the key is used up."""

    seconds: int  # until it is free again


@dataclass(frozen=True, slots=True)
class UnknownKey:
    """A request was not counted: there is no such key, or it was revoked."""


class KeyStore(AbstractContextManager["KeyStore"]):
    """The API keys of a directory, in a SQLite file or, without a path, in memory."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        # One connection with a lock, so that threads never run into SQLite's busy timeout.
        self._lock = threading.Lock()
        try:
            if path:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._database = open_database(path, any_thread=True, timeout=_TIMEOUT)
            with close_on_error(self._database):
                _prepare(self._database)
                self._check()
        except DATABASE_FAILURES as error:
            raise StoreError(f"{path} cannot be used as a key file: {error}.") from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _check(self) -> None:
        """Raise if a key is not what was written."""
        damaged = f"SELECT id FROM keys WHERE seal IS NOT {_SEAL} ORDER BY id"
        row = self._database.execute(damaged).fetchone()
        if row is not None:
            raise self._damaged(row[0])

    def has_active_keys(self) -> bool:
        """Return whether any request for XML can be answered."""
        return any(record["revoked_at"] is None for record in self.records())

    def add(self, developer: str, application: str, *, beyond_limit: bool = False) -> str:
        """Register an application and return its key, 40 hexadecimal digits, which is not stored.

        A developer has five applications, or more by arrangement with the operator
        (`beyond_limit`), each with one key; names are compared in any case.
        """
        developer, application = _name(developer), _name(application)
        key = secrets.token_hex(20)
        with self._access(), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._check()
            sql = "SELECT developer, application FROM keys WHERE revoked_at IS NULL"
            live = [
                of_other.casefold()
                for other, of_other in self._database.execute(sql)
                if other.casefold() == developer.casefold()
            ]
            if application.casefold() in live:
                raise InvalidInputError(
                    f"{developer} has a key for {application}; each application has one. "
                    "Revoke it first, or name another application."
                )
            if len(live) >= APPLICATIONS_PER_DEVELOPER and not beyond_limit:
                raise InvalidInputError(
                    f"{developer} has keys for {', '.join(live)}; a developer may have "
                    f"{APPLICATIONS_PER_DEVELOPER}. Revoke one first, or allow more (--beyond-limit)."
                )
            self._database.execute(
                "INSERT INTO keys (hash, developer, application, daily_limit, created_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (_hash(key), developer, application, DAILY_QUOTA, time.time()),
            )
            self._database.execute(f"UPDATE keys SET seal = {_SEAL} WHERE seal IS NULL")
        return key

    def records(self) -> list[sqlite3.Row]:
        """Return all keys that were ever issued, with the requests of their day; times are Unix times."""
        with self._access():
            self._check()
            cursor = self._database.cursor()
            cursor.row_factory = sqlite3.Row
            records = cursor.execute(_RECORDS, {"now": time.time()}).fetchall()
        for record in records:
            if not _is_sound(record):
                raise self._damaged(record["id"])
        return records

    def _damaged(self, key_id: int) -> StoreError:
        return StoreError(
            f"Key number {key_id} in {self.path} is damaged. Restore the file from a copy."
        )

    def revoke(self, key_id: int) -> None:
        """Revoke a key by its id in `records`."""
        self._change("revoked_at", time.time(), key_id)

    def set_daily_limit(self, key_id: int, daily_limit: int) -> None:
        """Set the requests that a key may make in 24 hours, effective at once."""
        if not 0 < daily_limit <= _LARGEST:
            raise InvalidInputError(
                f"The limit is {daily_limit}; it must be a number of requests from 1 to {_LARGEST}."
            )
        self._change("daily_limit", daily_limit, key_id)

    def _change(self, column: str, value: float, key_id: int) -> None:
        if not 0 < key_id <= _LARGEST:
            raise InvalidInputError(f"There is no active key number {key_id}.")
        sql = f"UPDATE keys SET {column} = ? WHERE id = ? AND revoked_at IS NULL"
        with self._access(), self._database:
            self._database.execute("BEGIN IMMEDIATE")
            self._check()
            changed = self._database.execute(sql, (value, key_id)).rowcount
            self._database.execute(f"UPDATE keys SET seal = {_SEAL} WHERE id = ?", (key_id,))
        if not changed:
            raise InvalidInputError(f"There is no active key number {key_id}.")

    def charge(self, key: str) -> Counted | LimitReached | UnknownKey:
        """Count a request if `key` allows it, within 24 hours from the first one.

        That the file is locked by another program, or cannot be written, is a StoreError.
        """
        now = time.time()
        facts = {"hash": _hash(key), "now": now}
        with self._access():
            if self._database.execute(_COUNT, facts).rowcount:
                return Counted()
            self._database.execute(_CORRECT_WINDOW, facts)
            row = self._database.execute(_RESETS_AT, facts).fetchone()
        if row is None:
            return UnknownKey()
        key_id, is_whole, resets_at = row
        if not is_whole:
            raise self._damaged(key_id)
        return LimitReached(seconds=max(1, math.ceil(float(resets_at) - now)))

    @contextmanager
    def _access(self) -> Iterator[None]:
        if not self._lock.acquire(timeout=_TIMEOUT):
            raise StoreError(f"The key file {self.path} is busy.")
        try:
            yield
        except (*DATABASE_FAILURES, OverflowError) as error:
            raise StoreError(f"The key file {self.path} cannot be used: {error}.") from error
        finally:
            self._lock.release()


def _prepare(database: sqlite3.Connection) -> None:
    """Create the table in an empty file, or raise if it holds another one."""
    database.create_function("seal", -1, lambda *values: seal_of(values), deterministic=True)
    enable_wal(database)  # of a database in memory without effect
    # A crash of the process loses nothing; a power failure may lose the last counts.
    database.execute("PRAGMA synchronous = NORMAL")
    with database:
        database.execute("BEGIN IMMEDIATE")
        tables = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        if not tables:
            database.execute(_TABLE)
        elif tables != [("keys",)]:
            raise sqlite3.DatabaseError("it is a database of another program")


def _is_sound(record: sqlite3.Row) -> bool:
    """Return whether the values of a key are of the types that were written."""
    times = [record["created_at"], record["revoked_at"] or 0.0, record["last_used_at"] or 0.0]
    return (
        all(isinstance(record[name], str) for name in ("developer", "application"))
        and all(isinstance(record[name], int) for name in ("daily_limit", "used"))
        and all(isinstance(moment, float) and 0 <= moment < _LATEST for moment in times)
    )


def _hash(key: str) -> str:
    return sha256(key.encode("utf-8", "replace")).hexdigest()


def _name(text: str) -> str:
    name = " ".join(text.split())
    if not name or not name.isprintable() or len(name) > 200:
        raise InvalidInputError(f"{text!r} is not a printable name of at most 200 characters.")
    return name
