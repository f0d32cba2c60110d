"""In which order records come, which order holds, and what is drawn from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

from dirframe.errors import InvalidInputError, NotFoundError, ServiceError
from dirframe.schema import PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

    from dirframe.client.query import Query

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


def better_sort(query: Query) -> str | None:
    """Return the sort that holds where one of today's live service does not; None if none does."""
    return KEPT_TODAY if query.resource is PROJECT and query.sort != KEPT_TODAY else None


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
    fetch: Callable[[Query], tuple[Sequence[str | None], Sequence[str | None]]],
    tried: Sequence[str] = (),
    reject: Callable[[str, bool], None] = lambda *_: None,
) -> Query:
    """Return the query in an order that the directory keeps, at most two requests later.

    Without a sort of its own these are ids, then names of projects, as the first page shows.
    `fetch` returns the ids and names of the first page; `tried` are orders not to ask for again.
    `reject` is called with an order that is not kept, and whether it was refused.
    """
    if query.sort is not None:
        return query
    orders = ["id", KEPT_TODAY] if query.resource is PROJECT else ["id"]
    for sort in orders:
        if sort in tried:
            continue
        try:
            ids, names = fetch(replace(query, sort=sort))
        except (NotFoundError, ServiceError) as error:
            if (error.status or 0) >= 500:  # not about the order
                raise
            reject(sort, True)
            continue
        if is_sorted(ids if sort == "id" else names, is_id=sort == "id"):
            return replace(query, sort=sort)
        reject(sort, False)
    return query


@dataclass(frozen=True)
class Sample:
    """A simple random sample of the positions of a collection, without replacement."""

    size: int
    seed: int

    def __post_init__(self) -> None:
        for name, least in (("size", 1), ("seed", 0)):
            value = getattr(self, name)
            if type(value) is not int or value < least:
                argument = "sample" if name == "size" else name
                raise InvalidInputError(
                    f"{argument} is {value!r}; it must be a whole number from {least}."
                )

    def positions(self, population: int) -> list[int]:
        """Return the positions that are drawn, from 0, in ascending order."""
        # Only Random.random gives the same numbers in every version of Python.
        chance, drawn = Random(self.seed), set[int]()
        while len(drawn) < min(self.size, population):
            drawn.add(int(chance.random() * population))
        return sorted(drawn)

    def pages(self, population: int, page_size: int) -> list[int]:
        """Return the numbers of the pages that hold these positions."""
        return sorted({position // page_size + 1 for position in self.positions(population)})


def _ascend(values: Sequence[Any]) -> bool:
    count = sum(a <= b for a, b in pairwise(values))
    return bool(10 * count >= 9 * (len(values) - 1))
