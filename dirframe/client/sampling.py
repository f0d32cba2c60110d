"""A simple random sample of the records of a collection."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from dirframe.client.paging import Pages, Readings
    from dirframe.client.query import Query


@dataclass(frozen=True)
class Sample:
    """So many positions of a collection, drawn without replacement; its first page says of how many."""

    size: int
    seed: int

    def __post_init__(self) -> None:
        for argument, value, least in (("sample", self.size, 1), ("seed", self.seed, 0)):
            if type(value) is not int or value < least:
                raise InvalidInputError(
                    f"{argument} is {value!r}; it must be a whole number from {least}."
                )

    def positions(self, population: int) -> list[int]:
        """Return the positions that are drawn, from 0, in ascending order."""
        # Only Random.random gives the same numbers in every version of Python.
        chance, drawn = Random(self.seed), set[int]()  # noqa: S311  # no secret
        while len(drawn) < min(self.size, population):
            drawn.add(int(chance.random() * population))
        return sorted(drawn)

    def pages(self, population: int, page_size: int) -> list[int]:
        """Return the numbers of the pages that hold these positions, and of the first one."""
        return sorted({1, *(place // page_size + 1 for place in self.positions(population))})

    def missing(self, pages: Pages) -> list[int]:
        """Return the numbers of the pages that have not come yet."""
        first = pages.first
        if first is None:
            return [1]
        if first.available is None:
            raise InvalidInputError(
                "No sample can be drawn: the directory does not state how many records it has "
                "(items_available)."
            )
        came = {page.number for page in pages.received}
        return [n for n in self.pages(first.available, len(first.ids) or 1) if n not in came]

    def records(self, pages: Pages) -> Readings:
        """Return the page and the position of each record that was drawn, by its id."""
        first, by_number = pages.first, {page.number: page for page in pages.received}
        records: Readings = {}
        if first is None:
            return records
        for position in self.positions(first.available or 0):
            number, place = divmod(position, len(first.ids) or 1)
            page = by_number.get(number + 1)
            if page is not None and place < len(page.ids):
                records[page.ids[place] or (number, place)] = page, place
        return records

    def completeness(self, pages: Pages) -> tuple[str, str | None]:
        """Return ``sample``, or ``incomplete`` with the reason if a record is missing."""
        drawn = len(self.positions(pages.first.available or 0)) if pages.first else self.size
        came = sum(isinstance(key, str) for key in self.records(pages))
        if came == drawn:
            return "sample", None
        return "incomplete", f"{came:,} different records came of {drawn:,} that were drawn"

    def design(self, pages: Pages, sort: str | None) -> dict[str, Any]:
        """Return how the sample was drawn, and other counts that later pages stated."""
        population = pages.first.available if pages.first else None
        later = {p.available for p in pages.received if p.number and p.available is not None}
        return {
            "design": "simple random sample of positions without replacement",
            "size": len(self.positions(population or 0)),
            "population": population,
            "seed": self.seed,
            "order": sort or "the directory's own",
        } | ({"population_later": sorted(later - {population})} if later - {population} else {})


def check_sample(query: Query, sample: Sample | None) -> None:
    """Raise `InvalidInputError` if a sample is asked for together with a limit."""
    if sample is not None and query.max_items is not None:
        raise InvalidInputError(
            "A sample is of the whole collection, and max_items (--max-items) takes the first "
            "records of it. Leave one of them out."
        )
