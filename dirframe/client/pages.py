"""Walk the pages of a collection and prove that nothing is missing.

A collection is proven complete when its pages lie side by side from the first position to the
last, all say the same ``items_available``, and that many different ids came. While one pages,
records may be added, removed or moved, and a sort without a tie-break may show one record
twice and another never. Then the pages that do not fit are asked for again, a bounded number
of times. What still cannot be proven is said in `Walk.why`.

Where the count is a multiple of the page size, one page more is asked for: only what stands
behind the last page shows that the count was not too small.

What stays out: HTTP (a function that fetches is handed in), dtypes, and what to do about a
set that could not be proven.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dirframe.client.ahead import in_order
from dirframe.client.choice import chosen_paths, only, with_id
from dirframe.client.frames import FrameBuilder
from dirframe.client.reader import Reader
from dirframe.errors import IncompleteWarning, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from dirframe.client.session import Answer
    from dirframe.schema import Resource

__all__ = ["Fetch", "IncompleteWarning", "Walk", "collect"]

#: How often pages that do not fit are asked for again.
REPAIRS = 3

#: Pages whose text is held before it is converted; a measured balance of time and memory.
CHUNK = 64


#: Known lengths of a full page: a lone page of another length is taken for the last one.
USUAL_PAGE_SIZES = (10, 25)


class Fetch(Protocol):
    """Hand over one page; ``refresh`` forbids an answer from the cache."""

    def __call__(self, page: int, *, refresh: bool = False) -> Answer:
        """Return the answer for a page, counted from 1."""


@dataclass(frozen=True, slots=True)
class _Page:
    number: int
    available: int | None
    first: int | None
    ids: tuple[str | None, ...]
    reading: int  # which reading of all these records are of: a page may be read again
    order: tuple[float, int]  # when it was fetched


@dataclass(slots=True)
class Walk:
    """What a walk brought home."""

    frame: pd.DataFrame
    available: int | None
    capped: bool
    why: str | None
    duplicates: int
    answers: list[Answer] = field(repr=False)
    synthetic: bool = False
    stopped: bool = False

    @property
    def complete(self) -> bool:
        """Whether every record that answers the question is in the frame, proven."""
        return self.why is None and not self.capped


def collect(
    fetch: Fetch,
    resource: Resource,
    *,
    max_items: int | None = None,
    workers: int = 1,
    max_bytes: int,
    columns: Sequence[str] | None = None,
    at_hand: Callable[[int], Answer | None] = lambda _: None,
    progress: Callable[[int, int], None] | None = None,
) -> Walk:
    """Fetch a collection, whole or up to a number of records.

    Parameters
    ----------
    fetch
        Hands over a page.
    resource
        What the records are.
    max_items
        Cap on the number of records; None for all.
    workers
        How many pages are fetched at the same time. The order of the records does not
        depend on it.
    max_bytes
        Largest page that is read.
    columns
        Names of the columns to read; None for everything there is.
    at_hand
        Hands over a page that need not be fetched. Asked first, and by this thread: for pages
        on disk, threads only stand in one another's way.
    progress
        Is told after each page how many records it held, and how many should come in all. If
        it raises StopIteration the walk ends there, as the callbacks of SciPy's optimizers do.

    Returns
    -------
    Walk
        The frame, and what is known about its completeness.
    """
    walker = _Walker(
        fetch,
        resource,
        max_items=max_items,
        workers=workers,
        max_bytes=max_bytes,
        columns=with_id(columns),
        at_hand=at_hand,
        progress=progress,
    )
    try:
        walker.read([1])
        while walker.read_on():
            pass
        for _ in range(REPAIRS):
            again = walker.unfit()
            if not again:
                break
            walker.read(again, refresh=True)
            while walker.read_on(refresh=True):
                pass
    except StopIteration:
        walker.stopped = True
    return walker.result()


class _Walker:
    def __init__(
        self,
        fetch: Fetch,
        resource: Resource,
        *,
        max_items: int | None,
        workers: int,
        max_bytes: int,
        columns: Sequence[str] | None,
        at_hand: Callable[[int], Answer | None],
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._fetch = fetch
        self._at_hand = at_hand
        self._max_items = max_items
        self._workers = workers
        self._progress = progress
        self._columns = columns
        chosen = chosen_paths(resource, columns)
        self._reader = Reader(resource, chosen=chosen, max_bytes=max_bytes)
        self._builder = FrameBuilder(resource, columns)
        self._rows: list[tuple[int, int]] = []  # for each reading: its page, its records
        self._pages: dict[int, _Page] = {}
        self._newest: _Page | None = None
        self._ended = False  # the directory said that there is no further page
        self._answers: list[Answer] = []
        self._synthetic = False
        self._held = 0
        self.stopped = False  # by who watches the progress

    # -- reading ---------------------------------------------------------------------------

    def read_on(self, *, refresh: bool = False) -> bool:
        """Read what is unread, up to a page that shows the end; tell whether there was any."""
        begin = len(self._rows)
        numbers = self.unread()
        # A page that turns out to be the end saves those behind it that are not on their way.
        return self.read(numbers, refresh=refresh, ended=lambda: self._end_was_read(begin))

    def read(
        self,
        numbers: Sequence[int],
        *,
        refresh: bool = False,
        ended: Callable[[], bool] = lambda: False,
    ) -> bool:
        """Fetch pages at the same time and read them in order; tell whether there were any."""
        fetch = partial(self._fetch, refresh=refresh)
        at_hand = (lambda _: None) if refresh else self._at_hand
        if self._is_behind_the_last(numbers):
            try:
                self._read_one(numbers[0], at_hand(numbers[0]) or fetch(numbers[0]))
            except NotFoundError:  # which says as well that nothing stands there
                self._ended = True
            return True
        workers = self._workers if len(numbers) > 1 else 1
        needed = takewhile(lambda _: not ended(), numbers)
        for number, answer in in_order(fetch, at_hand, needed, workers):
            self._read_one(number, answer)
            if self._progress is not None:
                self._progress(sum(count for _, count in self._rows[-1:]), self._wanted())
        return bool(numbers)

    def _end_was_read(self, begin: int) -> bool:
        """Tell whether the newest reading since one of them shows that nothing is behind it."""
        if len(self._rows) == begin:
            return False
        number = self._rows[-1][0]
        page, first = self._pages[number], self._pages[1]
        return not page.ids or _repeats(page, [first, self._pages.get(number - 1, first)])

    def _read_one(self, number: int, answer: Answer) -> None:
        envelope = self._reader.read(answer.content, source=answer.url)
        ids = self._reader.latest(("id",))
        self._synthetic |= envelope.synthetic
        reading = len(self._rows)
        page = _Page(
            number=number,
            available=envelope.items_available,
            first=envelope.first_item_position,
            ids=ids,
            reading=reading,
            order=(answer.retrieved.timestamp(), reading),
        )
        self._pages[number] = page
        if self._newest is None or page.order > self._newest.order:
            self._newest = page
        self._rows.append((number, len(ids)))
        self._answers.append(answer)
        self._held += 1
        if self._held == CHUNK:
            self._convert()

    def _convert(self) -> None:
        self._builder.add(self._reader.take())
        self._held = 0

    # -- what is there ---------------------------------------------------------------------

    def _available(self) -> int | None:
        """Return what the page that was fetched last says of the whole collection."""
        return self._newest.available if self._newest else None

    def _wanted(self) -> int:
        """Count the records that should come."""
        available = self._available()
        if available is None:
            return self._max_items or 0
        return available if self._max_items is None else min(available, self._max_items)

    def _run(self) -> list[_Page]:
        """List the pages from the first on, up to one that is missing, empty or a repetition."""
        run: list[_Page] = []
        while (page := self._pages.get(len(run) + 1)) is not None:
            if not page.ids or (run and _repeats(page, run)):
                break
            run.append(page)
        return run

    def unread(self) -> Sequence[int]:
        """Name the pages that were not read yet and may hold wanted records."""
        run = self._run()
        after = len(run) + 1
        if not run or after in self._pages or self._ended:  # nothing there, or the end was seen
            return []
        covered = sum(len(page.ids) for page in run)
        if self._max_items is not None and covered >= self._max_items:
            return []
        if self._available() is None:
            return [after]
        size = len(run[0].ids)
        short = self._wanted() - covered
        if short > 0:
            # A range, because the count can be a lie of any size.
            known = min((number for number in self._pages if number > after), default=math.inf)
            return range(after, int(min(after + math.ceil(short / size), known)))
        full = len(run[-1].ids) == size and (len(run) > 1 or size in USUAL_PAGE_SIZES)
        return [after] if short == 0 and full else []

    def _is_behind_the_last(self, numbers: Sequence[int]) -> bool:
        run = self._run()
        whole = self._available() is not None and sum(len(p.ids) for p in run) >= self._wanted()
        return bool(run) and whole and list(numbers[:2]) == [len(run) + 1]

    # -- the proof -------------------------------------------------------------------------

    def unfit(self) -> list[int]:
        """Name the pages that cannot all belong to one state of the collection."""
        available = self._available()
        if available is None:
            # Where others do count, the silence of some is a fault of theirs.
            silent = [page.number for page in self._pages.values() if page.available is None]
            return sorted(silent) if len(silent) < len(self._pages) else []
        unfit: set[int] = set()
        used = self._used()
        end = 0
        for page in used:
            if page.available != available:
                unfit.add(page.number)
            if page.first is not None and page.first != end:
                unfit |= {page.number, page.number - 1} - {0}
            end += len(page.ids)
        holders: dict[str | None, list[int]] = {}
        for page in used:
            for one in page.ids:
                holders.setdefault(one, []).append(page.number)
        for numbers in holders.values():
            if len(numbers) > 1:
                unfit.update(numbers)
        if end < self._wanted():
            # The page after these is missing, or says again what the first or the last one said:
            # then it may be those that are old.
            unfit |= {used[0].number, used[-1].number, used[-1].number + 1} if used else {1}
        elif end > available:
            unfit.add(used[-1].number)
        return sorted(unfit)

    def _used(self) -> list[_Page]:
        """List the pages that the frame is made of."""
        used: list[_Page] = []
        end = 0
        for page in self._run():
            if self._max_items is not None and end >= self._max_items:
                break
            used.append(page)
            end += len(page.ids)
        return used

    def result(self) -> Walk:
        """Put the pages' newest readings together, in order, each id once."""
        self._convert()
        everything = only(self._builder.finish(), self._columns)
        used = self._used()
        starts = np.cumsum([0, *(count for _, count in self._rows)])
        rows = [np.arange(starts[p.reading], starts[p.reading + 1]) for p in used]
        frame = everything.iloc[np.concatenate(rows) if rows else np.arange(0)]
        repeated = frame["id"].duplicated() & frame["id"].notna()
        frame = frame[~repeated]
        cap = self._max_items
        available = self._available()
        capped = cap is not None and (available is None or available > cap)
        frame = frame.iloc[:cap]
        return Walk(
            frame=frame.reset_index(drop=True),
            available=available,
            capped=capped,
            why=self._halt(frame) or self._doubt(frame, int(repeated.sum())),
            duplicates=int(repeated.sum()),
            answers=self._answers,
            synthetic=self._synthetic,
            stopped=self.stopped,
        )

    def _halt(self, frame: pd.DataFrame) -> str | None:
        if not self.stopped or not (self.unread() or self.unfit()):
            return None
        of = f" of {self._wanted():,}" if self._wanted() else ""
        return f"it was stopped after {len(frame):,}{of} records"

    def _doubt(self, frame: pd.DataFrame, repeated: int) -> str | None:
        available = self._available()
        if available is None:
            if len(frame) == self._max_items:
                return None
            return "the directory does not say how many records there are (items_available)"
        without_id = int(frame["id"].isna().sum())
        if without_id:
            return f"{without_id:,} records came without an id, so they cannot be told apart"
        wanted = self._wanted()
        if len(frame) != wanted:
            again = f"; {repeated:,} came more than once" if repeated else ""
            return f"{len(frame):,} different records came of {wanted:,}{again}"
        counts = {page.available for page in self._used()}
        if len(counts) > 1:
            said = " and ".join(f"{count:,}" for count in sorted(filter(None, counts)))
            return f"the collection changed while it was read: its pages count {said} records"
        return "the pages overlap or leave gaps" if self.unfit() else None


def _repeats(page: _Page, run: list[_Page]) -> bool:
    """Tell whether a page only says again what the first or the last one said."""
    ids = set(page.ids)
    return ids <= set(run[0].ids) or ids <= set(run[-1].ids)
