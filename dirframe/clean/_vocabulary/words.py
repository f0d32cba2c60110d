"""Words that accompany country names, as keys; the lists stand in ``vocabulary.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

TABLES: Final[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("vocabulary.toml").read_text("utf-8")
)


def words(name: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(TABLES[name].split())


ARTICLES: Final = words("articles")
CONNECTORS: Final = words("connectors")
#: The ending of a name before a form of government.
ENDINGS: Final = {
    word: ending for ending, text in TABLES["before_form"].items() for word in text.split()
}
#: Words for the form of a state or dependency.
GOVERNMENTS: Final = words("governments") | frozenset(ENDINGS)
#: Words for the kind of state; on their own they name no country.
KINDS: Final = GOVERNMENTS | words("qualities")
#: Words of `KINDS` that may also follow the name.
FORMS: Final = words("forms") | frozenset(ENDINGS)
#: Abbreviations that are also used without a point.
SHORT: Final[dict[str, str]] = TABLES["short"]
ISLAND_WORDS: Final = words("islands")
#: Words for island that are appended to the name without a space.
ISLAND_TAILS: Final = ("群岛", "群島", "諸島", "岛", "島", "eilanden", "eiland", "inseln")
