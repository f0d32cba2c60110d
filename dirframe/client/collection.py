"""Load a query as one frame with its provenance, proven complete or said not to be."""

from __future__ import annotations

import math
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice, takewhile
from typing import Any, TypeVar

import pandas as pd

from dirframe import provenance
from dirframe._display import counted
from dirframe.client.directory import Directory
from dirframe.client.http.session import FetchedPage, Session
from dirframe.client.paging import MOST_PAGES, Pages, ReceivedPage, needed_pages, why_failed
from dirframe.client.query import (
    KEPT_TODAY,
    Options,
    ProgressCallback,
    Query,
    better_sort,
    is_in_order,
    is_last,
    recognised,
    record_query,
)
from dirframe.client.records import Records
from dirframe.errors import (
    AnalysesNotSentWarning,
    CacheError,
    IncompleteCollectionError,
    IncompleteWarning,
    NetworkError,
    NotFoundError,
    QuotaExceededError,
    QuotaWarning,
    RequestError,
    ServiceError,
    SortIgnoredWarning,
    warn,
)
from dirframe.schema import PROJECT, UNKNOWN

Key = TypeVar("Key")
T = TypeVar("T", ReceivedPage, Pages)

#: Maximum number of times that inconsistent pages are requested again.
MAX_REREADS = 3
#: So many records in a row that fail show that the directory itself is broken.
MAX_FAILURES = 3


def load_query(query: Query, client: Directory, options: Options) -> pd.DataFrame:
    """Load a query as a frame with its provenance."""
    pages = Pages(query)
    records = Records(None if query.resource is UNKNOWN else query.resource)
    with (
        progress_of(query.resource.collection, options.progress) as on_page,
        progress_of("own pages", options.progress) as on_own_page,
    ):

        def receive(page: ReceivedPage, total: int) -> None:
            if page.source is not None:
                page.source = records.add(page.source.page)
            if page.number is None:
                if page is pages.own.get(page.record):  # not the error that ends the load
                    on_own_page(1, total)
            elif page.number and page.ids:
                on_page(len(page.ids), total)

        with suppress(StopIteration):  # of a callback
            _read(Walk(pages, client, options, receive=receive), client, options)
    frame = records.frame([page.source + place for page, place in pages.places(whole=True)])
    client.session.warn_if_stale(pages.received)
    what = f"{pages.query.resource.words[1]} of {client.name}"
    facts = describe_whole(frame, pages, what, source=client.name, base_url=client.base_url)
    if facts["completeness"] == "incomplete":
        _raise_missing(frame, pages, what, facts["incomplete_reason"], options)
    elif pages.is_capped():
        reason = f"capped at max_items={query.max_items}"
        provenance.set_provenance(frame, completeness="incomplete", incomplete_reason=reason)
    return frame


def _read(walk: Walk, client: Directory, options: Options) -> None:
    """Read all pages of a walk, if the quota may suffice; or what is there, if that is accepted."""
    walk.begin()
    pages, query, session = walk.pages, walk.pages.query, client.session
    what = f"{query.resource.words[1]} of {client.name}"
    is_known = partial(query.is_known, session)

    def own_is_known(identifier: str) -> bool:
        return record_query(query.resource, identifier).is_known(session)

    check_quota(client, options, what, pages.missing(), is_known, more=pages.estimated_own())
    try:
        walk.read_all()
        check_quota(client, options, what, pages.own_missing(), own_is_known)
        walk.read_own_pages()
    except (CacheError, RequestError) as error:
        if options.incomplete == "raise" or not may_come_later(error):
            raise
        if not options.refresh:
            walk.read_own_pages(where=own_is_known)


def describe(frame: pd.DataFrame, pages: Pages, **facts: Any) -> dict[str, Any]:
    """Record in a frame of some records what their pages say, and return it."""
    facts |= pages.provenance() | {"query": pages.query.to_provenance()}
    if is_in_order(frame, pages.query.sort or "") is False:
        del facts["query"]["sort"]  # what was not seen is not claimed
    provenance.set_provenance(frame, **facts)
    return facts


