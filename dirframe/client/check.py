"""Check how a directory answers: sizes, sorts, errors, in at most 18 requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from dirframe import __version__
from dirframe._display import card, quantity
from dirframe.client.directory import Directory, connection_of, open_directory, session_of
from dirframe.client.http.session import FetchedPage
from dirframe.client.paging.ids import PAGE_SIZE as PROJECTS_BY_IDS
from dirframe.client.paging.ids import Window, estimate_by_numbers, find_doubt
from dirframe.client.paging.order import is_in_order, is_last, keeps_ranks
from dirframe.client.paging.query import BY_RANK, Query, record_query
from dirframe.client.xml.page import AnalysisSent, Page
from dirframe.client.xml.records import Records
from dirframe.errors import DirframeError, RequestError, UnreadableResponseError
from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT
from dirframe.settings import ApiKey

#: Most requests that a check sends; a moved directory answers two of them with a redirect.
MAX_REQUESTS = 18

_PROJECTS, _ACCOUNTS = Query(resource=PROJECT), Query(resource=ACCOUNT)
_SORTS = ("id", "name", "created_at", "updated_at", "project_name")
_NOTHING = "no-project-has-this-name-qx7vw"
_NO_KEY = "dirframe-check-of-a-key-that-is-not-one"
_Seen = tuple[str, bool | None]  # what was found, and whether it is as specified


class Finding(NamedTuple):
    """One thing that was looked at; `as_specified` is None where the specification leaves it open."""

    what: str
    found: str
    as_specified: bool | None


@dataclass(frozen=True, kw_only=True, repr=False)
class Check:
    """How a directory answers: what was seen, and the number of requests for it."""

    requests: int
    findings: tuple[Finding, ...]

    def __repr__(self) -> str:
        marks = {True: "ok", False: "differs", None: ""}
        facts = {f.what: f"{marks[f.as_specified]:<7}  {f.found}" for f in self.findings}
        return card(f"Check: {quantity(self.requests, 'request')} by dirframe {__version__}", facts)


def check(directory: Directory | None = None) -> Check:
    """Look at how a directory answers, in at most 18 requests.

    It requests first pages in several orders, a page past the end, an own page, a record that does
    not exist, and a page with a wrong key; and what today's live service offers beyond the
    specification: 25 projects a page, projects by their ids, accounts by their kudos. The last
    finding states what a load of all projects costs with and without these.

    Parameters
    ----------
    directory
        As in `load_projects`.

    Returns
    -------
    Check
        A report to print and publish: it does not contain the key. ``findings`` holds its lines:
        ``what`` was checked, what was ``found``, and whether that is ``as_specified``.

    Raises
    ------
    RequestError
        If the first page of projects cannot be read.

    Examples
    --------
    >>> with dirframe.sample_directory(cache=False) as directory:
    ...     {f.what: f.found for f in dirframe.check(directory).findings}["page size"]
    '25'
    """
    with open_directory(directory) as client:
        first = _get(client, _PROJECTS)
        requests, findings = first.requests, [*_see_first(client, first)]
        other_key = replace(
            connection_of(client),
            key=ApiKey(_NO_KEY),
            cache_folder=None,
            quota_folder=None,  # requests of this key are nobody's
        )
        with Directory._from(other_key) as other:
            offers = _Offers(page_size=len(first.page.records))
            for look in _looks(client, other, first.page, offers):
                seen: _Seen = "not looked at: the requests of a check are used up", None
                if requests + 1 < MAX_REQUESTS:
                    seen, attempts = look.answer()
                    requests += attempts
                findings.append(Finding(look.what, *seen))
            findings += _price(first.page, offers)
        return Check(requests=requests, findings=tuple(findings))


@dataclass
class _Offers:
    """What a directory has beyond the specification: the most projects on a page, and `ids`."""

    page_size: int
    has_ids: bool = False


class _Look(NamedTuple):
    """A page to look at, and what it shows; of an error, the `status` is as specified."""

    what: str
    client: Directory
    query: Query
    see: Callable[[Page], _Seen] = lambda _: ("is answered", False)
    number: int = 1
    status: int = 0
    parameters: Mapping[str, str] = MappingProxyType({})  # that the specification does not have

    def answer(self) -> tuple[_Seen, int]:
        """Return what the page shows, and the number of requests for it."""
        attempts = 0
        try:
            fetched = _get(self.client, self.query, self.number, self.parameters)
            attempts = fetched.requests
            return self.see(fetched.page), attempts
        except DirframeError as error:
            found, status = type(error).__name__, getattr(error, "status", None)
            if isinstance(error, UnreadableResponseError):
                found = f"{found}: {error.found}"
            elif isinstance(error, RequestError) and status is not None:
                found = f"status {status}: {error.help_text or 'without a text'}"
            is_as_specified = None if self.parameters else status == self.status
            return (found, is_as_specified), attempts or getattr(error, "attempts", 0)


def _get(
    client: Directory,
    query: Query,
    number: int = 1,
    parameters: Mapping[str, str] = MappingProxyType({}),
) -> FetchedPage:
    """Return a page as the directory sends it now."""
    asked = query.params(number) | dict(parameters)
    return session_of(client).get(query.path, asked, refresh=True, store=False)


def _see_first(client: Directory, first: FetchedPage) -> Iterator[Finding]:
    """Yield what the first page of projects shows."""
    page, size = first.page, len(first.page.records)
    yield Finding("directory", f"{client.name}, {client.base_url}", None)
    yield Finding("date", f"{first.received_at:%Y-%m-%d %H:%M} UTC", None)
    yield Finding("projects", _count_of(page), None)
    yield Finding("page size", str(size), None if is_last(page) else size == PAGE_SIZE)
    if first.server_time is not None:
        seconds = round((first.server_time - first.received_at).total_seconds())
        yield Finding("clock", f"{seconds:+d} s from this machine's", abs(seconds) < 60)
    is_moved = session_of(client).is_moved(_PROJECTS.path)
    yield Finding("address", "redirects to another" if is_moved else "answers itself", not is_moved)
    sent = sum(AnalysisSent.ANALYSIS in one for one in page.analyses_sent())
    yield Finding("analyses in collections", f"{sent} of {quantity(size, 'project')}", sent > 0)


def _looks(client: Directory, other: Directory, first: Page, offers: _Offers) -> Iterator[_Look]:
    """Yield what else to look at; `other` has a wrong key, and `offers` is filled in."""
    ids, size = first.values("id"), len(first.records)

    def see_end(page: Page) -> _Seen:
        came = page.values("id")
        found = "the first page again" if came == ids else quantity(len(came), "record")
        return found if came else "empty", not came

    def see_analysis(page: Page) -> _Seen:
        is_sent = any(AnalysisSent.ANALYSIS in one for one in page.analyses_sent())
        return "sent" if is_sent else "not sent", None

    if first.items_available is not None and size:
        behind = -(-first.items_available // size) + 1
        yield _Look("page past the end", client, _PROJECTS, see_end, number=behind)
    by_id = replace(_ACCOUNTS, sort="id")
    for query in (*(replace(_PROJECTS, sort=sort) for sort in _SORTS), by_id):
        what = f"{query.resource.collection} by {query.sort}"
        yield _Look(what, client, query, partial(_see_order, query))
    nothing = replace(_PROJECTS, query=_NOTHING)
    yield _Look("query without a match", client, nothing, see_end)
    yield _Look("country forms", client, _ACCOUNTS, _see_countries)
    if ids and ids[0]:
        own = record_query(PROJECT, ids[0])
        yield _Look("analysis on own pages", client, own, see_analysis)
    yield from _looks_at_offers(client, first, offers)
    yield _Look("a record that is not there", client, record_query(PROJECT, "0"), status=404)
    yield _Look("a wrong key", other, _PROJECTS, status=403)


def _looks_at_offers(client: Directory, first: Page, offers: _Offers) -> Iterator[_Look]:
    """Yield what only today's live service has."""
    usual = len(first.records)

    def see_page_size(page: Page) -> _Seen:
        count = len(page.records)
        offers.page_size = max(count, usual)
        return f"{count} a page" if count > usual else "ignored", None

    def see_ids(page: Page) -> _Seen:
        doubt = find_doubt(
            window, page.values("id"), page.items_available, page.first_item_position
        )
        offers.has_ids = doubt is None and len(page.records) == len(window)
        return "sent in the order of ids" if offers.has_ids else "ignored", None

    most = {"per_page": str(PROJECTS_BY_IDS)}
    if 0 < usual < PROJECTS_BY_IDS and not is_last(first):
        what = f"projects with per_page={PROJECTS_BY_IDS}"
        yield _Look(what, client, _PROJECTS, see_page_size, parameters=most)
    numbers = sorted(int(text) for text in first.values("id") if text and text.isdecimal())
    # Every second one: a directory that ignores the parameter sends the others, too.
    window = Window(tuple(numbers[::2]))
    if len(numbers) > 1:
        asked = most | {"ids": window.text}
        yield _Look("projects with ids", client, _PROJECTS, see_ids, parameters=asked)
    by_kudos = {"sort": BY_RANK}
    yield _Look("accounts by kudo_position", client, _ACCOUNTS, _see_positions, parameters=by_kudos)


