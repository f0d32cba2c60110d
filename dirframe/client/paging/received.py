"""What was received of a query: the pages, what they cost, and how complete the records are."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from dirframe.client.paging import proof
from dirframe.client.paging.details import Details, OwnPage, needed
from dirframe.client.paging.fetch import Answer, Document, Failure, Reason, Refusal
from dirframe.client.paging.ids import Draw, IdSet, Undecided
from dirframe.client.paging.pages import CollectionPage, Pages
from dirframe.client.paging.proof import Part
from dirframe.client.paging.query import Query
from dirframe.client.paging.sample import SampledPages
from dirframe.client.paging.windows import PagesByIds
from dirframe.client.xml.page import Page, check_records
from dirframe.schema import Resource


class NoIds(enum.Enum):
    """Why projects of a directory like today's live service are read by page numbers."""

    NOT_OFFERED = enum.auto()  # pages of 25, or the newest projects, are not sent
    IGNORED = enum.auto()  # the first page by ids has other projects
    STOPPED = enum.auto()  # a later one has
    SMALL_PAGES = enum.auto()  # pages of 25 are not sent any more
    SPARSE = enum.auto()  # few ids exist, so that it costs less


@dataclass(frozen=True, slots=True)
class LostOwnPage:
    """The own page of a record, which could not be loaded."""

    record: str


#: What an answer is about.
Target: TypeAlias = CollectionPage | OwnPage | LostOwnPage


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
        self.no_ids: NoIds | None = None
        self._verdict: proof.Verdict | None = None

    def _part(self) -> Part:
        query = self.query
        has_key = bool(query.resource.key)
        if query.sample is not None:  # of positions
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
            self.part.page_size = query.per_page
            self.part.has_ties = bool(query.resource.wrapper)
        self._verdict = None

    def walk_by_ids(self, bound: int) -> None:
        """Go on by ids up to a bound, with what was received before."""
        query = self.query
        before = self.part.received
        first = before[-1] if before else None
        available = 0 if first is None else first.total or 0
        state: Undecided | Draw
        if query.sample is None:
            state = Undecided(IdSet.from_runs([(1, bound)]), in_runs=True)
        else:
            state = Draw(size=query.sample, seed=query.seed, bound=bound, available=available)
        part = PagesByIds(state=state, bound=bound, first=first)
        part.set_aside(before)
        self.part = part
        self._verdict = None

    def close(self, page: CollectionPage) -> None:
        """Add the page that ends a walk by ids."""
        if isinstance(self.part, PagesByIds):
            self.part.closing = page
        self._verdict = None

    def walk_by_numbers(self, reason: NoIds) -> None:
        """Go on by page numbers; what was received before stays, beside these pages."""
        before = self.part.received
        self.no_ids = reason
        self.part = self._part()
        self.part.set_aside(before)
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
        first = self.part.first
        if first is not None and self.part.count_missing():
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

    def lost_own_pages(self) -> dict[str, Refusal | Failure]:
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
    if isinstance(answer, Failure):
        return Receipt(received_at=None, requests=answer.requests, requests_paid=answer.requests)
    is_empty = answer.reason is Reason.NO_RECORDS  # which is what was asked for
    return Receipt(
        received_at=answer.received_at if is_empty else None,
        requests=answer.requests,
        requests_paid=answer.requests_paid,
    )


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


def end_at(number: int, at: datetime) -> CollectionPage:
    """Return a page that does not exist."""
    return CollectionPage(number=number, received_at=at, requested_at=at, exists=False)


def as_failure(answer: Refusal | Failure) -> Failure:
    """Return a refusal as a failure, where it is no answer."""
    if isinstance(answer, Failure):
        return answer
    if answer.error is None:
        raise ValueError("a refusal from the cache is not believed here")
    return Failure(error=answer.error, requests=answer.requests)
