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

from dirframe.clean.iso import countries
from dirframe.clean.own import own_lines
from dirframe.clean.text import compact, core, fold, readable

__all__ = ["Answer", "Names", "names"]

#: The generated tables, the weakest first: where two have a key they agree on it.
_TABLES: Final = {"factbook": "World Factbook", "iso_codes": "iso-codes", "cldr": "CLDR"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a key: the country and where from, or None and the reason."""

    alpha_2: str | None
    rule: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Names:
    """All keys with their answers, and those of English names apart."""

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
    def joined(self) -> dict[str, str]:
        """English names of several words, written as one."""
        return _agreed(
            (compact(key), alpha_2) for key, alpha_2 in self.english.items() if " " in key
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


def _agreed(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, set[str]] = defaultdict(set)
    for key, alpha_2 in pairs:
        found[key].add(alpha_2)
    return {key: min(answers) for key, answers in found.items() if len(answers) == 1}


@cache
def names() -> Names:
    """Return the names; the first call reads the tables."""
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
        if line.alpha_2 is None:
            index[key] = Answer(None, reason=line.reason)
            english.pop(key, None)
        else:
            index[key] = Answer(line.alpha_2, f"own line: {line.reason}")
            if key.isascii():
                english[key] = line.alpha_2
    for alpha_2, one in countries().items():
        index[fold(alpha_2)] = Answer(alpha_2, "two-letter code")
        index[fold(one.alpha_3)] = Answer(alpha_2, "three-letter code")
        index.setdefault(fold(one.name), Answer(alpha_2, "common name"))
    return Names(
        index, english, exact, {key: min(codes) for key, codes in lost.items() if len(codes) == 1}
    )


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
