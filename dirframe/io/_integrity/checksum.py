"""A digest inside a file that covers all the rest of it, where other programs pass over it.

Parquet and Arrow's file format find their contents by a footer at the end of the file, and the
databases by pages counted from its beginning: so 64 bytes before the footer, or behind the last
page, are read by nobody but `fit`.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Seal"]

_MARK = b"dirframe sha256 of all other".ljust(32, b"\0")
_LENGTH = len(_MARK) + 32
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Seal:
    """Where the digest stands in the files of a format.

    Parameters
    ----------
    magic
        What ends a file with a footer; before it stand four bytes with the length of the footer.
        Empty where there is none: then the digest is the end of the file.
    editable
        Whether people change such files in their places, so that one that was changed is read,
        with a warning.
    """

    magic: bytes = b""
    editable: bool = False

    def write(self, file: Path) -> None:
        """Put the digest into a finished file."""
        with file.open("r+b") as stream:
            position = self._place(stream)
            if position is None:
                raise OSError(f"{file.name} was written without the end that its format has.")
            digest = hashlib.sha256()
            stream.seek(0)
            while block := stream.read(_BLOCK):
                digest.update(block)
            stream.seek(position)
            footer = stream.read()
            stream.seek(position)
            stream.write(_MARK + digest.digest() + footer)

    def fits(self, file: Path) -> bool | None:
        """Tell whether a file is what was written; None if no digest stands in it."""
        with file.open("rb") as stream:
            end = self._place(stream)
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

    def _place(self, stream: IO[bytes]) -> int | None:
        """Give where the footer begins, or the end of a file without one."""
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
