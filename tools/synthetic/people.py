"""Generate names and locations of accounts, and their countries as given by two geocoders."""

# The first geocoder returns most countries as a two-letter code. Those that it cannot resolve
# (`geocoder` 2 in `tables/countries.csv`) come from a second one, as a name in varying spellings.
# Weights of countries, rates of variants and all names are chosen; coordinates of cities are
# rounded.

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tools.synthetic.distributions import Draw, WeightedChoice, pick, read_rows, read_table

#: Rate at which the first geocoder resolves countries that it usually cannot.
_CODE_ALL_THE_SAME = 0.12
_NAME_ALL_THE_SAME = 0.03
_DISTORTED = 0.02

#: Claimed locations that no geocoder resolves; some are returned as the country.
HOPELESS = tuple(read_table("peculiar.toml")["hopeless_locations"])


@dataclass(frozen=True, eq=False)
class Country:
    """A country: its code, names and spellings, rows of its cities, and names of its people."""

    code: str
    by_first_geocoder: bool
    name: str
    spellings: list[str]
    cities: list[dict[str, str]]
    cultures: list[dict[str, Any]]  # given, family: separated by blanks; native: full names


def _read_countries() -> WeightedChoice[Country]:
    cities, cultures = read_rows("cities.csv"), read_table("people.toml").values()
    weights = {}
    for row in read_rows("countries.csv"):
        code = row["code"]
        country = Country(
            code,
            row["geocoder"] == "1",
            row["name"],
            row["spellings"].split("|"),
            [city for city in cities if city["country"] == code],
            [culture for culture in cultures if code in culture["countries"]],
        )
        weights[country] = float(row["weight"])
    return WeightedChoice(weights)


COUNTRIES = _read_countries()


def country_code(country: Country, draw: Draw) -> str:
    """Return a country as geocoded: a code, or a name in some spelling."""
    by_code = 1 - _NAME_ALL_THE_SAME if country.by_first_geocoder else _CODE_ALL_THE_SAME
    text = country.code if draw() < by_code else pick(country.spellings, draw)
    return _distorted(text, draw) if draw() < _DISTORTED else text


def _distorted(text: str, draw: Draw) -> str:
    forms = (text.lower(), text.lower(), text.upper(), f"{text} ", f"{text}\u00a0", f"{text},")
    return pick(forms, draw)


def location(country: Country, draw: Draw) -> tuple[str, tuple[str, str]]:
    """Return a claimed location, and its latitude and longitude as geocoded."""
    city = pick(country.cities, draw)
    name, region = city["city"], city["region"]
    city_and_region = f"{name}, {region}" if region else name
    form = draw()
    if form < 0.70:
        text = f"{city_and_region}, {country.name}"
    elif form < 0.85:
        text = city_and_region
    elif form < 0.92:
        text = country.name
    elif form < 0.96:
        text = city_and_region.lower()
    else:
        text = f"{name} ({country.code})"
    latitude, longitude = float(city["latitude"]), float(city["longitude"])
    if draw() < 0.5:
        return text, (str(latitude), str(longitude))
    north, east = (0.08 * (draw() - 0.5) for _ in range(2))
    return text, (f"{latitude + north:.7f}", f"{longitude + east:.7f}")


def person(country: Country, draw: Draw) -> str:
    """Return a public name: a full name, possibly in another script, a first name or a handle."""
    culture = pick(country.cultures, draw)
    style = draw()
    if style < 0.08 and culture["native"]:
        native: str = pick(culture["native"], draw)
        return native
    given: str = pick(culture["given"].split(), draw)
    family: str = pick(culture["family"].split(), draw)
    if style < 0.62:
        return f"{given} {family}"
    if style < 0.68:
        return given
    number = int(draw() * 100)
    handles = (
        f"{given}{number:02}", f"{given[0]}{family}", f"{given}.{family}", f"{family}_{given[0]}",
        f"{given}{family}", f"{family}{1950 + number % 50}", f"the_{given}", f"{given}-dev",
    )  # fmt: skip
    return pick(handles, draw).lower().replace(" ", "")
