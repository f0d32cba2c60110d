"""Colours of the charts: a language has the same one in every chart."""

from __future__ import annotations

from bisect import bisect_right
from itertools import chain, count, islice, takewhile
from typing import TYPE_CHECKING, Any
from zlib import crc32

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Patch

from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: For data of one kind, such as all bars of a chart of countries.
ACCENT = "#4477AA"
#: For languages without their own colour.
NEUTRAL = "#8C96A0"
#: For "other" rows, which are also hatched.
OTHER, OTHER_HATCH = "#E1E4E8", "/////"

# The scheme "muted" of Paul Tol, "Colour Schemes", SRON/EPS/TN/09-002 (2021), which is
# distinguishable with every kind of colour blindness, for the nine most frequent main languages of
# 12,360 projects recorded in 2013. Hatches tell those apart that are alike in greyscale.
_LOOKS = {
    "java": ("#CC6677", ""),
    "c": ("#332288", ""),
    "c++": ("#88CCEE", ""),
    "python": ("#117733", ""),
    "php": ("#AA4499", ""),
    "javascript": ("#DDCC77", "\\\\\\\\"),
    "c#": ("#44AA99", "\\\\\\\\"),
    "perl": ("#999933", "xxxx"),
    "ruby": ("#882255", "\\\\\\\\"),
}
_CLASSES = 6  # more shades of one colour are indistinguishable
_HATCHES = ("....", "----", "||||", "++++", "oo", "**", "\\\\||", "--..", "xx--", "oo||", "..||")


def language_colour(language: str) -> str:
    """Return the colour of a language.

    Parameters
    ----------
    language : str
        Name of the language, case-insensitive.

    Returns
    -------
    str
        A hexadecimal colour. Nine frequent languages have their own, from a palette that is
        distinguishable to colour-blind readers; all others share a grey.

    Examples
    --------
    >>> language_colour("Python")
    '#117733'
    """
    if not isinstance(language, str):
        raise InvalidInputError(
            f"language is {language!r}; it must be the name of one, or '' for the grey of others."
        )
    return _LOOKS.get(language.strip().casefold(), (NEUTRAL, ""))[0]


def has_colour(language: str) -> bool:
    """Return whether a language has a colour of its own."""
    return language.strip().casefold() in _LOOKS


def looks(languages: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return colour and hatch of languages, of which no two look the same in greyscale."""
    result: dict[str, tuple[str, str]] = {}
    free = list(_HATCHES)
    for language in languages:
        look = _LOOKS.get(language.strip().casefold())
        if look is None:
            free = free or list(_HATCHES)
            start = crc32(language.encode()) % len(_HATCHES)  # mostly the same in every chart
            hatch = next(h for h in (*_HATCHES[start:], *_HATCHES) if h in free)
            free.remove(hatch)
            look = (NEUTRAL, hatch)
        result[language] = look
    return result


def shades(count: int) -> list[str]:
    """Return shades for ascending classes, with ever more contrast to the background."""
    last = max(count - 1, 1)
    positions = [0.25 + 0.7 * n / last for n in range(count)] if count > 1 else [0.7]
    if _grey(mpl.rcParams["text.color"]) > 0.5:  # a dark style, whose background can be transparent
        positions.reverse()
    # The lightness of this colormap is monotonic, so that it is legible in greyscale.
    return [to_hex(mpl.colormaps["YlGnBu"](position)) for position in positions]


class Classes:
    """A few classes of logarithmic width from 1 to `most`, with their labels and shades."""

    def __init__(self, most: int) -> None:
        divisions = chain(
            [count(1), _decades(1, 2, 5), _decades(1, 3)],
            ((10 ** (step * power) for power in count()) for step in count(1)),
        )
        for bounds in divisions:  # the finest first
            self.lowest = list(islice(takewhile(most.__ge__, bounds), _CLASSES + 1))
            if len(self.lowest) <= _CLASSES:
                break
        ends = [*(low - 1 for low in self.lowest[1:]), most]
        self.labels = [
            f"{low:,}" if low == end else f"{low:,}–{end:,}"
            for low, end in zip(self.lowest, ends, strict=True)
        ]
        self.shades = shades(len(self.lowest))

    def place_of(self, number: int) -> int:
        """Return which class a number is in."""
        return bisect_right(self.lowest, number) - 1

    def shade_of(self, number: int) -> str:
        """Return the shade of a number."""
        return self.shades[self.place_of(number)]

    def patches(self) -> list[Patch]:
        """Return the entries of a legend."""
        pairs = zip(self.labels, self.shades, strict=True)
        return [Patch(facecolor=shade, edgecolor=NEUTRAL, label=label) for label, shade in pairs]


def _decades(*digits: int) -> Iterator[int]:
    return (digit * 10**power for power in count() for digit in digits)


def fill(colour: str, hatch: str) -> dict[str, Any]:
    """Return the properties of a bar or legend entry; the hatch contrasts with the colour."""
    edge = "#4A5058" if _grey(colour) > 0.5 else "white"
    return {"facecolor": colour, "hatch": hatch, "edgecolor": edge}


def _grey(colour: Any) -> float:
    """Return the grey of a colour in print without colours, from 0 (black) to 1."""
    return float(np.dot(to_rgb(colour), (0.299, 0.587, 0.114)))  # luma of ITU-R BT.601
