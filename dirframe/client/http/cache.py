"""Persistent HTTP cache: requests-cache over SQLite, in a documented format."""

# An entry is one line of JSON (address, status, content type, times) and the body, compressed
# with LZ4 by pyarrow. No pickle: a cache file from elsewhere can contain wrong data, but no code.
# If the file cannot be used (damaged, locked, read-only, disk full), a warning is issued and the
# load continues without the cache.

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pyarrow as pa
from requests_cache.backends.sqlite import SQLiteDict
from requests_cache.serializers import SerializerPipeline, Stage

from dirframe._display.card import Card
from dirframe._sqlite import enable_wal, file_identity, open_database
from dirframe.errors import CacheWarning, Hint, warn
from dirframe.settings import cache_folder

if TYPE_CHECKING:
    from pathlib import Path

#: The number is the version of the format; each version has a file of its own.
CACHE_FILE = "http-cache-1.sqlite"

_CODEC = "lz4"

#: Raised by damaged entries in addition to what requests-cache catches.
_BAD_ENTRY = (pa.ArrowException, OSError, LookupError, RecursionError, MemoryError)

#: Maximum number of bytes in an entry's header; no directory's page comes near.
_MAX_SIZE = 2**31
_TIMEOUT = 10.0


@dataclass(frozen=True)  # requests-cache sets an attribute, and accepts only an AttributeError
class CachedPage:
    """A cached document and its final URL."""

    content: bytes
    retrieved: datetime
    url: str
    content_type: str

    @property
    def age(self) -> timedelta:
        """Time since it was fetched."""
        return datetime.now(UTC) - self.retrieved


class ResponseCache:
    """Cache of documents on disk, by key.

    Parameters
    ----------
    folder
        Folder of the cache file; None for no cache.

    Warns
    -----
    CacheWarning
        Once, if the file cannot be opened, read or written.
    """

    def __init__(self, folder: Path | None) -> None:
        # One thread at a time: closing a connection while another thread reads from it
        # crashes the process.
        self._lock = threading.RLock()
        self._file = None if folder is None else folder / CACHE_FILE
        self._pages: SQLiteDict | None = None
        self._probe: sqlite3.Connection | None = None
        self._identity: object = None
        if self._file is None:
            return
        try:
            self._open(self._file)
        except (OSError, sqlite3.Error) as error:
            self._give_up(str(error))

    def _open(self, file: Path) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        # requests-cache would retry for ever to write a file that is locked or read-only.
        self._check_writable()
        self._pages = SQLiteDict(file, "responses", serializer=_serializer(), wal=True)
        self._identity = file_identity(file)

    def get(self, key: str) -> CachedPage | None:
        """Return a document of any age; None if it is missing or cannot be read."""
        with self._lock:
            if self._pages is None:
                return None
            try:
                page: CachedPage | None = self._pages.get(key)  # None too if it cannot be read
            except (sqlite3.Error, OSError) as error:
                self._give_up(str(error))
                return None
        return page if page is not None and page.content else None

    def put(self, key: str, url: str, content: bytes, content_type: str) -> datetime:
        """Store a document and return the time; a failure is warned of once."""
        page = CachedPage(content, datetime.now(UTC), url, content_type)
        with self._lock:
            if self._pages is None or self._file is None:
                return page.retrieved
            try:
                # Another process may have cleared the cache: the file that is open is gone with it.
                if file_identity(self._file) != self._identity:
                    self.close()
                    self._open(self._file)
                self._check_writable()
                self._pages[key] = page
                if key not in self._pages:
                    self._give_up("it stores nothing; the disk may be full")
            except (OSError, sqlite3.Error) as error:
                self._give_up(str(error))
        return page.retrieved

    def fetch_times(self) -> list[datetime]:
        """Return the fetch time of each document."""
        return [page.retrieved for _, page in self._readable()]

    def prune(self, *, older_than: timedelta) -> int:
        """Remove the documents older than an age; return their number."""
        before = datetime.now(UTC) - older_than
        old = [key for key, page in self._readable() if page.retrieved < before]
        if self._pages is not None and old:
            self._pages.bulk_delete(old)
            self._pages.vacuum()
        return len(old)

    def _readable(self) -> list[tuple[str, CachedPage]]:
        pages = {} if self._pages is None else self._pages
        return [(key, page) for key, page in pages.items() if page is not None]

    def close(self) -> None:
        """Close the file; a request still in flight then stores nothing."""
        with self._lock, suppress(sqlite3.Error):
            if self._probe is not None:
                self._probe.close()
                self._probe = None
            if self._pages is not None:
                self._pages.close()
                self._pages = None

    def _check_writable(self) -> None:
        if self._probe is None:
            self._probe = open_database(self._file, timeout=_TIMEOUT, any_thread=True)
            # requests-cache does not wait for another process that creates the same file.
            enable_wal(self._probe, timeout=_TIMEOUT)
        self._probe.execute("BEGIN IMMEDIATE")
        self._probe.execute("ROLLBACK")

    def _give_up(self, reason: str) -> None:
        self.close()
        warn(
            CacheWarning(
                f"The cache {self._file} cannot be used ({reason}). The load continues without it, "
                "so pages are requested again next time.",
                hint=Hint(
                    "Name another folder by cache_dir= or DIRFRAME_CACHE_DIR, or remove the file "
                    "with dirframe.clear_cache().",
                    shell="Name another folder by DIRFRAME_CACHE_DIR, or remove the file with "
                    "`dirframe cache clear`.",
                ),
            )
        )


