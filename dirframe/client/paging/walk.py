"""Read the pages that a query needs, and again those that do not fit, until nothing is missing."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile

from dirframe.client.paging import proof
from dirframe.client.paging.details import OwnPage
from dirframe.client.paging.fetch import (
    MAX_NOT_FOUND,
    Answer,
    Document,
    Failure,
    Fetcher,
    Patience,
    Reason,
    Refusal,
    always,
    fetch_ahead,
    never,
)
from dirframe.client.paging.ids import MAX_ID, PAGE_SIZE, are_numbers_cheaper, is_id
from dirframe.client.paging.order import (
    KEPT_TODAY,
    USUAL_PAGE_SIZE,
    is_last,
    is_todays_first_page,
    keeps_order,
    keeps_ranks,
    may_keep_ranks,
    sorts_to_try,
)
from dirframe.client.paging.pages import MAX_PAGES, CollectionPage, Pages
from dirframe.client.paging.query import BY_RANK, Query, recognised, record_query
from dirframe.client.paging.read_by_ids import (
    NEWEST,
    IdsReader,
    Keep,
    NamedIds,
    fetch_first_page,
    is_todays_answer,
    newest_query,
    room_for_ids,
)
from dirframe.client.paging.received import (
    Arrival,
    LostOwnPage,
    NoIds,
    Received,
    as_failure,
    end_at,
    ids_of,
    page_of,
)
from dirframe.client.paging.sample import SampledPages
from dirframe.client.paging.windows import PagesByIds
from dirframe.client.xml.page import Page
from dirframe.schema import ACCOUNT, PROJECT

PROJECTS_PATH = f"/{PROJECT.collection}.xml"
ACCOUNTS_PATH = f"/{ACCOUNT.collection}.xml"

#: Maximum number of times that inconsistent pages are read again; of an archive, once.
MAX_REREADS = 3


@dataclass
class Walk:
    """Reads the pages of a query, and the own pages of its records.

    `keep` is called with each answer that is no failure, in the thread that received it. A tolerant
    walk reads on after the failure of a page, and raises it at the end.
    """

    received: Received
    fetcher: Fetcher
    workers: int
    is_tolerant: bool = False
    believes_refusals: bool = False  # of the first page: that is an answer about one of many
    keep: Keep = field(default=lambda *_: None)
    _is_size_changed: bool = field(default=False, init=False)

    def _ids_reader(self) -> IdsReader:
        return IdsReader(self.received, self.fetcher, self.keep, self.is_tolerant)

    # The first page

    def begin(self) -> Iterator[Arrival]:
        """Read the first page in an order that the directory keeps, after those in others."""
        query = self.received.query
        needs_fixed_order = query.sample is not None or self.received.keeps_history
        sorts = sorts_to_try(query) if needs_fixed_order else [query.sort]
        for sort in sorts:
            in_order = replace(query, sort=sort, per_page=None)
            is_asked = sort == query.sort
            # In another order, a refusal says only that the directory does not offer it.
            is_believed = self.believes_refusals or not is_asked
            answer = self.fetcher.fetch(in_order, believe_refusal=always if is_believed else never)
            if isinstance(answer, Failure):
                yield self._failed(answer)
                raise answer.error
            if isinstance(answer, Refusal):
                if is_asked or answer.reason is Reason.NO_RECORDS:
                    yield from self._refused(answer)
                    return
                yield self._probe(sort, answer)  # the directory does not offer this order
                continue
            if query.path == PROJECTS_PATH and is_todays_first_page(answer.page):
                self.received.is_todays_service = True
                yield from self._begin_today(in_order, answer)
                return
            if self._may_be_by_rank(answer.page):
                is_by_rank = yield from self._begin_by_rank(in_order, answer)
                if is_by_rank:
                    return
            if is_asked or keeps_order(answer.page, str(sort)):
                yield self._begin_with(in_order, answer)
                return
            if is_last(answer.page) or sort == KEPT_TODAY:
                # The directory ignored the sort: this is its own order.
                yield self._begin_with(query, answer)
                return
            yield self._probe(sort, answer)

    def _may_be_by_rank(self, first: Page) -> bool:
        """Return whether accounts of today's live service may be asked for in the order of ranks."""
        query = self.received.query
        is_plain = query.query is None and query.sort is None and query.max_items is None
        return is_plain and query.path == ACCOUNTS_PATH and may_keep_ranks(first)

    def _begin_by_rank(self, in_order: Query, first: Document) -> Generator[Arrival, None, bool]:
        """Begin in the order of ranks, if the directory keeps it; return whether it does."""
        by_rank = replace(in_order, sort=BY_RANK)
        answer = self.fetcher.fetch(by_rank, believe_refusal=never)
        if isinstance(answer, Failure):
            yield self._failed(answer)
            if not answer.is_bare_404:
                raise answer.error
            self.received.failure = None
            return False
        if isinstance(answer, Refusal) or not keeps_ranks(answer.page):
            yield self._probe(BY_RANK, answer)
            return False
        yield self._probe(in_order.sort, first)
        yield self._begin_with(by_rank, answer)
        return True

    def _begin_today(self, in_order: Query, answer: Document) -> Iterator[Arrival]:
        """Begin with what today's live service has: projects by their ids, and 25 on a page."""
        query = self.received.query
        limit = query.max_items
        if limit is not None and limit <= USUAL_PAGE_SIZE:  # which are here already
            yield self._begin_with(in_order, answer)
            return
        if limit is not None and query.sort is None:  # the first records of its own order
            if limit <= PAGE_SIZE:  # on one page, so that none comes twice
                yield self._probe(in_order.sort, answer)
                yield from self._begin_by_25(None)
            else:
                yield self._begin_with(in_order, answer)
            return
        yield self._probe(in_order.sort, answer)
        if query.query is None and query.sort is None and not query.parameters:
            yield from self._begin_by_ids()
        else:
            yield from self._begin_by_25(query.sort or KEPT_TODAY)

    def _begin_by_ids(self) -> Iterator[Arrival]:
        """Begin by ids, up to the newest project; by page numbers where that is not offered."""
        query = self.received.query
        newest = newest_query(query)
        answer = self.fetcher.fetch(newest, believe_refusal=never)
        if isinstance(answer, Failure):
            yield self._failed(answer)
            if not answer.is_bare_404:
                raise answer.error
            self.received.failure = None
            yield from self._begin_by_numbers(NoIds.NOT_OFFERED)
            return
        if isinstance(answer, Refusal):
            self.received.add_receipt(answer)
            yield from self._begin_by_numbers(NoIds.NOT_OFFERED)
            return
        page = answer.page
        if is_last(page) and query.sample is None:
            yield self._begin_with(newest, answer)
            return
        yield self._probe(NEWEST, answer)
        ids = [int(text) for text in page.values("id") if text and text.isdecimal()]
        bound, available = max(ids, default=0), page.items_available or 0
        if len(ids) != min(PAGE_SIZE, available) or not 0 < bound < MAX_ID:
            yield from self._begin_by_numbers(NoIds.NOT_OFFERED)
            return
        room = room_for_ids(self.fetcher, query)
        if query.sample is None and are_numbers_cheaper(available, bound, room=room):
            yield from self._begin_by_numbers(NoIds.SPARSE)
            return
        is_by_ids = yield from self._ids_reader().begin(bound)
        if not is_by_ids:
            yield from self._begin_by_numbers(NoIds.IGNORED)

    def _begin_by_numbers(self, reason: NoIds) -> Iterator[Arrival]:
        """Begin by page numbers, in the order that today's live service keeps."""
        self.received.walk_by_numbers(reason)
        yield from self._begin_by_25(KEPT_TODAY)

    def _begin_by_25(self, sort: str | None) -> Iterator[Arrival]:
        """Begin with pages of 25 in an order, or of ten where more are not sent."""
        query = self.received.query
        in_order = replace(query, sort=sort, per_page=None)
        if self.received.no_ids not in {NoIds.NOT_OFFERED, NoIds.SMALL_PAGES}:
            in_order = replace(in_order, per_page=PAGE_SIZE)
        answer = self.fetcher.fetch(in_order, believe_refusal=never)
        if in_order.per_page is not None and _may_be_for_its_size(answer):
            self.received.add_receipt(answer)
            self.received.failure = None
            in_order = replace(in_order, per_page=None)
            answer = self.fetcher.fetch(in_order, believe_refusal=never)
        if isinstance(answer, Failure):
            yield self._failed(answer)
            raise answer.error
        if isinstance(answer, Refusal):
            yield from self._refused(answer)
            return
        if len(answer.page.records) != PAGE_SIZE and not is_last(answer.page):
            in_order = replace(in_order, per_page=None)
        is_kept = keeps_order(answer.page, KEPT_TODAY) or is_last(answer.page)
        if query.sort is None and not is_kept:
            in_order = replace(in_order, sort=None)  # its own order
        yield self._begin_with(in_order, answer)

    def _begin_with(self, query: Query, answer: Document) -> Arrival:
        query = recognised(query, answer.page)
        page = page_of(answer, 1, query)
        self.received.restate(query)
        self.received.add_page(page)  # raises, before it is kept, if no sample can be drawn
        self.received.add_receipt(answer)
        self.keep(page, answer, query)
        return Arrival(page, answer, self.received.part.to_receive)

    def _begin_without_records(self, refusal: Refusal) -> Arrival:
        """Begin with a collection that has no first page, since it has no records."""
        query = self.received.query
        at = refusal.received_at
        page = replace(end_at(1, at), total=0)
        self.received.restate(query)
        self.received.add_page(page)
        self.received.add_receipt(refusal)
        self.keep(page, refusal, query)
        return Arrival(page, refusal, 0)

    def _probe(self, sort: str | None, answer: Document | Refusal) -> Arrival:
        """Add a first page in an order that is not used."""
        if isinstance(answer, Document):
            query = recognised(self.received.query, answer.page)
            page = replace(page_of(answer, 1, query), is_probe=True)
        else:
            page = replace(end_at(1, answer.received_at), is_probe=True)
        self.received.add_page(page)
        self.received.add_receipt(answer)
        self.keep(page, answer, replace(self.received.query, sort=sort))
        return Arrival(page, answer, 0)

    def _failed(self, failure: Failure) -> Arrival:
        self.received.add_receipt(failure)
        return Arrival(None, failure, self.received.part.to_receive)

    def _refused(self, refusal: Refusal) -> Iterator[Arrival]:
        """Yield the refusal of the first page; raise it, unless it is an answer."""
        if refusal.reason is Reason.NO_RECORDS:
            yield self._begin_without_records(refusal)
            return
        if self.believes_refusals:
            self.received.refusal = refusal
            self.received.add_receipt(refusal)
            yield Arrival(None, refusal, 0)
            return
        yield self._failed(as_failure(refusal))
        raise as_failure(refusal).error

    # All pages

    def read_all(self) -> Iterator[Arrival]:
        """Read all pages: by ids as long as the directory answers by ids, else by their numbers."""
        if isinstance(self.received.part, PagesByIds):
            is_by_ids = yield from self._ids_reader().read()
            if is_by_ids:
                return
            is_first = not self.received.part.pages
            yield from self._begin_by_numbers(NoIds.IGNORED if is_first else NoIds.STOPPED)
        yield from self._read_numbers()

    def _read_numbers(self) -> Iterator[Arrival]:
        """Read the missing pages, and those again that do not fit together, while that may help."""
        rereads = 1 if self.received.keeps_history else MAX_REREADS
        for turn in range(1 + rereads):
            if turn > 0:
                again = proof.to_reread(self.received.part)
                yield from self.read(again, self.fetcher.refreshed())
                yield from self._link(turn)
            while numbers := self._missing():
                yield from self.read(numbers, self.fetcher.refreshed() if turn else self.fetcher)
                if self._is_size_changed:
                    yield from self._begin_with_small_pages()

    def _begin_with_small_pages(self) -> Iterator[Arrival]:
        """Begin again after pages of 25 were not sent any more."""
        self._is_size_changed = False
        sort = self.received.query.sort
        self.received.walk_by_numbers(NoIds.SMALL_PAGES)
        yield from self._begin_by_25(sort or KEPT_TODAY)

    def _missing(self) -> list[int]:
        """Return the numbers of the pages that are missing."""
        part = self.received.part
        return [] if isinstance(part, PagesByIds) else part.missing()

    def _link(self, turn: int) -> Iterator[Arrival]:
        """Read the last page of each earlier day again; the cache keeps both versions of it."""
        fetcher = self.fetcher if turn == 1 else self.fetcher.refreshed()
        numbers = proof.to_link(self.received.part)
        yield from self.read(numbers, fetcher, beside=True)

    def read(
        self, numbers: Iterable[int], fetcher: Fetcher | None = None, *, beside: bool = False
    ) -> Iterator[Arrival]:
        """Read pages, up to one behind the last."""
        received, query = self.received, self.received.query
        part = received.part
        if isinstance(part, PagesByIds):
            raise TypeError("the pages of a walk by ids have no numbers")
        fetcher = fetcher or self.fetcher
        to_receive = part.to_receive
        patience = Patience() if self.is_tolerant else Patience(most=1)
        is_end = False

        def fetch(number: int) -> tuple[CollectionPage | None, Answer]:
            may_end = partial(part.may_end_at, number)
            answer = fetcher.fetch(query, number, beside=beside, believe_refusal=may_end)
            page = self._as_page(part, number, answer)
            if page is None and isinstance(answer, Refusal):
                is_gone = answer.reason is Reason.GONE
                answer = replace(as_failure(answer), is_of_further_page=is_gone and number > 1)
            if page is not None:
                self.keep(page, answer, query)
            return page, answer

        def ends(result: tuple[CollectionPage | None, Answer]) -> bool:
            return patience.ends(result[1])

        failed: dict[int, Failure] = {}
        # Numbers are taken one by one, so that none behind the end is asked for once it is seen.
        needed_numbers = takewhile(lambda _: not is_end, numbers)
        for number, (page, answer) in fetch_ahead(
            fetch, needed_numbers, self.workers, ends, self.fetcher.session
        ):
            received.add_receipt(answer)
            if page is None and isinstance(answer, Failure):
                failed[number] = answer
            elif page is not None:
                received.add_page(page)
                self._is_size_changed |= _has_usual_size(page, query.per_page)
                is_end = is_end or self._is_size_changed or part.is_past_end(page)
            yield Arrival(page, answer, to_receive)
        if not failed:
            return
        number = min(failed)
        if failed[number].is_of_further_page and number - 1 in part.newest:
            # Records may have been removed, so that the page before it is the last one now.
            yield from self.read([number - 1], fetcher.refreshed())
            if part.may_end_at(number):
                self._end_at(number, part.newest[number - 1])
                return
        received.failure = patience.ending or failed[number]
        raise received.failure.error

    def _end_at(self, number: int, last: CollectionPage) -> None:
        """Note that a page does not exist, by the last page, which was read again."""
        end = end_at(number, last.received_at)
        refusal = Refusal(
            reason=Reason.GONE, received_at=last.received_at, requests=0, requests_paid=0
        )
        self.keep(end, refusal, self.received.query)
        self.received.add_page(end)
        self.received.failure = None

    def _as_page(
        self, part: Pages | SampledPages, number: int, answer: Answer
    ) -> CollectionPage | None:
        """Return an answer as a page; None if it is none, or no end where one may be."""
        if isinstance(answer, Document):
            return page_of(answer, number, self.received.query)
        is_gone = isinstance(answer, Refusal) and answer.reason is Reason.GONE
        if isinstance(answer, Refusal) and is_gone and part.may_end_at(number):
            return end_at(number, answer.received_at)
        return None

    def read_known(self) -> Iterator[Arrival]:
        """Read the missing pages that are in the cache."""
        if isinstance(self.received.part, PagesByIds):
            yield from self._ids_reader().read_known()
            return
        known = [number for number in self._missing() if self.is_page_known(number)]
        yield from self.read(known)

    def requests_to_come(self) -> int:
        """Estimate the number of requests that are still needed."""
        received = self.received
        numbers = self._missing()
        count = len(numbers)
        if isinstance(received.part, PagesByIds):
            count = received.part.count_missing()
        elif count < MAX_PAGES:
            count = sum(not self.is_page_known(number) for number in numbers)
        own = received.own_missing()
        unknown = received.own_to_come() - len(own)
        return count + sum(not self.is_own_known(id_) for id_ in own) + unknown

    # Own pages

    def read_own_pages(self, *, only_known: bool = False) -> Iterator[Arrival]:
        """Read the own pages of the records that need one; or only those in the cache."""
        received = self.received
        needed_ids = received.own_missing()
        if only_known:
            needed_ids = [id_ for id_ in needed_ids if self.is_own_known(id_)]
        patience = Patience(most_not_found=MAX_NOT_FOUND)
        results = fetch_ahead(
            self._fetch_own_page, needed_ids, self.workers, patience.ends, self.fetcher.session
        )
        not_found: dict[str, Failure] = {}
        for identifier, answer in results:
            received.add_receipt(answer)
            if isinstance(answer, Failure) and not answer.is_of_one_page:
                yield Arrival(None, answer, len(needed_ids))  # the page is still to be asked for
                continue
            if isinstance(answer, Failure) and answer.is_bare_404:
                not_found[identifier] = answer
            target: OwnPage | LostOwnPage
            if isinstance(answer, Document):
                target = OwnPage(record=identifier, received_at=answer.received_at)
                received.details.answers[identifier] = target
            else:
                target = LostOwnPage(identifier)
                received.details.answers[identifier] = answer
            yield Arrival(target, answer, len(needed_ids))
        ending = patience.ending
        if not_found and (ending is None or ending.is_bare_404):
            self._look_up(not_found)
            if ending is not None and not any(self._is_failed(id_) for id_ in not_found):
                # Bare 404s in a row of projects that do not exist are no end.
                yield from self.read_own_pages(only_known=only_known)
                return
        if ending is not None:
            received.failure = ending
            raise ending.error

    def _fetch_own_page(self, identifier: str) -> Answer:
        """Return the own page of a record; a refusal, if it is that of another one."""
        query = record_query(self.received.query.resource, identifier)
        answer = self.fetcher.fetch(query)
        if isinstance(answer, Document):
            ids = ids_of(answer.page, recognised(query, answer.page).resource)
            if ids == (identifier,):
                own_page = OwnPage(record=identifier, received_at=answer.received_at)
                self.keep(own_page, answer, query)
                return answer
            answer = Refusal(
                reason=Reason.OTHER_RECORD,
                received_at=answer.received_at,
                requests=answer.requests,
                requests_paid=answer.requests_paid,
                other_ids=ids,
            )
        if isinstance(answer, Refusal):
            self.keep(LostOwnPage(identifier), answer, query)
        return answer

    def _is_failed(self, identifier: str) -> bool:
        return isinstance(self.received.details.answers[identifier], Failure)

    def _look_up(self, not_found: dict[str, Failure]) -> None:
        """Ask by ids for projects whose own page is a bare 404; those that are not sent are gone."""
        received = self.received
        is_today = received.is_todays_service
        if not is_today:
            answer = fetch_first_page(self.fetcher)
            received.add_receipt(answer)
            is_today = is_todays_answer(answer)
        if not is_today or not all(map(is_id, not_found)):
            return
        by_ids = NamedIds(self.fetcher.refreshed())
        try:
            by_ids.look_up(not_found)
        finally:
            received.receipts += by_ids.receipts
            received.failure = by_ids.failure or received.failure
        for identifier in by_ids.gone:
            query = record_query(received.query.resource, identifier)
            refusal = self.fetcher.remember_gone(query, not_found[identifier])
            received.details.answers[identifier] = refusal
            self.keep(LostOwnPage(identifier), refusal, query)
        failures = [one for one in received.details.answers.values() if isinstance(one, Failure)]
        received.failure = failures[-1] if failures else None

    def is_page_known(self, number: int) -> bool:
        """Return whether a page of the collection comes from the cache."""
        return self.fetcher.is_known(self.received.query, number)

    def is_own_known(self, identifier: str) -> bool:
        """Return whether the own page of a record comes from the cache."""
        return self.fetcher.is_known(record_query(self.received.query.resource, identifier))


def _has_usual_size(page: CollectionPage, per_page: int | None) -> bool:
    """Return whether a page of a larger size was asked for, but has the place of a usual one."""
    if per_page is None or page.number == 1:
        return False
    return page.position == (page.number - 1) * USUAL_PAGE_SIZE


def _may_be_for_its_size(answer: Answer) -> bool:
    """Return whether a first page may have been refused because of its size."""
    return isinstance(answer, Refusal) or (isinstance(answer, Failure) and answer.is_bare_404)
