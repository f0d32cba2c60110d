"""The persistent cache of fetched pages: requests-cache over one SQLite file."""

from __future__ import annotations

import gzip
import sqlite3
import threading
import zlib
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from requests_cache import CachedSession
from requests_cache.backends.sqlite import SQLiteCache
from requests_cache.models.response import CachedResponse
from requests_cache.serializers import SerializerPipeline, Stage, json_serializer

from dirframe._display import Card
from dirframe._sqlite import enable_wal, open_database
from dirframe.errors import CacheWarning, warn
from dirframe.settings import cache_folder

if TYPE_CHECKING:
    from datetime import datetime, timedelta
    from pathlib import Path

    import requests

#: The number is the version of the format; each version has a file of its own.
CACHE_FILE = "http-cache-2.sqlite"
#: Seconds to wait for another program that holds the file.
_TIMEOUT = 5.0


def _decompress(entry: bytes) -> str:
    try:
        return gzip.decompress(entry).decode()
    except (OSError, EOFError, TypeError, zlib.error) as error:
        raise ValueError("a damaged entry") from error  # which requests-cache takes for missing


#: JSON: a file from elsewhere can hold wrong data, but no code. Compressed to a fifth.
_SERIALIZER = SerializerPipeline(
    [
        *json_serializer.stages,
        Stage(dumps=lambda text: gzip.compress(text.encode(), 3), loads=_decompress),
    ],
    name="json-gzip",
    is_binary=True,
)


class PageCache(SQLiteCache):
    """The cache of requests-cache, which neither ends nor holds up a load if its file fails.

    requests-cache waits for ever for a file that it may not write to, and stores nothing on a full
    disk without a word. So the write lock is tried before, and afterwards it is checked that
    something was written; else a `CacheWarning` is issued once, and nothing is written any more.
    """

    def __init__(self, file: Path) -> None:
        self._access = threading.RLock()
        self._is_writable = self._is_readable = True
        self._probe = open_database(file, timeout=_TIMEOUT, any_thread=True)
        try:
            enable_wal(self._probe, timeout=_TIMEOUT)
            self._check_writable()
            super().__init__(
                file, serializer=_SERIALIZER, wal=True, busy_timeout=int(_TIMEOUT * 1000)
            )
        except BaseException:
            self._probe.close()
            raise

    def get_response(self, key: str, default: Any = None) -> CachedResponse | None:
        """Return a stored page; None if it is missing or cannot be read."""
        with self._access:
            if not self._is_readable:
                return None
            try:
                response: CachedResponse | None = super().get_response(key, default)
            except (sqlite3.Error, OSError) as error:
                self._is_readable = False
                self._give_up(error)
            except (ValueError, LookupError, RecursionError, ExceptionGroup):
                return None  # an entry that somebody else wrote
            else:
                return response if response is not None and response.content else None
        return None

    def save_response(
        self,
        response: requests.Response,
        cache_key: str | None = None,
        expires: datetime | None = None,
    ) -> None:
        """Store a page, unless the file cannot be written."""
        with self._access:
            if not self._is_writable:
                return
            retrieved = getattr(response, "retrieved", None)
            try:
                self._check_writable()
                before = self._version()
                stored = CachedResponse.from_response(response, created_at=retrieved)
                super().save_response(stored, cache_key, expires)
                if self._version() == before:
                    raise sqlite3.OperationalError("nothing was stored; the disk may be full")
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)

    def close(self) -> None:
        """Close the file; a request still in flight then stores nothing."""
        with self._access:
            self._is_writable = self._is_readable = False
            with suppress(sqlite3.Error):
                super().close()  # type: ignore[no-untyped-call]  # requests-cache
                self._probe.close()

    def _check_writable(self) -> None:
        self._probe.execute("BEGIN IMMEDIATE")
        self._probe.execute("ROLLBACK")

    def _version(self) -> int:
        """Return a number that changes when another connection has written."""
        return int(self._probe.execute("PRAGMA data_version").fetchone()[0])

    def _give_up(self, error: Exception) -> None:
        if self._is_writable:
            self._is_writable = False
            _warn(self.db_path, error)


def _warn(file: object, error: Exception) -> None:
    warn(
        CacheWarning(
            f"The cache {file} cannot be used ({error}). The load continues without it, so pages "
            "are requested again next time.",
            hint="Name another folder by cache= or DIRFRAME_CACHE_DIR, or remove the file with "
            "dirframe.clear_cache() (dirframe cache clear).",
        )
    )


