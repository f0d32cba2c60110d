"""Taking a name apart where it is not in the tables as it stands.

Each rule only rearranges, spells out or drops words that name no country, and then looks the
result up: none compares names by likeness, and none looks for a name inside a text.
"""

from __future__ import annotations

import re
from typing import Final

from dirframe.clean._null_markers import NULL_MARKER, is_null_marker
from dirframe.clean._vocabulary.government_forms import allows_form, without_form
from dirframe.clean._vocabulary.territories import ADJECTIVES, STATES_OF
from dirframe.clean._vocabulary.words import (
    ARTICLES,
    CONNECTORS,
    FORMS,
    GOVERNMENTS,
    ISLAND_WORDS,
    KINDS,
    SHORT,
)
from dirframe.clean.name_index import LONGEST_CODE, Resolution, has_island, names, without_island
from dirframe.clean.normalize import MISSING, casefold_exact, normalize, sort_words, strip_spaces

__all__ = ["NO_ANSWER", "as_it_stands", "by_rules", "resolve_text"]

NO_ANSWER: Final = Resolution(None)

# A code with blanks and punctuation around it. A point in front makes it the ending of a domain
# (.com is not the Comoros), a number sign an error of a spreadsheet (#IND).
_CODE: Final = re.compile(r"(?:[^\w?#@.]|_)*([A-Za-z]{2,3})(?:[^\w?]|_)*")
_DOMAIN: Final = re.compile(r"\W*(?:\w+\.)*\.[A-Za-z]{2,3}\W*")
_SPACED: Final = re.compile(
    r"[^\w?#@.]*((?:[A-Za-z]\s?\.\s?){1,4}[A-Za-z]|[A-Z](?:\s[A-Z]){2,4})[^\w?]*"
)
#: Codes that are written with a point after every letter, beside our own abbreviations: of the
#: others most mean something else (e.g., i.e., C.O.D.).
_SPACED_CODES: Final = frozenset(("us", "usa", "uk", "gb", "nz", "hk", "fsm", "png"))
#: What follows an article although it is no longer than a code.
_SHORT_NAMES: Final = _SPACED_CODES | {"uae", "prc", "drc", "car", "ksa", "rsa", "rok"}
_FOOTNOTE: Final = re.compile(r"\s*\[(?:\d{1,3}|[a-z]|note \d{1,3})\]\s*$")
_FORMER: Final = re.compile(r"^(?:former(?:ly)?|ex|previously)\b[\s:.–-]*", re.IGNORECASE)
_CAPITALS: Final = re.compile(r"[(\[]?([A-Z]{2,3})[)\]]?")
_NO_LETTERS: Final = re.compile(r"[^A-Za-z]+")
_LONGEST_CODE_TEXT: Final = 16
_BRACKETS: Final = re.compile(
    r"^(?P<first>[^()\[\]{}].*?)\s*[(\[{](?P<second>[^()\[\]{}]+)[)\]}]?\s*$"
)
_WRAPPED: Final = re.compile(r"^\s*[(\[{](?P<inner>[^()\[\]{}]+)[)\]}]?\s*$")
_COMMA: Final = re.compile(r"^(?P<first>.+)[,:،、，]\s*(?P<second>[^,:،、，]+)$")
_SLASH: Final = re.compile(
    r"^(?P<first>.+?)(?:\s*[/|+=;]\s*|\s+[-–—]+\s+|\s+(?:or|alias|aka)\s+)(?P<second>.+)$"
)
_JOINT: Final = re.compile(r"^(?P<first>.+?)(?:\s*-\s*|\s+(?:and|&)\s+)(?P<second>.+)$")
_OPEN_ARTICLE: Final = re.compile(r"^[lL]['’´`]\s*")
_ELIDED: Final = re.compile(r"^(?:dell|d|l)(?=[aeiouh])")

#: Codes that are also words in small letters: El Salvador cut short.
CAPITALS_ONLY: Final = frozenset(("el",))
DOMAIN: Final = Resolution(None, reason="the ending of a domain")
NOT_SPACED: Final = Resolution(None, reason="an abbreviation of several meanings")

#: How often a part of a text is taken apart again.
_DEEPEST: Final = 3
TWO: Final = Resolution(None, reason="names two countries")


def as_it_stands(text: str) -> Resolution | None:
    """Return what a readable text names without taking it apart."""
    if len(text) <= _LONGEST_CODE_TEXT and (answer := _code(text)):
        return answer
    known, key = names(), normalize(text)
    return known.index.get(key) or known.exact.get(casefold_exact(text)) or known.current.get(key)


def _code(text: str) -> Resolution | None:  # one way to write a code each
    """Return what a text means as a code, an abbreviation, or as neither."""
    codes = names().codes
    if match := _CODE.fullmatch(text):
        code = match[1].lower()
        if code == "na" and is_null_marker(text):
            return NULL_MARKER
        return None if code in CAPITALS_ONLY and not match[1].isupper() else codes.get(code)
    if match := _SPACED.fullmatch(text):
        code = _NO_LETTERS.sub("", match[1]).lower()
        if code in _SPACED_CODES or code in names().abbreviations:
            return codes.get(code)
        return NOT_SPACED if len(code) <= LONGEST_CODE else None
    if text[:4].lower() == "the " and (code := normalize(text)) in _SHORT_NAMES:
        return codes.get(code)
    return DOMAIN if "." in text and _DOMAIN.fullmatch(text) else None


