"""The store of a directory, open for reading: pages of records as XML, by sort and query.

A sort is an array of record numbers in its order, read when the store is opened (8 bytes a
record and sort); its reverse is the same array from the other end. The answer to a query is such an array
too, and is remembered, so that its further pages cost nothing.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from dirframe._sqlite import open_database
from dirframe.errors import InvalidInputError, StoreError
from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT, RESOURCES, Resource
from dirframe.service.records import fold, without_controls
from dirframe.service.store.build import APPLICATION_ID, SORT_ALIASES, VERSION, build_store
from dirframe.service.store.ranking import match_ranks, named, tagged
from dirframe.service.store.search import search

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from dirframe.service.store.import_progress import OnFile

__all__ = ["MAX_QUERY", "MAX_WORDS", "Page", "Store"]

#: Bounds of what one query may ask, so that no request is dear.
MAX_QUERY = 500
MAX_WORDS = 10

#: The file is read in place, not copied page by page, as far as SQLite allows (2 GiB).
_MAPPED_BYTES = 2**31 - 2**16

Numbers = npt.NDArray[np.uint32]

_REMEMBERED_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True)
class Page:
    """One page: its records as XML, how many there are in all, and where it begins."""

    fragments: list[str]
    available: int
    first: int


@dataclass(frozen=True)
class _Query:
    """A query, folded: its words as they were asked, and the tags that are asked for exactly."""

    words: tuple[str, ...]
    tags: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.words or self.tags)


class Store:
    """A directory's records, read-only, for any number of threads.

    Parameters
    ----------
    path
        A file that `Store.build` or `dirframe.service.store.build.build_store` has made.

    Raises
    ------
    StoreError
        The file is missing, not a store of ours, or of another version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._lock = threading.Lock()
        self._connections: list[sqlite3.Connection] = []
        self._orders: dict[tuple[str, str], tuple[Numbers, Numbers]] = {}
        self._answers: OrderedDict[tuple[str, str, _Query], Numbers] = OrderedDict()
        if not path.is_file():
            raise StoreError(f"There is no store {path}.")
        try:
            self._read()
        except sqlite3.Error as error:
            self.close()
            raise StoreError(f"{path} is not a store: {error}.") from error
        except StoreError:
            self.close()
            raise

    def _read(self) -> None:
        database = self._database()
        application, version = (database.execute(f"PRAGMA {p}").fetchone()[0] for p in _MARKS)
        if application != APPLICATION_ID:
            raise StoreError(f"{self.path} is a database, but not a store of dirframe.")
        if version != VERSION:
            raise StoreError(
                f"{self.path} is a store of version {version}, this dirframe reads version "
                f"{VERSION}: build it again from its XML files."
            )
        (synthetic,) = database.execute("SELECT synthetic FROM about").fetchone()
        #: Whether any of the records was generated.
        self.synthetic = bool(synthetic)
        for resource in RESOURCES.values():
            self._read_orders(resource)

    @classmethod
    def build(cls, path: Path, sources: Iterable[Path], *, on_file: OnFile | None = None) -> Self:
        """Build a store from XML collections and open it: see `building.build_store`."""
        return cls(build_store(path, sources, on_file=on_file))

    def hold(self) -> None:
        """Keep a reader's lock on the file until it is closed, which says that it is in use.

        Raises
        ------
        StoreError
            The file was removed in the meantime.
        """
        with suppress(sqlite3.Error):  # a disk without locks can be read from all the same
            lock = open_database(self.path, mode="ro", any_thread=True)
            with self._lock:
                self._connections.append(lock)
            lock.execute("BEGIN")
            lock.execute("SELECT synthetic FROM about").fetchone()
        if not self.path.is_file():
            raise StoreError(f"The store {self.path} was removed.")

    def close(self) -> None:
        """Close the file; what is asked afterwards fails."""
        with self._lock:
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

    def sorts(self, resource: Resource) -> tuple[str, ...]:
        """Return the sorts that can be asked for: those whose field the records have."""
        orders = {sort for name, sort in self._orders if name == resource.name}
        others = (s for s in resource.other_sorts if s in orders or s in SORT_ALIASES)
        return (*resource.sorts, *others)

    def default_sort(self, resource: Resource, query: str = "") -> str:
        """Return the sort where none is asked for: of a query, or of everything."""
        asked = resource.query_sort and _read_query(resource, query)
        return resource.query_sort if asked else resource.default_sort

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
            Words that must all occur, in any case, also as parts of words: in the name of an
            account; in the title, the description or the tags of a project. ``tag:x`` asks
            for the projects with exactly the tag x.
        sort
            One of `sorts`; left out: `default_sort`.
        page
            Number of the page; the first is 1.
        page_size
            Records in a page.

        Returns
        -------
        Page
            At most `page_size` records; none where the page is past the end.

        Raises
        ------
        InvalidInputError
            Sort, page or query cannot be meant.
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
        numbers = self._answer(resource, base, _read_query(resource, query))
        if sort != base:
            numbers = numbers[::-1]
        first = (page - 1) * page_size
        chosen = numbers[first : first + page_size].tolist()
        return Page(self._fragments(resource, chosen), len(numbers), first)

    def by_segment(self, resource: Resource, segment: str) -> str | None:
        """Return what an address names, by its id or by the name that it has in addresses.

        Parameters
        ----------
        resource
            Accounts or projects.
        segment
            The part of the address. An id comes before a name, and the lowest id has a name
            that several records carry, in any case.

        Returns
        -------
        str or None
            The record as XML.
        """
        fragment = self.by_id(resource, segment)
        if fragment is None:
            number = named(self._database(), resource.collection, fold(without_controls(segment)))
            if number is not None:
                (fragment,) = self._fragments(resource, [number])
        return fragment

    def is_synthetic(self, resource: Resource, identifier: str) -> bool:
        """Tell whether the record with this id was generated."""
        sql = f"SELECT synthetic FROM {resource.collection} WHERE id = ?"  # noqa: S608  # the schema's own name
        return self._one(sql, identifier) == "1"

    def languages(self) -> list[str]:
        """Return the languages of generated projects as XML, by name; none of imported ones."""
        return [xml for (xml,) in self._database().execute("SELECT xml FROM languages")]

    def by_id(self, resource: Resource, identifier: str) -> str | None:
        """Return the record with this id as XML, or None."""
        return self._one(f"SELECT xml FROM {resource.collection} WHERE id = ?", identifier)  # noqa: S608  # the schema's own name

    def by_email_md5(self, digest: str) -> str | None:
        """Return the account whose e-mail address has this MD5 digest, or None."""
        return self._one(
            f"SELECT xml FROM {ACCOUNT.collection} WHERE email_md5 = ? ORDER BY number LIMIT 1",  # noqa: S608  # as above
            digest.lower(),
        )

    def _one(self, sql: str, argument: str) -> str | None:
        row = self._database().execute(sql, (argument,)).fetchone()
        return None if row is None else str(row[0])

    def _fragments(self, resource: Resource, numbers: list[int]) -> list[str]:
        sql = f"SELECT xml FROM {resource.collection} WHERE number = ?"  # noqa: S608  # as above
        database = self._database()
        return [database.execute(sql, (number + 1,)).fetchone()[0] for number in numbers]

    def _answer(self, resource: Resource, sort: str, query: _Query) -> Numbers:
        """Return the numbers of all records that match `query`, in the order of `sort`."""
        order, places = self._orders[resource.name, sort]
        if not query:
            return order
        key = (resource.name, sort, query)
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
        database, collection, size = self._database(), resource.collection, len(order)
        found = search(database, collection, set(query.words), size)
        for tag in query.tags:
            with_tag = np.zeros(size, dtype=np.bool_)
            with_tag[tagged(database, collection, tag)] = True
            found &= with_tag
        if np.count_nonzero(found) * 4 > len(order):
            answer = order.compress(found.take(order))
        else:  # sorting the places of a few is faster than going through all
            answer = order[np.sort(places[np.flatnonzero(found)])]
        if sort == "relevance":
            ranks = match_ranks(database, collection, query.words, size)
            answer = answer[np.argsort(ranks[answer], kind="stable")]
        with self._lock:
            self._answers[key] = answer
            while sum(a.nbytes for a in self._answers.values()) > _REMEMBERED_BYTES:
                self._answers.popitem(last=False)
        return answer

    def _read_orders(self, resource: Resource) -> None:
        """Read the record number at each place, and from it the place of each record number."""
        rows = self._database().execute(f"SELECT sort, numbers FROM {resource.collection}_order")  # noqa: S608  # as above
        for sort, blob in rows:
            order = np.frombuffer(blob, dtype=np.uint32)
            places = np.empty_like(order)
            places[order] = np.arange(len(order), dtype=np.uint32)
            self._orders[resource.name, sort] = (order, places)

    def _database(self) -> sqlite3.Connection:
        """Return this thread's own connection: they share nothing and never wait."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = open_database(self.path, mode="fixed", any_thread=True)
            connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
            self._local.connection = connection
            with self._lock:
                self._connections.append(connection)
        return connection


_TAG = "tag:"
_MARKS = ("application_id", "user_version")


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
