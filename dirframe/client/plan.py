"""Estimate the number of requests of a load in advance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dirframe._display import card, quantity, suggests_options
from dirframe.client.directory import Directory, connection_of, open_directory, session_of
from dirframe.client.http.quota import Quota
from dirframe.client.lookup import check_organization, titled_query
from dirframe.client.many import Owners, check_is_unowned, owned_collection, owner_of, queries_of
from dirframe.client.named import NamedProjects, Names, check_named
from dirframe.client.paging.details import analyses_of
from dirframe.client.paging.fetch import CacheUse, Fetcher
from dirframe.client.paging.ids import PAGE_SIZE
from dirframe.client.paging.order import KEPT_TODAY
from dirframe.client.paging.pages import MAX_PAGES, Pages
from dirframe.client.paging.query import Query, query_at, record_query
from dirframe.client.paging.received import Received
from dirframe.client.paging.sample import SampledPages
from dirframe.client.paging.walk import Walk
from dirframe.client.paging.windows import PagesByIds
from dirframe.errors import InvalidInputError
from dirframe.schema import COLLECTIONS, PROJECT, Resource
from dirframe.settings import check_switches


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan:
    """Estimated cost of a load, based on its first pages; None where that does not tell it."""

    collection: str
    items: int | None = None  # records to expect
    pages: int | None = None  # with the one behind a full last page, which has to be requested
    details: int = 0  # own pages of projects, at most
    cached: int = 0  # of all these pages, fresh in the cache, also those that were refused
    requests_at_most: int | None = None  # at most
    requests_at_least: int = 0
    owners: int = 0  # whose collections these are
    owner: str = ""  # what one of them is
    sample_of: str = ""  # what a sample is drawn from: ids or positions
    is_order_unstable: bool = False  # pages may repeat records and leave out others
    quota: Quota

    @property
    def fits(self) -> bool | None:
        """Whether the daily quota is sufficient today; None if that is not known."""
        if self.requests_at_most is not None and self.requests_at_most <= self.quota.left:
            return True
        return False if self.requests_at_least > self.quota.left else None

    @property
    def days(self) -> int | None:
        """Most days on which the same call has to be run; None if not known."""
        if self.requests_at_most is None:
            return None
        more = max(self.requests_at_most - self.quota.left, 0)
        return max(math.ceil(more / self.quota.limit) + (self.quota.left > 0), 1)

    def __repr__(self) -> str:
        quota = self.quota
        singular, plural = COLLECTIONS[self.collection].words
        owners = f" of {quantity(self.owners, self.owner)}" if self.owners else ""
        requests = quantity(self.requests_at_least, "request")
        records = "the directory does not state their number"
        if self.pages is not None:
            items = plural if self.items is None else quantity(self.items, singular, plural)
            records = f"{items}{owners} on {quantity(self.pages, 'page')}"
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
        order = ""
        if self.is_order_unstable:
            order = (
                " The sort order is not stable on this directory: records may be repeated on other "
                "pages, and others may be on none."
            )
        grows = ""
        if self.sample_of:
            grows = (
                " A larger sample with this seed contains it, and only the difference is requested"
            )
            grows += (
                "." if self.sample_of == "ids" else ", while the directory has as many records."
            )
        note = {True: "It fits.", False: "It does NOT fit today.", None: "It may or may not fit."}
        days = f" At most {quantity(self.days, 'day')}." if self.days and self.days > 1 else ""
        return card(
            f"Plan: load the {plural}{owners}", facts, note[self.fits] + days + order + grows
        )


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
    organization: str | None = None,
    projects: Owners | None = None,
    of: Owners | None = None,
    directory: Directory | None = None,
    refresh: bool = False,
) -> Plan:
    """Estimate the number of requests of a load, from its first page or pages.

    The load then reads these pages from the cache. On the live service an estimate takes up to four
    requests: the first page after a redirect, the newest projects, and the ids above theirs.

    Parameters
    ----------
    collection : str
        ``"accounts"``, ``"projects"``, ``"languages"`` or a path, as in `load`; or, with `of`, the
        name of a collection that belongs to owners, such as ``"enlistments"``.
    query, sort, max_items, sample, seed, details, organization, projects, directory, refresh
        As in `load_projects`.
    of : str, int, list, pandas.Series or pandas.DataFrame, optional
        The owner of the collection, or many owners, as in `load`.

    Returns
    -------
    Plan
        Numbers of ``items`` (records), ``owners`` (of many), ``pages``, ``details`` (own pages) and
        of all these pages those ``cached``; ``requests_at_most`` at most and ``requests_at_least``;
        the ``quota``, whether the load ``fits`` into it today, and the ``days`` that it takes;
        whether the order is known not to be stable (``is_order_unstable``); whether a sample is
        drawn from ``"ids"`` or ``"positions"`` (``sample_of``): a larger one with the same seed
        contains it (see `load_projects`). A redirect takes one request more, and so does a sample
        if the first sort order is not stable.

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
    check_switches(refresh=refresh)
    options: dict[str, Any] = {"query": query, "sort": sort, "max_items": max_items}
    options |= {"sample": sample, "seed": seed, "details": details}
    with open_directory(directory) as client:
        if organization is not None:
            others = {"query": query, "sort": sort, "max_items": max_items, "sample": sample}
            check_named("organization", **others, projects=projects, of=of)
            if collection != PROJECT.collection:
                raise InvalidInputError("organization= names whose projects are loaded.")
            return _price_organization(client, organization, details=details, refresh=refresh)
        if projects is not None:
            if collection != PROJECT.collection or of is not None:
                raise InvalidInputError(
                    "projects= names the projects to load; of= names whose collection is loaded."
                )
            check_named("projects", query=query, sort=sort, max_items=max_items, sample=sample)
            return _price_named(client, Names(projects), details=details, refresh=refresh)
        if of is None:
            check_is_unowned(collection)
            return _price(
                client,
                query_at(collection, client.base_url, connection_of(client).key, **options),
                refresh=refresh,
            )
        owned = owned_collection(collection)
        queries = queries_of(owned, of, **options)
        return _price_many(client, queries, owned, refresh=refresh)