def resolve_text(text: str, depth: int = 0) -> Resolution:
    """Return what a readable text names: as it stands, or by the rules."""
    if MISSING in text:
        return NO_ANSWER
    return as_it_stands(text) or by_rules(text, depth)


def by_rules(text: str, depth: int = 0) -> Resolution:
    """Return what a text names by the first rule that knows."""
    key = normalize(text)
    if depth > _DEEPEST or not key or key.isdigit() or (len(key) < LONGEST_CODE and key.isascii()):
        return NO_ANSWER
    bare = _FOOTNOTE.sub("", text) if "]" in text else text
    stripped = bare.strip(" .,;:-–—_*'\"«»“”")
    if bare is not text and (found := as_it_stands(stripped)):
        return found
    for rule in _RULES:
        answer = rule(stripped, key, depth + 1)
        if answer.alpha_2 or answer.reason:
            return answer
    return NO_ANSWER


def _split(text: str, _key: str, depth: int) -> Resolution:
    """Read two parts that agree, or of which one only describes the other."""
    if match := _WRAPPED.match(text):
        return resolve_text(match["inner"], depth)
    for pattern in (_BRACKETS, _COMMA):
        if match := pattern.match(text):
            return _with_qualifier(match["first"], match["second"], depth)
    for pattern in (_SLASH, _JOINT):
        if match := pattern.match(text):
            return _both_agree(
                resolve_text(match["first"], depth), resolve_text(match["second"], depth)
            )
    return NO_ANSWER


def _both_agree(one: Resolution, other: Resolution) -> Resolution:
    """Compare two names beside each other: Myanmar/Burma."""
    if one.alpha_2 is None or other.alpha_2 is None:
        return TWO if TWO in (one, other) else NO_ANSWER
    if one.alpha_2 != other.alpha_2:
        return TWO
    return Resolution(one.alpha_2, f"named twice; {one.rule}")


def _with_qualifier(first: str, second: str, depth: int) -> Resolution:
    """Read a name, and something in brackets or after a comma."""
    second = _FORMER.sub("", second)
    key = normalize(second)
    # Lebanon, LA is a town in Louisiana, and Iraq, AL is not Al Iraq.
    if not (len(second) == 2 and second.isalpha() and second.isupper()):
        if key in ARTICLES:
            return resolve_text(first, depth)
        turned = normalize(f"{second} {first}")
        found = names().index.get(turned) or _spelt_out("", turned, depth)
        if found.alpha_2:
            return Resolution(found.alpha_2, f"turned round; {found.rule}")
    one = resolve_text(first, depth)
    if one.alpha_2 is None:
        return one
    other = resolve_text(second, depth)
    if other.alpha_2 is None and _is_kind(key, one.alpha_2):
        return Resolution(one.alpha_2, f"with its form of government; {one.rule}")
    return _territory(one, other, other.alpha_2 or ADJECTIVES.get(key)) or _both_agree(one, other)


def _territory(one: Resolution, other: Resolution, state: str | None) -> Resolution | None:
    """Of a territory and its state, return the territory."""
    if state and STATES_OF.get(one.alpha_2 or "") == state:
        return Resolution(one.alpha_2, f"territory with its state; {one.rule}")
    if other.alpha_2 and STATES_OF.get(other.alpha_2) == one.alpha_2:
        return Resolution(other.alpha_2, f"territory with its state; {other.rule}")
    return None


def _is_kind(key: str, alpha_2: str) -> bool:
    words = [SHORT.get(word, word) for word in key.split()]
    return (
        allows_form(words, alpha_2)
        and all(word in KINDS or word in CONNECTORS for word in words)
        and any(word in KINDS for word in words)
    )


def _without_article(text: str, _key: str, depth: int) -> Resolution:
    """Leave out an article in front: la Roumanie, l'Autriche."""
    rest = _OPEN_ARTICLE.sub("", text)
    if rest != text:
        return _name(rest, depth)
    first, _, rest = text.partition(" ")
    # Towns are called La Argentina, with a capital letter.
    if rest and first in ARTICLES:
        return _name(rest, depth)
    return NO_ANSWER


def _twice(text: str, key: str, depth: int) -> Resolution:
    """Read a name that is written twice, or beside its code: Peru Peru, PE Peru."""
    parts, words = text.split(), key.split()
    if len(parts) < 2:
        return NO_ANSWER
    half = len(words) // 2
    if words[:half] == words[half:]:
        name = " ".join(words[:half])
        if len(name) > LONGEST_CODE:
            return _repeated(resolve_text(name, depth))
    for code, rest in ((parts[0], parts[1:]), (parts[-1], parts[:-1])):
        if match := _CAPITALS.fullmatch(code):
            one, other = resolve_text(" ".join(rest), depth), resolve_text(match[1], depth)
            if one.alpha_2 and other.alpha_2:
                return _territory(one, other, other.alpha_2) or _both_agree(one, other)
    return NO_ANSWER


