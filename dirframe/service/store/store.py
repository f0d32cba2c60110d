"""Read-only store of a directory: pages of records as XML, by sort and query."""

# A sort is an array of record numbers, read when the store is opened (8 bytes per record and sort);
# the reverse sort reads it backwards. The result of a query is such an array too and is cached, so
# that further pages are cheap.

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from dirframe._sqlite import close_on_error, file_format, open_database
from dirframe.errors import InvalidInputError, StoreError
from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT, RESOURCES, Resource
from dirframe.service.records import fold, without_controls
from dirframe.service.store.build import APPLICATION_ID, SORT_ALIASES, VERSION, Changes
from dirframe.service.store.ranking import Term, as_mask, match_ranks, with_term
from dirframe.service.store.search import search

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


#: Limits of a query, in characters and distinct words, that bound the cost of a request.
MAX_QUERY = 500
MAX_WORDS = 10

#: Size of the memory map; SQLite allows at most 2 GiB.
_MAPPED_BYTES = 2**31 - 2**16

Numbers = npt.NDArray[np.uint32]

_CACHE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Page:
    """A page: its records as XML, the total number of records, and the offset of the first."""

    fragments: list[str]
    available: int
    first: int


@dataclass(frozen=True)
class _Query:
    """A folded query: its words in order, and the tags to match exactly."""

    words: tuple[str, ...]
    tags: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.words or self.tags)


