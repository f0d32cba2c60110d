"""Load a query as one frame with its provenance, proven complete or said not to be."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dirframe import provenance
from dirframe.client.details import (
    ANALYSIS_COLUMNS,
    Refused,
    are_left_out,
    fetch_own_page,
    list_named,
    needed_pages,
    own_page_is_cached,
    signs_of,
)
from dirframe.client.order import (
    KEPT_TODAY,
    find_order,
    has_free_order,
    is_of_today,
)
from dirframe.client.outcome import (
    Incomplete,
    analyses_not_sent,
    check_incomplete,
    check_quota,
    explain_changed,
    explain_lost,
    explain_order,
    explain_stopped,
    raise_or_warn,
    warn_sort_ignored,
)
from dirframe.client.paging import Pages, Readings, Received, Walk, fetch_ahead, ids_of
from dirframe.client.progress import ProgressCallback, progress_of
from dirframe.client.query import Policy, again
from dirframe.client.records import Records
from dirframe.client.sampling import check_sample
from dirframe.client.sorting import is_in_order
from dirframe.errors import warn

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    import pandas as pd

    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage, Session
    from dirframe.client.query import Query
    from dirframe.client.sampling import Sample
    from dirframe.schema import Resource


Key = TypeVar("Key")


def load_query(
    query: Query,
    client: Directory,
    *,
    details: bool = False,
    sample: Sample | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = False,
    first: FetchedPage | None = None,
) -> pd.DataFrame:
    """Load a query as a frame with its provenance; `first` is its first page, if fetched already."""
    check_incomplete(incomplete)
    check_sample(query, sample)
    policy = Policy(refresh=refresh, offline=offline)
    with (
        progress_of(query.resource.collection, progress) as on_page,
        progress_of("own pages", progress) as on_own_page,
    ):
        load = Load(query, client, policy, sample, on_page=on_page, on_own_page=on_own_page)
        load.choose_order(first)
        try:
            load.read(details=details)
        except StopIteration:
            load.is_stopped = True
    return load.finish(query, incomplete, details=details)


class Load:
    """One load: the pages that came, their records, and what is known of them."""

    def __init__(
        self,
        query: Query,
        client: Directory,
        policy: Policy,
        sample: Sample | None = None,
        *,
        on_page: ProgressCallback = lambda *_: None,
        on_own_page: ProgressCallback = lambda *_: None,
    ) -> None:
        self.query, self.client, self.policy, self.sample = query, client, policy, sample
        self.session = client.session  # a directory that is closed ends its loads
        self.pages = Pages(query.max_items, paged=query.resource.paged)
        self.records = Records(query.resource)
        self.fetched: list[FetchedPage] = []  # without their content
        self.own: dict[Hashable, int] = {}  # row of each record that was read from its own page
        self.refused: dict[str, Refused] = {}
        self.own_pages_left: int | None = None  # not known before the collection was read
        self.is_stopped = False
        self._signs: dict[int, str] = {}  # of the records of a page, by the row of the first one
        self._firsts: dict[str | None, FetchedPage] = {}  # first pages by order
        self._on_own_page, self._is_quota_checked = on_own_page, False
        self._what = f"{query.resource.collection} of {client.name}"
        self.walk = Walk(
            self.pages,
            self._fetch,
            self._receive,
            workers=client.workers,
            progress=on_page,
        )

    # -- reading ---------------------------------------------------------------------------

    def choose_order(self, first: FetchedPage | None) -> None:
        """Choose an order that holds, for a sample or where today's live service has one alone."""
        query = self.query
        if first is not None:
            self._firsts[query.sort] = first
        if self.sample is not None:
            self.query, first = find_order(query, self._first)
            if first is not None:  # it came in the order that was tried last
                self._firsts.popitem()
                self._firsts[self.query.sort] = first
        elif has_free_order(query):
            self.query = in_order_of_today(query, self.session, self._first(query))

    def _first(self, query: Query) -> FetchedPage:
        if query.sort not in self._firsts:
            self._firsts[query.sort] = get_page(self.session, query, 1, self.policy)
        return self._firsts[query.sort]

    def _fetch(self, number: int, *, refresh: bool) -> FetchedPage:
        if number == 1 and not refresh and self.query.sort in self._firsts:
            return self._firsts.pop(self.query.sort)
        policy = again(self.policy) if refresh else self.policy
        return get_page(self.session, self.query, number, policy)

    def _receive(self, number: int, fetched: FetchedPage) -> Received:
        page, resource = fetched.page, self.query.resource
        row = self._add(fetched)
        self._signs[row] = signs_of(page, resource)
        return Received(
            number,
            page.items_available,
            page.first_item_position,
            ids_of(page, resource),
            fetched.retrieved.timestamp(),
            row,
        )

    def _add(self, fetched: FetchedPage) -> int:
        row = self.records.rows
        self.records.add(fetched.page)
        # The content is no longer needed and takes memory.
        self.fetched.append(replace(fetched, content=b"", page=replace(fetched.page, records=())))
        return row

    def read(self, *, details: bool = False) -> None:
        """Read the pages of the collection, then the own pages of its records."""
        walk, pages = self.walk, self.pages
        walk.read([1])
        numbers = pages.missing()
        if self.sample is not None:
            numbers = self.sample.missing(pages)
            walk.total = len(pages.received[0].ids) * (1 + len(numbers))
        self._check_quota(
            numbers,
            lambda number: is_cached(self.session, self.query, number),
            more=self._estimated_own_pages() if details else 0,
        )
        if self.sample is not None:
            walk.read(numbers)
        else:
            walk.read_missing()
            walk.read_again()
        if details:
            self._read_own_pages()

    def _read_own_pages(self) -> None:
        """Read the own pages of the records that need one."""
        resource, session = self.query.resource, self.session
        needed = needed_pages(self._signs_by_id())
        fetch = partial(fetch_own_page, session, resource, policy=self.policy)
        self.own_pages_left = len(needed)
        self._check_quota(needed, lambda id_: own_page_is_cached(session, resource, id_))
        for identifier, page in fetch_ahead(fetch, needed, self.walk.workers):
            if isinstance(page, Refused):
                self.refused[identifier] = page
            elif ids_of(page.page, resource) == (identifier,):
                self.own[identifier] = self._add(page)
            else:
                names = ", ".join(map(str, ids_of(page.page, resource)[:3])) or "nothing"
                self.refused[identifier] = Refused(f"returned {names}", page.attempts)
            self.own_pages_left -= 1
            self._on_own_page(1, len(needed))

    def _estimated_own_pages(self) -> int:
        """Return how many own pages are needed, judged by the first page."""
        first = self.pages.received[0]
        needed = needed_pages(dict(enumerate(self._signs[first.source])))
        records = min(self.pages.expected, self.sample.size if self.sample else math.inf)
        return round(records * len(needed) / max(len(first.ids), 1))

    def _check_quota(
        self, keys: Sequence[Key], is_cached: Callable[[Key], bool], *, more: int = 0
    ) -> None:
        if not self._is_quota_checked:
            self._is_quota_checked = check_quota(
                self.client, self.policy, self._what, keys, is_cached, more=more
            )

    # -- what came -------------------------------------------------------------------------

    def _records(self) -> Readings:
        """Return the page and the position of each record, in order, by its id."""
        pages = self.pages
        if self.sample is not None:
            return self.sample.records(pages)
        if not self.query.resource.key:  # equal records may be different ones
            places = ((page, n) for page in pages.contiguous() for n in range(len(page.ids)))
            found: Readings = {(page.number, n): (page, n) for page, n in places}
        else:
            found = pages.records(every=pages.order_fails())
        return dict(islice(found.items(), pages.max_items))

    def _signs_by_id(self) -> dict[str, str]:
        return {
            key: self._signs[page.source][place]
            for key, (page, place) in self._records().items()
            if isinstance(key, str) and self._signs[page.source]
        }

    def finish(self, asked: Query, incomplete: Incomplete, *, details: bool) -> pd.DataFrame:
        """Return the frame with its provenance; warn or raise if records are missing."""
        query, pages = self.query, self.pages
        if self.fetched:
            self.session.warn_if_stale(self.fetched)
        records = self._records()
        frame = frame_of_rows(
            self.records,
            [self.own.get(key, page.source + place) for key, (page, place) in records.items()],
        )
        facts = query.to_provenance() | ({"details": True} if details else {})
        if is_in_order(frame, str(facts.get("sort", ""))) is False:
            sort = facts.pop("sort")
            if asked.sort or sort != query.sort:
                warn_sort_ignored(sort, self._what)
        signs = self._signs_by_id()
        not_sent = ANALYSIS_COLUMNS if not details and are_left_out(signs.values()) else ()
        lost = {id_: refused.why for id_, refused in self.refused.items() if refused.why}
        kind, reason, is_missing = self._completeness(records, lost, details=details)
        refusals = sum(refused.requests for refused in self.refused.values())
        attach_load_provenance(
            frame,
            self.client,
            query.resource,
            self.fetched,
            more_requests=refusals + sum(page.attempts for page in self._firsts.values()),
            query=facts,
            items_available=pages.available,
            completeness=kind,
            incomplete_reason=reason,
            duplicates_removed=pages.repeated() if query.resource.key and not self.sample else 0,
            synthetic=any(page.page.synthetic for page in self.fetched),
            not_sent=not_sent,
            details=len(self.own),
            details_missing=tuple(lost),
            sample=self.sample.design(pages, query.sort) if self.sample else {},
        )
        if not_sent:
            warn(analyses_not_sent(len(frame), len(needed_pages(signs))))
        if is_missing:
            self._tell_missing(frame, str(reason), lost, incomplete, details=details)
        return frame

    def _completeness(
        self, records: Mapping[Hashable, object], lost: Mapping[str, str], *, details: bool
    ) -> tuple[str, str | None, bool]:
        """Return how complete the records are, why they are not proven, and whether any is missing."""
        pages, count = self.pages, len(records)
        without_id = (
            sum(not isinstance(key, str) for key in records) if self.query.resource.key else 0
        )
        if self.sample is not None:
            kind, reason = self.sample.completeness(pages)
        else:
            kind, reason = pages.completeness(count, without_id)
        missing = self._stop_reason(count, details=details)
        if missing is None and kind != "incomplete" and lost:
            missing = f"the own pages of {len(lost):,} records did not come: {list_named(lost)}"
        if missing is not None:
            kind, reason = "incomplete", missing
        is_missing = kind == "incomplete"
        most, available = pages.max_items, pages.available
        if most is not None and (available is None or available > most):
            kind, reason = "incomplete", reason if is_missing else f"capped at max_items={most}"
        return kind, reason, is_missing

    def _stop_reason(self, records: int, *, details: bool) -> str | None:
        """Return where a callback stopped the load; None if it did not or all was read."""
        if not self.is_stopped:
            return None
        left = self.own_pages_left
        if left is None and details:
            left = len(needed_pages(self._signs_by_id()))
        if left:
            return f"it was stopped with {left:,} own pages left to ask for"
        if not (self.pages.missing() or self.pages.unfit()):
            return None
        of = f" of {self.pages.expected:,}" if self.pages.expected else ""
        return f"it was stopped after {records:,}{of} records"

    def _tell_missing(
        self,
        frame: pd.DataFrame,
        why: str,
        lost: Mapping[str, str],
        incomplete: Incomplete,
        *,
        details: bool,
    ) -> None:
        """Raise or warn that records are not proven complete."""
        query, pages, what = self.query, self.pages, self._what
        expected = self.sample.size if self.sample else pages.expected
        is_short = 0 < len(frame) < pages.expected and self.sample is None
        if self._stop_reason(len(frame), details=details):
            facts = explain_stopped(what, why)
        elif lost:
            facts = explain_lost(what, why)
        elif query.resource.key and is_short and pages.order_fails():
            facts = explain_order(what, why, query)
        else:
            facts = explain_changed(what, why)
        raise_or_warn(
            incomplete,
            frame,
            why=why,
            received=len(frame),
            expected=expected or None,
            details_missing=tuple(lost),
            **facts,
        )


