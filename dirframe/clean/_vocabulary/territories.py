"""Territories and their states, and the countries that are islands."""

from __future__ import annotations

from typing import Final

from dirframe.clean._vocabulary.words import TABLES, words

#: Island countries: only for these is the word for island optional.
ISLANDS: Final = words("island_countries")

#: The state of each territory that has a code of its own.
STATES_OF: Final = {
    territory: state
    for state, codes in TABLES["territories"].items()
    for territory in codes.split()
}

#: Adjectives and phrases that name the state of a territory.
ADJECTIVES: Final[dict[str, str]] = TABLES["adjectives"]
