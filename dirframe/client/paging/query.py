"""Query to a collection: filter, sort and limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from dirframe.client.addresses import Address
    from dirframe.schema import Resource


def _is_text(value: object) -> bool:
    """Return whether a value can be sent in a URL: text without a lone surrogate."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True, kw_only=True)
class CollectionQuery:
    """A validated query to a collection.

    Parameters
    ----------
    resource
        Resource of the records.
    query
        Search text; None for all records.
    sort
        Sort order; None for the directory's default.
    max_items
        Maximum number of records; None for all.
    address
        Address of the collection; None for the resource's own path.
    """

    resource: Resource
    query: str | None = None
    sort: str | None = None
    max_items: int | None = None
    address: Address | None = None

    def __post_init__(self) -> None:
        for name in ("query", "sort"):
            if not _is_text(getattr(self, name) or ""):
                raise InvalidInputError(
                    f"{name} is {getattr(self, name)!r}; it must be text, or None."
                )
        allowed = (*self.resource.sorts, *self.resource.other_sorts)
        if self.sort is not None and allowed and self.sort not in allowed:
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
        return self.address.path if self.address else f"/{self.resource.collection}.xml"

    def params(self, page: int) -> dict[str, str]:
        """Return the query parameters of a page; page numbers start at 1."""
        own = self.address.parameters if self.address else {}
        parameters = {**own, "query": self.query or own.get("query", "")}
        parameters["sort"] = self.sort or own.get("sort", "")
        # Without known paging at an address, the first page is requested without a number.
        if page > 1 or not self.address or self.address.paged:
            parameters["page"] = str(page)
        return {name: value for name, value in parameters.items() if value}

    def to_provenance(self) -> dict[str, Any]:
        """Return the query as recorded in provenance."""
        facts: dict[str, Any] = {}
        if self.address:
            facts |= self.address.facts or {"path": self.address.path}
            facts |= self.address.parameters
        for name in ("query", "sort", "max_items"):
            facts[name] = getattr(self, name) or facts.get(name)
        return {name: value for name, value in facts.items() if value is not None}
