"""Fetch the pages of a collection and prove that no record is missing."""

# A collection is proven complete if its pages are contiguous from the first position to the last,
# all report the same ``items_available``, and the number of different ids equals it. Records may be
# added, removed or moved during pagination, and a sort without a tie-break may return one record
# twice and another never. Inconsistent pages are fetched again, a bounded number of times. What
# still cannot be proven is in `CollectionResult.unproven_reason`.
#
# Pages of several days, from the cache and new ones, prove nothing: they are counted.
#
# If the count is a multiple of the page size, one more page is requested: only an empty page after
# the last one shows that the count was not too small.
#
# Records without their analysis can be replaced by those of their own pages. Each keeps its
# position; a record whose own page cannot be fetched remains unchanged.

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd

from dirframe.client.details import ANALYSIS_COLUMNS, Refused, Sent, sent_columns
from dirframe.client.paging.completeness import (
    MAX_REFETCHES,
    PagePosition,
    PageSequence,
)
from dirframe.client.paging.prefetch import fetch_ahead
from dirframe.client.records import Records
from dirframe.errors import NotFoundError
from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from dirframe.client.details import Details
    from dirframe.client.http.session import FetchedPage
    from dirframe.schema import Resource


#: Maximum number of missing records in a message; the provenance lists all of them.
_NAMED = 20

#: Seconds. A page that is waited for no longer costs more with threads: they share one interpreter.
_SHORT_WAIT = 0.003


class Stopped(Exception):  # noqa: N818  # no error
    """A callback raised StopIteration, which no generator may let through."""


def report_progress(callback: Callable[[int, int], None] | None, count: int, total: int) -> None:
    """Call a callback; raise `Stopped` if it asks to stop."""
    if callback is not None:
        try:
            callback(count, total)
        except StopIteration as stop:
            raise Stopped from stop


class Fetch(Protocol):
    """Fetch one page; ``refresh`` bypasses the cache."""

    def __call__(self, page: int, *, refresh: bool = False) -> FetchedPage:
        """Return a page; page numbers start at 1."""


@dataclass(slots=True)
class CollectionResult:
    """Result of a paginated fetch."""

    frame: pd.DataFrame
    available: int | None
    capped: bool
    completeness: str  # proven, counted or incomplete
    unproven_reason: str | None
    received: int
    expected: int
    order_fails: bool
    duplicates: int
    fetched: list[FetchedPage] = field(repr=False)
    synthetic: bool
    stopped: bool
    details: int
    refused: dict[str, Refused]
    not_sent: tuple[str, ...]
    needed: int  # number of own pages that would complete `not_sent`

    @property
    def lost(self) -> tuple[str, ...]:
        """The ids of records whose own page could not be fetched."""
        return tuple(identifier for identifier, why in self.refused.items() if why.is_loss)

    @property
    def incomplete_reason(self) -> str | None:
        """Why records may be missing that were asked for; None if none is."""
        return self.unproven_reason if self.completeness == "incomplete" else None


def _order(page: PagePosition) -> tuple[float, int]:
    return page.order


