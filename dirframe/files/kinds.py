"""Which formats there are, by suffix.

What stays out: writing and reading them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dirframe.errors import InvalidInputError, MissingExtraError
from dirframe.files import arrow, database, page, text, workbook
from dirframe.files.seal import Seal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pandas as pd

    from dirframe.files.plain import Prepared

    Found = dict[str, tuple[pd.DataFrame, dict[str, Any]]]

__all__ = ["KINDS", "Kind", "beside", "kind_of"]


@dataclass(frozen=True)
class Kind:
    """A format.

    `read` gives frames by their names, each with its record; a format without one is for
    people to look at. `sidecar` says that the record stands in a file beside the data, `seal`
    where a digest stands in it, and `native` that a library of machine code reads it that a
    damaged file may crash.
    """

    write: Callable[[Sequence[Prepared], Path], None]
    read: Callable[..., Any] | None
    several: bool = False
    sidecar: bool = False
    package: str = ""
    extra: str = ""
    seal: Seal | None = None
    native: bool = False

    def check(self) -> None:
        """Raise if a package is needed that is not installed."""
        if self.package and find_spec(self.package) is None:
            raise MissingExtraError(
                self.package, extra=self.extra, purpose=f"This format ({self.extra})"
            )


def _one(write: Callable[[Prepared, Path], None]) -> Callable[[Sequence[Prepared], Path], None]:
    return lambda frames, file: write(frames[0], file)


def _alone(
    read: Callable[[Path], tuple[pd.DataFrame, dict[str, Any]]],
) -> Callable[[Path], Found]:
    return lambda file: {file.stem: read(file)}


_SQLITE = Kind(database.write_sqlite, database.read_sqlite, several=True, seal=Seal(editable=True))

#: The formats by suffix; those with a sidecar are read with its record.
KINDS = {
    ".csv": Kind(_one(text.write_csv), text.read_csv, sidecar=True),
    ".tsv": Kind(_one(text.write_tsv), text.read_tsv, sidecar=True),
    ".jsonl": Kind(_one(text.write_jsonl), text.read_jsonl, sidecar=True),
    ".parquet": Kind(
        _one(arrow.write_parquet), _alone(arrow.read_parquet), seal=Seal(b"PAR1"), native=True
    ),
    ".feather": Kind(
        _one(arrow.write_feather), _alone(arrow.read_feather), seal=Seal(b"ARROW1"), native=True
    ),
    ".xlsx": Kind(
        workbook.write_xlsx, workbook.read_xlsx, several=True, package="openpyxl", extra="excel"
    ),
    ".sqlite": _SQLITE,
    ".db": _SQLITE,
    ".duckdb": Kind(
        database.write_duckdb,
        database.read_duckdb,
        several=True,
        package="duckdb",
        extra="duckdb",
        seal=Seal(editable=True),
        native=True,
    ),
    ".html": Kind(page.write_html, None, several=True),
    ".md": Kind(page.write_md, None, several=True),
}


def kind_of(path: Path) -> Kind:
    """Give the format of a file by its suffix.

    Raises
    ------
    InvalidInputError
        If there is no such format.
    """
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise InvalidInputError(
            f"{path} has the suffix {path.suffix!r}; choose one of {', '.join(KINDS)}."
        )
    return kind


def beside(path: Path) -> Path:
    """Give the file that holds the record of a text file."""
    return path.with_name(f"{path.name}.provenance.json")
