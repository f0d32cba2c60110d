"""Names of countries and their codes, from the tables in ``data`` and pycountry."""

from __future__ import annotations

import csv
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, Final, NamedTuple

import pycountry

from dirframe.clean.text import SMALL_WORDS, clean_text, normalize, sort_words

_FILES: Final = files("dirframe.clean")

#: Words that accompany names, as keys.
VOCABULARY: Final[dict[str, Any]] = tomllib.loads((_FILES / "vocabulary.toml").read_text("utf-8"))


def word_list(name: str) -> frozenset[str]:
    """Return a list of the vocabulary."""
    return frozenset(VOCABULARY[name].split())


CONNECTORS: Final = word_list("connectors")
#: The ending of a name before a form of government.
ENDINGS: Final = {
    word: ending for ending, text in VOCABULARY["before_form"].items() for word in text.split()
}
#: Words for the form of a state or dependency.
GOVERNMENTS: Final = word_list("governments") | frozenset(ENDINGS)
#: Words for the kind of state; on their own they name no country.
KINDS: Final = GOVERNMENTS | word_list("qualities")
ISLAND_WORDS: Final = word_list("islands")
#: Words for island that are appended to the name without a space.
_ISLAND_TAILS: Final = ("群岛", "群島", "諸島", "岛", "島", "eilanden", "eiland", "inseln")
#: Only for these is the word for island optional.
_ISLANDS: Final = word_list("island_countries")

#: Names of at most this many letters are only matched exactly.
LONGEST_CODE: Final = 3

#: The generated tables, lowest precedence first. Tables that share a key agree on it.
_TABLES: Final = {
    "factbook": "World Factbook",
    "libphonenumber": "libphonenumber",
    "iso_codes": "iso-codes",
    "cldr": "CLDR",
}


class Country(NamedTuple):
    """A country: its two codes and its common name."""

    alpha_2: str
    alpha_3: str
    name: str


@cache
def countries() -> dict[str, Country]:
    """Return the countries of ISO 3166-1 and Kosovo by their two-letter codes."""
    # For some, the short name of ISO is formal or inverted, and pycountry has no common name.
    common_names = VOCABULARY["common_names"]
    by_code = {
        entry.alpha_2: Country(
            entry.alpha_2,
            entry.alpha_3,
            common_names.get(entry.alpha_2) or str(getattr(entry, "common_name", entry.name)),
        )
        for entry in pycountry.countries
    }
    # The user-assigned code that CLDR, the European Union and geocoders use.
    return by_code | {"XK": Country("XK", "XKX", "Kosovo")}


class Resolution(NamedTuple):
    """Resolution of a value: the country and the rule, or None and the reason."""

    alpha_2: str | None
    rule: str = ""
    reason: str = ""


def own_lines() -> Iterator[tuple[str, str | None, str]]:
    """Yield name, code (None for a value that names no single country) and reason of our own."""
    for name, alpha_2, reason, _source in _lines("own"):
        yield name, None if alpha_2 == "-" else alpha_2, reason


