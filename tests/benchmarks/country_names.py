"""How many names of countries of other sources are resolved, and which to another country.

The sources do not ship with dirframe; their packages are installed for this alone::

    npm install --ignore-scripts i18n-iso-countries world-countries
    python -m tests.benchmarks.country_names node_modules

Without that folder nothing is measured. A name that a source itself gives to two countries is left out.
"""

import json
import sys
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

from dirframe.clean.names import countries
from dirframe.clean.resolver import resolve
from tests.benchmarks._report import Measure, Table

#: Class of a name, the name, and its country.
Pair = tuple[str, str, str]


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def script(text):
    letters = [letter for letter in text if letter.isalpha()]
    is_latin = all(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
    return "Latin letters" if is_latin else "other letters"


def i18n_iso_countries(folder):
    for path in sorted((folder / "i18n-iso-countries" / "langs").glob("*.json")):
        for alpha_2, names in read_json(path)["countries"].items():
            for name in [names] if isinstance(names, str) else names:
                yield f"i18n-iso-countries, 77 languages, {script(name)}", name, alpha_2


def world_countries(folder):
    for facts in read_json(folder / "world-countries" / "dist" / "countries-unescaped.json"):
        alpha_2, name = facts["cca2"], facts["name"]
        yield from (("world-countries, English", name[kind], alpha_2) for kind in _KINDS)
        for title, table in (("23 languages", facts["translations"]), ("own", name["native"])):
            for names in table.values():
                for kind in _KINDS:
                    text = names[kind]
                    yield f"world-countries, {title}, {kind}, {script(text)}", text, alpha_2
        for text in facts["altSpellings"]:
            if len(text) > 3:  # codes and their likes
                yield "world-countries, alternative spellings", text, alpha_2


_KINDS = ("common", "official")


def main(folder):
    pairs = {
        pair
        for pair in (*i18n_iso_countries(folder), *world_countries(folder))
        if pair[2] in countries() and any(map(str.isalpha, pair[1]))
    }
    owners = defaultdict(set)
    for _, name, alpha_2 in pairs:
        owners[name.casefold()].add(alpha_2)
    count = defaultdict(Counter)
    wrong = set()
    for kind, name, alpha_2 in sorted(pairs):
        if len(owners[name.casefold()]) > 1:
            continue
        found = resolve(name).alpha_2
        outcome = "right" if found == alpha_2 else "wrong" if found else "none"
        for title in (kind, "all"):
            count[title][outcome] += 1
        if outcome == "wrong":
            wrong.add(f"{name}: {alpha_2} by its source, {found}")
    table = Table(
        "names",
        Measure("number", "", None, ",.0f"),
        Measure("resolved", "share", "higher", ".1%"),
        Measure("to another country", "", "lower", ",.0f"),
    )
    for title, outcomes in count.items():
        number = outcomes.total()
        table.row(title, number, outcomes["right"] / number, outcomes["wrong"])
    print()
    print("\n".join(sorted(wrong)))


if __name__ == "__main__":
    if sys.argv[1:]:
        main(Path(sys.argv[1]))
    else:
        print("The packages of the sources are not named; nothing is measured.")
