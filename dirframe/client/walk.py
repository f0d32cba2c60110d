"""Read the pages of a query in an order that holds, and the own pages of its records."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import TypeVar

from dirframe.client.directory import Directory
from dirframe.client.http.session import FetchedPage, Session
from dirframe.client.paging import Pages, ReceivedPage, why_failed
from dirframe.client.query import (
    KEPT_TODAY,
    Options,
    Query,
    is_in_order,
    is_last,
    recognised,
    record_query,
)
from dirframe.errors import (
    CacheError,
    NetworkError,
    NotFoundError,
    QuotaExceededError,
    RequestError,
    ServiceError,
)
from dirframe.schema import PROJECT

Key = TypeVar("Key")
T = TypeVar("T", ReceivedPage, Pages)

#: Maximum number of times that inconsistent pages are requested again.
MAX_REREADS = 3
#: So many records in a row that fail show that the directory itself is broken.
MAX_FAILURES = 3


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
                tried.number, tried.sort, first = 0, sort, tried.source
                if tried.refusal is not None:
                    self._store(tried)
                    self._add(tried)
                    continue
                columns = {name: first.page.values(name) for name in ("id", "name")}
                if is_in_order(columns, sort):
                    return replace(query, sort=sort), first, sort
                if is_last(first.page) or sort != "id":
                    return query, first, None  # taken for ignored: it is the directory's own
                self._keep(first, 0, sort)
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

    So many failures of the service in a row, or one of another kind, are raised, after whatever was
    asked for meanwhile is yielded too.
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
                yield from (other.result() for other in ahead if not other.cancelled())
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
