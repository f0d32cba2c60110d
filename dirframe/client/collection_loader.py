"""Load a collection query as a frame with its provenance, proven complete."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from dirframe import provenance
from dirframe.client.details import Details
from dirframe.client.directory import open_directory
from dirframe.client.paging.order import KEPT_TODAY, better_sort, is_in_order, is_of_today
from dirframe.client.paging.paginator import Paginator
from dirframe.client.paging.progress import Progress
from dirframe.client.records import frame_of
from dirframe.errors import (
    AnalysesNotSentWarning,
    Hint,
    IncompleteCollectionError,
    IncompleteWarning,
    InvalidInputError,
    SortIgnoredWarning,
    warn,
)
from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd

    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage
    from dirframe.client.paging.paginator import CollectionResult
    from dirframe.client.paging.progress import ProgressCallback
    from dirframe.client.paging.query import CollectionQuery
    from dirframe.schema import Resource


Incomplete = Literal["raise", "warn"]


@dataclass(frozen=True, kw_only=True)
class LoadOptions:
    """Options of one load, as in `load_projects`.

    Raises
    ------
    InvalidInputError
        If `incomplete` has an invalid value.
    """

    policy: dict[str, bool]
    details: bool = False
    incomplete: Incomplete = "raise"
    progress: bool | ProgressCallback = False

    def __post_init__(self) -> None:
        if self.incomplete not in get_args(Incomplete):
            raise InvalidInputError(
                f'incomplete is {self.incomplete!r}; it must be "raise" or "warn".'
            )


def load_collection_query(
    query: CollectionQuery,
    directory: Directory | None,
    options: LoadOptions,
    *,
    first: FetchedPage | None = None,
) -> pd.DataFrame:
    """Load a collection query; see `load_projects`.

    Parameters
    ----------
    query
        The validated query.
    directory
        As in `load_projects`.
    options
        Options of the load.
    first
        The first page, if already fetched.

    Returns
    -------
    pandas.DataFrame
        The records, with their provenance.

    Raises
    ------
    IncompleteCollectionError
        If the collection cannot be proven complete.
    """
    resource, requested, spent = query.resource, query.sort, 0
    with open_directory(directory) as connection:
        if has_free_order(query):
            first = first or connection.session.get(query.path, query.params(1), **options.policy)
            query = with_order(query, connection, first)
            if query.sort is not None:
                spent, first = first.attempts, None
        with open_paginator(query, connection, options, first=first) as (
            client,
            paginator,
        ):
            result = paginator.run()
            if result.fetched:
                client.session.warn_if_stale(result.fetched)
    facts = query.to_provenance() | ({"details": True} if options.details else {})
    sort = str(facts.get("sort", ""))
    if is_in_order(result.frame, sort) is False:
        del facts["sort"]
        if requested or sort != query.sort:
            warn(_sort_ignored(sort, f"{resource.collection} of {client.name}"))
    kind, reason = result.completeness, result.unproven_reason
    if result.capped:
        kind = "incomplete"
        reason = result.incomplete_reason or f"capped at max_items={query.max_items}"
    frame = attach_load_provenance(
        result.frame,
        client,
        resource,
        result.fetched,
        more_requests=spent + sum(refusal.requests for refusal in result.refused.values()),
        query=facts,
        items_available=result.available,
        complete={"proven": True, "counted": None}.get(kind, False),
        completeness=kind,
        incomplete_reason=reason,
        duplicates_removed=result.duplicates,
        synthetic=result.synthetic,
        not_sent=result.not_sent,
        details=result.details,
        details_missing=result.lost,
    )
    if result.not_sent:
        warn(analyses_not_sent(len(frame), result.needed))
    if result.incomplete_reason:
        handle_incomplete(result, query, client, options, frame)
    return frame


def has_free_order(query: CollectionQuery) -> bool:
    """Return whether a query asks for all projects in no order of its own."""
    is_whole = query.resource is PROJECT and query.max_items is None
    return is_whole and query.path == "/projects.xml" and "sort" not in query.params(1)


def with_order(query: CollectionQuery, client: Directory, first: FetchedPage) -> CollectionQuery:
    """Return the query in the order that today's live service keeps, if `first` is of it."""
    is_moved = client.session.is_moved(query.path)
    return replace(query, sort=KEPT_TODAY) if is_of_today(first.page, is_moved=is_moved) else query


def _sort_ignored(sort: str, what: str) -> SortIgnoredWarning:
    return SortIgnoredWarning(
        f"The {what} are not sorted by {sort}: the directory ignored it, so provenance does not "
        "state it.",
        sort=sort,
        hint=Hint("Sort the frame, or choose another sort.", shell="Choose another --sort."),
    )


def load_single(
    fetched: FetchedPage,
    resource: Resource,
    client: Directory,
    query: Mapping[str, Any],
) -> pd.DataFrame:
    """Return the record of its own page as a frame of one row, with its provenance."""
    client.session.warn_if_stale([fetched])
    return attach_load_provenance(
        frame_of([fetched.page], resource),
        client,
        resource,
        [fetched],
        query=query,
        items_available=1,
        complete=True,
        completeness="proven",
        synthetic=fetched.page.synthetic,
    )


