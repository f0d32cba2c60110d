"""The records of a directory in a SQLite file: import, pages by sort and query, and single records."""

# Each collection is a table of what records are sorted and searched by, and one of their XML, so
# that a search reads no XML. Orders are indexes; a search is a scan, whose result is kept.

from __future__ import annotations

import json
import logging
import os
import re
import sqlite3
import threading
from array import array
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from dirframe._files import atomic_write, data_folder
from dirframe._printable import escaped
from dirframe._sqlite import DATABASE_FAILURES, open_database
from dirframe.errors import ConfigurationError, InvalidInputError, StoreError
from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT, RESOURCES, Resource
from dirframe.service.csv_export import write_csv
from dirframe.service.read_table import Ids, read_table
from dirframe.service.read_xml import Document, Synthetic, digest_of, is_xml, read_xml
from dirframe.service.records import COLUMNS, Row, fold
from dirframe.service.store_files import (
    HeldFile,
    TemporaryFolder,
    has_checksum,
    mark_used,
    prune,
    store_path,
    write_checksum,
)

#: What can be served: a path, a frame, several of these, or a mapping from collections to them.
Data: TypeAlias = Any
_Read: TypeAlias = Row | Document | Synthetic

#: Different words of a query, a limit of the cost of a request.
MAX_WORDS = 10

_LOG = logging.getLogger("dirframe.service")

#: Version of the tables, which is part of the name of a store.
_VERSION = 15

_COLLECTIONS = {resource.collection: resource for resource in RESOURCES.values()}
#: SQL of the sorts; the id breaks ties. Those of the specification can be reversed.
_SPECIFIED = ("created_at", "updated_at", "name", "stack_count")
_OPTIONAL = ("rating", "active_committers", "activity_level")
_SORTS = {
    **{name: f"{name}, id_key" for name in _SPECIFIED},
    **{f"{name}_reverse": f"{name} DESC, id_key DESC" for name in _SPECIFIED},
    **{name: f"{name} DESC, id_key" for name in _OPTIONAL},
    "id": "id_key",
    "id_reverse": "id_key DESC",
    "description": "description = '', description, id_key",
    "relevance": "stack_count DESC, id_key",
}
#: Sorts of other dialects have other names.
_SORTS["new"] = _SORTS["created_at_reverse"]
_SORTS["users"] = _SORTS["popularity"] = _SORTS["stack_count_reverse"]
_SORTS["project_name"] = _SORTS["name"]

_TABLES = """
CREATE TABLE {name} (n INTEGER PRIMARY KEY, {columns}, UNIQUE (id));
CREATE TABLE {name}_xml (n INTEGER PRIMARY KEY, xml TEXT NOT NULL);
CREATE TABLE {name}_slugs (slug, n, PRIMARY KEY (slug, n)) WITHOUT ROWID;
"""


class StoredPage(NamedTuple):
    """A page of records as XML."""

    fragments: list[str]
    available: int  # records on all pages
    first: int  # the position of the first one here


