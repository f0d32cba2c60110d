"""Load the projects of an organization, of which the directory names each by its title alone."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe._display import quantity
from dirframe.client import messages
from dirframe.client.budget import check_quota
from dirframe.client.directory import Directory, session_of
from dirframe.client.load import Options, cost_of, raise_or_warn, warn_if_stale
from dirframe.client.lookup import check_organization, titled_query
from dirframe.client.many import load_of
from dirframe.client.paging.details import ANALYSIS_COLUMNS
from dirframe.client.paging.fetch import (
    Document,
    Failure,
    Fetcher,
    Patience,
    Refusal,
    fetch_ahead,
    never,
)
from dirframe.client.paging.query import Query, record_query
from dirframe.client.paging.received import Receipt, receipt_of
from dirframe.client.progress import progress_of
from dirframe.client.xml.page import AnalysisSent, Page
from dirframe.client.xml.records import Records
from dirframe.errors import (
    AnalysesNotSentWarning,
    CacheError,
    RequestError,
    warn,
)
from dirframe.schema import PROJECT

_SHORT_NAMES = ("url_name", "vanity_url")
_NONE = "no project has this name"
_SEVERAL = "several projects have this name"
_NOT_ASKED = "not asked for"
#: Facts of the provenance that are sums over all requests.
_COSTS = ("requests_made", "requests_cached", "requests_paid")


@dataclass(frozen=True, slots=True)
class _Found:
    """A project of a name, on a page; None where there is none, for a reason."""

    page: Page | None
    index: int
    reason: str
    receipts: list[Receipt]
    failure: Failure | None = None  # that says nothing about the project


def load_projects_of(
    organization: str, client: Directory, options: Options, *, details: bool
) -> pd.DataFrame:
    """Load the projects of an organization: the own page of each, or else what a query finds."""
    check_organization(organization)
    portfolio = load_of("portfolio_projects", organization, client, options)
    names = portfolio["name"].dropna().unique().tolist()
    fetcher = Fetcher(session_of(client), options.cache)
    what = f"projects of the organization {organization} of {client.name}"
    known = sum(fetcher.is_known(titled_query(name)) for name in names)
    accepts_parts = options.accepts_parts
    check_quota(client, options.cache, what, len(names) - known, accepts_parts=accepts_parts)
    reader = _Reader(fetcher, details=details)
    try:
        with progress_of("projects", options.progress) as on_project, suppress(StopIteration):
            for _ in reader.read(names, client.workers):
                on_project(1, len(names))
    except (CacheError, RequestError) as error:
        if not (accepts_parts and reader.rows):
            if reader.rows:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    error.frame = _described(reader, portfolio, names, client)[0]
            raise
    frame, reason = _described(reader, portfolio, names, client)
    warn_if_stale(client, reader.receipts)
    left_out = reader.without_analysis()
    if left_out and not details:
        text = (
            f"{messages.with_an_analysis(left_out, len(frame))}, but its columns are empty: this "
            "directory sends analyses only on each project's own page."
        )
        price = f"at most {quantity(left_out, 'request')}"
        hint = f"details=True (--details) requests their own pages, for {price}."
        warn(AnalysesNotSentWarning(text, requests=left_out, hint=hint))
    if reason is not None:
        message = f"The {what} are not complete: {reason}."
        is_unasked = len(reader.rows) + len(reader.failures) < len(names)
        may_come_later = reader.may_come_later or is_unasked
        lack = {"received": len(frame), "expected": len(names), "retry_helps": may_come_later}
        advice = messages.advice_on_failures(may_come_later=may_come_later)
        raise_or_warn(options, frame, message, reason, advice, **lack)
    return frame


class _Reader:
    """Reads projects by their titles."""

    def __init__(self, fetcher: Fetcher, *, details: bool) -> None:
        self.fetcher, self.details = fetcher, details
        self.records = Records(PROJECT)
        self.rows: dict[str, int] = {}  # by title
        self.sent: dict[str, AnalysisSent] = {}
        self.failures: dict[str, str] = {}
        self.may_come_later = False  # one of those that are missing
        self.receipts: list[Receipt] = []

    def read(self, names: list[str], workers: int) -> Iterator[str]:
        """Yield the titles of projects that were received, or are not there."""
        patience = Patience()

        def ends(found: _Found) -> bool:
            return found.failure is not None and patience.ends(found.failure)

        for name, found in fetch_ahead(self._find, names, workers, ends, self.fetcher.session):
            self.receipts += found.receipts
            if found.page is None:
                self.failures[name] = found.reason
                self.may_come_later |= found.failure is not None
            else:
                begin = self.records.add(found.page)
                self.rows[name] = begin + found.index
                self.sent[name] = found.page.analyses_sent()[found.index]
            if found.failure is None or found.failure.is_of_one_page:
                yield name
        if patience.ending is not None:
            raise patience.ending.error

    def without_analysis(self) -> int:
        """Return how many projects have an analysis, but came without it."""
        return sum(self.sent[name] == AnalysisSent.ID for name in self.rows)

    def _find(self, name: str) -> _Found:
        """Return the project of a title."""
        has_address = bool(name.strip(". "))  # others would lead elsewhere
        own = titled_query(name)
        answer = self.fetcher.fetch(own) if has_address else None
        receipts = [] if answer is None else [receipt_of(answer)]
        if isinstance(answer, Document):
            places = _places_of(answer.page, name)
            if len(places) == 1:
                return _Found(answer.page, places[0], "", receipts)
        elif isinstance(answer, Failure) and not answer.is_bare_404:
            return _Found(None, 0, messages.failure_words(answer), receipts, answer)
        not_found = answer if isinstance(answer, Failure) else None
        answer = self.fetcher.fetch(Query(resource=PROJECT, query=name), believe_refusal=never)
        receipts.append(receipt_of(answer))
        if isinstance(answer, Failure):
            return _Found(None, 0, messages.failure_words(answer), receipts, answer)
        if isinstance(answer, Refusal):
            return _Found(None, 0, messages.answer_words(answer), receipts)
        places = _places_of(answer.page, name)
        if len(places) != 1:
            return _Found(None, 0, _SEVERAL if places else _NONE, receipts)
        found = _Found(answer.page, places[0], "", receipts)
        if not_found is not None and not _has_address(found, own):
            self.fetcher.remember_gone(own, not_found)  # it has another short name
        return self._with_analysis(found) if self.details else found

    def _with_analysis(self, found: _Found) -> _Found:
        """Return a project of a query by its own page, if it has an analysis that was not sent."""
        page = found.page
        if page is None or page.analyses_sent()[found.index] != AnalysisSent.ID:
            return found
        identifier = page.values("id")[found.index]
        answer = self.fetcher.fetch(record_query(PROJECT, str(identifier)))
        receipts = [*found.receipts, receipt_of(answer)]
        if isinstance(answer, Document) and answer.page.values("id") == (identifier,):
            return _Found(answer.page, 0, "", receipts)
        reason = "another record" if isinstance(answer, Document) else messages.answer_words(answer)
        failure = answer if isinstance(answer, Failure) else None
        return _Found(None, 0, f"its own page: {reason}", receipts, failure)


def _has_address(found: _Found, own: Query) -> bool:
    """Return whether a project is the one that has an address: by its short name there."""
    page = found.page
    if page is None:
        return False
    names = [page.values(column)[found.index] for column in _SHORT_NAMES]
    return own.path in {record_query(PROJECT, name.lower()).path for name in names if name}


def _places_of(page: Page, name: str) -> list[int]:
    """Return the places of the records of a page that have a title."""
    titles = page.values("name")
    return [index for index, title in enumerate(titles) if title == name.strip()]


def _described(
    reader: _Reader, portfolio: pd.DataFrame, names: list[str], client: Directory
) -> tuple[pd.DataFrame, str | None]:
    """Return the frame with its provenance, and why projects are missing."""
    of = provenance.get_provenance(portfolio)
    organization = str(of["query"].get("organization", ""))
    received = [name for name in names if name in reader.rows]
    frame = reader.records.frame([reader.rows[name] for name in received])
    failures = {
        name: reader.failures.get(name, _NOT_ASKED) for name in names if name not in received
    }
    others = _of_others(frame, organization)
    failures |= dict(zip(frame["name"][others.index], others, strict=True))
    frame = frame.drop(index=others.index).reset_index(drop=True)
    is_left_out = bool(reader.without_analysis()) and not reader.details
    if is_left_out:
        for column in frame.columns.intersection([*ANALYSIS_COLUMNS]):
            frame[column] = pd.Series(None, index=frame.index, dtype=frame[column].dtype)
    reason = f"{messages.list_named(failures)} could not be loaded" if failures else None
    completeness = of["completeness"]
    if reason is None:
        reason_of_list = of["incomplete_reason"]
    else:
        reason_of_list = "; ".join(filter(None, [reason, of["incomplete_reason"]]))
        completeness = "incomplete"
    costs: dict[str, Any] = cost_of(reader.receipts)
    costs |= {name: costs[name] + of[name] for name in _COSTS}
    for name, choose in (("retrieved_oldest", min), ("retrieved_newest", max)):
        costs[name] = choose(filter(None, [costs[name], of[name]]), default=None)
    costs["synthetic"] = costs["synthetic"] or of["synthetic"]
    query = {"organization": organization} | ({"details": True} if reader.details else {})
    provenance.set_provenance(
        frame,
        source=client.name,
        base_url=client.base_url,
        resource=PROJECT.name,
        query=query,
        items_available=len(names),
        items_loaded=len(frame),
        completeness=completeness,
        incomplete_reason=reason_of_list,
        failures=failures,
        not_sent=list(ANALYSIS_COLUMNS) if is_left_out else [],
        **costs,
    )
    return frame, reason


def _of_others(frame: pd.DataFrame, organization: str) -> pd.Series[Any]:
    """Return the rows of projects that name another organization, and why they are left out."""
    column = "organization_vanity_url"
    if column not in frame:
        return pd.Series(dtype="str")
    own = frame[column].dropna().astype("str")
    others = own[own.str.casefold() != organization.casefold()]
    if "organization_id" in frame:
        others = others[frame["organization_id"][others.index] != organization]
    return "of the organization " + others
