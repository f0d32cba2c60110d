"""The SQLite file of an archive: every page as it was received, never changed or removed."""

# A writer holds an open transaction from its first page to its last, so that there is only one;
# readers see what it commits. The rollback journal works on network file systems, a write-ahead log
# does not.

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, Literal, Self

import pyarrow as pa

from dirframe._files import make_folder
from dirframe._sqlite import DATABASE_FAILURES, close_on_error, open_database, seal_of
from dirframe.client.directory import Directory, connection_of
from dirframe.client.paging.details import OwnPage
from dirframe.client.paging.fetch import Answer, Document, Failure, Reason, Refusal
from dirframe.client.paging.pages import CollectionPage
from dirframe.client.paging.query import Query
from dirframe.client.paging.read_by_ids import NEWEST
from dirframe.client.paging.received import LostOwnPage, NoIds, Receipt, Received, Target
from dirframe.client.paging.windows import PagesByIds, WindowPage
from dirframe.client.xml.page import AnalysisSent
from dirframe.errors import ArchiveError
from dirframe.schema import RESOURCES

FORMAT = 8
APPLICATION_ID = 0x64664172  # "dfAr": identifies SQLite files that are archives

_TIMEOUT = 60.0  # seconds that a commit waits for readers, and they for it

# ``identity`` tells directories apart whose addresses or names change; ``sort`` is the one asked for,
# ``details`` whether own pages ever were.
_ARCHIVE = """
CREATE TABLE archive (
    source TEXT NOT NULL, identity TEXT NOT NULL, base_url TEXT NOT NULL, resource TEXT NOT NULL,
    query TEXT, sort TEXT, sample INTEGER, seed INTEGER NOT NULL, details INTEGER NOT NULL,
    seal TEXT NOT NULL -- digest of the others
)
"""
_PAGES = """
CREATE TABLE pages (
    id INTEGER PRIMARY KEY, -- order of arrival, from 1 without gaps
    kind TEXT NOT NULL,     -- page: of the collection; ids: of the records among some ids; own: of a
                            -- record; probe: in an order not used
    number INTEGER,         -- of a page of the collection; of one by ids, its place in the walk
    record TEXT,            -- the id of the record whose own page it is
    sort TEXT,              -- the order of the pages
    per_page INTEGER,       -- the number of records that was asked for
    first_asked INTEGER,    -- of the ids that were asked for
    last_asked INTEGER,
    bound INTEGER,          -- of a walk by ids, the largest one
    drawn INTEGER,          -- of a sample by ids, how many were drawn by then
    retrieved TEXT NOT NULL, -- ISO 8601 in UTC
    requests INTEGER NOT NULL, -- 0: from the cache
    requests_paid INTEGER NOT NULL, -- made when it was received, also if it is from the cache
    available INTEGER,      -- items_available
    first INTEGER,          -- first_item_position
    ids TEXT NOT NULL,      -- of the records, as JSON
    analyses TEXT NOT NULL, -- of each project a digit: 1 came with its analysis, 2 with its id, 3 both
    synthetic INTEGER NOT NULL,
    refusal TEXT,           -- why there is no such page
    sha256 TEXT,            -- of the content, uncompressed
    size INTEGER,           -- of the content, uncompressed, in bytes
    content BLOB,           -- the document, compressed with Zstandard
    seal TEXT NOT NULL      -- digest of the others but for the id and the content
)
"""
_COLUMNS = (
    *(
        "kind",
        "number",
        "record",
        "sort",
        "per_page",
        "first_asked",
        "last_asked",
        "bound",
        "drawn",
    ),
    *("retrieved", "requests", "requests_paid"),
    *("available", "first", "ids", "analyses", "synthetic", "refusal"),
)
_SEALED = (*_COLUMNS, "sha256", "size")
_INSERT = f"""
INSERT INTO pages VALUES (NULL, :{", :".join(_SEALED)}, :content, :seal)
"""


@dataclass(slots=True)
class Stored:
    """What an archive holds: what was received, and the rows of the pages."""

    received: Received
    rows: dict[CollectionPage | OwnPage, int] = field(default_factory=dict)
    documents: dict[int, str] = field(default_factory=dict)  # by row, what a page is called

    @property
    def newest(self) -> datetime | None:
        """When the newest answer was received; not in the future, if a clock was wrong."""
        now = datetime.now(UTC)
        return max((min(moment, now) for moment in self.times), default=None)

    times: list[datetime] = field(default_factory=list)


