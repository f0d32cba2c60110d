"""Load projects that are named by their ids or short names, one row each, in the given order."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe._display import quantity
from dirframe.client import messages
from dirframe.client.budget import check_quota
from dirframe.client.directory import Directory, session_of
from dirframe.client.load import (
    Options,
    cost_of,
    raise_or_warn,
    warn_if_changed,
    warn_if_stale,
)
from dirframe.client.lookup import is_record, names_of
from dirframe.client.paging.details import ANALYSIS_COLUMNS
from dirframe.client.paging.fetch import (
    MAX_NOT_FOUND,
    Answer,
    Document,
    Failure,
    Fetcher,
    Patience,
    Reason,
    Refusal,
    fetch_ahead,
    may_come_later,
    never,
)
from dirframe.client.paging.ids import MAX_ID, is_id, is_number
from dirframe.client.paging.query import Query, record_query
from dirframe.client.paging.read_by_ids import (
    IdsReader,
    NamedIds,
    fetch_first_page,
    is_todays_answer,
)
from dirframe.client.paging.received import NoIds, Receipt, receipt_of
from dirframe.client.progress import progress_of
from dirframe.client.xml.page import AnalysisSent, Page
from dirframe.client.xml.records import Records
from dirframe.errors import (
    AnalysesNotSentWarning,
    CacheError,
    InvalidInputError,
    RequestError,
    warn,
)
from dirframe.schema import PROJECT

#: So few projects cost no more by their own pages, which have their analyses.
FEW_IDS = 2

_NO_SUCH_ID = f"no id, which is a whole number from 1 to {MAX_ID:,}"
_NOT_SENT = "could not be sent"
_NOT_ASKED = "not asked for"
_PROJECTS = Query(resource=PROJECT)


@dataclass(frozen=True, slots=True)
class _Row:
    """Where a record is, and what it came with."""

    number: int
    project: str  # its id
    sent: AnalysisSent


class Names:
    """The names of projects, each once; `possible` are those that may be one."""

    def __init__(self, projects: Any) -> None:
        self.all = names_of(projects)
        self.possible = [name for name in self.all if not is_number(name) or is_id(name)]
        self.ids = [name for name in self.possible if is_id(name)]

    @property
    def are_cheaper_by_ids(self) -> bool:
        """Whether some of them cost less by ids than by their own pages."""
        return len(self.ids) > FEW_IDS


class NamedProjects:
    """Reads named projects: by ids, 25 a request, where that costs less, or by their own pages."""

    def __init__(self, names: Names, fetcher: Fetcher, workers: int, *, details: bool) -> None:
        self.names, self.fetcher, self.workers, self.details = names, fetcher, workers, details
        self.records = Records(PROJECT)
        self.rows: dict[str, _Row] = {}  # by name
        impossible = [name for name in names.all if name not in set(names.possible)]
        self.failures = dict.fromkeys(impossible, _NO_SUCH_ID)
        self.gone: set[str] = set()  # those that do not exist
        self.lost: dict[str, str] = {}  # own pages of projects that are there, by id
        self.may_come_later = False  # one of those that are missing
        self.own_pages = 0
        self._by_ids: NamedIds | None = None
        self.no_ids: NoIds | None = None  # why they were not read by ids to the end
        self.receipts: list[Receipt] = []
        self.failure: Failure | None = None  # that ended it

    def read_by_ids(self) -> Iterator[str]:
        """Yield the names of the projects that were received by ids, where that costs less."""
        if self.details or not self.names.are_cheaper_by_ids or not self.is_today():
            return
        self._by_ids = by_ids = NamedIds(self.fetcher)
        yield from self._read_by_ids(self.names.ids, by_ids)
        if not by_ids.is_answered:
            self.no_ids = NoIds.STOPPED if by_ids.sent else NoIds.IGNORED

    def read_known(self) -> Iterator[str]:
        """Yield the names of the other projects that are in the cache, after a failure."""
        if self._by_ids is not None:
            for page, document in self._by_ids.read_known():
                yield from self._add(document.page, page.ids)
        known = [
            name for name in self.undecided() if self.fetcher.is_known(record_query(PROJECT, name))
        ]
        refused: dict[str, Refusal | Failure] = {}
        yield from self._read_own(known, refused, Patience())
        for name, answer in refused.items():
            if not _may_be_there(answer):
                self._note_failure(name, answer)

    def undecided(self) -> list[str]:
        """Return the names whose own pages are needed."""
        return [name for name in self.names.possible if not self._is_decided(name)]

    def read_rest(self) -> Iterator[str]:
        """Yield the names of the other projects that were received."""
        while own := self.undecided():
            refused: dict[str, Refusal | Failure] = {}
            patience = Patience(most_not_found=MAX_NOT_FOUND)
            yield from self._read_own(own, refused, patience)
            is_ended = patience.ending is not None and not patience.ending.is_bare_404
            if not is_ended:
                yield from self._read_refused(refused)
                # Bare 404s in a row of projects that do not exist are no end.
                is_ended = any(name not in self.gone for name in _not_found(refused))
            if patience.ending is not None and is_ended:
                self.failure = patience.ending
                raise patience.ending.error

    def _is_decided(self, name: str) -> bool:
        return name in self.rows or name in self.failures

    # By ids

    def is_today(self) -> bool:
        """Return whether the directory is today's live service."""
        answer = fetch_first_page(self.fetcher)
        self.receipts.append(receipt_of(answer))
        if isinstance(answer, Failure):
            self.failure = answer
            raise answer.error
        return is_todays_answer(answer)

    def walk_of(self, ids: Iterable[str]) -> IdsReader:
        """Return a walk over some ids."""
        return NamedIds(self.fetcher).walk_of(ids)

    def _read_by_ids(self, ids: list[str], by_ids: NamedIds) -> Iterator[str]:
        """Read projects by ids, and note which ones do not exist, if the directory answers by ids."""
        try:
            for page, document in by_ids.read(ids):
                yield from self._add(document.page, page.ids)
        finally:
            self.receipts += by_ids.receipts
            self.failure = by_ids.failure
        self.may_come_later |= bool(by_ids.unsendable)
        self.gone |= by_ids.gone
        for name in ids:
            if name in by_ids.gone:
                self.failures[name] = Reason.GONE.value
            elif name in by_ids.unsendable:
                self.failures[name] = _NOT_SENT

    def _add(self, page: Page, names: Iterable[str | None]) -> Iterator[str]:
        """Add the records of a page by their names."""
        first = self.records.add(page)
        ids = page.values("id")
        for index, (name, sent) in enumerate(zip(names, page.analyses_sent(), strict=True)):
            if name is not None:
                self.rows[name] = _Row(first + index, str(ids[index]), sent)
                yield name

    # By own pages

    def _read_own(
        self, names: list[str], refused: dict[str, Refusal | Failure], patience: Patience
    ) -> Iterator[str]:
        """Read the own pages of projects; note those that were refused, or failed."""
        results = fetch_ahead(
            self._fetch_own, names, self.workers, patience.ends, self.fetcher.session
        )
        for name, answer in results:
            self.receipts.append(receipt_of(answer))
            if isinstance(answer, Document):
                self.own_pages += 1
                yield from self._add(answer.page, [name])
            elif isinstance(answer, Refusal) or answer.is_of_one_page:
                refused[name] = answer

    def _fetch_own(self, name: str) -> Answer:
        """Return the own page of a project; a refusal, if it is that of another one."""
        answer = self.fetcher.fetch(record_query(PROJECT, name))
        if not isinstance(answer, Document):
            return answer
        if [is_record(answer.page, 0, name)] == [True] * len(answer.page.records):
            return answer
        self.fetcher.session.forget(answer.url)
        return Refusal(
            reason=Reason.OTHER_RECORD,
            received_at=answer.received_at,
            requests=answer.requests,
            requests_paid=answer.requests_paid,
            other_ids=answer.page.values("id"),
        )

    def _read_refused(self, refused: dict[str, Refusal | Failure]) -> Iterator[str]:
        """Read the records of projects without an own page, where there are any."""
        unsure = [name for name, answer in refused.items() if is_id(name) and _may_be_there(answer)]
        if unsure and self.is_today():
            # A page of the cache is older than a bare 404.
            is_recent = not set(unsure).isdisjoint(_not_found(refused))
            fetcher = self.fetcher.refreshed() if is_recent else self.fetcher
            yield from self._read_by_ids(unsure, NamedIds(fetcher))
        for name, answer in refused.items():
            if name not in self.rows and not is_id(name) and _may_be_there(answer):
                yield from self._search(name)
            if name in self.rows:
                self._note_own_page(name, answer)
            else:
                self._note_failure(name, answer)

    def _note_own_page(self, name: str, answer: Refusal | Failure) -> None:
        """Note that the own page of a project that exists was not received."""
        if isinstance(answer, Refusal) and answer.reason is Reason.NO_ANALYSIS:
            return
        self.may_come_later |= isinstance(answer, Failure)
        self.lost[self.rows[name].project] = messages.answer_words(answer)

    def _note_failure(self, name: str, answer: Refusal | Failure) -> None:
        """Note that a project was not received."""
        if isinstance(answer, Failure):
            if name in self.gone and is_id(name):
                self.fetcher.remember_gone(record_query(PROJECT, name), answer)
            elif name not in self.gone:
                self.may_come_later = True
        self.failures.setdefault(name, messages.answer_words(answer))

    def _search(self, name: str) -> Iterator[str]:
        """Find a project by its name where today's service sent no own page of it."""
        answer = self.fetcher.fetch(Query(resource=PROJECT, query=name), believe_refusal=never)
        self.receipts.append(receipt_of(answer))
        if isinstance(answer, Failure):
            self.failure = answer
            raise answer.error
        if isinstance(answer, Document):
            page = answer.page
            found = [is_record(page, index, name) for index in range(len(page.records))]
            if found.count(True) == 1:
                yield from self._add(page, [name if is_it else None for is_it in found])
            elif True not in found:
                self.gone.add(name)
                self.failures[name] = Reason.GONE.value

    # What was received

    def rows_in_order(self) -> list[_Row]:
        """Return the rows of the projects in the given order, each project once."""
        rows: dict[str, _Row] = {}
        for name in self.names.all:
            if name in self.rows:
                rows.setdefault(self.rows[name].project, self.rows[name])
        return list(rows.values())

    def without_own_page(self) -> int:
        """Return how many projects have an analysis, but came without it."""
        least = AnalysisSent.ID
        return sum(row.sent == least for row in self.rows_in_order())

    def note_missing(self) -> None:
        """Note the projects that were not asked for."""
        for name in self.names.possible:
            if name not in self.rows and name not in self.failures:
                self.failures[name] = _NOT_ASKED
                self.may_come_later = True


