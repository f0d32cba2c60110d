"""Pages of an order without a tie-break: records that sort alike come as they like.

So they do in the database of the live service: a record can stand on two pages, and another on
none. Here the order among them depends on the page that is asked for, and is the same each time.
"""

from __future__ import annotations

import random
from itertools import groupby
from typing import TYPE_CHECKING

from lxml import etree

from dirframe.service.store.build import SORT_ALIASES
from dirframe.service.store.store import Page

if TYPE_CHECKING:
    from dirframe.schema import Resource
    from dirframe.service.store.store import Store

__all__ = ["page_without_tie_break"]

#: What a sort goes by. Others have a tie-break or are no sorts of the live service.
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
    """Return a page as `Store.page` does, with records that sort alike in an order of its own.

    Parameters
    ----------
    store
        The directory's records.
    resource, query, sort, page, page_size
        As in `Store.page`. Records change places with those of the page before and behind.

    Returns
    -------
    Page
        As many records as `Store.page` gives.
    """
    chosen = sort or store.default_sort(resource, query)
    key = _KEYS.get(SORT_ALIASES.get(chosen, chosen).removesuffix("_reverse"))

    def fragments(number: int) -> list[str]:
        there = store.page(resource, query=query, sort=chosen, page=number, page_size=page_size)
        return there.fragments

    asked = store.page(resource, query=query, sort=chosen, page=page, page_size=page_size)
    if key is None or not asked.fragments:
        return asked
    before = fragments(page - 1) if page > 1 else []
    window = [*before, *asked.fragments, *fragments(page + 1)]
    chance = random.Random(f"{chosen} {page}")  # noqa: S311  # it is to be the same each time
    mixed: list[str] = []
    for _, group in groupby(window, lambda fragment: _value(fragment, key)):
        alike = list(group)
        chance.shuffle(alike)
        mixed += alike
    begin = len(before)
    return Page(mixed[begin : begin + len(asked.fragments)], asked.available, asked.first)


def _value(fragment: str, key: str) -> str:
    # The fragment is the writer's own, without document type or entities.
    return (etree.fromstring(fragment).findtext(key) or "").casefold()
