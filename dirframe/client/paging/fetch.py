"""Fetch a page of a query from the cache or over HTTP, and say what the answer means."""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from threading import Event, Lock
from typing import Self, TypeAlias, TypeVar

from dirframe.client.http.session import Session
from dirframe.client.paging.ids import PAGE_SIZE, Window
from dirframe.client.paging.query import Query
from dirframe.client.xml.page import Page
from dirframe.errors import (
    CacheError,
    InvalidInputError,
    NetworkError,
    NotFoundError,
    QuotaExceededError,
    RequestError,
    ServiceError,
    UnreadableResponseError,
)
from dirframe.schema import UNKNOWN, is_page_of_owner
from dirframe.settings import check_switches

Key = TypeVar("Key")
Result = TypeVar("Result")

#: The number of failures in a row that shows that the directory itself is broken.
MAX_FAILURES = 3
#: Of bare 404s, which also records have that do not exist: as many as one request by ids decides.
MAX_NOT_FOUND = PAGE_SIZE


class Reason(enum.Enum):
    """Why the directory has no such page."""

    NO_ANALYSIS = "no analysis"
    GONE = "not found"
    REFUSED = "refused"
    OTHER_RECORD = "another record"
    NO_RECORDS = "no records"  # a collection without any, in place of its first page


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A validated page."""

    page: Page
    content: bytes
    url: str
    received_at: datetime
    requested_at: datetime  # of a page from the cache, when it was received
    requests: int  # made now; 0: from the cache
    requests_paid: int  # made when it was received


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """There is no such page: an answer, which is remembered and not asked for again."""

    reason: Reason
    received_at: datetime
    requests: int  # made now; 0: from the cache
    requests_paid: int  # made when it was received
    error: RequestError | None = None  # of a refusal that was just received
    other_ids: tuple[str | None, ...] = ()  # of the record that was sent instead


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """No answer about this page: it may succeed later."""

    error: RequestError | CacheError
    requests: int
    is_of_further_page: bool = False  # which is there: the directory could not send it now
    is_of_remote: bool = False  # of another service that the directory asks
    ids: Window | None = None  # that were asked for

    @property
    def is_of_one_page(self) -> bool:
        """Whether the failure says nothing about other pages."""
        kinds = ServiceError | UnreadableResponseError
        is_of_part = self.is_of_further_page or self.is_of_remote or self.is_bare_404
        return is_of_part or isinstance(self.error, kinds)

    @property
    def is_bare_404(self) -> bool:
        """Whether it is the 404 that today's live service sends for each error of its own."""
        return is_bare_404(self.error)

    @property
    def is_unreadable(self) -> bool:
        """Whether there was a response that is not the interface's."""
        return isinstance(self.error, UnreadableResponseError)

    @property
    def may_come_later(self) -> bool:
        """Whether it says nothing about the key, nor about what was asked for."""
        is_of_part = self.is_of_further_page or self.is_of_remote
        return is_of_part or may_come_later(self.error)


Answer: TypeAlias = Document | Refusal | Failure


def is_bare_404(error: Exception) -> bool:
    """Return whether an error is a 404 without a status word, which shows nothing.

    Today's live service sends it for what does not exist, and for each error of its own.
    """
    return isinstance(error, NotFoundError) and error.status == 404 and error.reported is None


def may_come_later(error: Exception) -> bool:
    """Return whether an error is no answer about what was asked for, nor about the key."""
    if is_bare_404(error):
        return True
    if isinstance(error, ServiceError):
        return (error.status or 0) >= 500
    kinds = CacheError | NetworkError | QuotaExceededError | UnreadableResponseError
    return isinstance(error, kinds)


def _is_of_remote(error: Exception, query: Query) -> bool:
    """Return whether an error is that of another service, which the directory asks."""
    return bool(query.resource.remote) and isinstance(error, NotFoundError | ServiceError)


class Reads(enum.Enum):
    """Which pages of the cache are used."""

    FRESH = "fresh"
    ANY_AGE = "of any age"
    NOTHING = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheUse:
    """How a load uses the cache; made once by the loader and passed down whole."""

    reads: Reads = Reads.FRESH
    sends: bool = True  # whether what is not in the cache is requested
    stores: bool = True

    @classmethod
    def of(cls, *, refresh: bool, offline: bool) -> Self:
        """Return the use that a loader was asked for."""
        check_switches(refresh=refresh, offline=offline)
        if refresh and offline:
            raise InvalidInputError(
                "refresh requests every page, and offline requests none.",
                hint="Pass refresh=True (--refresh) or offline=True (--offline), not both.",
            )
        if offline:
            return cls(reads=Reads.ANY_AGE, sends=False)
        return cls(reads=Reads.NOTHING if refresh else Reads.FRESH)

    @property
    def is_refresh(self) -> bool:
        """Whether every page is requested."""
        return self.reads is Reads.NOTHING

    def refreshed(self) -> CacheUse:
        """Return the use that requests every page, unless this one sends nothing."""
        return replace(self, reads=Reads.NOTHING) if self.sends else self

    def as_options(self) -> dict[str, bool]:
        """Return the options of `Session.get`."""
        return {"refresh": self.is_refresh, "offline": not self.sends, "store": self.stores}


