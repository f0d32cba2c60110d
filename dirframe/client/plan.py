"""Estimate the number of requests of a load in advance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dirframe._display import card, counted, suggests_options
from dirframe.client.collection import Walk
from dirframe.client.directory import open_directory
from dirframe.client.many import names_of, query_of
from dirframe.client.paging import Pages
from dirframe.client.query import Options, query_at, record_query
from dirframe.errors import InvalidInputError
from dirframe.schema import ACTIVITY_FACT, CONTRIBUTOR_FACT, SIZE_FACT

if TYPE_CHECKING:
    from datetime import datetime

    from dirframe.client.directory import Directory
    from dirframe.client.http.session import Session
    from dirframe.client.many import Projects
    from dirframe.client.query import Query

#: Collections of a project, by the names of their loaders.
_OF_PROJECTS = {"activity": ACTIVITY_FACT, "contributors": CONTRIBUTOR_FACT, "size": SIZE_FACT}


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan:
    """Estimated cost of a load, based on its first page; None where that does not tell it."""

    collection: str
    items: int | None = None  # records to expect
    pages: int | None = None  # with the one behind a full last page, which has to be requested
    pages_cached: int = 0  # of them, fresh in the cache
    details: int | None = None  # own pages of projects, at most if not exact
    details_cached: int = 0  # of them, also those that were refused
    requests_needed: int | None = None  # at most
    requests_at_least: int | None = None
    requests_used: int = 0  # by the plan itself
    quota_left: int
    daily_quota: int
    resets_at: datetime | None  # when the oldest request of the day is a day old

    @property
    def exact(self) -> bool:
        """Whether the number of requests is exact: no page that did not come adds others."""
        return self.requests_needed == self.requests_at_least

    @property
    def fits(self) -> bool | None:
        """Whether the daily quota is sufficient today; None if that is not known."""
        if self.requests_needed is not None and self.requests_needed <= self.quota_left:
            return True
        return False if (self.requests_at_least or 0) > self.quota_left else None

    @property
    def days(self) -> int | None:
        """Number of days that the same line has to be run on, at most; None if not known."""
        if self.requests_needed is None:
            return None
        more = max(self.requests_needed - self.quota_left, 0)
        return max(math.ceil(more / self.daily_quota) + (self.quota_left > 0), 1)

    def __repr__(self) -> str:
        bounds = {"at least ": self.requests_at_least, "at most ": self.requests_needed}
        if self.exact:
            bounds = {"": self.requests_needed}
        to_pay = [f"{word}{counted(n, 'request')}" for word, n in bounds.items() if n is not None]
        records = "the directory does not say"
        if self.pages is not None:
            items = self.collection if self.items is None else f"{self.items:,} {self.collection}"
            pages = f"{counted(self.pages, 'page')}, {self.pages_cached:,} of them in the cache"
            records = f"{items} on {pages}"
        facts = {"records": records, "requests to pay": ", ".join(to_pay) or "not known"}
        if self.details:
            most = f"{'' if self.exact else 'at most '}{self.details:,}"
            facts["own pages"] = f"{most}, {self.details_cached:,} of them in the cache"
        facts["left today"] = f"{counted(self.quota_left, 'request')} of {self.daily_quota:,}"
        if self.resets_at:
            facts["first comes back"] = f"{self.resets_at:%Y-%m-%d %H:%M} UTC"
        note = {True: "It fits.", False: "It does NOT fit today.", None: "It may fit, or not."}
        days = f" At most {counted(self.days, 'day')}." if self.days and self.days > 1 else ""
        return card(f"Plan: load the {self.collection}", facts, note[self.fits] + days)


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
    """Estimate the number of requests of a load, from its first page.

    Parameters
    ----------
    collection : str
        ``"accounts"``, ``"projects"``, ``"languages"`` or a path, as in `load`; or, with
        `projects`, ``"activity"``, ``"contributors"`` or ``"size"``.
    query, sort, max_items, sample, seed, details, directory, refresh
        As in `load_projects`.
    projects : list, pandas.Series or pandas.DataFrame, optional
        The projects, as in `load_activity`, `load_contributors` and `load_size`.

    Returns
    -------
    Plan
        Numbers of records, pages and requests (``requests_needed``; if it is not ``exact``, at
        most, and ``requests_at_least``), what is in the cache, the quota left today and when it is
        back, whether the load ``fits``, and the number of ``days``. The first page is then in the
        cache. A redirect, or a sample whose first order is not kept, costs one request more.

    Raises
    ------
    InvalidInputError, RequestError
        If an argument is invalid; if the directory cannot be reached or refuses.

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
        if projects is None:
            options |= {"sample": sample, "seed": seed, "details": details}
            return _price(client, query_at(collection, client, **options), refresh=refresh)
        if collection not in _OF_PROJECTS:
            raise InvalidInputError(
                f"{collection!r} is no collection of projects; choose one of "
                f"{', '.join(_OF_PROJECTS)}."
            )
        resource = _OF_PROJECTS[collection]
        queries = [query_of(resource, name, **options) for name in names_of(projects)]
        return _price_many(client, queries, refresh=refresh)


def _price(client: Directory, query: Query, *, refresh: bool) -> Plan:
    pages, session = Pages(query), client.session
    walk = Walk(pages, client, Options())
    query, first, _ = walk.choose_order()
    used = first.attempts + sum(page.attempts for page in pages.received)
    walk.receive_first(query, first)
    query = pages.query
    facts = _limits(client) | {"collection": query.resource.collection, "requests_used": used}
    numbers, items = pages.planned(), pages.expected
    if numbers is None or items is None:
        return Plan(**facts)
    cached = [n for n in numbers if not refresh and query.is_known(session, n)]
    own, own_cached, unknown = 0, 0, 0
    if query.details:
        walk.read(cached)
        own, own_cached, unknown = _own_pages(session, pages, items, refresh=refresh)
    to_pay = len(numbers) - len(cached) + own - own_cached
    return Plan(
        **facts,
        items=items,
        pages=len(numbers),
        pages_cached=len(cached),
        details=own,
        details_cached=own_cached,
        requests_needed=to_pay,
        requests_at_least=to_pay - unknown,
    )


def _own_pages(
    session: Session, pages: Pages, items: int, *, refresh: bool
) -> tuple[int, int, int]:
    """Return how many own pages are needed at most, are cached, and may turn out not to be needed.

    Each record that is on none of the pages may need its own page.
    """
    needed, signs, resource = pages.own_missing(), pages.signs(), pages.query.resource
    unknown, cached = items - len(signs), 0
    if not refresh:
        cached = sum(record_query(resource, one).is_known(session) for one in needed)
    most = len(needed) + unknown
    # A single analysis id on the other pages shows that none of these is needed.
    if unknown and {"2", "3"}.isdisjoint(signs.values()):
        unknown += len(needed) - cached
    return most, cached, unknown


def _price_many(client: Directory, queries: list[Query], *, refresh: bool) -> Plan:
    """Return the price of a collection of each of many projects, without a request."""
    known = sum(not refresh and query.is_known(client.session) for query in queries)
    left, resource = len(queries) - known, queries[0].resource
    # A paged collection may have more than one page.
    exact: dict[str, Any] = {}
    if not resource.paged:
        exact = {"pages": len(queries), "requests_needed": left}
    return Plan(
        **_limits(client),
        **exact,
        collection=resource.collection,
        pages_cached=known,
        requests_at_least=left,
    )


def _limits(client: Directory) -> dict[str, Any]:
    quota = client.quota()
    return {"quota_left": quota.left, "daily_quota": quota.limit, "resets_at": quota.resets_at}
