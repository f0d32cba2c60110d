"""Which of the kept records a frame is made of, as of a time, and what is known about them.

What stays out: reading the pages (`dirframe.archive.reading`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from dirframe import provenance
from dirframe.archive.contents import Wanted

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from dirframe.archive.contents import Mask
    from dirframe.archive.manifest import Manifest, Round
    from dirframe.archive.pages import Kept

__all__ = ["Selection"]


class Selection:
    """The readings that count, and of a record that was read more than once the newest.

    Parameters
    ----------
    manifest
        What there is.
    rounds
        Those that the frame is made of: a whole one, and changes since.
    """

    def __init__(self, manifest: Manifest, rounds: list[Round]) -> None:
        self._manifest, self._rounds = manifest, rounds
        self._used = [one.used() for one in rounds]

    @property
    def pages(self) -> Iterator[Kept]:
        """Give the readings that count, in their order."""
        return chain.from_iterable(self._used)

    @property
    def number(self) -> int:
        """How many these are."""
        return sum(map(len, self._used))

    @cached_property
    def _again(self) -> frozenset[str]:
        """Name the records that were read more than once."""
        first, *later = self._rounds
        if first.end is None:
            counts = Counter(one for kept in self.pages for one in kept.ids if one)
            return frozenset(one for one, count in counts.items() if count > 1)
        changed = (one for changes in later for kept in changes.pages for one in kept.ids if one)
        return frozenset([*first.end["again"], *changed])

    @cached_property
    def _gone(self) -> frozenset[str]:
        """Name the records that a whole round read and that were removed before it ended."""
        return frozenset(self._rounds[0].end["gone"] if self._rounds[0].end else ())

    @cached_property
    def _newest(self) -> dict[str, tuple[str, int, int]]:
        """Say of those when, on which page and where on it they were read last."""
        newest: dict[str, tuple[str, int, int]] = {}
        again = self._again
        for number, kept in enumerate(self.pages if again else ()):
            for place, one in enumerate(kept.ids):
                if one in again and one is not None:
                    newest[one] = max(newest.get(one, ("", 0, 0)), (kept.retrieved, number, place))
        return newest

    def wanted(self) -> Iterator[Wanted]:
        """Name the pages to read, and which of their records count."""
        for number, kept in enumerate(self.pages):
            yield Wanted(kept.page, kept.sha256, kept.bytes, self._mask(number, kept))

    def _mask(self, number: int, kept: Kept) -> Mask | None:
        gone = self._gone if number < len(self._used[0]) else frozenset()
        if not (self._again or gone):
            return None
        ids = kept.ids
        if self._again.isdisjoint(ids) and gone.isdisjoint(ids):
            return None
        newest = self._newest
        return np.array(
            [
                one is None or (one not in gone and newest.get(one, at)[1:] == at[1:])
                for one, at in ((one, ("", number, place)) for place, one in enumerate(ids))
            ],
            dtype=bool,
        )

    @property
    def records(self) -> int:
        """How many there are."""
        return self._counted.records

    @cached_property
    def _counted(self) -> _Counted:
        counted = _Counted()
        for number, kept in enumerate(self.pages):
            counted.add(kept, self._mask(number, kept), first=number < len(self._used[0]))
        return counted

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What is noted in a frame of them."""
        base, last = self._rounds[0], self._rounds[-1]
        question = {"query": self._manifest.query, "sort": base.sort}
        counted = self._counted
        return {
            "source": self._manifest.source,
            "base_url": self._manifest.base_url,
            "resource": self._manifest.resource.name,
            "question": {name: value for name, value in question.items() if value is not None},
            "items_available": last.end["available"] if last.end else counted.available,
            "items_loaded": counted.records,
            "complete": last.end["complete"] if last.end else False,
            "why": last.end["why"] if last.end else "the harvest is not finished",
            "duplicates_removed": counted.read - counted.records if len(self._used) == 1 else 0,
            "retrieved_oldest": _to_the_second(counted.oldest),
            "retrieved_newest": _to_the_second(counted.newest),
            "requests_paid": sum(kept.paid for one in self._rounds for kept in one.pages),
            "requests_cached": 0,
            "synthetic": counted.synthetic,
        }

    def note(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Note in a frame what it is made of; the manifest alone says it."""
        return provenance.attach(frame, **self.facts)


def _to_the_second(moment: str | None) -> str | None:
    """Cut what is smaller than a second off a time in ISO 8601, in UTC."""
    return moment and f"{moment[:19]}+00:00"


@dataclass(slots=True)
class _Counted:
    """What one passage through the pages tells."""

    records: int = 0
    read: int = 0
    available: int | None = None
    oldest: str | None = None
    newest: str | None = None
    synthetic: bool = False

    def add(self, kept: Kept, mask: Mask | None, *, first: bool) -> None:
        """Count a page; of those of the first round what was read, too."""
        self.records += kept.count if mask is None else int(mask.sum())
        self.read += kept.count if first else 0
        self.available = kept.available
        self.oldest = min(self.oldest or kept.retrieved, kept.retrieved)
        self.newest = max(self.newest or kept.retrieved, kept.retrieved)
        self.synthetic |= kept.synthetic
