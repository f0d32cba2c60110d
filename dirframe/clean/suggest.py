"""The country that a probable typing error means: for a person to decide, never an answer."""

from __future__ import annotations

from functools import cache
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

from dirframe.clean.name_index import names
from dirframe.clean.normalize import clean_text, normalize, strip_spaces

__all__ = ["suggest"]

#: From this length on one wrong letter still leaves a name, and from the second on two.
_ONE_ERROR, _TWO_ERRORS = 5, 9
#: Longer texts are no single name.
_LONGEST: Final = 60


def suggest(raw: object) -> str | None:
    """Return the two-letter code of the one country whose English name is that close."""
    key = (
        strip_spaces(normalize(clean_text(raw)))
        if isinstance(raw, str) and len(raw) <= _LONGEST
        else ""
    )
    if len(key) < _ONE_ERROR or not key.isascii():
        return None
    keys, codes = _keys()
    # Letters to add, drop, change, or swap with their neighbour.
    near = process.extract(
        key,
        keys,
        scorer=OSA.distance,
        score_cutoff=1 if len(key) < _TWO_ERRORS else 2,
        limit=None,
    )
    closest = min((distance for _, distance, _ in near), default=0)
    found = {codes[index] for _, distance, index in near if distance == closest}
    return found.pop() if len(found) == 1 else None


@cache
def _keys() -> tuple[list[str], list[str]]:
    """Give the English names that are long enough, and the codes of their countries."""
    pairs = [(strip_spaces(key), alpha_2) for key, alpha_2 in names().english.items()]
    pairs = [(key, alpha_2) for key, alpha_2 in pairs if len(key) >= _ONE_ERROR]
    return [key for key, _ in pairs], [alpha_2 for _, alpha_2 in pairs]
