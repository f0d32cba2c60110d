"""Track a collection that changes while it is read over days: which pages to fetch next."""

# A state of the collection is valid while one session sees the same count of records. The known
# records of an earlier state, from the first on without a gap, are remembered in order. In a new
# state, two of its pages show how far that order has shifted at both positions. If both shifts are
# equal, and nothing can have been inserted in between, nothing can have been removed either: the
# records in between are unchanged. Nothing can have been inserted if all records of the new state are
# among the known ones, or if the order only grows at one end, which is assumed of ids and times of
# creation; at the end it is checked by the changes since. Otherwise, the page in the middle is fetched,
# and so on. So a removed record costs as many requests as a bisection of the pages, and not all pages
# after it.

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dirframe.archive.model import Doubt, Reason, sort_keys
from dirframe.client.paging.completeness import PagePosition, PageSequence
from dirframe.client.paging.ids import EMPTY, IdIndex, concatenate, unique

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dirframe.archive.model import PageRecord
    from dirframe.client.paging.ids import Codes, IdCodec


@dataclass(frozen=True, slots=True)
class _RealPage(PagePosition):
    """A page of this state, and the first and the last value of its sort key."""

    low: str | None
    high: str | None


class CollectionTracker:
    """Known state of a collection that is read page by page, in one order.

    Parameters
    ----------
    sort
        The sort order.
    codec
        Encodes the ids.
    probe_budget
        Maximum share of the pages to fetch only to locate changes.
    """

    def __init__(self, sort: str | None, codec: IdCodec, *, probe_budget: float = 0.25) -> None:
        self._sort, self._codec, self._probe_budget = sort, codec, probe_budget
        self._known = IdIndex(EMPTY)  # ids of earlier states, in order
        self._real: dict[int, _RealPage] = {}  # pages of this state
        self._state: tuple[int, int | None] | None = None
        self.available: int | None = None
        self._counts: set[int | None] = set()
        self._sessions: set[int] = set()
        self._size = 0
        self._honoured = True
        self._directions: set[int] = set()
        self._has_texts = self._has_insertions = False
        self.end: int | None = None  # a page after the last one
        self._probes = 0
        self._pages_added = 0

    def seed(self, ids: Codes, counts: Iterable[int | None]) -> None:
        """Set an earlier state, from before this round, and the counts that belong to it."""
        self._known = IdIndex(ids)
        self._counts |= set(counts)

    # -- new pages -------------------------------------------------------------------------

    def add_page(self, page: PageRecord) -> bool:
        """Add a page; return whether it is of the same state as the previous one."""
        state = (page.session, page.available)
        same = self._state in {None, state}
        if not same:
            self.start_session()
        self._state, self.available = state, page.available
        self._counts.add(page.available)
        self._sessions.add(page.session)
        self._pages_added += 1
        ids = self._codec.encode(page.ids)
        self._size = self._size or len(ids)
        order = (page.moment.timestamp(), page.page)
        real = _RealPage(
            page.page, page.available, page.first, ids, page.session, order, page.low, page.high
        )
        self._real[page.page] = real
        self._honoured &= bool(page.ordered)
        self._judge(real)
        before = [self._real[n] for n in (1, page.page - 1) if n in self._real and n < page.page]
        if not ids or any(set(ids) <= set(earlier.ids) for earlier in before):
            self.end = min(page.page, self.end or page.page)
        return same

    def start_session(self) -> None:
        """Remember this state instead of the previous one, unless less of it is known."""
        unmoved, run = self._unmoved(), unique(concatenate(self._run()))
        if unmoved + len(run) + self._size > len(self._known):
            before = IdIndex(self._known.codes[:unmoved])
            if len(before):
                run = concatenate([before.codes, run[before.find(run) < 0]])
            self._known = IdIndex(run)
        elif self._grows:
            self._prune()
        self._real, self._state, self.end = {}, None, None

    def _prune(self) -> None:
        """Remove ids that should be on a page of this state and are not."""
        removed: set[int] = set()
        for number, page in self._real.items():
            first, last = 0 if number == 1 else self._first(number), self._edge(number)
            if first is not None and last is not None:
                removed |= set(self._known.codes[first : last + 1].tolist()) - set(page.ids)
        if removed:
            codes = self._known.codes
            self.seed(codes[~np.isin(codes, list(removed))], [self.available])

    def reset(self) -> None:
        """Discard earlier states."""
        self._known, self._counts = IdIndex(EMPTY), {self.available}

    def _judge(self, page: _RealPage) -> None:
        """Check at which end the collection grows, and whether it is there alone."""
        around = [self._real.get(page.number - 1), page, self._real.get(page.number + 1)]
        texts = [text for other in around if other for text in self._values(other) if text]
        values = sort_keys(texts)
        self._directions |= {(a < b) - (a > b) for a, b in pairwise(values)} - {0}
        self._has_texts |= any(isinstance(value, str) for value in values)
        at = np.flatnonzero(self._known.find(concatenate([page.ids])) >= 0)
        self._has_insertions |= len(at) > 0 and bool(at[-1] - at[0] >= len(at))

    def _values(self, page: _RealPage) -> Sequence[str | None]:
        if self._sort is None:
            return [self._codec.decode(code) for code in page.ids]
        return page.low, page.high

    @property
    def is_stable(self) -> bool:
        """Return whether the pages show an order in which no record ever moves past another."""
        key = (self._sort or "id").removesuffix("_reverse")
        return key in {"id", "created_at"} and self._honoured and len(self._directions) == 1

    @property
    def _grows(self) -> int:
        """Return where new records are inserted: 1 at the end, -1 at the front, 0 anywhere."""
        return next(iter(self._directions)) if self.is_stable else 0

    # -- pages to fetch --------------------------------------------------------------------

    @property
    def pages(self) -> int:
        """Expected number of pages."""
        return math.ceil((self.available or 0) / self._size) if self._size else 0

    def next_pages(self) -> Sequence[int]:
        """Return the numbers of the pages to fetch next, in order; empty if none is needed."""
        if not self._size or self._changes_too_fast():
            return []
        remembered = math.ceil(len(self._known) / self._size)
        if self.available is None:
            return [] if self.end else [max(self._real, default=max(remembered - 1, 0)) + 1]
        last = self.pages if self.end is None else min(self.pages, self.end - 1)
        if not self._real:
            return self._probe(min(max(remembered, 1), last))
        if self._grows < 0 and 1 not in self._real and last:
            return self._probe(1)
        pages = [0, *sorted(n for n in self._real if n <= last)]
        for a, b in pairwise(pages):
            if b - a > 1 and (needed := self._between(a, b)):
                return needed
        return self._after(pages[-1], last)

    def _between(self, a: int, b: int) -> Sequence[int]:
        left, right = self._edge(a), self._first(b)
        if self._is_covered(a, b):
            return []
        if not self._known or (left is not None and left + 1 in {right, len(self._known)}):
            return range(a + 1, b)  # not read in any state
        if left is not None and right is None:  # the expected end of the known ids
            end = a + math.ceil((len(self._known) - 1 - left) / self._size)
            if a < end < b:
                return self._probe(end)
        return self._probe((a + b) // 2)

    def _is_covered(self, a: int, b: int) -> bool:
        """Return whether no record between two pages was removed or inserted."""
        if b == a + 1:
            return True
        left, right = self._edge(a), self._first(b)
        if left is None or right is None:
            return False
        return right - left - 1 == (b - a - 1) * self._size

    def _after(self, a: int, last: int) -> Sequence[int]:
        if a >= last:
            return []
        left = self._edge(a)
        remaining = len(self._known) - 1 - left if left is not None else 0
        if not remaining:
            return range(a + 1, last + 1)
        return self._probe(min(a + math.ceil(remaining / self._size), last))

    def _probe(self, page: int) -> Sequence[int]:
        if page < 1:
            return []
        self._probes += 1
        return [page]

    def _changes_too_fast(self) -> bool:
        """Return whether the collection changes faster than its changes can be located."""
        return (
            self._probes > 100 + self.pages * self._probe_budget
            or self._pages_added > 100 + 4 * self.pages
        )

    def _edge(self, page: int) -> int | None:
        """Return the earlier index of the last record of a page."""
        if page == 0:
            return -1
        ids = self._real[page].ids
        return self._known.position(ids[-1]) if ids else None

    def _first(self, page: int) -> int | None:
        ids = self._real[page].ids
        return self._known.position(ids[0]) if ids else None

    # -- result ----------------------------------------------------------------------------

    def _unmoved(self) -> int:
        """Return the number of records before the first page of this state, if unchanged."""
        first = min(self._real, default=0)
        return (self._first(first) or 0) if first > 1 and self._is_covered(0, first) else 0

    def _run(self) -> Iterator[Codes | Sequence[int]]:
        """Yield the ids after those, as long as they are known without a gap."""
        pages = sorted(self._real)
        if not pages or not self._is_covered(0, pages[0]):
            return
        yield self._real[pages[0]].ids
        for a, b in pairwise(pages):
            if not self._is_covered(a, b):
                return
            if b > a + 1:
                yield self._slice(a, b)
            yield self._real[b].ids

    def _slice(self, a: int, b: int) -> Codes:
        """Return the earlier ids between two pages."""
        left, right = self._edge(a), self._first(b)
        if left is None or right is None:
            return EMPTY
        return self._known.codes[left + 1 : right]

    def positions(self) -> PageSequence:
        """Return the pages of this state in sequence, with remembered ones in the gaps."""
        positions = PageSequence()
        if not self._real:
            return positions
        earlier = (max(page.order[0] for page in self._real.values()) - 1, 0)
        pages = [0, *sorted(self._real)]
        for a, b in pairwise(pages):
            if b == a + 1 or not self._is_covered(a, b):
                continue
            between = self._slice(a, b)
            for number in range(a + 1, b if len(between) else 0):
                begin = (number - a - 1) * self._size
                ids = array("q", between[begin : begin + self._size].tobytes())
                first = (number - 1) * self._size
                positions.add(PagePosition(number, self.available, first, ids, 0, earlier))
        for page in self._real.values():
            positions.add(page)
        return positions

    @property
    def is_remembered(self) -> bool:
        """Return whether some pages of this state are not read, but remembered."""
        return any(not page.reading for page in self.positions().contiguous_pages())

    @property
    def may_grow_anywhere(self) -> bool:
        """Return whether new records were among known ones, or may have been, as in an order of texts."""
        return self._has_insertions or (self.has_changed and self._has_texts)

    @property
    def has_changed(self) -> bool:
        """Return whether the directory counted differently since the earlier state."""
        return len(self._counts) > 1

    @property
    def is_uncertain(self) -> bool:
        """Return whether the collection changed in an order that does not grow at one end."""
        return self.has_changed and not self._grows

    def uncertainty(self) -> Doubt | None:
        """Return why the remembered records are no proof; None if they are."""
        if self.is_uncertain:
            return Doubt(Reason.UNSTABLE_ORDER)
        if self._changes_too_fast():
            a_day = self._pages_added / len(self._sessions)
            if a_day < 5 * math.log2(self.pages + 2):
                return Doubt(Reason.TOO_FEW_REQUESTS, (a_day,))
            return Doubt(Reason.TOO_MANY_CHANGES)
        return None
