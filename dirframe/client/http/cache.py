"""The persistent cache of fetched pages: one SQLite file, with the serialiser of requests-cache."""

from __future__ import annotations

import gzip
import math
import sqlite3
import threading
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from requests_cache.models.request import CachedRequest
from requests_cache.models.response import CachedResponse
from requests_cache.serializers import SerializerPipeline, Stage, json_serializer, utf8_encoder

from dirframe._display import card
from dirframe._sqlite import DATABASE_FAILURES, close_on_error, enable_wal, open_database
from dirframe.errors import CacheError, CacheWarning, warn
from dirframe.settings import cache_folder

#: The number is the version of the format; each version has a file of its own.
_FILE = "http-cache-3.sqlite"
#: Seconds to wait for another program that holds the file.
_TIMEOUT = 5.0
#: Times are seconds since 1970; `expires` is for `prune_cache` alone: age is judged when a page is read.
_TABLE = """
CREATE TABLE IF NOT EXISTS responses (
    key TEXT PRIMARY KEY,
    content BLOB NOT NULL,     -- the response, as requests-cache writes it, compressed
    received_at REAL NOT NULL,
    requests INTEGER NOT NULL, -- that were made for it
    expires REAL NOT NULL
)
"""
#: JSON: a file from elsewhere can hold wrong data, but no code. Compressed to a fifth.
#: Without its own time, which gzip cannot hold of clocks before 1970 and after 2106.
_COMPRESSED = Stage(dumps=lambda text: gzip.compress(text, 3, mtime=0), loads=gzip.decompress)
_SERIALIZER = SerializerPipeline([*json_serializer.stages, utf8_encoder, _COMPRESSED])


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedPage:
    """A page of the cache: its content, the URL that it came from, when, and what it cost."""

    content: bytes
    url: str
    received_at: datetime
    requests: int

    def is_fresh(self, expire_after: timedelta) -> bool:
        """Return whether it is at most so old; one dated in the future has no known age."""
        return timedelta(0) <= datetime.now(UTC) - self.received_at <= expire_after


