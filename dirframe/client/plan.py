"""Estimate the number of requests of a load in advance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dirframe._display import Card, counted, suggests_options
from dirframe.client.collection import own_page_is_cached
from dirframe.client.directory import open_directory
from dirframe.client.loaders import fetch_first, is_single
from dirframe.client.many import is_known, names_of, query_of
from dirframe.client.paging import PAGE_SIZE_STEP, ids_of, needed_pages
from dirframe.client.query import Policy, find_order, in_order_of_today, query_at, sample_of
from dirframe.errors import InvalidInputError
from dirframe.schema.extensions import ALL_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage
    from dirframe.client.many import Projects
    from dirframe.client.query import Query

#: Collections of a project, by the names of their loaders.
_OF_PROJECTS = {
    "activity": ALL_RESOURCES["activity_fact"],
    "contributors": ALL_RESOURCES["contributor_fact"],
    "size": ALL_RESOURCES["size_fact"],
}


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
        Own pages of projects to fetch in addition, with ``details=True``; at most if not exact.
    details_cached : int
        Number of these that are fresh in the cache, or refused, for the known projects.
    requests_needed : int or None
        Number of requests needed, at most.
    requests_at_least : int or None
        The same, at least.
    requests_used : int
        Number of requests used by the plan itself: 1 or, if the first page was cached, 0; one
        more if the directory redirects, or for a sample whose first order is not kept.
    quota_left, daily_quota : int
        Number of requests left in the daily quota of this key, and the quota.
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
    requests_used: int
    quota_left: int
    daily_quota: int
    resets_at: datetime | None

    @property
    def exact(self) -> bool:
        """Whether the number of requests is exact.

        Otherwise pages that are not in the cache say which projects need their own page, or how
        many pages each of several projects has.
        """
        return self.requests_needed == self.requests_at_least

    @property
    def fits(self) -> bool | None:
        """Whether the daily quota is sufficient today; None if that is not known."""
        if self.requests_at_least is not None and self.requests_at_least > self.quota_left:
            return False
        if self.requests_needed is None:
            return None
        return True if self.requests_needed <= self.quota_left else None

    @property
    def days(self) -> int | None:
        """Number of days that the same line has to be run on, at most; None if not known."""
        if self.requests_needed is None or not self.daily_quota:
            return None
        more = max(self.requests_needed - self.quota_left, 0)
        return max(math.ceil(more / self.daily_quota) + (self.quota_left > 0), 1)

    def _price(self) -> str:
        """Return the number of requests as text."""
        if self.requests_needed is None:
            least = self.requests_at_least
            return "not known" if least is None else f"at least {counted(least, 'request')}"
        most = counted(self.requests_needed, "request")
        return most if self.exact else f"at least {self.requests_at_least:,}, at most {most}"

    def __str__(self) -> str:
        left = f"{counted(self.quota_left, 'request')} of {self.daily_quota:,} are left today"
        if self.resets_at:
            left += f"; the first comes back at {self.resets_at:%Y-%m-%d %H:%M} UTC"
        if self.pages is None:
            return (
                f"The directory does not say how many {self.collection} there are: requests to pay: "
                f"{self._price()}. {left}."
            )
        own = ""
        if self.details:
            at_most = "" if self.exact else "at most "
            own = f", and {at_most}{self.details:,} own pages: {self.details_cached:,} in the cache"
        items = self.collection if self.items is None else f"{self.items:,} {self.collection}"
        return (
            f"{items} on {counted(self.pages, 'page')}: {self.pages_cached:,} in the cache{own}, "
            f"{self._price()} to pay. {self._card()[2]} {left}."
        )

    def _card(self) -> tuple[str, dict[str, str], str]:
        unknown, at_most = "the directory does not say", "" if self.exact else "at most "
        facts = {
            "records": unknown if self.items is None else f"{self.items:,}",
            "pages": unknown
            if self.pages is None
            else f"{self.pages:,}, {self.pages_cached:,} of them in the cache",
            "own pages": unknown
            if self.details is None
            else f"{at_most}{self.details:,}, {self.details_cached:,} of them in the cache",
            "requests to pay": self._price(),
            "left today": f"{counted(self.quota_left, 'request')} of {self.daily_quota:,}",
        }
        if self.details == 0:
            del facts["own pages"]
        if self.resets_at:
            facts["first comes back"] = f"{self.resets_at:%Y-%m-%d %H:%M} UTC"
        note = {True: "It fits.", False: "It does NOT fit today.", None: "It may fit, or not."}
        days = f" At most {counted(self.days, 'day')}." if self.days and self.days > 1 else ""
        return f"Plan: load the {self.collection}", facts, note[self.fits] + days


@suggests_options
def plan(
    collection: str,
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    details: bool = False,
    projects: Projects | None = None,
    directory: Directory | None = None,
    refresh: bool = False,
) -> Plan:
    """Estimate the number of requests of a load, using at most one request.

    Parameters
    ----------
    collection : {"accounts", "projects", "languages"} or str
        The collection to load; or a path below the base URL, as in `load`, such as
        ``"/projects/1/contributors.xml"``; or, with `projects`, ``"activity"``,
        ``"contributors"`` or ``"size"``.
    query, sort, max_items, sample, seed, details
        As in `load_accounts`, `load_projects` and `load`.
    projects : list, pandas.Series or pandas.DataFrame, optional
        The projects, as in `load_activity`, `load_contributors` and `load_size`.
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    refresh : bool, default False
        Whether the load will fetch every page, even if it is cached.

    Returns
    -------
    Plan
        Number of pages, cached pages and requests, the remaining daily quota, the time of
        its reset, whether the load fits, and the number of days. The first page is then in the
        cache. Which projects need their own page is known only for pages in the cache; if others
        are not, ``requests_at_least`` and ``requests_needed`` are the bounds (``exact`` is false).

    Raises
    ------
    InvalidInputError
        If an argument is invalid.
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
    if not isinstance(collection, str):
        raise InvalidInputError(
            f"A plan is of a collection; got a {type(collection).__name__}. Name the collection first: "
            'dirframe.plan("projects", directory=directory).'
        )
    options: dict[str, Any] = {"query": query, "sort": sort, "max_items": max_items}
    with open_directory(directory) as client:
        if projects is not None:
            if collection not in _OF_PROJECTS:
                raise InvalidInputError(
                    f"{collection!r} is no collection of projects; choose one of "
                    f"{', '.join(_OF_PROJECTS)}."
                )
            resource = _OF_PROJECTS[collection]
            queries = [query_of(resource, name, **options) for name in names_of(projects)]
            return _price_many(client, queries, refresh=refresh)
        drawn = sample_of(sample, seed)
        asked = query_at(collection, client, sample=drawn, details=details, **options)
        return _price(client, asked, refresh=refresh)


