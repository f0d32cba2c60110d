"""The names that are looked up: the shipped tables, pycountry's own, and the codes.

What stays out: how a value is taken apart (`rules`); how the tables are made (a script
outside the package, `tools/build_country_table.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Final

import pycountry

from dirframe.clean.facts import CONNECTORS, ISLAND_TAILS, ISLAND_WORDS, ISLANDS
from dirframe.clean.iso import countries
from dirframe.clean.own import OwnLine, own_lines
from dirframe.clean.text import compact, core, fold, readable

__all__ = ["LONGEST_CODE", "Answer", "Names", "has_island", "names", "without_island"]

#: Names of so few letters are only found as they are written.
LONGEST_CODE: Final = 3

#: The generated tables, the weakest first: where two have a key they agree on it.
_TABLES: Final = {"factbook": "World Factbook", "libphonenumber": "libphonenumber", "iso_codes": "iso-codes", "cldr": "CLDR"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a key: the country and where from, or None and the reason."""

    alpha_2: str | None
    rule: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Names:
    """All keys with their answers, and those of English names apart."""

    codes: dict[str, Answer]
    index: dict[str, Answer]
    english: dict[str, str]
    exact: dict[str, Answer]
    lost: dict[str, str]

    @cached_property
    def cores(self) -> dict[str, str]:
        """English names of several words, without small words, in the alphabet's order."""
        return _agreed(
            (core(key), alpha_2) for key, alpha_2 in self.english.items() if " " in key
        )

    @cached_property
    def islands(self) -> dict[str, str]:
        """Names of island countries without the word for island."""
        return _agreed(
            (without_island(key), answer.alpha_2)
            for key, answer in self.index.items()
            if answer.alpha_2 in ISLANDS
        )

    @cached_property
    def joined(self) -> dict[str, str]:
        """English names of several words, written as one."""
        return _agreed(
            (compact(written), alpha_2)
            for key, alpha_2 in self.english.items()
            if " " in key
            for written in (key, key.replace(" of ", " of the ").replace(" and ", " and the "))
        )

    @cached_property
    def by_word(self) -> dict[str, list[tuple[list[str], str]]]:
        """English names, as lists of words, by each word that carries them."""
        found = defaultdict(list)
        for key, alpha_2 in self.english.items():
            words = [word for word in key.split() if word not in ("of", "and", "the")]
            for word in set(words):
                found[word].append((words, alpha_2))
        return found


def has_island(key: str) -> bool:
    """Tell whether a key has a word for island."""
    return key.endswith(ISLAND_TAILS) or not ISLAND_WORDS.isdisjoint(key.split())


def without_island(key: str) -> str:
    """Return a key without the words for island in it, and the connectors that leaves."""
    words = [word for word in key.split() if word not in ISLAND_WORDS]
    while words and words[0] in CONNECTORS:
        del words[0]
    while words and words[-1] in CONNECTORS:
        del words[-1]
    bare = " ".join(words)
    for tail in ISLAND_TAILS:
        bare = bare.removesuffix(tail)
    return bare


def _agreed(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, set[str]] = defaultdict(set)
    for key, alpha_2 in pairs:
        found[key].add(alpha_2)
    return {key: min(answers) for key, answers in found.items() if len(answers) == 1}


@cache
def names() -> Names:
    """Return the names; the first call reads the tables."""
    codes: dict[str, Answer] = {}
    index: dict[str, Answer] = {}
    english: dict[str, str] = {}
    exact: dict[str, Answer] = {}
    lost: dict[str, set[str]] = defaultdict(set)
    for table, title in _TABLES.items():
        _read(table, title, index, english, exact, lost)
    for entry in pycountry.countries:
        answer = Answer(entry.alpha_2, "name (pycountry)")
        for field in ("name", "official_name", "common_name"):
            if text := getattr(entry, field, None):
                key = fold(text)
                index[key], english[key] = answer, entry.alpha_2
    for line in own_lines():
        key = fold(readable(line.name))
        if len(key) <= LONGEST_CODE and key.isascii():
            codes[key] = _own(line)
        elif line.alpha_2 is None:
            index[key] = _own(line)
            english.pop(key, None)
        else:
            index[key] = _own(line)
            if key.isascii():
                english[key] = line.alpha_2
    for alpha_2, one in countries().items():
        codes[alpha_2.casefold()] = Answer(alpha_2, "two-letter code")
        codes[one.alpha_3.casefold()] = Answer(alpha_2, "three-letter code")
        index.setdefault(fold(one.name), Answer(alpha_2, "common name"))
    return Names(
        codes, index, english, exact, {key: min(codes) for key, codes in lost.items() if len(codes) == 1}
    )


def _own(line: OwnLine) -> Answer:
    if line.alpha_2 is None:
        return Answer(None, reason=line.reason)
    return Answer(line.alpha_2, f"own line: {line.reason}")


def _read(
    table: str,
    title: str,
    index: dict[str, Answer],
    english: dict[str, str],
    exact: dict[str, Answer],
    lost: dict[str, set[str]],
) -> None:
    path = files("dirframe.clean").joinpath("data", f"{table}.tsv")
    for line in path.read_text(encoding="utf-8").splitlines():
        alpha_2, tier, *keys = line.split("\t")
        if tier == "lost":
            for key in keys:
                lost[key].add(alpha_2)
            continue
        if tier == "exact":
            exact.update(dict.fromkeys(keys, Answer(alpha_2, f"name in another language ({title})")))
            continue
        if tier == "e":
            english.update(dict.fromkeys(keys, alpha_2))
            rule = f"name ({title})"
        else:
            rule = f"name in another language ({title})"
        index.update(dict.fromkeys(keys, Answer(alpha_2, rule)))
