"""Progress of a harvest: pages, share, sizes, and the remaining days."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from dirframe._display.card import Card
from dirframe._display.values import counted
from dirframe.archive.model import RoundKind
from dirframe.archive.snapshot import Snapshot
from dirframe.errors import ArchiveError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dirframe.archive.model import Round
    from dirframe.archive.store import Store


#: An own page reports no total.
_LATEST = """
SELECT available FROM pages WHERE round <= ? AND available IS NOT NULL
ORDER BY session DESC, retrieved DESC, round DESC, number DESC LIMIT 1
"""
#: Identical content is stored once and counted once.
_SIZES = """
SELECT coalesce(sum(size), 0), coalesce(sum(compressed_size), 0)
FROM (SELECT DISTINCT sha256, size, compressed_size FROM pages WHERE round <= ?)
"""


@dataclass(frozen=True, kw_only=True, repr=False)
class Status(Card):
    """Progress of a harvest.

    Attributes
    ----------
    path : pathlib.Path
        The archive.
    resource : str
        ``accounts`` or ``projects``.
    pages, pages_expected : int
        Pages of the newest full round that are stored, and expected.
    details, details_expected : int
        Own pages of records that are stored, and expected, of the newest full round and since. An
        upper bound before they are counted.
    records : int
        Number of different records.
    available : int or None
        Number of records that the directory reports.
    bytes, compressed_bytes : int
        Size in bytes of all stored pages, uncompressed and compressed.
    finished : bool
        Whether the newest round has ended.
    complete : bool
        Whether it was proven complete.
    incomplete_reason : str or None
        Why it is not proven complete; None if it is.
    rounds : int
        Number of harvests and updates so far.
    newest : str or None
        When the newest page was fetched, ISO 8601 in UTC.
    """

    path: Path
    resource: str
    pages: int
    pages_expected: int
    details: int = 0
    details_expected: int = 0
    records: int
    available: int | None
    size_bytes: int
    compressed_bytes: int
    finished: bool
    complete: bool
    incomplete_reason: str | None
    rounds: int
    newest: str | None

    @property
    def share(self) -> float:
        """Share of the pages that is stored, from 0 to 1."""
        expected = self.pages_expected + self.details_expected
        return min((self.pages + self.details) / expected, 1.0) if expected else 0.0

    def days_remaining(self, requests_per_day: int = 1_000) -> int:
        """Return the number of days for the remaining pages at this number of requests a day."""
        missing = self.pages_expected - self.pages + self.details_expected - self.details
        remaining = 0 if self.finished else max(missing, 1)
        return math.ceil(remaining / requests_per_day)

    @property
    def heading(self) -> str:
        """Summary in one line."""
        own = (
            f", {self.details:,} of {self.details_expected:,} own pages"
            if self.details_expected
            else ""
        )
        return (
            f"{self.pages:,} of {self.pages_expected:,} pages{own} ({self.share:.1%}), "
            f"{self.records:,} {self.resource}"
        )

    def _card(self) -> tuple[str, dict[str, str], str]:
        days = self.days_remaining()
        if self.complete:
            note = "Finished, proven complete."
        elif self.finished:
            note = f"Finished, NOT proven complete: {self.incomplete_reason}."
        else:
            note = (
                f"Not finished: {counted(days, 'day')} to go at 1,000 requests a day. Run the same "
                "line again."
            )
        sizes = f"{self.size_bytes / 1e6:,.1f} MB uncompressed, {self.compressed_bytes / 1e6:,.1f} MB on disk"
        facts = {
            "holds": self.heading,
            "size": sizes,
            "newest page": f"{self.newest[:16].replace('T', ' ')} UTC" if self.newest else "none",
            "rounds": f"{self.rounds:,}",
        }
        return f"Archive {self.path}", facts, note


def status_of(path: Path, store: Store, rounds: Sequence[Round]) -> Status:
    """Compute the status of an archive."""
    if not rounds:
        raise ArchiveError(f"{path} is empty: nothing was harvested yet.")
    full = [round_ for round_ in rounds if round_.kind is RoundKind.FULL][-1]
    size, filled = 0, set[int]()
    for page in store.pages(full) if full.outcome is None else ():
        count = len(page.ids)
        size = max(size, count)
        filled |= {page.page} if count else set()
    [[newest]] = store.read("SELECT max(retrieved) FROM pages WHERE round <= ?", (len(rounds),))
    latest = store.read(_LATEST, (len(rounds),))
    available = latest[0][0] if latest else None
    [sizes] = store.read(_SIZES, (len(rounds),))
    pages = full.outcome.pages if full.outcome else len(filled)
    expected = pages if full.outcome else math.ceil((available or 0) / size) if size else 0
    snapshot = Snapshot(store, rounds_as_of(rounds, None))
    last = rounds[-1].outcome
    given_up = last is not None and not last.reached
    doubt = last.doubt if last is not None and given_up else snapshot.doubt
    own_pages = [
        round_
        for round_ in rounds
        if round_.kind is RoundKind.DETAILS and round_.number > full.number
    ]
    stored = sum(round_.pages + round_.refusals for round_ in own_pages)
    expected_details = sum(round_.expected for round_ in own_pages)
    if has_details(rounds) and not own_pages:
        expected_details = snapshot.records if full.outcome else available or 0
    finished = is_finished(rounds)
    return Status(
        path=path,
        resource=store.collection().resource.collection,
        pages=pages,
        pages_expected=max(expected, pages),
        details=stored,
        details_expected=max(expected_details, stored),
        records=snapshot.records,
        available=available,
        size_bytes=sizes[0],
        compressed_bytes=sizes[1],
        finished=finished,
        complete=finished and doubt is None,
        incomplete_reason=str(doubt) if finished and doubt is not None else None,
        rounds=len(rounds),
        newest=newest,
    )


def is_finished(rounds: Sequence[Round]) -> bool:
    """Return whether nothing is left to fetch: the newest round has ended, with its own pages."""
    if not rounds or rounds[-1].outcome is None:
        return False
    return rounds[-1].kind is RoundKind.DETAILS or not has_details(rounds)


def has_details(rounds: Sequence[Round]) -> bool:
    """Return whether an archive includes own pages of records."""
    return any(round_.details or round_.kind is RoundKind.DETAILS for round_ in rounds)


def rounds_as_of(rounds: Sequence[Round], as_of: str | date | datetime | None) -> list[Round]:
    """Return the rounds of a frame: the last full one, and the changes since.

    An abandoned round of changes does not count. A full round that has not ended counts only if
    there is no other; own pages count as soon as they are stored.

    Raises
    ------
    ArchiveError
        If there is none.
    InvalidInputError
        If `as_of` is not a valid time.
    """
    moment = _moment(as_of)
    ended = [
        round_
        for round_ in rounds
        if round_.outcome
        and round_.outcome.reached
        and (moment is None or datetime.fromisoformat(round_.outcome.at) <= moment)
    ]
    full = [round_ for round_ in ended if round_.kind is RoundKind.FULL]
    if not full:
        begun = [round_ for round_ in rounds if round_.kind is RoundKind.FULL]
        if moment is not None or not begun:
            raise ArchiveError(
                "The archive holds no finished harvest"
                + (f" of {moment:%Y-%m-%d %H:%M} UTC or before." if moment else ".")
            )
        return begun[-1:]
    counting = [round_ for round_ in ended if round_.number >= full[-1].number]
    if moment is None and rounds[-1].kind is RoundKind.DETAILS and rounds[-1].outcome is None:
        counting.append(rounds[-1])
    return counting


def _moment(as_of: str | date | datetime | None) -> datetime | None:
    """Parse a time; a day means its end."""
    if isinstance(as_of, str):
        try:
            as_of = date.fromisoformat(as_of) if len(as_of) == 10 else datetime.fromisoformat(as_of)
        except ValueError:
            raise InvalidInputError(
                f"as_of is {as_of!r}; it must be a day or a time such as 2026-11-21T18:00."
            ) from None
    if as_of is None:
        return None
    if not isinstance(as_of, datetime):
        as_of = datetime.combine(as_of, time.max, UTC)
    return as_of if as_of.tzinfo else as_of.replace(tzinfo=UTC)
