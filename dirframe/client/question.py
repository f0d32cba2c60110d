"""What one asks of a collection, apart from where and how.

What stays out: addresses, keys, HTTP.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from dirframe.schema import Resource

__all__ = ["Question"]


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question to a collection, checked.

    Parameters
    ----------
    resource
        What is asked for.
    query
        Only records that match; None for all.
    sort
        The order; None for the directory's default.
    max_items
        Cap on the number of records; None for all.
    """

    resource: Resource
    query: str | None = None
    sort: str | None = None
    max_items: int | None = None

    def __post_init__(self) -> None:
        allowed = (*self.resource.sorts, *self.resource.other_sorts)
        if self.sort is not None and self.sort not in allowed:
            raise InvalidInputError(
                f"{self.resource.collection} cannot be sorted by {self.sort!r}; choose one of "
                f"{', '.join(allowed)}."
            )
        if self.max_items is not None and (type(self.max_items) is not int or self.max_items < 1):
            raise InvalidInputError(
                f"max_items is {self.max_items!r}; it must be a whole number from 1."
            )

    @property
    def path(self) -> str:
        """The path of the collection below the base URL."""
        return f"/{self.resource.collection}.xml"

    def parameters(self, page: int) -> dict[str, str]:
        """Return the query parameters of one page, counted from 1."""
        asked = {"query": self.query, "sort": self.sort, "page": str(page)}
        return {name: value for name, value in asked.items() if value}

    def facts(self) -> dict[str, Any]:
        """Return what was asked, as provenance notes it."""
        asked = {"query": self.query, "sort": self.sort, "max_items": self.max_items}
        return {name: value for name, value in asked.items() if value is not None}