def describe_whole(frame: pd.DataFrame, pages: Pages, what: str, **facts: Any) -> dict[str, Any]:
    """As `describe`, of all records, which are `what`; warn of what the directory did not do."""
    facts = describe(frame, pages, **facts)
    if len(frame) < facts["items_loaded"]:
        facts["items_loaded"] = len(frame)
        facts["incomplete_reason"] += "; records without their own page are left out"
        provenance.set_provenance(frame, **facts)
    sort, sample, ignored = pages.query.sort, facts["sample"], ""
    is_drawn = sample and pages.query.resource is PROJECT
    if sort and pages.is_sort_asked and "sort" not in facts["query"]:
        ignored = f"are not sorted by {sort}, which the directory ignored"
    elif is_drawn and sort is None and sample["population"] > len(pages.latest[1].ids):
        ignored = (
            "were drawn in the directory's own order, for it keeps neither ids nor names: if that "
            "changes from page to page, the sample is not random"
        )
    if ignored:
        hint = "Choose a sort (--sort) that this directory keeps, or sort the frame."
        warn(SortIgnoredWarning(f"The {what} {ignored}.", sort=sort or "id", hint=hint))
    if facts["not_sent"]:
        needed = len(needed_pages(pages.signs()))
        text = (
            f"{needed:,} of {len(frame):,} projects have an analysis, whose columns are empty: this "
            "directory sends an analysis only with the own page of its project."
        )
        price = f"at most {counted(needed, 'request')}"
        hint = f"details=True (--details) requests these pages, for {price}."
        warn(AnalysesNotSentWarning(text, requests=needed, hint=hint))
    return facts


def _raise_missing(
    frame: pd.DataFrame, pages: Pages, what: str, why: str, options: Options
) -> None:
    """Raise or warn that records are not proven complete."""
    is_unordered = pages.lacks_order()
    advice = (
        "Run the same line again, or choose another sort (--sort): what is in the cache costs "
        "nothing, and refresh=True (--refresh) asks for all of it, also for what was refused"
    )
    raise_or_warn(
        options,
        frame,
        f"The {what} are not proven complete: {why}.",
        why,
        advice="To ask again in this order does not help" if is_unordered else advice,
        details_missing=tuple(pages.lost()),
        received=len(frame),
        expected=pages.expected,
        order_fails=is_unordered,
        better_sort=better_sort(pages.query) if is_unordered else None,
    )