def _price(client: Directory, query: Query, *, refresh: bool) -> Plan:
    received = Received(query)
    walk = Walk(received, Fetcher(session_of(client), CacheUse()), client.workers)
    _read(walk.begin())
    facts: dict[str, Any] = {
        "collection": received.query.resource.collection,
        "quota": client.quota(),
    }
    part = received.part
    if not _is_counted(part):
        return Plan(**facts)
    # What was just read comes from the cache, unless the load asks for it again.
    begun = len(received.receipts)
    begun_known = begun if client.cache_folder is not None and not refresh else 0
    if isinstance(part, PagesByIds):
        to_come = _pages_by_ids(walk, part, refresh=refresh)
    else:
        to_come = _pages_by_numbers(walk, part, refresh=refresh)
    own: list[str] = []
    own_known = unknown = 0
    if query.details:
        own = received.own_missing()
        unknown = max((part.expected or 0) - len(analyses_of(received.verdict.places)), 0)
        if not refresh:
            own_known = sum(map(walk.is_own_known, own))
    least = begun - begun_known + to_come.least
    most = begun - begun_known + to_come.most
    is_stable = received.query.sort == KEPT_TODAY or not isinstance(part, Pages)
    return Plan(
        **facts,
        sample_of=_sample_of(query, part),
        is_order_unstable=received.is_todays_service and not is_stable and to_come.pages > 0,
        items=part.expected or 0,
        pages=begun + to_come.pages,
        # Each record that is on none of the pages may need its own page.
        details=len(own) + unknown,
        cached=begun_known + to_come.known + own_known,
        requests_at_most=most + len(own) + unknown - own_known,
        # Pages to come may show that none of the others needs it.
        requests_at_least=least if unknown else least + len(own) - own_known,
    )


def _is_counted(part: Pages | SampledPages | PagesByIds) -> bool:
    """Return whether the first pages show how many pages there are."""
    return part.total is not None and part.count_missing() < MAX_PAGES


def _sample_of(query: Query, part: Pages | SampledPages | PagesByIds) -> str:
    if query.sample is None:
        return ""
    return "ids" if isinstance(part, PagesByIds) else "positions"


@dataclass(frozen=True, kw_only=True)
class _Pages:
    """The pages of a load behind the first ones."""

    pages: int
    known: int  # in the cache
    least: int  # to request
    most: int


def _pages_by_numbers(walk: Walk, part: Pages | SampledPages, *, refresh: bool) -> _Pages:
    query = walk.received.query
    numbers = part.missing()
    page_size = len(part.newest[1].ids)
    is_limited = query.max_items is not None and query.max_items <= (part.total or 0)
    is_full_last_page = bool(numbers) and part.total == (1 + len(numbers)) * page_size
    if is_full_last_page and not is_limited and query.sample is None:
        numbers = [*numbers, len(numbers) + 2]  # only the page behind it shows that it is the last
    known = [] if refresh else [number for number in numbers if walk.is_page_known(number)]
    if query.details:
        _read(walk.read(known))
    to_request = len(numbers) - len(known)
    return _Pages(pages=len(numbers), known=len(known), least=to_request, most=to_request)


def _pages_by_ids(walk: Walk, part: PagesByIds, *, refresh: bool) -> _Pages:
    before = len(walk.received.receipts)
    if not refresh:
        _read(walk.read_known())
    known = len(walk.received.receipts) - before
    least, most = part.bounds_of_missing()
    return _Pages(pages=known + most, known=known, least=least, most=most)


