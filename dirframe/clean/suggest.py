"""Suggest a country for a probable typing error; suggestions are never applied."""

from __future__ import annotations

from functools import cache
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import OSA

from dirframe.clean.name_index import names
from dirframe.clean.normalize import clean_text, normalize, strip_spaces

#: Minimum key lengths at which one and two wrong letters are accepted.
_ONE_ERROR, _TWO_ERRORS = 5, 9
#: Longer texts are not a single name.
_LONGEST: Final = 60


def suggest(raw: object) -> str | None:
    """Return the two-letter code of the single country with the closest English name."""
    key = (
        strip_spaces(normalize(clean_text(raw)))
        if isinstance(raw, str) and len(raw) <= _LONGEST
        else ""
    )
    if len(key) < _ONE_ERROR or not key.isascii():
        return None
    keys, codes = _keys()
    # OSA counts insertions, deletions, substitutions and swaps of neighbours.
    matches = process.extract(
        key,
        keys,
        scorer=OSA.distance,
        score_cutoff=1 if len(key) < _TWO_ERRORS else 2,
        limit=None,
    )
    closest = min((distance for _, distance, _ in matches), default=0)
    candidates = {codes[index] for _, distance, index in matches if distance == closest}
    return candidates.pop() if len(candidates) == 1 else None


@cache
def _keys() -> tuple[list[str], list[str]]:
    """Return the sufficiently long English names and their country codes."""
    pairs = [(strip_spaces(key), alpha_2) for key, alpha_2 in names().english.items()]
    pairs = [(key, alpha_2) for key, alpha_2 in pairs if len(key) >= _ONE_ERROR]
    return [key for key, _ in pairs], [alpha_2 for _, alpha_2 in pairs]