def _not_found(answers: Mapping[str, Refusal | Failure]) -> list[str]:
    """Return the names whose own page was a bare 404."""
    failures = {name: one for name, one in answers.items() if isinstance(one, Failure)}
    return [name for name, failure in failures.items() if failure.is_bare_404]


def _may_be_there(answer: Refusal | Failure) -> bool:
    """Return whether a project may be there without its own page: a bare 404 shows nothing."""
    if isinstance(answer, Failure):
        return answer.is_bare_404
    return answer.reason is Reason.NO_ANALYSIS


def check_named(option: str, **others: object) -> None:
    """Raise if other options choose projects, beside the one that names them."""
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise InvalidInputError(
            f"{option}= names the projects to load, and {'= and '.join(given)}= would choose others.",
            hint="Leave one of them out; select the frame, or sort it, afterwards.",
        )


def load_named(
    projects: Any, client: Directory, options: Options, *, details: bool
) -> pd.DataFrame:
    """Load named projects as one frame."""
    names = Names(projects)
    fetcher = Fetcher(session_of(client), options.cache)
    named = NamedProjects(names, fetcher, client.workers, details=details)
    try:
        with progress_of("projects", options.progress) as on_project, suppress(StopIteration):
            total = len(names.possible)
            for _ in named.read_by_ids():
                on_project(1, total)
            _check_quota(named, client, options)
            for _ in named.read_rest():
                on_project(1, total)
    except (CacheError, RequestError) as error:
        failure = named.failure
        is_later = may_come_later(error) if failure is None else failure.may_come_later
        if options.accepts_parts and is_later:
            for _ in named.read_known():
                pass
        if not (options.accepts_parts and is_later and named.rows):
            if named.rows:
                named.note_missing()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    error.frame = _described(named, client)[0]
            raise
    named.note_missing()
    frame, reason = _described(named, client)
    warn_if_stale(client, named.receipts)
    _warn_of_analyses(named)
    warn_if_changed(named.no_ids, f"named projects of {client.name}")
    if reason is not None:
        what = quantity(len(names.all), "named project")
        message = f"The load of {what} of {client.name} is not complete: {reason}."
        lack = {
            "details_missing": tuple(named.lost),
            "received": len(frame),
            "expected": len(names.all),
            "retry_helps": named.may_come_later,
        }
        advice = messages.advice_on_failures(may_come_later=named.may_come_later)
        raise_or_warn(options, frame, message, reason, advice, **lack)
    return frame


