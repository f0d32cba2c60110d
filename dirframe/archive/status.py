"""How far a harvest is: pages, share, sizes, and what is left.

What stays out: harvesting (`dirframe.archive.harvest`).
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dirframe.archive.selection import Selection
from dirframe.errors import ArchiveError
from dirframe.show import Card

if TYPE_CHECKING:
    from pathlib import Path

    from dirframe.archive.manifest import Manifest

__all__ = ["Status", "status_of"]


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
        Pages of the newest whole round that are there, and that there should be.
    records : int
        Different records in them.
    available : int or None
        Records that the directory says it has.
    bytes, packed : int
        Bytes of all kept pages as they came, and on disk.
    finished : bool
        Whether the newest round has ended.
    complete : bool
        Whether it was proven complete.
    why : str or None
        Why it is not.
    rounds : int
        Harvests and refreshes so far.
    newest : str or None
        When the newest page was fetched, ISO 8601 in UTC.
    """

    path: Path
    resource: str
    pages: int
    pages_expected: int
    records: int
    available: int | None
    bytes: int
    packed: int
    finished: bool
    complete: bool
    why: str | None
    rounds: int
    newest: str | None

    @property
    def share(self) -> float:
        """The part of the pages that is there, 0 to 1."""
        return min(self.pages / self.pages_expected, 1.0) if self.pages_expected else 0.0

    def days_to_go(self, daily: int = 1_000) -> int:
        """Return the days that the rest takes at so many requests a day."""
        rest = 0 if self.finished else max(self.pages_expected - self.pages, 1)
        return math.ceil(rest / daily)

    @property
    def heading(self) -> str:
        """What is there, in one line."""
        return (
            f"{self.pages:,} of {self.pages_expected:,} pages ({self.share:.1%}), "
            f"{self.records:,} {self.resource}"
        )

    def _card(self) -> tuple[str, dict[str, str], str]:
        days = self.days_to_go()
        if self.complete:
            note = "Finished, proven complete."
        elif self.finished:
            note = f"Finished, NOT proven complete: {self.why}."
        else:
            note = (
                f"Not finished: {days:,} {'day' if days == 1 else 'days'} to go at 1,000 requests "
                "a day. Run the same line again."
            )
        sizes = f"{self.bytes / 1e6:,.1f} MB as it came, {self.packed / 1e6:,.1f} MB on disk"
        facts = {
            "holds": self.heading,
            "size": sizes,
            "newest page": f"{self.newest[:16].replace('T', ' ')} UTC" if self.newest else "none",
            "rounds": f"{self.rounds:,}",
        }
        return f"Archive {self.path}", facts, note


def status_of(path: Path, manifest: Manifest) -> Status:
    """Count what a manifest says."""
    if not any(one.pages for one in manifest.rounds):
        raise ArchiveError(f"{path} is empty: nothing was harvested yet.")
    whole = [one for one in manifest.rounds if one.kind == "whole" and one.pages][-1]
    last = manifest.rounds[-1]
    size, filled = 0, set[int]()
    for kept in whole.pages if whole.end is None else ():
        size = max(size, kept.count)
        filled |= {kept.page} if kept.count else set()
    # Of each file once, in some bytes a page: a part of its digest is enough to count.
    sizes, latest = array("Q"), None
    for kept in (kept for one in manifest.rounds for kept in one.pages):
        sizes.extend((int(kept.sha256[:16], 16), kept.bytes, kept.packed))
        latest = kept if latest is None or kept.retrieved > latest.retrieved else latest
    every = np.array(sizes, np.uint64).reshape(-1, 3)
    every = every[np.unique(every[:, 0], return_index=True)[1]]
    available = latest.available if latest else None
    pages = whole.end["pages"] if whole.end else len(filled)
    expected = pages if whole.end else math.ceil((available or 0) / size) if size else 0
    return Status(
        path=path,
        resource=manifest.resource.collection,
        pages=pages,
        pages_expected=max(expected, pages),
        records=Selection(manifest, manifest.until(None)).records,
        available=available,
        bytes=int(every[:, 1].sum()),
        packed=int(every[:, 2].sum()),
        finished=last.end is not None,
        complete=bool(last.end and last.end["complete"]),
        why=last.end["why"] if last.end else None,
        rounds=len(manifest.rounds),
        newest=latest.retrieved if latest else None,
    )
