"""Load a query as one frame with its provenance, proven complete or said not to be."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from typing import Any, TypeVar

import pandas as pd

from dirframe import provenance
from dirframe._display import counted
from dirframe.client.directory import Directory
from dirframe.client.paging import MOST_PAGES, Pages, ReceivedPage, needed_pages
from dirframe.client.query import (
    Options,
    ProgressCallback,
    Query,
    better_sort,
    is_in_order,
    record_query,
)
from dirframe.client.records import Records
from dirframe.client.walk import Walk, may_come_later
from dirframe.errors import (
    AnalysesNotSentWarning,
    CacheError,
    IncompleteCollectionError,
    IncompleteWarning,
    QuotaExceededError,
    QuotaWarning,
    RequestError,
    SortIgnoredWarning,
    warn,
)
from dirframe.schema import PROJECT, UNKNOWN

Key = TypeVar("Key")


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
                on_own_page(1, total)
            elif page.number and page.ids:
                on_page(len(page.ids), total)

        with suppress(StopIteration):  # of a callback
            _read(Walk(pages, client, options, receive=receive), client, options)
    frame = records.frame([page.source + place for page, place in pages.places(whole=True)])
    client.session.warn_if_stale(pages.received)
    what = f"{pages.query.resource.collection} of {client.name}"
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
    what = f"{query.resource.collection} of {client.name}"
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
