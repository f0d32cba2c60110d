"""The SQLite file of an archive: every page as it was received, never changed or removed."""

# A writer holds an open transaction from its first page to its last, so that there is only one;
# readers see what it commits. The rollback journal works on network file systems, a write-ahead log
# does not.

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import pyarrow as pa

from dirframe._files import make_folder
from dirframe._sqlite import close_on_error, file_format, open_database, set_file_format
from dirframe.errors import ArchiveError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dirframe.client.http.session import FetchedPage


FORMAT = 3
APPLICATION_ID = 0x64664172  # "dfAr": identifies SQLite files that are archives

_TIMEOUT = 60.0  # seconds that a commit waits for readers, and they for it

# ``identity`` tells directories apart whose addresses or names change; ``sort`` is the one asked for.
_ARCHIVE = """
CREATE TABLE archive (
    source TEXT NOT NULL, identity TEXT NOT NULL, base_url TEXT NOT NULL, resource TEXT NOT NULL,
    query TEXT, sort TEXT, sample INTEGER, seed INTEGER
)
"""
_PAGES = """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, -- order of arrival, from 1 without gaps
    number INTEGER,         -- page of the collection; 0: in an order not used; NULL: page of a record
    record TEXT,            -- the id of that record
    sort TEXT,              -- the order of the pages
    fetched TEXT NOT NULL,  -- ISO 8601 in UTC
    requests INTEGER NOT NULL, -- 0: from the cache
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
_FACTS = ("source", "identity", "base_url", "resource", "query", "sort", "sample", "seed")
_BEGIN = f"INSERT INTO archive VALUES ({', '.join(f':{name}' for name in _FACTS)})"
_COLUMNS = (
    "number, record, sort, fetched, requests, available, first, ids, signs, synthetic, refusal, "
    "sha256, size"
)
_SELECT = f"SELECT id, {_COLUMNS} FROM pages ORDER BY id"
_INSERT = f"INSERT INTO pages ({_COLUMNS}, content) VALUES ({', '.join('?' * 14)})"


class PageRow(NamedTuple):
    """A stored page without its content."""

    id: int = 0
    number: int | None = None
    record: str | None = None
    sort: str | None = None
    fetched: str = ""
    requests: int = 0
    available: int | None = None
    first: int | None = None
    ids: Sequence[str | None] = ()
    signs: str = ""
    synthetic: bool = False
    refusal: str | None = None
    sha256: str | None = None
    size: int = 0

    @property
    def name(self) -> str:
        """Its name in messages."""
        return f"The page of record {self.record}" if self.number is None else f"Page {self.number}"


class Store:
    """The file of an archive, open for reading or by its only writer."""

    def __init__(self, path: Path, mode: Literal["rw", "rwc"]) -> None:
        self.path, self._lock = path, Lock()
        with self._errors():
            self._database = open_database(path, mode=mode, timeout=_TIMEOUT, any_thread=True)

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
    def open_writer(cls, path: Path, **facts: str | int | None) -> Self:
        """Open or create an archive of these facts, and lock it against other writers."""
        if path.is_dir():
            raise ArchiveError(f"{path} is a folder; an archive is one file: name one in it.")
        make_folder(path.parent)
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
                set_file_format(database, APPLICATION_ID, FORMAT)
                database.execute(_BEGIN, facts)
                store._commit()
            store._check_facts(facts)
            database.execute(f"PRAGMA busy_timeout = {_TIMEOUT * 1_000:.0f}")
        return store

    def _check_format(self) -> None:
        application, version = file_format(self._database)
        if application != APPLICATION_ID:
            raise ArchiveError(f"{self.path} is not an archive. Name another file.")
        if version != FORMAT:
            raise ArchiveError(f"{self.path} has format {version}; this version reads {FORMAT}.")

    def _check_facts(self, facts: dict[str, str | int | None]) -> None:
        stored = self.facts()
        for name in ("identity", "resource", "query", "sample", "seed"):
            if stored[name] != facts[name]:
                raise ArchiveError(
                    f"{self.path} holds another collection: its {name} is {stored[name]!r}, not "
                    f"{facts[name]!r}. Name another file."
                )
        used = self._database.execute("SELECT sort FROM pages WHERE number > 0").fetchone()
        order = used[0] if used else stored["sort"]
        if facts["sort"] not in {None, order} and (used or order):
            raise InvalidInputError(
                f"{self.path} is in the order {order!r}, not {facts['sort']!r}. Leave sort out, or "
                "name another file."
            )

    def facts(self) -> dict[str, Any]:
        """Return the directory, the collection and the query."""
        with self._lock, self._errors():
            values = self._database.execute(f"SELECT {', '.join(_FACTS)} FROM archive").fetchone()
            return dict(zip(_FACTS, values, strict=True))

    def pages(self) -> list[PageRow]:
        """Return the stored pages in the order of their arrival."""
        with self._lock, self._errors():
            rows = [PageRow(*row) for row in self._database.execute(_SELECT)]
        for number, row in enumerate(rows, start=1):
            if row.id != number:
                raise ArchiveError(f"{self.path} is damaged: a page before {row.name} is missing.")
        return [r._replace(ids=json.loads(str(r.ids)), synthetic=bool(r.synthetic)) for r in rows]

    def content(self, page: PageRow) -> bytes:
        """Return the content of a page; `ArchiveError` if it is not what was received."""
        with self._lock, self._errors():
            statement = "SELECT content FROM pages WHERE id = ?"
            (packed,) = self._database.execute(statement, (page.id,)).fetchone()
        with suppress(OSError, TypeError, ValueError, OverflowError):  # of Arrow
            content: bytes = pa.decompress(packed, page.size, codec="zstd", asbytes=True)
            if sha256(content).hexdigest() == page.sha256:
                return content
        raise ArchiveError(f"{page.name} in {self.path} is damaged. Restore the file from a copy.")

    def add(
        self, page: FetchedPage, ids: Sequence[str | None], signs: str = "", **place: Any
    ) -> PageRow:
        """Store a page and commit it; `place` is its number and sort, or its record."""
        content, packed = page.page, pa.compress(page.content, codec="zstd", asbytes=True)
        is_own = "record" in place  # its positions do not refer to the collection
        return self._insert(
            packed,
            fetched=page.retrieved.astimezone(UTC).isoformat(timespec="microseconds"),
            requests=page.attempts,
            available=None if is_own else content.items_available,
            first=None if is_own else content.first_item_position,
            ids=ids,
            signs=signs,
            synthetic=content.synthetic,
            sha256=sha256(page.content).hexdigest(),
            size=len(page.content),
            **place,
        )

    def add_refusal(self, reason: str, requests: int = 1, **place: Any) -> PageRow:
        """Store that a page did not come, and why."""
        fetched = datetime.now(UTC).isoformat(timespec="microseconds")
        return self._insert(None, fetched=fetched, requests=requests, refusal=reason, **place)

    def _insert(self, content: bytes | None, **values: Any) -> PageRow:
        row = PageRow(**values)
        stored = [*row._replace(ids=json.dumps(row.ids))[1:], content]
        with self._lock, self._errors():
            if not self._database.in_transaction:  # a write failed, perhaps in another thread
                raise ArchiveError(f"{self.path} is no longer written to, after an error.")
            number = self._database.execute(_INSERT, stored).lastrowid
            self._commit()
        return row._replace(id=number or 0)

    def _commit(self) -> None:
        self._database.execute("COMMIT")
        self._database.execute("BEGIN IMMEDIATE")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
