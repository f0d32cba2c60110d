"""Read the pages of a collection, and prove that no record is missing."""

# A collection is proven complete if its pages follow each other from the first position to the last,
# all of one day and with the same ``items_available``, and hold as many different ids. Records may be
# added, removed or moved meanwhile, and a sort without a tie-break repeats some and leaves out others:
# pages that do not fit together are requested again, at most three times.
#
# Pages of several days prove nothing: they are counted. If the count is a multiple of the page size,
# one page more is requested: only an empty one behind the last shows that the count was not too low.

from __future__ import annotations

import math
from collections import Counter, deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from dirframe.client.page import check_records
from dirframe.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from dirframe.client.page import Page
    from dirframe.schema import Resource

Key = TypeVar("Key")
T = TypeVar("T")

#: Maximum number of times that inconsistent pages are requested again.
MAX_REREADS = 3

#: More pages than these, or a tenth of all, are not requested again because they are of earlier days.
FEW_PAGES = 5

#: So many pages are requested again even if their order seems not to hold: a change may explain it.
CHEAP_PAGES = 12

#: All page sizes that are known are multiples; a single page of another length is the last one.
PAGE_SIZE_STEP = 5


def ids_of(page: Page, resource: Resource) -> tuple[str | None, ...]:
    """Return the ids of the records of a page; of a resource without a key, digests of them."""
    check_records(page, resource.name)
    return page.values(resource.key) if resource.key else page.digests()