def _price(client: Directory, query: Query, *, refresh: bool) -> Plan:
    sample = query.sample
    firsts: list[FetchedPage] = []
    policy = Policy()

    def first_page(query: Query) -> FetchedPage:
        firsts.append(query.get(client.session, 1, policy))
        return firsts[-1]

    if sample is not None:
        query, _ = find_order(query, first_page)
    query, first = fetch_first(query, client, policy)
    size, resource = len(first.page.records), query.resource
    available, most = first.page.items_available, query.max_items
    if is_single(query, first):
        available = 1
    if sample is None:
        query = in_order_of_today(query, client.session, lambda _: first)
    items = available
    numbers: Sequence[int] | None = None
    if items is not None and sample is not None:
        numbers = sample.pages(items, size or 1)
        items = min(sample.size, items)
    elif items is not None:
        is_whole = (most is None or most > items) and resource.paged and size
        items = items if most is None else min(items, most)
        pages = max(math.ceil(items / size), 1) if size else 1
        is_full = is_whole and items % size == 0 and (pages > 1 or size % PAGE_SIZE_STEP == 0)
        numbers = range(1, pages + 1 + bool(is_full))
    cached = [n for n in numbers or () if not refresh and query.is_cached(client.session, n)]
    own = own_cached = unknown = 0
    if query.details and available is not None and items is not None:
        known = {n: query.get(client.session, n, policy) for n in cached} or {1: first}
        drawn = range(items) if sample is None else sample.positions(available)
        own, own_cached, unknown = _own_pages(client, query, known, drawn, refresh=refresh)
    to_pay = None if numbers is None else len(numbers) - len(cached) + own - own_cached
    return _plan(
        client,
        collection=resource.collection,
        items=items,
        pages=None if numbers is None else len(numbers),
        pages_cached=len(cached),
        details=None if query.details and to_pay is None else own,
        details_cached=own_cached,
        requests_needed=to_pay,
        requests_at_least=None if to_pay is None else to_pay - unknown,
        requests_used=sum({id(page): page.attempts for page in [*firsts, first]}.values()),
    )


def _own_pages(
    client: Directory,
    query: Query,
    known: Mapping[int, FetchedPage],
    positions: Sequence[int],
    *,
    refresh: bool,
) -> tuple[int, int, int]:
    """Return the maximum number of own pages, those cached, and those that may not be needed.

    `known` are pages by number, and `positions` those of the records of the load.
    """
    resource, size = query.resource, len(known[min(known)].page.records) or 1
    on_page: dict[int, list[int]] = {}
    for position in positions:
        on_page.setdefault(position // size + 1, []).append(position % size)
    signs: dict[str, str] = {}
    for number, fetched in known.items():
        ids, kinds = ids_of(fetched.page, resource), fetched.page.signs()
        places = [place for place in on_page.get(number, []) if place < len(ids)]
        signs |= {str(ids[place]): kinds[place] for place in places if ids[place]}
    needed, unknown = needed_pages(signs), len(positions) - len(signs)
    cached = 0 if refresh else sum(own_page_is_cached(client.session, resource, i) for i in needed)
    # A single analysis id on the other pages shows that none of these is needed.
    is_open = unknown and {"2", "3"}.isdisjoint(signs.values())
    return len(needed) + unknown, cached, unknown + (len(needed) - cached if is_open else 0)


def _price_many(client: Directory, queries: list[Query], *, refresh: bool) -> Plan:
    """Return the price of a collection of each of many projects, without a request."""
    known = [] if refresh else [query for query in queries if is_known(client.session, query)]
    left, resource = len(queries) - len(known), queries[0].resource
    is_exact = not resource.paged
    return _plan(
        client,
        collection=resource.collection,
        items=None,
        pages=len(queries) if is_exact else None,
        pages_cached=len(known),
        requests_needed=left if is_exact else None,
        requests_at_least=left,
        requests_used=0,
    )


def _plan(client: Directory, **facts: Any) -> Plan:
    quota = client.session.quota
    return Plan(
        **facts,
        quota_left=quota.remaining(),
        daily_quota=quota.limit,
        resets_at=quota.resets_at(),
    )
