"""One raw value to one country, with the rule that answered or the reason that none did.

What stays out: frames (`countries`, `audit`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pycountry

from dirframe.clean.iso import countries

__all__ = ["Resolution", "resolve"]


@dataclass(frozen=True, slots=True)
class Resolution:
    """What became of one value: `alpha_2` and `rule`, or None and `reason`."""

    alpha_2: str | None
    rule: str = ""
    reason: str = ""


@cache
def _index() -> dict[str, Resolution]:
    found = {}
    for entry in pycountry.countries:
        for name in (entry.name, getattr(entry, "common_name", ""), getattr(entry, "official_name", "")):
            found[name.casefold()] = Resolution(entry.alpha_2, "English name")
    found.pop("", None)
    for alpha_2, one in countries().items():
        found[one.name.casefold()] = Resolution(alpha_2, "English name")
        found[alpha_2.casefold()] = Resolution(alpha_2, "two-letter code")
        found[one.alpha_3.casefold()] = Resolution(alpha_2, "three-letter code")
    return found


def resolve(raw: object) -> Resolution:
    """Return the country that a raw value names."""
    if not isinstance(raw, str):
        return Resolution(None, reason="not text")
    return _index().get(raw.strip().casefold(), Resolution(None, reason="unknown"))
