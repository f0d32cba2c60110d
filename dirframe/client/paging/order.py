"""The order of a collection: which ones a directory keeps, and whether records are in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pandas as pd

from dirframe.client.paging.query import BY_RANK, Query
from dirframe.client.xml.page import AnalysisSent, Page
from dirframe.client.xml.records import Records
from dirframe.schema import ACCOUNT, PROJECT

#: The one order of projects that today's live service keeps; its others have no tie-break.
KEPT_TODAY = "project_name"
#: Projects on a page of today's live service that was not asked for another number.
USUAL_PAGE_SIZE = 10
#: The column of the rank of an account.
RANK = "kudo_score_position"
#: The number of values that show an order.
FEWEST = 3

#: The column that shows whether the order of a sort was kept.
_COLUMNS = {
    "id": "id",
    "name": "name",
    "project_name": "name",
    "created_at": "created_at",
    "new": "created_at",
    "updated_at": "updated_at",
    "stack_count": "stack_count",
    BY_RANK: RANK,
}


# Which order to ask for


def sorts_to_try(query: Query) -> Sequence[str | None]:
    """Return the orders in which a collection of pages that must fit together is asked for.

    They are tried until the first page shows that one is kept; None is the directory's own.
    """
    if query.sort is not None:
        return [query.sort]
    return ["id", KEPT_TODAY, None] if query.resource is PROJECT else ["id", None]


def better_sort(query: Query) -> str | None:
    """Return the sort that holds where one of today's live service does not; None if none does."""
    return KEPT_TODAY if query.resource is PROJECT and query.sort != KEPT_TODAY else None


# What a first page shows


def is_last(page: Page) -> bool:
    """Return whether a first page is the only one."""
    return page.items_available is not None and page.items_available <= len(page.records)


def _is_usual_page_of_several(first: Page) -> bool:
    return len(first.records) == USUAL_PAGE_SIZE and not is_last(first)


def is_todays_first_page(first: Page) -> bool:
    """Return whether a first page of projects is one of today's live service.

    It has ten projects of more, none with its analysis. Whether they have one is always said there.
    """
    if not _is_usual_page_of_several(first):
        return False
    says_ids = AnalysisSent.ID | AnalysisSent.NO_ID
    sent = first.analyses_sent()
    if not sent or not all(analysis & says_ids for analysis in sent):
        return False
    return not any(AnalysisSent.ANALYSIS in analysis for analysis in sent)


def ranks_of(page: Page) -> pd.Series[Any]:
    """Return the ranks of the accounts of a page."""
    return Records(ACCOUNT, [page]).frame()[RANK]


def may_keep_ranks(first: Page) -> bool:
    """Return whether a first page of accounts is one of today's live service, which has ranks."""
    return _is_usual_page_of_several(first) and bool(ranks_of(first).notna().any())


def keeps_ranks(page: Page) -> bool | None:
    """Return whether accounts are in the order of their ranks; None if too few have one."""
    ranks = ranks_of(page)
    ranked = ranks.dropna()
    if len(ranked) < FEWEST:  # two are in some order
        return None
    return bool(ranked.is_monotonic_increasing and ranks[: len(ranked)].notna().all())


def keeps_order(page: Page, sort: str) -> bool:
    """Return whether the records of a first page are in an order."""
    columns = {name: page.values(name) for name in ("id", "name")}
    return is_in_order(columns, sort) is True


# Whether values are in an order


def is_in_order(columns: pd.DataFrame | Mapping[str, Any], sort: str) -> bool | None:
    """Return whether nine of ten neighbours are in the order of a sort value.

    None if they cannot show it. Names are compared without case, with and without signs, which
    databases may leave out.
    """
    column = _COLUMNS.get(sort.removesuffix("_reverse"), "")
    values: list[Any] = pd.Series(columns.get(column, [])).dropna().tolist()
    if len(values) < FEWEST:
        return None
    if sort.endswith("_reverse") or sort == "new":
        values.reverse()
    if column == "name":
        # Of a page of ten, one pair that a database compares otherwise.
        return _is_in_order_of_names(values, most_exceptions=len(values) // 10)
    if column == "id" and all(map(str.isdecimal, values)):
        values = [int(text) for text in values]
    return _count_descents(values) <= (len(values) - 1) // 10


def _is_in_order_of_names(names: list[str], *, most_exceptions: int) -> bool:
    folded = [name.casefold() for name in names]
    without_signs = ["".join(filter(str.isalnum, name)) for name in folded]
    forms = [names, folded, without_signs]
    return any(_count_descents(form) <= most_exceptions for form in forms)


def _count_descents(values: Sequence[Any]) -> int:
    """Return how many values are less than the one before."""
    return sum(before > value for before, value in pairwise(values))
