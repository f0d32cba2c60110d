"""The SQLite file of an archive: its rounds, the index of its pages, and their content."""

# The file uses SQLite's rollback journal: a write-ahead log requires memory shared by all readers,
# which network file systems do not provide. A writer holds the lock of an open transaction from its
# first to its last page, so that there is only one; readers see what it commits. Each row has a
# checksum and each round the number of its rows, so that damage is detected; each page has the
# SHA-256 of its content.

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from contextlib import contextmanager, suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal, Self

from dirframe._sqlite import close_on_error, open_database, set_file_format
from dirframe.archive.model import Collection, PageRecord, Refusal, Round
from dirframe.errors import ArchiveError, Hint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


FORMAT = 1
APPLICATION_ID = 0x64664172  # "dfAr": identifies SQLite files that are archives

#: Seconds that a commit waits for readers, and they for it.
BUSY_TIMEOUT = 60.0

#: Number of rows read at a time, so that a reader never locks the file for longer.
BATCH = 256

#: The dataclass whose fields are the columns of a table, and its primary key.
_TABLES: dict[str, tuple[type, tuple[str, ...]]] = {
    "archive": (Collection, ()),
    "rounds": (Round, ("number",)),
    "pages": (PageRecord, ("round", "number")),
    "refusals": (Refusal, ("round", "number")),
}


def _columns(table: str) -> list[str]:
    return [field.name for field in fields(_TABLES[table][0])]


def _create(table: str) -> str:
    keys = _TABLES[table][1]
    key = f", PRIMARY KEY ({', '.join(keys)})) WITHOUT ROWID" if keys else ")"
    return f"CREATE TABLE {table} ({', '.join(_columns(table))}, seal{key}"


_BUNDLE = Hint(
    "dirframe.open_bundle opens what dirframe.bundle wrote.",
    shell="dirframe read, stats and others read a bundle; name the archive that it was made of.",
)
_BLOBS = "CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, content BLOB)"
_INSERT = {
    table: f"INSERT INTO {table} VALUES ({', '.join('?' * (len(_columns(table)) + 1))})"
    for table in _TABLES
}
_SELECT = {table: f"SELECT {', '.join(_columns(table))}, seal FROM {table}" for table in _TABLES}
PAGE_COLUMNS: str = f"{', '.join(_columns('pages'))}, seal"
_PAGES = (
    f"{_SELECT['pages']} WHERE round = ? AND number > ? AND number <= ? ORDER BY number LIMIT ?"
)
_REFUSALS = f"{_SELECT['refusals']} WHERE round = ? AND number <= ? ORDER BY number"


