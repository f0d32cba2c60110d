"""Read projects by their ids, 25 at a time, from a directory like today's live service."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from dirframe.client.paging.fetch import Answer, Document, Failure, Fetcher, never
from dirframe.client.paging.ids import (
    MAX_LINE,
    PAGE_SIZE,
    Draw,
    IdSet,
    Undecided,
    Window,
    find_doubt,
    window_above,
)
from dirframe.client.paging.order import is_todays_first_page
from dirframe.client.paging.query import Query
from dirframe.client.paging.received import (
    Arrival,
    Receipt,
    Received,
    Target,
    as_failure,
    ids_of,
    page_of,
)
from dirframe.client.paging.windows import PagesByIds, WindowPage
from dirframe.errors import InvalidKeyError, NetworkError, RequestError, ServiceError
from dirframe.schema import PROJECT

#: The sort whose first page has the newest projects.
NEWEST = "new"

#: Status codes of a request that may be too long for the server, or for a firewall before it.
_TOO_LONG = {400, 403, 413, 414, 431}
_NOT_FOUND, _GATEWAY_TIMEOUT = 404, 504

_PROJECTS = Query(resource=PROJECT)

#: Time-outs in a row, of a tolerant walk also failures, that show that the number of ids is not at fault.
_MAX_TIMEOUTS = 3

Keep: TypeAlias = Callable[[Target, Answer, Query], None]


class _Step(enum.Enum):
    """What to do after a failure."""

    GO_ON = enum.auto()  # with other ids, or the same again
    NOT_BY_IDS = enum.auto()  # but by page numbers
    END = enum.auto()


@dataclass
class IdsReader:
    """Reads the pages of a walk by ids, one after the other: each begins behind the one before.

    Its generators return whether the directory answers by ids.
    """

    received: Received
    fetcher: Fetcher
    keep: Keep
    is_tolerant: bool = False  # whether others may be received after a failure
    is_answered: bool = False  # by ids, to the end
    _timeouts: int = 0  # in a row
    _was_key_valid: bool = False  # when a request with ids was refused

    # The bound, and the state of the walk

    def begin(self, bound: int) -> Generator[Arrival, None, bool]:
        """Find the largest id, which is `bound` or above it, and start the walk up to there."""
        above: list[tuple[WindowPage, Document]] = []
        is_empty = False
        while not is_empty and (window := window_above(bound)) is not None:
            seen = len(above)
            is_by_ids = yield from self._read_above(window, above)
            if not is_by_ids:
                return False
            ids = [number for page, _ in above[seen:] for number in _numbers_of(page)]
            bound = max(ids, default=bound)
            is_empty = not ids
        self.received.walk_by_ids(bound)
        for page, document in above:
            yield self._add(replace(page, bound=bound), document)
        return True

    def _read_above(
        self, window: Window, above: list[tuple[WindowPage, Document]]
    ) -> Generator[Arrival, None, bool]:
        """Read the ids above a bound; `above` gets their pages, which are added with the bound."""
        state = Undecided(IdSet(window.ids), in_runs=True)

        def add(page: WindowPage, document: Document) -> None:
            above.append((page, document))
            state.decide(Window((page.first_asked, page.last_asked)), _numbers_of(page))

        return (yield from self._read(state, add, asks_again=False))

    # The pages

    @property
    def part(self) -> PagesByIds:
        """The state of the walk."""
        part = self.received.part
        if not isinstance(part, PagesByIds):
            raise TypeError("the walk is not by ids")
        return part

    def read(self) -> Generator[Arrival, None, bool]:
        """Read until all ids are decided, and then how many records there are now."""
        part = self.part
        # The window above the bound was answered by ids; of named ones there was none.
        is_by_ids = yield from self._read(part.state, self._add, asks_again=part.bound > 0)
        if not is_by_ids:
            return False
        yield from self._close()
        if not part.lost:
            self.received.failure = None
        self.is_answered = True
        return True

    def _read(
        self,
        state: Undecided | Draw,
        add: Callable[[WindowPage, Document], Arrival | None],
        *,
        asks_again: bool,
    ) -> Generator[Arrival, None, bool]:
        """Read until all ids of a state are decided; `asks_again` after an answer to other ids.

        `add` decides the ids of a page; what it returns is yielded.
        """
        state.fit(room_for_ids(self.fetcher, self.received.query))
        part = self.received.part
        number = len(part.pages) if isinstance(part, PagesByIds) else 0
        while (window := state.window()) is not None:
            number += 1
            answer = self._fetch(window)
            page = self._as_page(window, answer, number)
            if isinstance(answer, Document) and page is None and asks_again:
                yield self._set_aside(answer)
                answer = self._fetch(window, beside=True)
                page = self._as_page(window, answer, number)
            if isinstance(answer, Document) and page is not None:
                self._timeouts = 0
                arrival = add(page, answer)
                if arrival is not None:
                    yield arrival
                continue
            if isinstance(answer, Document):
                yield self._set_aside(answer)
                return False
            failure = replace(as_failure(answer), ids=window)
            self.received.failure = failure
            yield Arrival(None, failure, self.received.part.to_receive)
            step = self._step_after(state, window, failure)
            if step is _Step.NOT_BY_IDS:
                self.received.failure = None
                return False
            if step is _Step.END:
                raise failure.error
        return True

    def read_known(self) -> Iterator[Arrival]:
        """Read the pages that are in the cache, also behind one that is not."""
        self.part.state.fit(room_for_ids(self.fetcher, self.received.query))
        while (window := self._next_known()) is not None:
            answer = self._fetch(window)
            page = self._as_page(window, answer, len(self.part.pages) + 1)
            if page is None or not isinstance(answer, Document):
                return
            yield self._add(page, answer)
        if self.part.next_window() is None and self._is_closing_known():
            yield from self._close()

    def _next_known(self) -> Window | None:
        """Return the next window whose page is in the cache; None if there is none, or none near."""
        window = self.part.next_window()
        if window is None or self.is_known(window):
            return window
        behind = self.part.state.windows_behind(window)
        return next(filter(self.is_known, behind), None)

    def _fetch(self, window: Window, *, beside: bool = False) -> Answer:
        """Return the answer to the ids of a window; a refusal is not remembered."""
        answer = self.fetcher.fetch(self._query(window), beside=beside, believe_refusal=never)
        self.received.add_receipt(answer)
        return answer

    def is_known(self, window: Window) -> bool:
        """Return whether the answer to a window comes from the cache."""
        return self.fetcher.is_known(self._query(window))

    def _is_closing_known(self) -> bool:
        """Return whether the page that ends the walk comes from the cache."""
        return self.fetcher.is_known(newest_query(self.received.query), beside=True)

    def _query(self, window: Window) -> Query:
        query = self.received.query
        return Query(resource=query.resource, path=query.path, ids=window)

    def _as_page(self, window: Window, answer: Answer, number: int) -> WindowPage | None:
        """Return an answer as a page of the walk; None if it is no answer to these ids."""
        if not isinstance(answer, Document):
            return None
        page = answer.page
        ids = ids_of(page, self.received.query.resource)
        if find_doubt(window, ids, page.items_available, page.first_item_position) is not None:
            return None
        part = self.received.part
        bound = drawn = 0
        if isinstance(part, PagesByIds):
            bound = part.bound
            drawn = part.state.drawn if isinstance(part.state, Draw) else 0
        return WindowPage(
            number=number,
            received_at=answer.received_at,
            requested_at=answer.requested_at,
            ids=ids,
            total=page.items_available,
            position=page.first_item_position,
            analyses=page.analyses_sent(),
            first_asked=window.first,
            last_asked=window.last,
            bound=bound,
            drawn=drawn,
        )

    def _set_aside(self, document: Document) -> Arrival:
        """Add a page that is no answer to the ids: its records were received."""
        page = replace(page_of(document, 1, self.received.query), is_probe=True)
        self.received.add_page(page)
        self.keep(page, document, self.received.query)
        return Arrival(page, document, 0)

    def _add(self, page: WindowPage, document: Document) -> Arrival:
        self.received.add_page(page)
        self.keep(page, document, self.received.query)
        return Arrival(page, document, self.part.to_receive)

    def _close(self) -> Iterator[Arrival]:
        """Read how many records there are now, and which ones were added."""
        if not self.part.is_closing_missing:
            return
        query = newest_query(self.received.query)
        answer = self.fetcher.fetch(query, beside=True, believe_refusal=never)
        newest = max((page.received_at for page in self.part.pages), default=None)
        is_older = (
            isinstance(answer, Document) and newest is not None and answer.received_at < newest
        )
        if is_older and self.fetcher.use.sends:  # it ended an earlier walk
            answer = self.fetcher.refreshed().fetch(query, beside=True, believe_refusal=never)
        self.received.add_receipt(answer)
        if not isinstance(answer, Document):
            yield Arrival(None, as_failure(answer), 0)
            raise self._fail(as_failure(answer))
        page = replace(page_of(answer, 1, self.received.query), is_probe=True)
        self.received.close(page)
        self.keep(page, answer, query)
        yield Arrival(page, answer, 0)

    # Failures

    def _step_after(self, state: Undecided | Draw, window: Window, failure: Failure) -> _Step:
        """Return what to do after a failure."""
        error = failure.error
        if not isinstance(error, RequestError):
            return _Step.END
        if error.status in _TOO_LONG:
            if isinstance(error, InvalidKeyError) and not self._is_key_valid():
                return _Step.END
            return _Step.GO_ON if state.shorten(window) else _Step.NOT_BY_IDS
        is_sent = isinstance(error, NetworkError) and error.attempts > 0
        is_passing = self.is_tolerant and isinstance(error, ServiceError)
        if is_sent or is_passing or error.status == _GATEWAY_TIMEOUT:
            self._timeouts += 1
            can_go_on = self._timeouts < _MAX_TIMEOUTS and state.halve(window)
        elif error.status == _NOT_FOUND or failure.is_unreadable:
            can_go_on = state.fail(window)
        else:
            can_go_on = False
        return _Step.GO_ON if can_go_on else _Step.END

    def _is_key_valid(self) -> bool:
        """Return whether a request without ids is not refused: then it is not the key."""
        if self._was_key_valid:
            return True
        query = newest_query(self.received.query)
        answer = self.fetcher.refreshed().fetch(query, believe_refusal=never)
        self.received.add_receipt(answer)
        self._was_key_valid = isinstance(answer, Document)
        return self._was_key_valid

    def _fail(self, failure: Failure) -> Exception:
        self.received.failure = failure
        return failure.error


@dataclass
class NamedIds:
    """Reads the projects among some ids from today's live service, once, and says which do not exist.

    Its own pages show that of none: it sends a bare 404 for each error, too.
    """

    fetcher: Fetcher
    receipts: list[Receipt] = field(default_factory=list)
    failure: Failure | None = None  # that ended it
    reader: IdsReader | None = None
    is_answered: bool = False  # by ids, to the end
    sent: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    unsendable: set[str] = field(default_factory=set)

    def walk_of(self, ids: Iterable[str]) -> IdsReader:
        """Return a walk over some ids."""
        received = Received(_PROJECTS)
        received.part = PagesByIds(state=Undecided(IdSet(map(int, ids))))
        return IdsReader(received, self.fetcher, lambda *_: None)

    def read(self, ids: Collection[str]) -> Iterator[tuple[WindowPage, Document]]:
        """Yield the pages of some ids; if that `is_answered`, each id is sent, gone or unsendable."""
        reader = self.reader = self.walk_of(ids)
        try:
            yield from self._pages(reader.read())
            self.is_answered = reader.is_answered
        finally:
            self.receipts += reader.received.receipts
            self.failure = None if self.is_answered else reader.received.failure
        if self.is_answered:
            self.unsendable = set(map(str, reader.part.lost))
            self.gone = set(ids) - self.sent - self.unsendable

    def read_known(self) -> Iterator[tuple[WindowPage, Document]]:
        """Yield the other pages that are in the cache, after a failure."""
        if self.reader is not None:
            yield from self._pages(self.reader.read_known())

    def _pages(self, arrivals: Iterable[Arrival]) -> Iterator[tuple[WindowPage, Document]]:
        for arrival in arrivals:
            page, document = arrival.target, arrival.answer
            if isinstance(page, WindowPage) and isinstance(document, Document):
                self.sent.update(map(str, page.ids))
                yield page, document

    def look_up(self, ids: Collection[str]) -> None:
        """Read some ids for what is said of them alone."""
        for _ in self.read(ids):
            pass


def _numbers_of(page: WindowPage) -> list[int]:
    """Return the ids of a page by ids, all of which are numbers."""
    return [int(str(text)) for text in page.ids]


def fetch_first_page(fetcher: Fetcher) -> Answer:
    """Return the first page of all projects: that of today's live service can be told by it."""
    return fetcher.fetch(_PROJECTS, believe_refusal=never)


def is_todays_answer(answer: Answer) -> bool:
    """Return whether a first page of projects is one of today's live service."""
    return isinstance(answer, Document) and is_todays_first_page(answer.page)


def newest_query(query: Query) -> Query:
    """Return the query to the newest projects."""
    return replace(query, sort=NEWEST, per_page=PAGE_SIZE)


def room_for_ids(fetcher: Fetcher, query: Query) -> int:
    """Return the bytes that ids may have in a request."""
    params = replace(query, ids=Window((1,))).params()
    return MAX_LINE - fetcher.session.length_of_line(query.path, params)
