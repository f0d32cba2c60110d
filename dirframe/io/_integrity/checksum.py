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
            place = self._place(stream)
            if place is None:
                raise OSError(f"{file.name} was written without the end that its format has.")
            whole = hashlib.sha256()
            stream.seek(0)
            while block := stream.read(_BLOCK):
                whole.update(block)
            stream.seek(place)
            footer = stream.read()
            stream.seek(place)
            stream.write(_MARK + whole.digest() + footer)

    def fits(self, file: Path) -> bool | None:
        """Tell whether a file is what was written; None if no digest stands in it."""
        with file.open("rb") as stream:
            end = self._place(stream)
            if end is None or end < _LENGTH:
                return None
            stream.seek(end - _LENGTH)
            found = stream.read(_LENGTH)
            if not found.startswith(_MARK):
                return None
            whole, left = hashlib.sha256(), end - _LENGTH
            stream.seek(0)
            while left and (block := stream.read(min(left, _BLOCK))):
                whole.update(block)
                left -= len(block)
            stream.seek(end)
            whole.update(stream.read())
        return whole.digest() == found[len(_MARK) :]

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
        place = size - end - int.from_bytes(length, "little")
        return place if magic == self.magic and place >= 0 else None
