"""Estimate the number of requests of a load in advance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dirframe._display.card import Card
from dirframe.client.collection_loader import has_free_order, with_order
from dirframe.client.details import Details, check_details, read_sent
from dirframe.client.directory import open_directory
from dirframe.client.load import fetch_first, query_at
from dirframe.client.paging.completeness import PAGE_SIZE_STEP
from dirframe.client.paging.prefetch import fetch_ahead
from dirframe.errors import Hint, InvalidInputError
from dirframe.schema import PROJECT
from dirframe.schema.extensions import ALL_RESOURCES

if TYPE_CHECKING:
    from datetime import datetime

    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage
    from dirframe.client.paging.query import CollectionQuery


_MAY_FIT = "It may fit, or not."

#: Paths of the collections of a directory, of which there is one each.
_PATHS = {r.collection: r.paths[0] for r in ALL_RESOURCES.values() if "{" not in r.paths[0]}


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan(Card):
    """Estimated cost of a load, based on its first page.

    Attributes
    ----------
    collection : str
        Collection of the records: ``accounts``, ``projects``, ``languages`` and so on.
    items : int or None
        Expected number of records; None if the directory does not report it.
    pages : int or None
        Number of pages, including the one after the last where it has to be requested.
    pages_cached : int
        Number of pages that are fresh in the cache.
    details : int or None
        Own pages of projects to fetch in addition, with ``details=True``; an upper bound if
        `exact` is false.
    details_cached : int
        Number of these that are fresh in the cache, or refused, for the known projects.
    requests_needed : int or None
        Number of requests needed; an upper bound if `exact` is false.
    requests_at_least : int or None
        Lower bound; equal to `requests_needed` if `exact` is true.
    exact : bool
        Whether the number of requests is exact. Otherwise it depends on pages that are not in
        the cache which projects need their own page: ``plan(..., exact=True)`` reads them.
    requests_used : int
        Number of requests used by the plan itself: 1 or, if the first page was cached, 0; one
        more if the directory redirects; with ``exact=True``, the pages of the collection.
    quota_left : int
        Number of requests left in the daily quota of this key.
    resets_at : datetime or None
        Time when the oldest request of the day is a day old; None if there is none.
    """

    collection: str
    items: int | None
    pages: int | None
    pages_cached: int
    details: int | None = 0
    details_cached: int = 0
    requests_needed: int | None
    requests_at_least: int | None
    exact: bool = True
    requests_used: int
    quota_left: int
    resets_at: datetime | None

    @property
    def fits(self) -> bool | None:
        """Whether the daily quota is sufficient; None if that is not known."""
        if self.requests_needed is None or self.requests_at_least is None:
            return None
        enough = self.requests_needed <= self.quota_left
        return None if not enough and self.requests_at_least <= self.quota_left else enough

    @property
    def _at_most(self) -> str:
        return "" if self.exact else "at most "

    @property
    def _to_pay(self) -> str:
        least = "" if self.exact else f"{self.requests_at_least:,} to "
        return f"{least}{self.requests_needed:,}"

    @property
    def _how_exact(self) -> str:
        if self.exact:
            return ""
        return (
            " Pages that were not read say which projects need their own page: exact=True, or "
            "dirframe plan --exact, reads them first, and the load then has them in the cache."
        )

    def _card(self) -> tuple[str, dict[str, str], str]:
        unknown = "the directory does not say"
        facts = {
            "records": unknown if self.items is None else f"{self.items:,}",
            "pages": unknown
            if self.pages is None
            else f"{self.pages:,}, {self.pages_cached:,} of them in the cache",
            "own pages": unknown
            if self.details is None
            else f"{self._at_most}{self.details:,}, {self.details_cached:,} of them in the cache",
            "requests to pay": "not known" if self.requests_needed is None else self._to_pay,
            "left today": f"{self.quota_left:,} requests",
        }
        if self.details == 0:
            del facts["own pages"]
        if self.resets_at:
            facts["first comes back"] = f"{self.resets_at:%Y-%m-%d %H:%M} UTC"
        verdict = {True: "It fits.", False: "It does NOT fit today.", None: ""}[self.fits]
        if self.fits is None and not self.exact:
            verdict = _MAY_FIT
        return f"Plan: load the {self.collection}", facts, verdict + self._how_exact

    def __str__(self) -> str:
        at = self.resets_at
        resets = f"; the first comes back at {at:%Y-%m-%d %H:%M} UTC" if at else ""
        left = f"{self.quota_left:,} requests are left today{resets}."
        if self.items is None:
            return (
                f"The directory does not say how many {self.collection} there are, so the price "
                f"is not known. {left}"
            )
        verdict = {True: "It fits", False: "It does NOT fit", None: _MAY_FIT[:-1]}[self.fits]
        own = (
            f", and {self._at_most}{self.details:,} own pages of theirs: {self.details_cached:,} in "
            "the cache"
            if self.details
            else ""
        )
        return (
            f"{self.items:,} {self.collection} on {self.pages:,} pages: {self.pages_cached:,} in "
            f"the cache{own}, {self._to_pay} requests to pay. {verdict}: {left}{self._how_exact}"
        )


def plan(
    collection: str,
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    details: bool = False,
    directory: Directory | None = None,
    refresh: bool = False,
    exact: bool = False,
) -> Plan:
    """Estimate the number of requests of a load, using at most one request.

    Parameters
    ----------
    collection : {"accounts", "projects", "languages"} or str
        The collection to load; or a path below the base URL, as in `load`, such as
        ``"/projects/1/contributors.xml"``.
    query, sort, max_items, details
        As in `load_accounts`, `load_projects` and `load`.
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    refresh : bool, default False
        Whether the load will fetch every page, even if it is cached.
    exact : bool, default False
        With `details`: read all pages of the collection, which the load then finds in the
        cache, so that the number of own pages is known and not a range. Without `details`
        every plan is exact.

    Returns
    -------
    Plan
        Number of pages, cached pages and requests, the remaining daily quota, the time of
        its reset, and whether the load fits. The first page is then in the cache. Which
        projects need their own page is known only for pages in the cache; if others are not,
        ``requests_at_least`` and ``requests_needed`` are the bounds (``exact`` is false).

    Raises
    ------
    InvalidInputError
        If an argument is invalid, or `exact` is combined with `refresh`, which would fetch the
        pages twice.
    RequestError
        If the directory cannot be reached or refuses.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory(cache=False) as directory:
    ...     price = dirframe.plan("projects", max_items=100, directory=directory)
    >>> price.pages, price.requests_needed, price.fits
    (4, 4, True)
    """
    path = _PATHS.get(collection, collection)
    if "/" not in path:
        raise InvalidInputError(
            f"There is no collection {collection!r}; choose one of {', '.join(_PATHS)}, or pass a "
            "path such as '/projects/1/contributors.xml'."
        )
    if exact and refresh:
        raise InvalidInputError(
            "An exact plan reads the pages that the load then has in the cache, and a refreshing load "
            "asks for them again.",
            hint=Hint("Leave exact= or refresh= out.", shell="Leave --exact or --refresh out."),
        )
    check_details(collection, details=details)
    with open_directory(directory) as client:
        request = query_at(path, client, query=query, sort=sort, max_items=max_items)
        needs_details = details and request.resource is PROJECT
        return _price(client, request, details=needs_details, refresh=refresh, exact=exact)


def _price(
    client: Directory,
    query: CollectionQuery,
    *,
    details: bool,
    refresh: bool,
    exact: bool,
) -> Plan:
    session = client.session
    first_page = fetch_first(query, client, {})
    query, first = first_page.query, first_page.fetched
    size = len(first.page.records)
    available, max_items = first.page.items_available, query.max_items
    if first_page.is_single:
        available = 1
    items = available if max_items is None or available is None else min(available, max_items)
    is_whole = items == available and query.resource.paged and not first_page.is_single
    pages = _pages(items, size, whole=is_whole)
    documents = [first]
    begin = 2
    if has_free_order(query) and (ordered := with_order(query, client, first)) != query:
        query, begin = ordered, 1  # read in this order, from the first page on
    if details and items is not None:
        last = math.ceil(items / size) if size else 1
        documents += _later_pages(client, query, range(begin, last + 1), fetch=exact)
    numbers = range(1, 1 if refresh or pages is None else pages + 1)
    cached = sum(session.is_cached(query.path, query.params(page)) for page in numbers)
    own, own_cached, unknown = 0, 0, 0
    if details and items is not None:
        fetcher = Details(client, query.resource, {"refresh": refresh})
        own, own_cached, unknown = _details(fetcher, query, documents, items)
    to_pay = None if pages is None else pages - cached + own - own_cached
    return Plan(
        collection=query.resource.collection,
        items=items,
        pages=pages,
        pages_cached=cached,
        details=None if details and to_pay is None else own,
        details_cached=own_cached,
        requests_needed=to_pay,
        requests_at_least=None if to_pay is None else to_pay - unknown,
        exact=not unknown,
        requests_used=sum(page.attempts for page in documents),
        quota_left=session.quota.remaining(),
        resets_at=session.quota.resets_at(),
    )


def _later_pages(
    client: Directory, query: CollectionQuery, pages: range, *, fetch: bool
) -> list[FetchedPage]:
    """Return the given pages of a collection: all, or those in the cache."""
    session = client.session

    def get(page: int) -> FetchedPage:
        return session.get(query.path, query.params(page))

    def get_cached(page: int) -> FetchedPage | None:
        return session.get_cached(query.path, query.params(page))

    if not fetch:
        return [fetched for page in pages if (fetched := get_cached(page)) is not None]
    workers = client.workers
    return [fetched for _, fetched in fetch_ahead(get, get_cached, pages, workers)]


def _details(
    details: Details, query: CollectionQuery, documents: list[FetchedPage], items: int
) -> tuple[int, int, int]:
    """Return the maximum number of own pages, those cached, and those that may not be needed."""
    ids, sent = read_sent((document.page for document in documents), query.resource)
    known_ids = list(dict.fromkeys(id_ for id_ in ids if id_ is not None))[:items]
    lacking = {id_ for id_, is_needed in zip(ids, sent.needed(), strict=True) if is_needed and id_}
    needed = [id_ for id_ in known_ids if id_ in lacking]
    unknown = items - len(known_ids)
    cached = sum(details.get_cached(identifier) is not None for identifier in needed)
    # A single analysis id on the other pages shows that none of these is needed.
    open_still = len(needed) - cached if unknown and not sent.named.any() else 0
    return len(needed) + unknown, cached, unknown + open_still


def _pages(items: int | None, size: int, *, whole: bool) -> int | None:
    """Return the number of pages that `dirframe.client.paging.paginator` requests."""
    if items is None:
        return None
    if not size:
        return 1
    pages = math.ceil(items / size)
    behind_the_last = whole and items % size == 0 and (pages > 1 or size % PAGE_SIZE_STEP == 0)
    return pages + behind_the_last