class Store:
    """The records of a directory, read-only and thread-safe.

    Parameters
    ----------
    path
        A file created by `dirframe.service.store.build.build_store`.

    Raises
    ------
    StoreError
        The file is missing, not a store, or of another version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        #: Whether the file is one of the cache of `open_data`.
        self.is_cached = False
        self._local = threading.local()
        self._lock = threading.Lock()
        self._connections: list[sqlite3.Connection] = []
        self._is_closed = False
        self._orders: dict[tuple[str, str], tuple[Numbers, Numbers]] = {}
        self._results: OrderedDict[tuple[str, str, _Query], Numbers] = OrderedDict()
        if not path.is_file():
            raise StoreError(f"There is no store {path}.")
        try:
            with close_on_error(self):
                self._read()
        except sqlite3.Error as error:
            raise StoreError(f"{path} is not a store: {error}.") from error

    def _read(self) -> None:
        database = self._database()
        application, version = file_format(database)
        if application != APPLICATION_ID:
            raise StoreError(f"{self.path} is a database, but not a store of dirframe.")
        if version != VERSION:
            raise StoreError(
                f"{self.path} is a store of version {version}, this dirframe reads version "
                f"{VERSION}: build it again from its XML files."
            )
        synthetic, report, *counts = database.execute("SELECT * FROM about").fetchone()
        status = self.path.stat()
        #: Differs between two files, also of one path.
        self.identity = (self.path, status.st_ino, status.st_mtime_ns)
        #: Report of the imported tables: invalid values, unused columns and missing fields.
        self.import_report = str(report)
        #: Whether any record is generated.
        self.synthetic = bool(synthetic)
        #: What the last import changed.
        self.changes = Changes(*counts)
        for resource in RESOURCES.values():
            self._read_orders(resource)

    def lock_shared(self) -> None:
        """Hold a read lock on the file until the store is closed, to mark it as in use.

        Raises
        ------
        StoreError
            The file was removed in the meantime.
        """
        with suppress(sqlite3.Error):  # file systems without locks are supported
            lock = open_database(self.path, mode="ro", any_thread=True)
            with self._lock:
                self._connections.append(lock)
            lock.execute("BEGIN")
            lock.execute("SELECT synthetic FROM about").fetchone()
        if not self.path.is_file():
            raise StoreError(f"The store {self.path} was removed.")

    def close(self) -> None:
        """Close the file; later calls fail."""
        with self._lock:
            self._is_closed = True
            for connection in self._connections:
                connection.close()
            self._connections.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def count(self, resource: Resource) -> int:
        """Return the number of records."""
        return len(self._orders[resource.name, "id"][0])

    def counts(self) -> dict[str, int]:
        """Return the number of records of each collection."""
        return {resource.collection: self.count(resource) for resource in RESOURCES.values()}

    def sorts(self, resource: Resource) -> tuple[str, ...]:
        """Return the supported sorts: those whose field the records have."""
        orders = {sort for name, sort in self._orders if name == resource.name}
        others = (s for s in resource.other_sorts if s in orders or s in SORT_ALIASES)
        return (*resource.sorts, *others)

    def default_sort(self, resource: Resource, query: str = "") -> str:
        """Return the default sort, with or without a query."""
        has_query = resource.query_sort and _read_query(resource, query)
        return resource.query_sort if has_query else resource.default_sort

    def page(
        self,
        resource: Resource,
        *,
        query: str = "",
        sort: str | None = None,
        page: int = 1,
        page_size: int = PAGE_SIZE,
    ) -> Page:
        """Return one page of a collection.

        Parameters
        ----------
        resource
            Accounts or projects.
        query
            Words that must all occur, case-insensitive, also inside words: in the name of an
            account; in the title, the description or the tags of a project. ``tag:x`` matches
            projects with exactly the tag x.
        sort
            One of `sorts`. Default: `default_sort`.
        page
            Number of the page; the first is 1.
        page_size
            Records per page.

        Returns
        -------
        Page
            At most `page_size` records; none past the end.

        Raises
        ------
        InvalidInputError
            Sort, page or query is invalid.
        """
        sort = sort or self.default_sort(resource, query)
        if sort not in (sorts := self.sorts(resource)):
            raise InvalidInputError(
                f"There is no sort of {resource.collection} by {sort[:50]!r}; "
                f"there are {', '.join(sorts)}."
            )
        sort = SORT_ALIASES.get(sort, sort)
        if page < 1:
            raise InvalidInputError(f"There is no page {page}; the first page is 1.")
        base = sort.removesuffix("_reverse")
        numbers = self._matching(resource, base, _read_query(resource, query))
        if sort != base:
            numbers = numbers[::-1]
        first = (page - 1) * page_size
        selected = numbers[first : first + page_size].tolist()
        return Page(self._fragments(resource, selected), len(numbers), first)

    def by_segment(self, resource: Resource, segment: str) -> str | None:
        """Return a record by its id or by its name in URLs.

        Parameters
        ----------
        resource
            Accounts or projects.
        segment
            Path segment of the URL. Ids take precedence over names; of several records with
            the same name, ignoring case, the lowest id is returned.

        Returns
        -------
        str or None
            The record as XML; None if there is none.
        """
        fragment = self.by_id(resource, segment)
        if fragment is None:
            name = fold(without_controls(segment))
            numbers = with_term(self._database(), resource.collection, Term.NAME, name)
            fragment = self._with_lowest_id(resource, numbers)
        return fragment

    def is_synthetic(self, resource: Resource, identifier: str) -> bool:
        """Return whether the record with this id is generated."""
        sql = f"SELECT synthetic FROM {resource.collection} WHERE id = ?"
        return self._first_value(sql, identifier) == "1"

    def synthetic_projects(self) -> Iterator[str]:
        """Yield the generated projects as XML."""
        sql = f"SELECT xml FROM {PROJECT.collection} WHERE synthetic"
        return (xml for (xml,) in self._database().execute(sql))

    def by_id(self, resource: Resource, identifier: str) -> str | None:
        """Return the record with this id as XML, or None."""
        return self._first_value(f"SELECT xml FROM {resource.collection} WHERE id = ?", identifier)

    def by_email_md5(self, digest: str) -> str | None:
        """Return the account whose e-mail address has this MD5 digest, or None.

        Of several with the same address, it is the one with the lowest id.
        """
        sql = f"SELECT number - 1 FROM {ACCOUNT.collection} WHERE email_md5 = ?"
        rows = self._database().execute(sql, (digest.lower(),))
        numbers = np.fromiter((number for (number,) in rows), dtype=np.uint32)
        return self._with_lowest_id(ACCOUNT, numbers)

    def _with_lowest_id(self, resource: Resource, numbers: Numbers) -> str | None:
        if not len(numbers):
            return None
        positions = self._orders[resource.name, "id"][1][numbers]
        (fragment,) = self._fragments(resource, [int(numbers[positions.argmin()])])
        return fragment

    def _first_value(self, sql: str, argument: str) -> str | None:
        row = self._database().execute(sql, (argument,)).fetchone()
        return None if row is None else str(row[0])

    def _fragments(self, resource: Resource, numbers: list[int]) -> list[str]:
        sql = f"SELECT xml FROM {resource.collection} WHERE number = ?"
        database = self._database()
        return [database.execute(sql, (number + 1,)).fetchone()[0] for number in numbers]

    def _matching(self, resource: Resource, sort: str, query: _Query) -> Numbers:
        """Return the numbers of all records that match `query`, in the order of `sort`."""
        order, positions = self._orders[resource.name, sort]
        if not query:
            return order
        key = (resource.name, sort, query)
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        database, collection, size = self._database(), resource.collection, len(order)
        mask = search(database, collection, set(query.words), size)
        for tag in query.tags:
            mask &= as_mask(with_term(database, collection, Term.TAG, tag), size)
        if np.count_nonzero(mask) * 4 > size:
            numbers = order.compress(mask.take(order))
        else:  # for few matches, sorting their positions is faster than a full scan
            numbers = order[np.sort(positions[np.flatnonzero(mask)])]
        if sort == "relevance":
            ranks = match_ranks(database, collection, query.words, size)
            numbers = numbers[np.argsort(ranks[numbers], kind="stable")]
        with self._lock:
            self._results[key] = numbers
            while sum(a.nbytes for a in self._results.values()) > _CACHE_BYTES:
                self._results.popitem(last=False)
        return numbers

    def _read_orders(self, resource: Resource) -> None:
        """Read the record numbers in each order, and compute the inverse permutations."""
        rows = self._database().execute(f"SELECT sort, numbers FROM {resource.collection}_order")
        for sort, blob in rows:
            order = np.frombuffer(blob, dtype=np.uint32)
            positions = np.empty_like(order)
            positions[order] = np.arange(len(order), dtype=np.uint32)
            self._orders[resource.name, sort] = (order, positions)

    def _database(self) -> sqlite3.Connection:
        """Return the connection of this thread."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with close_on_error(
                open_database(self.path, mode="fixed", any_thread=True)
            ) as connection:
                connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
                with self._lock:
                    if self._is_closed:  # nobody would close it
                        raise StoreError(f"The store {self.path} is closed.")
                    self._connections.append(connection)
            self._local.connection = connection
        return connection


_TAG = "tag:"


def _read_query(resource: Resource, query: str) -> _Query:
    if len(query) > MAX_QUERY:
        raise InvalidInputError(f"The query has more than {MAX_QUERY} characters.")
    words = fold(without_controls(query)).split()
    if len(set(words)) > MAX_WORDS:
        raise InvalidInputError(f"The query has more than {MAX_WORDS} different words.")
    tags = {
        word for word in words if resource is PROJECT and word.removeprefix(_TAG) not in {"", word}
    }
    return _Query(
        tuple(word for word in words if word not in tags),
        frozenset(word.removeprefix(_TAG) for word in tags),
    )
