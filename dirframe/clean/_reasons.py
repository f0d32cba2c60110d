"""Why a value has no country, in words for a person.

What stays out: deciding (`resolve`), and reasons that a rule or a line of ours already gives.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import pycountry

from dirframe.clean._iso import countries
from dirframe.clean.text import fold, readable

__all__ = ["NO_CODE", "UNKNOWN", "explain"]

#: What `resolve` says where it knows nothing better.
UNKNOWN: Final = "names no country that is known"
NO_CODE: Final = "no code of ISO 3166-1"


def explain(raw: object, reason: str) -> str:
    """Return the reason, made more exact where ISO 3166-2 or plain sense can."""
    if reason not in (UNKNOWN, NO_CODE) or not isinstance(raw, str):
        return reason
    key = fold(readable(raw))
    if reason == NO_CODE:
        return reason
    if codes := _subdivisions().get(key):
        code = codes[0]
        state = countries()[code.partition("-")[0]].name
        more = f", and {len(codes) - 1} more" if len(codes) > 1 else ""
        return f"a subdivision, not a country: {code}, {state}{more}"
    return reason


@cache
def _subdivisions() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for entry in pycountry.subdivisions:
        found.setdefault(fold(entry.name), []).append(entry.code)
    return found