def open_cached_session(
    folder: Path | None, expire_after: timedelta, base_url: str, identity: str
) -> CachedSession:
    """Return a session with the cache of a folder; without it if that cannot be used.

    The keys are the URLs, with `identity` for the base URL: that of the sample changes with its port.
    """

    def key_of(request: requests.PreparedRequest, **_: object) -> str:
        # requests-cache puts the key between quotes in its SQL.
        return quote(identity + (request.url or "").removeprefix(base_url), safe="/:?&=%+-._~")

    options: dict[str, Any] = {"expire_after": expire_after, "key_fn": key_of}
    options |= {"allowable_codes": (200,), "cache_control": False}
    if folder is not None:
        file = folder / CACHE_FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return CachedSession(backend=PageCache(file), **options)
        except (sqlite3.Error, OSError) as error:
            _warn(file, error)
    session = CachedSession(backend="memory", **options)
    session.settings.disabled = True
    return session


@dataclass(frozen=True, kw_only=True, repr=False)
class CacheInfo(Card):
    """Location and size of the cache.

    Attributes
    ----------
    file : pathlib.Path
        The file.
    size_bytes : int
        Its size on disk, with SQLite's companion files.
    pages : int
        Number of pages.
    expired : int
        Number of them that are requested again, and that `prune_cache` removes.
    """

    file: Path
    size_bytes: int
    pages: int
    expired: int

    def _card(self) -> tuple[str, dict[str, str], str]:
        facts = {
            "file": str(self.file),
            "size": f"{self.size_bytes / 1024**2:,.1f} MiB",
            "pages": f"{self.pages:,}" + (f", {self.expired:,} expired" if self.expired else ""),
        }
        return "Cache of fetched pages", facts, ""


def cache_info(folder: str | Path | None = None) -> CacheInfo:
    """Return location and size of the cache, without reading a page.

    Parameters
    ----------
    folder : str or pathlib.Path, optional
        Its folder. Default: DIRFRAME_CACHE_DIR, then the user's cache folder.

    Returns
    -------
    CacheInfo
        File, size in bytes, number of pages, and of expired ones.

    Warns
    -----
    CacheWarning
        If the file cannot be read.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> dirframe.cache_info(tempfile.mkdtemp()).pages
    0
    """
    file = cache_folder(folder) / CACHE_FILE
    pages = expired = 0
    if file.exists():
        try:
            with closing(PageCache(file)) as cache:
                pages = cache.count()
                expired = pages - cache.count(expired=False)
        except (sqlite3.Error, OSError) as error:
            _warn(file, error)
    return CacheInfo(
        file=file,
        size_bytes=sum(part.stat().st_size for part in file.parent.glob(f"{CACHE_FILE}*")),
        pages=pages,
        expired=expired,
    )


def clear_cache(folder: str | Path | None = None) -> int:
    """Remove every page from the cache; a damaged file is deleted.

    Parameters
    ----------
    folder : str or pathlib.Path, optional
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
    file = cache_folder(folder) / CACHE_FILE
    if not file.exists():
        return 0
    try:
        # By SQL: other processes that have the file open go on with an empty one.
        with closing(PageCache(file)) as cache:
            pages = cache.count()
            cache.clear()  # type: ignore[no-untyped-call]  # requests-cache
    except (sqlite3.Error, OSError):
        pages = 0
        for part in sorted(file.parent.glob(f"{CACHE_FILE}*"), reverse=True):
            part.unlink(missing_ok=True)
    return pages


def prune_cache(folder: str | Path | None = None) -> int:
    """Remove the pages that have expired.

    Parameters
    ----------
    folder : str or pathlib.Path, optional
        Its folder. Default: DIRFRAME_CACHE_DIR, then the user's cache folder.

    Returns
    -------
    int
        Number of pages removed.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> dirframe.prune_cache(tempfile.mkdtemp())
    0
    """
    file = cache_folder(folder) / CACHE_FILE
    if not file.exists():
        return 0
    try:
        with closing(PageCache(file)) as cache:
            pages = cache.count()
            cache.delete(expired=True)
            return pages - cache.count()
    except (sqlite3.Error, OSError) as error:
        _warn(file, error)
        return 0