def _see_positions(page: Page) -> _Seen:
    words = {True: "kept", False: "NOT kept", None: "cannot be seen"}
    return words[keeps_ranks(page)], None


def _price(first: Page, offers: _Offers) -> Iterator[Finding]:
    """Yield what a load of all projects costs, by pages as they are and by what else there is."""
    available, usual = first.items_available, len(first.records)
    if available is None or not usual:
        return
    prices = [f"{quantity(available // usual + 1, 'request')} with {usual} a page"]
    if offers.page_size > usual:
        prices.append(f"{available // offers.page_size + 1:,} with {offers.page_size} a page")
    if offers.has_ids and offers.page_size == PROJECTS_BY_IDS:
        prices.append(f"about {estimate_by_numbers(available) + 5:,} by ids")
    yield Finding("a load of all projects", ", ".join(prices), None)


def _see_order(query: Query, page: Page) -> _Seen:
    sort, resource = str(query.sort), query.resource
    kept = is_in_order(Records(resource, [page]).frame(), sort)
    words = {True: "kept", False: "NOT kept", None: "cannot be seen"}
    # project_name is a sort of the live service, not of the specification.
    return words[kept], kept if sort in resource.sorts else None


def _see_countries(page: Page) -> _Seen:
    values = page.values("country_code")
    codes = sum(re.fullmatch("[A-Za-z]{2,3}", value or "") is not None for value in values)
    missing = values.count(None)
    names = len(values) - codes - missing
    forms = f"{quantity(codes, 'code')}, {quantity(names, 'name')}, {missing} missing"
    return f"{forms}; {_count_of(page, ' in all')}", None


def _count_of(page: Page, ending: str = "") -> str:
    available = page.items_available
    return "not counted" if available is None else f"{available:,}{ending}"