@contextmanager
def open_paginator(
    query: CollectionQuery,
    directory: Directory | None,
    options: LoadOptions,
    *,
    first: FetchedPage | None = None,
) -> Iterator[tuple[Directory, Paginator]]:
    """Yield the directory and a paginator of a query, with the progress that the options ask for."""
    resource = query.resource
    with (
        open_directory(directory) as client,
        Progress(resource.collection, shown=options.progress) as bar,
        Progress("own pages", shown=options.progress) as own,
    ):
        session, policy = client.session, options.policy

        def fetch(page: int, *, refresh: bool = False) -> FetchedPage:
            chosen = {"refresh": True} if refresh and not policy.get("offline") else policy
            return session.get(query.path, query.params(page), **chosen)

        def get_cached(page: int) -> FetchedPage | None:
            if page == 1 and first is not None:
                return first
            return session.get_cached(query.path, query.params(page), **policy)

        paginator = Paginator(
            fetch,
            resource,
            get_cached=get_cached,
            max_items=query.max_items,
            workers=client.workers,
            progress=bar.advance,
            details=Details(client, resource, policy) if options.details else None,
            on_details=own.advance,
        )
        yield client, paginator


def handle_incomplete(
    result: CollectionResult,
    query: CollectionQuery,
    directory: Directory,
    options: LoadOptions,
    frame: pd.DataFrame,
) -> None:
    """Raise or warn that records are not proven complete, as the options say."""
    why = str(result.incomplete_reason)
    what = f"{query.resource.collection} of {directory.name}"
    facts: dict[str, Any] = {
        "received": result.received,
        "expected": result.expected or None,
        "details_missing": result.lost,
    }
    if result.order_fails:
        facts["order_fails"] = True
        facts["better_sort"] = better_sort(query.resource, query.sort)
        message, facts["hint"] = _unordered(what, why, query, facts["better_sort"])
    else:
        say = _stopped if result.stopped else _without_details if result.lost else _unproven
        message, facts["hint"] = say(what, why)
    if options.incomplete == "raise":
        raise IncompleteCollectionError(message, frame=frame, missing=why, **facts)
    warn(IncompleteWarning(message, **facts))


def _unproven(what: str, why: str) -> tuple[str, Hint]:
    changed = "The collection probably changed while it was read."
    return f"The {what} could not be proven complete: {why}. {changed}", Hint(
        "Run the same line again (pages in the cache cost nothing; refresh=True asks for all of "
        'them), choose another sort, or pass incomplete="warn" to accept the partial result.',
        shell="Run the same command again (pages in the cache cost nothing; --refresh asks for "
        "all of them), choose another --sort, or use --incomplete warn to accept the partial result.",
    )


def _unordered(what: str, why: str, query: CollectionQuery, better: str | None) -> tuple[str, Hint]:
    order = f"The order of sort={query.sort!r}" if query.sort else "The directory's own order"
    message = (
        f"The {what} are not complete: {why}. {order} does not hold: records come again on other "
        "pages, and others on none. All that were received are kept; to ask again does not help."
    )
    accept = 'incomplete="warn" accepts the partial result.'
    if better is None:
        no_other = "There is no sort that is known to hold instead."
        return message, Hint(
            f"{no_other} {accept}",
            shell=f"{no_other} --incomplete warn accepts the partial result.",
        )
    return message, Hint(
        f"sort={better!r} holds on today's live service; {accept}",
        shell=f"--sort {better} holds on today's live service; --incomplete warn accepts the "
        "partial result.",
    )


def _stopped(what: str, why: str) -> tuple[str, Hint]:
    return (
        f"The load of the {what} is not complete: {why}.",
        Hint("The same load again continues from there; pages in the cache cost nothing."),
    )


def _without_details(what: str, why: str) -> tuple[str, Hint]:
    return (
        f"The {what} were loaded, but {why}. Their rows are those of the collection.",
        Hint(
            'incomplete="warn" continues without them. The cache remembers these refusals as long as '
            "it keeps pages fresh; refresh=True requests everything again.",
            shell="--incomplete warn continues without them. The cache remembers these refusals as "
            "long as it keeps pages fresh; --refresh requests everything again.",
        ),
    )


def analyses_not_sent(records: int, needed: int) -> AnalysesNotSentWarning:
    """Return the warning that projects came without their analyses, with the price of these."""
    price = f"for at most {needed:,} {'request' if needed == 1 else 'requests'}"
    return AnalysesNotSentWarning(
        f"{needed:,} of {records:,} projects have an analysis, but none was sent with it: this "
        "directory sends an analysis only with the own page of its project. The columns of the "
        "analysis are empty for that reason.",
        requests=needed,
        hint=Hint(
            f"details=True requests these pages, {price}; dirframe.plan(..., details=True) "
            "estimates their number.",
            shell=f"--details requests these pages, {price}; dirframe plan projects --details "
            "estimates their number.",
        ),
    )


def attach_load_provenance(
    frame: pd.DataFrame,
    directory: Directory,
    resource: Resource,
    pages: list[FetchedPage],
    *,
    more_requests: int = 0,
    **facts: Any,
) -> pd.DataFrame:
    """Record the source, time and cost of a frame in its attributes.

    Parameters
    ----------
    frame
        Modified in place; only its attributes change.
    directory
        The queried directory.
    resource
        Resource of the records.
    pages
        The pages that the frame was made of.
    more_requests
        Requests that were charged but returned no page of the frame.
    **facts
        More fields of `dirframe.provenance.Provenance`.

    Returns
    -------
    pandas.DataFrame
        The same frame.
    """
    times = [page.retrieved.isoformat(timespec="seconds") for page in pages]
    return provenance.set_provenance(
        frame,
        source=directory.name,
        base_url=directory.base_url,
        resource=resource.name,
        items_loaded=len(frame),
        retrieved_oldest=min(times, default=None),
        retrieved_newest=max(times, default=None),
        requests_made=sum(page.attempts for page in pages) + more_requests,
        requests_cached=sum(page.from_cache for page in pages),
        **facts,
    )
