"""What an archive holds: progress, completeness, and the newest reading of each record."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from dirframe._display import Card, counted
from dirframe.client.collection import list_named, needed_pages
from dirframe.client.paging import Pages, Received, signs_by_id
from dirframe.client.query import Query, better_sort, sample_of
from dirframe.errors import ArchiveError
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from pathlib import Path

    from dirframe.archive.store import PageRow, Store
    from dirframe.client.paging import Readings


@dataclass(frozen=True, kw_only=True, repr=False)
class Status(Card):
    """Progress of a harvest.

    Attributes
    ----------
    path : pathlib.Path
        The archive.
    resource : str
        ``accounts`` or ``projects``.
    records : int
        Number of different records received.
    available : int or None
        Number of records that the directory reports.
    pages, pages_expected : int
        Pages of the collection that are stored, and expected.
    details, details_expected : int
        Own pages of projects that are stored or refused, and expected so far; zero if none was
        asked for.
    completeness, reason : str, str or None
        ``proven``, ``counted`` or ``incomplete`` as in `Archive.frame`, and why it is not proven.
    sort : str or None
        The order of the pages; None for the directory's own.
    requests_left : int
        Requests to go, as far as is known.
    daily_quota : int or None
        Requests a day, if known.
    size_bytes : int
        Size of all stored pages, uncompressed.
    newest : str or None
        When the newest page was fetched, ISO 8601 in UTC.
    """

    path: Path
    resource: str
    records: int
    available: int | None
    pages: int
    pages_expected: int
    details: int
    details_expected: int
    completeness: str
    reason: str | None
    sort: str | None
    requests_left: int
    daily_quota: int | None
    size_bytes: int
    newest: str | None

    @property
    def finished(self) -> bool:
        """Whether nothing is left to fetch."""
        return not self.requests_left

    @property
    def complete(self) -> bool:
        """Whether it is finished, and proven complete."""
        return self.completeness == "proven"

    @property
    def share(self) -> float:
        """Share of the available records that was received; 1 only for as many as available."""
        if self.records == self.available:
            return 1.0
        return min(self.records / self.available, 0.999) if self.available else 0.0

    def _card(self) -> tuple[str, dict[str, str], str]:
        left = counted(self.requests_left, "request")
        if self.daily_quota:
            days = counted(math.ceil(self.requests_left / self.daily_quota), "day")
            left += f", {days} at {self.daily_quota:,} a day"
        words = {"proven": "proven complete", "counted": self.reason, "sample": "a random sample"}
        note = f"Finished: {words.get(self.completeness, f'INCOMPLETE, {self.reason}')}."
        if not self.finished:
            note = f"Not finished: {left} to go. Run the same line again."
        of = "" if self.available is None else f" of {self.available:,}"
        own = f", and {self.details:,} of {self.details_expected:,} own pages"
        facts = {
            "records": f"{self.records:,}{of} {self.resource} ({self.share:.1%})",
            "pages": f"{self.pages:,} of {self.pages_expected:,}"
            + own * bool(self.details_expected),
            "size": f"{self.size_bytes / 1e6:,.1f} MB uncompressed",
            "newest page": f"{self.newest[:16].replace('T', ' ')} UTC" if self.newest else "none",
        }
        return f"Archive {self.path}", facts, note


class Index:
    """What an archive holds: its pages, and of each record the newest reading."""

    def __init__(self, store: Store) -> None:
        try:
            self.facts, self.rows = store.facts(), store.pages()
            self.resource = RESOURCES[self.facts["resource"]]
            self.sample = sample_of(self.facts["sample"], self.facts["seed"])
            self.pages = Pages(paged=self.resource.paged)
            self.own_pages: dict[Hashable, PageRow] = {}  # also those that were refused
            self.sort: str | None = None
            for row in self.rows:
                self.add(row)
            self.completeness()  # all that is computed from the rows
        except (LookupError, TypeError, ValueError) as error:
            raise ArchiveError(
                f"{store.path} is damaged ({error}). Restore it from a copy."
            ) from error

    def add(self, row: PageRow) -> None:
        """Add a stored page."""
        if row.number is None:
            self.own_pages[row.record] = row
        elif row.refusal is None:
            self.pages.add(self.received(row))
        elif row.number:  # there is no such page
            self.sort, self.pages.ended = row.sort, True

    def received(self, row: PageRow) -> Received:
        """Return a stored page of the collection as the proof needs it."""
        if row.number:
            self.sort = row.sort
        seconds = datetime.fromisoformat(row.fetched).timestamp()
        number, counts = row.number or 0, (row.available, row.first)
        return Received(number, *counts, row.ids, seconds, row, row.signs)

    def missing(self) -> Sequence[int]:
        """Return the numbers of the pages of the collection that are not stored yet."""
        if self.sample is not None:
            return self.sample.missing(self.pages)
        return self.pages.missing() if self.pages.first else [1]

    @cached_property
    def readings(self) -> Readings:
        """The page and the position of each record, in order, by its id."""
        if self.sample is not None:
            return self.sample.records(self.pages)
        return self.pages.records(every=True)

    def signs(self) -> dict[str, str]:
        """Return by the id of each project whether its analysis came."""
        return signs_by_id(self.readings)

    def needed(self) -> list[str]:
        """Return the ids of the records that need their own page."""
        return needed_pages(self.signs())

    @property
    def details_left(self) -> int:
        """Number of own pages that are not stored yet, if any was asked for."""
        return sum(key not in self.own_pages for key in self.needed()) if self.own_pages else 0

    def lost(self) -> dict[str, str]:
        """Return the records whose own page did not come, and why."""
        refused = {str(row.record): row.refusal or "" for row in self.own_pages.values()}
        return {record: refused[record] for record in sorted(refused) if refused[record]}

    def completeness(self) -> tuple[str, str | None]:
        """Return how complete the records are, and why they are not proven."""
        pages, records = self.pages, len(self.readings)
        if self.missing():
            return "incomplete", (
                f"the harvest is not finished: {records:,} of {self.expected or 0:,} records are "
                "stored"
            )
        if left := self.details_left:
            return "incomplete", f"{left:,} own pages were not asked for yet"
        if lost := self.lost():
            return "incomplete", (
                f"the own pages of {len(lost):,} records did not come: {list_named(lost)}"
            )
        if self.sample is not None:
            return self.sample.completeness(pages)
        without_id = sum(not isinstance(key, str) for key in self.readings)
        kind, reason = pages.completeness(records, without_id)
        if kind == "incomplete" and records < pages.expected and pages.order_fails():
            better = better_sort(Query(resource=self.resource, sort=self.sort))
            reason = f"{reason}, although all pages count as many: the order does not hold, and "
            reason += f"that of sort={better!r} may" if better else "there is no other"
        return kind, reason

    @property
    def expected(self) -> int | None:
        """The number of records to expect; None if it is not known."""
        if self.sample is None or self.pages.first is None:
            return self.pages.available
        return min(self.sample.size, self.pages.first.available or 0)
