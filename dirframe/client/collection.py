"""Load a query as one frame with its provenance, proven complete or said not to be."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC
from functools import partial
from itertools import islice, takewhile
from typing import Any, TypeAlias, TypeVar

import pandas as pd

from dirframe import provenance
from dirframe._display import quantity
from dirframe.client.directory import Directory
from dirframe.client.http.session import Session
from dirframe.client.page import Page
from dirframe.client.paging import (
    MOST_PAGES,
    Pages,
    ReceivedPage,
    ids_of,
    is_of_one_page,
    needed_pages,
    why_failed,
)
from dirframe.client.progress import progress_of
from dirframe.client.query import (
    KEPT_TODAY,
    Options,
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
#: Pages as they come, each with the number of records, or of own pages, that are read with it.
Reading: TypeAlias = "Generator[tuple[ReceivedPage, int], None, None]"

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
        suppress(StopIteration),  # of a callback
    ):
        for page, total in _read(pages, client, options):
            if page.source is not None:
                page.source = records.add(page.source.page)
            if page.number and page.ids:
                on_page(len(page.ids), total)
            elif page is pages.own.get(page.record):  # not the error that ends the load
                on_own_page(1, total)
    frame = records.frame([page.source + place for page, place in pages.places(whole=True)])
    client.session.warn_if_stale(pages.received)
    what = f"{pages.query.resource.words[1]} of {client.name}"
    facts = describe_whole(frame, pages, what, source=client.name, base_url=client.base_url)
    if pages.completeness()[0] == "incomplete":
        why, is_unordered = facts["incomplete_reason"], pages.lacks_order()
        advice = (
            "Run the same line again, or choose another sort (--sort): what is in the cache costs "
            "nothing, and refresh=True (--refresh) asks for all of it, also for what was refused"
        )
        lack = {
            "details_missing": tuple(pages.lost()),
            "received": len(frame),
            "expected": pages.expected,
            "order_fails": is_unordered,
            "better_sort": better_sort(pages.query) if is_unordered else None,
        }
        if is_unordered:
            advice = "To ask again in this order does not help"
        message = f"The {what} are not proven complete: {why}."
        raise_or_warn(options, frame, message, why, advice, **lack)
    return frame


def _read(pages: Pages, client: Directory, options: Options) -> Reading:
    """Read all pages, if the quota may suffice; or what is there, if that is accepted."""
    walk = Walk(pages, client.session, options, client.workers)
    yield from walk.begin()
    what = f"{pages.query.resource.words[1]} of {client.name}"
    check = partial(check_quota, client, options, what, is_known=walk.is_known)
    check(pages.missing(), more=pages.estimated_own())
    try:
        yield from walk.read_all()
        check(pages.own_missing())
        yield from walk.read_own_pages()
    except (CacheError, RequestError) as error:
        if options.incomplete == "raise" or not may_come_later(error):
            raise
        if not options.refresh:  # what else is in the cache
            yield from walk.read([*filter(walk.is_known, pages.missing())])
            yield from walk.read_own_pages(where=walk.is_known)


def describe(frame: pd.DataFrame, pages: Pages, **facts: Any) -> dict[str, Any]:
    """Record in a frame of some records what their pages say, and return it."""
    facts |= pages.provenance()
    if is_in_order(frame, pages.query.sort or "") is False:
        del facts["query"]["sort"]  # what was not seen is not claimed
    facts["sent"] = provenance.columns_with_values(frame)
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
        price = f"at most {quantity(needed, 'request')}"
        hint = f"details=True (--details) requests these pages, for {price}."
        warn(AnalysesNotSentWarning(text, requests=needed, hint=hint))
    return facts


@dataclass
class Walk:
    """Reads the pages of a query, and the own pages of its records."""

    pages: Pages
    session: Session  # a directory that is closed ends its walks
    options: Options
    workers: int
    store: Callable[[ReceivedPage], None] = lambda _: None  # in the thread that received the page

    def begin(self, *, may_be_refused: bool = False, is_estimate: bool = False) -> Reading:
        """Read the first page in an order that the directory keeps, after those in others.

        Without a sort of its own, a sample, or an archive, is read by ids, or by names of
        projects, as the first page shows; all projects of today's live service by names, for which
        an estimate takes its first page in any order.
        """
        pages, query = self.pages, self.pages.query
        sorts = [query.sort]
        if query.sort is None and (query.sample or pages.counts_all):
            sorts = ["id", KEPT_TODAY, None] if query.resource is PROJECT else ["id", None]
        is_whole = sorts == [None] and query.path == "/projects.xml" and query.max_items is None

        def fetch(sort: str | None) -> ReceivedPage:
            asked, may_refuse = replace(query, sort=sort), may_be_refused or sort != query.sort
            page = fetch_page(self.session, asked, self.options, is_answer=lambda _: may_refuse)
            page.number, page.sort = 1, sort
            return page

        for page in fetch_ahead(fetch, sorts, 1, most_failures=1):
            first = page.source and page.source.page
            columns = {name: first.values(name) for name in ("id", "name")} if first else {}
            if page.sort != query.sort and not is_in_order(columns, str(page.sort)):
                page.number = 0
                if first and (is_last(first) or page.sort == KEPT_TODAY):
                    page.number, page.sort = 1, None  # taken for ignored: it is the directory's own
            elif first and is_whole and page.sort is None and self._is_today(first):
                page.number, query = int(is_estimate), replace(query, sort=KEPT_TODAY)
                sorts.append(KEPT_TODAY)  # fetched next
            if first and page.number:
                pages.query = recognised(replace(query, sort=page.sort or query.sort), first)
            pages.add(page)  # raises, before it is stored, if no sample can be drawn
            self.store(page)
            yield page, pages.total
            if page.number and page.error is None:
                return

    def _is_today(self, first: Page) -> bool:
        """Return whether today's live service sent a first page: ten, without analyses, redirected."""
        has_few = len(first.records) == 10 and {"1", "3"}.isdisjoint(first.signs())
        return has_few and not is_last(first) and self.session.is_moved(self.pages.query.path)

    def read_all(self) -> Reading:
        """Read the missing pages, and those again that do not fit together, while that may help."""
        for turn in range(2 if self.pages.counts_all else 1 + MAX_REREADS):
            if turn:
                yield from self.read(self.pages.to_reread(), refresh=True)
                # The cache keeps the version of an earlier day, too: records may be there alone.
                yield from self.read(self.pages.unlinked_days(), refresh=True, store=False)
            while numbers := self.pages.missing():
                yield from self.read(numbers, refresh=turn > 0)

    def read(self, numbers: Iterable[int], *, refresh: bool = False, store: bool = True) -> Reading:
        """Read pages, up to one behind the last; `refresh` asks the directory again."""
        query, total, is_end = self.pages.query, self.pages.total, False
        refresh |= self.options.refresh
        options = replace(
            self.options,
            refresh=refresh and not self.options.offline,
            store=store and self.options.store,
        )

        def fetch(number: int) -> ReceivedPage:
            is_answer = lambda _: self.pages.may_end_at(number)
            page = fetch_page(self.session, query, options, number, is_answer=is_answer)
            page.number, page.sort = number, query.sort
            self.store(page)
            return page

        needed = takewhile(lambda _: not is_end, numbers)
        for page in fetch_ahead(fetch, needed, self.workers, most_failures=1):
            self.pages.add(page)
            yield page, total
            is_end = self.pages.is_end(page)

    def read_own_pages(self, *, where: Callable[[str], bool] = lambda _: True) -> Reading:
        """Read the own pages of the records that need one."""

        def fetch(identifier: str) -> ReceivedPage:
            query = record_query(self.pages.query.resource, identifier)
            page = fetch_page(self.session, query, self.options)
            if page.refusal is None and page.ids != (identifier,):
                names = ", ".join(map(str, page.ids[:3])) or "nothing"
                page = ReceivedPage(attempts=page.attempts, refusal=f"returned {names}")
            page.record = identifier
            self.store(page)
            return page

        needed = [*filter(where, self.pages.own_missing())]
        for page in fetch_ahead(fetch, needed, self.workers):
            self.pages.add(page)
            yield page, len(needed)

    def is_known(self, key: int | str) -> bool:
        """Return whether a page by its number, or an own page by its id, comes from the cache."""
        query = self.pages.query
        offline = self.options.offline
        if isinstance(key, str):
            return record_query(query.resource, key).is_known(self.session, offline=offline)
        return query.is_known(self.session, key, offline=offline)


