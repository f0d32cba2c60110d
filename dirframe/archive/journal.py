"""A file of lines of JSON that survives a kill at any instant: each line is checked and synced.

A line that was being written when the process ended has no line break at its end; it never
counted and is cut off before the next one is written. Any other damage is named by its line.

What stays out: what the lines mean (`dirframe.archive.manifest`).
"""

from __future__ import annotations

import json
import os
import threading
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from dirframe.errors import ArchiveError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["Journal", "read_line", "read_lines"]

_MARK = ',"sum":"'
_TAIL = len(_MARK) + 8 + len('"}')


class Journal:
    """Append lines to a file, by several threads and one process.

    Parameters
    ----------
    file
        The file; it is made if it is not there.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._handle = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        self._end = _whole(file)
        os.ftruncate(self._handle, self._end)

    def add(self, event: dict[str, Any]) -> None:
        """Write one line and return when it is on the disk; a line that does not fit is undone."""
        line = _sealed(event)
        with self._lock:
            try:
                os.lseek(self._handle, self._end, os.SEEK_SET)
                left = line
                while left:
                    left = left[os.write(self._handle, left) :]
                os.fsync(self._handle)
            except OSError as error:
                os.ftruncate(self._handle, self._end)
                raise ArchiveError(
                    f"{self._file} could not be written ({error.strerror}). What was kept before "
                    "is good: make room and run the same line again."
                ) from error
            self._end += len(line)

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)


def read_lines(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield what the lines say, checked, and where each begins.

    Raises
    ------
    ArchiveError
        If a line is damaged; the message names it. A last line without an end is passed over.
    """
    place = 0
    for number, line in enumerate(lines, 1):
        if not line.endswith(b"\n"):
            return
        try:
            event = read_line(line)
        except ValueError as error:
            raise ArchiveError(
                f"Line {number:,} of {name} is damaged: {error}. Take the file from a copy."
            ) from None
        yield place, event
        place += len(line)


def read_line(line: bytes) -> dict[str, Any]:
    """Return what a line says, checked; a damaged one is a ValueError."""
    body = line[: -_TAIL - 1] + b"}"
    with suppress(ValueError):
        event = json.loads(body)
        if line[-_TAIL - 1 : -1] == _seal(body) and isinstance(event, dict):
            return event
    raise ValueError("what it says does not fit its checksum")


def _sealed(event: dict[str, Any]) -> bytes:
    body = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
    return body[:-1] + _seal(body) + b"\n"


def _seal(body: bytes) -> bytes:
    return f'{_MARK}{zlib.crc32(body):08x}"}}'.encode()


def _whole(file: Path) -> int:
    """Return where the last whole line ends."""
    with file.open("rb") as stream:
        end = stream.seek(0, os.SEEK_END)
        while end:
            begin = max(end - 65_536, 0)
            stream.seek(begin)
            found = stream.read(end - begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            end = begin
    return 0
