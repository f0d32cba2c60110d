"""Load a query to a path: what is there is known with its first page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dirframe.client.collection import attach_load_provenance, get_page, load_query
from dirframe.client.outcome import Incomplete, check_incomplete
from dirframe.client.paging import ids_of
from dirframe.client.query import Policy
from dirframe.client.records import frame_of
from dirframe.errors import UnreadableResponseError
from dirframe.schema.extensions import UNKNOWN, resource_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage
    from dirframe.client.progress import ProgressCallback
    from dirframe.client.query import Query
    from dirframe.schema import Resource


def load_at(
    query: Query,
    client: Directory,
    *,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = False,
) -> pd.DataFrame:
    """Load a query to a path; what is there is known with its first page."""
    check_incomplete(incomplete)
    query, first = fetch_first(query, client, Policy(refresh=refresh, offline=offline))
    if is_single(query, first):
        return load_single(first, query.resource, client, query.to_provenance())
    return load_query(
        query,
        client,
        incomplete=incomplete,
        refresh=refresh,
        offline=offline,
        progress=progress,
        first=first,
    )


def load_single(
    fetched: FetchedPage, resource: Resource, client: Directory, query: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the record of its own page as a frame of one row, with its provenance."""
    client.session.warn_if_stale([fetched])
    return attach_load_provenance(
        frame_of([fetched.page], resource),
        client,
        resource,
        [fetched],
        query=query,
        items_available=1,
        completeness="proven",
        synthetic=fetched.page.synthetic,
    )


def fetch_first(query: Query, client: Directory, policy: Policy) -> tuple[Query, FetchedPage]:
    """Fetch the first page of a query to a path, and determine its resource.

    Raises
    ------
    UnreadableResponseError
        If the records are not those expected at the path, or their number differs from the
        reported one: then the document is not a list of records.
    """
    fetched = get_page(client.session, query, 1, policy)
    page = fetched.page
    resource = resource_named(page.record_name) if page.record_name else query.resource
    if query.resource is not UNKNOWN and resource.name != query.resource.name:
        raise UnreadableResponseError(
            f"{fetched.url} should hold <{query.resource.name}> records, but it holds "
            f"<{resource.name}>.",
            found=f"<{resource.name}>",
            source=fetched.url,
        )
    if page.items_returned not in {None, len(page.records)}:
        found = f"{len(page.records):,} <{resource.name}> where {page.items_returned:,} are said"
        raise UnreadableResponseError(
            f"{fetched.url} says that it returns {page.items_returned:,} items, but its result "
            f"holds {len(page.records):,} <{resource.name}>: that is not a list of records.",
            found=found,
            source=fetched.url,
        )
    if page.record_name and not resource.fields:
        ids = ids_of(page, replace(resource, key="id"))
        are_distinct = None not in ids and len(set(ids)) == len(ids)
        resource = replace(resource, key="id" if are_distinct else "")
    return replace(query, resource=resource), fetched


def is_single(query: Query, first: FetchedPage) -> bool:
    """Return whether the first page is a single record, and not a page of a collection."""
    page = first.page
    counted = page.items_available is not None or page.items_returned is not None
    return query.is_single is not False and len(page.records) == 1 and not counted
