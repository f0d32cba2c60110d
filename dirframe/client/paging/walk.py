"""Read the pages that a query needs, and again those that do not fit, until nothing is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import takewhile
from typing import TypeAlias

from dirframe.client.paging import proof
from dirframe.client.paging.details import Details, OwnPage, needed
from dirframe.client.paging.fetch import (
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
from dirframe.client.paging.order import KEPT_TODAY, is_last, keeps_order, sorts_to_try
from dirframe.client.paging.pages import MAX_PAGES, CollectionPage, Pages
from dirframe.client.paging.query import Query, recognised, record_query
from dirframe.client.paging.sample import SampledPages
from dirframe.client.xml.page import AnalysisSent, Page, check_records
from dirframe.schema import Resource

#: Maximum number of times that inconsistent pages are read again; of an archive, once.
MAX_REREADS = 3

#: A part of a collection that can be proven alone.
Part: TypeAlias = Pages | SampledPages


@dataclass(frozen=True, slots=True)
class Lost:
    """The own page of a record, which was refused or failed."""

    record: str


#: What an answer is about.
Target: TypeAlias = CollectionPage | OwnPage | Lost


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """When an answer was received, and what it cost."""

    received_at: datetime | None  # None: no page
    requests: int  # made now; 0: from the cache
    requests_paid: int  # made when it was received
    is_synthetic: bool = False


@dataclass(frozen=True, slots=True)
class Arrival:
    """An answer, what it is about, and the number of records or own pages that are read with it."""

    target: Target | None  # None: a failure
    answer: Answer
    to_receive: int


class Received:
    """What was received of one query."""

    def __init__(self, query: Query, *, keeps_history: bool = False) -> None:
        self.query = query
        self.is_sort_given = query.sort is not None
        self.keeps_history = keeps_history
        self.part: Part = self._part()
        self.details = Details(is_wanted=query.details)
        self.receipts: list[Receipt] = []
        self.refusal: Refusal | None = None  # of its first page
        self.failure: Failure | None = None  # the newest one
        self.is_todays_service = False  # as far as the first page of projects shows
        self.first_sort: str | None = (
            None  # of the first page; in an estimate, not that of the query
        )
        self._verdict: proof.Verdict | None = None

    def _part(self) -> Part:
        query = self.query
        has_key = bool(query.resource.key)
        if query.sample is not None:
            return SampledPages(size=query.sample, seed=query.seed, has_key=has_key)
        return Pages(
            has_key=has_key,
            is_paged=query.resource.paged,
            limit=query.max_items,
            keeps_history=self.keeps_history,
        )

    def restate(self, query: Query) -> None:
        """Change the query to what its first page shows, before that page is added."""
        self.query = query
        self.details.is_wanted = query.details
        self.part.has_key = bool(query.resource.key)
        if isinstance(self.part, Pages):
            self.part.is_paged = query.resource.paged
            self.part.has_ties = bool(query.resource.wrapper)
        self._verdict = None

    def add_page(self, page: CollectionPage) -> None:
        """Add a page of the collection."""
        self.part.add(page)
        self._verdict = None

    def add_receipt(self, answer: Answer) -> None:
        """Note what an answer cost, and the failure if it is one."""
        self.receipts.append(receipt_of(answer))
        if isinstance(answer, Failure):
            self.failure = answer

    @property
    def verdict(self) -> proof.Verdict:
        """The records of the collection, and how complete they are."""
        if self._verdict is None:
            self._verdict = proof.judge(self.part)
        return self._verdict

    def own_missing(self) -> list[str]:
        """Return the ids of the records whose own page is needed and was not asked for yet."""
        return self.details.missing(self.verdict.places) if self.details.is_wanted else []

    def own_to_come(self) -> int:
        """Estimate the number of own pages to ask for: of further records, as of the first page."""
        if not self.details.is_wanted:
            return 0
        number = len(self.own_missing())
        first = self.part.newest.get(1)
        if first is not None and self.part.missing():
            analyses = dict(enumerate(first.analyses))
            share = len(needed(analyses)) / max(len(analyses), 1)
            more = (self.part.expected or 0) - len(self.verdict.places)
            number += round(share * max(more, 0))
        return number

    def readings(self, *, whole: bool = False) -> Iterator[tuple[CollectionPage | OwnPage, int]]:
        """Yield where each record is read, `whole` only those that wait for no own page."""
        left_out = set(self.own_missing()) if whole else set()
        for key, place in self.verdict.places.items():
            own = self.details.page_of(key)
            if key in left_out:
                continue
            yield (place.page, place.index) if own is None else (own, 0)

    def lost(self) -> dict[str, Refusal | Failure]:
        """Return the records whose own page could not be loaded, and what was answered."""
        return {
            record: answer
            for record, answer in self.details.answers.items()
            if isinstance(answer, Failure)
            or (isinstance(answer, Refusal) and answer.reason is not Reason.NO_ANALYSIS)
        }


def receipt_of(answer: Answer) -> Receipt:
    """Return the receipt of an answer."""
    if isinstance(answer, Document):
        return Receipt(
            received_at=answer.received_at,
            requests=answer.requests,
            requests_paid=answer.requests_paid,
            is_synthetic=answer.page.synthetic,
        )
    paid = answer.requests if isinstance(answer, Failure) else answer.requests_paid
    return Receipt(received_at=None, requests=answer.requests, requests_paid=paid)


def ids_of(page: Page, resource: Resource) -> tuple[str | None, ...]:
    """Return the ids of the records of a page; of a resource without a key, digests of them."""
    check_records(page, resource.name)
    return page.values(resource.key) if resource.key else page.digests()


def page_of(document: Document, number: int, query: Query) -> CollectionPage:
    """Return a document as a page of a collection."""
    page = document.page
    is_counted = page.items_available is not None or page.items_returned is not None
    is_single = not query.numbered and len(page.records) == 1 and not is_counted
    return CollectionPage(
        number=number,
        received_at=document.received_at,
        requested_at=document.requested_at,
        ids=ids_of(page, query.resource),
        total=1 if is_single else page.items_available,
        position=page.first_item_position,
        returned=page.items_returned,
        analyses=page.analyses_sent(),
    )


def _end_at(number: int, at: datetime) -> CollectionPage:
    """Return a page that does not exist."""
    return CollectionPage(number=number, received_at=at, requested_at=at, exists=False)


def as_failure(answer: Refusal | Failure) -> Failure:
    """Return a refusal as a failure, where it is no answer."""
    if isinstance(answer, Failure):
        return answer
    if answer.error is None:
        raise ValueError("a refusal from the cache is not believed here")
    return Failure(error=answer.error, requests=answer.requests)


Keep: TypeAlias = "Callable[[Target, Answer, str | None], None]"


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

    # The first page

    def begin(self, *, is_estimate: bool = False) -> Iterator[Arrival]:
        """Read the first page in an order that the directory keeps, after those in others.

        An estimate takes the first page of today's live service in any order.
        """
        query = self.received.query
        needs_fixed_order = query.sample is not None or self.received.keeps_history
        sorts = sorts_to_try(query) if needs_fixed_order else [query.sort]
        for sort in sorts:
            in_order = replace(query, sort=sort)
            is_asked = sort == query.sort
            is_answer = self.believes_refusals or not is_asked
            answer = self.fetcher.fetch(in_order, may_refuse=always if is_answer else never)
            if isinstance(answer, Failure):
                yield self._failed(answer)
                raise answer.error
            if isinstance(answer, Refusal):
                if answer.reason is Reason.NO_RECORDS:
                    yield self._begin_without_records(in_order, answer)
                    return
                if is_asked:
                    yield from self._refused(answer)
                    return
                yield self._probe(sort, answer)  # the directory does not offer this order
                continue
            if is_asked:
                yield from self._begin_in(in_order, answer, is_estimate=is_estimate)
                return
            if keeps_order(answer.page, str(sort)):
                yield self._begin_with(in_order, answer)
                return
            if is_last(answer.page) or sort == KEPT_TODAY:
                # The directory ignored the sort: this is its own order.
                yield self._begin_with(query, answer)
                return
            yield self._probe(sort, answer)

    def _begin_in(self, query: Query, answer: Document, *, is_estimate: bool) -> Iterator[Arrival]:
        """Begin in the order that was asked for; all projects of today's service by names."""
        is_whole = query.path == "/projects.xml" and query.max_items is None and query.sort is None
        is_plain = is_whole and query.sample is None and not self.received.keeps_history
        self.received.is_todays_service = self._is_today(answer.page)
        if not is_plain or not self.received.is_todays_service:
            yield self._begin_with(query, answer)
            return
        by_name = replace(query, sort=KEPT_TODAY)
        if is_estimate:
            yield self._begin_with(by_name, answer)
            self.received.first_sort = None  # the load asks for another first page
            return
        yield self._probe(None, answer)
        first = self.fetcher.fetch(by_name, may_refuse=never)
        if isinstance(first, Document) and (
            keeps_order(first.page, KEPT_TODAY) or is_last(first.page)
        ):
            yield self._begin_with(by_name, first)
        elif isinstance(first, Document):
            yield self._begin_with(query, first)
        elif isinstance(first, Failure):
            yield self._failed(first)
            raise first.error
        else:
            yield from self._refused(first)

    def _is_today(self, first: Page) -> bool:
        """Return whether today's live service sent a first page: ten, without analyses, redirected."""
        sent = first.analyses_sent()
        is_without = bool(sent) and not any(AnalysisSent.ANALYSIS in one for one in sent)
        is_one_of_several = len(first.records) == 10 and not is_last(first)
        return is_without and is_one_of_several and self.fetcher.is_moved(self.received.query.path)

    def _begin_with(self, query: Query, answer: Document) -> Arrival:
        query = recognised(query, answer.page)
        page = page_of(answer, 1, query)
        self.received.first_sort = query.sort
        self.received.restate(query)
        self.received.add_page(page)  # raises, before it is kept, if no sample can be drawn
        self.received.add_receipt(answer)
        self.keep(page, answer, query.sort)
        return Arrival(page, answer, self.received.part.to_receive)

    def _begin_without_records(self, query: Query, refusal: Refusal) -> Arrival:
        """Begin with a collection that has no first page, since it has no records."""
        at = refusal.received_at
        page = replace(_end_at(1, at), total=0)
        self.received.restate(query)
        self.received.add_page(page)
        self.received.add_receipt(refusal)
        self.keep(page, refusal, query.sort)
        return Arrival(page, refusal, 0)

    def _probe(self, sort: str | None, answer: Document | Refusal) -> Arrival:
        """Add a first page in an order that is not used."""
        if isinstance(answer, Document):
            query = recognised(self.received.query, answer.page)
            page = replace(page_of(answer, 1, query), is_probe=True)
        else:
            page = replace(_end_at(1, answer.received_at), is_probe=True)
        self.received.add_page(page)
        self.received.add_receipt(answer)
        self.keep(page, answer, sort)
        return Arrival(page, answer, 0)

    def _failed(self, failure: Failure) -> Arrival:
        self.received.add_receipt(failure)
        return Arrival(None, failure, self.received.part.to_receive)

    def _refused(self, refusal: Refusal) -> Iterator[Arrival]:
        """Yield the refusal of the first page; raise it, unless it is an answer."""
        if self.believes_refusals:
            self.received.refusal = refusal
            self.received.add_receipt(refusal)
            yield Arrival(None, refusal, 0)
            return
        yield self._failed(as_failure(refusal))
        raise as_failure(refusal).error

    # All pages

    def read_all(self) -> Iterator[Arrival]:
        """Read the missing pages, and those again that do not fit together, while that may help."""
        rereads = 1 if self.received.keeps_history else MAX_REREADS
        for turn in range(1 + rereads):
            if turn > 0:
                again = proof.to_reread(self.received.part)
                yield from self.read(again, self.fetcher.refreshed())
                yield from self._link(turn)
            while numbers := self.received.part.missing():
                yield from self.read(numbers, self.fetcher.refreshed() if turn else self.fetcher)

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
        fetcher = fetcher or self.fetcher
        to_receive = received.part.to_receive
        patience = Patience() if self.is_tolerant else Patience(most=1)
        is_end = False

        def fetch(number: int) -> tuple[CollectionPage | None, Answer]:
            may_end = partial(received.part.may_end_at, number)
            answer = fetcher.fetch(query, number, beside=beside, may_refuse=may_end)
            page = self._as_page(number, answer)
            if page is None and isinstance(answer, Refusal):
                is_gone = answer.reason is Reason.GONE
                answer = replace(as_failure(answer), is_of_further_page=is_gone and number > 1)
            if page is not None:
                self.keep(page, answer, query.sort)
            return page, answer

        def ends(result: tuple[CollectionPage | None, Answer]) -> bool:
            return patience.ends(result[1])

        failed: dict[int, Failure] = {}
        needed_numbers = takewhile(lambda _: not is_end, numbers)
        for number, (page, answer) in fetch_ahead(fetch, needed_numbers, self.workers, ends):
            received.add_receipt(answer)
            if page is None and isinstance(answer, Failure):
                failed[number] = answer
            elif page is not None:
                received.add_page(page)
                is_end = is_end or received.part.is_past_end(page)
            yield Arrival(page, answer, to_receive)
        if not failed:
            return
        number = min(failed)
        if failed[number].is_of_further_page and number - 1 in received.part.newest:
            # Records may have been removed, so that the page before it is the last one now.
            yield from self.read([number - 1], fetcher.refreshed())
            if received.part.may_end_at(number):
                at = received.part.newest[number - 1].received_at
                end = _end_at(number, at)
                refusal = Refusal(reason=Reason.GONE, received_at=at, requests=0, requests_paid=0)
                self.keep(end, refusal, query.sort)
                received.add_page(end)
                received.failure = None
                return
        received.failure = patience.ending or failed[number]
        raise received.failure.error

    def _as_page(self, number: int, answer: Answer) -> CollectionPage | None:
        """Return an answer as a page; None if it is none, or no end where one may be."""
        if isinstance(answer, Document):
            return page_of(answer, number, self.received.query)
        is_gone = isinstance(answer, Refusal) and answer.reason is Reason.GONE
        if isinstance(answer, Refusal) and is_gone and self.received.part.may_end_at(number):
            return _end_at(number, answer.received_at)
        return None

    def read_known(self) -> Iterator[Arrival]:
        """Read the missing pages that are in the cache."""
        known = [number for number in self.received.part.missing() if self.is_page_known(number)]
        yield from self.read(known)

    def requests_to_come(self) -> int:
        """Estimate the number of requests that are still needed."""
        received = self.received
        numbers = received.part.missing()
        if len(numbers) < MAX_PAGES:
            numbers = [number for number in numbers if not self.is_page_known(number)]
        own = received.own_missing()
        unknown = received.own_to_come() - len(own)
        return len(numbers) + sum(not self.is_own_known(id_) for id_ in own) + unknown

    # Own pages

    def read_own_pages(self, *, only_known: bool = False) -> Iterator[Arrival]:
        """Read the own pages of the records that need one; or only those in the cache."""
        received = self.received
        resource = received.query.resource
        needed_ids = received.own_missing()
        if only_known:
            needed_ids = [id_ for id_ in needed_ids if self.is_own_known(id_)]

        def fetch(identifier: str) -> tuple[OwnPage | None, Answer]:
            query = record_query(resource, identifier)
            answer = self.fetcher.fetch(query)
            page = None
            if isinstance(answer, Document):
                ids = ids_of(answer.page, recognised(query, answer.page).resource)
                page = OwnPage(record=identifier, received_at=answer.received_at)
                if ids != (identifier,):
                    page = None
                    answer = Refusal(
                        reason=Reason.OTHER_RECORD,
                        received_at=answer.received_at,
                        requests=answer.requests,
                        requests_paid=answer.requests_paid,
                        other_ids=ids,
                    )
            if not isinstance(answer, Failure):
                self.keep(page or Lost(identifier), answer, None)
            return page, answer

        patience = Patience()
        results = fetch_ahead(
            fetch, needed_ids, self.workers, lambda result: patience.ends(result[1])
        )
        for identifier, (page, answer) in results:
            received.add_receipt(answer)
            if page is not None:
                received.details.answers[identifier] = page
            elif isinstance(answer, Refusal) or (
                isinstance(answer, Failure) and answer.is_of_one_page
            ):
                received.details.answers[identifier] = answer
            else:  # the page is still to be asked for
                yield Arrival(None, answer, len(needed_ids))
                continue
            yield Arrival(page or Lost(identifier), answer, len(needed_ids))
        if patience.ending is not None:
            received.failure = patience.ending
            raise patience.ending.error

    def is_page_known(self, number: int) -> bool:
        """Return whether a page of the collection comes from the cache."""
        return self.fetcher.is_known(self.received.query, number)

    def is_own_known(self, identifier: str) -> bool:
        """Return whether the own page of a record comes from the cache."""
        return self.fetcher.is_known(record_query(self.received.query.resource, identifier))
