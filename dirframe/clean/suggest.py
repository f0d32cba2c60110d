"""The country that a probable typing error means: for a person to decide, never an answer.

What stays out: every decision (`resolve`).
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import Final

from dirframe.clean.names import names
from dirframe.clean.text import compact, fold, readable

__all__ = ["suggest"]

#: From this length on one wrong letter still leaves a name, and from the second on two.
_ONE_ERROR, _TWO_ERRORS = 5, 9
#: Longer texts are no single name.
_LONGEST: Final = 60


def suggest(raw: object) -> str | None:
    """Return the two-letter code of the one country whose English name is that close."""
    key = compact(fold(readable(raw))) if isinstance(raw, str) and len(raw) <= _LONGEST else ""
    if len(key) < _ONE_ERROR or not key.isascii():
        return None
    near: dict[int, set[str]] = defaultdict(set)
    for variant in _shortened(key):
        for name, alpha_2 in _index().get(variant, ()):
            near[_distance(key, name)].add(alpha_2)
    allowed = 1 if len(key) < _TWO_ERRORS else 2
    closest = min(near, default=allowed + 1)
    return min(near[closest]) if closest <= allowed and len(near[closest]) == 1 else None


@cache
def _index() -> dict[str, list[tuple[str, str]]]:
    found = defaultdict(list)
    for key, alpha_2 in names().english.items():
        name = compact(key)
        if len(name) >= _ONE_ERROR:
            for variant in _shortened(name):
                found[variant].append((name, alpha_2))
    return found


def _shortened(key: str) -> set[str]:
    return {key, *(key[:place] + key[place + 1 :] for place in range(len(key)))}


def _distance(one: str, other: str) -> int:
    """Count letters to add, drop, change, or swap with their neighbour."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, against in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
