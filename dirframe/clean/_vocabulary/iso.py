"""What a country is, and what it is called: ISO 3166-1 as pycountry has it, and Kosovo."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import pycountry

__all__ = ["Country", "countries"]

#: The user-assigned code of Kosovo, which CLDR, the European Union and geocoders use.
_KOSOVO: Final = ("XK", "XKX", "Kosovo")

# ISO's short name is formal, or turned round, and pycountry knows no common name for these.
_COMMON_NAMES: Final = {
    "CD": "Democratic Republic of the Congo",
    "CG": "Republic of the Congo",
    "CC": "Cocos (Keeling) Islands",
    "FK": "Falkland Islands",
    "FM": "Micronesia",
    "MF": "Saint Martin",
    "PS": "Palestine",
    "RU": "Russia",
    "SX": "Sint Maarten",
    "VA": "Vatican City",
    "VG": "British Virgin Islands",
    "VI": "United States Virgin Islands",
}


@dataclass(frozen=True, slots=True)
class Country:
    """One country: its two codes and its common name."""

    alpha_2: str
    alpha_3: str
    name: str


@cache
def countries() -> dict[str, Country]:
    """Return every country by its two-letter code."""
    known = {
        entry.alpha_2: Country(
            entry.alpha_2,
            entry.alpha_3,
            _COMMON_NAMES.get(entry.alpha_2) or str(getattr(entry, "common_name", entry.name)),
        )
        for entry in pycountry.countries
    }
    return known | {_KOSOVO[0]: Country(*_KOSOVO)}
