"""Convert the records of sources to rows, those of large XML files in a second process."""

# The second process is no child of multiprocessing, which would run the caller's script again. It
# writes its rows to a pipe, so it waits for the reader and ends with it. Whatever it does not
# deliver, this process reads and converts itself, which raises the error if there is one.

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from dirframe.service.importing.importer import RecordKeys, StoreRow, normalize, record_keys
from dirframe.service.importing.xml_files import XmlFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dirframe.service.importing.importer import Source


#: Bytes of XML from which a second process pays, and how much of it is in a compressed byte.
_LARGE, _COMPRESSION = 24 << 20, 6
_BATCH_SIZE = 500
_PROGRAM = "import sys; sys.path[:] = {}; from {} import write_rows; write_rows()"


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
        self._process: subprocess.Popen[bytes] | None = None
        paths = [source.path for source in sources if isinstance(source, XmlFile)]
        if (os.cpu_count() or 1) > 1 and sys.executable and _size(paths) >= _LARGE:
            program = _PROGRAM.format(sys.path, __name__)
            with suppress(OSError):
                self._process = subprocess.Popen(  # noqa: S603  # this interpreter
                    [sys.executable, "-c", program],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
                assert self._process.stdin is not None  # noqa: S101  # a pipe
                with self._process.stdin as stream:
                    pickle.dump([str(path) for path in paths], stream)

    def records(self, source: Source) -> Iterator[ConvertedRecord]:
        """Yield the records of the next source.

        Raises
        ------
        StoreError
            A record is invalid, or the source cannot be read.
        """
        converted = 0
        if isinstance(source, XmlFile):
            while self._process is not None:
                batch = self._next_batch()
                if batch == []:
                    return
                for resource, row, keys in batch or ():
                    yield ConvertedRecord(resource, StoreRow._make(row), RecordKeys._make(keys))
                converted += len(batch or ())
        for record in islice(source.records(), converted, None):
            row, children = normalize(record)
            keys = record_keys(record.resource, record.element, children)
            yield ConvertedRecord(record.resource.name, row, keys)

    def _next_batch(self) -> list[tuple[str, tuple[object, ...], tuple[object, ...]]] | None:
        """Return records, none at the end of a file, or None if the process has failed."""
        assert self._process is not None  # noqa: S101  # as the caller has checked
        assert self._process.stdout is not None  # noqa: S101  # a pipe
        try:
            batch: list[tuple[str, tuple[object, ...], tuple[object, ...]]] = pickle.load(  # noqa: S301  # of the own process
                self._process.stdout
            )
        except (EOFError, OSError, pickle.UnpicklingError):
            self.close()
            return None
        return batch

    def close(self) -> None:
        """End the second process."""
        process, self._process = self._process, None
        if process is not None:
            with process:
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


def write_rows() -> None:
    """Convert the files named on standard input; runs in the second process."""
    output = sys.stdout.buffer
    with Conversion(()) as conversion:
        for path in pickle.load(sys.stdin.buffer):  # noqa: S301  # of the own process
            records = conversion.records(XmlFile(Path(path)))
            while batch := [
                (r, tuple(row), tuple(k)) for r, row, k in islice(records, _BATCH_SIZE)
            ]:
                pickle.dump(batch, output)
            pickle.dump([], output)
    output.flush()
