"""Detect markers of missing values, such as "unknown" and "n/a"."""

from __future__ import annotations

import re
from typing import Final

from dirframe.clean._reasons import Reason
from dirframe.clean._vocabulary.words import words
from dirframe.clean.name_index import Resolution

NULL_MARKER: Final = Resolution(None, reason=Reason.NULL_MARKER)

_TOKENS: Final = re.compile(r"[^\W\d_]+")


#: Markers of spreadsheets, data tools and forms.
_MARKERS: Final = words("null_markers")

#: With the words that markers are composed of.
_PARTS: Final = _MARKERS | words("null_words")

#: Longer than any marker.
_LONGEST: Final = 60


def is_null_marker(text: str) -> bool:
    """Return whether a text consists only of markers of a missing value.

    The text `NA` in capitals is the code of Namibia.
    """
    if len(text) > _LONGEST or text.strip() == "NA":
        return False
    lower = text.casefold()
    first = _TOKENS.search(lower)
    if first is None or first[0] not in _PARTS:
        return False
    tokens = set(_TOKENS.findall(lower))
    if tokens <= _MARKERS:
        return True
    return len(tokens) > 1 and tokens <= _PARTS
