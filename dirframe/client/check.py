"""Check how a directory answers: sizes, sorts, errors, in at most 15 requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from dirframe import __version__
from dirframe._display import card
from dirframe.client.directory import Directory, open_directory
from dirframe.client.http.adapter import FetchedPage
from dirframe.client.page import Page
from dirframe.client.query import Options, Query, is_in_order, is_last, record_query
from dirframe.client.records import Records
from dirframe.errors import DirframeError, RequestError, UnreadableResponseError
from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT

#: Most requests that a check sends; a moved directory answers two of them with a redirect.
MAX_REQUESTS = 15

_PROJECTS, _ACCOUNTS = Query(resource=PROJECT), Query(resource=ACCOUNT)
_SORTS = ("id", "name", "created_at", "updated_at", "project_name")
_NOTHING = "no-project-has-this-name-qx7vw"
_NO_KEY = "dirframe-check-of-a-key-that-is-not-one"
_ASKED = Options(refresh=True, store=False)
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
        return card(f"Check: {self.requests:,} requests by dirframe {__version__}", facts)


def check(directory: Directory | None = None) -> Check:
    """Look at how a directory answers, in at most 15 requests.

    These ask for first pages in several orders, a page past the end, an own page, a record that does
    not exist, and a page with a wrong key.

    Parameters
    ----------
    directory
        As in `load_projects`.

    Returns
    -------
    Check
        A report to print and post: it does not contain the key. ``findings`` holds its lines:
        ``what`` was looked at, what was ``found``, and whether that is ``as_specified``.

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
        first = _PROJECTS.get(client.session, _ASKED)
        requests, findings = first.attempts, [*_see_first(client, first)]
        options: dict[str, Any] = {"timeout": client.timeout, "allow_http": client.allow_http}
        with Directory(client.base_url, _NO_KEY, cache=False, **options) as other:
            other.quota_folder = None  # requests of this key are nobody's
            for look in _looks(client, other, first.page):
                seen: _Seen = "not looked at: the requests of a check are used up", None
                if requests + 1 < MAX_REQUESTS:
                    seen, attempts = look.answer()
                    requests += attempts
                findings.append(Finding(look.what, *seen))
        return Check(requests=requests, findings=tuple(findings))


class _Look(NamedTuple):
    """A page to look at, and what it shows; of an error, the `status` is as specified."""

    what: str
    client: Directory
    query: Query
    see: Callable[[Page], _Seen] = lambda _: ("is answered", False)
    number: int = 1
    status: int = 0

    def answer(self) -> tuple[_Seen, int]:
        """Return what the page shows, and the number of requests for it."""
        attempts = 0
        try:
            fetched = self.query.get(self.client.session, _ASKED, self.number)
            attempts = fetched.attempts
            return self.see(fetched.page), attempts
        except DirframeError as error:
            found, status = type(error).__name__, getattr(error, "status", None)
            if isinstance(error, UnreadableResponseError):
                found = f"{found}: {error.found}"
            elif isinstance(error, RequestError) and status is not None:
                found = f"status {status}: {error.help_text or 'without a text'}"
            return (found, status == self.status), attempts or getattr(error, "attempts", 0)


def _see_first(client: Directory, first: FetchedPage) -> Iterator[Finding]:
    """Yield what the first page of projects shows."""
    page, size = first.page, len(first.page.records)
    yield Finding("directory", f"{client.name}, {client.base_url}", None)
    yield Finding("date", f"{first.retrieved:%Y-%m-%d %H:%M} UTC", None)
    yield Finding("projects", _count_of(page), None)
    yield Finding("page size", str(size), None if is_last(page) else size == PAGE_SIZE)
    if first.server_time is not None:
        seconds = round((first.server_time - first.retrieved).total_seconds())
        yield Finding("clock", f"{seconds:+d} s from this machine's", abs(seconds) < 60)
    is_moved = client.session.is_moved(_PROJECTS.path)
    yield Finding("address", "redirects to another" if is_moved else "answers itself", not is_moved)
    sent = sum(sign in "13" for sign in page.signs())
    yield Finding("analyses in collections", f"{sent} of {size} projects", sent > 0)


def _looks(client: Directory, other: Directory, first: Page) -> Iterator[_Look]:
    """Yield what else to look at; `other` has a wrong key."""
    ids, size = first.values("id"), len(first.records)

    def see_end(page: Page) -> _Seen:
        came = page.values("id")
        found = "the first page again" if came == ids else f"{len(came)} records"
        return found if came else "empty", not came

    def see_analysis(page: Page) -> _Seen:
        return "sent" if page.signs() in {"1", "3"} else "not sent", None

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
    yield _Look("a record that is not there", client, record_query(PROJECT, "0"), status=404)
    yield _Look("a wrong key", other, _PROJECTS, status=403)


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
    forms = f"{codes} codes, {len(values) - codes - missing} names, {missing} missing"
    return f"{forms}; {_count_of(page, ' in all')}", None


def _count_of(page: Page, ending: str = "") -> str:
    available = page.items_available
    return "not counted" if available is None else f"{available:,}{ending}"
