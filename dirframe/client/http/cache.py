"""The persistent cache of fetched pages: a backend of requests-cache over one SQLite file."""

from __future__ import annotations

import gzip
import math
import sqlite3
import threading
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from requests_cache.backends.base import BaseCache
from requests_cache.models.response import CachedResponse
from requests_cache.serializers import SerializerPipeline, Stage, json_serializer, utf8_encoder

from dirframe._display import card
from dirframe._sqlite import close_on_error, enable_wal, open_database
from dirframe.errors import CacheError, CacheWarning, warn
from dirframe.settings import cache_folder

#: The number is the version of the format; each version has a file of its own.
_FILE = "http-cache-2.sqlite"
#: Seconds to wait for another program that holds the file.
_TIMEOUT = 5.0
_TABLE = """
CREATE TABLE IF NOT EXISTS responses (key TEXT PRIMARY KEY, value BLOB, expires INTEGER)
"""
#: JSON: a file from elsewhere can hold wrong data, but no code. Compressed to a fifth.
_COMPRESSED = Stage(dumps=lambda text: gzip.compress(text, 3), loads=gzip.decompress)
_SERIALIZER = SerializerPipeline([*json_serializer.stages, utf8_encoder, _COMPRESSED])


class PageCache(BaseCache):
    """Pages in a folder, or nowhere: a file that fails neither ends nor holds up a load.

    The SQLite backend of requests-cache waits for ever for a file that it may not write to, and
    stores nothing on a full disk without a word. Here a `CacheWarning` is issued once, and the file
    is only read from then on.
    """

    def __init__(self, folder: Path | None) -> None:
        super().__init__()
        self._file = None if folder is None else folder / _FILE
        self._access, self._open = threading.Lock(), _open
        self._database: sqlite3.Connection | None = None

    def get_response(self, key: str, default: Any = None) -> Any:
        """Return a stored page; the default if it is missing or cannot be read."""
        row = self._execute("SELECT value FROM responses WHERE key = ?", key)
        try:
            page = _SERIALIZER.loads(row[0])
            return page if page.content and page.url and page.created_at.tzinfo else default
        except Exception:  # noqa: BLE001  # what no entry, or that of somebody else, may raise
            return default

    def save_response(
        self, response: Any, cache_key: str | None = None, expires: datetime | None = None
    ) -> None:
        """Store a page, unless the file cannot be written."""
        page = CachedResponse.from_response(response, expires=expires)
        row = cache_key, _SERIALIZER.dumps(page), page.expires_unix
        self._execute("INSERT OR REPLACE INTO responses VALUES (?, ?, ?)", *row)

    def close(self) -> None:
        """Close the file; a request still in flight then stores nothing."""
        with self._access:
            if self._database is not None:
                self._database.close()
            self._file = self._database = None

    def _execute(self, statement: str, *values: object) -> Any:
        """Run a statement and return its first row; None if the file fails, or may not be used."""
        with self._access:
            if self._file is None:
                return None
            try:
                self._database = self._database or self._open(self._file)
                return self._database.execute(statement, values).fetchone()
            except (sqlite3.Error, OSError) as error:
                if self._open is _open_to_read:
                    return None
                if self._database is not None:
                    self._database.close()
                self._open, self._database = _open_to_read, None
                _warn(self._file, error)
        return self._execute(statement, *values)


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
        except (sqlite3.Error, OSError) as error:
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
            database.execute("VACUUM")
            return deleted.rowcount
    except (sqlite3.Error, OSError) as error:
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
