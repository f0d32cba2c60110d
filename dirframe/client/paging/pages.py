"""The pages of a collection: which are missing, and where each record is."""

# Pure: no request, no thread, no text for people.

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import count
from typing import TypeAlias

from dirframe.client.xml.page import AnalysisSent

#: If a collection needs more pages, its number of records is wrong.
MAX_PAGES = 1_000_000

#: All known page sizes are multiples of it; a single page of another length is the last one.
PAGE_SIZE_STEP = 5

#: The id of a record; of a record without an id, its page and its place there.
Key: TypeAlias = str | tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CollectionPage:
    """One version of a page, as the directory sent it, without the content of its records."""

    number: int  # from 1
    received_at: datetime
    requested_at: datetime  # of a page from the cache, when it was received
    ids: tuple[str | None, ...] = ()
    total: int | None = None  # items_available
    position: int | None = None  # first_item_position
    returned: int | None = None  # items_returned
    exists: bool = True  # False: the directory says that there is no such page
    #: A first page in an order that is not used. It is no part of the walk; its records were received.
    is_probe: bool = False
    analyses: tuple[AnalysisSent, ...] = ()  # of projects, in the order of the records

    @property
    def is_miscounted(self) -> bool:
        """Whether it states another number of records than it holds."""
        return self.exists and self.returned is not None and self.returned != len(self.ids)

    @property
    def day(self) -> date:
        """The day on which it was received, in UTC."""
        return self.received_at.date()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record is read: a version of a page, and the index there."""

    page: CollectionPage
    index: int

    @property
    def analysis(self) -> AnalysisSent | None:
        """What the record came with; None if it is no project."""
        return self.page.analyses[self.index] if self.page.analyses else None


@dataclass(slots=True, kw_only=True)
class Pages:
    """The pages of a whole collection, or of its first `limit` records.

    Every version of a page is in `history`. An archive (`keeps_history`) counts the records of all of
    them, and judges by the order in which they arrived; a load counts those of the newest ones.
    """

    has_key: bool = True  # whether records have an id that tells them apart
    is_paged: bool = True
    page_size: int | None = None  # that was asked for
    limit: int | None = None
    keeps_history: bool = False
    has_ties: bool = False  # whether records are in an order in which several are equal
    history: list[CollectionPage] = field(default_factory=list)  # in the order of arrival
    probes: list[CollectionPage] = field(default_factory=list)
    newest: dict[int, CollectionPage] = field(default_factory=dict)  # by number
    #: Numbers of pages that need not be read again: a second reading was the same, or there was none.
    unchanged: set[int] = field(default_factory=set)
    _recency: dict[CollectionPage, float] = field(default_factory=dict)
    _first_numbers: dict[str, int] = field(default_factory=dict)  # of pages, by id

    def add(self, page: CollectionPage) -> None:
        """Add a page; it replaces an earlier version."""
        recency = self._recency[page] = self._next_recency(page)
        if page.is_probe:
            self.probes.append(page)
            return
        before = self.newest.get(page.number)
        is_same = before is not None and (before.ids, before.total) == (page.ids, page.total)
        if not page.exists or (is_same and page.total is not None):
            self.unchanged.add(page.number)
        self.history.append(page)
        if before is None or recency >= self._recency[before]:
            self.newest[page.number] = page
        for identifier in page.ids:
            if identifier is not None:
                first = self._first_numbers.get(identifier, page.number)
                self._first_numbers[identifier] = min(first, page.number)

    def set_aside(self, pages: Iterable[CollectionPage]) -> None:
        """Add pages in an order that is not used any more; their records count."""
        for page in pages:
            self._recency[page] = self._next_recency(page)
            self.probes.append(page)

    def _next_recency(self, page: CollectionPage) -> float:
        # A clock may be set back between two harvests. Pages of a cache come in any order.
        return len(self._recency) if self.keeps_history else page.received_at.timestamp()

    def recency(self, page: CollectionPage) -> float:
        """Return a number that is higher for pages that were received later."""
        return self._recency[page]

    def by_arrival(self) -> list[CollectionPage]:
        """Return all versions of existing pages, the oldest first."""
        return sorted((page for page in self.history if page.exists), key=self.recency)

    # Which pages are missing

    @property
    def first(self) -> CollectionPage | None:
        """The first page."""
        return self.newest.get(1)

    @property
    def received(self) -> list[CollectionPage]:
        """All versions of all pages."""
        return [*self.probes, *self.history]

    def newest_versions(self) -> list[CollectionPage]:
        """Return the newest version of each page."""
        return list(self.newest.values())

    def count_missing(self) -> int:
        """Return the number of pages that are missing."""
        return len(self.missing())

    @property
    def total(self) -> int | None:
        """Number of records in the collection, according to the newest page that states one."""
        pages = list(self.newest.values())  # another thread may add one
        stated = [page for page in pages if page.total is not None]
        return max(stated, key=self.recency).total if stated else None

    @property
    def expected(self) -> int | None:
        """Number of records to receive; None if it is not known."""
        known = [number for number in (self.total, self.limit) if number is not None]
        return min(known, default=None)

    @property
    def to_receive(self) -> int:
        """Number of records that are received in all, for the bar; 0 if it is not known."""
        return self.expected or 0

    def used(self) -> list[CollectionPage]:
        """Return the pages from the first one to a gap, to the end, or to the limit."""
        used: list[CollectionPage] = []
        received = 0
        for number in count(1):
            page = self.newest.get(number)
            if page is None or self.is_past_end(page):
                break
            used.append(page)
            received += len(page.ids)
            if self.limit is not None and received >= self.limit:
                break
        return used

    def is_past_end(self, page: CollectionPage) -> bool:
        """Return whether a page is empty, or holds only records of the first page or the one before it.

        A page that repeats one of another day is not the end: records were inserted before it. If no
        page states a total, the first page without a new record is the end.
        """
        if not page.ids:
            return True
        if page.number == 1 or (None in page.ids and self.has_key):
            return False
        earlier = [self.newest.get(number) for number in (1, page.number - 1)]
        same_day = [other for other in earlier if other is not None and other.day == page.day]
        if any(set(page.ids) <= set(other.ids) for other in same_day):
            return True
        if page.total is None and self.total is None:
            numbers = [self._first_numbers[id_] for id_ in page.ids if id_ is not None]
            return all(number < page.number for number in numbers)
        return False

    def may_end_at(self, number: int) -> bool:
        """Return whether a page may not exist: only where all expected records are on earlier pages."""
        if number in self.newest or self.total is None:
            return False
        received = sum(len(page.ids) for page in self.used())
        return received >= (self.expected or 0)

    def missing(self) -> list[int]:
        """Return the numbers of the pages that may hold expected records and were not received."""
        if 1 not in self.newest:
            return [1]
        if self.newest[1].is_miscounted:
            return []  # the pages are not what they say
        used = self.used()
        following = len(used) + 1
        received = sum(len(page.ids) for page in used)
        is_end_seen = following in self.newest or not self.is_paged
        if is_end_seen or (self.limit is not None and received >= self.limit):
            return []
        if self.expected is None or self.total is None:
            return [following]  # page by page, up to the end
        size = len(self.newest[1].ids)
        if received < self.expected:
            more = math.ceil((self.expected - received) / size)
            last = min(following + more - 1, MAX_PAGES + 1)
            return [n for n in range(following, last + 1) if n not in self.newest]
        # A directory may stop counting at a full page: only an empty page shows that it did not.
        is_full = len(used[-1].ids) == size and self._may_be_full(size, len(used))
        return [following] if received == self.expected and is_full else []

    def _may_be_full(self, size: int, count: int) -> bool:
        """Return whether the first of some pages may hold as many records as a page can."""
        if count > 1:
            return True
        if self.page_size is not None:
            return size >= self.page_size
        return size % PAGE_SIZE_STEP == 0

    # Where each record is

    def everything(self) -> list[CollectionPage]:
        """Return all versions of all pages, the used ones first: records are in their order."""
        return [*self.used(), *self.probes, *self.history]

    def places(self, versions: Iterable[CollectionPage]) -> dict[Key, Place]:
        """Return the newest reading of each record, in the order in which they first appear."""
        places: dict[Key, Place] = {}
        for page in versions:
            is_newest = page is self.newest.get(page.number)
            for index, identifier in enumerate(page.ids):
                if identifier is None or not self.has_key:
                    if is_newest:
                        places[page.number, index] = Place(page, index)
                    continue
                known = places.get(identifier)
                if known is None or self.recency(page) >= self.recency(known.page):
                    places[identifier] = Place(page, index)
        if self.limit is None:
            return places
        return dict(list(places.items())[: self.limit])


def repeated_ids(pages: Iterable[CollectionPage]) -> dict[str, int]:
    """Return the ids that are on some pages more than once, and how often."""
    counts = Counter(identifier for page in pages for identifier in page.ids)
    return {id_: number for id_, number in counts.items() if number > 1 and id_ is not None}
