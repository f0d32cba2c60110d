"""Find the sources of a directory: XML files, tables, frames and databases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from dirframe.errors import ConfigurationError, Hint, StoreError
from dirframe.schema import RESOURCES
from dirframe.schema.extensions import detect_resource
from dirframe.service.importing.importer import normalize
from dirframe.service.importing.mapping import Section, read_map
from dirframe.service.importing.table_source import TableReport, TableSource
from dirframe.service.importing.tables import frame_table, is_table, query_table, read_table
from dirframe.service.importing.xml_files import XmlFile, find_files, refuse_unreadable

if TYPE_CHECKING:
    from dirframe.schema import Resource
    from dirframe.service.importing.importer import Source
    from dirframe.service.importing.tables import Table


#: What can be served: a path, an address of a database, a frame, several of them, or by collection.
Data: TypeAlias = "str | PathLike[str] | Sequence[Any] | Mapping[str, Any] | Any"

#: Substring by which the address of a database is recognized.
ADDRESS = "://"
_COLLECTIONS = {resource.collection: resource for resource in RESOURCES.values()}


def data_files(data: Data, *, mapping: Path | None = None) -> list[Path] | None:
    """Return the files of data and map, or None if part of the data is in no file."""
    files = [mapping] if mapping else []
    for _, part in _parts(data, read_map(mapping) if mapping else {}, mapping):
        if not isinstance(part, PathLike):
            return None
        files += find_files([Path(part)])
    return files


def find_sources(
    data: Data, *, mapping: Path | None = None, skip_invalid: bool = False
) -> list[Source]:
    """Return the sources of records.

    Parameters
    ----------
    data
        A path, a frame, or the address of a database, whose query is in the map; a sequence of
        them, or a mapping from the collection (``accounts``, ``projects``) to one of them. A path
        is an XML file, a folder of XML files, or a table (CSV, JSON lines, Parquet). An empty
        sequence: the map names the data.
    mapping
        The map, for tables whose columns have other names than the fields.
    skip_invalid
        Whether rows of tables that do not fit are left out.

    Returns
    -------
    list of Source
        The sources.

    Raises
    ------
    ConfigurationError
        The map is invalid or does not fit the columns, or the collection of a table is not clear.
    InvalidInputError
        There is no such file or folder.
    StoreError
        A folder is without XML, a query fails, or nothing is named.
    """
    sections = read_map(mapping) if mapping else {}
    sources: list[Source] = []
    ids_by_resource: dict[str, dict[str, TableSource]] = {}
    for name, part in _parts(data, sections, mapping):
        if isinstance(part, str):
            tables = _query_tables(part, sections, name)
        elif not isinstance(part, PathLike):
            tables = [(name, frame_table(part))]
        elif is_table(path := Path(part)) and _is_file(path):
            tables = [(name, read_table(path))]
        else:
            sources += map(XmlFile, find_files([path]))
            continue
        for collection, table in tables:
            resource = _resource(collection, table, sections)
            section = sections.get(resource.collection, Section())
            ids = ids_by_resource.setdefault(resource.name, {})
            sources.append(
                TableSource(table, resource, section, skip_invalid=skip_invalid, ids=ids)
            )
    if not sources:
        raise StoreError(
            "There is no data to serve.",
            hint=Hint("Name a file, or write data = in the map.", shell="Use --data."),
        )
    return sources


def _is_file(path: Path) -> bool:
    with refuse_unreadable(path):
        return path.is_file()


def check_data(data: Data, *, mapping: Path | None = None) -> list[TableReport]:
    """Read all records without storing them, and report what does not fit.

    Parameters
    ----------
    data, mapping
        As of `find_sources`.

    Returns
    -------
    list of TableReport
        A report for each source.

    Raises
    ------
    ConfigurationError
        The map is invalid.
    InvalidInputError
        There is no such file or folder.
    StoreError
        A folder is without XML, a query fails, or a record in XML is invalid.
    """
    reports: list[TableReport] = []
    for source in find_sources(data, mapping=mapping, skip_invalid=True):
        rows = 0
        for record in source.records():
            normalize(record)
            rows += 1
        if isinstance(source, TableSource):
            reports.append(source.report)
        else:
            reports.append(TableReport("records", str(source), rows=rows))
    return reports


def _parts(
    data: Data, sections: Mapping[str, Section], mapping: Path | None
) -> list[tuple[str, Any]]:
    """Return collection, if known, and data: a path, the address of a database, or a frame."""
    if isinstance(data, Mapping):
        if unknown := sorted(set(data) - set(_COLLECTIONS)):
            raise ConfigurationError(
                f"Data is served as accounts and projects, not as {', '.join(unknown)}."
            )
        parts = list(data.items())
    else:
        parts = [("", part) for part in (data if isinstance(data, (list, tuple)) else [data])]
    # Data that the map names lies beside the map.
    folder = mapping.parent if mapping else Path()
    named = [
        (name, s.data if ADDRESS in s.data else folder / s.data)
        for name, s in sections.items()
        if s.data
    ]
    texts = [(n, Path(p) if isinstance(p, str) and ADDRESS not in p else p) for n, p in parts]
    return [*named, *texts]


def _query_tables(
    address: str, sections: Mapping[str, Section], name: str
) -> list[tuple[str, Table]]:
    queries = {c: s.query for c, s in sections.items() if s.query and name in {"", c}}
    if not queries:
        raise ConfigurationError(
            "A database needs a query.",
            hint=Hint(
                'Write it into the map: [accounts] query = "SELECT … FROM …", and pass mapping=.',
                shell='Write it into the map: [accounts] query = "SELECT … FROM …", and use --map.',
            ),
        )
    return [(c, query_table(address, query)) for c, query in queries.items()]


def _resource(name: str, table: Table, sections: Mapping[str, Section]) -> Resource:
    """Return the resource by the caller or the map, the name of the file, or the columns."""
    stem = Path(table.name).name.lower()
    name = name or next((c for c in _COLLECTIONS if stem.startswith(c)), "")
    if not name and len(free := [c for c, s in sections.items() if not s.data]) == 1:
        (name,) = free
    resource = _COLLECTIONS.get(name) or detect_resource(table.columns)
    if resource is None or resource.name not in RESOURCES:
        raise ConfigurationError(
            f"It is not clear whether {table.name} holds accounts or projects.",
            hint=Hint(
                'Pass {"accounts": …}, or mapping= a map with [accounts.fields] or '
                "[projects.fields].",
                shell="Use --map with a map with [accounts.fields] or [projects.fields], or name the "
                "file accounts or projects.",
            ),
        )
    return resource
