"""Build a store from XML files: all files are imported, or no store is created."""

# Records are written as they are read. Their sort keys go to a temporary table, from which the
# order of every sort and the word index are built once at the end. No request has to sort, so the
# last page is as fast as the first.

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import fields
from itertools import islice
from operator import attrgetter
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
    from collections.abc import Iterable
    from pathlib import Path

    from dirframe.service.store.import_progress import OnFile


#: SQLite application id of a store ("dirf").
APPLICATION_ID = 0x64697266

#: Version of the tables below: a store of another version is rejected and rebuilt.
VERSION = 3

_BATCH_SIZE = 1_000

_RECORD_COLUMNS = ("email_md5", "xml", "synthetic")
_KEY_COLUMNS = tuple(
    f.name for f in fields(StoreRow) if f.name not in {"resource", "id", *_RECORD_COLUMNS}
)
#: SQL of the sorts that are not the column of the same name.
_ORDER_BY = {
    "id": "id_key",
    "name": "name_key",
    "description": "description = '', description",
    "relevance": "stack_count DESC",  # among equally good matches
    **{
        sort: f"{sort} IS NULL, {sort} DESC"
        for sort in ("rating", "active_committers", "activity_level")
    },
}
#: Sorts by a field that not every collection has.
_NEEDS_VALUES = ("rating", "active_committers", "activity_level")

#: Sorts of other dialects that have another name here.
SORT_ALIASES = {
    "new": "created_at_reverse",
    "users": "stack_count_reverse",
    "popularity": "stack_count_reverse",
    "project_name": "name",
}


def base_sorts(resource: Resource) -> list[str]:
    """Return the sorts of a resource without the reverse ones."""
    sorts = (*resource.sorts, *resource.other_sorts)
    return [sort for sort in sorts if not sort.endswith("_reverse") and sort not in SORT_ALIASES]


def build_store(path: Path, sources: Iterable[Path], *, on_file: OnFile | None = None) -> Path:
    """Build the store of a directory from XML collections.

    Parameters
    ----------
    path
        The file to create; an existing file is replaced only by a complete store.
    sources
        Files (``.xml``, ``.xml.gz``) and folders of such files. If an id is repeated, the later
        record replaces the earlier one.
    on_file
        Called before the first file and after each file.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    StoreError
        A file is missing or invalid, or a record has no id; no file is left.
    """
    files = find_files(sources)
    with temporary_sibling(path) as temporary:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.touch(mode=0o600)  # it holds digests of e-mail addresses
        except OSError as error:
            raise StoreError(f"A store cannot be written at {path}: {error.strerror}.") from error
        try:
            with closing(open_database(temporary)) as database:
                _fill(database, files, on_file)
        except sqlite3.Error as error:
            raise StoreError(f"The store {path} cannot be written: {error}.") from error
        atomic_replace(temporary, path, overwrite=True)
    return path


def _fill(database: sqlite3.Connection, files: list[Path], on_file: OnFile | None) -> None:
    # An interrupted build leaves no store, so it needs no journal.
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
        while batch := list(islice(records, _BATCH_SIZE)):
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
    # Both tables get the ids in the same order, so that a record has the same number in both.
    database.execute(
        f"CREATE TEMP TABLE {name}_keys (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
        f" {', '.join(_KEY_COLUMNS)})"
    )


def _write(database: sqlite3.Connection, resource: Resource, records: list[StoreRow]) -> None:
    name = resource.collection
    for table, columns in ((name, _RECORD_COLUMNS), (f"temp.{name}_keys", _KEY_COLUMNS)):
        database.executemany(_upsert(table, columns), map(attrgetter("id", *columns), records))


def _count_languages(database: sqlite3.Connection) -> None:
    """Write the languages of generated projects; imported ones have no counts."""
    rows = database.execute(f"SELECT xml FROM {PROJECT.collection} WHERE synthetic")
    projects = (record_from_element(etree.fromstring(xml)) for (xml,) in rows)
    database.execute("CREATE TABLE languages (number INTEGER PRIMARY KEY, xml TEXT NOT NULL)")
    database.executemany(
        "INSERT INTO languages (xml) VALUES (?)",
        [(element_xml("language", record),) for record in languages(projects)],
    )


def _upsert(table: str, columns: tuple[str, ...]) -> str:
    return (
        f"INSERT INTO {table} (id, {', '.join(columns)})"
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
            # Numbers begin at 0 in arrays and at 1 in tables. The id is the tie-break.
            f"SELECT number - 1 FROM temp.{name}_keys ORDER BY {key}, id_key"
        )
        numbers = np.fromiter((number for (number,) in rows), dtype=np.uint32)
        database.execute(f"INSERT INTO {name}_order VALUES (?, ?)", (sort, numbers.tobytes()))
    database.execute(f"CREATE INDEX {name}_email ON {name} (email_md5) WHERE email_md5 IS NOT NULL")
    (size,) = database.execute(f"SELECT count(*) FROM {name}").fetchone()
    texts = database.execute(f"SELECT number - 1, words FROM temp.{name}_keys ORDER BY number")
    build_index(database, name, texts, size)
    terms = database.execute(
        f"SELECT number - 1, title, tags, address_names FROM temp.{name}_keys ORDER BY id_key"
    )
    index_terms(database, name, terms)
    database.execute(f"DROP TABLE temp.{name}_keys")


def _has_values(database: sqlite3.Connection, name: str, column: str) -> bool:
    sql = f"SELECT EXISTS (SELECT 1 FROM temp.{name}_keys WHERE {column} IS NOT NULL)"
    return bool(database.execute(sql).fetchone()[0])
