"""Load a query as one frame with its provenance, proven complete or said not to be."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

import pandas as pd

from dirframe import provenance
from dirframe._display import quantity
from dirframe.client import messages
from dirframe.client.budget import check_quota
from dirframe.client.directory import Directory, session_of
from dirframe.client.paging.details import (
    ANALYSIS_COLUMNS,
    OwnPage,
    analyses_of,
    are_analyses_left_out,
    needed,
)
from dirframe.client.paging.fetch import (
    CacheUse,
    Document,
    Fetcher,
    Reason,
    Refusal,
    may_come_later,
)
from dirframe.client.paging.ids import Draw
from dirframe.client.paging.order import FEWEST, RANK, better_sort, is_in_order
from dirframe.client.paging.pages import MAX_PAGES, CollectionPage
from dirframe.client.paging.proof import Completeness
from dirframe.client.paging.query import BY_RANK, Query
from dirframe.client.paging.received import Arrival, LostOwnPage, NoIds, Receipt, Received
from dirframe.client.paging.sample import SampledPages
from dirframe.client.paging.walk import Walk
from dirframe.client.paging.windows import PagesByIds
from dirframe.client.progress import ProgressCallback, progress_of
from dirframe.client.xml.page import AnalysisSent
from dirframe.client.xml.records import Records
from dirframe.errors import (
    AnalysesNotSentWarning,
    CacheError,
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    RequestError,
    ServiceChangedWarning,
    SortIgnoredWarning,
    StaleWarning,
    UnreadableResponseError,
    warn,
)
from dirframe.schema import PROJECT, UNKNOWN
from dirframe.settings import shown_value

Incomplete = Literal["raise", "warn"]

#: A sort that leaves projects without users out, on today's live service.
WITH_USERS = "popularity"


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a query is loaded, as a person asked for it."""

    incomplete: Incomplete = "raise"
    cache: CacheUse = field(default_factory=CacheUse)
    progress: bool | ProgressCallback = False

    def __post_init__(self) -> None:
        if self.incomplete not in get_args(Incomplete):
            raise InvalidInputError(
                f'incomplete is {shown_value(self.incomplete)}; it must be "raise" or "warn".'
            )
        if not isinstance(self.progress, bool) and not callable(self.progress):
            raise InvalidInputError(
                f"progress is {shown_value(self.progress)}; it must be True, False or a function of two numbers."
            )

    @property
    def accepts_parts(self) -> bool:
        """Whether an incomplete result is returned with a warning."""
        return self.incomplete == "warn"


class Rows:
    """The records of the pages of a load, and the rows at which they begin."""

    def __init__(self, query: Query) -> None:
        self.records = Records(None if query.resource is UNKNOWN else query.resource)
        self._begins: dict[CollectionPage | OwnPage, int] = {}

    def add(self, arrival: Arrival) -> None:
        """Add the records of a page."""
        is_read = isinstance(arrival.target, CollectionPage | OwnPage)
        if is_read and isinstance(arrival.answer, Document):
            self._begins[arrival.target] = self.records.add(arrival.answer.page)  # type: ignore[index]  # is_read

    def has(self, page: CollectionPage | OwnPage) -> bool:
        """Return whether the records of a page were added."""
        return page in self._begins

    def frame(self, received: Received) -> pd.DataFrame:
        """Return the newest reading of each record that waits for no own page."""
        readings = received.readings(whole=True)
        return self.records.frame([self._begins[page] + index for page, index in readings])

    def row(self, page: CollectionPage | OwnPage, index: int) -> int:
        """Return the row of a record."""
        return self._begins[page] + index


def add_rows(rows: Rows, arrival: Arrival, client: Directory) -> None:
    """Add the records of a page; one that cannot be read with those before it is not kept."""
    try:
        rows.add(arrival)
    except UnreadableResponseError:
        if isinstance(arrival.answer, Document):
            session_of(client).forget(arrival.answer.url)
        raise


