"""A random sample of the positions of a collection: the pages that hold it, and where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from dirframe.client.paging.pages import CollectionPage, Key, Place
from dirframe.errors import InvalidInputError


@dataclass(slots=True, kw_only=True)
class SampledPages:
    """The first page of a collection, and the pages that hold the drawn positions."""

    size: int  # number of records to draw
    seed: int
    has_key: bool = True
    history: list[CollectionPage] = field(default_factory=list)
    newest: dict[int, CollectionPage] = field(default_factory=dict)
    drawn: dict[int, list[int]] = field(default_factory=dict)  # by page: indices of drawn records
    probes: list[CollectionPage] = field(default_factory=list)  # in orders that are not used

    def add(self, page: CollectionPage) -> None:
        """Add a page; the first one says how many records there are to draw from."""
        if page.is_probe:
            self.probes.append(page)
            return
        if page.number == 1:
            self.drawn = draw(page.total, len(page.ids) or 1, size=self.size, seed=self.seed)
        self.history.append(page)
        self.newest[page.number] = page

    def set_aside(self, pages: Iterable[CollectionPage]) -> None:
        """Add pages in an order that is not used any more: they hold none of the drawn positions."""
        self.probes.extend(pages)

    @property
    def first(self) -> CollectionPage | None:
        """The first page."""
        return self.newest.get(1)

    @property
    def received(self) -> list[CollectionPage]:
        """All pages."""
        return [*self.probes, *self.history]

    def newest_versions(self) -> list[CollectionPage]:
        """Return the newest version of each page."""
        return list(self.newest.values())

    def count_missing(self) -> int:
        """Return the number of pages that are missing."""
        return len(self.missing())

    @property
    def total(self) -> int | None:
        """Number of records that the sample was drawn from, by the first page."""
        pages = list(self.newest.values())
        return pages[0].total if pages else None

    @property
    def expected(self) -> int | None:
        """Number of records in the sample."""
        return None if self.total is None else min(self.total, self.size)

    @property
    def to_receive(self) -> int:
        """Number of records on the pages to read; 0 if it is not known."""
        return len(self.drawn) * len(self.newest[1].ids) if self.drawn else self.expected or 0

    def used(self) -> list[CollectionPage]:
        """Return the received pages that hold the sample."""
        return [self.newest[number] for number in self.drawn if number in self.newest]

    def is_past_end(self, page: CollectionPage) -> bool:
        """Return whether a page has no records."""
        return not page.ids

    def may_end_at(self, number: int) -> bool:  # noqa: ARG002  # as of all pages
        """Return False: each page of a sample holds drawn positions."""
        return False

    def missing(self) -> list[int]:
        """Return the numbers of the pages that were not received."""
        if 1 not in self.newest:
            return [1]
        return [number for number in self.drawn if number not in self.newest]

    def places(self, versions: Iterable[CollectionPage]) -> dict[Key, Place]:
        """Return the newest reading of each drawn record."""
        places: dict[Key, Place] = {}
        for page in versions:
            for index in self.drawn.get(page.number, ()):
                identifier = page.ids[index] if index < len(page.ids) else None
                if identifier is not None and self.has_key:
                    places[identifier] = Place(page, index)
                elif page is self.newest[page.number] and index < len(page.ids):
                    places[page.number, index] = Place(page, index)
        return places


def draw(population: int | None, page_size: int, *, size: int, seed: int) -> dict[int, list[int]]:
    """Return the numbers of the first page, and of those that hold the sample: at which indices."""
    if population is None:
        raise InvalidInputError(
            "No sample can be drawn: the directory does not state how many records it has "
            "(items_available)."
        )
    # Only Random.random gives the same numbers in every version of Python.
    chance = Random(seed)  # noqa: S311  # no secret
    positions: set[int] = set()
    while len(positions) < min(size, population):
        positions.add(int(chance.random() * population))
    drawn: dict[int, list[int]] = {1: []}
    for position in sorted(positions):
        drawn.setdefault(position // page_size + 1, []).append(position % page_size)
    return drawn
