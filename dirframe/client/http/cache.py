"""The persistent cache of fetched pages: requests-cache over one SQLite file."""

from __future__ import annotations

import gzip
import sqlite3
import threading
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from requests_cache import CachedSession
from requests_cache.backends.sqlite import SQLiteCache
from requests_cache.models.response import CachedResponse
from requests_cache.serializers import SerializerPipeline, Stage, json_serializer

from dirframe._display import card
from dirframe._sqlite import close_on_error, enable_wal, open_database
from dirframe.errors import CacheWarning, warn
from dirframe.settings import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    import requests

    from dirframe.client.directory import Directory

#: The number is the version of the format; each version has a file of its own.
_FILE = "http-cache-2.sqlite"
#: Seconds to wait for another program that holds the file.
_TIMEOUT = 5.0

#: JSON: a file from elsewhere can hold wrong data, but no code. Compressed to a fifth.
_SERIALIZER = SerializerPipeline(
    [
        *json_serializer.stages,
        Stage(
            dumps=lambda text: gzip.compress(text.encode(), 3),
            loads=lambda entry: gzip.decompress(entry).decode(),
        ),
    ],
    name="json-gzip",
    is_binary=True,
)


class PageCache(SQLiteCache):
    """The cache of requests-cache, which neither ends nor holds up a load if its file fails.

    requests-cache waits for ever for a file that it may not write to, and stores nothing on a full
    disk without a word. So pages are written on a connection of its own; if that fails, a
    `CacheWarning` is issued once, and nothing is written any more.
    """

    def __init__(self, file: Path) -> None:
        self._access = threading.RLock()
        self._is_open = self._is_writable = True
        with close_on_error(open_database(file, timeout=_TIMEOUT, any_thread=True)) as database:
            self._database = database
            enable_wal(database, timeout=_TIMEOUT)
            database.execute("PRAGMA synchronous = NORMAL")  # a page is worth no wait for the disk
            database.execute("BEGIN IMMEDIATE")  # before requests-cache waits for ever
            database.execute("ROLLBACK")
            super().__init__(
                file, serializer=_SERIALIZER, wal=True, busy_timeout=int(_TIMEOUT * 1000)
            )

    def get_response(self, key: str, default: Any = None) -> CachedResponse | None:
        """Return a stored page; None if it is missing or cannot be read."""
        with self._access:
            try:
                page: Any = super().get_response(key, default) if self._is_open else None
            except sqlite3.Error as error:
                self._give_up(error)
                page = None
            except Exception:  # noqa: BLE001  # what an entry that somebody else wrote may raise
                page = None
        return page if page is not None and page.content else None

    def save_response(
        self,
        response: requests.Response,
        cache_key: str | None = None,
        expires: datetime | None = None,
    ) -> None:
        """Store a page, unless the file cannot be written."""
        retrieved = getattr(response, "retrieved", None)
        page = CachedResponse.from_response(response, created_at=retrieved, expires=expires)
        row = cache_key, self.responses.serialize(page), page.expires_unix
        with self._access:
            if self._is_writable:
                try:
                    self._database.execute("INSERT OR REPLACE INTO responses VALUES (?, ?, ?)", row)
                except sqlite3.Error as error:
                    self._give_up(error)

    def close(self) -> None:
        """Close the file; a request still in flight then stores nothing."""
        with self._access:
            self._is_open = self._is_writable = False
            super().close()  # type: ignore[no-untyped-call]  # requests-cache
            self._database.close()

    def _give_up(self, error: Exception) -> None:
        if self._is_writable:
            _warn(self.db_path, error)
        self._is_writable = False


def _warn(file: object, error: Exception) -> None:
    warn(
        CacheWarning(
            f"The cache {file} cannot be used ({error}). The load continues without it, so pages "
            "are requested again next time.",
            hint="Name another folder by cache= or DIRFRAME_CACHE_DIR, or remove the file with "
            "dirframe.clear_cache() (dirframe cache clear).",
        )
    )


def open_cached_session(directory: Directory) -> CachedSession:
    """Return a session with the cache of a directory; without it if that cannot be used."""
    base_url, identity = directory.base_url, directory.identity

    def key_of(request: requests.PreparedRequest, **_: object) -> str:
        # The port of the sample changes. requests-cache puts the key between quotes in its SQL.
        return quote(identity + (request.url or "").removeprefix(base_url), safe="/:?&=%+-._~")

    options: dict[str, Any] = {"expire_after": directory.expire_after, "key_fn": key_of}
    options |= {"allowable_codes": (200,), "cache_control": False}
    if directory.cache_folder is not None:
        file = directory.cache_folder / _FILE
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            return CachedSession(backend=PageCache(file), **options)
        except (sqlite3.Error, OSError) as error:
            _warn(file, error)
    session = CachedSession(backend="memory", **options)
    session.settings.disabled = True
    return session


@dataclass(frozen=True, kw_only=True, repr=False)
class CacheInfo:
    """Location and size of the cache."""

    file: Path
    size_bytes: int  # on disk, with SQLite's companion files
    pages: int
    expired: int  # of them: requested again, and removed by `prune_cache`

    def __repr__(self) -> str:
        facts = {
            "file": str(self.file),
            "size": f"{self.size_bytes / 1024**2:,.1f} MiB",
            "pages": f"{self.pages:,}" + (f", {self.expired:,} expired" if self.expired else ""),
        }
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
        File, size in bytes, number of pages, and of expired ones; a `CacheWarning` is issued if the
        file cannot be read.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> dirframe.cache_info(tempfile.mkdtemp()).pages
    0
    """
    file = cache_folder(folder) / _FILE
    pages = fresh = 0
    if file.exists():
        try:
            with closing(PageCache(file)) as cache:
                pages, fresh = cache.count(), cache.count(expired=False)
        except (sqlite3.Error, OSError) as error:
            _warn(file, error)
    size = sum(part.stat().st_size for part in file.parent.glob(f"{_FILE}*"))
    return CacheInfo(file=file, size_bytes=size, pages=pages, expired=pages - fresh)


def clear_cache(folder: str | Path | None = None) -> int:
    """Remove every page from the cache, and return their number; a damaged file is deleted.

    Parameters
    ----------
    folder : str or pathlib.Path, optional
        As in `cache_info`.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> dirframe.clear_cache(tempfile.mkdtemp())
    0
    """
    file = cache_folder(folder) / _FILE
    try:
        # By SQL: other processes that have the file open go on with an empty one.
        return _remove(file, lambda cache: cache.clear())  # type: ignore[no-untyped-call]  # requests-cache
    except (sqlite3.Error, OSError):
        for part in sorted(file.parent.glob(f"{_FILE}*"), reverse=True):
            part.unlink(missing_ok=True)
        return 0


def prune_cache(folder: str | Path | None = None) -> int:
    """Remove the pages that have expired, and return their number.

    Parameters
    ----------
    folder : str or pathlib.Path, optional
        As in `cache_info`.

    Examples
    --------
    >>> import dirframe, tempfile
    >>> dirframe.prune_cache(tempfile.mkdtemp())
    0
    """
    file = cache_folder(folder) / _FILE
    try:
        return _remove(file, lambda cache: cache.delete(expired=True))
    except (sqlite3.Error, OSError) as error:
        _warn(file, error)
        return 0


def _remove(file: Path, remove: Callable[[PageCache], None]) -> int:
    """Remove pages from a cache that may be missing; return their number."""
    if not file.exists():
        return 0
    with closing(PageCache(file)) as cache:
        pages = cache.count()
        remove(cache)
        return pages - cache.count()
