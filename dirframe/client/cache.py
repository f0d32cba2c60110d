"""The persistent HTTP cache: requests-cache over SQLite, its entries readable by anyone.

An entry is one line of JSON (address, status, content type, times) and the body, compressed
with LZ4 by pyarrow. No pickle: a cache file from elsewhere can hold wrong data, but no code.

What stays out: deciding what may be stored (`dirframe.client.adapter`).
"""

from __future__ import annotations

import json
import warnings
from datetime import datetime
from typing import TYPE_CHECKING

import pyarrow as pa
from requests.structures import CaseInsensitiveDict
from requests_cache.backends.sqlite import SQLiteCache
from requests_cache.models.response import CachedResponse
from requests_cache.serializers import SerializerPipeline, Stage

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CACHE_FILE", "CacheWarning", "open_cache"]

#: The number is that of the format: another one begins a file of its own.
CACHE_FILE = "http-cache-1.sqlite"

_CODEC = "lz4"


class CacheWarning(UserWarning):
    """The cache cannot be used; the load goes on without it."""


def open_cache(folder: Path | None) -> SQLiteCache | None:
    """Open the cache in a folder; None, with a warning, if that is impossible.

    Parameters
    ----------
    folder
        Where the cache file is; None for no cache.

    Warns
    -----
    CacheWarning
        If the file cannot be opened or written.
    """
    if folder is None:
        return None
    path = folder / CACHE_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("ab"):  # requests-cache would wait for ever to write a read-only file
            pass
        return SQLiteCache(path, serializer=_serializer(), wal=True, busy_timeout=30_000)
    except Exception as error:  # noqa: BLE001  # whatever is wrong with a cache, a load goes on
        warnings.warn(
            f"The cache {path} cannot be used ({error}). Nothing is stored, so every page is "
            "asked for again; set DIRFRAME_CACHE_DIR to a folder that can be written.",
            CacheWarning,
            stacklevel=2,
        )
        return None


def _serializer() -> SerializerPipeline:
    return SerializerPipeline([Stage(dumps=_pack, loads=_unpack)], name="lines", is_binary=True)


def _pack(response: CachedResponse) -> bytes:
    body = response.content or b""
    head = {
        "url": response.url,
        "status": response.status_code,
        "type": response.headers.get("Content-Type", ""),
        "created": response.created_at.isoformat(),
        "expires": response.expires.isoformat() if response.expires else None,
        "size": len(body),
    }
    packed: bytes = pa.compress(body, codec=_CODEC, asbytes=True)
    return json.dumps(head).encode() + b"\n" + packed


def _unpack(entry: bytes) -> CachedResponse:
    head_line, _, packed = entry.partition(b"\n")
    head = json.loads(head_line)
    expires = head["expires"]
    return CachedResponse(  # attrs strips the underscore of _content
        content=pa.decompress(packed, head["size"], codec=_CODEC, asbytes=True),
        url=head["url"],
        status_code=head["status"],
        headers=CaseInsensitiveDict({"Content-Type": head["type"]}),
        created_at=datetime.fromisoformat(head["created"]),
        expires=datetime.fromisoformat(expires) if expires else None,
    )