def load_query(query: Query, client: Directory, options: Options) -> pd.DataFrame:
    """Load a query as a frame with its provenance."""
    received, rows = Received(query), Rows(query)
    try:
        with (
            progress_of(query.resource.collection, options.progress) as on_page,
            progress_of("own pages", options.progress) as on_own_page,
            suppress(StopIteration),  # of a callback
        ):
            for arrival in _read(received, client, options):
                add_rows(rows, arrival, client)
                target = arrival.target
                if isinstance(target, CollectionPage) and target.ids and not target.is_probe:
                    on_page(len(target.ids), arrival.to_receive)
                elif isinstance(target, OwnPage | LostOwnPage):
                    on_own_page(1, arrival.to_receive)
    except (CacheError, RequestError) as error:
        if received.part.received:
            error.frame = partial_frame(rows, received, client)
        raise
    frame = rows.frame(received)
    warn_if_stale(client, received.receipts)
    what = f"{received.query.resource.words[1]} of {client.name}"
    facts = describe_whole(frame, received, what, source=client.name, base_url=client.base_url)
    summary = messages.summarize(received)
    if summary.completeness is Completeness.INCOMPLETE and not summary.is_capped:
        is_unstable = received.verdict.is_order_unstable
        reason = str(facts["incomplete_reason"])
        message = f"The {what} are not proven complete: {reason}."
        if received.query.sort == BY_RANK and RANK in frame:
            unranked = int(frame[RANK].isna().sum())
            ranked = "has no rank, and is" if unranked == 1 else "have no rank, and are"
            message += f" {unranked:,} of those received {ranked} in no order."
        lack: dict[str, Any] = {
            "details_missing": tuple(received.lost_own_pages()),
            "received": len(frame),
            "expected": received.verdict.expected,
            "order_fails": is_unstable,
            "better_sort": better_sort(received.query) if is_unstable else None,
        }
        if is_unstable and query.max_items is not None and query.sort is None:
            # The first records of an order that moves are no certain ones: nothing is missing.
            warn(IncompleteWarning(message, hint="Choose a sort (--sort) that is stable.", **lack))
            return frame
        raise_or_warn(options, frame, message, reason, messages.advice(received), **lack)
    return frame


def _read(received: Received, client: Directory, options: Options) -> Iterator[Arrival]:
    """Read all pages, if the quota may suffice; or what is there, if that is accepted."""
    fetcher = Fetcher(session_of(client), options.cache)
    walk = Walk(received, fetcher, client.workers, is_tolerant=options.accepts_parts)
    what = f"{received.query.resource.words[1]} of {client.name}"
    try:
        yield from walk.begin()
        if _may_exceed(received, client):
            # What is in the cache shows which own pages are needed.
            yield from walk.read_known()
            _check(walk, client, what, options)
        way = received.no_ids
        for arrival in walk.read_all():
            yield arrival
            if received.no_ids is not way:
                way = received.no_ids  # which may cost much more
                if _may_exceed(received, client):
                    _check(walk, client, what, options)
        if len(received.own_missing()) > client.quota().left:
            _check(walk, client, what, options)
        yield from walk.read_own_pages()
    except (CacheError, RequestError) as error:
        failure = received.failure
        is_later = may_come_later(error) if failure is None else failure.may_come_later
        if not options.accepts_parts or not is_later:
            raise
        yield from walk.read_known()
        yield from walk.read_own_pages(only_known=True)
        received.failure = failure
        if not received.verdict.places:
            raise


def _check(walk: Walk, client: Directory, what: str, options: Options) -> None:
    needed_requests = walk.requests_to_come()
    accepts_parts = options.accepts_parts
    check_quota(client, options.cache, what, needed_requests, accepts_parts=accepts_parts)


def _may_exceed(received: Received, client: Directory) -> bool:
    """Return whether the pages to come may exceed the quota; not of a count that is no count."""
    pages = received.part.count_missing()
    if pages >= MAX_PAGES:
        return False
    return pages + received.own_to_come() > client.quota().left


