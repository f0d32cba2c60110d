"""Pages sorted without a tie-break: records with equal sort keys have no fixed order."""

# The database of the live service behaves like this: a record can be on two pages, and another on
# none. Here the order of ties depends on the requested page, and is reproducible.

from __future__ import annotations

import random
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from lxml import etree

from dirframe.service.store.build import SORT_ALIASES
from dirframe.service.store.store import Page

if TYPE_CHECKING:
    from dirframe.schema import Resource
    from dirframe.service.store.store import Store


#: Sort keys. Other sorts have a tie-break or are not sorts of the live service.
_KEYS = {
    "created_at": "created_at",
    "updated_at": "updated_at",
    "name": "name",
    "stack_count": "stack_count",
    "rating": "average_rating",
    "active_committers": "analysis/twelve_month_contributor_count",
    "activity_level": "project_activity_index/value",
}


def page_without_tie_break(
    store: Store, resource: Resource, *, query: str, sort: str | None, page: int, page_size: int
) -> Page:
    """Return a page as `Store.page` does, with ties in an order that depends on the page.

    Parameters
    ----------
    store
        Records of the directory.
    resource, query, sort, page, page_size
        As in `Store.page`. Ties are shuffled with those of the previous and the next page.

    Returns
    -------
    Page
        As many records as `Store.page` gives.
    """
    sort_name = sort or store.default_sort(resource, query)
    key = _KEYS.get(SORT_ALIASES.get(sort_name, sort_name).removesuffix("_reverse"))

    page_of = partial(store.page, resource, query=query, sort=sort_name, page_size=page_size)
    requested = page_of(page=page)
    if key is None or not requested.fragments:
        return requested
    preceding = page_of(page=page - 1).fragments if page > 1 else []
    window = [*preceding, *requested.fragments, *page_of(page=page + 1).fragments]
    rng = random.Random(f"{sort_name} {page}")  # noqa: S311  # reproducible, not secret
    shuffled: list[str] = []
    for _, group in groupby(window, lambda fragment: _value(fragment, key)):
        ties = list(group)
        rng.shuffle(ties)
        shuffled += ties
    start = len(preceding)
    return Page(
        shuffled[start : start + len(requested.fragments)], requested.available, requested.first
    )


def _value(fragment: str, key: str) -> str:
    # The fragment is the writer's own, without document type or entities.
    return (etree.fromstring(fragment).findtext(key) or "").casefold()