def _repeated(answer: Resolution) -> Resolution:
    return _both_agree(answer, answer)


def _name(text: str, depth: int) -> Resolution:
    return NO_ANSWER if len(text) <= LONGEST_CODE else resolve_text(text, depth)


def _without_kind(_text: str, key: str, _depth: int) -> Resolution:
    """Leave out a form of government around a name: Republik X, X Cumhuriyeti."""
    words = key.split()
    if len(words) == 1:
        return _named(bare) if (bare := without_form(key)) else NO_ANSWER
    begin = 0
    while begin < len(words) and (words[begin] in KINDS or (begin and words[begin] in CONNECTORS)):
        begin += 1
    end = len(words)
    while end > begin and words[end - 1] in FORMS:
        end -= 1
    if begin == end or not GOVERNMENTS.intersection((*words[:begin], *words[end:])):
        return NO_ANSWER
    answer = _named(" ".join(words[begin:end]))
    # United Kingdom Andorra; a United Kingdom of Libya there was.
    before = {
        names().index.get(" ".join(words[:n]), NO_ANSWER).alpha_2 for n in range(2, begin + 1)
    }
    if answer.alpha_2 and before - {None, answer.alpha_2}:
        return TWO
    around = [*words[:begin], *words[end:]]
    return answer if answer.alpha_2 and allows_form(around, answer.alpha_2) else NO_ANSWER


def _named(key: str) -> Resolution:
    if len(key) <= LONGEST_CODE and key.isascii():
        return NO_ANSWER
    index = names().index
    # République d'Irak, Repubblica dell'Iraq: the apostrophe is no longer there.
    known = index.get(key) or index.get(_ELIDED.sub("", key)) or NO_ANSWER
    if known.alpha_2 is None:
        return NO_ANSWER
    return Resolution(known.alpha_2, f"without its form of government; {known.rule}")


def _island(_text: str, key: str, _depth: int) -> Resolution:
    """Read the word for island wherever it stands, or not: Isla de Norfolk."""
    if not has_island(key) or not (bare := without_island(key)):
        return NO_ANSWER
    found = names().islands.get(bare)
    return Resolution(found, "with or without the word for island") if found else NO_ANSWER


def _spelt_out(text: str, key: str, _depth: int) -> Resolution:
    """Read abbreviations with a point, and a few without: Dominican Rep., French Southern Terr."""
    dotted = {normalize(word) for word in re.findall(r"[\w'’]+(?=\.)", text)}
    words = [word for word in key.split() if word not in ("of", "and", "the")]
    short = {word for word in words if word in SHORT or word in dotted or word == "i"}
    if not short or len(words) < 2:
        return NO_ANSWER
    spelt = " ".join("island" if word == "i" else SHORT.get(word, word) for word in key.split())
    known = names().index.get(spelt) or NO_ANSWER
    alpha_2 = known.alpha_2 or names().cores.get(sort_words(spelt))
    if alpha_2 is None and not known.reason:
        alpha_2 = (_without_kind("", spelt, 0).alpha_2) or _island("", spelt, 0).alpha_2
    if alpha_2 is None:
        alpha_2 = _by_beginnings(words, short)
    return Resolution(alpha_2, "abbreviation spelt out") if alpha_2 else NO_ANSWER


def _by_beginnings(words: list[str], short: set[str]) -> str | None:
    whole = [word for word in words if word not in short and len(word) > 3]
    if not whole:
        return None
    # P. Islands and D. Republic could be several, whether or not one fits here.
    if all(word in _GENERIC for word in whole) and any(len(word) < LONGEST_CODE for word in short):
        return None
    candidates = names().by_word.get(whole[0], ())
    found = {
        alpha_2
        for name, alpha_2 in candidates
        if len(name) == len(words)
        and all(
            one == other or (one in short and _shortens(one, other))
            for one, other in zip(words, name, strict=True)
        )
    }
    return min(found) if len(found) == 1 else None


_GENERIC: Final = KINDS | ISLAND_WORDS | {"states", "territories", "new", "saint"}


def _shortens(short: str, word: str) -> bool:
    letters = iter(word)
    return short[0] == word[0] and all(letter in letters for letter in short)


def _rearranged(text: str, key: str, _depth: int) -> Resolution:
    """Read the same words in another order, or all written as one."""
    known = names()
    found = known.cores.get(sort_words(key))
    if found is None and (" " not in key or not any(map(str.isspace, text))):
        found = known.joined.get(strip_spaces(key))
    if found is None and not key.isascii():
        together = known.index.get(strip_spaces(key)) or NO_ANSWER
        found = together.alpha_2 or known.joined_foreign.get(strip_spaces(key))
    return Resolution(found, "words rearranged") if found else NO_ANSWER


_RULES: Final = (
    _split,
    _without_article,
    _twice,
    _without_kind,
    _island,
    _spelt_out,
    _rearranged,
)