class Walk:
    """Reads the pages of a query, and the own pages of its records.

    `store` is called with each page in the thread that received it, and `receive` in the order of the
    pages, with the number of records or of own pages to come.
    """

    def __init__(
        self,
        pages: Pages,
        client: Directory,
        options: Options,
        *,
        store: Callable[[ReceivedPage], None] = lambda _: None,
        receive: Callable[[ReceivedPage, int], None] = lambda *_: None,
        workers: int | None = None,
    ) -> None:
        self.pages, self._options, self._workers = pages, options, workers or client.workers
        self._session = client.session  # a directory that is closed ends its walks
        self._store, self._receive = store, receive

    def begin(self) -> None:
        """Receive the first page, in an order that holds."""
        query, first, sort = self.choose_order()
        if sort != query.sort:
            self._keep(first, 0, sort)
            first = query.get(self._session, self._options)
        self.receive_first(query, first)

    def receive_first(self, query: Query, first: FetchedPage) -> None:
        """Receive the first page of a query."""
        self.pages.query = recognised(query, first.page)
        self._keep(first, 1, query.sort)

    def choose_order(self) -> tuple[Query, FetchedPage, str | None]:
        """Return the query in an order that the directory keeps, a first page, and the sort of that.

        Without a sort of its own, a sample, or an archive, is read by ids, or by names of
        projects, as the first page shows; all projects of today's live service by names.
        """
        pages, query = self.pages, self.pages.query
        if query.sort is None and (query.sample or pages.counts_all):
            for sort in ["id", KEPT_TODAY] if query.resource is PROJECT else ["id"]:
                tried = fetch_page(self._session, replace(query, sort=sort), self._options)
                if tried.error is not None:
                    raise tried.error
                first = tried.source
                if tried.refusal is None:
                    columns = {name: first.page.values(name) for name in ("id", "name")}
                    if is_in_order(columns, sort):
                        return replace(query, sort=sort), first, sort
                    if is_last(first.page) or sort != "id":
                        return query, first, None  # taken for ignored: it is the directory's own
                tried.number, tried.sort = 0, sort
                self._store(tried)
                self._add(tried)
            return query, query.get(self._session, self._options), None
        first = query.get(self._session, self._options)
        page = first.page
        is_whole = query.path == "/projects.xml" and query.sort is None and query.max_items is None
        # Today's live service sends ten a page, without analyses, after a redirect.
        has_few = len(page.records) == 10 and {"1", "3"}.isdisjoint(page.signs())
        if is_whole and has_few and not is_last(page) and self._session.is_moved(query.path):
            return replace(query, sort=KEPT_TODAY), first, None
        return query, first, query.sort

    def read_all(self) -> None:
        """Read the missing pages, and those again that do not fit together, while that may help."""
        for turn in range(2 if self.pages.counts_all else 1 + MAX_REREADS):
            if turn:
                self.read(self.pages.to_reread(), refresh=True)
            while numbers := self.pages.missing():
                self.read(numbers, refresh=turn > 0)

    def read(self, numbers: Iterable[int], *, refresh: bool = False) -> None:
        """Read pages, up to one behind the last; `refresh` asks the directory again."""
        total, is_end = self.pages.total, False
        refresh |= self._options.refresh
        options = replace(self._options, refresh=refresh and not self._options.offline)
        fetch = partial(self._fetch, options=options)
        needed = takewhile(lambda _: not is_end, numbers)
        for page in fetch_ahead(fetch, needed, self._workers, most_failures=1):
            self._add(page, total)
            is_end = self.pages.is_end(page)

    def read_own_pages(self, *, where: Callable[[str], bool] = lambda _: True) -> None:
        """Read the own pages of the records that need one."""
        needed = [*filter(where, self.pages.own_missing())]
        for page in fetch_ahead(self._fetch_own, needed, self._workers):
            self._add(page, len(needed))

    def _fetch(self, number: int, options: Options) -> ReceivedPage:
        query, is_answer = self.pages.query, self.pages.may_end_at
        page = fetch_page(self._session, query, options, number, is_answer=is_answer)
        page.number, page.sort = number, query.sort
        self._store(page)
        return page

    def _fetch_own(self, identifier: str) -> ReceivedPage:
        query = record_query(self.pages.query.resource, identifier)
        page = fetch_page(self._session, query, self._options)
        if page.refusal is None and page.ids != (identifier,):
            names = ", ".join(map(str, page.ids[:3])) or "nothing"
            page = ReceivedPage(attempts=page.attempts, refusal=f"returned {names}")
        page.record = identifier
        self._store(page)
        return page

    def _keep(self, fetched: FetchedPage, number: int, sort: str | None) -> None:
        page = ReceivedPage.of(fetched, self.pages.query, number=number, sort=sort)
        self._store(page)
        self._add(page)

    def _add(self, page: ReceivedPage, total: int | None = None) -> None:
        self.pages.add(page)
        self._receive(page, self.pages.total if total is None else total)


def fetch_ahead(
    fetch: Callable[[Key], T],
    keys: Iterable[Key],
    workers: int,
    *,
    most_failures: int = MAX_FAILURES,
) -> Generator[T, None, None]:
    """Fetch several things at a time, and yield them in order; `keys` are consumed late.

    So many failures of the service in a row, or one of another kind, are raised, after whatever
    came meanwhile is yielded too.
    """
    ahead: deque[Future[T]] = deque()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="dirframe")

    def results() -> Iterator[T]:
        for key in keys:
            ahead.append(pool.submit(fetch, key))
            if len(ahead) >= 4 * workers:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()

    failures = 0
    try:
        for result in map(fetch, keys) if workers == 1 else results():
            yield result
            error = result.error
            failures = failures + 1 if error else 0
            if error and (failures == most_failures or not isinstance(error, ServiceError)):
                pool.shutdown(cancel_futures=True)
                done = (other for other in ahead if not other.cancelled())
                yield from (other.result() for other in done if not other.exception())
                raise error
    finally:
        # Requests in flight still reach the cache; those not sent cost nothing.
        pool.shutdown(wait=True, cancel_futures=True)


def may_come_later(error: Exception) -> bool:
    """Return whether an error is no answer about what was asked for, nor about the key."""
    if isinstance(error, ServiceError):
        return (error.status or 0) >= 500
    return isinstance(error, CacheError | NetworkError | QuotaExceededError)


