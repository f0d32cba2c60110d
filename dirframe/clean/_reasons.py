"""Human-readable reasons for unresolved values."""

from __future__ import annotations

from functools import cache
from typing import Final

import pycountry

from dirframe.clean._vocabulary.iso import countries
from dirframe.clean.normalize import clean_text, normalize

__all__ = ["NO_CODE", "UNKNOWN", "explain"]

#: Generic reasons of `resolve`.
UNKNOWN: Final = "names no country that is known"
NO_CODE: Final = "no code of ISO 3166-1"


def explain(raw: object, reason: str) -> str:
    """Return the reason, made more specific for subdivisions of ISO 3166-2."""
    if reason not in (UNKNOWN, NO_CODE) or not isinstance(raw, str):
        return reason
    key = normalize(clean_text(raw))
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
    codes_by_name: dict[str, list[str]] = {}
    for entry in pycountry.subdivisions:
        codes_by_name.setdefault(normalize(entry.name), []).append(entry.code)
    return codes_by_name
