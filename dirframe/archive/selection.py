"""Which of the kept records a frame is made of, as of a time, and what is known about them.

What stays out: reading the pages (`dirframe.archive.reading`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

import numpy as np

from dirframe import provenance
from dirframe.archive.contents import Wanted
from dirframe.archive.manifest import DETAILS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from dirframe.archive.contents import Mask
    from dirframe.archive.manifest import Manifest, Round
    from dirframe.archive.pages import Kept

__all__ = ["Selection"]

#: Records that are named where many are missing; all of them are in the provenance.
_NAMED = 20


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
    def _gone(self) -> dict[str, int]:
        """Say in which round records were found to be no more; what was read of them by then."""
        ends = ((number, one.end or {}) for number, one in enumerate(self._rounds))
        return {one: number for number, end in ends for one in end.get("gone", ())}

    @cached_property
    def _newest(self) -> dict[str, tuple[str, int, int]]:
        """Say of those read again when, on which page and where on it they were read last."""
        newest: dict[str, tuple[str, int, int]] = {}
        again = self._again
        for number, kept in enumerate(self.pages if again else ()):
            for place, one in enumerate(kept.ids):
                if one in again and one is not None:
                    newest[one] = max(newest.get(one, ("", 0, 0)), (kept.retrieved, number, place))
        return newest

    def _masked(self) -> Iterator[tuple[int, Kept, Mask | None]]:
        """Give the round of each page, the page, and which of its records count."""
        number = 0
        for place, used in enumerate(self._used):
            for kept in used:
                yield place, kept, self._mask(place, number, kept)
                number += 1

    def _mask(self, place: int, number: int, kept: Kept) -> Mask | None:
        gone, newest = self._gone, self._newest
        if not (gone or newest):
            return None
        ids = kept.ids
        if newest.keys().isdisjoint(ids) and gone.keys().isdisjoint(ids):
            return None
        return np.array(
            [
                one is None or (gone.get(one, -1) < place and newest.get(one, at)[1:] == at[1:])
                for one, at in ((one, ("", number, column)) for column, one in enumerate(ids))
            ],
            dtype=bool,
        )

    def of_collections(self) -> Iterator[tuple[int, Kept, Mask | None]]:
        """Give the number of the round of each page of the collection, it, and what counts."""
        for place, kept, mask in self._masked():
            if self._rounds[place].kind != DETAILS:
                yield self._rounds[place].number, kept, mask

    def wanted(self) -> Iterator[Wanted]:
        """Name the pages to read, and which of their records count."""
        for _, kept, mask in self._masked():
            yield Wanted(kept.page, kept.sha256, kept.bytes, mask)

    def ids(self) -> Iterator[str | None]:
        """Give the ids of the records that count."""
        for _, kept, mask in self._masked():
            yield from kept.ids if mask is None else compress(kept.ids, mask)

    @property
    def records(self) -> int:
        """How many there are."""
        return self._counted.records

    @cached_property
    def _counted(self) -> _Counted:
        counted = _Counted()
        for place, kept, mask in self._masked():
            counted.add(kept, mask, first=not place)
        return counted

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What is noted in a frame of them."""
        base = self._rounds[0]
        end = [one for one in self._rounds if one.kind != DETAILS][-1].end
        question = {"query": self._manifest.query, "sort": base.sort}
        counted = self._counted
        return {
            "source": self._manifest.source,
            "base_url": self._manifest.base_url,
            "resource": self._manifest.resource.name,
            "question": {name: value for name, value in question.items() if value is not None},
            "items_available": end["available"] if end else counted.available,
            "items_loaded": counted.records,
            **self._proof(),
            "details": sum(len(one.pages) for one in self._rounds if one.kind == DETAILS),
            "details_missing": sorted(self.refused),
            "duplicates_removed": counted.read - counted.records if len(self._used) == 1 else 0,
            "retrieved_oldest": _to_the_second(counted.oldest),
            "retrieved_newest": _to_the_second(counted.newest),
            "requests_paid": sum(kept.paid for one in self._rounds for kept in one.pages)
            + len(self.refused),
            "requests_cached": 0,
            "synthetic": counted.synthetic,
        }

    @cached_property
    def refused(self) -> dict[str, str]:
        """Say whose own page did not come, and why, unless it came later."""
        refused: dict[str, str] = {}
        for one in self._rounds:
            if one.kind == DETAILS:
                refused = {k: v for k, v in refused.items() if k not in _ids(one)} | one.refused
        return {one: why for one, why in refused.items() if why}  # others have no analysis

    def _proof(self) -> dict[str, Any]:
        """Say whether the records are proven complete, each with its own page where wanted."""
        rounds = [one for one in self._rounds if one.kind != DETAILS]
        end, last = rounds[-1].end, self._rounds[-1]
        why = None if end is None else end["why"]
        if end is None:
            why = "the harvest is not finished"
        elif self._manifest.details and (last.kind != DETAILS or last.end is None):
            why = why or "not all own pages were asked for yet"
        elif self.refused and why is None:
            named = [f"{one} ({reason})" for one, reason in sorted(self.refused.items())]
            more = f" and {len(named) - _NAMED:,} more" if len(named) > _NAMED else ""
            why = (
                f"the own pages of {len(named):,} records did not come: "
                f"{', '.join(named[:_NAMED])}{more}"
            )
        complete = end is not None and end["complete"] and why is None
        return {"complete": complete, "why": why}

    def note(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Note in a frame what it is made of; the manifest alone says it."""
        return provenance.attach(frame, **self.facts)


def _ids(one: Round) -> set[str | None]:
    return {own for kept in one.pages for own in kept.ids}


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
        if kept.available is not None:  # an own page says nothing of the collection
            self.available = kept.available
        self.oldest = min(self.oldest or kept.retrieved, kept.retrieved)
        self.newest = max(self.newest or kept.retrieved, kept.retrieved)
        self.synthetic |= kept.synthetic
