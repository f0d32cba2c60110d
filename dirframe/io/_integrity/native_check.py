"""Check a file before a native library reads it, which a damaged file could crash."""

# A file with a digest is verified against it. A file without one (from an older version or another
# program) is first read in a subprocess.

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from dirframe.errors import ExportWarning, InvalidInputError, warn

if TYPE_CHECKING:
    from pathlib import Path

    from dirframe.io.formats import FileFormat


#: Key in a record: the file contains a digest.
SEALED = "sealed"
#: Key in a record: reading the file showed that its values are others than those exported.
CHANGED = "changed"

_READ = (
    "import sys, pathlib; from dirframe.io.formats import kind_of; "
    "file = pathlib.Path(sys.argv[1]); kind_of(file).read(file)"
)

#: Exit codes of a process that did not crash: success, or a Python exception.
_USUAL = (0, 1)


def check(file: Path, kind: FileFormat) -> bool | None:
    """Return whether a file matches its digest; None if it has none.

    Raises
    ------
    InvalidInputError
        If it is damaged, or crashes the subprocess that reads it first.
    """
    if kind.seal is None:
        return None
    fits = kind.seal.fits(file)
    if fits is False and not kind.seal.editable:
        raise InvalidInputError(
            f"{file} was damaged or changed since it was exported: its digest does not match. Take "
            "it from a copy, or export the frame again."
        )
    if not fits and kind.native:
        _read_elsewhere(file)
    return fits


def check_record(
    file: Path, kind: FileFormat, fits: bool | None, records: list[dict[str, Any]]
) -> None:
    """Check that the file has a digest if its record says so.

    Raises
    ------
    InvalidInputError
        If the digest is missing from a file that is not edited in place.

    Warns
    -----
    ExportWarning
        If the file has changed.
    """
    if any(CHANGED in record for record in records):
        warn_of_change(file, "it was exported")
    if (
        kind.seal is None
        or fits
        or (fits is None and not any(SEALED in record for record in records))
    ):
        return
    if not kind.seal.editable:
        raise InvalidInputError(
            f"{file} was damaged or changed since it was exported: its digest is missing. Take it "
            "from a copy, or export the frame again."
        )
    warn_of_change(file, "it was exported")


def warn_of_change(file: Path, since: str) -> None:
    """Warn that a file has changed since its export."""
    warn(
        ExportWarning(
            f"{file} has changed since {since}: the provenance may not be that of what is in it now."
        )
    )


def _read_elsewhere(file: Path) -> None:
    if not sys.executable:
        raise InvalidInputError(
            f"{file} holds no digest, and this Python cannot start another one that would read it "
            "first. Open it with pandas, and export the frame again."
        )
    # The subprocess needs the same import path, including additions made in a notebook.
    path = os.pathsep.join(entry for entry in sys.path if entry)
    process = subprocess.run(  # noqa: S603  # no shell; our own code and the path of a file
        [sys.executable, "-c", _READ, str(file.absolute())],
        env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if process.returncode not in _USUAL:
        raise InvalidInputError(
            f"{file} is damaged, so that the library that reads it ends the process (code "
            f"{process.returncode}). Take it from a copy, or export the frame again."
        )
