"""Tell whether records came in an order."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

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


def _ascend(values: Sequence[Any]) -> bool:
    count = sum(a <= b for a, b in pairwise(values))
    return bool(10 * count >= 9 * (len(values) - 1))
