"""Countries of ISO 3166-1, from pycountry, and Kosovo."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import pycountry

from dirframe.clean._vocabulary.words import TABLES

#: The user-assigned code of Kosovo, which CLDR, the European Union and geocoders use.
_KOSOVO: Final = ("XK", "XKX", "Kosovo")

#: For these, the short name of ISO is formal or inverted, and pycountry has no common name.
_COMMON_NAMES: Final[dict[str, str]] = TABLES["common_names"]


@dataclass(frozen=True, slots=True)
class Country:
    """One country: its two codes and its common name."""

    alpha_2: str
    alpha_3: str
    name: str


@cache
def countries() -> dict[str, Country]:
    """Return every country by its two-letter code."""
    iso_countries = {
        entry.alpha_2: Country(
            entry.alpha_2,
            entry.alpha_3,
            _COMMON_NAMES.get(entry.alpha_2) or str(getattr(entry, "common_name", entry.name)),
        )
        for entry in pycountry.countries
    }
    return iso_countries | {_KOSOVO[0]: Country(*_KOSOVO)}