def has_no_analysis(error: ServiceError) -> bool:
    """Return whether a project has no analysis: today's service sends no status word, or `error`."""
    return error.status == 200 and error.reported in {None, "error"}


def fetch_page(
    session: Session,
    query: Query,
    options: Options,
    number: int = 1,
    *,
    is_answer: Callable[[int], bool] = lambda _: True,
) -> ReceivedPage:
    """Return a page of a query; or why it is refused, which the cache remembers; or that it failed.

    Of a further page, only that there is none can be an answer. `is_answer` is asked about a refusal.
    """
    url = session.address(query.path, query.params(number))
    known = session.get_refusal(url, refresh=options.refresh, offline=options.offline)
    if known is not None and is_answer(number):
        return ReceivedPage(attempts=0, refusal=known[0], retrieved=known[1])
    try:
        return ReceivedPage.of(query.get(session, options, number), query)
    except RequestError as error:
        why = None
        if isinstance(error, NotFoundError):
            why = "gone"
        elif isinstance(error, ServiceError) and number == 1 and not may_come_later(error):
            why = "" if has_no_analysis(error) else "refused"
        if why is None or not is_answer(number):
            return ReceivedPage(attempts=error.attempts, refusal=why_failed(error), error=error)
        # Without a status, the directory gave no answer about this record.
        if options.store and error.status is not None:
            session.put_refusal(url, why)
        return ReceivedPage(attempts=error.attempts, refusal=why)


# -- what every load says and records ----------------------------------------------------------


def check_quota(
    client: Directory,
    options: Options,
    what: str,
    keys: Sequence[Key],
    is_known: Callable[[Key], bool],
    *,
    more: int = 0,
) -> None:
    """Warn if the quota does not suffice for pages today; raise if the load would never end.

    `more` pages are estimated, and count as long as any other is missing.
    """
    quota = client.quota()
    left, limit = quota.left, quota.limit
    if len(keys) + more <= left or len(keys) >= MOST_PAGES or options.offline:
        return
    days = 0 if client.cache_folder is None else client.expire_after.days
    most = left + max(days - 1, 0) * limit
    unknown = (key for key in keys if options.refresh or not is_known(key))
    missing = len([*islice(unknown, most + 1)])  # with more, the load would never end
    needed = (len(keys) if missing > most else missing) + more
    if not missing or needed <= left:
        return
    text = (
        f"The {what} need about {needed:,} more requests, and {left:,} of {limit:,} are left today"
    )
    hint = (
        "dirframe.harvest (dirframe harvest) stores a collection over as many days as it takes; "
        "sample= (--sample-size) draws a part of it."
    )
    if needed > most:
        text += (
            f". Pages stay fresh for {counted(days, 'day')}, so this load would never end, and it was "
            "not begun."
        )
        url, resets_at = client.base_url, quota.resets_at
        raise QuotaExceededError(text, url=url, resets_at=resets_at, hint=hint)
    if left:  # otherwise the next request says so
        days = math.ceil((needed - left) / limit) + 1
        text += f": run the same line on {days:,} days. What came is kept and costs nothing again."
        warn(QuotaWarning(text, hint=hint))


def raise_or_warn(
    options: Options, frame: pd.DataFrame, message: str, why: str, *, advice: str, **facts: Any
) -> None:
    """Raise or warn that records of a frame are missing, as the options say."""
    facts["hint"] = f'{advice}; incomplete="warn" (--incomplete warn) accepts the partial result.'
    if options.incomplete == "raise":
        raise IncompleteCollectionError(message, frame=frame, missing=why, **facts)
    warn(IncompleteWarning(message, **facts))


@contextmanager
def progress_of(unit: str, shown: bool | ProgressCallback) -> Iterator[ProgressCallback]:
    """Yield what to call with the numbers of further records and of all: a bar, or a callback."""
    loaded, bar = 0, None

    def advance(count: int, total: int) -> None:
        nonlocal loaded, bar
        # A last page may hold more than were asked for.
        before, loaded = loaded, min(loaded + count, total or sys.maxsize)
        if callable(shown):
            shown(loaded, total)
        elif shown:
            if bar is None:
                from tqdm.auto import tqdm

                # None: in notebooks and terminals, but not in a pipe or a log.
                bar = tqdm(total=total or None, unit=f" {unit}", disable=None)
            bar.total = total or None
            bar.update(loaded - before)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.close()
