"""Estimate the number of requests of a load in advance."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any

from dirframe._display import card, quantity, suggests_options
from dirframe.client.collection import Walk
from dirframe.client.directory import Directory, open_directory
from dirframe.client.http.quota import Quota
from dirframe.client.lookup import Projects, queries_of
from dirframe.client.paging import MOST_PAGES, Pages
from dirframe.client.query import Options, Query, query_at
from dirframe.errors import InvalidInputError
from dirframe.schema import ACTIVITY_FACT, CONTRIBUTOR_FACT, SIZE_FACT

#: Collections of a project, by the names of their loaders.
_OF_PROJECTS = {"activity": ACTIVITY_FACT, "contributors": CONTRIBUTOR_FACT, "size": SIZE_FACT}


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan:
    """Estimated cost of a load, based on its first page; None where that does not tell it."""

    collection: str
    items: int | None = None  # records to expect
    pages: int | None = None  # with the one behind a full last page, which has to be requested
    details: int = 0  # own pages of projects, at most
    cached: int = 0  # of all these pages, fresh in the cache, also those that were refused
    requests_at_most: int | None = None  # at most
    requests_at_least: int = 0
    projects: int = 0  # whose collections these are
    quota: Quota

    @property
    def fits(self) -> bool | None:
        """Whether the daily quota is sufficient today; None if that is not known."""
        if self.requests_at_most is not None and self.requests_at_most <= self.quota.left:
            return True
        return False if self.requests_at_least > self.quota.left else None

    @property
    def days(self) -> int | None:
        """Number of days that the same line has to be run on, at most; None if not known."""
        if self.requests_at_most is None:
            return None
        more = max(self.requests_at_most - self.quota.left, 0)
        return max(math.ceil(more / self.quota.limit) + (self.quota.left > 0), 1)

    def __repr__(self) -> str:
        noun, quota = self.collection.replace("_", " "), self.quota
        if self.projects:
            noun += f" of {quantity(self.projects, 'project')}"
        requests = quantity(self.requests_at_least, "request")
        records = "the directory does not say"
        if self.pages is not None:
            items = noun if self.items is None else f"{self.items:,} {noun}"
            records = f"{items} on {quantity(self.pages, 'page')}"
        if self.requests_at_most != self.requests_at_least:
            most = "" if self.requests_at_most is None else f", at most {self.requests_at_most:,}"
            requests = f"at least {requests}{most}"
        facts = {
            "records": records,
            "own pages": f"at most {self.details:,}" if self.details else "",
            "in the cache": quantity(self.cached, "page"),
            "requests to pay": requests,
            "left today": f"{quantity(quota.left, 'request')} of {quota.limit:,}",
            "first comes back": f"{quota.resets_at:%Y-%m-%d %H:%M} UTC" if quota.resets_at else "",
        }
        note = {True: "It fits.", False: "It does NOT fit today.", None: "It may fit, or not."}
        days = f" At most {quantity(self.days, 'day')}." if self.days and self.days > 1 else ""
        return card(f"Plan: load the {noun}", facts, note[self.fits] + days)


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
    projects : str, int, list, pandas.Series or pandas.DataFrame, optional
        One project or many, as in `load_contributors`.

    Returns
    -------
    Plan
        Numbers of ``items`` (records), ``projects`` (of many), ``pages``, ``details`` (own pages) and
        of all these pages those ``cached``; ``requests_at_most`` at most and ``requests_at_least``;
        the ``quota``, whether the load ``fits`` into it today, and the ``days`` that it takes. A
        redirect, or a sample whose first order is not kept, costs one request more.

    Raises
    ------
    InvalidInputError, RequestError
        If an argument is invalid; if the directory cannot be reached or refuses.

    Examples
    --------
    >>> with dirframe.sample_directory(cache=False) as directory:
    ...     price = dirframe.plan("projects", max_items=100, directory=directory)
    >>> price.pages, price.requests_at_most, price.fits
    (4, 4, True)
    """
    if not isinstance(collection, str):
        raise InvalidInputError(
            'Name the collection first: dirframe.plan("projects", directory=directory).'
        )
    options: dict[str, Any] = {"query": query, "sort": sort, "max_items": max_items}
    options |= {"sample": sample, "seed": seed, "details": details}
    with open_directory(directory) as client:
        if projects is None:
            return _price(client, query_at(collection, client, **options), refresh=refresh)
        if collection not in _OF_PROJECTS:
            names = ", ".join(_OF_PROJECTS)
            raise InvalidInputError(
                f"{collection!r} is no collection of projects; choose one of {names}."
            )
        queries = queries_of(_OF_PROJECTS[collection], projects, **options)
        return _price_many(client, queries, refresh=refresh)


def _price(client: Directory, query: Query, *, refresh: bool) -> Plan:
    pages, session = Pages(query), client.session
    walk = Walk(pages, session, Options(), client.workers)
    deque(walk.begin(is_estimate=True), maxlen=0)
    query, first, available = pages.query, pages.latest[1], pages.available
    facts: dict[str, Any] = {"collection": query.resource.collection, "quota": client.quota()}
    numbers, items, most = [1, *pages.missing()], pages.expected or 0, query.max_items or math.inf
    if available is None or len(numbers) > MOST_PAGES:
        return Plan(**facts)
    # Of several pages, a full last one will need one more.
    if len(first.ids) < available == len(numbers) * len(first.ids) < most and not query.sample:
        numbers.append(len(numbers) + 1)
    # The load, too, takes this first page, unless it asks for another order.
    came = [1] if client.cache_folder and first.sort == query.sort else []
    cached = [n for n in numbers if not refresh and (n in came or walk.is_known(n))]
    to_pay, own, own_cached, unknown = len(numbers) - len(cached), list[str](), 0, 0
    if query.details:
        is_cached = lambda number: session.is_cached(query.path, query.params(number))
        deque(walk.read(filter(is_cached, cached)), maxlen=0)
        own, unknown = pages.own_missing(), items - len(pages.signs())
        if not refresh:
            own_cached = sum(map(walk.is_known, own))
    return Plan(
        **facts,
        items=items,
        pages=len(numbers),
        # Each record that is on none of the pages may need its own page.
        details=len(own) + unknown,
        cached=len(cached) + own_cached,
        requests_at_most=to_pay + len(own) + unknown - own_cached,
        # Pages to come may show that none of the others needs it.
        requests_at_least=to_pay if unknown else to_pay + len(own) - own_cached,
    )


def _price_many(client: Directory, queries: list[Query], *, refresh: bool) -> Plan:
    """Return the price of a collection of each of many projects, without a request."""
    cached = sum(not refresh and query.is_known(client.session) for query in queries)
    to_pay, resource = len(queries) - cached, queries[0].resource
    # A paged collection may have more than one page.
    return Plan(
        collection=resource.collection,
        projects=len(queries),
        pages=None if resource.paged else len(queries),
        cached=cached,
        requests_at_most=None if resource.paged else to_pay,
        requests_at_least=to_pay,
        quota=client.quota(),
    )
