"""Build or update a store from sources: all records are imported, or no store is created."""

# Records are written as they are read, and their sort keys to a second table, from which the order
# of every sort and the word index are built at the end. No request has to sort, so the last page is
# as fast as the first. An update starts from a copy of the store in use: it writes the records that
# differ, and orders and indexes anew only what depends on a changed key.

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from dataclasses import astuple, dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dirframe._files import atomic_write
from dirframe._sqlite import open_database, set_file_format
from dirframe.errors import StoreError
from dirframe.schema import RESOURCES, Resource
from dirframe.service.importing.importer import (
    RecordKeys,
    Source,
    SourceRecord,
    StoreRow,
    normalize,
    record_keys,
)
from dirframe.service.importing.xml_files import XmlFile, find_files
from dirframe.service.store.ranking import index_terms
from dirframe.service.store.search import build_index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dirframe.service.importing.progress import OnFile


#: SQLite application id of a store ("dirf").
APPLICATION_ID = 0x64697266

#: Version of the tables below: a store of another version is rejected and rebuilt.
VERSION = 5

_BATCH_SIZE = 1_000
#: SQLite's instructions between two instants in which Python can handle a signal: milliseconds.
_SIGNAL_INTERVAL = 100_000

_KEY_COLUMNS = RecordKeys._fields
#: Sorts by a field that not every collection has.
_NEEDS_VALUES = ("rating", "active_committers", "activity_level")
#: SQL of the sorts that are not the column of the same name.
_ORDER_BY = {
    "id": "id_key",
    "name": "name_key",
    "description": "description = '', description",
    "relevance": "stack_count DESC",  # among equally good matches
    **{sort: f"{sort} IS NULL, {sort} DESC" for sort in _NEEDS_VALUES},
}

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


