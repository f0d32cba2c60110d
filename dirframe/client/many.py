"""Load a collection of each of many projects as one tidy frame."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import quote

import pandas as pd

from dirframe import provenance
from dirframe.client import messages
from dirframe.client.budget import check_quota
from dirframe.client.directory import Directory, session_of
from dirframe.client.load import Options, Rows, add_rows, cost_of, raise_or_warn, warn_if_stale
from dirframe.client.lookup import names_of
from dirframe.client.paging.fetch import (
    MAX_FAILURES,
    Failure,
    Fetcher,
    Reason,
    fetch_ahead,
)
from dirframe.client.paging.proof import Completeness
from dirframe.client.paging.query import Query
from dirframe.client.paging.received import Arrival, Receipt, Received
from dirframe.client.paging.walk import Walk
from dirframe.client.progress import progress_of
from dirframe.errors import CacheError, RequestError
from dirframe.schema import Resource

#: One project, by id or short name, or many.
Projects: TypeAlias = str | int | Iterable[str | int] | pd.DataFrame

_NOT_ASKED = "not asked for"


def queries_of(resource: Resource, projects: Any, **options: Any) -> list[Query]:
    """Return the queries to a collection of projects, by their ids or names, each once."""
    names = names_of(projects)
    path = partial(resource.paths[0].format, analysis="latest")
    return [
        Query(
            resource=resource,
            path=path(project=quote(name, safe="")),
            numbered=resource.paged,
            facts={"project": name},
            **options,
        )
        for name in names
    ]


class _One:
    """The walk over the collection of one project, and the pages that it received."""

    def __init__(self, query: Query, fetcher: Fetcher) -> None:
        self.project = str(query.facts["project"])
        self.received = Received(query)
        self.arrivals: list[Arrival] = []
        self._walk = Walk(self.received, fetcher, workers=1, believes_refusals=True)

    def read(self) -> _One:
        """Read all pages; what has failed is in `received`."""
        with suppress(RequestError, CacheError):
            self.arrivals += self._walk.begin()
            if self.received.refusal is None:
                self.arrivals += self._walk.read_all()
        return self

    @property
    def is_read(self) -> bool:
        """Whether anything was asked for."""
        return bool(self.received.receipts)

    def is_known(self) -> bool:
        """Return whether its first page comes from the cache."""
        return self._walk.is_page_known(1)


class _Table:
    """The records of the projects that were read, and why those of others are missing."""

    def __init__(self, queries: list[Query]) -> None:
        self.rows = Rows(queries[0])
        self.numbers: list[int] = []  # of rows
        self.projects: list[str] = []  # of each row
        self.failures: dict[str, str] = {}
        self.without_analysis: set[str] = set()
        self.read_projects: set[str] = set()
        self.receipts: list[Receipt] = []
        self.is_counted = False
        self.is_capped = False

    def add(self, one: _One, client: Directory) -> None:
        """Add the records of a project."""
        received = one.received
        self.read_projects.add(one.project)
        self.receipts += received.receipts
        if received.refusal is not None:
            if received.refusal.reason is Reason.NO_ANALYSIS:
                self.without_analysis.add(one.project)
            self.failures[one.project] = messages.answer_words(received.refusal)
            return
        for arrival in one.arrivals:
            add_rows(self.rows, arrival, client)
        for page, index in received.readings():
            self.numbers.append(self.rows.row(page, index))
            self.projects.append(one.project)
        failure = received.failure
        if not received.part.in_use() and failure is not None:
            self.failures[one.project] = messages.failure_words(failure)
            return
        summary = messages.summarize(received)
        self.is_capped |= summary.is_capped
        self.is_counted |= summary.completeness is Completeness.COUNTED
        if summary.completeness is Completeness.INCOMPLETE and not summary.is_capped:
            self.failures[one.project] = str(summary.reason)

    def frame(self) -> pd.DataFrame:
        """Return the records, in the order in which the projects were read."""
        frame = self.rows.records.frame(self.numbers)
        frame.insert(0, "project_id", pd.Series(self.projects, dtype="str"))
        return frame


def load_many(queries: list[Query], client: Directory, options: Options) -> pd.DataFrame:
    """Load queries to the same collection of several projects as one tidy frame."""
    what = f"{queries[0].resource.words[1]} of {len(queries):,} projects of {client.name}"
    fetcher = Fetcher(session_of(client), options.cache)
    if len(queries) > client.quota().left:
        needed = sum(not fetcher.is_known(query) for query in queries)
        accepts_parts = options.accepts_parts
        check_quota(client, options.cache, what, needed, accepts_parts=accepts_parts)
    table = _Table(queries)
    try:
        for one in _read_all(queries, fetcher, client, options):
            table.add(one, client)
    except (CacheError, RequestError) as error:
        if table.projects:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                error.frame = _described(table, queries, client)[0]
        raise
    frame, reason = _described(table, queries, client)
    warn_if_stale(client, table.receipts)
    if reason is not None:
        message = f"The {what} are not complete: {reason}."
        raise_or_warn(options, frame, message, reason, "Run the same line again")
    return frame


def _described(
    table: _Table, queries: list[Query], client: Directory
) -> tuple[pd.DataFrame, str | None]:
    """Return the frame with its provenance, and why projects are missing."""
    frame = table.frame()
    for query in queries:
        project = str(query.facts["project"])
        if project not in table.read_projects:
            table.failures[project] = _NOT_ASKED
    lost = {name: why for name, why in table.failures.items() if name not in table.without_analysis}
    reason = f"{messages.list_named(lost)} could not be loaded" if lost else None
    query = replace(queries[0], facts={"projects": len(queries)})
    cap = f"capped at max_items={query.max_items}" if table.is_capped else None
    completeness = Completeness.COUNTED if table.is_counted else Completeness.PROVEN
    if reason or cap:
        completeness = Completeness.INCOMPLETE
    provenance.set_provenance(
        frame,
        source=client.name,
        base_url=client.base_url,
        resource=query.resource.name,
        query=query.to_provenance(),
        items_loaded=len(frame),
        completeness=completeness.value,
        incomplete_reason=reason or cap,
        failures=table.failures,
        sent=provenance.columns_with_values(frame),
        **cost_of(table.receipts),
    )
    return frame, reason


def _read_all(
    queries: list[Query], fetcher: Fetcher, client: Directory, options: Options
) -> Iterator[_One]:
    """Yield each project in order; after an end that is accepted, what else is in the cache."""
    waiting = [_One(query, fetcher) for query in queries]
    failures = 0
    ending: Failure | None = None

    def ends(one: _One) -> bool:
        nonlocal failures, ending
        failure = one.received.failure
        failures = 0 if failure is None else failures + 1
        if failure is not None and (failures == MAX_FAILURES or not failure.is_of_one_page):
            ending = ending or failure
        return ending is not None

    results = fetch_ahead(_One.read, [*waiting], client.workers, ends, fetcher.session)
    try:
        with progress_of("projects", options.progress) as on_project:
            for _, one in results:
                waiting.remove(one)
                yield one
                failure = one.received.failure
                if failure is None or failure.is_of_one_page:
                    on_project(1, len(queries))
    except StopIteration:  # of a callback
        return
    finally:
        results.close()
    if ending is None:
        return
    if not options.accepts_parts or not ending.may_come_later:
        raise ending.error
    for one in waiting:
        if one.is_known():
            yield one.read()
