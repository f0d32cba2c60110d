"""Read and write the sidecar file that holds the record of a text file."""

# Two files cannot be replaced in one atomic step. So the new record is written first and contains
# the old one until the new file is in place: if the process ends in between, one of the two records
# matches the file.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe._files import atomic_write
from dirframe.errors import Hint, InvalidInputError
from dirframe.io._integrity.native_check import warn_of_change
from dirframe.io.metadata import as_text, read_record
from dirframe.study.zip_file import file_sha256

if TYPE_CHECKING:
    from pathlib import Path

    Record = dict[str, Any]


#: While a file is being replaced: the record of the old file, or None.
_REPLACES = "replaces"


def write_sidecar(target: Path, record: Record) -> None:
    """Write the sidecar of a finished file."""
    _write({**record, "file": target.name, "sha256": file_sha256(target)}, target, True)


def read_sidecar(file: Path) -> Record:
    """Read the record of a file.

    Raises
    ------
    InvalidInputError
        If there is none, or an interrupted export left a record that does not match the file.

    Warns
    -----
    ExportWarning
        If the file has changed since the record was written.
    """
    sidecar = sidecar_path(file)
    if not sidecar.is_file():
        raise InvalidInputError(
            f"{sidecar.name}, which says what dirframe exported, is not beside {file}.",
            hint=Hint(
                "Put it there, or read the file with pandas as the documentation of "
                "dirframe.export shows.",
                shell="Put it there.",
            ),
        )
    record = read_record(sidecar.read_bytes(), sidecar)
    matching = _fitting(record, file)
    if matching is not None:
        return matching
    if _REPLACES in record:
        raise InvalidInputError(
            f"{sidecar.name} does not describe {file}: an export that was to replace it was "
            "ended before it was done. Export the frame again."
        )
    warn_of_change(file, f"{sidecar.name} was written")
    return record


def _write(record: Record, target: Path, overwrite: bool) -> None:
    with atomic_write(sidecar_path(target), overwrite=overwrite) as temporary:
        temporary.write_text(as_text(record, indent=1) + "\n", encoding="utf-8")


def _fitting(record: Record, file: Path) -> Record | None:
    digest = file_sha256(file)
    for candidate in (record, record.get(_REPLACES)):
        if candidate and candidate.get("sha256") == digest:
            return {name: value for name, value in candidate.items() if name != _REPLACES}
    return None


def sidecar_path(path: Path) -> Path:
    """Return the path of the sidecar of a text file."""
    return path.with_name(f"{path.name}.provenance.json")
