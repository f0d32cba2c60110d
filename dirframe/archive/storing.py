"""The files of an archive: pages by the digest of their bytes, and the lock.

A page is packed with Zstandard (RFC 8878) and its name is the SHA-256 of what came, so that
the name proves the content, the same page is kept once, and a file that was written before a
kill is found again.

What stays out: which pages there are (`dirframe.archive.manifest`).
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

import pyarrow as pa

from dirframe.client.xml.parser import MAX_BYTES
from dirframe.errors import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["locked", "member", "pack", "store", "unpack"]

_CODEC = "zstd"
_LOCK = "harvest.lock"

#: No page of XML packs better than this; recorded ones pack to a fifth to a tenth.
_RATIO = 2_000


def member(digest: str) -> str:
    """Return the place of a page inside an archive or a bundle."""
    return f"pages/{digest[:2]}/{digest}.xml.zst"


def pack(content: bytes) -> tuple[str, bytes]:
    """Return the digest of a page and its packed bytes."""
    packed: bytes = pa.compress(content, codec=_CODEC, asbytes=True)
    return sha256(content).hexdigest(), packed


def store(folder: Path, content: bytes) -> tuple[str, int]:
    """Keep a page; return its digest and its size on disk. It is there whole or not at all."""
    digest, packed = pack(content)
    file = folder / member(digest)
    if file.is_file() and file.read_bytes() == packed:
        return digest, len(packed)
    unfinished = file.with_name(f".{secrets.token_hex(4)}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as stream:
            stream.write(packed)
            stream.flush()
            os.fsync(stream.fileno())
        unfinished.replace(file)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise ArchiveError(
            f"A page could not be kept in {folder} ({error.strerror}). What was kept before is "
            "good: make room and run the same line again."
        ) from error
    return digest, len(packed)


def unpack(packed: bytes, digest: str, size: int, name: str) -> bytes:
    """Return a page as it came.

    Raises
    ------
    ArchiveError
        If it is not what it was; the message names it.
    """
    if not 0 <= size <= min(MAX_BYTES, _RATIO * len(packed)):
        raise ArchiveError(f"{name} says that it unpacks to {size:,} bytes, which no page does.")
    try:
        content: bytes = pa.decompress(packed, size, codec=_CODEC, asbytes=True)
    except (OSError, pa.ArrowException) as error:
        raise ArchiveError(f"{name} is damaged ({error}). Take it from a copy.") from error
    if sha256(content).hexdigest() != digest:
        raise ArchiveError(f"{name} is not what was kept: its digest differs. Take it from a copy.")
    return content


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep every other process from writing to an archive; the system ends it with the process.

    Raises
    ------
    ArchiveError
        If another one is writing, or nothing can be written.
    """
    lock = sqlite3.connect(folder / _LOCK, timeout=0.1, isolation_level=None)
    try:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise ArchiveError(
                    f"{folder} could not be written ({error}). What was kept before is good: make "
                    "room, or the folder writable, and run the same line again."
                ) from error
            raise ArchiveError(
                f"Another process is writing to {folder}. Wait until it has ended, or name "
                "another folder."
            ) from error
        yield
    finally:
        lock.close()
