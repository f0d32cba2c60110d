"""Check how a directory answers: sizes, sorts, errors, in at most 15 requests."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dirframe import __version__
from dirframe.client.directory import Directory, open_directory
from dirframe.client.query import Query, is_in_order, record_path
from dirframe.client.records import frame_of
from dirframe.errors import DirframeError, RequestError
from dirframe.schema import ACCOUNT, PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable

    from dirframe.client.http.session import FetchedPage
    from dirframe.client.page import Page
    from dirframe.schema import Resource

#: Most requests that a check sends; a moved directory answers two of them with a redirect.
MAX_REQUESTS = 15

_PAGE_SIZE = 25  # of the specification
_SORTS = ("id", "name", "created_at", "updated_at", "project_name")
_NOTHING = "no-project-has-this-name-qx7vw"
_NO_KEY = "dirframe-check-of-a-key-that-is-not-one"


class Finding(NamedTuple):
    """One thing that was looked at; `as_specified` is None where the specification leaves it open."""

    what: str
    found: str
    as_specified: bool | None


@dataclass(frozen=True, kw_only=True)
class Check:
    """How a directory answers.

    Attributes
    ----------
    directory, base_url : str
        Its name and address.
    checked : datetime
        When, in UTC.
    requests : int
        Number of requests that were sent.
    findings : tuple of Finding
        What was looked at (``what``), what was seen (``found``), and whether that is as the
        specification has it (``as_specified``); None where that is left open.
    """

    directory: str
    base_url: str
    checked: datetime
    requests: int
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        marks = {True: "ok      ", False: "differs ", None: "        "}
        width = max((len(finding.what) for finding in self.findings), default=0)
        lines = [f"{marks[f.as_specified]}{f.what:<{width}}  {f.found}" for f in self.findings]
        head = f"{self.directory}, {self.base_url}, {self.checked:%Y-%m-%d %H:%M} UTC"
        by = f"{self.requests:,} requests by dirframe {__version__}"
        return "\n".join([head, by, *lines])


def check(directory: Directory | None = None) -> Check:
    """Look at how a directory answers, in at most 15 requests.

    It requests first pages of projects and accounts in several orders, a page past the end, an own
    page, a record that does not exist, and a page with a wrong key. The result is printed as a
    report that can be posted: it does not contain the key.

    Parameters
    ----------
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.

    Returns
    -------
    Check
        The report; ``findings`` holds its lines.

    Raises
    ------
    RequestError
        If the first page of projects cannot be read: the directory cannot be reached, refuses the
        key, or the quota is used up.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory(cache=False) as directory:
    ...     report = dirframe.check(directory)
    >>> {f.what: f.found for f in report.findings}["page size"]
    '25'
    """
    with open_directory(directory) as client:
        probe = _Probe(client)
        probe.projects()
        probe.accounts()
        probe.errors()
        return Check(
            directory=client.name,
            base_url=client.base_url,
            checked=datetime.now(UTC),
            requests=probe.requests,
            findings=tuple(probe.findings),
        )


class _Probe:
    """The requests of a check, and what they show."""

    def __init__(self, client: Directory) -> None:
        self._client, self._session = client, client.session
        self.requests, self.findings = 0, list[Finding]()
        self._first_id: str | None = None

    def _note(self, what: str, found: object, as_specified: bool | None = None) -> None:
        self.findings.append(Finding(what, str(found), as_specified))

    def _get(self, resource: Resource, **parameters: str) -> Page:
        return self._fetch(Query(resource=resource).path, {"page": "1"} | parameters).page

    def _fetch(self, path: str, parameters: dict[str, str]) -> FetchedPage:
        before = self._session.quota.used()
        try:
            return self._session.get(path, parameters, refresh=True, store=False)
        finally:
            self.requests += max(self._session.quota.used() - before, 1)

    def _look(
        self, what: str, look: Callable[[], tuple[str, bool | None]], status: int | None = None
    ) -> None:
        """Note what was found, and whether it is as specified; of an error, its `status` is."""
        if self.requests + 1 >= MAX_REQUESTS:
            self._note(what, "not looked at: the requests of a check are used up")
            return
        try:
            self._note(what, *look())
        except DirframeError as error:
            is_expected = isinstance(error, RequestError) and error.status == status
            self._note(what, _words(error), status is not None and is_expected)

    def projects(self) -> None:
        """Look at the collection of projects; raise if there is none."""
        fetched = self._fetch(Query(resource=PROJECT).path, {"page": "1"})
        page, size = fetched.page, len(fetched.page.records)
        available, ids = page.items_available, page.values("id")
        self._first_id = next(iter(ids), None)
        self._note("projects", _count(page))
        is_whole = available is not None and available <= size
        self._note("page size", size, None if is_whole else size == _PAGE_SIZE)
        if fetched.server_time is not None:
            seconds = round((fetched.server_time - fetched.retrieved).total_seconds())
            self._note("clock", f"{seconds:+d} s from this machine's", abs(seconds) < 60)
        moved = self._session.is_moved(Query(resource=PROJECT).path)
        self._note("address", "redirects to another" if moved else "answers itself", not moved)
        sent = sum(sign in "13" for sign in page.signs())
        self._note("analyses in collections", f"{sent} of {size} projects", sent > 0)
        if available is not None and size:
            number = str(-(-available // size) + 1)
            self._look("page past the end", lambda: self._past_the_end(number, ids))
        for sort in _SORTS:
            self._look(f"projects by {sort}", partial(self._sort, PROJECT, sort))
        self._look("query without a match", self._nothing)

    def accounts(self) -> None:
        """Look at the collection of accounts."""
        codes: tuple[str | None, ...] | None = None

        def look() -> tuple[str, None]:
            nonlocal codes
            page = self._get(ACCOUNT)
            codes = page.values("country_code")
            return _count(page), None

        self._look("accounts", look)
        if codes is not None:
            self._note("country forms", _country_forms(codes))
        self._look("accounts by id", partial(self._sort, ACCOUNT, "id"))

    def errors(self) -> None:
        """Look at an own page, and at what is answered to what is not there or not allowed."""
        if self._first_id is not None:
            self._look("analysis on own pages", self._own_page)
        self._look("a record that is not there", self._missing, 404)
        self._look("a wrong key", self._wrong_key, 403)

    def _past_the_end(self, number: str, first: tuple[str | None, ...]) -> tuple[str, bool]:
        ids = self._get(PROJECT, page=number).values("id")
        found = "the first page again" if ids == first else f"{len(ids)} records"
        return found if ids else "empty", not ids

    def _sort(self, resource: Resource, sort: str) -> tuple[str, bool | None]:
        kept = is_in_order(frame_of([self._get(resource, sort=sort)], resource), sort)
        words = {True: "kept", False: "NOT kept", None: "cannot be seen"}
        # project_name is a sort of the live service, not of the specification.
        return words[kept], kept if sort in resource.sorts else None

    def _nothing(self) -> tuple[str, bool]:
        page = self._get(PROJECT, query=_NOTHING)
        result = "with an empty result" if page.has_result else "without a result element"
        found = f"{len(page.records)} records, {page.items_available} counted, {result}"
        return found, not page.records

    def _own_page(self) -> tuple[str, None]:
        page = self._fetch(record_path(PROJECT, str(self._first_id)), {}).page
        return "sent" if page.signs() in {"1", "3"} else "not sent", None

    def _missing(self) -> tuple[str, bool]:
        self._fetch(record_path(PROJECT, "0"), {})
        return "is answered", False

    def _wrong_key(self) -> tuple[str, bool]:
        client, path = self._client, Query(resource=PROJECT).path
        with Directory(
            client.base_url,
            _NO_KEY,
            cache=False,
            timeout=client.timeout,
            allow_http=client.allow_http,
        ) as other:
            other.quota_folder = None  # requests of this key are nobody's
            try:
                other.session.get(path, {"page": "1"})
            finally:
                self.requests += 1 + self._session.is_moved(path)
        return "is accepted", False


def _count(page: Page) -> str:
    return "not counted" if page.items_available is None else f"{page.items_available:,}"


def _words(error: DirframeError) -> str:
    """Return what an error was: the code and the words of the directory, or its kind."""
    status = error.status if isinstance(error, RequestError) else None
    help_text = error.help_text if isinstance(error, RequestError) else None
    code = type(error).__name__ if status is None else f"status {status}"
    return f"{code}, {help_text!r}" if help_text else code


def _country_forms(values: tuple[str | None, ...]) -> str:
    """Return how many values are codes, names or missing, with an example of each."""
    forms: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for value in values:
        is_code = value is not None and re.fullmatch("[A-Za-z]{2,3}", value)
        form = "missing" if value is None else "codes" if is_code else "names"
        forms[form] += 1
        examples.setdefault(form, value or "")
    texts = [
        f"{count} {form}" + (f" ({examples[form]})" if examples[form] else "")
        for form, count in forms.most_common()
    ]
    return ", ".join(texts) or "no accounts"
