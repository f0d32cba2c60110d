"""The persistent HTTP cache: requests-cache over SQLite, its entries readable by anyone.

An entry is one line of JSON (address, status, content type, times) and the body, compressed
with LZ4 by pyarrow. No pickle: a cache file from elsewhere can hold wrong data, but no code.
Whatever is wrong with the file (damaged, locked, read-only, the disk full), a warning says so
and the load goes on without it.

What stays out: deciding what may be stored (`dirframe.client.http.transport`).
"""

from __future__ import annotations

import json
import sqlite3
import threading
import warnings
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pyarrow as pa
from requests.structures import CaseInsensitiveDict
from requests_cache.backends.sqlite import SQLiteCache
from requests_cache.models.response import CachedResponse
from requests_cache.serializers import SerializerPipeline, Stage

from dirframe.errors import CacheWarning
from dirframe.writeahead import write_ahead

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CACHE_FILE", "CacheWarning", "PageCache", "Stored"]

#: The number is that of the format: another one begins a file of its own.
CACHE_FILE = "http-cache-1.sqlite"

_CODEC = "lz4"

#: What damaged entries raise beside what requests-cache catches.
_BAD_ENTRY = (pa.ArrowException, MemoryError)

#: Bytes that a document may say it has; no directory's page comes near.
_LARGEST = 2**31
_PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class Stored:
    """One cached document."""

    content: bytes
    retrieved: datetime

    @property
    def age(self) -> timedelta:
        """How long ago it was fetched."""
        return datetime.now(UTC) - self.retrieved


class PageCache:
    """Documents on disk, by key.

    Parameters
    ----------
    folder
        Where the cache file is; None for no cache.

    Warns
    -----
    CacheWarning
        If the file cannot be opened, read or written, once.
    """

    def __init__(self, folder: Path | None) -> None:
        # One thread at a time: a connection that one thread closes while another one reads
        # from it ends the process.
        self._lock = threading.RLock()
        self._file = None if folder is None else folder / CACHE_FILE
        self._cache: SQLiteCache | None = None
        self._probe: sqlite3.Connection | None = None
        if self._file is None:
            return
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            # requests-cache would try for ever to write a file that is locked or read-only.
            self._check_writable()
            self._cache = SQLiteCache(self._file, serializer=_serializer(), wal=True)
        except (OSError, sqlite3.Error) as error:
            self._give_up(str(error))

    def get(self, key: str) -> Stored | None:
        """Return a document, however old; None if it is not there or cannot be read."""
        with self._lock:
            if self._cache is None:
                return None
            try:
                response = self._cache.get_response(key)
            except _BAD_ENTRY:
                return None
            except (sqlite3.Error, OSError) as error:
                self._give_up(str(error))
                return None
        # requests-cache hands over an entry that it cannot read as a response without a body.
        if response is None or not response.content:
            return None
        return Stored(response.content, response.created_at)

    def put(self, key: str, url: str, content: bytes, content_type: str) -> datetime:
        """Store a document and return when; a failure to do so is warned of, once."""
        now = datetime.now(UTC)
        response = CachedResponse(  # attrs strips the underscore of _content
            content=content,
            url=url,
            status_code=200,
            headers=CaseInsensitiveDict({"Content-Type": content_type}),
            created_at=now,
        )
        with self._lock:
            if self._cache is None:
                return now
            try:
                self._check_writable()
                self._cache.responses[key] = response
                if not self._cache.contains(key):
                    self._give_up("it stores nothing; the disk may be full")
            except (OSError, sqlite3.Error) as error:
                self._give_up(str(error))
        return now

    def times(self) -> list[datetime]:
        """Return when each document was fetched."""
        if self._cache is None:
            return []
        return [response.created_at for response in self._cache.filter()]

    def remove(self, *, older_than: timedelta) -> int:
        """Remove the documents beyond an age; return how many."""
        if self._cache is None:
            return 0
        before = datetime.now(UTC) - older_than
        old = [entry.cache_key for entry in self._cache.filter() if entry.created_at < before]
        self._cache.delete(*old)
        return len(old)

    def close(self) -> None:
        """Close the file."""
        with self._lock, suppress(sqlite3.Error):
            if self._probe is not None:
                self._probe.close()
                self._probe = None
            if self._cache is not None:
                self._cache.close()  # type: ignore[no-untyped-call]  # as requests-cache has it

    def _check_writable(self) -> None:
        if self._probe is None:
            self._probe = sqlite3.connect(
                str(self._file), timeout=_PATIENCE, check_same_thread=False, isolation_level=None
            )
            # requests-cache does not wait for another process that begins the same new file.
            write_ahead(self._probe, patience=_PATIENCE)
        self._probe.execute("BEGIN IMMEDIATE")
        self._probe.execute("ROLLBACK")

    def _give_up(self, reason: str) -> None:
        self.close()
        self._cache = None
        warnings.warn(
            f"The cache {self._file} cannot be used ({reason}). The load goes on without it, so "
            "pages are asked for again next time. Name another folder by cache_dir= or "
            "DIRFRAME_CACHE_DIR, or mend it with `dirframe cache clear`.",
            CacheWarning,
            stacklevel=2,
        )


def _serializer() -> SerializerPipeline:
    return SerializerPipeline([Stage(dumps=_pack, loads=_unpack)], name="lines", is_binary=True)


def _pack(response: CachedResponse) -> bytes:
    body = response.content or b""
    head = {
        "url": response.url,
        "status": response.status_code,
        "type": response.headers.get("Content-Type", ""),
        "created": response.created_at.isoformat(),
        "size": len(body),
    }
    packed: bytes = pa.compress(body, codec=_CODEC, asbytes=True)
    return json.dumps(head).encode() + b"\n" + packed


def _unpack(entry: bytes) -> CachedResponse:
    line, _, packed = entry.partition(b"\n")
    head = json.loads(line)
    if not 0 <= head["size"] <= _LARGEST:
        raise ValueError("an impossible size")  # requests-cache takes it for a missing entry
    return CachedResponse(
        content=pa.decompress(packed, head["size"], codec=_CODEC, asbytes=True),
        url=head["url"],
        status_code=head["status"],
        headers=CaseInsensitiveDict({"Content-Type": head["type"]}),
        # A time without a zone would compare with no other one.
        created_at=datetime.fromisoformat(head["created"]).astimezone(UTC),
    )