def always() -> bool:
    """Believe each refusal."""
    return True


def never() -> bool:
    """Believe no refusal."""
    return False


class Clock:
    """The time of a load, which never goes back: what was received later is later."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._latest = datetime.min.replace(tzinfo=UTC)

    def now(self) -> datetime:
        """Return the time, or that of the answer before if the machine's clock was set back."""
        return self.at(datetime.now(UTC))

    def at(self, moment: datetime) -> datetime:
        """Return when something was received: after all that was received before."""
        with self._lock:
            self._latest = max(moment, self._latest + timedelta.resolution)
            return self._latest

    def saw(self, moment: datetime) -> datetime:
        """Return the time of a page from the cache, which may be older than others."""
        with self._lock:
            self._latest = max(self._latest, min(moment, datetime.now(UTC)))
        return moment


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches pages of one directory with one use of the cache."""

    session: Session
    use: CacheUse
    clock: Clock = field(default_factory=Clock)

    def refreshed(self) -> Fetcher:
        """Return one that requests every page."""
        return replace(self, use=self.use.refreshed())

    def fetch(
        self,
        query: Query,
        number: int = 1,
        *,
        beside: bool = False,
        believe_refusal: Callable[[], bool] = always,
    ) -> Answer:
        """Return the answer to a page of a query.

        `beside` stores it beside an earlier version of the page, which stays in the cache.
        `believe_refusal` is asked when a refusal is there. If that is not to be believed, one from the
        cache is ignored, for it may be of another state, and a new one is not stored.
        """
        params = query.params(number)
        url = self.session.address(query.path, params)
        refusal = None
        if not self.use.is_refresh:
            refusal = self.session.get_refusal(url, offline=not self.use.sends)
        if refusal is not None and (refusal.why == Reason.NO_RECORDS.value or believe_refusal()):
            return Refusal(
                reason=Reason(refusal.why),
                received_at=refusal.received_at,
                requests=0,
                requests_paid=refusal.requests_paid,
            )
        requested_at = self.clock.now()
        try:
            fetched = self.session.get(
                query.path,
                params,
                long_values=query.long_values(),
                beside=beside,
                resource=None if query.resource is UNKNOWN else query.resource,
                **self.use.as_options(),
            )
        except (RequestError, CacheError) as error:
            return self._answer_of(error, query, url, number, believe_refusal)
        is_received = bool(fetched.requests)
        if is_received:
            received_at = self.clock.at(fetched.received_at)
        else:
            received_at = self.clock.saw(fetched.received_at)
        return Document(
            page=fetched.page,
            content=fetched.content,
            url=fetched.url,
            received_at=received_at,
            requested_at=requested_at if is_received else received_at,
            requests=fetched.requests,
            requests_paid=fetched.requests_paid,
        )

    def _answer_of(
        self,
        error: RequestError | CacheError,
        query: Query,
        url: str,
        number: int,
        believe_refusal: Callable[[], bool],
    ) -> Refusal | Failure:
        """Return an error as the answer to a page."""
        if isinstance(error, UnreadableResponseError) and not error.url:
            error.url = url
        requests = 0 if isinstance(error, CacheError) else error.attempts
        reason = self._reason_of(error, query, number)
        if reason is None or not isinstance(error, RequestError):
            is_of_remote = _is_of_remote(error, query)
            return Failure(error=error, requests=requests, is_of_remote=is_of_remote)
        # Without a status, the directory gave no answer about this page.
        is_answer = reason is Reason.NO_RECORDS or believe_refusal()
        if self.use.stores and error.status is not None and is_answer:
            self.session.put_refusal(url, reason.value, requests)
        return Refusal(
            reason=reason,
            received_at=self.clock.now(),
            requests=requests,
            requests_paid=requests,
            error=error,
        )

    def _reason_of(
        self, error: RequestError | CacheError, query: Query, number: int
    ) -> Reason | None:
        """Return why there is no such page; None if an error says nothing about that."""
        if query.resource.redirects and self._is_end(error, query):
            return Reason.NO_RECORDS if number == 1 else Reason.GONE
        if _is_of_remote(error, query) or is_bare_404(error):
            return None
        if isinstance(error, NotFoundError):
            return Reason.GONE
        if isinstance(error, ServiceError) and number == 1 and not may_come_later(error):
            # Today's service sends no status word for a project without an analysis, or `error`.
            is_bare = error.status == 200 and error.reported in {None, "error"}
            return Reason.NO_ANALYSIS if is_bare else Reason.REFUSED
        return None

    def remember_gone(self, query: Query, failure: Failure) -> Refusal:
        """Remember that a record does not exist whose page was a bare 404; return that as a refusal."""
        requests = failure.requests
        if self.use.stores:
            url = self.session.address(query.path, query.params())
            self.session.put_refusal(url, Reason.GONE.value, requests)
        return Refusal(
            reason=Reason.GONE,
            received_at=self.clock.now(),
            requests=requests,
            requests_paid=requests,
        )

    def _is_end(self, error: RequestError | CacheError, query: Query) -> bool:
        """Return whether an error is a redirect to the page of the owner: there are no more records."""
        address = None
        if isinstance(error, ServiceError):
            address = error.web_page
        elif isinstance(error, UnreadableResponseError) and error.status == 200:
            address = error.url
        path = (address or "").removeprefix(self.session.address(""))
        return is_page_of_owner(path, query.resource)

    def is_known(self, query: Query, number: int = 1, *, beside: bool = False) -> bool:
        """Return whether the answer to a page comes from the cache, or one that is beside it."""
        if self.use.is_refresh:
            return False
        params, offline = query.params(number), not self.use.sends
        if self.session.is_cached(query.path, params, of_any_age=offline, beside=beside):
            return True
        if beside:
            return False
        url = self.session.address(query.path, params)
        return self.session.get_refusal(url, offline=offline) is not None

    def is_moved(self, path: str) -> bool:
        """Return whether the directory redirects a path, as far as it was seen."""
        return self.session.is_moved(path)


@dataclass(slots=True)
class Patience:
    """Counts failures until they end a walk: several in a row, or one that is not of a single page."""

    most: int = MAX_FAILURES
    most_not_found: int = MAX_FAILURES  # bare 404s
    failures: int = 0  # in a row
    not_found: int = 0
    ending: Failure | None = None

    def ends(self, answer: Answer | None) -> bool:
        """Count an answer, the next one in order; return whether it ends the walk. None is no failure."""
        if not isinstance(answer, Failure):
            self.failures = self.not_found = 0
            return False
        if answer.is_bare_404:
            self.not_found += 1
        else:
            self.failures += 1
        is_broken = self.failures >= self.most or self.not_found >= self.most_not_found
        is_end = is_broken or not answer.is_of_one_page
        if is_end and self.ending is None:
            self.ending = answer
        return is_end


def fetch_ahead(
    fetch: Callable[[Key], Result],
    keys: Iterable[Key],
    workers: int,
    ends: Callable[[Result], bool],
    session: Session,
) -> Generator[tuple[Key, Result], None, None]:
    """Yield keys with their results in order, several at a time; keys are consumed late.

    After a result that ends the walk, only those of requests on their way are yielded.
    """
    if workers == 1:
        for key in keys:
            result = fetch(key)
            yield key, result
            if ends(result):
                return
        return
    pending: deque[tuple[Key, Future[Result]]] = deque()
    stop = Event()
    pool = ThreadPoolExecutor(
        workers, thread_name_prefix="dirframe", initializer=session.join, initargs=(stop,)
    )
    future: Future[Result] | None = None  # that is waited for
    is_ended = False
    try:
        for key in keys:
            pending.append((key, pool.submit(fetch, key)))
            if len(pending) >= 4 * workers:
                first, future = pending.popleft()
                yield first, future.result()
                is_ended = ends(future.result())
                if is_ended:
                    break
        while pending:
            if is_ended:
                pool.shutdown(wait=False, cancel_futures=True)
            key, future = pending.popleft()
            if is_ended and (future.cancelled() or future.exception() is not None):
                continue
            yield key, future.result()
            is_ended = is_ended or ends(future.result())
    except BaseException:  # Ctrl-C, or a caller that needs no more
        stop.set()
        raise
    finally:
        # Requests in flight still reach the cache; those not sent cost nothing.
        pool.shutdown(wait=False, cancel_futures=True)
        in_flight = [one for _, one in pending]
        if future is not None:
            in_flight.append(future)
        with session.ending(stop, [one for one in in_flight if not one.cancelled()]):
            pool.shutdown(wait=True)