class Store:
    """Read-only access to a store built by `open_data`."""

    def __init__(
        self, path: Path, held: HeldFile, temporary_folder: TemporaryFolder | None = None
    ) -> None:
        self.path = path
        self._held = held
        self._temporary_folder = temporary_folder
        self._csv_folder: TemporaryFolder | None = None
        self._csv_files: dict[str, Path] = {}
        self._csv_lock = threading.Lock()
        self._search = lru_cache(32)(self._find_matches)
        #: The number of records of each collection, and the sorts by whose field they have values.
        self.counts: dict[str, int] = {}
        self.sorts: dict[str, list[str]] = {}
        with self._database() as database:
            #: Whether any record is generated.
            self.synthetic = bool(database.execute("PRAGMA user_version").fetchone()[0])
            for name, resource in _COLLECTIONS.items():
                counts = ", ".join(f"count({column})" for column in _OPTIONAL)
                sql = f"SELECT count(*), {counts} FROM {name}"
                self.counts[name], *values = database.execute(sql).fetchone()
                absent = {c for c, number in zip(_OPTIONAL, values, strict=True) if not number}
                offered = (*resource.sorts, *resource.other_sorts)
                self.sorts[name] = [sort for sort in offered if sort not in absent]
            sql = f"SELECT count(kudo_rank) FROM {ACCOUNT.collection}"
            #: Whether any account has a kudo rank.
            self.has_kudo_ranks = bool(database.execute(sql).fetchone()[0])

    def close(self) -> None:
        """Release the file, and remove it if it is temporary."""
        self._held.release()
        for folder in (self._temporary_folder, self._csv_folder):
            if folder is not None:
                folder.remove()

    def check(self) -> None:
        """Raise a StoreError unless records can be read."""
        for name in _COLLECTIONS:
            with self._database() as database:
                database.execute(f"SELECT xml FROM {name}_xml LIMIT 1").fetchone()

    @property
    def collections(self) -> list[str]:
        """The collections that have records; all if the directory is empty."""
        return [name for name, count in self.counts.items() if count] or list(self.counts)

    def default_sort(self, resource: Resource, query: str = "") -> str:
        """Return the default sort, with or without a query."""
        return (resource.query_sort if query.strip() else "") or resource.default_sort

    def page(
        self, resource: Resource, query: str, sort: str, page: int, page_size: int = PAGE_SIZE
    ) -> StoredPage:
        """Return a page of a collection.

        The words of the query must all occur, in any case and also inside words: in the name of an
        account; in the title, the description or the tags of a project. ``tag:x`` matches projects
        with exactly the tag x.
        """
        name = resource.collection
        sort = sort or self.default_sort(resource, query)
        if sort not in self.sorts[name]:
            raise InvalidInputError(
                f"There is no sort of {name} by {sort[:50]!r}; "
                f"there are {', '.join(self.sorts[name])}."
            )
        first = (page - 1) * page_size
        with self._database() as database:
            if query.strip():
                matches = self._search(resource, sort, fold(query))
                available = len(matches)
                numbers = list(matches[first : first + page_size])
            else:
                available = self.counts[name]
                sql = f"SELECT n FROM {name} ORDER BY {_SORTS[sort]} LIMIT ? OFFSET ?"
                rows = database.execute(sql, (page_size, min(first, available)))
                numbers = [number for (number,) in rows]
            fragments = _fragments(database, name, numbers)
        return StoredPage(fragments, available, first)

    def page_of_ids(
        self, resource: Resource, ids: list[str], page: int, page_size: int
    ) -> StoredPage:
        """Return a page of the records among some ids, in the order of ids."""
        name, first = resource.collection, (page - 1) * page_size
        sql = f"SELECT n FROM {name} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id_key"
        with self._database() as database:
            numbers = [number for (number,) in database.execute(sql, (json.dumps(ids),))]
            fragments = _fragments(database, name, numbers[first : first + page_size])
        return StoredPage(fragments, len(numbers), first)

    def _find_matches(self, resource: Resource, sort: str, query: str) -> array[int]:
        """Return the numbers of all records that match a folded query, in the order of a sort."""
        words, tags = _words_and_tags(resource, query)
        if len({*words, *tags}) > MAX_WORDS:
            raise InvalidInputError(f"A query has at most {MAX_WORDS} different words.")
        conditions: list[str] = []
        parameters: list[str] = []
        for word in words:
            conditions.append("(name GLOB ? OR description GLOB ? OR tags GLOB ?)")
            parameters += [_pattern(word)] * 3
        for tag in tags:
            conditions.append("tags GLOB ?")
            parameters.append(_pattern(f"\n{tag}\n"))
        name, order = resource.collection, _SORTS[sort]
        if sort == "relevance" and words:
            rank, rank_parameters = _rank(name, words)
            order = f"{rank}, {order}"
            parameters += rank_parameters
        # One row of JSON is read faster than thousands, and a scan is faster than an index.
        sql = (
            f"SELECT json_group_array(n) FROM (SELECT n FROM {name} NOT INDEXED"
            f" WHERE {' AND '.join(conditions)} ORDER BY {order})"
        )
        with self._database() as database:
            return array("I", json.loads(database.execute(sql, parameters).fetchone()[0]))

    def record(self, resource: Resource, segment: str) -> str | None:
        """Return a record by its id, or else by one of its names in addresses, in any case.

        Of several with a name it is the one with the lowest id.
        """
        name = resource.collection
        sql = (
            f"SELECT xml FROM {name} JOIN {name}_xml USING (n)"
            f" WHERE id = :id OR n IN (SELECT n FROM {name}_slugs WHERE slug = :slug)"
            " ORDER BY id != :id, id_key"
        )
        with self._database() as database:
            row = database.execute(sql, {"id": segment, "slug": fold(segment)}).fetchone()
        return None if row is None else str(row[0])

    def account_with_email(self, digest: str) -> str | None:
        """Return the account of the MD5 digest of an e-mail address; of several the lowest id."""
        sql = (
            "SELECT xml FROM accounts JOIN accounts_xml USING (n)"
            " WHERE email_md5 = ? ORDER BY id_key LIMIT 1"
        )
        with self._database() as database:
            row = database.execute(sql, (digest.lower(),)).fetchone()
        return None if row is None else str(row[0])

    def records(self, resource: Resource) -> Iterator[str]:
        """Yield the XML of all records of a collection, in the order of ids."""
        name = resource.collection
        sql = f"SELECT xml FROM {name} JOIN {name}_xml USING (n) ORDER BY id_key"
        with self._database() as database:
            for (xml,) in database.execute(sql):
                yield xml

    def csv_file(self, resource: Resource) -> Path | None:
        """Return a CSV file of a collection, written on first use; None while a thread writes it."""
        name = resource.collection
        if name in self._csv_files:
            return self._csv_files[name]
        if not self._csv_lock.acquire(blocking=False):
            return None
        try:
            if self._csv_folder is None:
                self._csv_folder = TemporaryFolder()
            path = self._csv_folder.path / f"{name}.csv"
            with path.open("w", encoding="utf-8", newline="") as file:
                write_csv(resource, self.records(resource), file)
            self._csv_files[name] = path
        except OSError as error:
            raise StoreError(f"The CSV of the {name} cannot be written: {error}.") from error
        finally:
            self._csv_lock.release()
        return path

    def document(self, address: str) -> list[str] | None:
        """Return the entries of the document at an address."""
        sql = "SELECT entries FROM documents WHERE address = ?"
        with self._database() as database:
            row = database.execute(sql, (address,)).fetchone()
            return None if row is None else list(json.loads(row[0]))

    def record_titled(self, resource: Resource, segment: str) -> str | None:
        """Return the record whose title is a segment of an address, in any case and without blanks."""
        name = resource.collection
        sql = (
            f"SELECT xml FROM {name} JOIN {name}_xml USING (n)"
            " WHERE replace(name, ' ', '') = ? ORDER BY id_key"
        )
        with self._database() as database:
            row = database.execute(sql, (fold(segment),)).fetchone()
        return None if row is None else str(row[0])

    def projects_with(self, collection: str) -> list[str]:
        """Return the projects that have a document of a collection, by id."""
        sql = "SELECT address FROM documents WHERE address GLOB ?"
        with self._database() as database:
            rows = database.execute(sql, (f"projects/*/{collection}",)).fetchall()
        return sorted((address.split("/")[1] for (address,) in rows), key=_by_number)

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """Open the file: for each request, so that threads and forked processes share nothing."""
        try:
            with closing(open_database(self.path, mode="ro&immutable=1")) as database:
                yield database
        except (*DATABASE_FAILURES, json.JSONDecodeError) as error:
            raise StoreError(
                f"The store {self.path} cannot be read: {error}.",
                hint="Start the service again: it rebuilds a damaged store.",
            ) from error