class Paginator(PageSequence):
    """Fetch a collection, all of it or a limited number of records.

    Parameters
    ----------
    fetch
        Fetches a page.
    resource
        Resource of the records.
    max_items
        Maximum number of records; None for all.
    workers
        Number of pages fetched concurrently. The order of the records does not depend on it.
    get_cached
        Returns a page that need not be fetched, or None. Called first, and in this thread:
        threads do not speed up reading pages from disk.
    progress
        Called after each page with its number of records and the number expected in total. If
        it raises StopIteration, the fetch ends, as with the callbacks of SciPy's optimizers.
    details
        Fetches the own pages of records without their analysis; None leaves these records
        unchanged.
    on_details
        Called after each own page, as `progress` is.
    """

    def __init__(
        self,
        fetch: Fetch,
        resource: Resource,
        *,
        max_items: int | None = None,
        workers: int = 1,
        get_cached: Callable[[int], FetchedPage | None] = lambda _: None,
        progress: Callable[[int, int], None] | None = None,
        details: Details | None = None,
        on_details: Callable[[int, int], None] | None = None,
    ) -> None:
        super().__init__(max_items, paged=resource.paged)
        self._fetch, self._get_cached, self._workers = fetch, get_cached, workers
        self._progress, self._on_details = progress, on_details
        self._key, self._resource = resource.key, resource
        self._wants_analysis = resource is PROJECT
        self._details = details if self._wants_analysis else None
        self._records = Records(resource)
        self._rows: list[tuple[int, int]] = []  # page number and record count of each read
        self._fetched: list[FetchedPage] = []
        self._synthetic = False
        self._is_slow = True  # until a page came faster
        self._own: dict[str, int] = {}  # row of each record read from its own page
        self._refused: dict[str, Refused] = {}
        self._details_left: int | None = None
        self._stopped = False  # by a callback

    def run(self) -> CollectionResult:
        """Return the records, and what is known about their completeness."""
        try:
            numbers, planned = [1], 0
            for attempt in range(MAX_REFETCHES + 1):
                for _ in self._read_pages(numbers, refresh=attempt > 0):
                    pass
                planned = planned or len(self._rows)
                numbers = self.inconsistent_pages()
                if not numbers or not self.is_worth_rereading(
                    len(numbers), len(self._rows) - planned
                ):
                    break
            if self._details is not None:
                self._read_details(self._details)
        except Stopped:
            self._stopped = True
        return self._result()

    # -- reading ---------------------------------------------------------------------------

    def _read_pages(self, numbers: Sequence[int], *, refresh: bool = False) -> Iterator[int]:
        """Read pages, then those that are missing up to the last one; yield the number of each."""
        ended: Callable[[], bool] = lambda: False
        while numbers:
            yield from self._fetch_pages(numbers, refresh=refresh, ended=ended)
            # Once the last page is known, pages after it that are not in flight are not requested.
            ended = partial(self._end_was_read, len(self._rows))
            numbers = self.missing_pages()

    def _fetch_pages(
        self, numbers: Sequence[int], *, ended: Callable[[], bool], refresh: bool
    ) -> Iterator[int]:
        """Fetch pages concurrently and read them in order; yield the number of each."""
        fetch = partial(self._fetch_timed, refresh=refresh)
        get_cached = (lambda _: None) if refresh else self._get_cached
        if self.is_behind_the_last(numbers):
            (number,) = numbers
            try:
                self._read_one(number, get_cached(number) or fetch(number))
            except NotFoundError:  # also means that there is no further page
                self.ended = True
                return
            yield number
            return
        workers = self._workers if len(numbers) > 1 else 1
        needed = takewhile(lambda _: not ended(), numbers)
        for number, fetched in fetch_ahead(
            fetch, get_cached, needed, workers, is_slow=lambda: self._is_slow
        ):
            self._read_one(number, fetched)
            yield number
            report_progress(self._progress, self._rows[-1][1], self.expected_records())

    def _fetch_timed(self, number: int, *, refresh: bool) -> FetchedPage:
        """Fetch a page and note whether it had to be waited for."""
        began = perf_counter() - thread_time()
        fetched = self._fetch(number, refresh=refresh)
        self._is_slow = perf_counter() - thread_time() - began > _SHORT_WAIT
        return fetched

    def _end_was_read(self, begin: int) -> bool:
        """Return whether the latest page read since `begin` is the last one."""
        return len(self._rows) > begin and self.is_the_end(self._rows[-1][0])

    def _read_one(self, number: int, fetched: FetchedPage) -> None:
        content = fetched.page
        self._records.add(content)
        ids = content.values(self._key) if self._key else content.digests()
        self._synthetic |= content.synthetic
        reading = len(self._rows)
        page = PagePosition(
            number=number,
            available=content.items_available,
            first=content.first_item_position,
            ids=ids,
            reading=reading,
            order=(fetched.retrieved.timestamp(), reading),
        )
        self.add(page)
        self._was_read(number, len(ids), fetched)

    def _was_read(self, number: int, count: int, fetched: FetchedPage) -> None:
        self._rows.append((number, count))
        # The content is no longer needed and takes memory.
        self._fetched.append(replace(fetched, content=b"", page=replace(fetched.page, records=())))

    def _read_details(self, details: Details) -> None:
        """Read the own pages of the records that need one."""
        rows, ids, _ = self._chosen()
        needed = ids[self._sent(rows).needed() & ids.notna().to_numpy()]
        self._details_left = len(needed)
        for identifier, response in fetch_ahead(
            details.fetch, details.get_cached, needed, self._workers
        ):
            if isinstance(response, Refused):
                self._refused[identifier] = response
            elif self._read_alone(identifier, response):
                self._own[identifier] = sum(count for _, count in self._rows[:-1])
            self._details_left -= 1
            report_progress(self._on_details, 1, len(needed))

    def _read_alone(self, identifier: str, fetched: FetchedPage) -> bool:
        """Read the own page of a record; return whether it holds this record alone."""
        self._records.add(fetched.page)
        ids = fetched.page.values("id")
        self._synthetic |= fetched.page.synthetic
        if ids != (identifier,):
            names = ", ".join(str(value) for value in ids[:3]) or "nothing"
            self._refused[identifier] = Refused(f"returned {names}", requests=0)
        self._was_read(0, len(ids), fetched)
        return ids == (identifier,)

    # -- result ----------------------------------------------------------------------------

    def _chosen(self) -> tuple[NDArray[np.int64], pd.Series[str], int]:
        """Return rows and ids of the latest records, each id once, and the number of duplicates."""
        starts = np.cumsum([0, *(count for _, count in self._rows)])
        used = self.contiguous_pages()
        first = sum(len(page.ids) for page in used)
        used = self.readings() if self._key else used
        parts = [np.arange(starts[p.reading], starts[p.reading + 1]) for p in used]
        rows = np.concatenate(parts) if parts else np.arange(0)
        ids = pd.Series([identifier for page in used for identifier in page.ids], dtype="str")
        repeated = (ids.duplicated() & ids.notna()).to_numpy()
        if repeated.any():  # each keeps its first place, and has its newest reading
            ranks = {page.order: rank for rank, page in enumerate(sorted(used, key=_order))}
            rank = np.repeat([ranks[page.order] for page in used], [len(page.ids) for page in used])
            order = np.argsort(rank, kind="stable")
            newest = pd.Series(rows[order], index=ids.iloc[order])
            newest = newest[~newest.index.duplicated(keep="last")]
            rows = np.where(ids.notna(), newest.reindex(ids).to_numpy(), rows)
        # Without a key, equal records may be different ones.
        selected = (np.flatnonzero(~repeated) if self._key else np.arange(len(ids)))[
            : self._max_items
        ]
        return (
            rows[selected],
            ids.iloc[selected].reset_index(drop=True),
            int(repeated[:first].sum()),
        )

    def _sent(self, rows: NDArray[np.int64]) -> Sent:
        """Return which of the given rows came with an analysis."""
        sent = sent_columns(self._records)
        return Sent(sent.held[rows], sent.named[rows])

    def _result(self) -> CollectionResult:
        """Combine the latest version of each page, in order, each id once."""
        rows, ids, repeated = self._chosen()
        sent = self._sent(rows)
        combined = self._records.frame()
        if self._own:
            pairs = zip(ids, rows, strict=True)
            rows = np.array(
                [self._own.get(identifier, row) for identifier, row in pairs], dtype=np.int64
            )
        frame = combined.iloc[rows].reset_index(drop=True)
        needed = int(sent.needed().sum())
        if self._details is not None and self._details_left is None:  # stopped before the first one
            self._details_left = needed
        return self._make_result(
            frame,
            records=len(frame),
            without_id=int(ids.isna().sum()),
            repeated=repeated,
            details=len(self._own),
            are_unsent=sent.left_out,
            needed=needed,
        )

    def _make_result(
        self,
        frame: pd.DataFrame,
        *,
        records: int,
        without_id: int,
        repeated: int,
        details: int,
        are_unsent: bool,
        needed: int,
    ) -> CollectionResult:
        max_items, available = self._max_items, self.available()
        are_unsent = are_unsent and self._wants_analysis and self._details is None
        kind, reason = self.completeness(records, without_id, repeated)
        missing = self._stop_reason(records)
        if missing is None and kind != "incomplete":
            missing = self._refusal_reason()
        if missing is not None:
            kind, reason = "incomplete", missing
        expected = self.expected_records()
        is_short = kind == "incomplete" and missing is None and 0 < records < expected
        return CollectionResult(
            frame=frame,
            available=available,
            capped=max_items is not None and (available is None or available > max_items),
            completeness=kind,
            unproven_reason=reason,
            received=records,
            expected=expected,
            order_fails=bool(self._key) and is_short and self.order_fails(),
            duplicates=repeated if self._key else 0,
            fetched=self._fetched,
            synthetic=self._synthetic,
            stopped=self._stopped,
            details=details,
            refused=self._refused,
            not_sent=ANALYSIS_COLUMNS if are_unsent else (),
            needed=needed,
        )

    def _refusal_reason(self) -> str | None:
        """Return which records lack their own page; None if none does."""
        missing = [
            f"{identifier} ({why.why})" for identifier, why in self._refused.items() if why.is_loss
        ]
        if not missing:
            return None
        more = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
        return (
            f"the own pages of {len(missing):,} records did not come: "
            f"{', '.join(missing[:_NAMED])}{more}"
        )

    def _stop_reason(self, records: int) -> str | None:
        """Return where a callback stopped the fetch; None if it did not or all was read."""
        if not self._stopped:
            return None
        if self._details_left:
            return f"it was stopped with {self._details_left:,} own pages left to ask for"
        if not (self.missing_pages() or self.inconsistent_pages()):
            return None
        of = f" of {self.expected_records():,}" if self.expected_records() else ""
        return f"it was stopped after {records:,}{of} records"
