"""Tell in which order records come, and which order holds."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.schema import Resource


#: The one order that today's live service keeps; its others have no tie-break. Accounts have none.
KEPT_TODAY = "project_name"


def better_sort(resource: Resource, sort: str | None) -> str | None:
    """Return the sort that holds where one of today's live service does not; None if none does."""
    return KEPT_TODAY if resource is PROJECT and sort != KEPT_TODAY else None


def is_sorted(values: Sequence[str | None], *, is_id: bool = False) -> bool:
    """Return whether nine of ten neighbours are in ascending order.

    Names are compared without case, with and without signs, which databases may leave out.
    """
    texts = [value or "" for value in values]
    letters = ["".join(filter(str.isalnum, text.casefold())) for text in texts]
    keys: list[list[Any]] = [[text.casefold() for text in texts], letters]
    if is_id:
        keys = [[*map(int, texts)] if all(map(str.isdecimal, texts)) else texts]
    counts = [sum(a <= b for a, b in pairwise(key)) for key in keys]
    return bool(10 * max(counts) >= 9 * (len(texts) - 1))
