"""Counts in few classes, each with its shade: legible in colour, in grey, to the colour-blind."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import count, islice, takewhile
from typing import TYPE_CHECKING, Self

import matplotlib as mpl
from matplotlib.patches import Patch

from dirframe.plot._drawing.colours import NEUTRAL

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 6  # more shades of one colour cannot be told apart
_FIXED = (1, 3, 10, 30, 100, 300)


@dataclass(frozen=True)
class Bins:
    """Classes of whole numbers from 1 on: the smallest number of each, the shade of each."""

    lowest: list[int]
    highest: int
    shades: list[str]

    @classmethod
    def upto(cls, highest: int) -> Self:
        """Divide 1 to `highest` into few classes, each as much larger as the one before."""
        lowest = next(
            numbers
            for steps in _divisions()
            if len(numbers := list(islice(takewhile(highest.__ge__, steps), _MOST + 1))) <= _MOST
        )
        return cls(lowest, highest, _shades(len(lowest)))

    @classmethod
    def comparable(cls, highest: int) -> Self:
        """Divide 1 to `highest` so that a shade means the same in each of several charts."""
        lowest = [number for number in _FIXED if number <= highest]
        return cls(lowest, highest, _shades(len(_FIXED))[: len(lowest)])

    def shade(self, number: int) -> str:
        """Give the shade of a number of 1 or more."""
        return self.shades[bisect_right(self.lowest, number) - 1]

    def labels(self) -> list[str]:
        """Name the classes by their bounds."""
        last = [*(number - 1 for number in self.lowest[1:]), self.highest]
        return [
            f"{low:,}" if low == high else f"{low:,}–{high:,}"
            for low, high in zip(self.lowest, last, strict=True)
        ]

    def handles(self) -> list[Patch]:
        """Return what a key shows of the classes."""
        return [
            Patch(facecolor=shade, edgecolor=NEUTRAL, label=label)
            for shade, label in zip(self.shades, self.labels(), strict=True)
        ]


def _shades(number: int) -> list[str]:
    # Lightness falls all along this map, so that it can be read in greyscale.
    last = max(number - 1, 1)
    positions = [0.25 + 0.7 * n / last for n in range(number)] if number > 1 else [0.7]
    return [mpl.colors.to_hex(mpl.colormaps["YlGnBu"](position)) for position in positions]


def _divisions() -> Iterator[Iterator[int]]:
    """Yield ways to divide, the finest first."""
    yield count(1)
    yield (digit * 10**power for power in count() for digit in (1, 2, 5))
    yield (digit * 10**power for power in count() for digit in (1, 3))
    for step in count(1):
        yield (10 ** (step * power) for power in count())
