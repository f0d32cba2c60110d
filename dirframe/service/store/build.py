"""Builds a store: either all of its files are imported, or there is no store.

The records are written as they come; what they are sorted by goes to a temporary table, from
which the order of every sort and the index of words are made once, at the end. No sort has to
be worked out when a page is asked for, so the last page costs what the first one does.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from lxml import etree

from dirframe._atomic import atomic_replace, temporary_sibling
from dirframe._sqlite import open_database
from dirframe.errors import StoreError
from dirframe.schema import PROJECT, RESOURCES, Resource
from dirframe.service.dialects.xml_writer import element_xml
from dirframe.service.records import record_from_element
from dirframe.service.store.importer import ImportSummary, StoreRow, find_files, read_file
from dirframe.service.store.ranking import index_terms
from dirframe.service.store.search import build_index
from dirframe.service.synthetic.languages import languages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from dirframe.service.store.import_progress import OnFile

__all__ = ["APPLICATION_ID", "SORT_ALIASES", "VERSION", "base_sorts", "build_store"]

#: Marks the file as ours ("dirf"), in the place that SQLite keeps for this.
APPLICATION_ID = 0x64697266

#: Version of the tables below: a store of another version is refused and built anew.
VERSION = 3

_AT_ONCE = 1_000

_KEYS = (
    "id_key",
    "name_key",
    "created_at",
    "updated_at",
    "stack_count",
    "words",
    "title",
    "tags",
    "address_names",
    "description",
    "rating",
    "active_committers",
    "activity_level",
)
_KEPT = ("email_md5", "xml", "synthetic")

#: What stands for a sort that is not simply the column of its name.
_ORDER_BY = {
    "id": "id_key",
    "name": "name_key",
    "description": "description = '', description",
    "relevance": "stack_count DESC",  # among records that match equally well
    **{
        sort: f"{sort} IS NULL, {sort} DESC"
        for sort in ("rating", "active_committers", "activity_level")
    },
}
#: Sorts that need a field which not every collection has.
_NEEDS_VALUES = ("rating", "active_committers", "activity_level")

#: Sorts of other dialects that are others by another name.
SORT_ALIASES = {
    "new": "created_at_reverse",
    "users": "stack_count_reverse",
    "popularity": "stack_count_reverse",
    "project_name": "name",
}


def base_sorts(resource: Resource) -> list[str]:
    """Return the sorts of a resource without the reverse ones, which are exact mirrors."""
    sorts = (*resource.sorts, *resource.other_sorts)
    return [sort for sort in sorts if not sort.endswith("_reverse") and sort not in SORT_ALIASES]


def build_store(path: Path, sources: Iterable[Path], *, on_file: OnFile | None = None) -> Path:
    """Build the store of a directory from XML collections.

    Parameters
    ----------
    path
        The file to be made; one that exists is replaced, but only by a complete store.
    sources
        Files (``.xml``, ``.xml.gz``) and folders of such files. Where two hold the same id,
        the later record replaces the earlier one.
    on_file
        Is told before the first file and after each.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    StoreError
        A file is missing or not the interface's XML, or a record has no id; nothing is left.
    """
    files = find_files(sources)
    with temporary_sibling(path) as part:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.touch(mode=0o600)  # it holds addresses of members, if only as digests
        except OSError as error:
            raise StoreError(f"A store cannot be written at {path}: {error.strerror}.") from error
        try:
            with closing(open_database(part)) as database:
                _fill(database, files, on_file)
        except sqlite3.Error as error:
            raise StoreError(f"The store {path} cannot be written: {error}.") from error
        atomic_replace(part, path, overwrite=True)
    return path


def _fill(database: sqlite3.Connection, files: list[Path], on_file: OnFile | None) -> None:
    # A build that is interrupted leaves no store, so it needs no journal.
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -65536"):
        database.execute(f"PRAGMA {pragma}")
    database.execute("BEGIN")
    for resource in RESOURCES.values():
        _create_tables(database, resource)
    imported = ImportSummary()
    total = 0
    if on_file is not None:
        on_file(0, len(files), 0)
    for done, file in enumerate(files, start=1):
        imported.records = 0
        records = read_file(file, imported)
        while batch := list(islice(records, _AT_ONCE)):
            for resource in RESOURCES.values():
                _write(database, resource, [r for r in batch if r.resource is resource])
        total += imported.records
        if on_file is not None:
            on_file(done, len(files), total)
    for resource in RESOURCES.values():
        _order(database, resource)
    _count_languages(database)
    database.execute("CREATE TABLE about (synthetic INTEGER NOT NULL)")
    database.execute("INSERT INTO about VALUES (?)", (imported.synthetic,))
    database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    database.execute(f"PRAGMA user_version = {VERSION}")
    database.execute("COMMIT")


def _create_tables(database: sqlite3.Connection, resource: Resource) -> None:
    name = resource.collection
    database.execute(
        f"CREATE TABLE {name} (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
        " email_md5 TEXT, xml TEXT NOT NULL, synthetic INTEGER NOT NULL)"
    )
    database.execute(f"CREATE TABLE {name}_order (sort TEXT PRIMARY KEY, numbers BLOB NOT NULL)")
    # The same ids come in the same order, so that both tables give a record the same number.
    database.execute(
        f"CREATE TEMP TABLE {name}_keys (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
        f" {', '.join(_KEYS)})"
    )


def _write(database: sqlite3.Connection, resource: Resource, records: list[StoreRow]) -> None:
    name = resource.collection
    database.executemany(_upsert(name, _KEPT), [(r.id, *_values(r, _KEPT)) for r in records])
    database.executemany(
        _upsert(f"temp.{name}_keys", _KEYS),
        [(r.id, *_values(r, _KEYS)) for r in records],
    )


def _count_languages(database: sqlite3.Connection) -> None:
    """Write the languages of the generated projects; nobody has counted those of others."""
    rows = database.execute(f"SELECT xml FROM {PROJECT.collection} WHERE synthetic")  # noqa: S608  # as above
    projects = (record_from_element(etree.fromstring(xml)) for (xml,) in rows)
    database.execute("CREATE TABLE languages (number INTEGER PRIMARY KEY, xml TEXT NOT NULL)")
    database.executemany(
        "INSERT INTO languages (xml) VALUES (?)",
        [(element_xml("language", record),) for record in languages(projects)],
    )


def _values(record: StoreRow, names: tuple[str, ...]) -> tuple[object, ...]:
    return tuple(getattr(record, name) for name in names)


def _upsert(table: str, columns: tuple[str, ...]) -> str:
    return (
        f"INSERT INTO {table} (id, {', '.join(columns)})"  # noqa: S608  # names of our own tables
        f" VALUES (?{', ?' * len(columns)})"
        f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{c} = excluded.{c}' for c in columns)}"
    )


def _order(database: sqlite3.Connection, resource: Resource) -> None:
    name = resource.collection
    for sort in base_sorts(resource):
        if sort in _NEEDS_VALUES and not _has_values(database, name, sort):
            continue
        key = _ORDER_BY.get(sort, sort)
        rows = database.execute(
            # Numbers begin at 0 in arrays and at 1 in tables. The id makes every place unique.
            f"SELECT number - 1 FROM temp.{name}_keys ORDER BY {key}, id_key"  # noqa: S608  # as above
        )
        numbers = np.fromiter((number for (number,) in rows), dtype=np.uint32)
        database.execute(f"INSERT INTO {name}_order VALUES (?, ?)", (sort, numbers.tobytes()))  # noqa: S608  # as above
    database.execute(f"CREATE INDEX {name}_email ON {name} (email_md5) WHERE email_md5 IS NOT NULL")
    (size,) = database.execute(f"SELECT count(*) FROM {name}").fetchone()  # noqa: S608  # as above
    build_index(database, name, _texts(database, name), size)
    terms = database.execute(
        f"SELECT number - 1, title, tags, address_names FROM temp.{name}_keys ORDER BY id_key"  # noqa: S608  # as above
    )
    index_terms(database, name, terms)
    database.execute(f"DROP TABLE temp.{name}_keys")


def _has_values(database: sqlite3.Connection, name: str, column: str) -> bool:
    sql = f"SELECT EXISTS (SELECT 1 FROM temp.{name}_keys WHERE {column} IS NOT NULL)"  # noqa: S608  # as above
    return bool(database.execute(sql).fetchone()[0])


def _texts(database: sqlite3.Connection, name: str) -> Iterator[tuple[int, str]]:
    yield from database.execute(f"SELECT number - 1, words FROM temp.{name}_keys ORDER BY number")  # noqa: S608  # as above