def partial_frame(rows: Rows, received: Received, client: Directory) -> pd.DataFrame:
    """Return the records that were received before an error, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        readings = [(page, index) for page, index in received.readings() if rows.has(page)]
        frame = rows.records.frame([rows.row(page, index) for page, index in readings])
        describe(frame, received, source=client.name, base_url=client.base_url)
    return frame


# The provenance of a frame


def describe(frame: pd.DataFrame, received: Received, **facts: Any) -> dict[str, Any]:
    """Record in a frame of some records what their pages say, and return it."""
    facts |= facts_of(received)
    sort = received.query.sort
    is_kept = is_in_order(frame, sort or "")
    if sort == WITH_USERS and received.is_todays_service:
        facts["query"]["only"] = "projects with users"
    if sort is not None and (is_kept is False or (is_kept is None and len(frame) >= FEWEST)):
        del facts["query"]["sort"]  # what was not seen is not claimed
    facts["sent"] = provenance.columns_with_values(frame)
    provenance.set_provenance(frame, **facts)
    return facts


def facts_of(received: Received) -> dict[str, Any]:
    """Return what the provenance says of what was received, and of its records."""
    summary, verdict, query = messages.summarize(received), received.verdict, received.query
    analyses = analyses_of(verdict.places).values()
    is_left_out = not query.details and are_analyses_left_out(analyses)
    return {
        "resource": query.resource.name,
        "query": query.to_provenance(),
        "items_available": verdict.total,
        "items_loaded": len(verdict.places),
        "completeness": summary.completeness.value,
        "incomplete_reason": summary.reason,
        "sample": _sample_facts(received),
        "walk": _walk_facts(received),
        "duplicates_removed": verdict.repeated,
        "not_sent": ANALYSIS_COLUMNS if is_left_out else (),
        "details": received.details.received,
        "details_missing": tuple(received.lost_own_pages()),
    } | cost_of(received.receipts)


def _sample_facts(received: Received) -> dict[str, Any]:
    part, verdict = received.part, received.verdict
    if isinstance(part, PagesByIds) and isinstance(part.state, Draw):
        return _facts_of_draw(received, part, part.state)
    if not isinstance(part, SampledPages) or not part.newest:
        return {}
    facts: dict[str, Any] = {
        "design": "simple random sample of positions without replacement",
        "size": verdict.expected,
        "population": verdict.total,
        "seed": part.seed,
        "order": received.query.sort or "the directory's own",
    }
    later = [total for total in verdict.totals if total not in {verdict.total, 0}]
    return facts | ({"population_later": later} if later else {})


def _facts_of_draw(received: Received, part: PagesByIds, draw: Draw) -> dict[str, Any]:
    days = received.verdict.days
    return {
        "design": "simple random sample of ids without replacement: the first ones that exist, in the "
        "order of the SHA-256 of “seed:id”",
        "size": received.verdict.expected,
        "population": draw.available,
        "seed": draw.seed,
        "order": "as drawn",
        "bound": part.bound,
        "ids_drawn": draw.drawn,
        "ids_existing": draw.existing,
        "items_available": part.totals,
        "days": [str(day) for day in days],
        "own_pages": _own_facts(received),
    }


def _own_facts(received: Received) -> dict[str, int]:
    """Return how many own pages were received, and how many projects have none, or lost theirs."""
    analyses = analyses_of(received.verdict.places)
    answers = received.details.answers
    without = sum(
        isinstance(answer, Refusal) and answer.reason is Reason.NO_ANALYSIS
        for answer in answers.values()
    )
    if not received.details.is_wanted:
        return {}
    return {
        "received": received.details.received,
        "without_analysis": without + sum(AnalysisSent.NO_ID in sent for sent in analyses.values()),
        "failed": len(received.lost_own_pages()),
    }


def _walk_facts(received: Received) -> dict[str, Any]:
    """Return how a directory like today's live service was read."""
    part = received.part
    if isinstance(part, PagesByIds) and part.bound:
        facts = {"by": "ids", "bound": part.bound, "items_available": part.totals}
        return facts | ({"added_later": part.added_later} if part.added_later else {})
    if received.no_ids is not None:
        return {"by": "page numbers", "reason": messages.reason_of(received.no_ids)}
    return {}


def cost_of(receipts: Sequence[Receipt]) -> dict[str, Any]:
    """Return when pages were received and what they cost, as the provenance says it."""
    now = datetime.now(UTC)  # a page is dated in the future if a clock was wrong
    times = [
        min(receipt.received_at, now).isoformat(timespec="seconds")
        for receipt in receipts
        if receipt.received_at is not None
    ]
    return {
        "retrieved_oldest": min(times, default=None),
        "retrieved_newest": max(times, default=None),
        "requests_made": sum(receipt.requests for receipt in receipts),
        "requests_cached": sum(
            not receipt.requests and receipt.received_at is not None for receipt in receipts
        ),
        "requests_paid": sum(receipt.requests_paid for receipt in receipts),
        "synthetic": any(receipt.is_synthetic for receipt in receipts),
    }