class Store(AbstractContextManager["Store"]):
    """The file of an archive, open for reading or by its only writer."""

    def __init__(self, path: Path, mode: Literal["rw", "rwc"]) -> None:
        self.path, self._lock = path, Lock()
        #: Why the file is no longer written to: threads that write later fail for the same reason.
        self._failure = f"{path} is not open for writing."
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
        facts |= {"identity": connection_of(client).identity, "base_url": client.base_url}
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
                sealed = facts | {"seal": ""}
                names = ", ".join(sealed), ", :".join(sealed)
                database.execute("INSERT INTO archive ({}) VALUES (:{})".format(*names), sealed)
                store._seal_facts()
                store._commit()
            for name in ("identity", "resource", "query", "sample", "seed"):
                if (stored := store.facts()[name]) != facts[name]:
                    raise ArchiveError(
                        f"{path} holds another collection: it has {_with(name, stored)} "
                        f"instead of {_with(name, facts[name])}. Name another file."
                    )
            database.execute("UPDATE archive SET details = max(details, :details)", facts)
            store._seal_facts()
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
            row = self._database.execute("SELECT * FROM archive").fetchone()
        facts = dict(row or {})
        if facts.pop("seal", None) != seal_of(facts.items()):
            raise self._damaged("its facts do not match their checksum")
        return facts

    def _seal_facts(self) -> None:
        facts = dict(self._database.execute("SELECT * FROM archive").fetchone())
        del facts["seal"]
        self._database.execute("UPDATE archive SET seal = ?", [seal_of(facts.items())])

    def _damaged(self, why: str) -> ArchiveError:
        return ArchiveError(f"{self.path} is damaged ({why}). Restore it from a copy.")

    def read(self) -> Stored:
        """Return what was received."""
        facts = self.facts()
        select = f"SELECT id, {', '.join(_SEALED)}, seal FROM pages ORDER BY id"
        with self._lock, self._errors():
            rows = self._database.execute(select).fetchall()
        try:
            asked = {name: facts[name] for name in ("query", "sort", "sample", "seed")}
            resource, details = RESOURCES[facts["resource"]], bool(facts["details"])
            query = Query(resource=resource, details=details, **asked)
            for row in rows:
                if row["seal"] != seal_of(row[name] for name in _SEALED):
                    raise self._damaged(f"row {row['id']} does not match its checksum")
            answers = [_Row.of(dict(row)) for row in rows]
        except (LookupError, TypeError, ValueError) as error:
            raise self._damaged(str(error)) from error
        for place, row in enumerate(answers, start=1):
            if row.id != place:
                raise ArchiveError(f"{self.path} is damaged: a page before {row.name} is missing.")
        stored = Stored(Received(query, keeps_history=True))
        for row in answers:
            row.add_to(stored)
        return stored

    def content(self, row: int, name: str) -> bytes:
        """Return the content of a page; `ArchiveError` if it is not what was received."""
        with self._lock, self._errors():
            statement = "SELECT content, size, sha256 FROM pages WHERE id = ?"
            packed, size, digest = self._database.execute(statement, (row,)).fetchone()
        with suppress(OSError, TypeError, ValueError, OverflowError):  # of Arrow
            content: bytes = pa.decompress(packed, size, codec="zstd", asbytes=True)
            if sha256(content).hexdigest() == digest:
                return content
        raise ArchiveError(f"{name} in {self.path} is damaged. Restore the file from a copy.")

    def add(self, target: Target, answer: Answer, query: Query) -> None:
        """Store an answer to a request of a query."""
        if isinstance(answer, Failure):
            return
        values: dict[str, Any] = dict.fromkeys(_COLUMNS) | {
            "sort": query.sort,
            "per_page": query.per_page,
            "retrieved": answer.received_at.isoformat(timespec="microseconds"),
            "requests": answer.requests,
            "requests_paid": answer.requests_paid,
            "ids": "[]",
            "analyses": "",
            "synthetic": False,
            "sha256": None,
            "size": None,
            "content": None,
        }
        if isinstance(target, CollectionPage):
            values |= {
                "kind": "probe" if target.is_probe else "page",
                "number": target.number,
                "available": target.total,
                "first": target.position,
                "ids": json.dumps(target.ids),
                "analyses": "".join(str(sent.value) for sent in target.analyses),
            }
            if isinstance(target, WindowPage):
                values |= {
                    "kind": "ids",
                    "first_asked": target.first_asked,
                    "last_asked": target.last_asked,
                    "bound": target.bound,
                    "drawn": target.drawn,
                }
        else:
            values |= {"kind": "own", "record": target.record, "sort": None}
        if isinstance(answer, Document):
            content = answer.content
            values |= {
                "synthetic": answer.page.synthetic,
                "sha256": sha256(content).hexdigest(),
                "size": len(content),
                "content": pa.compress(content, codec="zstd", asbytes=True),
            }
            if isinstance(target, OwnPage):
                values["ids"] = json.dumps([target.record])
        else:
            values["refusal"] = answer.reason.value
            values["ids"] = json.dumps(answer.other_ids)
        with self._lock, self._errors():
            if not self._database.in_transaction:  # a write failed, perhaps in another thread
                raise ArchiveError(self._failure)
            seal = seal_of(values[name] for name in _SEALED)
            self._database.execute(_INSERT, values | {"seal": seal})
            self._commit()

    def _commit(self) -> None:
        self._database.execute("COMMIT")
        self._database.execute("BEGIN IMMEDIATE")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except DATABASE_FAILURES as error:
            with suppress(AttributeError, sqlite3.Error):
                self._database.execute("ROLLBACK")
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            reason, advice = f"cannot be used ({error})", "If it is damaged, restore it from a copy"
            if code == sqlite3.SQLITE_BUSY:
                reason, advice = "is written to by another process", "Wait until that ends"
            elif code == sqlite3.SQLITE_NOTADB:
                reason, advice = "is not an archive", "Name another file"
            elif code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}:
                reason = f"cannot be written ({error}); the pages stored before are intact"
                advice = "Make room, or the file writable, and run it again"
            self._failure = f"{self.path} {reason}. {advice}."
            raise ArchiveError(self._failure) from error

    def close(self) -> None:
        """Close the file and release the writer's lock."""
        with self._lock:  # SQLite crashes if a connection is closed while it works
            self._database.close()

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the table of pages, as what was received."""

    id: int
    sort: str | None
    per_page: int | None
    target: Target
    refusal: Refusal | None
    receipt: Receipt
    received_at: datetime

    @classmethod
    def of(cls, row: dict[str, Any]) -> Self:
        """Return a row of the table; ValueError, TypeError or LookupError if it is damaged."""
        received_at = datetime.fromisoformat(row["retrieved"]).astimezone(UTC)
        ids = tuple(json.loads(row["ids"]))
        requests, requests_paid = int(row["requests"]), int(row["requests_paid"])
        refusal = None
        if row["refusal"] is not None:
            reason = Reason(row["refusal"])
            refusal = Refusal(
                reason=reason,
                received_at=received_at,
                requests=requests,
                requests_paid=requests_paid,
                other_ids=ids,
            )
        target: Target
        if row["kind"] in {"page", "probe", "ids"}:
            facts: dict[str, Any] = {
                "number": int(row["number"]),
                "received_at": received_at,
                "requested_at": received_at,
                "ids": () if refusal is not None else ids,
                "total": _whole(row["available"]),
                "position": _whole(row["first"]),
                "exists": refusal is None,
                "is_probe": row["kind"] == "probe",
                "analyses": tuple(AnalysisSent(int(digit)) for digit in row["analyses"]),
            }
            if row["kind"] == "ids":
                for name in ("first_asked", "last_asked", "bound", "drawn"):
                    facts[name] = int(row[name])
                target = WindowPage(**facts)
            else:
                target = CollectionPage(**facts)
        elif row["kind"] == "own":
            record = str(row["record"])
            page = OwnPage(record=record, received_at=received_at)
            target = page if refusal is None else LostOwnPage(record)
        else:
            raise ValueError(f"a page of the kind {row['kind']!r}")
        receipt = Receipt(
            received_at=None if refusal is not None else received_at,
            requests=requests,
            requests_paid=requests_paid,
            is_synthetic=bool(row["synthetic"]),
        )
        return cls(
            int(row["id"]), row["sort"], row["per_page"], target, refusal, receipt, received_at
        )

    @property
    def name(self) -> str:
        """What the page is called in messages."""
        if isinstance(self.target, OwnPage | LostOwnPage):
            return f"The page of record {self.target.record}"
        if isinstance(self.target, WindowPage):
            return f"The page of ids {self.target.first_asked} to {self.target.last_asked}"
        return f"Page {self.target.number}"

    def add_to(self, stored: Stored) -> None:
        """Add it to what an archive holds."""
        received, target = stored.received, self.target
        received.receipts.append(self.receipt)
        stored.times.append(self.received_at)
        if self.refusal is None:
            stored.documents[self.id] = self.name
        if isinstance(target, CollectionPage):
            # Both are asked of today's live service alone.
            received.is_todays_service |= self.per_page is not None
            received.is_todays_service |= isinstance(target, WindowPage)
            self._set_way(received, target)
            part = received.part
            is_closing = isinstance(part, PagesByIds) and self.sort == NEWEST and bool(part.pages)
            if is_closing and target.is_probe:
                received.close(target)
            else:
                received.add_page(target)
            stored.rows[target] = self.id
        elif isinstance(target, OwnPage):
            received.details.answers[target.record] = target
            stored.rows[target] = self.id
        elif self.refusal is not None:
            received.details.answers[target.record] = self.refusal

    def _set_way(self, received: Received, target: CollectionPage) -> None:
        """Go on as the walk did before it received a page: by ids, or by numbers in an order."""
        is_by_ids = isinstance(received.part, PagesByIds)
        if isinstance(target, WindowPage):
            if not is_by_ids:
                received.walk_by_ids(target.bound)
            return
        if target.is_probe:
            return
        before = received.query
        if is_by_ids:
            received.walk_by_numbers(NoIds.STOPPED)
        elif before.per_page != self.per_page and received.part.newest_versions():
            received.walk_by_numbers(NoIds.SMALL_PAGES)
        if (before.sort, before.per_page) != (self.sort, self.per_page):
            received.restate(replace(before, sort=self.sort, per_page=self.per_page))


def _whole(value: object) -> int | None:
    """Return a whole number; TypeError if it is another value."""
    if value is None or isinstance(value, int):
        return value
    raise TypeError(f"{value!r} is no whole number")


def _with(name: str, value: object) -> str:
    """Return in words which query, sample or other fact an archive has."""
    return f"no {name}" if value is None else f"the {name} {value!r}"