def _words_and_tags(resource: Resource, query: str) -> tuple[list[str], list[str]]:
    """Return the words of a query, and the tags that it asks for as ``tag:x``."""
    words: list[str] = []
    tags: list[str] = []
    for word in query.split():
        tag = word.removeprefix("tag:")
        if resource is PROJECT and tag and tag != word:
            tags.append(tag)
        else:
            words.append(word)
    return words, tags


def _by_number(identifier: str) -> tuple[int, str]:
    """Return what sorts ids by their value, and others behind them."""
    return int(identifier) if identifier.isdecimal() else 10**18, identifier


def _fragments(database: sqlite3.Connection, name: str, numbers: list[int]) -> list[str]:
    """Return the XML of some records."""
    sql = f"SELECT xml FROM {name}_xml WHERE n = ?"
    fragments: list[str] = []
    for number in numbers:
        row = database.execute(sql, (number,)).fetchone()
        if row is None:
            raise sqlite3.DatabaseError(f"row {number:,} of {name} is not there")
        fragments.append(row[0])
    return fragments


def _rank(name: str, words: list[str]) -> tuple[str, list[str]]:
    """Return the SQL of the rank of a match, and its parameters.

    The title or a name in URLs is the query; the title begins with it; each word begins a word of
    the title; each is a tag; the words are elsewhere.
    """
    title = " ".join(words)
    begins = " AND ".join(["' ' || name GLOB ?"] * len(words))
    tagged = " AND ".join(["tags GLOB ?"] * len(words))
    sql = (
        f"CASE WHEN name = ? OR n IN (SELECT n FROM {name}_slugs WHERE slug = ?) THEN 0"
        f" WHEN name GLOB ? THEN 1 WHEN {begins} THEN 2 WHEN {tagged} THEN 3 ELSE 4 END"
    )
    parameters = [title, title, _pattern(title)[1:]]
    parameters += [_pattern(f" {word}") for word in words]
    parameters += [_pattern(f"\n{word}\n") for word in words]
    return sql, parameters


def _pattern(text: str) -> str:
    """Return the pattern of GLOB, which is faster than instr, for texts that contain another."""
    return "*" + re.sub(r"([*?[])", r"[\1]", text) + "*"