def _check_quota(named: NamedProjects, client: Directory, options: Options) -> None:
    """Compare the own pages to come with the quota."""
    own = named.undecided()
    if len(own) <= client.quota().left:
        return
    needed = sum(not named.fetcher.is_known(record_query(PROJECT, name)) for name in own)
    what = f"{quantity(len(named.names.all), 'named project')} of {client.name}"
    check_quota(client, options.cache, what, needed, accepts_parts=options.accepts_parts)


def _described(named: NamedProjects, client: Directory) -> tuple[pd.DataFrame, str | None]:
    """Return the frame with its provenance, and why projects are missing."""
    rows = named.rows_in_order()
    frame = named.records.frame([row.number for row in rows])
    is_left_out = bool(named.without_own_page()) and not named.details
    if is_left_out:
        for column in frame.columns.intersection([*ANALYSIS_COLUMNS]):
            frame[column] = pd.Series(None, index=frame.index, dtype=frame[column].dtype)
    parts = []
    if named.failures:
        parts.append(f"{messages.list_named(named.failures)} could not be loaded")
    if named.lost:
        parts.append(messages.about_lost(named.lost))
    reason = "; ".join(parts) or None
    provenance.set_provenance(
        frame,
        source=client.name,
        base_url=client.base_url,
        resource=PROJECT.name,
        query={"projects": len(named.names.all)} | ({"details": True} if named.details else {}),
        items_available=len(named.names.all),
        items_loaded=len(frame),
        completeness="proven" if reason is None else "incomplete",
        incomplete_reason=reason,
        failures=named.failures,
        walk=_walk_facts(named),
        not_sent=list(ANALYSIS_COLUMNS) if is_left_out else [],
        details=named.own_pages,
        details_missing=list(named.lost),
        sent=provenance.columns_with_values(frame),
        **cost_of(named.receipts),
    )
    return frame, reason


def _walk_facts(named: NamedProjects) -> dict[str, str]:
    if named.no_ids is None:
        return {}
    return {"by": "own pages", "reason": messages.reason_of(named.no_ids)}


def _warn_of_analyses(named: NamedProjects) -> None:
    number = named.without_own_page()
    if named.details or not number:
        return
    text = (
        f"{messages.with_an_analysis(number, len(named.rows_in_order()))}, but its columns are empty: "
        "this directory sends analyses only on each project's own page."
    )
    hint = (
        f"details=True (--details) requests these pages, for at most {quantity(number, 'request')}."
    )
    warn(AnalysesNotSentWarning(text, requests=number, hint=hint))
