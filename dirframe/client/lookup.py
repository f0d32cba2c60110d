"""Load what is named by id: one record, or a collection of each of many projects."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from hashlib import md5, sha1
from itertools import chain
from numbers import Integral
from typing import Any, TypeAlias
from urllib.parse import quote

import pandas as pd

from dirframe import provenance
from dirframe.client.collection import (
    Walk,
    check_quota,
    fetch_ahead,
    fetch_page,
    may_come_later,
    raise_or_warn,
)
from dirframe.client.directory import Directory, open_directory
from dirframe.client.paging import Pages, ReceivedPage, cost_of, is_of_one_page, list_named
from dirframe.client.progress import progress_of
from dirframe.client.query import Options, Query, record_query
from dirframe.client.records import Records
from dirframe.errors import CacheError, InvalidInputError, NotFoundError, RequestError
from dirframe.schema import ACCOUNT, PROJECT, Resource

#: One project, by id or short name, or many.
Projects: TypeAlias = str | int | Iterable[str | int] | pd.DataFrame

_NO_ANALYSIS = "no analysis"


def load_record(
    resource: Resource, value: object, directory: Directory | None, options: Options
) -> pd.DataFrame:
    """Load one record by what identifies it."""
    name = _identifier(value, resource.name)
    identifiers = [name]
    if resource is ACCOUNT and "@" in name:
        # The live service hashes the address in lower case, the specification as it is.
        texts = dict.fromkeys([name.lower().encode(), name.encode()])
        identifiers = [md5(text, usedforsecurity=False).hexdigest() for text in texts]
    # Today's service finds a project without an analysis by a search alone.
    is_searched = resource is PROJECT and not name.isdigit()
    came = list[ReceivedPage]()
    with open_directory(directory) as client:
        fetch = partial(fetch_page, client.session, options=options)
        while True:
            query = record_query(resource, identifiers.pop(0))
            came.append(fetch(query, is_answer=lambda why: is_searched and why == ""))
            if came[-1].refusal == "":
                search = Query(resource=PROJECT, query=name)
                came.append(fetch(search, is_answer=lambda _: False))
            try:
                frame = _only_record(came[-1], query, name)
            except NotFoundError:
                if not identifiers:
                    raise
                came[-1].refusal = "another record"
            else:
                facts = {"items_available": 1, "completeness": "proven"}
                return _described(frame, client, query, came, **facts)


def _only_record(page: ReceivedPage, query: Query, name: str) -> pd.DataFrame:
    """Return the one record of a page that has a name; raise if the page failed or has others."""
    if page.error is not None:
        raise page.error
    frame = Records(query.resource, [page.source.page]).frame()
    rows = frame.to_dict("records")
    is_it = [_matches(row, name) for row in rows]
    if sum(is_it) == 1:
        return frame[is_it].reset_index(drop=True)
    came = [f"{row['id']} ({', '.join(_names(row))})" for row in rows[:3]]
    url, asked = page.source.url, query.facts["id"]
    raise NotFoundError(
        f"{url} returned {', '.join(came) or 'nothing'}, not the {query.resource.name} asked for by the "
        f"id or name {asked!r}.",
        url=url,
        status=200,
        attempts=page.attempts,
    )


def _matches(row: dict[Any, Any], identifier: str) -> bool:
    """Return whether a record has an id, a name or an e-mail address, or may have its digest."""
    if identifier == row["id"] or identifier.isdigit():
        return bool(identifier == row["id"])
    if re.fullmatch(r"[0-9a-fA-F]{32}", identifier):
        # Today's live service takes an unknown digest that begins with digits for an id.
        return not re.match(rf"{re.escape(str(row['id']))}(?!\d)", identifier)
    if "@" in identifier:
        spellings = identifier, identifier.lower()
        texts = [prefix + text for text in spellings for prefix in ("", "mailto:")]
        digests = [sha1(text.encode(), usedforsecurity=False).hexdigest() for text in texts]
        return str(row.get("email_sha1")).lower() in digests
    return identifier.casefold() in map(str.casefold, _names(row))


def _names(row: dict[Any, Any]) -> list[str]:
    names = [row.get(column) for column in ("url_name", "vanity_url", "login", "name")]
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))


def queries_of(resource: Resource, projects: Any, **options: Any) -> list[Query]:
    """Return the queries to a collection of projects, by their ids or names, each once."""
    is_row = isinstance(projects, pd.Series) and "id" in projects.index  # which is no project
    if isinstance(projects, pd.DataFrame):
        projects = projects.get("id", [])
    elif is_row or not pd.api.types.is_list_like(projects):
        projects = [projects]
    names = dict.fromkeys(_identifier(value, "project") for value in projects)
    if not names:
        raise InvalidInputError(
            "No project is named; pass at least one, or a frame with the column id."
        )
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


def load_many(queries: list[Query], client: Directory, options: Options) -> pd.DataFrame:
    """Load queries to the same collection of several projects as one tidy frame."""
    query = replace(queries[0], facts={"projects": len(queries)})
    what = f"{query.resource.words[1]} of {len(queries):,} projects of {client.name}"
    check_quota(client, options, what, queries, lambda one: one.is_known(client.session))
    records, rows, project_ids = Records(query.resource), list[int](), list[str]()
    came, words = list[ReceivedPage](), set[str]()
    failures = {one.facts["project"]: "not asked for" for one in queries}
    for pages in _read_all(queries, client, options):
        name, refusal = pages.query.facts["project"], pages.received[0].refusal
        came += pages.received
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
        words.add(word)
        failures[name] = str(reason)
        if word != "incomplete":
            del failures[name]
    frame = records.frame(rows)
    frame.insert(0, "project_id", pd.Series(project_ids, dtype="str"))
    lost = {name: why for name, why in failures.items() if why != _NO_ANALYSIS}
    why = f"{list_named(lost)} did not come whole" if lost else None
    cap = f"capped at max_items={query.max_items}" if "capped" in words else None
    completeness = "counted" if "counted" in words else "proven"
    facts = {"completeness": "incomplete" if why or cap else completeness, "failures": failures}
    _described(frame, client, query, came, incomplete_reason=why or cap, **facts)
    if why:
        message = f"The {what} are not complete: {why}."
        raise_or_warn(options, frame, message, why, "Run the same line again")
    return frame


def _read_all(queries: list[Query], client: Directory, options: Options) -> Iterator[Pages]:
    """Yield the pages of each query in order; after an end that is accepted, what else came."""

    def read(pages: Pages) -> Pages:
        walk = Walk(pages, client.session, options, workers=1)
        with suppress(RequestError):  # its pages have it
            deque(chain(walk.begin(may_be_refused=True), walk.read_all()), maxlen=0)
        return pages

    waiting = [Pages(query) for query in queries]
    came = fetch_ahead(read, [*waiting], client.workers)
    try:
        with progress_of("projects", options.progress) as on_project, closing(came):
            for pages in came:
                waiting.remove(pages)
                yield pages
                if pages.error is None or is_of_one_page(pages.error):
                    on_project(1, len(queries))
    except StopIteration:  # of a callback
        pass
    except (CacheError, RequestError) as error:
        if options.incomplete == "raise" or not may_come_later(error):
            raise
    for pages in waiting:
        if (
            not pages.received
            and not options.refresh
            and pages.query.is_known(client.session, offline=options.offline)
        ):
            read(pages)
        if pages.received:
            yield pages


def _identifier(value: object, name: str) -> str:
    """Return the id or the name of a record as text; `InvalidInputError` if it cannot be one."""
    is_text = isinstance(value, str | Integral) and not isinstance(value, bool)
    text = str(value).strip() if is_text else ""
    if text in {"", ".", ".."}:
        kind = type(value).__name__.strip("_")
        shown = repr(value) if pd.api.types.is_scalar(value) else f"a {kind}"
        raise InvalidInputError(
            f"The {name} is {shown}; it must be a name, or an id as text or a whole number.",
            hint="Pass one id or name; of a table, read the column of ids as text; of a row of a "
            "frame, pass row['id'].",
        )
    return text


def _described(
    frame: pd.DataFrame, client: Directory, query: Query, came: list[ReceivedPage], **facts: Any
) -> pd.DataFrame:
    """Set the provenance of a frame that came on pages, some of which may be old."""
    client.session.warn_if_stale(came)
    facts |= {"source": client.name, "base_url": client.base_url, "items_loaded": len(frame)}
    facts |= {"resource": query.resource.name, "query": query.to_provenance()}
    facts["sent"] = provenance.columns_with_values(frame)
    return provenance.set_provenance(frame, **facts, **cost_of(came))
