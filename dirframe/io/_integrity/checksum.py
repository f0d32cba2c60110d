"""Embed a SHA-256 digest in a file where other programs ignore it."""

# Parquet and Arrow files are read from a footer at the end, and databases by page number from the
# beginning. So other readers skip 64 bytes before the footer, or after the last page.

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


_MARK = b"dirframe sha256 of all other".ljust(32, b"\0")
_LENGTH = len(_MARK) + 32
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Seal:
    """Position of the digest in the files of a format.

    Parameters
    ----------
    magic
        The last bytes of a file with a footer; the four bytes before them hold the length of the
        footer. Empty for a format without a footer: the digest is then at the end of the file.
    editable
        Whether users edit such files in place, so that a changed one is read with a warning.
    """

    magic: bytes = b""
    editable: bool = False

    def write(self, file: Path) -> None:
        """Write the digest into a finished file."""
        with file.open("r+b") as stream:
            position = self._footer_offset(stream)
            if position is None:
                raise OSError(f"{file.name} was written without the end that its format has.")
            stream.seek(0)
            digest = hashlib.file_digest(stream, "sha256")
            stream.seek(position)
            footer = stream.read()
            stream.seek(position)
            stream.write(_MARK + digest.digest() + footer)

    def fits(self, file: Path) -> bool | None:
        """Return whether a file matches its digest; None if it has none."""
        with file.open("rb") as stream:
            end = self._footer_offset(stream)
            if end is None or end < _LENGTH:
                return None
            stream.seek(end - _LENGTH)
            trailer = stream.read(_LENGTH)
            if not trailer.startswith(_MARK):
                return None
            digest, remaining = hashlib.sha256(), end - _LENGTH
            stream.seek(0)
            while remaining and (block := stream.read(min(remaining, _BLOCK))):
                digest.update(block)
                remaining -= len(block)
            stream.seek(end)
            digest.update(stream.read())
        return digest.digest() == trailer[len(_MARK) :]

    def _footer_offset(self, stream: IO[bytes]) -> int | None:
        """Return the offset of the footer, or the end of a file without one."""
        size = stream.seek(0, os.SEEK_END)
        if not self.magic:
            return size
        end = 4 + len(self.magic)
        if size < end:
            return None
        stream.seek(size - end)
        length, magic = stream.read(4), stream.read()
        position = size - end - int.from_bytes(length, "little")
        return position if magic == self.magic and position >= 0 else None
