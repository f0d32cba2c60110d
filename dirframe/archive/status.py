"""What an archive holds: progress, completeness, and the newest reading of each record."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dirframe._display.card import Card
from dirframe._display.values import counted
from dirframe.client.details import Sent
from dirframe.client.paging.completeness import PagePosition, PageSequence
from dirframe.client.paging.order import better_sort
from dirframe.errors import ArchiveError
from dirframe.schema import PROJECT, RESOURCES

if TYPE_CHECKING:
    from pathlib import Path

    from dirframe.archive.store import PageRow, Store


_NAMED = 20  # missing records in a message; the provenance lists all of them


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
        words = {"proven": "proven complete", "counted": self.reason}
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
    """What an archive holds: of each record its place and its newest reading."""

    def __init__(self, store: Store) -> None:
        self.facts, self.rows = store.facts(), store.pages()
        self.resource = RESOURCES[self.facts["resource"]]
        self.sequence = PageSequence(paged=self.resource.paged)
        self.sort: str | None = None
        for row in self.rows:
            self.add_position(row)

    def add_position(self, row: PageRow) -> None:
        """Add a page to the sequence that proves completeness."""
        if not row.number:
            return
        self.sort = row.sort
        if row.refusal is not None:
            self.sequence.ended = True
            return
        order = (datetime.fromisoformat(row.fetched).timestamp(), row.id)
        self.sequence.add(
            PagePosition(row.number, row.available, row.first, row.ids, row.id, order)
        )

    @cached_property
    def pages(self) -> list[PageRow]:
        """The pages of the collection, in its order; of two readings the newer one first."""
        pages = [row for row in self.rows if row.number is not None and row.refusal is None]
        return sorted(pages, key=lambda row: (not row.number, row.number, -row.id))

    @cached_property
    def own_pages(self) -> dict[str | None, PageRow]:
        """The own pages of records, by id, and those that were refused."""
        return {row.record: row for row in self.rows if row.number is None}

    @cached_property
    def readings(self) -> dict[Any, tuple[PageRow, int]]:
        """The newest reading of each record in the collection, as page and position, in order."""
        readings: dict[Any, tuple[PageRow, int]] = {}
        number = None
        for row in self.pages:
            is_newest, number = row.number != number, row.number
            for position, identifier in enumerate(row.ids):
                # Records without an id cannot be told apart: those of a newer reading count.
                key = (row.id, position) if identifier is None else identifier
                known = readings.get(key)
                if known is None:
                    if identifier is not None or is_newest:
                        readings[key] = row, position
                elif (known[0].fetched, known[0].id) < (row.fetched, row.id):
                    readings[key] = row, position  # the place remains the first one
        return readings

    @cached_property
    def sent(self) -> Sent:
        """Which records came with an analysis, in the order of `readings`."""
        if self.resource is not PROJECT:
            nothing = np.zeros(len(self.readings), dtype=bool)
            return Sent(~nothing, nothing)
        signs = np.array([int(row.signs[at]) for row, at in self.readings.values()], dtype=int)
        return Sent(signs & 1 > 0, signs & 2 > 0)

    def needed(self) -> list[str]:
        """Return the ids of the records that need their own page, in the order of the collection."""
        needed = zip(self.readings, self.sent.needed(), strict=True)
        return [key for key, is_needed in needed if is_needed and isinstance(key, str)]

    @property
    def records(self) -> int:
        """Number of different records."""
        return len(self.readings)

    @cached_property
    def repeated(self) -> int:
        """Number of records on the pages in use whose id came before."""
        pages = self.sequence.contiguous_pages()
        used = [identifier for page in pages for identifier in page.ids if identifier is not None]
        return len(used) - len(set(used))

    @property
    def details_left(self) -> int:
        """Number of own pages that are not stored yet, if any was asked for."""
        return sum(key not in self.own_pages for key in self.needed()) if self.own_pages else 0

    def lost(self) -> dict[str, str]:
        """Return the records whose own page did not come, and why."""
        refused = {str(row.record): row.refusal or "" for row in self.own_pages.values()}
        return {record: why for record, why in refused.items() if why}

    def completeness(self) -> tuple[str, str | None]:
        """Return ``proven``, ``counted`` or ``incomplete``, and why it is not proven."""
        if reason := self._unfinished():
            return "incomplete", reason
        without_id = sum(not isinstance(key, str) for key in self.readings)
        kind, reason = self.sequence.completeness(self.records, without_id, self.repeated)
        return kind, f"{reason}{self._order_reason()}" if kind == "incomplete" else reason

    def _unfinished(self) -> str | None:
        """Return which pages are not there; None if all are."""
        if not self.sequence.days() or self.sequence.missing_pages():
            available = self.sequence.available() or 0
            return (
                f"the harvest is not finished: {self.records:,} of {available:,} records are stored"
            )
        if left := self.details_left:
            return f"{left:,} own pages were not asked for yet"
        lost = [f"{record} ({why})" for record, why in sorted(self.lost().items())]
        if not lost:
            return None
        more = f" and {len(lost) - _NAMED:,} more" if len(lost) > _NAMED else ""
        names = ", ".join(lost[:_NAMED])
        return f"the own pages of {len(lost):,} records did not come: {names}{more}"

    def _order_reason(self) -> str:
        """Return what to say about the order, if records come again while their number stands."""
        counts = {row.available for row in self.pages if row.number}
        if not self.repeated or len(counts) > 1 or self.records >= (self.sequence.available() or 0):
            return ""
        text = ", although all pages count as many: the order does not hold"
        if self.resource is not PROJECT:
            return f"{text}, and there is no other"
        better = better_sort(self.resource, self.sort)
        return f"{text}, that of sort={better!r} may" if better else text


def read_index(store: Store) -> Index:
    """Return what an archive holds; `ArchiveError` if it is damaged."""
    try:
        index = Index(store)
        index.completeness(), index.sent  # all that is computed from the rows
    except (LookupError, TypeError, ValueError) as error:
        raise ArchiveError(f"{store.path} is damaged ({error}). Restore it from a copy.") from error
    return index
