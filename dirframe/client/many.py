"""Load a collection of each of many projects as one tidy frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from functools import partial
from numbers import Integral
from typing import Any, TypeAlias
from urllib.parse import quote

import pandas as pd

from dirframe import provenance
from dirframe.client.collection import (
    check_quota,
    progress_of,
    raise_or_warn,
)
from dirframe.client.directory import Directory
from dirframe.client.paging import Pages, ReceivedPage, cost_of, list_named
from dirframe.client.query import Options, Query
from dirframe.client.records import Records
from dirframe.client.walk import Walk, fetch_ahead, fetch_page, may_come_later
from dirframe.errors import CacheError, InvalidInputError, RequestError
from dirframe.schema import Resource

#: One project, by id or short name, or many.
Projects: TypeAlias = str | int | Iterable[str | int] | pd.DataFrame

_NO_ANALYSIS = "no analysis"


def identifier_of(value: object, name: str) -> str:
    """Return the id or the name of a record as text; `InvalidInputError` if it cannot be one."""
    is_text = isinstance(value, str | Integral) and not isinstance(value, bool)
    text = str(value).strip() if is_text else ""
    if text in {"", ".", ".."}:
        shown = repr(value) if pd.api.types.is_scalar(value) else f"a {type(value).__name__}"
        raise InvalidInputError(
            f"The {name} is {shown}; it must be a name, or an id as text or a whole number.",
            hint="Pass one id or name; of a table, read the column of ids as text; of a row of a "
            "frame, pass row['id'].",
        )
    return text


def queries_of(resource: Resource, projects: Any, **options: Any) -> dict[str, Query]:
    """Return the query to a collection of each project by its id or name, each once."""
    is_row = isinstance(projects, pd.Series) and "id" in projects.index  # which is no project
    if isinstance(projects, pd.DataFrame):
        projects = projects.get("id", [])
    elif is_row or not pd.api.types.is_list_like(projects):
        projects = [projects]
    names = dict.fromkeys(identifier_of(value, "project") for value in projects)
    if not names:
        raise InvalidInputError(
            "No project is named; pass at least one, or a frame with the column id."
        )
    path = partial(resource.paths[0].format, analysis="latest")
    return {
        name: Query(
            resource=resource,
            path=path(project=quote(name, safe="")),
            numbered=resource.paged,
            facts={"project": name},
            **options,
        )
        for name in names
    }


def load_many(queries: dict[str, Query], client: Directory, options: Options) -> pd.DataFrame:
    """Load queries to the same collection of several projects, by their names, as one frame."""
    session, query = client.session, next(iter(queries.values()))
    what = f"{query.resource.collection} of {len(queries):,} projects of {client.name}"
    names = list(queries)
    check_quota(client, options, what, names, lambda name: queries[name].is_known(session))
    records, rows, project_ids = Records(query.resource), list[int](), list[str]()
    came, words = list[ReceivedPage](), set[str]()
    failures = dict.fromkeys(names, "not asked for")
    for pages in _read_all(queries, client, options):
        name = pages.query.facts["project"]
        came += pages.received
        refusal = pages.received[0].refusal
        if refusal is not None:
            failures[name] = refusal or _NO_ANALYSIS
            continue
        for page in pages.received:
            if page.source is not None:
                page.source = records.add(page.source.page)
        places = [page.source + place for page, place in pages.places()]
        rows += places
        project_ids += [name] * len(places)
        word, reason = pages.completeness()
        words.add("capped" if pages.is_capped() else word)
        if word == "incomplete":
            failures[name] = str(reason)
        else:
            del failures[name]
    frame = records.frame(rows)
    frame.insert(0, "project_id", pd.Series(project_ids, dtype="str"))
    session.warn_if_stale(came)
    lost = {name: why for name, why in failures.items() if why != _NO_ANALYSIS}
    why = f"{list_named(lost)} did not come whole" if lost else None
    cap = f"capped at max_items={query.max_items}" if "capped" in words else None
    facts = query.to_provenance() | {"projects": len(names)}
    del facts["project"]
    provenance.set_provenance(
        frame,
        source=client.name,
        base_url=client.base_url,
        resource=query.resource.name,
        query=facts,
        items_loaded=len(frame),
        completeness="incomplete" if why or cap else "counted" if "counted" in words else "proven",
        incomplete_reason=why or cap,
        failures=failures,
        **cost_of(came),
    )
    if why:
        message = f"The {what} are not complete: {why}."
        raise_or_warn(options, frame, message, why, advice="Run the same line again")
    return frame


def _read_all(queries: dict[str, Query], client: Directory, options: Options) -> Iterator[Pages]:
    """Yield the pages of each query in order; after an end that is accepted, what else came."""
    waiting = {name: Pages(query) for name, query in queries.items()}
    fetch = lambda name: _read(client, waiting[name], options)
    read = fetch_ahead(fetch, queries, client.workers)
    try:
        with progress_of("projects", options.progress) as on_project, closing(read):
            for pages in read:
                yield waiting.pop(pages.query.facts["project"])
                on_project(1, len(queries))
    except StopIteration:  # of a callback
        pass
    except (CacheError, RequestError) as error:
        if options.incomplete == "raise" or not may_come_later(error):
            raise
    yield from (pages for pages in waiting.values() if pages.received)


def _read(client: Directory, pages: Pages, options: Options) -> Pages:
    """Read the pages of a collection; the first one may be refused, and any may fail."""
    first = fetch_page(client.session, pages.query, options)
    if first.refusal is not None:
        pages.add(first)
        return pages
    walk = Walk(pages, client, options, workers=1)
    walk.receive_first(pages.query, first.source)
    with suppress(RequestError):  # its pages have it
        walk.read_all()
    return pages
