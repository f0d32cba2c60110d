"""Reasons for unresolved values."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

import pycountry

from dirframe.clean._vocabulary.iso import countries
from dirframe.clean.normalize import clean_text, normalize


class Reason(StrEnum):
    """Why a value has no country; own.tsv has the reasons for values that it lists."""

    UNKNOWN = "names no country that is known"
    NO_CODE = "no code of ISO 3166-1"
    NOT_TEXT = "not a text"
    TOO_LONG = "too long for a name"
    NO_LETTERS = "no letters"
    NUMBER = "a number"
    NULL_MARKER = "stands for an unknown value"
    DOMAIN = "the ending of a domain"
    ABBREVIATION = "an abbreviation of several meanings"
    TWO_COUNTRIES = "names two countries"
    OVERRIDE = "an override says: no country"


def explain(raw: object, reason: str) -> str:
    """Return the reason, made more specific for subdivisions of ISO 3166-2."""
    if reason is not Reason.UNKNOWN or not isinstance(raw, str):
        return reason
    key = normalize(clean_text(raw))
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
