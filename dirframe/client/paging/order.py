"""Tell in which order records come, and which order holds."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dirframe.client.details import read_sent
from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from dirframe.client.page import Page
    from dirframe.schema import Resource


#: The one order that today's live service keeps; its others have no tie-break. Accounts have none.
KEPT_TODAY = "project_name"

_SIZE_TODAY = 10  # records on a page of today's live service
_FEWEST = 3  # values that show an order


#: The columns that show whether an order was kept, and whether it descends.
_COLUMNS = {
    "id": ("id", False),
    "name": ("name", False),
    "project_name": ("name", False),
    "created_at": ("created_at", False),
    "updated_at": ("updated_at", False),
    "stack_count": ("stack_count", False),
    "new": ("created_at", True),
}


def better_sort(resource: Resource, sort: str | None) -> str | None:
    """Return the sort that holds where one of today's live service does not; None if none does."""
    return KEPT_TODAY if resource is PROJECT and sort != KEPT_TODAY else None


def is_sorted(values: Sequence[str | None], *, is_id: bool = False) -> bool:
    """Return whether nine of ten neighbours are in ascending order.

    Names are compared without case, with and without signs, which databases may leave out.
    """
    texts = [value or "" for value in values]
    letters = ["".join(filter(str.isalnum, text.casefold())) for text in texts]
    keys: list[list[Any]] = [[text.casefold() for text in texts], letters, texts]
    if is_id:
        keys = [[*map(int, texts)] if all(map(str.isdecimal, texts)) else texts]
    return any(map(_ascend, keys))


def is_in_order(frame: pd.DataFrame, sort: str) -> bool | None:
    """Return whether records are in the order of a sort value; None if they cannot show it."""
    column, descends = _COLUMNS.get(sort.removesuffix("_reverse"), ("", False))
    if column not in frame:
        return None
    values: list[Any] = frame[column].dropna().tolist()
    if descends != sort.endswith("_reverse"):
        values.reverse()
    if len(values) < _FEWEST:
        return None
    is_text = all(isinstance(value, str) for value in values)
    return is_sorted(values, is_id=column == "id") if is_text else _ascend(values)


def is_of_today(page: Page, *, is_moved: bool) -> bool:
    """Return whether the first page of projects is one of several of today's live service."""
    _, sent = read_sent([page], PROJECT)
    available, records = page.items_available, len(page.records)
    is_whole = available is None or available <= records
    return is_moved and records == _SIZE_TODAY and not is_whole and not sent.held.any()


def _ascend(values: Sequence[Any]) -> bool:
    count = sum(a <= b for a, b in pairwise(values))
    return bool(10 * count >= 9 * (len(values) - 1))
