"""How far a harvest is: pages, share, sizes, and what is left.

What stays out: harvesting (`dirframe.archive.harvest`).
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dirframe.archive.manifest import DETAILS
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
    details, details_expected : int
        Own pages of records that were asked for, and that there should be; those of the newest
        whole round and since. Before they are counted, at most so many.
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
    details: int = 0
    details_expected: int = 0
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
        expected = self.pages_expected + self.details_expected
        return min((self.pages + self.details) / expected, 1.0) if expected else 0.0

    def days_to_go(self, daily: int = 1_000) -> int:
        """Return the days that the rest takes at so many requests a day."""
        missing = self.pages_expected - self.pages + self.details_expected - self.details
        rest = 0 if self.finished else max(missing, 1)
        return math.ceil(rest / daily)

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
    size, filled = 0, set[int]()
    for kept in whole.pages if whole.end is None else ():
        size = max(size, kept.count)
        filled |= {kept.page} if kept.count else set()
    # Of each file once, in some bytes a page: a part of its digest is enough to count.
    sizes, latest, newest = array("Q"), None, None
    for kept in (kept for one in manifest.rounds for kept in one.pages):
        sizes.extend((int(kept.sha256[:16], 16), kept.bytes, kept.packed))
        newest = max(newest or kept.retrieved, kept.retrieved)
        if kept.available is not None or latest is None:  # an own page says nothing of it
            latest = kept if latest is None or kept.retrieved > latest.retrieved else latest
    every = np.array(sizes, np.uint64).reshape(-1, 3)
    every = every[np.unique(every[:, 0], return_index=True)[1]]
    available = latest.available if latest else None
    pages = whole.end["pages"] if whole.end else len(filled)
    expected = pages if whole.end else math.ceil((available or 0) / size) if size else 0
    selection = Selection(manifest, manifest.until(None))
    proof = selection.facts
    last = manifest.rounds[-1].end or {}
    given_up = not last.get("reached", True)
    why = last["why"] if given_up else proof["why"]
    own = [one for one in manifest.rounds if one.kind == DETAILS and one.number > whole.number]
    asked = sum(len(one.pages) + len(one.refused) for one in own)
    wanted = sum(one.wanted for one in own)
    if manifest.details and not own:
        wanted = selection.records if whole.end else available or 0
    return Status(
        path=path,
        resource=manifest.resource.collection,
        pages=pages,
        pages_expected=max(expected, pages),
        details=asked,
        details_expected=max(wanted, asked),
        records=selection.records,
        available=available,
        bytes=int(every[:, 1].sum()),
        packed=int(every[:, 2].sum()),
        finished=manifest.finished,
        complete=manifest.finished and not given_up and proof["complete"],
        why=why if manifest.finished else None,
        rounds=len(manifest.rounds),
        newest=newest,
    )