def _serializer() -> SerializerPipeline:
    return SerializerPipeline([Stage(dumps=_pack, loads=_unpack)], name="lines", is_binary=True)


def _pack(page: CachedPage) -> bytes:
    head = {
        "url": page.url,
        "status": 200,  # of the format: only successes are stored
        "type": page.content_type,
        "created": page.retrieved.isoformat(),
        "size": len(page.content),
    }
    packed: bytes = pa.compress(page.content, codec=_CODEC, asbytes=True)
    return json.dumps(head).encode() + b"\n" + packed


def _unpack(entry: bytes) -> CachedPage:
    line, _, packed = entry.partition(b"\n")
    try:
        head = json.loads(line)
        if not 0 <= head["size"] <= _MAX_SIZE:
            raise ValueError("an impossible size")
        return CachedPage(
            pa.decompress(packed, head["size"], codec=_CODEC, asbytes=True),
            # A time without a zone cannot be compared with others.
            datetime.fromisoformat(head["created"]).astimezone(UTC),
            head["url"],
            head["type"],
        )
    except _BAD_ENTRY as error:
        # requests-cache treats it as a missing entry, also when it lists all of them.
        raise ValueError("a damaged entry") from error


@dataclass(frozen=True, kw_only=True, repr=False)
class CacheInfo(Card):
    """Location, size and age of the cache.

    Attributes
    ----------
    file : pathlib.Path
        The file.
    size_bytes : int
        Its size on disk, with SQLite's companion files.
    pages : int
        Number of documents.
    oldest, newest : datetime or None
        When the oldest and the newest of them were fetched, in UTC.
    """

    file: Path
    size_bytes: int
    pages: int
    oldest: datetime | None
    newest: datetime | None

    def _card(self) -> tuple[str, dict[str, str], str]:
        facts = {
            "file": str(self.file),
            "size": f"{self.size_bytes / 1024**2:,.1f} MiB",
            "pages": f"{self.pages:,}",
        }
        if self.pages:
            facts["fetched"] = self._fetched
        return "Cache of fetched pages", facts, ""

    def __str__(self) -> str:
        size = f"{self.file}: {self.pages:,} pages, {self.size_bytes / 1024**2:,.1f} MiB"
        return f"{size}, fetched {self._fetched}" if self.pages else size

    @property
    def _fetched(self) -> str:
        return f"{self.oldest:%Y-%m-%d %H:%M} to {self.newest:%Y-%m-%d %H:%M} UTC"


def cache_info(cache_dir: str | Path | None = None) -> CacheInfo:
    """Return location, size and age of the cache.

    Parameters
    ----------
    cache_dir : str or pathlib.Path, optional
        Its folder. Default: DIRFRAME_CACHE_DIR, then the user's cache folder.

    Returns
    -------
    CacheInfo
        File, size in bytes, number of pages, oldest and newest time.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> dirframe.cache_info(tempfile.mkdtemp()).pages
    0
    """
    file = cache_folder(cache_dir) / CACHE_FILE
    times: list[datetime] = []
    if file.exists():
        with closing(ResponseCache(file.parent)) as cache:
            times = cache.fetch_times()
    return CacheInfo(
        file=file,
        size_bytes=sum(part.stat().st_size for part in file.parent.glob(f"{CACHE_FILE}*")),
        pages=len(times),
        oldest=min(times, default=None),
        newest=max(times, default=None),
    )


def clear_cache(cache_dir: str | Path | None = None) -> int:
    """Remove every page from the cache; a damaged file is deleted.

    Parameters
    ----------
    cache_dir : str or pathlib.Path, optional
        Its folder. Default: DIRFRAME_CACHE_DIR, then the user's cache folder.

    Returns
    -------
    int
        Number of pages removed.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> dirframe.clear_cache(tempfile.mkdtemp())
    0
    """
    info = cache_info(cache_dir)
    # The file itself last: who finds it gone makes it anew, with other companions.
    for part in sorted(info.file.parent.glob(f"{CACHE_FILE}*"), reverse=True):
        part.unlink(missing_ok=True)
    return info.pages


def prune_cache(older_than: timedelta, cache_dir: str | Path | None = None) -> int:
    """Remove the pages older than an age.

    Parameters
    ----------
    older_than : datetime.timedelta
        The age.
    cache_dir : str or pathlib.Path, optional
        Its folder. Default: DIRFRAME_CACHE_DIR, then the user's cache folder.

    Returns
    -------
    int
        Number of pages removed.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> from datetime import timedelta
    >>> dirframe.prune_cache(timedelta(days=30), tempfile.mkdtemp())
    0
    """
    file = cache_folder(cache_dir) / CACHE_FILE
    if not file.exists():
        return 0
    with closing(ResponseCache(file.parent)) as cache:
        return cache.prune(older_than=older_than)
