"""Check that the pages of a collection are complete and consistent with each other."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


_EPOCH = date(1970, 1, 1).toordinal()

#: Maximum number of times that inconsistent pages are fetched again.
MAX_REFETCHES = 3

#: More pages than these, or a tenth of all, are not fetched again because they are of earlier days.
FEW_PAGES = 5

#: So many pages are fetched again even if their order seems not to hold: a change may explain it.
CHEAP_PAGES = 12

#: Pages buffered as text before conversion; a measured balance of time and memory.
PAGES_PER_CHUNK = 64

#: All page sizes that are known are multiples; a single page of another length is the last one.
PAGE_SIZE_STEP = 5


@dataclass(frozen=True, slots=True)
class PagePosition:
    """Position and content of one page at the time it was read."""

    number: int
    available: int | None
    first: int | None
    ids: Sequence[str | None]
    reading: int  # index of the read; a page may be read again
    order: tuple[float, int]  # when it was fetched, in seconds since 1970

    @property
    def day(self) -> int:
        """Day on which it was fetched, in UTC, since 1970."""
        return int(self.order[0] // 86_400)


class PageSequence:
    """The latest version of each page, and the checks on them.

    Parameters
    ----------
    max_items
        Maximum number of records; None for all.
    paged
        Whether the collection has more than one page.
    """

    def __init__(self, max_items: int | None = None, *, paged: bool = True) -> None:
        self._max_items = max_items
        self._paged = paged
        self._pages: dict[int, PagePosition] = {}
        self._newest: PagePosition | None = None
        self._counts: set[int | None] = set()  # of all readings
        self._moved = False  # a page came with other ids, although it counts as many
        self._replaced: list[PagePosition] = []
        self.ended = False  # the directory reported that there is no further page

    def add(self, page: PagePosition) -> None:
        """Add a page; it replaces an earlier version."""
        before = self._pages.get(page.number)
        if before is not None:
            self._moved |= before.available == page.available and [*before.ids] != [*page.ids]
            self._replaced.append(before)
        self._pages[page.number] = page
        self._counts.add(page.available)
        if self._newest is None or page.order > self._newest.order:
            self._newest = page

    # -- expected pages --------------------------------------------------------------------

    def days(self) -> list[str]:
        """Return the days on which the pages were fetched, in UTC."""
        days = {page.day for page in self._pages.values()}
        return [str(date.fromordinal(_EPOCH + day)) for day in sorted(days)]

    def available(self) -> int | None:
        """Return the total number of records according to the page fetched last."""
        return self._newest.available if self._newest else None

    def expected_records(self) -> int:
        """Return the number of records expected."""
        available = self.available()
        if available is None:
            return self._max_items or 0
        return available if self._max_items is None else min(available, self._max_items)

    def _run(self) -> list[PagePosition]:
        """Return the pages from the first to one that is missing, empty or a duplicate."""
        run: list[PagePosition] = []
        while (page := self._pages.get(len(run) + 1)) is not None:
            if not page.ids or (run and _repeats(page, run)):
                break
            run.append(page)
        return run

    def missing_pages(self) -> Sequence[int]:
        """Return the numbers of the pages that are not read yet and may hold expected records."""
        run = self._run()
        after = len(run) + 1
        if not run or after in self._pages or self.ended:  # empty, or the end was reached
            return []
        covered = sum(len(page.ids) for page in run)
        if self._max_items is not None and covered >= self._max_items:
            return []
        if self.available() is None:
            return [after]
        size = len(run[0].ids)
        short = self.expected_records() - covered
        if short > 0:
            # A range, because the reported count may be of any size.
            next_page = min((number for number in self._pages if number > after), default=math.inf)
            return range(after, int(min(after + math.ceil(short / size), next_page)))
        full = len(run[-1].ids) == size and (len(run) > 1 or size % PAGE_SIZE_STEP == 0)
        return [after] if short == 0 and full and self._paged else []

    def is_behind_the_last(self, numbers: Sequence[int]) -> bool:
        """Return whether only the page after the last one remains to be requested."""
        run = self._run()
        is_complete = (
            self.available() is not None and sum(len(p.ids) for p in run) >= self.expected_records()
        )
        return bool(run) and is_complete and list(numbers[:2]) == [len(run) + 1]

    def is_the_end(self, number: int) -> bool:
        """Return whether a page shows that it is the last one."""
        page, first = self._pages[number], self._pages[1]
        return not page.ids or _repeats(page, [first, self._pages.get(number - 1, first)])

    # -- proof of completeness -------------------------------------------------------------

    def inconsistent_pages(self) -> list[int]:
        """Return the numbers of pages that do not belong to one state of the collection."""
        available = self.available()
        if available is None or self._newest is None:
            # If other pages report a count, a page without one is at fault.
            silent = [page.number for page in self._pages.values() if page.available is None]
            return sorted(silent) if len(silent) < len(self._pages) else []
        used = self.contiguous_pages()
        # A directory grows from day to day, so that other counts on pages of earlier days are none.
        earlier = [page.number for page in self._pages.values() if page.day < self._newest.day]
        if earlier:
            is_worth_it = len(earlier) <= max(FEW_PAGES, math.ceil(len(self._pages) / 10))
            return sorted(earlier) if is_worth_it and not self._is_contiguous(used) else []
        unfit: set[int] = set()
        end = 0
        for page in used:
            if page.available != available:
                unfit.add(page.number)
            if page.first is not None and page.first != end:
                unfit |= {page.number, page.number - 1} - {0}
            end += len(page.ids)
        if repeated := _repeated(used):
            unfit.update(page.number for page in used if not repeated.isdisjoint(page.ids))
        if end < self.expected_records():
            # The page after these is missing, or repeats the first or the last one. Then these
            # may be the outdated ones.
            unfit |= {used[0].number, used[-1].number, used[-1].number + 1} if used else {1}
        elif end > available:
            unfit.add(used[-1].number)
        return sorted(unfit)

    def _is_contiguous(self, pages: list[PagePosition]) -> bool:
        """Return whether pages hold all that is expected without a gap or a repeated id."""
        end = 0
        for page in pages:
            if page.first not in {None, end}:
                return False
            end += len(page.ids)
        is_enough = end == self.available() or (self._max_items or math.inf) <= end
        return is_enough and not _repeated(pages)

    def contiguous_pages(self) -> list[PagePosition]:
        """Return the pages that the frame is made of."""
        used: list[PagePosition] = []
        end = 0
        for page in self._run():
            if self._max_items is not None and end >= self._max_items:
                break
            used.append(page)
            end += len(page.ids)
        return used

    def order_fails(self) -> bool:
        """Return whether ids come again on so many pages that the order does not hold."""
        affected, most = self._pages_with_repeats()
        return affected > most or (affected > 0 and self._moved and len(self._counts) == 1)

    def is_worth_rereading(self, pages: int, reread: int) -> bool:
        """Return whether to ask again for so many pages after those that were asked for again.

        A change of the collection moves records over the edge of a page or two, and its pages count
        differently. An order that does not hold repeats records everywhere; no reading mends that.
        """
        affected, most = self._pages_with_repeats()
        if not affected or len(self._pages) <= CHEAP_PAGES:
            return True
        return affected <= most and (len(self._counts) > 1 or reread + pages <= most)

    def _pages_with_repeats(self) -> tuple[int, int]:
        """Return how many pages hold repeated ids, and how many a change may account for."""
        used = self.contiguous_pages()
        repeated = _repeated(used) - {None}
        affected = sum(not repeated.isdisjoint(page.ids) for page in used) if repeated else 0
        return affected, max(2 * len(self._counts), math.ceil(len(used) / 10))

    def readings(self) -> list[PagePosition]:
        """Return the pages that the frame is made of.

        In an order that does not hold, these are all that were received: none is out of date.
        """
        used = self.contiguous_pages()
        if not self.order_fails():
            return used
        numbers = {page.number for page in used}
        others = [page for page in self._pages.values() if page.number not in numbers]
        return [*used, *self._replaced, *others]

    def completeness(self, records: int, without_id: int, repeated: int) -> tuple[str, str | None]:
        """Return ``proven``, ``counted`` or ``incomplete``, and why it is not proven."""
        reason, days = self.incomplete_reason(records, without_id, repeated), self.days()
        if len(days) < 2:
            return ("incomplete", reason) if reason else ("proven", None)
        is_counted = self.available() is not None and records == self.expected_records()
        if is_counted and not without_id:
            return "counted", (
                f"read from {days[0]} to {days[-1]}, as many different records as the directory "
                "counts; records that were exchanged meanwhile cannot be seen"
            )
        if reason is None:
            return "proven", None
        return "incomplete", f"{reason}; read from {days[0]} to {days[-1]}"

    def incomplete_reason(self, records: int, without_id: int, repeated: int) -> str | None:
        """Return why the records are not proven complete; None if they are."""
        available = self.available()
        if available is None:
            if records == self._max_items:
                return None
            return "the directory does not state the number of records (items_available)"
        if without_id:
            return f"{without_id:,} records have no id, so they cannot be distinguished"
        expected = self.expected_records()
        if records != expected:
            duplicates = f"; {repeated:,} repeated" if repeated else ""
            return f"{records:,} different records were received of {expected:,}{duplicates}"
        counts = {page.available for page in self.contiguous_pages()}
        if len(counts) > 1:
            reported = " and ".join(f"{count:,}" for count in sorted(filter(None, counts)))
            return f"the collection changed while it was read: its pages count {reported} records"
        return "the pages overlap or leave gaps" if self.inconsistent_pages() else None


def _repeated(pages: list[PagePosition]) -> set[str | None]:
    """Return the ids that come more than once."""
    counts = Counter(chain.from_iterable(page.ids for page in pages))
    return {identifier for identifier, count in counts.items() if count > 1}


def _repeats(page: PagePosition, run: list[PagePosition]) -> bool:
    """Return whether a page only repeats the first or the last one of the same day.

    On another day, the same records on a later page show that others were added before them.
    """
    first = page.ids[0]  # nearly always sufficient
    return any(
        first in other.ids and set(page.ids) <= set(other.ids) and page.day == other.day
        for other in (run[0], run[-1])
    )
