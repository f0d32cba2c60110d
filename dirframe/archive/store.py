"""The SQLite file of an archive: every page as it was received, never changed or removed."""

# A writer holds an open transaction from its first page to its last, so that there is only one;
# readers see what it commits. The rollback journal works on network file systems, a write-ahead log
# does not.

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import fields, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Literal, Self

import pyarrow as pa

from dirframe._files import make_folder
from dirframe._sqlite import close_on_error, open_database
from dirframe.client.directory import Directory
from dirframe.client.paging import Pages, ReceivedPage
from dirframe.client.query import Query
from dirframe.errors import ArchiveError
from dirframe.schema import RESOURCES

FORMAT = 5
APPLICATION_ID = 0x64664172  # "dfAr": identifies SQLite files that are archives

_TIMEOUT = 60.0  # seconds that a commit waits for readers, and they for it

# ``identity`` tells directories apart whose addresses or names change; ``sort`` is the one asked for,
# ``details`` whether own pages ever were.
_ARCHIVE = """
CREATE TABLE archive (
    source TEXT NOT NULL, identity TEXT NOT NULL, base_url TEXT NOT NULL, resource TEXT NOT NULL,
    query TEXT, sort TEXT, sample INTEGER, seed INTEGER NOT NULL, details INTEGER NOT NULL
)
"""
_PAGES = """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, -- order of arrival, from 1 without gaps
    number INTEGER,         -- page of the collection; 0: in an order not used; NULL: page of a record
    record TEXT,            -- the id of that record
    sort TEXT,              -- the order of the pages
    retrieved TEXT NOT NULL, -- ISO 8601 in UTC
    attempts INTEGER NOT NULL, -- requests; 0: from the cache
    available INTEGER,      -- items_available
    first INTEGER,          -- first_item_position
    ids TEXT NOT NULL,      -- of the records, as JSON
    signs TEXT NOT NULL,    -- of each project a digit: 1 came with its analysis, 2 with its id, 3 both
    synthetic INTEGER NOT NULL,
    refusal TEXT,           -- why no page came; empty: the project has no analysis
    sha256 TEXT,            -- of the content, uncompressed
    size INTEGER,           -- of the content, uncompressed, in bytes
    content BLOB            -- the document, compressed with Zstandard
)
"""
_COLUMNS = [field.name for field in fields(ReceivedPage) if field.name not in {"source", "error"}]
_INSERT = f"""
INSERT INTO pages VALUES (NULL, :{", :".join(_COLUMNS)}, :sha256, :size, :content)
"""