def describe_whole(
    frame: pd.DataFrame, received: Received, what: str, **facts: Any
) -> dict[str, Any]:
    """Record the provenance of a frame of all records; warn of what the directory did not do."""
    facts = describe(frame, received, **facts)
    if len(frame) < facts["items_loaded"]:
        facts["items_loaded"] = len(frame)
        facts["incomplete_reason"] += "; records without their own page are left out"
        provenance.set_provenance(frame, **facts)
    _warn_of_order(received, what, is_kept=is_in_order(frame, received.query.sort or ""))
    warn_if_changed(received.no_ids, what)
    if facts["not_sent"]:
        number = len(needed(analyses_of(received.verdict.places)))
        text = (
            f"{messages.with_an_analysis(number, len(frame))}, but its columns are empty: this directory "
            "sends analyses only on each project's own page."
        )
        price = f"at most {quantity(number, 'request')}"
        hint = f"details=True (--details) requests these pages: {price}."
        warn(AnalysesNotSentWarning(text, requests=number, hint=hint))
    return facts


def warn_if_changed(no_ids: NoIds | None, what: str) -> None:
    """Warn if the directory stopped sending 25 projects a request while a load was read."""
    if no_ids not in {NoIds.STOPPED, NoIds.SMALL_PAGES}:
        return
    text = (
        f"The remaining {what} were read in another way, because {messages.reason_of(no_ids)}: nothing "
        "is lost, but the load needed more requests."
    )
    hint = "dirframe.check() (dirframe check) shows what the directory sends now."
    warn(ServiceChangedWarning(text, hint=hint))


def _warn_of_order(received: Received, what: str, *, is_kept: bool | None) -> None:
    """Warn if the directory ignored the sort, or a sample was drawn in no order that it keeps."""
    sort, part = received.query.sort, received.part
    is_drawn = isinstance(part, SampledPages) and received.query.resource is PROJECT
    first = part.first
    is_of_several = first is not None and (part.total or 0) > len(first.ids)
    ignored = ""
    if sort and received.is_sort_given and is_kept is False:
        ignored = f"are not sorted by {sort}, which the directory ignored"
    elif is_drawn and sort is None and is_of_several:
        ignored = (
            "were drawn in the directory's own order, for it keeps neither ids nor names: if that "
            "changes from page to page, the sample is not random"
        )
    if ignored:
        hint = "Choose a sort (--sort) that this directory keeps, or sort the frame."
        warn(SortIgnoredWarning(f"The {what} {ignored}.", sort=sort or "id", hint=hint))


def warn_if_stale(client: Directory, receipts: Sequence[Receipt]) -> None:
    """Warn if any of the pages from the cache has expired, or is dated in the future."""
    cached = [
        receipt.received_at
        for receipt in receipts
        if receipt.received_at is not None and not receipt.requests
    ]
    if not cached:
        return
    now = datetime.now(UTC)
    newest = max(cached)
    if newest > now:
        text = (
            f"Pages from the cache are dated in the future, up to {newest:%Y-%m-%d %H:%M} UTC: the clock "
            "was or is wrong. Their age is unknown; the time of this load is recorded instead."
        )
        warn(StaleWarning(text, hint="refresh=True (--refresh) requests them again."))
    oldest = min(cached)
    age = now - oldest
    if age > client.expire_after:
        when = f"{age / timedelta(days=1):,.1f} days ago, at {oldest:%Y-%m-%d %H:%M} UTC"
        warn(StaleWarning(f"Old pages from the cache are used: the oldest was fetched {when}."))


def raise_or_warn(
    options: Options, frame: pd.DataFrame, message: str, why: str, advice: str, **facts: Any
) -> None:
    """Raise or warn that records of a frame are missing, as the options say."""
    facts["hint"] = f'{advice}; incomplete="warn" (--incomplete warn) accepts the partial result.'
    if not options.accepts_parts:
        raise IncompleteCollectionError(message, frame=frame, missing=why, **facts)
    warn(IncompleteWarning(message, **facts))
