"""Find an order that a directory keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dirframe.client.page import check_records
from dirframe.client.sorting import is_sorted
from dirframe.errors import NotFoundError, ServiceError
from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dirframe.client.http.session import FetchedPage
    from dirframe.client.query import Query

#: The one order that today's live service keeps; its others have no tie-break. Accounts have none.
KEPT_TODAY = "project_name"

_SIZE_TODAY = 10  # records on a page of today's live service


def better_sort(query: Query) -> str | None:
    """Return the sort that holds where one of today's live service does not; None if none does."""
    return KEPT_TODAY if query.resource is PROJECT and query.sort != KEPT_TODAY else None


def has_free_order(query: Query) -> bool:
    """Return whether a query asks for all projects in no order of its own."""
    is_whole = query.resource is PROJECT and query.max_items is None
    return is_whole and query.path == "/projects.xml" and "sort" not in query.params(1)


def is_of_today(signs: str, available: int | None, *, is_moved: bool) -> bool:
    """Return whether a first page of projects is one of several of today's live service."""
    is_whole = available is None or available <= len(signs)
    return is_moved and len(signs) == _SIZE_TODAY and not is_whole and not {"1", "3"} & set(signs)


def find_order(
    query: Query,
    fetch: Callable[[Query], FetchedPage],
    tried: Sequence[str] = (),
    reject: Callable[[str, FetchedPage | None], object] = lambda *_: None,
) -> tuple[Query, FetchedPage | None]:
    """Return the query in an order that the directory keeps, and its first page if it came.

    Without a sort of its own these are ids, then names of projects, as the first page shows.
    `fetch` returns the first page; `tried` are orders not to ask for again. `reject` is called with
    an order that is not kept, and the page in it, if that was not refused.
    """
    if query.sort is not None:
        return query, None
    orders = ["id", KEPT_TODAY] if query.resource is PROJECT else ["id"]
    for sort in orders:
        if sort in tried:
            continue
        try:
            first = fetch(replace(query, sort=sort))
        except (NotFoundError, ServiceError) as error:
            if (error.status or 0) >= 500:  # not about the order
                raise
            reject(sort, None)
            tried = [sort]
            continue
        check_records(first.page, query.resource.name)
        values = first.page.values("id" if sort == "id" else "name")
        if is_sorted(values, is_id=sort == "id"):
            return replace(query, sort=sort), first
        available, records = first.page.items_available, len(first.page.records)
        is_whole = available is not None and available <= records
        if is_whole or tried:  # a second one is taken for ignored: its page is the directory's own
            return query, first
        reject(sort, first)
        tried = [sort]
    return query, None