class Store:
    """An archive's file, open for reading or by its only writer; created by the class methods.

    Parameters
    ----------
    database : sqlite3.Connection
        The file.
    name : str
        Its name in error messages.
    """

    def __init__(self, database: sqlite3.Connection, name: str) -> None:
        self._database, self.name = database, name
        self._lock = threading.RLock()
        self._version: list[Any] = []
        self._failure: ArchiveError | None = None

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the file of an archive for reading.

        Raises
        ------
        ArchiveError
            If it does not exist, is damaged or has another format.
        """
        if path.is_dir():
            raise _folder(path)
        if not path.is_file():
            raise ArchiveError(f"There is no file {path}.")
        with close_on_error(cls(_connect(path, "rw"), str(path))) as store:
            if store.read("PRAGMA application_id") != [(APPLICATION_ID,)]:
                raise ArchiveError(f"{path} is not an archive. Name a file that harvest wrote.")
            store._check_format()
        return store

    @classmethod
    def is_archive(cls, path: Path) -> bool:
        """Return whether a file is an archive, even while it is written to."""
        if not path.is_file():
            return False
        # Uses SQLite: closing another handle of the file would end this process's locks on it.
        with suppress(ArchiveError), cls(_connect(path, "rw"), str(path)) as store:
            return bool(store.read("PRAGMA application_id") == [(APPLICATION_ID,)])
        return False

    @classmethod
    def open_writer(cls, path: Path, collection: Collection) -> Self:
        """Open or create the file of an archive and lock it for writing.

        Raises
        ------
        ArchiveError
            If another process is writing, the file is not an archive, or it cannot be written.
        """
        if path.is_dir():
            raise _folder(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ArchiveError(f"{path.parent} cannot be created ({error.strerror}).") from error
        with close_on_error(cls(_connect(path, "rwc"), str(path))) as store:
            store._begin(collection)
        return store

    @classmethod
    def private(cls, name: str, collection: Collection) -> Self:
        """Create a temporary store without a file; it is deleted when closed."""
        store = cls(sqlite3.connect("", isolation_level=None, check_same_thread=False), name)
        store._begin(collection)
        return store

    def _begin(self, collection: Collection) -> None:
        try:
            self._database.execute("PRAGMA busy_timeout = 100")
            # Paid pages have to survive even a power failure.
            self._database.execute("PRAGMA synchronous = EXTRA")
            self._database.execute("BEGIN IMMEDIATE")
            self._database.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT * 1_000:.0f}")
            self._version = self.read("PRAGMA data_version")
        except sqlite3.Error as error:
            if _code(error) == sqlite3.SQLITE_BUSY:
                raise self._busy() from error
            if _code(error) == sqlite3.SQLITE_NOTADB:
                raise ArchiveError(f"{self.name} is not an archive. Name another file.") from error
            raise self._unwritable(error) from error
        if self.read("PRAGMA application_id")[0][0] == APPLICATION_ID:
            self._check_format()
            return
        if self.read("SELECT count(*) FROM sqlite_master")[0][0]:
            raise ArchiveError(f"{self.name} is a database, and no archive. Name another file.")
        with self.writing():
            for table in _TABLES:
                self._database.execute(_create(table))
            self._database.execute(_BLOBS)
            set_file_format(self._database, APPLICATION_ID, FORMAT)
            self.insert("archive", collection)

    def _check_format(self) -> None:
        version = self.read("PRAGMA user_version")[0][0]
        if version != FORMAT:
            raise ArchiveError(f"{self.name} is of format {version}; this dirframe reads {FORMAT}.")

    def close(self) -> None:
        """Close the file and release the writer's lock, after what another thread is writing."""
        with self._lock:  # SQLite crashes if a connection is closed while it works
            self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- reading ---------------------------------------------------------------------------

    def read(self, statement: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Any]:
        """Return the rows of a statement.

        Raises
        ------
        ArchiveError
            If the file is damaged, or cannot be read.
        """
        with self._lock:
            try:
                return self._database.execute(statement, values).fetchall()
            except (sqlite3.Error, OverflowError, UnicodeError) as error:
                raise self.damaged(error) from error

    def collection(self) -> Collection:
        """Return the archived collection."""
        [row] = self._checked(self.read(_SELECT["archive"]), 1)
        collection: Collection = self._parsed(Collection, row)
        return collection

    def rounds(self) -> list[Round]:
        """Return the rounds, the oldest first."""
        count = self.collection().rounds
        rows = self._checked(self.read(f"{_SELECT['rounds']} ORDER BY number"), count, more=True)
        return [self._parsed(Round, row) for row in rows]

    def pages(self, round_: Round) -> Iterator[PageRecord]:
        """Yield the pages of a round at the time it was read, in order of their fetch."""
        for after in range(0, round_.pages, BATCH):
            last = min(after + BATCH, round_.pages)
            rows = self.read(_PAGES, (round_.number, after, last, BATCH))
            for number, row in enumerate(self._checked(rows, last - after), after + 1):
                page = self._parsed(PageRecord, row)
                if (page.round, page.number) != (round_.number, number):
                    raise self.damaged("a page is not where it should be")
                yield page

    def refusals(self, round_: Round) -> list[Refusal]:
        """Return the own pages of records that could not be fetched in a round."""
        rows = self._checked(
            self.read(_REFUSALS, (round_.number, round_.refusals)), round_.refusals
        )
        return [self._parsed(Refusal, row) for row in rows]

    def parse_page(self, row: Sequence[Any]) -> PageRecord:
        """Return the page of a row, after verifying its checksum."""
        page: PageRecord = self._parsed(PageRecord, self._checked([row], 1)[0])
        return page

    def compressed(self, digest: str) -> bytes:
        """Return the compressed bytes of a page."""
        for (content,) in self.read("SELECT content FROM blobs WHERE sha256 = ?", (digest,)):
            if not isinstance(content, bytes):  # SQLite stores any type in any column
                raise self.damaged(f"page {digest} is no bytes")
            return content
        raise ArchiveError(
            f"Page {digest} is missing in {self.name}. Restore the file from a copy."
        )

    def check(self) -> None:
        """Check the whole file, except for the content of the pages.

        Raises
        ------
        ArchiveError
            If it is damaged.
        """
        problems = self.read("PRAGMA integrity_check(1)")
        if problems != [("ok",)]:
            raise self.damaged(problems[0][0])

    def _checked(self, rows: list[Any], count: int, *, more: bool = False) -> list[Any]:
        """Verify the number of rows and their checksums; return the rows without checksums."""
        if len(rows) < count or (len(rows) > count and not more):
            raise self.damaged(f"{count:,} rows were written, and {len(rows):,} are there")
        for row in rows:
            try:
                is_intact = _seal(row[:-1]) == row[-1]
            except TypeError:  # bytes, which no column holds
                is_intact = False
            if not is_intact:
                raise self.damaged("a row does not fit its checksum")
        return [row[:-1] for row in rows]

    def _parsed(self, kind: Any, row: Sequence[Any]) -> Any:
        try:
            return kind.from_row(row)
        except (TypeError, ValueError, LookupError, RecursionError) as error:
            raise self.damaged(error) from error

    # -- writing ---------------------------------------------------------------------------

    def add_round(
        self, round_: Round, first: PageRecord | None = None, content: bytes = b""
    ) -> None:
        """Insert a new round with its first page."""
        with self.writing():
            collection = self.collection()
            collection.rounds = round_.number
            self._database.execute("DELETE FROM archive")
            self.insert("archive", collection)
            self.insert("rounds", round_)
            if first is not None:
                self._add_page(round_, first, content)

    def add_page(self, round_: Round, page: PageRecord, content: bytes = b"") -> None:
        """Insert a page of a round; identical content is stored once."""
        with self.writing():
            self._add_page(round_, page, content)

    def _add_page(self, round_: Round, page: PageRecord, content: bytes) -> None:
        self._database.execute(
            "INSERT INTO blobs VALUES (?, ?) ON CONFLICT (sha256) DO UPDATE "
            "SET content = excluded.content WHERE content IS NOT excluded.content",
            (page.sha256, content),
        )
        round_.pages += 1
        page.round, page.number = round_.number, round_.pages
        self.insert("pages", page)
        self._update(round_)

    def add_refusal(self, round_: Round, refusal: Refusal) -> None:
        """Insert an own page that could not be fetched."""
        with self.writing():
            round_.refusals += 1
            refusal.round, refusal.number = round_.number, round_.refusals
            self.insert("refusals", refusal)
            self._update(round_)

    def update_round(self, round_: Round) -> None:
        """Update the row of a round."""
        with self.writing():
            self._update(round_)

    def _update(self, round_: Round) -> None:
        self._database.execute("DELETE FROM rounds WHERE number = ?", (round_.number,))
        self.insert("rounds", round_)

    def insert(self, table: str, record: Any) -> None:
        """Insert a row; only inside `writing`."""
        values = record.to_row()
        self._database.execute(_INSERT[table], (*values, _seal(values)))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Commit the changes of the block, and keep the writer's lock."""
        with self._lock:
            if not self._database.in_transaction:  # a write failed, perhaps in another thread
                raise self._failure or ArchiveError(f"{self.name} is no longer written.")
            if self.read("PRAGMA data_version") != self._version:
                raise self._busy()  # another process was faster between the last two transactions
            try:
                yield
                self._database.execute("COMMIT")
                self._database.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                busy = _code(error) == sqlite3.SQLITE_BUSY
                self._failure = self._busy() if busy else self._unwritable(error)
                with suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")
                raise self._failure from error

    def _busy(self) -> ArchiveError:
        return ArchiveError(
            f"Another process is writing to {self.name}. Wait until it ends, or name another file."
        )

    def _unwritable(self, error: Exception) -> ArchiveError:
        return ArchiveError(
            f"{self.name} could not be written ({error}). What was kept before is good: make room, "
            "or the file writable, and run the same line again."
        )

    def damaged(self, error: object) -> ArchiveError:
        """Return the error for a damaged file."""
        return ArchiveError(
            f"{self.name} is damaged, or no archive ({error}). Restore it from a copy.",
            hint=_BUNDLE if self.name.lower().endswith(".zip") else None,
        )


def _connect(path: Path, mode: Literal["rw", "rwc"]) -> sqlite3.Connection:
    try:
        return open_database(path, mode=mode, timeout=BUSY_TIMEOUT, any_thread=True)
    except sqlite3.Error as error:
        raise ArchiveError(f"{path} cannot be opened ({error}).") from error


def _folder(path: Path) -> ArchiveError:
    if (path / "manifest.jsonl").is_file():
        return ArchiveError(
            f"{path} is an archive of an older format, a folder, which this dirframe does not "
            "read: harvest again, into a file."
        )
    return ArchiveError(
        f"{path} is a folder, and no archive, which is one file: name one, such as "
        f"{path / 'projects.archive'}."
    )


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _seal(values: Sequence[Any]) -> int:
    """Return the checksum of a row."""
    return zlib.crc32(json.dumps(values, separators=(",", ":")).encode())
