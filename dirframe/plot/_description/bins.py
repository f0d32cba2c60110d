"""Bins for counts, with shades legible in colour, in greyscale and to the colour-blind."""

from __future__ import annotations

from bisect import bisect_right
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count, islice, takewhile
from typing import TYPE_CHECKING, Self

from matplotlib.patches import Patch

from dirframe.plot._description.colours import NEUTRAL
from dirframe.plot._description.context import bound
from dirframe.plot._description.options import current
from dirframe.stats._core.frequencies import size_class

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

_MOST = 6  # more shades of one colour are indistinguishable


@dataclass(frozen=True)
class Bins:
    """Bins of integers from 1: the lower bound and the shade of each."""

    lowest: list[int]
    highest: int
    shades: list[str]

    @classmethod
    def up_to(cls, highest: int) -> Self:
        """Divide 1 to `highest` into a few bins of logarithmic width, or as the context shares."""
        if (common := _shared.get()) is not None:
            lowest = [number for number in common.lowest if number <= highest]
            return cls(lowest, highest, common.shades[: len(lowest)])
        lowest = next(
            numbers
            for steps in _divisions()
            if len(numbers := list(islice(takewhile(highest.__ge__, steps), _MOST + 1))) <= _MOST
        )
        return cls(lowest, highest, current().palette.shades(len(lowest)))

    def colour(self, number: int) -> str:
        """Return the shade of a number of 1 or more."""
        return self.shades[bisect_right(self.lowest, number) - 1]

    def labels(self) -> list[str]:
        """Return the bounds of each bin as labels."""
        last = [*(number - 1 for number in self.lowest[1:]), self.highest]
        return [size_class(low, high) for low, high in zip(self.lowest, last, strict=True)]

    def handles(self) -> list[Patch]:
        """Return the legend handles of the bins."""
        return [
            Patch(facecolor=shade, edgecolor=NEUTRAL, label=label)
            for shade, label in zip(self.shades, self.labels(), strict=True)
        ]


_shared: ContextVar[Bins | None] = ContextVar("_shared", default=None)


def bins_shared(highest: int | None) -> AbstractContextManager[None]:
    """Give all charts drawn in the context the same bins, so that their shades are comparable."""
    return bound(_shared, None if highest is None else Bins.up_to(highest))


def _divisions() -> Iterator[Iterator[int]]:
    """Yield sequences of lower bounds, the finest first."""
    yield count(1)
    yield (digit * 10**power for power in count() for digit in (1, 2, 5))
    yield (digit * 10**power for power in count() for digit in (1, 3))
    for step in count(1):
        yield (10 ** (step * power) for power in count())
