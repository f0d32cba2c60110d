"""Registry of export formats by suffix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dirframe._display.suggest import unknown_suffix
from dirframe.errors import InvalidInputError, MissingExtraError
from dirframe.io import csv, database, excel, html, package, parquet
from dirframe.io._integrity.checksum import Seal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True)
class FileFormat:
    """An export format.

    `read` returns frames by name, each with its record; it is None for a format that is only for
    viewing. `sidecar`: the record is in a separate file. `seal`: position of the digest in the
    file. `native`: read by a native library that a damaged file can crash. `study`: `write` takes
    the options of a study.
    """

    write: Callable[..., None]
    read: Callable[..., Any] | None
    several: bool = False
    sidecar: bool = False
    package: str = ""
    extra: str = ""
    seal: Seal | None = None
    native: bool = False
    study: bool = False

    def check(self) -> None:
        """Raise if a required package is not installed."""
        if self.package and find_spec(self.package) is None:
            raise MissingExtraError(self.package, extra=self.extra, purpose="This format")


_SQLITE = FileFormat(
    database.write_sqlite, database.read_sqlite, several=True, seal=Seal(editable=True)
)

#: The formats by suffix; `read` of a format with a sidecar also takes its record.
KINDS = {
    ".csv": FileFormat(csv.write_csv, csv.read_csv, sidecar=True),
    ".tsv": FileFormat(
        partial(csv.write_csv, separator="\t"), partial(csv.read_csv, separator="\t"), sidecar=True
    ),
    ".jsonl": FileFormat(
        partial(csv.write_json, lines=True), partial(csv.read_json, lines=True), sidecar=True
    ),
    ".json": FileFormat(csv.write_json, csv.read_json, sidecar=True),
    ".parquet": FileFormat(
        parquet.write_parquet, parquet.read_parquet, seal=package.SEAL, native=True
    ),
    ".feather": FileFormat(
        parquet.write_feather, parquet.read_feather, seal=Seal(b"ARROW1"), native=True
    ),
    ".xlsx": FileFormat(
        excel.write_xlsx, excel.read_xlsx, several=True, package="openpyxl", extra="excel"
    ),
    ".sqlite": _SQLITE,
    ".db": _SQLITE,
    ".duckdb": FileFormat(
        database.write_duckdb,
        database.read_duckdb,
        several=True,
        package="duckdb",
        extra="engines",
        seal=Seal(editable=True),
        native=True,
    ),
    ".zip": FileFormat(package.write_package, package.read_package, several=True, study=True),
    ".html": FileFormat(html.write_html, None, several=True),
    ".md": FileFormat(html.write_md, None, several=True),
}


def kind_of(path: Path) -> FileFormat:
    """Return the format of a file from its suffix.

    Raises
    ------
    InvalidInputError
        If there is no such format.
    """
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise InvalidInputError(unknown_suffix(path, path.suffix, KINDS))
    return kind
