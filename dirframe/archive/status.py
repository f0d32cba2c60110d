"""How far a harvest is: pages, share, sizes, and what is left."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dirframe.archive.model import RoundKind, has_details, is_finished, rounds_as_of
from dirframe.archive.snapshot import Snapshot
from dirframe.errors import ArchiveError
from dirframe.show import Card

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dirframe.archive.model import Round
    from dirframe.archive.store import Store

__all__ = ["Status", "status_of"]


#: An own page says nothing of the collection.
_LATEST = """
SELECT available FROM pages WHERE round <= ? AND available IS NOT NULL
ORDER BY retrieved DESC, round DESC, number DESC LIMIT 1
"""
#: What is kept once counts once.
_SIZES = """
SELECT coalesce(sum(size), 0), coalesce(sum(compressed_size), 0)
FROM (SELECT DISTINCT sha256, size, compressed_size FROM pages WHERE round <= ?)
"""


@dataclass(frozen=True, kw_only=True, repr=False)
class Status(Card):
    """How far a harvest is.

    Attributes
    ----------
    path : pathlib.Path
        The archive.
    resource : str
        ``accounts`` or ``projects``.
    pages, pages_expected : int
        Pages of the newest full round that are there, and that there should be.
    details, details_expected : int
        Own pages of records that were asked for, and that there should be; those of the newest
        full round and since. Before they are counted, at most so many.
    records : int
        Different records in them.
    available : int or None
        Records that the directory says it has.
    bytes, compressed_bytes : int
        Bytes of all kept pages as they came, and compressed.
    finished : bool
        Whether the newest round has ended.
    complete : bool
        Whether it was proven complete.
    why : str or None
        Why it is not.
    rounds : int
        Harvests and updates so far.
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
    bytes: int
    compressed_bytes: int
    finished: bool
    complete: bool
    why: str | None
    rounds: int
    newest: str | None

    @property
    def share(self) -> float:
        """The part of the pages that is there, 0 to 1."""
        expected = self.pages_expected + self.details_expected
        return min((self.pages + self.details) / expected, 1.0) if expected else 0.0

    def days_remaining(self, requests_per_day: int = 1_000) -> int:
        """Return the days that the rest takes at so many requests a day."""
        missing = self.pages_expected - self.pages + self.details_expected - self.details
        rest = 0 if self.finished else max(missing, 1)
        return math.ceil(rest / requests_per_day)

    @property
    def heading(self) -> str:
        """What is there, in one line."""
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
            note = f"Finished, NOT proven complete: {self.why}."
        else:
            note = (
                f"Not finished: {days:,} {'day' if days == 1 else 'days'} to go at 1,000 requests "
                "a day. Run the same line again."
            )
        sizes = (
            f"{self.bytes / 1e6:,.1f} MB as it came, {self.compressed_bytes / 1e6:,.1f} MB on disk"
        )
        facts = {
            "holds": self.heading,
            "size": sizes,
            "newest page": f"{self.newest[:16].replace('T', ' ')} UTC" if self.newest else "none",
            "rounds": f"{self.rounds:,}",
        }
        return f"Archive {self.path}", facts, note


def status_of(path: Path, store: Store, rounds: Sequence[Round]) -> Status:
    """Count what an archive holds."""
    if not rounds:
        raise ArchiveError(f"{path} is empty: nothing was harvested yet.")
    full = [one for one in rounds if one.kind is RoundKind.FULL][-1]
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
    own = [one for one in rounds if one.kind is RoundKind.DETAILS and one.number > full.number]
    asked = sum(one.pages + one.refusals for one in own)
    wanted = sum(one.expected for one in own)
    if has_details(rounds) and not own:
        wanted = snapshot.records if full.outcome else available or 0
    finished = is_finished(rounds)
    return Status(
        path=path,
        resource=store.collection().resource.collection,
        pages=pages,
        pages_expected=max(expected, pages),
        details=asked,
        details_expected=max(wanted, asked),
        records=snapshot.records,
        available=available,
        bytes=sizes[0],
        compressed_bytes=sizes[1],
        finished=finished,
        complete=finished and doubt is None,
        why=str(doubt) if finished and doubt is not None else None,
        rounds=len(rounds),
        newest=newest,
    )
