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


def better_sort(query: Query) -> str | None:
    """Return the sort that holds where one of today's live service does not; None if none does."""
    return KEPT_TODAY if query.resource is PROJECT and query.sort != KEPT_TODAY else None


def is_last(page: Page) -> bool:
    """Return whether a first page is the only one."""
    return page.items_available is not None and page.items_available <= len(page.records)


#: Projects on a page of today's live service that was not asked for another number.
USUAL_PAGE_SIZE = 10


def is_todays_first_page(first: Page) -> bool:
    """Return whether a first page of projects is one of today's live service.

    It has ten projects of more, none with its analysis. Whether they have one is always said there.
    """
    sent = first.analyses_sent()
    is_said = bool(sent) and all(one & (AnalysisSent.ID | AnalysisSent.NO_ID) for one in sent)
    is_sent = any(AnalysisSent.ANALYSIS in one for one in sent)
    is_one_of_several = len(first.records) == USUAL_PAGE_SIZE and not is_last(first)
    return is_said and not is_sent and is_one_of_several


#: The column of the rank of an account.
RANK = "kudo_score_position"


def ranks_of(page: Page) -> pd.Series[Any]:
    """Return the ranks of the accounts of a page."""
    return Records(ACCOUNT, [page]).frame()[RANK]


def may_keep_ranks(first: Page) -> bool:
    """Return whether a first page of accounts is one of today's live service, which has ranks."""
    is_one_of_several = len(first.records) == USUAL_PAGE_SIZE and not is_last(first)
    return is_one_of_several and bool(ranks_of(first).notna().any())


def keeps_ranks(page: Page) -> bool | None:
    """Return whether accounts are in the order of their ranks; None if too few have one."""
    ranks = ranks_of(page)
    ranked = ranks.dropna()
    if len(ranked) < FEWEST:  # two are in some order
        return None
    return bool(ranked.is_monotonic_increasing and ranks[: len(ranked)].notna().all())


#: The number of values that show an order.
FEWEST = 3

#: The columns that show whether an order was kept.
_COLUMNS = {
    **{name: name for name in ("id", "name", "created_at", "updated_at", "stack_count")},
    "project_name": "name",
    "new": "created_at",
    BY_RANK: RANK,
}


def sorts_to_try(query: Query) -> Sequence[str | None]:
    """Return the orders in which a collection of pages that must fit together is asked for.

    They are tried until the first page shows that one is kept; None is the directory's own.
    """
    if query.sort is not None:
        return [query.sort]
    return ["id", KEPT_TODAY, None] if query.resource is PROJECT else ["id", None]


def keeps_order(page: Page, sort: str) -> bool:
    """Return whether the records of a first page are in an order."""
    columns = {name: page.values(name) for name in ("id", "name")}
    return is_in_order(columns, sort) is True


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
    forms, most = [values], (len(values) - 1) // 10
    if column == "id" and all(map(str.isdecimal, values)):
        forms = [[*map(int, values)]]
    elif column == "name":
        most = len(values) // 10  # of a page of ten, one pair that a database compares otherwise
        folded = [text.casefold() for text in values]
        forms += [folded, ["".join(filter(str.isalnum, text)) for text in folded]]
    return any(sum(a > b for a, b in pairwise(form)) <= most for form in forms)