@dataclass(frozen=True, slots=True)
class Received:
    """A page as it was received: its number, counts, ids and time; `source` is where it is kept."""

    number: int  # 0: not a page of this order
    available: int | None
    first: int | None
    ids: Sequence[str | None]
    seconds: float  # since 1970
    source: Any
    signs: str = ""  # of the records, as `Page.signs`

    @property
    def day(self) -> int:
        """Day on which it was fetched, in UTC, since 1970."""
        return int(self.seconds // 86_400)


#: Of each record, by its id, the page that it was read from and its position there, in order.
Readings: TypeAlias = "dict[Hashable, tuple[Received, int]]"


def signs_by_id(readings: Readings) -> dict[str, str]:
    """Return by the id of each project whether its analysis came."""
    return {
        key: page.signs[place]
        for key, (page, place) in readings.items()
        if isinstance(key, str) and page.signs
    }


class Pages:
    """The pages of a collection that were received, which are missing, and what they prove."""

    def __init__(self, max_items: int | None = None, *, paged: bool = True) -> None:
        self.max_items, self.paged = max_items, paged
        self.received: list[Received] = []  # in the order of arrival
        self.ended = False  # the directory answered that there is no further page
        self._latest: dict[int, Received] = {}
        self._newest: Received | None = None
        self._counts: set[int | None] = set()  # of all pages received
        self._has_moved = False  # a page came with other ids, although it counts as many

    def add(self, page: Received) -> None:
        """Add a page; it replaces an earlier version."""
        self.received.append(page)
        if not page.number:
            return
        before = self._latest.get(page.number)
        if before is not None:
            self._has_moved |= before.available == page.available and [*before.ids] != [*page.ids]
        self._latest[page.number] = page
        self._counts.add(page.available)
        if self._newest is None or page.seconds >= self._newest.seconds:
            self._newest = page

    # -- which pages are missing -----------------------------------------------------------

    @property
    def available(self) -> int | None:
        """The number of records according to the newest page."""
        return self._newest.available if self._newest else None

    @property
    def expected(self) -> int:
        """The number of records to expect."""
        if self.available is None:
            return self.max_items or 0
        return self.available if self.max_items is None else min(self.available, self.max_items)

    @property
    def first(self) -> Received | None:
        """The first page as it came first."""
        return next((page for page in self.received if page.number == 1), None)

    def days(self) -> list[str]:
        """Return the days on which the pages were fetched, in UTC."""
        days = sorted({page.day for page in self._latest.values()})
        return [f"{datetime.fromtimestamp(86_400 * day, UTC):%Y-%m-%d}" for day in days]

    def missing(self) -> Sequence[int]:
        """Return the numbers of the pages that were not read yet and may hold expected records."""
        run = self._run()
        after = len(run) + 1
        if not run or after in self._latest or self.ended:  # empty, or the end was reached
            return []
        covered = sum(len(page.ids) for page in run)
        if self.max_items is not None and covered >= self.max_items:
            return []
        if self.available is None:
            return [after]
        size = len(run[0].ids)
        if covered < self.expected:  # a range, because the reported count may be of any size
            read = min((number for number in self._latest if number > after), default=math.inf)
            return range(after, int(min(after + -(-(self.expected - covered) // size), read)))
        is_full = len(run[-1].ids) == size and (len(run) > 1 or size % PAGE_SIZE_STEP == 0)
        return [after] if covered == self.expected and is_full and self.paged else []

    def is_behind_the_last(self, numbers: Sequence[int]) -> bool:
        """Return whether only the page after the last one remains to be requested."""
        run = self._run()
        is_enough = self.available is not None and sum(len(p.ids) for p in run) >= self.expected
        return bool(run) and is_enough and list(numbers[:2]) == [len(run) + 1]

    def is_the_end(self, number: int) -> bool:
        """Return whether a page shows that it is the last one."""
        page, first = self._latest[number], self._latest[1]
        return not page.ids or _repeats(page, [first, self._latest.get(number - 1, first)])

    def contiguous(self) -> list[Received]:
        """Return the pages from the first one to the end, or to `max_items`."""
        pages: list[Received] = []
        end = 0
        for page in self._run():
            if self.max_items is not None and end >= self.max_items:
                break
            pages.append(page)
            end += len(page.ids)
        return pages

    def _run(self) -> list[Received]:
        """Return the pages from the first to one that is missing, empty or a duplicate."""
        run: list[Received] = []
        while (page := self._latest.get(len(run) + 1)) is not None:
            if not page.ids or (run and _repeats(page, [run[0], run[-1]])):
                break
            run.append(page)
        return run

    # -- which pages do not fit ------------------------------------------------------------

    def unfit(self) -> list[int]:
        """Return the numbers of pages that do not belong to one state of the collection."""
        available = self.available
        if available is None or self._newest is None:
            # If other pages report a count, a page without one is at fault.
            silent = [page.number for page in self._latest.values() if page.available is None]
            return sorted(silent) if len(silent) < len(self._latest) else []
        used = self.contiguous()
        # A directory grows from day to day, so that other counts on pages of earlier days are none.
        earlier = [page.number for page in self._latest.values() if page.day < self._newest.day]
        if earlier:
            is_worth_it = len(earlier) <= max(FEW_PAGES, math.ceil(len(self._latest) / 10))
            return sorted(earlier) if is_worth_it and not self._is_contiguous(used) else []
        unfit: set[int] = set()
        end = 0
        for page in used:
            if page.available != available:
                unfit.add(page.number)
            if page.first is not None and page.first != end:
                unfit |= {page.number, page.number - 1} - {0}
            end += len(page.ids)
        repeated = _repeated(used)
        unfit.update(page.number for page in used if not repeated.isdisjoint(page.ids))
        if end < self.expected:
            # The page after these is missing, or repeats the first or the last one. Then these
            # may be the outdated ones.
            unfit |= {used[0].number, used[-1].number, used[-1].number + 1} if used else {1}
        elif end > available:
            unfit.add(used[-1].number)
        return sorted(unfit)

    def is_worth_rereading(self, pages: int, reread: int) -> bool:
        """Return whether to request so many pages again after those that were requested again.

        A change moves records over the edge of a page or two, and its pages count differently. An
        order that does not hold repeats records everywhere; no reading mends that.
        """
        affected, most = self._pages_with_repeats()
        if not affected or len(self._latest) <= CHEAP_PAGES:
            return True
        return affected <= most and (len(self._counts) > 1 or reread + pages <= most)

    def order_fails(self) -> bool:
        """Return whether ids come again on so many pages that the order does not hold."""
        affected, most = self._pages_with_repeats()
        return affected > most or (affected > 0 and self._has_moved and len(self._counts) == 1)

    def _pages_with_repeats(self) -> tuple[int, int]:
        """Return how many pages hold repeated ids, and how many a change may account for."""
        used = self.contiguous()
        repeated = _repeated(used) - {None}
        affected = sum(not repeated.isdisjoint(page.ids) for page in used)
        return affected, max(2 * len(self._counts), math.ceil(len(used) / 10))

    def _is_contiguous(self, pages: list[Received]) -> bool:
        """Return whether pages hold all that is expected without a gap or a repeated id."""
        end = 0
        for page in pages:
            if page.first not in {None, end}:
                return False
            end += len(page.ids)
        is_enough = end == self.available or (self.max_items or math.inf) <= end
        return is_enough and not _repeated(pages)

    # -- the records, and what is proven ---------------------------------------------------

    def records(self, *, every: bool) -> Readings:
        """Return the newest reading of each record by its id: its page and position, in order.

        These are of `every` page ever received, or of the contiguous ones. Records without an id
        cannot be told apart: those of the newest version of a page count.
        """
        pages = self.contiguous()
        if every:
            newest_first = self.received[::-1]
            pages = sorted(newest_first, key=lambda page: (not page.number, page.number))
        rank = {id(page): index for index, page in enumerate(self.received)}
        readings: Readings = {}
        for page in pages:
            for position, identifier in enumerate(page.ids):
                if identifier is None:
                    if page is self._latest.get(page.number):
                        readings[page.number, position] = page, position
                    continue
                known = readings.get(identifier)
                order = page.seconds, rank[id(page)]
                if known is None or (known[0].seconds, rank[id(known[0])]) <= order:
                    readings[identifier] = page, position  # its place remains the first one
        return readings

    def repeated(self) -> int:
        """Return the number of records on the contiguous pages whose id came before."""
        ids = [id_ for page in self.contiguous() for id_ in page.ids if id_ is not None]
        return len(ids) - len(set(ids))

    def completeness(self, records: int, without_id: int) -> tuple[str, str | None]:
        """Return ``proven``, ``counted`` or ``incomplete``, and why it is not proven."""
        reason, days = self._doubt(records, without_id), self.days()
        if len(days) < 2:
            return ("incomplete", reason) if reason else ("proven", None)
        if self.available is not None and records == self.expected and not without_id:
            return "counted", (
                f"read from {days[0]} to {days[-1]}, as many different records as the directory "
                "counts; records that were exchanged meanwhile cannot be seen"
            )
        if reason is None:  # as many as were asked for, of an unknown number
            return "proven", None
        return "incomplete", f"{reason}; read from {days[0]} to {days[-1]}"

    def _doubt(self, records: int, without_id: int) -> str | None:
        """Return why so many records are not proven complete; None if they are."""
        if self.available is None:
            if records == self.max_items:
                return None
            return "the directory does not state the number of records (items_available)"
        if without_id:
            return f"{without_id:,} records have no id, so they cannot be distinguished"
        if records != self.expected:
            repeated = self.repeated()
            more = f"; {repeated:,} repeated" if repeated else ""
            return f"{records:,} different records were received of {self.expected:,}{more}"
        counts = {page.available for page in self.contiguous()}
        if len(counts) > 1:
            reported = " and ".join(f"{count:,}" for count in sorted(filter(None, counts)))
            return f"the collection changed while it was read: its pages count {reported} records"
        return "the pages overlap or leave gaps" if self.unfit() else None


def _repeated(pages: list[Received]) -> set[str | None]:
    """Return the ids that come more than once."""
    counts = Counter(chain.from_iterable(page.ids for page in pages))
    return {identifier for identifier, count in counts.items() if count > 1}


def _repeats(page: Received, others: list[Received]) -> bool:
    """Return whether a page only repeats another one of the same day.

    On another day, the same records on a later page show that others were added before them.
    """
    first = page.ids[0]  # nearly always sufficient
    return any(
        first in other.ids and set(page.ids) <= set(other.ids) and page.day == other.day
        for other in others
    )


class Walk(Generic[T]):
    """Read pages of a collection: `fetch` returns one, `receive` turns it into a `Received`."""

    def __init__(
        self,
        pages: Pages,
        fetch: Callable[..., T],
        receive: Callable[[int, T], Received],
        workers: int = 1,
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> None:
        self.pages, self.workers, self._progress = pages, workers, progress
        self.total: int | None = None  # records to tell `progress` of; else those expected
        self._fetch, self._receive = fetch, receive

    def read(self, numbers: Iterable[int], *, refresh: bool = False) -> None:
        """Read pages; `refresh` asks the directory again."""
        for number, page in fetch_ahead(
            lambda number: self._fetch(number, refresh=refresh), numbers, self.workers
        ):
            self.pages.add(self._receive(number, page))
            total = self.pages.expected if self.total is None else self.total
            self._progress(len(self.pages.received[-1].ids), total)

    def read_missing(self, *, refresh: bool = False) -> None:
        """Read the pages that are missing, up to the one that shows that there are no more."""
        pages = self.pages
        while numbers := pages.missing():
            if pages.is_behind_the_last(numbers):
                [number] = numbers
                try:
                    page = self._fetch(number, refresh=refresh)
                except NotFoundError:  # also means that there is no further page
                    pages.ended = True
                    return
                pages.add(self._receive(number, page))
                continue
            begin = len(pages.received)
            is_needed = lambda _, begin=begin: not self._has_ended(begin)
            self.read(takewhile(is_needed, numbers), refresh=refresh)

    def read_all(self) -> None:
        """Read the missing pages, and those again that do not fit together, while that may help."""
        self.read_missing()
        planned = len(self.pages.received)
        for _ in range(MAX_REREADS):
            unfit = self.pages.unfit()
            reread = len(self.pages.received) - planned
            if not unfit or not self.pages.is_worth_rereading(len(unfit), reread):
                return
            self.read(unfit, refresh=True)
            self.read_missing(refresh=True)

    def _has_ended(self, begin: int) -> bool:
        """Return whether the newest page that was read since `begin` is the last one."""
        received = self.pages.received
        return len(received) > begin and self.pages.is_the_end(received[-1].number)


def fetch_ahead(
    fetch: Callable[[Key], T], keys: Iterable[Key], workers: int
) -> Iterator[tuple[Key, T]]:
    """Fetch several things at a time, and yield them in order; `keys` are consumed late."""
    if workers == 1:
        for key in keys:
            yield key, fetch(key)
        return
    ahead: deque[tuple[Key, Future[T]]] = deque()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="dirframe")
    try:
        for key in keys:
            ahead.append((key, pool.submit(fetch, key)))
            if len(ahead) >= 4 * workers:
                first, future = ahead.popleft()
                yield first, future.result()
        for key, future in ahead:
            yield key, future.result()
    finally:
        # Requests in flight still reach the cache; those not sent cost nothing.
        pool.shutdown(wait=True, cancel_futures=True)