def open_data(data: Data = None) -> Store:
    """Import data into a store, or open that of an earlier import of the same files."""
    parts = _parts(data_folder() if data is None else data)
    paths = [part for _, part in parts if isinstance(part, Path)]
    digest = digest_of(paths)
    # Frames have no digest: their store is temporary.
    path = store_path(_VERSION, paths, digest) if len(paths) == len(parts) else None
    temporary_folder = None
    if path is None:
        temporary_folder = TemporaryFolder()
        path = temporary_folder.path / f"{_VERSION}.sqlite"
    elif held := _hold_intact(path):
        mark_used(path)
        prune(path)
        return Store(path, held)
    _LOG.info("Importing the records into %s.", escaped(str(path)))
    try:
        held = _build(path, _rows(parts))
    except BaseException:
        if temporary_folder is not None:
            temporary_folder.remove()
        raise
    if digest_of(paths) != digest:
        held.release()
        path.unlink()
        raise StoreError(
            "The files changed during the import, so nothing was imported.",
            hint="Run it again when no program writes to them.",
        )
    if temporary_folder is None:
        prune(path)
    return Store(path, held, temporary_folder)


def _hold_intact(path: Path) -> HeldFile | None:
    """Open the store of an earlier import; None if there is none, or it is damaged."""
    with suppress(OSError):
        held = HeldFile(path)
        if has_checksum(path):
            return held
        held.release()
    return None


def _parts(data: Data) -> list[tuple[str, Any]]:
    """Return collection, if it is named, and data: a path or a frame."""
    named = data if isinstance(data, dict) else {"": data}
    parts: list[tuple[str, Any]] = []
    for name, several in named.items():
        if isinstance(several, (list, tuple)):
            parts += [(name, part) for part in several]
        else:
            parts.append((name, several))
    if not parts:
        raise InvalidInputError("There is no data to serve: name a file, a folder or a frame.")
    if unknown := sorted({name for name, _ in parts} - {"", *_COLLECTIONS}):
        raise ConfigurationError(
            f"Data is served as accounts and projects, not as {', '.join(unknown)}."
        )
    return [(n, Path(p) if isinstance(p, (str, os.PathLike)) else p) for n, p in parts]


def _rows(parts: list[tuple[str, Any]]) -> Iterator[_Read]:
    ids: Ids = set()
    for name, part in parts:
        if isinstance(part, Path) and is_xml(part):
            yield from read_xml(part)
        else:
            yield from read_table(part, _COLLECTIONS.get(name), ids)


def _build(path: Path, rows: Iterable[_Read]) -> HeldFile:
    """Import all records into a new store, or none; a later record of an id replaces an earlier one."""
    try:
        with atomic_write(path, overwrite=True) as temporary:
            temporary.touch(mode=0o600)  # it holds digests of e-mail addresses
            with closing(open_database(temporary)) as database:
                _fill(database, rows)
            write_checksum(temporary)
            held = HeldFile(temporary)
    except DATABASE_FAILURES as error:
        raise StoreError(f"The store {path} cannot be written: {error}.") from error
    return held


def _fill(database: sqlite3.Connection, rows: Iterable[_Read]) -> None:
    tables = (_TABLES.format(name=name, columns=", ".join(COLUMNS)) for name in _COLLECTIONS)
    # An interrupted build leaves no store, so it needs no journal.
    database.executescript(
        "PRAGMA page_size = 16384; PRAGMA cache_size = -65536;"
        f" PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {' '.join(tables)}"
        " CREATE TABLE documents (address PRIMARY KEY, entries); BEGIN"
    )
    marks = ", ?" * len(COLUMNS)
    for number, row in enumerate(rows):
        if isinstance(row, Synthetic):
            database.execute("PRAGMA user_version = 1")
        elif isinstance(row, Document):
            document = (row.address, json.dumps(row.entries))
            database.execute("REPLACE INTO documents VALUES (?, ?)", document)
        else:
            name = row.resource.collection
            database.execute(f"REPLACE INTO {name} VALUES (?{marks})", (number, *row.values))
            database.execute(f"INSERT INTO {name}_xml VALUES (?, ?)", (number, row.xml))
            slugs = ((slug, number) for slug in row.slugs)
            database.executemany(f"INSERT INTO {name}_slugs VALUES (?, ?)", slugs)
    database.execute("CREATE INDEX accounts_email_md5 ON accounts (email_md5)")
    for name, resource in _COLLECTIONS.items():
        sorts = {_SORTS[sort] for sort in (*resource.sorts, *resource.other_sorts)}
        for number, columns in enumerate(sorts):
            if not columns.endswith("id_key DESC"):  # SQLite reads an index in both directions
                database.execute(f"CREATE INDEX {name}_{number} ON {name} ({columns})")
    database.execute("COMMIT")
