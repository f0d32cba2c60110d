"""Check how a directory answers: sizes, sorts, errors, in at most 15 requests."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from dirframe import __version__
from dirframe._display import card
from dirframe.client.directory import Directory, open_directory
from dirframe.client.http.session import FetchedPage
from dirframe.client.page import Page
from dirframe.client.query import Options, Query, is_in_order, record_query
from dirframe.client.records import Records
from dirframe.errors import DirframeError, RequestError
from dirframe.schema import ACCOUNT, PAGE_SIZE, PROJECT

#: Most requests that a check sends; a moved directory answers two of them with a redirect.
MAX_REQUESTS = 15

_PROJECTS, _ACCOUNTS = Query(resource=PROJECT), Query(resource=ACCOUNT)
_SORTS = ("id", "name", "created_at", "updated_at", "project_name")
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
    ...     report = dirframe.check(directory)
    >>> {f.what: f.found for f in report.findings}["page size"]
    '25'
    """
    with open_directory(directory) as client:
        probe = _Probe(client)
        probe.look()
        return Check(requests=probe.requests, findings=tuple(probe.findings))


class _Probe:
    """The requests of a check, and what they show."""

    def __init__(self, client: Directory) -> None:
        self._client = client
        self.requests, self.findings = 0, list[Finding]()

    def look(self) -> None:
        """Look at all; raise if there is no collection of projects."""
        client = self._client
        fetched = self._get(client, _PROJECTS)
        page, size = fetched.page, len(fetched.page.records)
        available, ids = page.items_available, page.values("id")
        self._note("directory", f"{client.name}, {client.base_url}")
        self._note("date", f"{fetched.retrieved:%Y-%m-%d %H:%M} UTC")
        self._note("projects", _count(page))
        is_whole = available is not None and available <= size
        self._note("page size", size, None if is_whole else size == PAGE_SIZE)
        if fetched.server_time is not None:
            seconds = round((fetched.server_time - fetched.retrieved).total_seconds())
            self._note("clock", f"{seconds:+d} s from this machine's", abs(seconds) < 60)
        moved = client.session.is_moved(_PROJECTS.path)
        self._note("address", "redirects to another" if moved else "answers itself", not moved)
        sent = sum(sign in "13" for sign in page.signs())
        self._note("analyses in collections", f"{sent} of {size} projects", sent > 0)

        def see_end(page: Page) -> _Seen:
            came = page.values("id")
            found = "the first page again" if came == ids else f"{len(came)} records"
            return found if came else "empty", not came

        if available is not None and size:
            behind = -(-available // size) + 1
            self._look("page past the end", _PROJECTS, see_end, number=behind)
        for sort in _SORTS:
            query = replace(_PROJECTS, sort=sort)
            self._look(f"projects by {sort}", query, partial(_see_order, query))
        self._look("accounts", _ACCOUNTS, self._see_accounts)
        query = replace(_ACCOUNTS, sort="id")
        self._look("accounts by id", query, partial(_see_order, query))
        if ids and ids[0]:
            self._look("analysis on own pages", record_query(PROJECT, ids[0]), _see_analysis)
        self._look("a record that is not there", record_query(PROJECT, "0"), status=404)
        options: dict[str, Any] = {"timeout": client.timeout, "allow_http": client.allow_http}
        with Directory(client.base_url, _NO_KEY, cache=False, **options) as other:
            other.quota_folder = None  # requests of this key are nobody's
            self._look("a wrong key", _PROJECTS, client=other, status=403)

    def _note(self, what: str, found: object, as_specified: bool | None = None) -> None:
        self.findings.append(Finding(what, str(found), as_specified))

    def _get(self, client: Directory, query: Query, number: int = 1) -> FetchedPage:
        try:
            fetched = query.get(client.session, Options(refresh=True, store=False), number)
        except DirframeError as error:
            self.requests += getattr(error, "attempts", 1)
            raise
        self.requests += fetched.attempts
        return fetched

    def _look(
        self,
        what: str,
        query: Query,
        see: Callable[[Page], _Seen] = lambda _: ("is answered", False),
        *,
        number: int = 1,
        client: Directory | None = None,
        status: int = 0,
    ) -> None:
        """Note what is seen on a page, or an error, of which `status` is as specified."""
        if self.requests + 1 >= MAX_REQUESTS:
            self._note(what, "not looked at: the requests of a check are used up")
            return
        try:
            self._note(what, *see(self._get(client or self._client, query, number).page))
        except RequestError as error:
            answer = f"status {error.status}: {error.help_text or 'without a text'}"
            found = answer if error.status else type(error).__name__
            self._note(what, found, error.status == status)
        except DirframeError as error:
            self._note(what, type(error).__name__, as_specified=False)

    def _see_accounts(self, page: Page) -> _Seen:
        self._note("country forms", _country_forms(page.values("country_code")))
        return _count(page), None


def _see_order(query: Query, page: Page) -> _Seen:
    sort, resource = str(query.sort), query.resource
    kept = is_in_order(Records(resource, [page]).frame(), sort)
    words = {True: "kept", False: "NOT kept", None: "cannot be seen"}
    # project_name is a sort of the live service, not of the specification.
    return words[kept], kept if sort in resource.sorts else None


def _see_analysis(page: Page) -> _Seen:
    return "sent" if page.signs() in {"1", "3"} else "not sent", None


def _count(page: Page) -> str:
    return "not counted" if page.items_available is None else f"{page.items_available:,}"


def _country_forms(values: tuple[str | None, ...]) -> str:
    """Return how many values are codes, names or missing."""
    codes = [value for value in values if re.fullmatch("[A-Za-z]{2,3}", value or "")]
    missing = values.count(None)
    names = len(values) - len(codes) - missing
    return f"{len(codes)} codes, {names} names, {missing} missing"