@dataclass
class Changes:
    """Numbers of records that an import added, changed, removed and found unchanged."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    unchanged: int = 0

    def __str__(self) -> str:
        return (
            f"{self.added:,} added, {self.changed:,} changed, {self.removed:,} removed, "
            f"{self.unchanged:,} unchanged"
        )


def build_store(
    path: Path,
    sources: Iterable[Path | Source],
    *,
    base: Path | None = None,
    on_file: OnFile | None = None,
    verify: Callable[[], None] | None = None,
) -> Path:
    """Build the store of a directory.

    Parameters
    ----------
    path
        The file to create; an existing file is replaced only by a complete store.
    sources
        Sources, XML files (``.xml``, ``.xml.gz``) and folders of such files. If an id is
        repeated, the later record replaces the earlier one.
    base
        A store to update: only records that differ from it are written.
    on_file
        Called before the first source and after each source.
    verify
        Called when all sources have been read; no file is left if it raises.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    StoreError
        A source is missing or invalid, or a record has no id; no file is left.
    KeyboardInterrupt
        A signal came, whose handler raises it; no file is left.
    """
    all_sources: list[Source] = []
    for source in sources:
        all_sources += map(XmlFile, find_files([source])) if isinstance(source, Path) else [source]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path, overwrite=True) as temporary:
            temporary.touch(mode=0o600)  # it holds digests of e-mail addresses
            if base is not None:
                shutil.copyfile(base, temporary)
            with closing(open_database(temporary)) as database:
                _fill(database, all_sources, on_file, verify, is_update=base is not None)
    except OSError as error:
        raise StoreError(f"A store cannot be written at {path}: {error.strerror}.") from error
    except sqlite3.Error as error:
        # Of an exception in its progress handler, SQLite says only this.
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            raise KeyboardInterrupt from None
        raise StoreError(f"The store {path} cannot be written: {error}.") from error
    return path


def _fill(
    database: sqlite3.Connection,
    sources: list[Source],
    on_file: OnFile | None,
    verify: Callable[[], None] | None,
    *,
    is_update: bool,
) -> None:
    # An interrupted build leaves no store, so it needs no journal. With large pages an import takes
    # a tenth less time, and the file a tenth less room.
    pragmas = (
        "page_size = 16384",
        "journal_mode = OFF",
        "synchronous = OFF",
        "cache_size = -65536",
    )
    for pragma in pragmas:
        database.execute(f"PRAGMA {pragma}")
    database.set_progress_handler(lambda: 0, _SIGNAL_INTERVAL)  # to interrupt a long statement
    database.execute("BEGIN")
    changes = Changes()
    collections = {r.name: _Collection(database, r, changes, is_update) for r in RESOURCES.values()}
    total, synthetic = 0, False
    on_file = on_file or (lambda *_: None)
    on_file(0, len(sources), 0)
    for done, source in enumerate(sources, start=1):
        for record in source.records():
            collections[record.resource.name].write(record)
            synthetic |= record.synthetic
            total += 1
        on_file(done, len(sources), total)
    if verify is not None:
        verify()
    for collection in collections.values():
        collection.finish()
    database.execute("DROP TABLE IF EXISTS about")
    database.execute("CREATE TABLE about (synthetic, report, added, changed, removed, unchanged)")
    report = "\n".join(str(source.report) for source in sources if source.report)
    database.execute(
        "INSERT INTO about VALUES (?, ?, ?, ?, ?, ?)", (synthetic, report, *astuple(changes))
    )
    set_file_format(database, APPLICATION_ID, VERSION)
    database.execute("COMMIT")


class _Collection:
    """The tables of one resource while they are written."""

    def __init__(
        self, database: sqlite3.Connection, resource: Resource, changes: Changes, is_update: bool
    ) -> None:
        self._database = database
        self._resource = resource
        self._changes = changes
        self._is_update = is_update
        #: Columns of keys that differ from the store that is updated.
        self._changed: set[str] = set() if is_update else set(_KEY_COLUMNS)
        #: Records to write, by id.
        self._batch: dict[str, tuple[StoreRow, RecordKeys]] = {}
        name = self._name = resource.collection
        if not is_update:
            database.execute(
                f"CREATE TABLE {name} (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
                " email_md5 TEXT, xml TEXT NOT NULL, synthetic INTEGER NOT NULL)"
            )
            database.execute(
                f"CREATE TABLE {name}_keys (number INTEGER PRIMARY KEY, {', '.join(_KEY_COLUMNS)})"
            )
            database.execute(
                f"CREATE TABLE {name}_order (sort TEXT PRIMARY KEY, numbers BLOB NOT NULL)"
            )
        (self._size,) = database.execute(f"SELECT count(*) FROM {name}").fetchone()
        self._seen = bytearray(self._size + 1)

    def write(self, record: SourceRecord) -> None:
        """Write a record, unless the store has the same."""
        row, parts = normalize(record)
        if self._is_update and row.id not in self._batch and self._is_stored(row):
            return
        self._batch[row.id] = (row, record_keys(self._resource, record.element, parts))
        if len(self._batch) >= _BATCH_SIZE:
            self._flush()

    def _is_stored(self, row: StoreRow) -> bool:
        sql = f"SELECT number, id, email_md5, xml, synthetic FROM {self._name} WHERE id = ?"
        stored = self._database.execute(sql, (row.id,)).fetchone()
        if stored is None or stored[1:] != row:
            return False
        if stored[0] < len(self._seen):
            self._seen[stored[0]] = 1
        self._changes.unchanged += 1
        return True

    def _flush(self) -> None:
        """Write the batch; a record whose id is stored keeps its number."""
        database, name, ids = self._database, self._name, json.dumps(list(self._batch))
        sql = f"SELECT id, number FROM {name} WHERE id IN (SELECT value FROM json_each(?))"
        numbers: dict[str, int] = dict(database.execute(sql, (ids,)))
        for identifier, number in numbers.items():
            if number < len(self._seen):
                self._seen[number] = 1
                self._changes.changed += 1
                if len(self._changed) < len(_KEY_COLUMNS):
                    sql = f"SELECT * FROM {name}_keys WHERE number = ?"
                    old = database.execute(sql, (number,)).fetchone()[1:]
                    pairs = zip(_KEY_COLUMNS, old, self._batch[identifier][1], strict=True)
                    self._changed |= {column for column, before, after in pairs if before != after}
        for identifier in self._batch:
            if identifier not in numbers:
                self._size += 1
                numbers[identifier] = self._size
                self._changes.added += 1
                self._changed.update(_KEY_COLUMNS)
        for table, part in ((name, 0), (f"{name}_keys", 1)):
            rows = [(numbers[i], *parts[part]) for i, parts in self._batch.items()]
            if rows:
                database.executemany(
                    f"REPLACE INTO {table} VALUES (?{', ?' * (len(rows[0]) - 1)})", rows
                )
        self._batch.clear()

    def finish(self) -> None:
        """Remove what the sources no longer have, and order and index the records."""
        self._flush()
        self._remove([n for n in range(len(self._seen) - 1, 0, -1) if not self._seen[n]])
        database, name = self._database, self._name
        for sort in base_sorts(self._resource):
            self._order(sort)
        database.execute(
            f"CREATE INDEX IF NOT EXISTS {name}_email ON {name} (email_md5)"
            " WHERE email_md5 IS NOT NULL"
        )
        if self._changed & {"title", "description", "tags"}:
            for table in (f"{name}_words", f"{name}_frequent"):
                database.execute(f"DROP TABLE IF EXISTS {table}")
            texts = database.execute(
                "SELECT number - 1, title || ' ' || description || ' ' || tags"
                f" FROM {name}_keys ORDER BY number"
            )
            build_index(database, name, texts, self._size)
        if self._changed & {"title", "tags", "address_names"}:
            database.execute(f"DROP TABLE IF EXISTS {name}_terms")
            index_terms(database, name)

    def _remove(self, numbers: list[int]) -> None:
        """Delete records, from the last one; the last record takes the number of a deleted one."""
        for number in numbers:
            for table in (self._name, f"{self._name}_keys"):
                self._database.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
                self._database.execute(
                    f"UPDATE {table} SET number = ? WHERE number = ?", (number, self._size)
                )
            self._size -= 1
        if numbers:
            self._changed.update(_KEY_COLUMNS)
            self._changes.removed += len(numbers)

    def _order(self, sort: str) -> None:
        key, name = _ORDER_BY.get(sort, sort), self._name
        if not self._changed & set(re.findall(r"\w+", key)):
            return
        self._database.execute(f"DELETE FROM {name}_order WHERE sort = ?", (sort,))
        if sort in _NEEDS_VALUES and not self._has_values(sort):
            return
        rows = self._database.execute(
            # Numbers begin at 0 in arrays and at 1 in tables. The id is the tie-break.
            f"SELECT number - 1 FROM {name}_keys ORDER BY {key}, id_key"
        )
        numbers = np.fromiter(chain.from_iterable(rows), dtype=np.uint32)
        self._database.execute(f"INSERT INTO {name}_order VALUES (?, ?)", (sort, numbers.tobytes()))

    def _has_values(self, column: str) -> bool:
        sql = f"SELECT EXISTS (SELECT 1 FROM {self._name}_keys WHERE {column} IS NOT NULL)"
        return bool(self._database.execute(sql).fetchone()[0])