def fetch_ahead(
    fetch: Callable[[Key], T], keys: Iterable[Key], workers: int, most_failures: int = MAX_FAILURES
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
            if error and (failures == most_failures or not is_of_one_page(error)):
                pool.shutdown(cancel_futures=True)
                came = [one for one in ahead if not one.cancelled() and not one.exception()]
                yield from (one.result() for one in came)
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
    number: int | None = None,
    *,
    is_answer: Callable[[str], bool] = lambda _: True,
) -> ReceivedPage:
    """Return a page of a query; or why it is refused, which the cache remembers; or that it failed.

    Without a number it is the first one, which shows what its records are. `is_answer` is asked about
    a refusal; of a further page, only that there is none can be one.
    """
    url = session.address(query.path, query.params(number or 1))
    known = session.get_refusal(url, refresh=options.refresh, offline=options.offline)
    if known is not None and is_answer(known[0]):
        return ReceivedPage(attempts=0, refusal=known[0], retrieved=known[1])
    try:
        fetched = query.get(session, options, number or 1)
    except RequestError as error:
        why = None
        if isinstance(error, NotFoundError):
            why = "gone"
        elif isinstance(error, ServiceError) and (number or 1) == 1 and not may_come_later(error):
            why = "" if has_no_analysis(error) else "refused"
        if why is None or not is_answer(why):
            return ReceivedPage(attempts=error.attempts, refusal=why_failed(error), error=error)
        # Without a status, the directory gave no answer about this record.
        if options.store and error.status is not None:
            session.put_refusal(url, why)
        return ReceivedPage(attempts=error.attempts, refusal=why)
    page = fetched.page
    query = query if number else recognised(query, page)
    is_counted = page.items_available is not None or page.items_returned is not None
    is_single = not query.numbered and len(page.records) == 1 and not is_counted
    return ReceivedPage(
        retrieved=fetched.retrieved.astimezone(UTC),
        attempts=fetched.attempts,
        available=1 if is_single else page.items_available,
        first=page.first_item_position,
        ids=ids_of(page, query.resource),
        signs=page.signs(),
        synthetic=page.synthetic,
        source=fetched,
    )


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
    quota, days = client.quota(), client.expire_after.days if client.cache_folder else 0
    left, limit = quota.left, quota.limit
    if len(keys) + more <= left or len(keys) >= MOST_PAGES or options.offline:
        return
    # With more, the load would never end: pages expire, or are refreshed, before the last one.
    most = left if options.refresh else left + max(days - 1, 0) * limit
    unknown = (key for key in keys if options.refresh or not is_known(key))
    missing = len([*islice(unknown, most + 1)])
    needed = (len(keys) if missing > most else missing) + more
    if not missing or needed <= left:
        return
    text = (
        f"The {what} need about {needed:,} more requests, and {left:,} of {limit:,} are left today"
    )
    hint = (
        "dirframe.harvest (dirframe harvest) stores a collection over as many days as it takes; "
        "sample= (--sample) draws a part of it."
    )
    if needed > most:
        if options.refresh:
            kept = "refresh=True (--refresh) requests every page again each time"
            hint = (
                "Leave refresh=True (--refresh) out: fresh pages then come from the cache, and the "
                f"others are requested over several days. {hint}"
            )
        elif client.cache_folder:
            kept = f"Pages stay fresh for {quantity(days, 'day')}"
        else:
            kept = "Without a cache no page is kept"
        text += f". {kept}, so this load would never end, and it was not begun."
        facts = {"url": client.base_url, "resets_at": quota.resets_at}
        raise QuotaExceededError(text, hint=hint, **facts)
    if left:  # otherwise the next request says so
        days = math.ceil((needed - left) / limit) + 1
        text += f": run the same line on {days:,} days. What came is kept and costs nothing again."
        warn(QuotaWarning(text, hint=hint))


def raise_or_warn(
    options: Options, frame: pd.DataFrame, message: str, why: str, advice: str, **facts: Any
) -> None:
    """Raise or warn that records of a frame are missing, as the options say."""
    facts["hint"] = f'{advice}; incomplete="warn" (--incomplete warn) accepts the partial result.'
    if options.incomplete == "raise":
        raise IncompleteCollectionError(message, frame=frame, missing=why, **facts)
    warn(IncompleteWarning(message, **facts))
