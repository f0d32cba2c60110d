"""Progress of an import: a progress bar on a terminal, periodic lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Self, TextIO, TypeAlias

from tqdm.std import tqdm

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seconds between two lines if the stream is not a terminal.
_INTERVAL = 10.0


#: Callback for each imported file: files done, total number of files, records imported.
OnFile: TypeAlias = "Callable[[int, int, int], None]"


class ImportProgress:
    """Display the progress of an import; an `OnFile` callback.

    Parameters
    ----------
    stream
        Output stream. Default: standard error.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._bar: Any = None
        self._next_line = 0.0

    def __call__(self, done: int, total: int, records: int) -> None:
        """Show that `done` files of `total` are imported, with their number of records."""
        if self._stream.isatty():
            if self._bar is None:
                self._bar = tqdm(total=total, unit=" files", desc="Import", file=self._stream)
            self._bar.set_postfix_str(f"{records:,} records", refresh=False)
            self._bar.update(done - self._bar.n)
        elif done in {0, total} or time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _INTERVAL
            self._write(f"Imported {done:,} of {total:,} files, {records:,} records.")
        if done == total:
            self._close()
            self._write("Ordering and indexing the records.")

    def _write(self, line: str) -> None:
        print(line, file=self._stream, flush=True)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._close()