class Names:
    """All keys with their resolutions; the keys of English names separately."""

    def __init__(self) -> None:
        self.codes: dict[str, Resolution] = {}
        self.index: dict[str, Resolution] = {}
        self.english: dict[str, str] = {}
        self.exact: dict[str, Resolution] = {}
        #: Names whose letters beyond ASCII are lost; None if two countries have the same.
        self.lost: dict[str, str | None] = {}
        for table, title in _TABLES.items():
            self._read(table, title)
        self._read_own()
        self.abbreviations = frozenset(self.codes)
        for alpha_2, country in countries().items():
            self.codes[alpha_2.lower()] = Resolution(alpha_2, "two-letter code")
            self.codes[country.alpha_3.lower()] = Resolution(alpha_2, "three-letter code")

    def _read(self, table: str, title: str) -> None:
        for alpha_2, tier, *keys in _lines(table):
            if tier == "lost":
                for key in keys:
                    self.lost[key] = alpha_2 if self.lost.get(key, alpha_2) == alpha_2 else None
                continue
            if tier == "e":
                self.english.update(dict.fromkeys(keys, alpha_2))
            language = "" if tier == "e" else " in another language"
            answer = Resolution(alpha_2, f"name{language} ({title})")
            target = self.exact if tier == "exact" else self.index
            target.update(dict.fromkeys(keys, answer))

    def _read_own(self) -> None:
        for name, alpha_2, reason in own_lines():
            key = normalize(clean_text(name))
            rule = f"own line: {reason}" if alpha_2 else ""
            answer = Resolution(alpha_2, rule, "" if alpha_2 else reason)
            if len(key) <= LONGEST_CODE and key.isascii():
                self.codes[key] = answer
                continue
            self.index[key] = answer
            if alpha_2 is None:
                self.english.pop(key, None)
            elif key.isascii():
                self.english[key] = alpha_2

    @cached_property
    def current(self) -> dict[str, Resolution]:
        """Names from the installed pycountry, which may be newer than the tables."""
        all_names = {
            normalize(text): Resolution(entry.alpha_2, "name (pycountry)")
            for entry in pycountry.countries
            for field in ("name", "official_name", "common_name")
            if (text := getattr(entry, field, None))
        }
        common_names = {
            normalize(country.name): Resolution(alpha_2, "common name")
            for alpha_2, country in countries().items()
        }
        return common_names | all_names

    @cached_property
    def cores(self) -> dict[str, str]:
        """English names of several words, without stop words, in alphabetical order."""
        return _unambiguous(
            (sort_words(key), alpha_2) for key, alpha_2 in self.english.items() if " " in key
        )

    @cached_property
    def joined_foreign(self) -> dict[str, str]:
        """Non-ASCII names of several words, joined into one."""
        return _unambiguous(
            (key.replace(" ", ""), answer.alpha_2)
            for key, answer in self.index.items()
            if answer.alpha_2 and " " in key and not key.isascii()
        )

    @cached_property
    def islands(self) -> dict[str, str]:
        """Names of island countries without the word for island."""
        return _unambiguous(
            (without_island(key), answer.alpha_2)
            for key, answer in self.index.items()
            if answer.alpha_2 in _ISLANDS and without_island(key) not in KINDS
        )

    @cached_property
    def joined(self) -> dict[str, str]:
        """English names of several words, joined into one."""
        return _unambiguous(
            (spelling.replace(" ", ""), alpha_2)
            for key, alpha_2 in self.english.items()
            if " " in key
            for spelling in (key, key.replace(" of ", " of the ").replace(" and ", " and the "))
        )

    @cached_property
    def by_word(self) -> dict[str, list[tuple[list[str], str]]]:
        """English names, as lists of words, by each significant word."""
        by_word = defaultdict(list)
        for key, alpha_2 in self.english.items():
            significant = [word for word in key.split() if word not in SMALL_WORDS]
            for word in set(significant):
                by_word[word].append((significant, alpha_2))
        return by_word


def has_island(key: str) -> bool:
    """Return whether a key has a word for island."""
    return key.endswith(_ISLAND_TAILS) or not ISLAND_WORDS.isdisjoint(key.split())


def without_island(key: str) -> str:
    """Return a key without words for island and the connectors left at its ends."""
    bare_words = [word for word in key.split() if word not in ISLAND_WORDS]
    while bare_words and bare_words[0] in CONNECTORS:
        del bare_words[0]
    while bare_words and bare_words[-1] in CONNECTORS:
        del bare_words[-1]
    bare = " ".join(bare_words)
    for tail in _ISLAND_TAILS:
        bare = bare.removesuffix(tail)
    return bare


def _unambiguous(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    answers_by_key: dict[str, set[str]] = defaultdict(set)
    for key, alpha_2 in pairs:
        answers_by_key[key].add(alpha_2)
    return {key: min(answers) for key, answers in answers_by_key.items() if len(answers) == 1}


def _lines(table: str) -> Iterator[list[str]]:
    text = _FILES.joinpath("data", f"{table}.tsv").read_text(encoding="utf-8")
    return (line.split("\t") for line in text.splitlines() if line and line[0] != "#")


@cache
def names() -> Names:
    """Return the names; the first call reads the tables."""
    return Names()


@cache
def inhabitants() -> dict[str, int]:
    """Return the inhabitants of each country in 2019, as far as they are known."""
    text = _FILES.joinpath("data", "inhabitants.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    return {row["country_alpha_2"]: int(row["inhabitants_2019"]) for row in rows}
