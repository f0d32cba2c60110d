"""Convert the records of sources to rows, those of large XML files in further processes."""

# Each process converts every so many-th block of all files. They are not started by multiprocessing,
# which would run the caller's script again. They write rows to a pipe, so they wait for the reader
# and end with it. Whatever they do not deliver, this process reads and converts itself, which raises
# the error if there is one.

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from dirframe.service.importing.importer import RecordKeys, StoreRow, normalize, record_keys
from dirframe.service.importing.xml_files import XmlFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dirframe.service.importing.importer import Source, SourceRecord


#: Bytes of XML from which processes pay, and how much of it is in a compressed byte.
_LARGE, _COMPRESSION = 24 << 20, 6
#: Processes that the one that writes the store can follow.
_MOST_PROCESSES = 4
_PROGRAM = "import sys; sys.path[:] = {}; from {} import write_rows; write_rows()"

#: Converted records as plain tuples, which are pickled fast.
_Batch: TypeAlias = "list[tuple[str, tuple[Any, ...], tuple[Any, ...]]]"


class ConvertedRecord(NamedTuple):
    """The name of a record's resource, the row to store, and the keys."""

    resource: str
    row: StoreRow
    keys: RecordKeys


class Conversion:
    """The conversion of all sources of an import, to be closed at its end.

    Parameters
    ----------
    sources
        The sources, in the order in which they will be converted.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        paths = [source.path for source in sources if isinstance(source, XmlFile)]
        count = min(os.cpu_count() or 1, _MOST_PROCESSES)
        if count > 1 and sys.executable and _size(paths) >= _LARGE:
            try:
                for part in range(count):
                    self._processes.append(_start([str(path) for path in paths], part, count))
            except OSError:
                self.close()

    def records(self, source: Source) -> Iterator[ConvertedRecord]:
        """Yield the records of the next source.

        Raises
        ------
        StoreError
            A record is invalid, or the source cannot be read.
        """
        converted = 0
        if isinstance(source, XmlFile) and self._processes:
            for batch in self._batches():
                if batch is None:
                    return
                for resource, row, keys in batch:
                    yield ConvertedRecord(resource, StoreRow._make(row), RecordKeys._make(keys))
                converted += len(batch)
        for record in islice(source.records(), converted, None):
            yield _convert(record)

    def _batches(self) -> Iterator[_Batch | None]:
        """Yield the records of a file, and None at its end unless a process has failed."""
        try:
            for process in cycle(self._processes):
                batch = _load(process)
                if batch is None:
                    break
                yield batch
            # The others are at the end of the file, too, unless it has changed in the meantime.
            if any(_load(other) is not None for other in self._processes if other is not process):
                raise EOFError
            yield None
        except (EOFError, OSError, pickle.UnpicklingError):
            self.close()

    def close(self) -> None:
        """End the processes."""
        while self._processes:
            with self._processes.pop() as process:
                process.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()


def _size(paths: Iterable[Path]) -> int:
    """Return the approximate number of bytes of XML."""
    with suppress(OSError):
        return sum(p.stat().st_size * (_COMPRESSION if p.suffix == ".gz" else 1) for p in paths)
    return 0


def _start(paths: list[str], part: int, parts: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(  # noqa: S603  # this interpreter
        [sys.executable, "-c", _PROGRAM.format(sys.path, __name__)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None  # noqa: S101  # a pipe
    # One that has ended already is noticed when its rows are read.
    with suppress(BrokenPipeError), process.stdin as stream:
        pickle.dump((paths, part, parts), stream)
    return process


def _load(process: subprocess.Popen[bytes]) -> _Batch | None:
    assert process.stdout is not None  # noqa: S101  # a pipe
    batch: _Batch | None = pickle.load(process.stdout)  # noqa: S301  # of the own process
    return batch


def write_rows() -> None:
    """Convert a part of the files named on standard input; runs in the other processes."""
    paths, part, parts = pickle.load(sys.stdin.buffer)  # noqa: S301  # of the own process
    for path in paths:
        for block in XmlFile(Path(path)).blocks(part, parts):
            batch = [(r, tuple(row), tuple(keys)) for r, row, keys in map(_convert, block)]
            pickle.dump(batch, sys.stdout.buffer)
        pickle.dump(None, sys.stdout.buffer)


def _convert(record: SourceRecord) -> ConvertedRecord:
    row, children = normalize(record)
    return ConvertedRecord(
        record.resource.name, row, record_keys(record.resource, record.element, children)
    )
