"""Colours of the charts: a language has the same one wherever languages are compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from zlib import crc32

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

#: For data of one kind, such as all bars of a chart of countries.
ACCENT = "#4477AA"
#: For languages without their own colour.
NEUTRAL = "#8C96A0"
#: For "other" rows, which are also hatched.
OTHER, OTHER_HATCH = "#E1E4E8", "/////"
#: Colour and dashes of a line of "other" groups.
OTHER_LINE: tuple[str, Any] = (NEUTRAL, (0, (1.2, 2.5)))
# For countries on the map without a record, in a light and in a dark style.
_LAND, _DARK_LAND = "#ECEEF0", "#2E343A"

# The scheme "muted" of Paul Tol, "Colour Schemes", SRON/EPS/TN/09-002 (2021), which is
# distinguishable with every kind of colour blindness, for the nine most frequent main languages of
# 12,360 projects recorded in 2013. Hatches tell those apart that are alike in greyscale.
_FILLS = {
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
#: The first digits of the lowest numbers of classes, and the power by which they grow; finest first.
_DIVISIONS = (([1, 2, 5], 10), ([1, 3], 10), ([1], 10), ([1], 100), ([1], 1_000))
_DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)), (0, (7, 2.5)), (0, (3, 3)))
_HATCHES = ("....", "----", "||||", "++++", "oo", "**", "\\\\||", "--..", "xx--", "oo||", "..||")


def line_styles(names: Iterable[str]) -> dict[str, tuple[str, Any]]:
    """Return colour and dashes of lines, of which no two look the same in greyscale.

    A language has its own colour; the others have the first free ones of the same scheme.
    """
    given = list(names)
    own = {name: _colour_of(name) for name in given}
    free = [colour for colour, _ in _FILLS.values() if colour not in own.values()]
    free += [NEUTRAL] * len(given)
    styles: dict[str, tuple[str, Any]] = {}
    for number, name in enumerate(given):
        colour = own[name] or free.pop(0)
        styles[name] = (colour, _DASHES[number % len(_DASHES)])
    return styles


def _colour_of(language: str) -> str | None:
    """Return the own colour of a language, if it has one."""
    fill = _FILLS.get(language.strip().casefold())
    return None if fill is None else fill[0]


def fills(languages: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return colour and hatch of languages, of which no two look the same in greyscale."""
    result: dict[str, tuple[str, str]] = {}
    free = list(_HATCHES)
    for language in languages:
        own = _FILLS.get(language.strip().casefold())
        if own is None:
            free = free or list(_HATCHES)
            start = crc32(language.encode()) % len(_HATCHES)  # mostly the same in every chart
            hatch = next(h for h in (*_HATCHES[start:], *_HATCHES) if h in free)
            free.remove(hatch)
            own = (NEUTRAL, hatch)
        result[language] = own
    return result


def classes(numbers: Any) -> tuple[NDArray[np.int64], dict[int, tuple[str, Any]]]:
    """Sort numbers from 1 into classes of logarithmic width.

    Returns the class of each number, and the label and the shade of each class that has one. The
    more the numbers of a class are, the more contrast has its shade to the background.
    """
    most = int(max(numbers, default=1))
    lowest = _lowest_numbers(most)
    highest = [low - 1 for low in lowest[1:]] + [most]
    shades = _shades(len(lowest))
    places = np.digitize(numbers, lowest) - 1
    present: dict[int, tuple[str, Any]] = {}
    for place in sorted(set(places.tolist())):
        low, high = lowest[place], highest[place]
        label = f"{low:,}" if low == high else f"{low:,}–{high:,}"
        present[place] = (label, shades[place])
    return places, present


def _lowest_numbers(most: int) -> list[int]:
    """Return the lowest number of each class of the numbers from 1 to the most."""
    if most <= _CLASSES:
        return list(range(1, most + 1))
    for digits, power in _DIVISIONS:
        lowest = [digit * power**exponent for exponent in range(18) for digit in digits]
        lowest = [number for number in lowest if number <= most]
        if len(lowest) <= _CLASSES:
            break
    return lowest


def _shades(number: int) -> Any:
    """Return shades of one colour, those with the most contrast to the background last."""
    # The lightness of this colormap is monotonic, so that it is legible in greyscale. In a dark
    # style, whose background can be transparent, more is lighter.
    # The darkest would not be seen there.
    lightest, darkest = (0.1, 0.8) if _is_dark() else (0.25, 0.95)
    steps = np.linspace(lightest, darkest, number)
    if number == 1:
        steps = np.array([0.4 if _is_dark() else 0.7])
    if _is_dark():
        steps = steps[::-1]
    return mpl.colormaps["YlGnBu"](steps)


def land() -> str:
    """Return the colour of countries without a record, near that of the background."""
    return _DARK_LAND if _is_dark() else _LAND


def _is_dark() -> bool:
    """Return whether the style is dark: its text is light."""
    return _grey(mpl.rcParams["text.color"]) > 0.5


def bar_properties(colour: str, hatch: str) -> dict[str, Any]:
    """Return the properties of a bar or legend entry; the hatch contrasts with the colour."""
    edge = "#4A5058" if _grey(colour) > 0.5 else "white"
    return {"facecolor": colour, "hatch": hatch, "edgecolor": edge}


def _grey(colour: Any) -> float:
    """Return the grey of a colour in print without colours, from 0 (black) to 1."""
    return float(np.dot(to_rgb(colour), (0.299, 0.587, 0.114)))  # luma of ITU-R BT.601