class PageCache:
    """Pages in a folder, or nowhere: a file that fails neither ends nor holds up a load.

    The SQLite backend of requests-cache waits for ever for a file that it may not write to, and
    stores nothing on a full disk without a word. Here a `CacheWarning` is issued once, and the file
    is only read from then on.
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else folder / _FILE
        self._access = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._is_read_only = False

    def get(self, key: str) -> CachedPage | None:
        """Return a page of any age; None if it is missing or cannot be read."""
        row = self._first_row(
            "SELECT content, received_at, requests FROM responses WHERE key = ?", key
        )
        if row is None:
            return None
        packed, received_at, requests = row
        try:
            response: Any = _SERIALIZER.loads(packed)
            content, url = response.content, response.url
            moment = datetime.fromtimestamp(received_at, UTC)
            if not (isinstance(content, bytes) and content and isinstance(url, str) and url):
                return None
            # The compressed response has a checksum, the other columns have none.
            if (response.request.url, response.created_at) != (key, moment):
                return None
            return CachedPage(
                content=content,
                url=url,
                received_at=moment,
                requests=int(requests),
            )
        except Exception:  # noqa: BLE001  # what a damaged entry, or that of somebody else, may raise
            return None

    def has(self, key: str, *, expire_after: timedelta | None = None) -> bool:
        """Return whether there is a page, of any age or not older, without reading it."""
        if expire_after is None:
            return self._first_row("SELECT 1 FROM responses WHERE key = ?", key) is not None
        now = datetime.now(UTC)
        earliest = now.timestamp() - expire_after.total_seconds()
        statement = "SELECT 1 FROM responses WHERE key = ? AND received_at BETWEEN ? AND ?"
        return self._first_row(statement, key, earliest, now.timestamp()) is not None

    def put(self, key: str, page: CachedPage, *, expire_after: timedelta) -> None:
        """Store a page, unless the file cannot be written."""
        response = CachedResponse(
            content=page.content,
            status_code=200,
            url=page.url,
            request=CachedRequest(method="GET", url=key),
            created_at=page.received_at,
        )
        received_at = page.received_at.timestamp()
        self._first_row(
            "INSERT OR REPLACE INTO responses VALUES (?, ?, ?, ?, ?)",
            *(key, _SERIALIZER.dumps(response), received_at, page.requests),
            received_at + expire_after.total_seconds(),
        )

    def remove(self, key: str) -> None:
        """Remove a page, if it is there and the file can be written."""
        if self.has(key):
            self._first_row("DELETE FROM responses WHERE key = ?", key)

    def close(self) -> None:
        """Close the file; a request still in flight then stores nothing."""
        with self._access:
            if self._database is not None:
                self._database.close()
            self._file = self._database = None

    def _first_row(self, statement: str, *values: object) -> tuple[Any, ...] | None:
        """Run a statement and return its first row; None if the file fails, or may not be used."""
        with self._access:
            if self._file is None:
                return None
            try:
                return self._run(self._file, statement, values)
            except DATABASE_FAILURES as error:
                if self._is_read_only:
                    return None
                if self._database is not None:
                    self._database.close()
                self._database = None
                self._is_read_only = True
                _warn(self._file, error)
            try:
                return self._run(self._file, statement, values)
            except DATABASE_FAILURES:
                return None

    def _run(
        self, file: Path, statement: str, values: tuple[object, ...]
    ) -> tuple[Any, ...] | None:
        if self._database is None:
            self._database = _open_to_read(file) if self._is_read_only else _open(file)
        row: tuple[Any, ...] | None = self._database.execute(statement, values).fetchone()
        return row


def _open(file: Path) -> sqlite3.Connection:
    file.parent.mkdir(parents=True, exist_ok=True)
    with close_on_error(open_database(file, timeout=_TIMEOUT, any_thread=True)) as database:
        enable_wal(database)
        database.execute("PRAGMA synchronous = NORMAL")  # a page is worth no wait for the disk
        database.execute(_TABLE)
    return database


def _open_to_read(file: Path) -> sqlite3.Connection:
    # Without a log nobody writes to the file, and it is read where SQLite cannot make one.
    has_log = file.with_name(f"{_FILE}-wal").exists()
    mode = "ro" if has_log else "ro&immutable=1"
    return open_database(file, mode=mode, timeout=_TIMEOUT, any_thread=True)


def _warn(file: Path, error: Exception) -> None:
    warn(
        CacheWarning(
            f"The cache {file} cannot be used in full ({error}). The load continues with what can "
            "be read of it, and other pages are requested again next time.",
            hint="Name another folder by cache= or DIRFRAME_CACHE_DIR, or remove the file with "
            "dirframe.clear_cache() (dirframe cache clear).",
        )
    )


@dataclass(frozen=True, kw_only=True, repr=False)
class CacheInfo:
    """Location and size of the cache."""

    file: Path
    size_bytes: int  # on disk, with SQLite's companion files
    pages: int

    def __repr__(self) -> str:
        size = f"{self.size_bytes / 1024**2:,.1f} MiB"
        facts = {"file": str(self.file), "size": size, "pages": f"{self.pages:,}"}
        return card("Cache of fetched pages", facts)


def cache_info(folder: str | Path | None = None) -> CacheInfo:
    """Return location and size of the cache, without reading a page.

    Parameters
    ----------
    folder : str or pathlib.Path, optional
        Its folder. Default: DIRFRAME_CACHE_DIR, then the user's cache folder.

    Returns
    -------
    CacheInfo
        File, size in bytes and number of pages; a `CacheWarning` says that the file cannot be read.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> dirframe.cache_info(tempfile.mkdtemp()).pages
    0
    """
    file, pages = cache_folder(folder) / _FILE, 0
    if file.exists():
        try:
            with closing(_open_to_read(file)) as database:
                [pages] = database.execute("SELECT count(*) FROM responses").fetchone()
        except DATABASE_FAILURES as error:
            _warn(file, error)
    size = sum(part.stat().st_size for part in file.parent.glob(f"{_FILE}*"))
    return CacheInfo(file=file, size_bytes=size, pages=pages)


def clear_cache(folder: str | Path | None = None) -> int:
    """Remove every page from the cache, and return their number; a damaged file is deleted.

    Parameters
    ----------
    folder : str or pathlib.Path, optional
        As in `cache_info`.

    Raises
    ------
    CacheError
        If another program holds the file; if it can neither be written nor removed.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> dirframe.clear_cache(tempfile.mkdtemp())
    0
    """
    return _delete(folder, before=math.inf)


def prune_cache(folder: str | Path | None = None) -> int:
    """Remove the pages that have expired, and return their number.

    Parameters
    ----------
    folder : str or pathlib.Path, optional
        As in `cache_info`; errors as in `clear_cache`.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> dirframe.prune_cache(tempfile.mkdtemp())
    0
    """
    return _delete(folder, before=time.time())


def _delete(folder: str | Path | None, *, before: float) -> int:
    """Remove the pages that expire until then, and return their number."""
    file = cache_folder(folder) / _FILE
    if not file.exists():
        return 0
    try:
        # By SQL: other processes that have the file open go on with an empty one.
        with closing(_open(file)) as database:
            deleted = database.execute("DELETE FROM responses WHERE expires <= ?", [before])
            if before == math.inf:  # the table may have lost a column
                database.execute("DROP TABLE responses")
                database.execute(_TABLE)
            database.execute("VACUUM")
            return deleted.rowcount
    except DATABASE_FAILURES as error:
        # A file that another process writes to is sound.
        is_busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
        with suppress(OSError):
            if before == math.inf and not is_busy:
                for part in sorted(file.parent.glob(f"{_FILE}*"), reverse=True):
                    part.unlink(missing_ok=True)
                return 0
        raise CacheError(
            f"The cache {file} was not cleared ({error}).",
            hint="Name another folder by cache= or DIRFRAME_CACHE_DIR.",
        ) from None
