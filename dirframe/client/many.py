"""Load a collection of one project, or those of many as one tidy frame."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import pandas as pd

from dirframe.client.address import load_at
from dirframe.client.collection import attach_load_provenance, frame_of_rows, get_page
from dirframe.client.details import get_refusal, list_named, why_refused
from dirframe.client.directory import open_directory
from dirframe.client.outcome import Incomplete, check_incomplete, check_quota, raise_or_warn
from dirframe.client.paging import Pages, Received, Walk, fetch_ahead, ids_of
from dirframe.client.progress import ProgressCallback, progress_of
from dirframe.client.query import Policy, Query, again, identifier_of, path_of
from dirframe.client.records import Records
from dirframe.errors import (
    InvalidInputError,
    NotFoundError,
    ServiceError,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage, Session
    from dirframe.schema import Resource

    #: One project, by id or short name, or many.
    Projects: TypeAlias = str | int | Iterable[str | int] | pd.DataFrame


def load_of_projects(
    resource: Resource,
    project: Projects,
    directory: Directory | None,
    options: Mapping[str, Any],
    *,
    incomplete: Incomplete,
    refresh: bool,
    offline: bool,
    progress: bool | ProgressCallback,
) -> pd.DataFrame:
    """Load a collection of one project, or of each of many; see `load_contributors`."""
    check_incomplete(incomplete)
    with open_directory(directory) as client:
        if not are_many(project):
            return load_at(
                query_of(resource, project, options),
                client,
                incomplete=incomplete,
                refresh=refresh,
                offline=offline,
                progress=progress,
            )
        queries = {name: query_of(resource, name, options) for name in names_of(project)}
        policy = Policy(refresh=refresh, offline=offline)
        with progress_of("projects", progress) as on_project:
            return _load_many(queries, client, policy, incomplete, on_project)


def are_many(project: Projects) -> bool:
    """Return whether these are several projects, and not one."""
    return isinstance(project, pd.DataFrame) or (
        pd.api.types.is_list_like(project) and not isinstance(project, bytes)
    )


def names_of(projects: Any) -> list[str]:
    """Return the ids or names of projects, each once; `InvalidInputError` if there is none."""
    if isinstance(projects, pd.DataFrame):
        if "id" not in projects:
            raise InvalidInputError(
                "The frame of projects has no column 'id'; pass one of load_projects, or a list."
            )
        projects = projects["id"]
    names = list(dict.fromkeys(identifier_of(value, "project") for value in projects))
    if not names:
        raise InvalidInputError("No project is named; pass at least one.")
    return names


def query_of(resource: Resource, project: Any, options: Mapping[str, Any]) -> Query:
    """Return the query to a collection of a project."""
    name = identifier_of(project, "project")
    return Query(
        resource=resource,
        path=path_of(resource.paths[0], analysis="latest", project=name),
        paged=resource.paged,
        facts={"project": name},
        **options,
    )


def is_known(session: Session, query: Query) -> bool:
    """Return whether the first page of a query, or its refusal, is fresh in the cache."""
    refusal = session.get_refusal(query.path)
    return refusal is not None or session.is_cached(query.path, query.params(1))


def _read(session: Session, query: Query, policy: Policy) -> Pages | str:
    """Read the pages of a collection; return why it is refused otherwise."""
    resource = query.resource
    why = get_refusal(session, query.path, policy)
    if why is not None:
        return why
    pages = Pages(query.max_items, paged=resource.paged)

    def fetch(number: int, *, refresh: bool) -> FetchedPage:
        return get_page(session, query, number, again(policy) if refresh else policy)

    def receive(number: int, fetched: FetchedPage) -> Received:
        page, ids = fetched.page, ids_of(fetched.page, resource)
        counts = page.items_available, page.first_item_position
        return Received(number, *counts, ids, fetched.retrieved.timestamp(), fetched)

    walk = Walk(pages, fetch, receive)
    try:
        walk.read([1])
    except (NotFoundError, ServiceError) as error:
        why = why_refused(error)
        if why is None:
            raise
        if error.status is not None:
            session.put_refusal(query.path, why)
        return why
    walk.read_missing()
    walk.read_again()
    return pages


def _load_many(
    queries: Mapping[str, Query],
    client: Directory,
    policy: Policy,
    incomplete: Incomplete,
    progress: ProgressCallback,
) -> pd.DataFrame:
    session, resource = client.session, next(iter(queries.values())).resource
    what = f"{resource.collection} of {len(queries):,} projects of {client.name}"
    check_quota(client, policy, what, list(queries), lambda name: is_known(session, queries[name]))
    rows, chosen, project_ids = Records(resource), list[int](), list[str]()
    fetched: list[FetchedPage] = []
    failures: dict[str, str] = {}
    short: dict[str, str] = {}
    kinds = {"proven"}
    for name, pages in fetch_ahead(
        lambda name: _read(session, queries[name], policy), queries, client.workers
    ):
        progress(1, len(queries))
        if isinstance(pages, str):
            failures[name] = pages or "no analysis"
            continue
        starts: dict[int, int] = {}
        for page in pages.received:
            starts[id(page)] = rows.rows
            rows.add(page.source.page)
            slim = replace(page.source.page, records=())  # they take the most memory
            fetched.append(replace(page.source, content=b"", page=slim))
        records = pages.records(every=pages.order_fails())
        places = [starts[id(page)] + place for page, place in records.values()][: pages.max_items]
        chosen += places
        project_ids += [name] * len(places)
        kind, reason = pages.completeness(
            len(places), sum(not isinstance(key, str) for key in records)
        )
        kinds.add(kind)
        if kind == "incomplete":
            short[name] = str(reason)
    frame = frame_of_rows(rows, chosen)
    frame.insert(0, "project_id", pd.Series(project_ids, dtype="str"))
    lost = {name: why for name, why in failures.items() if why != "no analysis"} | short
    kind = min({"incomplete"} if lost else kinds, key=["incomplete", "counted", "proven"].index)
    why = f"{list_named(lost)} did not come whole" if lost else None
    query = dict(next(iter(queries.values())).to_provenance()) | {"projects": len(queries)}
    query.pop("project")
    if fetched:
        session.warn_if_stale(fetched)
    attach_load_provenance(
        frame,
        client,
        resource,
        fetched,
        query=query,
        completeness=kind,
        incomplete_reason=why,
        failures=failures | short,
        synthetic=any(page.page.synthetic for page in fetched),
    )
    if why:
        message = f"The {what} are not complete: {why}."
        hint = 'incomplete="warn" (--incomplete warn) continues without them.'
        raise_or_warn(incomplete, frame, message, why, hint=hint)
    return frame
