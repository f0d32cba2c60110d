"""Lookup index of country names and codes: the shipped tables and pycountry."""

from __future__ import annotations

from collections import defaultdict
from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

import pycountry

from dirframe.clean._vocabulary.iso import countries
from dirframe.clean._vocabulary.territories import ISLANDS
from dirframe.clean._vocabulary.words import CONNECTORS, ISLAND_TAILS, ISLAND_WORDS, KINDS
from dirframe.clean.normalize import SMALL_WORDS, normalize, sort_words, strip_spaces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Names of at most this many letters are only matched exactly.
LONGEST_CODE: Final = 3

#: The generated tables, lowest precedence first. Tables that share a key agree on it.
_TABLES: Final = {
    "factbook": "World Factbook",
    "libphonenumber": "libphonenumber",
    "iso_codes": "iso-codes",
    "cldr": "CLDR",
}


class Resolution(NamedTuple):
    """Resolution of a key: the country and the rule, or None and the reason."""

    alpha_2: str | None
    rule: str = ""
    reason: str = ""


class Names:
    """All keys with their resolutions; the keys of English names separately."""

    def __init__(self) -> None:
        self.codes: dict[str, Resolution] = {}
        self.index: dict[str, Resolution] = {}
        self.english: dict[str, str] = {}
        self.exact: dict[str, Resolution] = {}
        self._lossy_lines: list[list[str]] = []
        for table, title in _TABLES.items():
            self._read(table, title)
        self._read_own()
        self.abbreviations = frozenset(self.codes)
        for alpha_2, country in countries().items():
            self.codes[alpha_2.lower()] = Resolution(alpha_2, "two-letter code")
            self.codes[country.alpha_3.lower()] = Resolution(alpha_2, "three-letter code")

    def _read(self, table: str, title: str) -> None:
        english_name = f"name ({title})"
        other_name = f"name in another language ({title})"
        for line in _lines(table):
            alpha_2, tier, *keys = line
            if tier == "lost":
                self._lossy_lines.append(line)
            elif tier == "exact":
                self.exact.update(dict.fromkeys(keys, Resolution(alpha_2, other_name)))
            elif tier == "e":
                self.english.update(dict.fromkeys(keys, alpha_2))
                self.index.update(dict.fromkeys(keys, Resolution(alpha_2, english_name)))
            else:
                self.index.update(dict.fromkeys(keys, Resolution(alpha_2, other_name)))

    def _read_own(self) -> None:
        for alpha_2, reason, *keys in _lines("own_keys"):
            is_country = alpha_2 != "-"
            answer = (
                Resolution(alpha_2, f"own line: {reason}")
                if is_country
                else Resolution(None, reason=reason)
            )
            for key in keys:
                if len(key) <= LONGEST_CODE and key.isascii():
                    self.codes[key] = answer
                    continue
                self.index[key] = answer
                if not is_country:
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
    def lost(self) -> dict[str, str]:
        """Names whose non-ASCII letters are lost."""
        return _unambiguous(
            (key, alpha_2) for alpha_2, _, *keys in self._lossy_lines for key in keys
        )

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
            (strip_spaces(key), answer.alpha_2)
            for key, answer in self.index.items()
            if answer.alpha_2 and " " in key and not key.isascii()
        )

    @cached_property
    def islands(self) -> dict[str, str]:
        """Names of island countries without the word for island."""
        return _unambiguous(
            (without_island(key), answer.alpha_2)
            for key, answer in self.index.items()
            if answer.alpha_2 in ISLANDS and without_island(key) not in KINDS
        )

    @cached_property
    def joined(self) -> dict[str, str]:
        """English names of several words, joined into one."""
        return _unambiguous(
            (strip_spaces(spelling), alpha_2)
            for key, alpha_2 in self.english.items()
            if " " in key
            for spelling in (key, key.replace(" of ", " of the ").replace(" and ", " and the "))
        )

    @cached_property
    def by_word(self) -> dict[str, list[tuple[list[str], str]]]:
        """English names, as lists of words, by each significant word."""
        names_by_word = defaultdict(list)
        for key, alpha_2 in self.english.items():
            words = [word for word in key.split() if word not in SMALL_WORDS]
            for word in set(words):
                names_by_word[word].append((words, alpha_2))
        return names_by_word


def has_island(key: str) -> bool:
    """Return whether a key has a word for island."""
    return key.endswith(ISLAND_TAILS) or not ISLAND_WORDS.isdisjoint(key.split())


def without_island(key: str) -> str:
    """Return a key without words for island and the connectors left at its ends."""
    words = [word for word in key.split() if word not in ISLAND_WORDS]
    while words and words[0] in CONNECTORS:
        del words[0]
    while words and words[-1] in CONNECTORS:
        del words[-1]
    bare = " ".join(words)
    for tail in ISLAND_TAILS:
        bare = bare.removesuffix(tail)
    return bare


def _unambiguous(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    answers_by_key: dict[str, set[str]] = defaultdict(set)
    for key, alpha_2 in pairs:
        answers_by_key[key].add(alpha_2)
    return {key: min(answers) for key, answers in answers_by_key.items() if len(answers) == 1}


def _lines(table: str) -> Iterator[list[str]]:
    path = files("dirframe.clean").joinpath("data", f"{table}.tsv")
    return (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())


@cache
def names() -> Names:
    """Return the names; the first call reads the tables."""
    return Names()