def frame_of_rows(records: Records, rows: Sequence[int]) -> pd.DataFrame:
    """Return some rows of all records, in their order."""
    return records.frame().iloc[np.array(rows, dtype=np.int64)].reset_index(drop=True)


# -- what is asked of the directory ------------------------------------------------------------


def get_page(session: Session, query: Query, number: int, policy: Policy) -> FetchedPage:
    """Return a page of a query."""
    return session.get(query.path, query.params(number), **policy)


def is_cached(session: Session, query: Query, number: int) -> bool:
    """Return whether a page of a query is fresh in the cache."""
    return session.is_cached(query.path, query.params(number))


def in_order_of_today(query: Query, session: Session, first: FetchedPage) -> Query:
    """Return the query in the order that today's live service keeps, if `first` is of it."""
    signs = signs_of(first.page, query.resource)
    is_moved = session.is_moved(query.path)
    if is_of_today(signs, first.page.items_available, is_moved=is_moved):
        return replace(query, sort=KEPT_TODAY)
    return query


def attach_load_provenance(
    frame: pd.DataFrame,
    client: Directory,
    resource: Resource,
    pages: Sequence[FetchedPage],
    *,
    more_requests: int = 0,
    **facts: Any,
) -> pd.DataFrame:
    """Record the source, time and cost of a frame in its attributes; return the same frame."""
    times = [page.retrieved.isoformat(timespec="seconds") for page in pages]
    return provenance.set_provenance(
        frame,
        source=client.name,
        base_url=client.base_url,
        resource=resource.name,
        items_loaded=len(frame),
        retrieved_oldest=min(times, default=None),
        retrieved_newest=max(times, default=None),
        requests_made=sum(page.attempts for page in pages) + more_requests,
        requests_cached=sum(page.from_cache for page in pages),
        **facts,
    )
