"""Which of the kept records a frame is made of, as of a time, and what is known about them.

What stays out: reading the pages (`dirframe.archive.reading`).
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dirframe import provenance

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.archive.manifest import Kept, Manifest, Round

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
        self.pages: list[Kept] = [kept for one in self._rounds for kept in one.used()]
        self._whole = len(rounds[0].used())

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

    def kept(self, number: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]] | None:
        """Say which records of a page count; None if all do."""
        ids = self.pages[number].ids
        gone = self._gone if number < self._whole else frozenset()
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

    @cached_property
    def records(self) -> int:
        """How many there are."""
        masks = (self.kept(number) for number in range(len(self.pages)))
        return sum(
            len(kept.ids) if mask is None else int(mask.sum())
            for kept, mask in zip(self.pages, masks, strict=True)
        )

    @cached_property
    def _facts(self) -> dict[str, Any]:
        base, last = self._rounds[0], self._rounds[-1]
        question = {"query": self._manifest.query, "sort": base.sort}
        counted = self.pages[-1].available if self.pages else None
        read = sum(kept.count for kept in base.used())
        times = [kept.retrieved for kept in self.pages]
        return {
            "source": self._manifest.source,
            "base_url": self._manifest.base_url,
            "resource": self._manifest.resource.name,
            "question": {name: value for name, value in question.items() if value is not None},
            "items_available": last.end["available"] if last.end else counted,
            "items_loaded": self.records,
            "complete": last.end["complete"] if last.end else False,
            "why": last.end["why"] if last.end else "the harvest is not finished",
            "duplicates_removed": read - self.records if len(self._rounds) == 1 else 0,
            "retrieved_oldest": _to_the_second(min(times, default=None)),
            "retrieved_newest": _to_the_second(max(times, default=None)),
            "requests_paid": sum(kept.paid for one in self._rounds for kept in one.pages),
            "requests_cached": 0,
            "synthetic": any(kept.synthetic for kept in self.pages),
        }

    def note(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Note in a frame what it is made of; the manifest alone says it."""
        return provenance.attach(frame, **self._facts)


def _to_the_second(moment: str | None) -> str | None:
    """Cut what is smaller than a second off a time in ISO 8601, in UTC."""
    return moment and f"{moment[:19]}+00:00"