def _read(arrivals: Iterable[object]) -> None:
    """Read pages for what `Received` then says of them."""
    for _ in arrivals:
        pass


def _price_named(client: Directory, names: Names, *, details: bool, refresh: bool) -> Plan:
    """Return the price of named projects: without a request, or from the first page of all."""
    fetcher = Fetcher(session_of(client), CacheUse())
    named = NamedProjects(names, fetcher, client.workers, details=details)
    own = names.possible
    known = least = most = 0
    if not details and names.are_cheaper_by_ids and named.is_today():
        own = [name for name in own if name not in set(names.ids)]
        reader = named.walk_of(names.ids)
        if not refresh:
            _read(reader.read_known())
            known = len(reader.received.receipts)
        least, most = reader.part.bounds_of_missing()
    begun = len(named.receipts)
    begun_known = begun if client.cache_folder is not None and not refresh else 0
    own_unknown = own
    if not refresh:
        own_unknown = [name for name in own if not fetcher.is_known(record_query(PROJECT, name))]
    least += begun - begun_known + len(own_unknown)
    most += begun - begun_known + len(own_unknown)
    # A project without an analysis has no own page, and is found by its name, or by its id.
    ids = [name for name in own_unknown if name in set(names.ids)]
    most += len(own_unknown) - len(ids)
    if ids:
        most += 2 + math.ceil(len(ids) / PAGE_SIZE)
    return Plan(
        collection=PROJECT.collection,
        items=len(names.possible),
        pages=begun + known + most - (begun - begun_known) + len(own) - len(own_unknown),
        cached=begun_known + known + len(own) - len(own_unknown),
        requests_at_most=most,
        requests_at_least=least,
        quota=client.quota(),
    )


def _price_organization(
    client: Directory, organization: str, *, details: bool, refresh: bool
) -> Plan:
    """Return the price of the projects of an organization, from the first page of its portfolio."""
    check_organization(organization)
    [query] = queries_of(owned_collection("portfolio_projects"), organization)
    received = Received(query)
    walk = Walk(received, Fetcher(session_of(client), CacheUse()), client.workers)
    _read(walk.begin())
    begun = len(received.receipts)
    pages_known = begun if client.cache_folder is not None and not refresh else 0
    if not refresh:
        _read(walk.read_known())
        pages_known += len(received.receipts) - begun
    part = received.part
    expected = part.expected or 0
    pages = len(received.receipts) + part.count_missing()
    names = [name for page in part.newest_versions() for name in page.ids if name is not None]
    known = 0 if refresh else sum(walk.fetcher.is_known(titled_query(name)) for name in names)
    to_pay = pages - pages_known + expected - known
    # One that has another short name is found by a query, which sends no analysis.
    more = (expected - known) * (2 if details else 1)
    return Plan(
        collection=PROJECT.collection,
        items=expected,
        pages=pages + expected,
        cached=pages_known + known,
        requests_at_most=to_pay + more,
        requests_at_least=to_pay,
        quota=client.quota(),
    )


def _price_many(
    client: Directory, queries: list[Query], collection: Resource, *, refresh: bool
) -> Plan:
    """Return the price of a collection of each of many owners, without a request."""
    fetcher = Fetcher(session_of(client), CacheUse.of(refresh=refresh, offline=False))
    known = [query for query in queries if fetcher.is_known(query)]
    to_pay = len(queries) - len(known)
    facts: dict[str, Any] = {
        "collection": collection.collection,
        "owners": len(queries),
        "owner": owner_of(collection).owner_word,
        "quota": client.quota(),
    }
    if not collection.paged:
        return Plan(
            **facts,
            pages=len(queries),
            cached=len(known),
            requests_at_most=to_pay,
            requests_at_least=to_pay,
        )
    walks = [_walk_in_cache(query, fetcher) for query in known]
    begun = [walk for walk in walks if walk.received.refusal is None]
    counted = [walk for walk in begun if _is_counted(walk.received.part)]
    behind = [
        _pages_by_numbers(walk, walk.received.part, refresh=False)
        for walk in counted
        if isinstance(walk.received.part, Pages)
    ]
    cached = len(known) + sum(one.known for one in behind)
    least = to_pay + sum(one.least for one in behind)
    if to_pay or len(counted) < len(begun):  # nobody knows how many pages these have
        return Plan(**facts, cached=cached, requests_at_least=least)
    return Plan(
        **facts,
        items=sum(walk.received.part.expected or 0 for walk in begun),
        pages=len(known) + sum(one.pages for one in behind),
        cached=cached,
        requests_at_most=sum(one.most for one in behind),
        requests_at_least=least,
    )


def _walk_in_cache(query: Query, fetcher: Fetcher) -> Walk:
    """Return a walk over a collection of one owner, whose first page is in the cache."""
    walk = Walk(Received(query), fetcher, workers=1, believes_refusals=True)
    _read(walk.begin())
    return walk
