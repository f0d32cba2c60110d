"""Model of a study: its tables, files, columns, terms and authors."""

# One model, several writers: every fact comes from the provenance of the frames, the schema of the
# interface, and the types in the Parquet files themselves.

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from dirframe import provenance
from dirframe.citation import cite, csl_item
from dirframe.errors import InvalidInputError
from dirframe.provenance import Provenance
from dirframe.schema.extensions import ALL_RESOURCES
from dirframe.study.zip_file import file_sha256

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    import pandas as pd


_MEDIA_TYPES = {
    "bib": "application/x-bibtex",
    "cff": "application/yaml",
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "md": "text/markdown",
    "parquet": "application/vnd.apache.parquet",
}

#: Licence of generated sample records.
_SAMPLE_LICENCE = "CC0-1.0"


def without_empty(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without the fields that have no value."""
    return {name: value for name, value in document.items() if value}


def media_type(path: str) -> str:
    """Return the media type that the suffix of a file stands for."""
    return _MEDIA_TYPES[path.rpartition(".")[2]]


class Column(NamedTuple):
    """A column: its type in the words of Frictionless, its unit and its meaning."""

    name: str
    type: str
    unit: str
    meaning: str


class DataFile(NamedTuple):
    """A file of the study, by its path below the root."""

    path: str
    size: int
    sha256: str


class Author(NamedTuple):
    """A person (family and given name) or an organization (name alone)."""

    name: str
    given: str = ""

    def __str__(self) -> str:
        return f"{self.given} {self.name}".strip()


@dataclass(frozen=True, kw_only=True)
class StudyOptions:
    """What only the authors of a study know.

    Parameters
    ----------
    title : str
        Title; empty: that of the citation of the records.
    authors : sequence of str
        ``"Family, Given"`` for a person, a name without a comma for an organization; empty: the
        directory.
    license : str
        SPDX identifier or address of the licence of the records; empty: the terms of the
        directory apply, or CC0-1.0 for generated sample records.

    Raises
    ------
    InvalidInputError
        If the licence is neither, or an author has no name.
    """

    title: str = ""
    authors: Sequence[str] = ()
    license: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.authors, str) or not all(str(author) for author in self.people()):
            raise InvalidInputError(
                f'authors is {self.authors!r}; it must be a list of names, such as ["Hopper, Grace"].'
            )
        if self.license and not re.match(r"https?://[^\s/]+", self.license):
            # Slow to import, and not needed to read a file.
            from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

            try:
                canonicalize_license_expression(self.license)
            except InvalidLicenseExpression:
                raise InvalidInputError(
                    f"license is {self.license!r}; it must be an identifier of SPDX, such as "
                    "CC-BY-4.0, or the address of the licence."
                ) from None

    def people(self) -> list[Author]:
        """Return the authors."""
        parts = [" ".join(author.split()).partition(", ") for author in self.authors]
        return [Author(family, given) for family, _, given in parts]


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of the study, with the files that hold it."""

    name: str
    rows: int
    columns: tuple[Column, ...]
    files: tuple[DataFile, ...]
    citation: str
    record: Provenance
    item: dict[str, Any] = field(repr=False)
    """The citation as an item of CSL-JSON."""
    key: str = ""
    """Column whose values identify the rows; empty if there is none."""

    @property
    def completeness(self) -> str:
        """Whether the records are proven to be all that matched the query, and if not, why."""
        if self.record.complete is None:
            return "completeness not known"
        if self.record.complete:
            return "complete"
        return f"incomplete: {self.record.incomplete_reason or 'the reason is not known'}"

    @property
    def accessed(self) -> str:
        """First and last time of access, as an interval of ISO 8601; empty if not known."""
        times = (self.record.retrieved_oldest, self.record.retrieved_newest)
        return "/".join(dict.fromkeys(time for time in times if time))


@dataclass(frozen=True, kw_only=True)
class Study:
    """Tables with a title, authors, a licence and a date."""

    name: str
    tables: tuple[Table, ...]
    options: StudyOptions = field(default_factory=StudyOptions)
    other_files: tuple[tuple[str, str], ...] = ()
    """Further files, or folders with a slash at the end, each with its description."""

    @property
    def title(self) -> str:
        """The given title, or those of the citations."""
        cited = "; ".join(dict.fromkeys(table.item["title"] for table in self.tables))
        return " ".join(self.options.title.split()) or cited

    @property
    def description(self) -> str:
        """The citations, which say what is missing, and what is proven complete."""
        return " ".join(
            dict.fromkeys(
                table.citation + (" Proven complete." if table.record.complete else "")
                for table in self.tables
            )
        )

    @property
    def authors(self) -> list[Author]:
        """The given authors, or the directories."""
        return self.options.people() or [Author(name) for name in self.sources]

    @property
    def sources(self) -> dict[str, str]:
        """Address of each directory by its name; empty for one of this machine."""
        return {
            author["literal"]: table.item.get("URL", "")
            for table in self.tables
            for author in table.item["author"]
        }

    @property
    def license(self) -> str:
        """SPDX identifier or address; empty: the terms of the directory."""
        synthetic = all(table.record.synthetic for table in self.tables)
        return self.options.license or (_SAMPLE_LICENCE if synthetic else "")

    @property
    def license_url(self) -> str:
        """Address of the licence; empty: the terms of the directory."""
        license = self.license
        return license if not license or ":" in license else f"https://spdx.org/licenses/{license}"

    @property
    def published(self) -> str:
        """Day of the newest access, or else of the newest record; today only if neither is known."""
        days = [
            table.record.retrieved_newest or table.record.records_newest for table in self.tables
        ]
        today = datetime.now(UTC).isoformat()
        return max((day for day in days if day), default=today)[:10]


def describe_table(
    name: str, parquet: Path, frame: pd.DataFrame, files: Iterable[DataFile]
) -> Table:
    """Describe a Parquet file of records or of a statistic.

    Parameters
    ----------
    name
        Name of the table.
    parquet
        The file; its schema gives the columns and their types.
    frame
        The frame, or any with its provenance.
    files
        All files that hold the table.

    Raises
    ------
    InvalidInputError
        If the frame has no source in its provenance.
    """
    from pyarrow.parquet import ParquetFile

    with ParquetFile(parquet) as opened:
        rows, schema = opened.metadata.num_rows, opened.schema_arrow
    record = Provenance.from_dict(provenance.get_provenance(frame))
    resource = ALL_RESOURCES.get(record.resource)
    # A column of a statistic is not the field of that name.
    are_records = (
        resource is not None
        and not record.statistic
        and (not resource.key or resource.key in schema.names)
    )
    fields = resource.by_column if resource and are_records else {}
    columns = []
    for column in schema:
        described = fields.get(column.name)
        texts = (described.unit, described.meaning) if described else ("", "")
        columns.append(Column(column.name, _type_of(column.type), *texts))
    key = resource.key if resource and are_records else ""
    ids = frame[key] if key in frame and len(frame) == rows else None
    return Table(
        name=name,
        rows=rows,
        columns=tuple(columns),
        files=tuple(files),
        citation=str(cite(frame)),
        record=record,
        item=csl_item(frame),
        key=key if ids is not None and ids.is_unique and ids.notna().all() else "",
    )


def describe_file(root: Path, path: Path) -> DataFile:
    """Describe a file below the root of the study."""
    return DataFile(path.relative_to(root).as_posix(), path.stat().st_size, file_sha256(path))


def _type_of(kind: pa.DataType) -> str:
    is_ = pa.types
    kind = kind.value_type if is_.is_dictionary(kind) else kind
    tests = {
        "boolean": is_.is_boolean,
        "integer": is_.is_integer,
        "number": is_.is_floating,
        "datetime": is_.is_timestamp,
        "array": lambda kind: is_.is_list(kind) or is_.is_large_list(kind),
        "object": is_.is_struct,
    }
    return next((name for name, test in tests.items() if test(kind)), "string")