class Store(AbstractContextManager["Store"]):
    """The file of an archive, open for reading or by its only writer."""

    def __init__(self, path: Path, mode: Literal["rw", "rwc"]) -> None:
        self.path, self._lock = path, Lock()
        with self._errors():
            self._database = open_database(path, mode=mode, timeout=_TIMEOUT, any_thread=True)
            self._database.row_factory = sqlite3.Row

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an archive for reading; `ArchiveError` if it is not one."""
        if not path.is_file():
            raise ArchiveError(f"There is no file {path}; an archive is one file.")
        with close_on_error(cls(path, "rw")) as store, store._errors():
            store._check_format()
        return store

    @classmethod
    def is_archive(cls, path: Path) -> bool:
        """Return whether a file is an archive, even while it is written to."""
        # Uses SQLite: closing another handle of the file would end this process's locks on it.
        with suppress(ArchiveError), cls.open(path):
            return True
        return False

    @classmethod
    def open_writer(cls, path: Path, client: Directory, query: Query) -> Self:
        """Open or create the archive of a query, and lock it against other writers."""
        if path.is_dir():
            raise ArchiveError(f"{path} is a folder; an archive is one file: name one in it.")
        make_folder(path.parent)
        facts = {name: getattr(query, name) for name in ("query", "sort", "sample", "details")}
        facts |= {name: getattr(client, name) for name in ("identity", "base_url")}
        facts |= {"source": client.name, "resource": query.resource.name}
        facts["seed"] = query.seed if query.sample else 0
        with close_on_error(cls(path, "rwc")) as store, store._errors():
            database = store._database
            database.execute("PRAGMA busy_timeout = 100")
            database.execute("PRAGMA synchronous = EXTRA")  # paid pages survive a power failure
            database.execute("BEGIN IMMEDIATE")
            if path.stat().st_size:
                store._check_format()
            else:
                database.execute(_ARCHIVE)
                database.execute(_PAGES)
                database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                database.execute(f"PRAGMA user_version = {FORMAT}")
                names = ", ".join(facts), ", :".join(facts)
                database.execute("INSERT INTO archive ({}) VALUES (:{})".format(*names), facts)
                store._commit()
            for name in ("identity", "resource", "query", "sample", "seed"):
                if (stored := store.facts()[name]) != facts[name]:
                    raise ArchiveError(
                        f"{path} holds another collection: its {name} is {stored!r}, not "
                        f"{facts[name]!r}. Name another file."
                    )
            database.execute("UPDATE archive SET details = max(details, :details)", facts)
            store._commit()
            database.execute(f"PRAGMA busy_timeout = {_TIMEOUT * 1_000:.0f}")
        return store

    def _check_format(self) -> None:
        (application,) = self._database.execute("PRAGMA application_id").fetchone()
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        if (application, version) != (APPLICATION_ID, FORMAT):
            raise ArchiveError(f"{self.path} is not an archive of this version. Name another file.")

    def facts(self) -> dict[str, Any]:
        """Return the directory, the collection and the query."""
        with self._lock, self._errors():
            return dict(self._database.execute("SELECT * FROM archive").fetchone())

    def pages(self) -> Pages:
        """Return the stored pages, whose `source` is their place in the file."""
        facts, select = self.facts(), f"SELECT id, {', '.join(_COLUMNS)} FROM pages ORDER BY id"
        with self._lock, self._errors():
            rows = self._database.execute(select).fetchall()
        try:
            asked = {name: facts[name] for name in ("query", "sort", "sample", "seed")}
            resource, details = RESOURCES[facts["resource"]], bool(facts["details"])
            query = Query(resource=resource, details=details, **asked)
            pages = Pages(query, counts_all=True)
            for place, row in enumerate(map(dict, rows), start=1):
                row["retrieved"] = datetime.fromisoformat(row["retrieved"])
                row["ids"] = tuple(json.loads(row["ids"]))
                page = ReceivedPage(source=row.pop("id"), **row)
                if page.source != place:
                    raise ArchiveError(
                        f"{self.path} is damaged: a page before {name_of(page)} is missing."
                    )
                pages.add(page)
            sort = next((page.sort for page in pages.latest.values()), query.sort)
            pages.query = replace(query, sort=sort)
            pages.completeness()  # all that is computed from them
        except (LookupError, TypeError, ValueError) as error:
            raise ArchiveError(
                f"{self.path} is damaged ({error}). Restore it from a copy."
            ) from error
        return pages

    def content(self, page: ReceivedPage) -> bytes:
        """Return the content of a page; `ArchiveError` if it is not what was received."""
        with self._lock, self._errors():
            statement = "SELECT content, size, sha256 FROM pages WHERE id = ?"
            packed, size, digest = self._database.execute(statement, (page.source,)).fetchone()
        with suppress(OSError, TypeError, ValueError, OverflowError):  # of Arrow
            content: bytes = pa.decompress(packed, size, codec="zstd", asbytes=True)
            if sha256(content).hexdigest() == digest:
                return content
        raise ArchiveError(
            f"{name_of(page)} in {self.path} is damaged. Restore the file from a copy."
        )

    def add(self, page: ReceivedPage) -> None:
        """Store a page, unless it failed; its `source`, as fetched or none, becomes its place."""
        if page.error is not None:
            return
        content = page.source.content if page.source else None
        values = {name: getattr(page, name) for name in _COLUMNS} | {
            "retrieved": page.retrieved.isoformat(timespec="microseconds"),
            "ids": json.dumps(page.ids),
            "sha256": content and sha256(content).hexdigest(),
            "size": content and len(content),
            "content": content and pa.compress(content, codec="zstd", asbytes=True),
        }
        with self._lock, self._errors():
            if not self._database.in_transaction:  # a write failed, perhaps in another thread
                raise ArchiveError(f"{self.path} is no longer written to, after an error.")
            place = self._database.execute(_INSERT, values).lastrowid
            self._commit()
        page.source = place

    def _commit(self) -> None:
        self._database.execute("COMMIT")
        self._database.execute("BEGIN IMMEDIATE")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            with suppress(AttributeError, sqlite3.Error):
                self._database.execute("ROLLBACK")
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            reason, advice = f"cannot be used ({error})", "If it is damaged, restore it from a copy"
            if code == sqlite3.SQLITE_BUSY:
                reason, advice = "is written to by another process", "Wait until that ends"
            elif code == sqlite3.SQLITE_NOTADB:
                reason, advice = "is not an archive", "Name another file"
            elif code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}:
                reason = f"cannot be written ({error}); what was stored before is intact"
                advice = "Make room, or the file writable, and run the same line again"
            raise ArchiveError(f"{self.path} {reason}. {advice}.") from error

    def close(self) -> None:
        """Close the file and release the writer's lock."""
        with self._lock:  # SQLite crashes if a connection is closed while it works
            self._database.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def name_of(page: ReceivedPage) -> str:
    """Return what a page is called in messages."""
    return f"The page of record {page.record}" if page.number is None else f"Page {page.number}"
