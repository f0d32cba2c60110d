"""Resolve one raw value to a country: exact lookup, then rules, then repair of the encoding.

Each rule only rearranges, expands or drops words that name no country, and looks up the
result. No rule matches names by similarity or searches for a name inside a text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from functools import reduce
from itertools import groupby
from typing import Final

from dirframe.clean.names import (
    CONNECTORS,
    ENDINGS,
    GOVERNMENTS,
    ISLAND_WORDS,
    KINDS,
    LONGEST_CODE,
    VOCABULARY,
    Resolution,
    has_island,
    names,
    without_island,
    word_list,
)
from dirframe.clean.text import (
    LOST,
    MISSING,
    SMALL_WORDS,
    casefold_exact,
    clean_text,
    fold_lossy,
    normalize,
    sort_words,
    undo_mojibake,
)


class Reason(StrEnum):
    """Why a value has no country; own.tsv has the reasons for values that it lists."""

    UNKNOWN = "names no country that is known"
    NO_CODE = "no code of ISO 3166-1"
    NOT_TEXT = "not a text"
    TOO_LONG = "too long for a name"
    NO_LETTERS = "no letters"
    NUMBER = "a number"
    NULL_MARKER = "stands for an unknown value"
    DOMAIN = "the ending of a domain"
    ABBREVIATION = "an abbreviation of several meanings"
    WORD = "in lower case an everyday word of another language"
    TWO_COUNTRIES = "names two countries"
    PART_WITH_CODE = "a part of a state beside a code: more likely a town elsewhere"
    OVERRIDE = "an override says: no country"


_NO_ANSWER: Final = Resolution(None)
_NULL_MARKER: Final = Resolution(None, reason=Reason.NULL_MARKER)
_TWO: Final = Resolution(None, reason=Reason.TWO_COUNTRIES)
_PART_WITH_CODE: Final = Resolution(None, reason=Reason.PART_WITH_CODE)

_LONGEST: Final = 250  # letters of a text; names with entities and brackets have fewer
_LONGEST_CODE_TEXT: Final = 16  # letters of a code with spaces and points around and within
_LONGEST_MARKER: Final = 60  # letters of a marker of missing values
_DEEPEST: Final = 3  # rules applied to the result of another
_ENOUGH: Final = 4  # letters of a name of which others are lost
_ENOUGH_IDEOGRAMS: Final = 2  # of a name in East Asia

# Markers of missing values.
_WORD: Final = re.compile(r"[^\W\d_]+")
_MARKERS: Final = word_list("null_markers")
_MARKER_PARTS: Final = _MARKERS | word_list("null_words")

# A code surrounded by spaces and punctuation. A leading point makes it a domain ending (.com is
# not the Comoros), a leading number sign a spreadsheet error (#IND).
_CODE: Final = re.compile(r"(?:[^\w?#@.]|_)*([A-Za-z]{2,3})(?:[^\w?]|_)*")
_DOMAIN: Final = re.compile(r"\W*(?:\w+\.)*\.[A-Za-z]{2,3}\W*")
_SPACED: Final = re.compile(
    r"[^\w?#@.]*((?:[A-Za-z]\s?\.\s?){1,4}[A-Za-z]|[A-Z](?:\s[A-Z]){2,4})[^\w?]*"
)
#: Codes accepted with a point after every letter, in addition to our own abbreviations. Most
#: others mean something else (e.g., i.e., C.O.D.).
_SPACED_CODES: Final = frozenset(("us", "usa", "uk", "gb", "nz", "hk", "fsm", "png"))
#: Names that may follow an article although they are as short as a code.
_SHORT_NAMES: Final = _SPACED_CODES | {"uae", "prc", "drc", "car", "ksa", "rsa", "rok"}
#: Codes that are also words in lower case: el is El Salvador cut short.
_CAPITALS_ONLY: Final = frozenset(("el",))
_EVERYDAY_WORDS: Final = word_list("everyday_words")

_FOOTNOTE: Final = re.compile(r"\s*\[(?:\d{1,3}|[a-z]|note \d{1,3})\]\s*$")
_FORMER: Final = re.compile(r"^(?:former(?:ly)?|ex|previously)\b[\s:.–-]*", re.IGNORECASE)
_CAPITALS: Final = re.compile(r"[(\[]?([A-Z]{2,3})[)\]]?")
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
_ARTICLES: Final = word_list("articles")
_SHORT: Final[dict[str, str]] = VOCABULARY["short"]

#: Words of `KINDS` that may also follow the name.
_FORMS: Final = word_list("forms") | frozenset(ENDINGS)
#: The state of each territory that has a code of its own.
_STATES_OF: Final = {
    territory: state
    for state, codes in VOCABULARY["territories"].items()
    for territory in codes.split()
}
#: The only state whose parts, which have no code of their own, have its code as the answer.
_STATE_OF_PARTS: Final = "GB"
#: Words that mean a part of a state, and the countries that they may go with. For others a state is
#: a member of a federation: the state of Georgia, Estado de México.
_PARTS: Final = (
    (word_list("state_words"), word_list("states")),
    (word_list("department_words"), word_list("departments")),
    (word_list("territory_words"), frozenset(_STATES_OF) | {"PS", "EH", "AQ"}),
)
_REPUBLIC_WORDS: Final = word_list("republic_words")
_ADJECTIVES: Final[dict[str, str]] = VOCABULARY["adjectives"]
_GENERIC: Final = KINDS | ISLAND_WORDS | {"states", "territories", "new", "saint"}

# Chinese, Japanese and Korean append the form of government to the name.
_TAIL: Final = re.compile(
    "(?:民主|人民|社会主义|社會主義|社会主義|社主義|联邦|聯邦|連邦|伊斯兰|伊斯蘭|イスラム|アラブ|合作|協同|独立|獨立|联合|聯合|連合"
    "|多民族|玻利瓦尔|ボリバル|東方|哈希姆|ハシミテ|이슬람|민주|인민|사회주의|연방|협동|연합|독립)*"
    "(?:共和国|共和國|大公国|大公國|公国|公國|酋长国|酋長國|首長国|苏丹国|蘇丹國|王国|王國|联邦|聯邦|連邦|联盟|聯盟|連合"
    "|国|國|연방|공화국|왕국|공국|대공국|연합|술탄국|독립국|다민족국|국)$"
)
_HEAD: Final = re.compile("^阿拉伯(?=.{2})")


def resolve(raw: object) -> Resolution:
    """Resolve a raw value to a country."""
    if not isinstance(raw, str):
        return Resolution(None, reason=Reason.NOT_TEXT)
    if len(raw) > _LONGEST:
        return Resolution(None, reason=Reason.TOO_LONG)
    text = clean_text(raw)
    if MISSING not in text and (answer := _as_it_stands(text, raw)):
        return answer
    if not (key := normalize(text)):
        return Resolution(None, reason=Reason.NO_LETTERS)
    if _is_null_marker(text):
        return _NULL_MARKER
    answer = _NO_ANSWER if MISSING in text else _by_rules(text)
    if answer.alpha_2 is None and (LOST in text or not text.isascii()):
        answer = _repair_encoding(raw) or answer
    if answer.alpha_2 is None and not answer.reason:
        answer = Resolution(None, reason=_unresolved_reason(key))
    return answer


def _unresolved_reason(key: str) -> Reason:
    if key.replace(" ", "").isnumeric():
        return Reason.NUMBER
    is_short = len(key) <= LONGEST_CODE and key.isascii() and key.isalnum()
    return Reason.NO_CODE if is_short else Reason.UNKNOWN


def _repair_encoding(raw: str) -> Resolution | None:
    for text in undo_mojibake(raw):
        if LOST in text:
            key = fold_lossy(clean_text(text))
            alpha_2 = names().lost.get(key) if sum(map(str.isalpha, key)) >= _ENOUGH else None
            answer = Resolution(alpha_2, "letters lost in decoding")
        else:
            answer = _resolve_text(clean_text(text))
        if answer.alpha_2:
            return Resolution(answer.alpha_2, f"encoding repaired; {answer.rule}")
    return None


def _is_null_marker(text: str) -> bool:
    """Return whether a text consists only of markers of a missing value: "unknown", "n/a"."""
    lower = text.casefold()
    first = _WORD.search(lower)
    if len(text) > _LONGEST_MARKER or first is None or first[0] not in _MARKER_PARTS:
        return False
    tokens = set(_WORD.findall(lower))
    return tokens <= _MARKERS or (len(tokens) > 1 and tokens <= _MARKER_PARTS)


def _as_it_stands(text: str, raw: str | None = None) -> Resolution | None:
    """Resolve a text by exact lookup; `raw` is the text before it was cleaned."""
    if len(text) <= _LONGEST_CODE_TEXT and (answer := _code(text, text if raw is None else raw)):
        return answer
    known, key = names(), normalize(text)
    # In lower case, and without an accent.
    if key in _EVERYDAY_WORDS and "".join(filter(str.isalpha, text)) == key:
        return Resolution(None, reason=Reason.WORD)
    return known.index.get(key) or known.exact.get(casefold_exact(text)) or known.current.get(key)


def _code(text: str, raw: str) -> Resolution | None:
    """Resolve a text as a code or an abbreviation."""
    codes = names().codes
    if match := _CODE.fullmatch(text):
        code = match[1].lower()
        # The interface sends Namibia as plain NA; na, (NA) or full-width NA is a missing value.
        if code == "na" and raw.strip() != "NA":
            return _NULL_MARKER
        return None if code in _CAPITALS_ONLY and not match[1].isupper() else codes.get(code)
    if match := _SPACED.fullmatch(text):
        code = "".join(filter(str.isalpha, match[1])).lower()
        if code in _SPACED_CODES or code in names().abbreviations:
            return codes.get(code)
        return Resolution(None, reason=Reason.ABBREVIATION) if len(code) <= LONGEST_CODE else None
    if text[:4].lower() == "the " and (code := normalize(text)) in _SHORT_NAMES:
        return codes.get(code)
    is_domain = "." in text and _DOMAIN.fullmatch(text)
    return Resolution(None, reason=Reason.DOMAIN) if is_domain else None


def _resolve_text(text: str, depth: int = 0) -> Resolution:
    """Resolve a text by exact lookup, then by rules."""
    if MISSING in text:
        return _NO_ANSWER
    return _as_it_stands(text) or _by_rules(text, depth)


def _by_rules(text: str, depth: int = 0) -> Resolution:
    """Resolve a text by the first rule that gives an answer or a reason."""
    key = normalize(text)
    if depth > _DEEPEST or not key or key.isdigit() or (len(key) < LONGEST_CODE and key.isascii()):
        return _NO_ANSWER
    bare = _FOOTNOTE.sub("", text) if "]" in text else text
    stripped = bare.strip(" .,;:-–—_*'\"«»“”")
    if bare is not text and (answer_without_footnote := _as_it_stands(stripped)):
        return answer_without_footnote
    for rule in _RULES:
        answer = rule(stripped, key, depth + 1)
        if answer.alpha_2 or answer.reason:
            return answer
    return _NO_ANSWER


def _split(text: str, _key: str, depth: int) -> Resolution:
    """Resolve two parts that agree, or of which one only qualifies the other."""
    if match := _WRAPPED.match(text):
        return _resolve_text(match["inner"], depth)
    for pattern in (_BRACKETS, _COMMA):
        if match := pattern.match(text):
            return _with_qualifier(match["first"], match["second"], depth)
    for pattern in (_SLASH, _JOINT):
        if match := pattern.match(text):
            return _require_agreement(
                _resolve_text(match["first"], depth), _resolve_text(match["second"], depth)
            )
    return _NO_ANSWER


def _several_scripts(text: str, _key: str, depth: int) -> Resolution:
    """Resolve a name that is written in several scripts, as on maps: Tunisie تونس."""
    if text.isascii():
        return _NO_ANSWER
    parts = [" ".join(words) for _, words in groupby(text.split(), key=_script)]
    if len(parts) < 2:
        return _NO_ANSWER
    return reduce(_require_agreement, [_resolve_text(part, depth) for part in parts])


def _script(word: str) -> str:
    """Return the script of the first letter of a word; those of Chinese and Japanese are one."""
    letter = next(filter(str.isalpha, word), "")
    script = unicodedata.name(letter, "").partition(" ")[0] if letter else ""
    return "CJK" if script in {"HIRAGANA", "KATAKANA"} else script


def _require_agreement(first: Resolution, second: Resolution) -> Resolution:
    """Resolve two names side by side: Myanmar/Burma."""
    if first.alpha_2 is None or second.alpha_2 is None:
        return _TWO if _TWO in (first, second) else _NO_ANSWER
    if first.alpha_2 != second.alpha_2:
        return _TWO
    return Resolution(first.alpha_2, f"named twice; {first.rule}")


def _with_qualifier(first: str, second: str, depth: int) -> Resolution:
    """Resolve a name with a qualifier in brackets or after a comma."""
    second = _FORMER.sub("", second)
    key = normalize(second)
    # Lebanon, LA is a town in Louisiana, and Iraq, AL is not Al Iraq.
    if not (len(second) == 2 and second.isalpha() and second.isupper()):
        if key in _ARTICLES:
            return _resolve_text(first, depth)
        reordered = normalize(f"{second} {first}")
        match = names().index.get(reordered) or _expand_abbreviations("", reordered, depth)
        if match.alpha_2:
            return Resolution(match.alpha_2, f"turned round; {match.rule}")
    name = _resolve_text(first, depth)
    if name.alpha_2 is None:
        return name
    qualifier = _resolve_text(second, depth)
    if qualifier.alpha_2 is None and _is_kind(key, name.alpha_2):
        return Resolution(name.alpha_2, f"with its form of government; {name.rule}")
    if qualifier.alpha_2 is None:
        state = _ADJECTIVES.get(key)
        if state and _STATES_OF.get(name.alpha_2) == state:
            return _with_its_state(name)
    return _territory(first, name, second, qualifier) or _require_agreement(name, qualifier)


def _territory(
    first_text: str, first: Resolution, second_text: str, second: Resolution
) -> Resolution | None:
    """Return the territory from a pair of a territory and its state; None if it is no such pair."""
    if first.alpha_2 is None or second.alpha_2 is None:
        return None
    if _STATES_OF.get(first.alpha_2) == second.alpha_2:
        territory, territory_text, state_text = first, first_text, second_text
    elif _STATES_OF.get(second.alpha_2) == first.alpha_2:
        territory, territory_text, state_text = second, second_text, first_text
    else:
        return None
    # Wales, KY is in Kentucky, and Scotland, MS in Mississippi.
    has_parts = _STATES_OF.get(territory.alpha_2 or "") == _STATE_OF_PARTS
    is_code = normalize(territory_text) not in names().index
    if has_parts and is_code and not _is_whole_state(state_text):
        return _PART_WITH_CODE
    return _with_its_state(territory)


def _with_its_state(territory: Resolution) -> Resolution:
    return Resolution(territory.alpha_2, f"territory with its state; {territory.rule}")


def _is_whole_state(text: str) -> bool:
    """Return whether a text is as short as a code, or a name of ISO 3166-1: no name of a part."""
    key = normalize(text)
    return len(key) <= LONGEST_CODE or key in names().current


def _is_kind(key: str, alpha_2: str) -> bool:
    words = {_SHORT.get(word, word) for word in key.split()}
    return bool(words & KINDS) and words <= KINDS | CONNECTORS and _allows_form(words, alpha_2)


def _without_article(text: str, _key: str, depth: int) -> Resolution:
    """Drop a leading article: la Roumanie, l'Autriche."""
    rest = _OPEN_ARTICLE.sub("", text)
    if rest == text:
        # Towns are called La Argentina, with a capital letter.
        first, _, rest = text.partition(" ")
        rest = rest if first in _ARTICLES else ""
    return _resolve_text(rest, depth) if len(rest) > LONGEST_CODE else _NO_ANSWER


def _repeated_name(text: str, key: str, depth: int) -> Resolution:
    """Resolve a name that is repeated, or accompanied by its code: Peru Peru, PE Peru."""
    parts, words = text.split(), key.split()
    if len(parts) < 2:
        return _NO_ANSWER
    half = len(words) // 2
    if words[:half] == words[half:]:
        name = " ".join(words[:half])
        name = parts[0] if name in _EVERYDAY_WORDS else name
        if len(name) > LONGEST_CODE:
            answer = _resolve_text(name, depth)
            return _require_agreement(answer, answer)
    for code, rest in ((parts[0], parts[1:]), (parts[-1], parts[:-1])):
        if match := _CAPITALS.fullmatch(code):
            name_answer = _resolve_text(" ".join(rest), depth)
            state = _resolve_text(match[1], depth)
            if name_answer.alpha_2 and state.alpha_2:
                territory = _territory(" ".join(rest), name_answer, match[1], state)
                return territory or _require_agreement(name_answer, state)
    return _NO_ANSWER


def _without_kind(_text: str, key: str, _depth: int) -> Resolution:
    """Drop the form of government around a name: Republik X, X Cumhuriyeti."""
    words = key.split()
    if len(words) == 1:
        bare = _TAIL.sub("", key)
        has_form = bare != key and len(bare) >= _ENOUGH_IDEOGRAMS
        answer = _named(_HEAD.sub("", bare)) if has_form else _NO_ANSWER
        is_dominican = answer.alpha_2 == "DM" and key.endswith(tuple(_REPUBLIC_WORDS))
        return _NO_ANSWER if is_dominican else answer
    begin = 0
    while begin < len(words) and (words[begin] in KINDS or (begin and words[begin] in CONNECTORS)):
        begin += 1
    end = len(words)
    while end > begin and words[end - 1] in _FORMS:
        end -= 1
    if begin == end or not GOVERNMENTS.intersection((*words[:begin], *words[end:])):
        return _NO_ANSWER
    bare = " ".join(words[begin:end])
    answer = _named(bare)
    if answer.alpha_2 is None and (ending := ENDINGS.get(words[-1])) and bare.endswith(ending):
        answer = _named(bare.removesuffix(ending))
    # United Kingdom Andorra is two countries; a United Kingdom of Libya existed.
    prefix_codes = {
        names().index.get(" ".join(words[:n]), _NO_ANSWER).alpha_2 for n in range(2, begin + 1)
    }
    if answer.alpha_2 and prefix_codes - {None, answer.alpha_2}:
        return _TWO
    around = [*words[:begin], *words[end:]]
    return answer if answer.alpha_2 and _allows_form(around, answer.alpha_2) else _NO_ANSWER


def _named(key: str) -> Resolution:
    if len(key) <= LONGEST_CODE and key.isascii():
        return _NO_ANSWER
    index = names().index
    # République d'Irak, Repubblica dell'Iraq: normalization has removed the apostrophe.
    match = index.get(key) or index.get(_ELIDED.sub("", key)) or _NO_ANSWER
    if match.alpha_2 is None:
        return _NO_ANSWER
    return Resolution(match.alpha_2, f"without its form of government; {match.rule}")


def _allows_form(around: Iterable[str], alpha_2: str) -> bool:
    """Return whether these words around a name can mean the country as a whole."""
    present = set(around)
    for part_words, owners in _PARTS:
        if present & part_words:
            return alpha_2 in owners
    # The republic is the Dominican Republic, cut short, as often as Dominica.
    if alpha_2 == "DM" and present & _REPUBLIC_WORDS:
        return False
    # Republic China: the Republic of China is Taiwan, the People's Republic is not.
    return alpha_2 != "CN" or len(present) > 1


def _island(_text: str, key: str, _depth: int) -> Resolution:
    """Resolve a name with the word for island in any position: Isla de Norfolk."""
    if not has_island(key) or not (bare := without_island(key)):
        return _NO_ANSWER
    alpha_2 = names().islands.get(bare)
    return Resolution(alpha_2, "with or without the word for island") if alpha_2 else _NO_ANSWER


def _expand_abbreviations(text: str, key: str, _depth: int) -> Resolution:
    """Expand abbreviations with a point, and a few without: Dominican Rep., French Southern Terr."""
    dotted = {normalize(word) for word in re.findall(r"[\w'’]+(?=\.)", text)}
    words = [word for word in key.split() if word not in SMALL_WORDS]
    short = {word for word in words if word in _SHORT or word in dotted or word == "i"}
    if not short or len(words) < 2:
        return _NO_ANSWER
    expanded = " ".join("island" if word == "i" else _SHORT.get(word, word) for word in key.split())
    match = names().index.get(expanded) or _NO_ANSWER
    alpha_2 = match.alpha_2 or names().cores.get(sort_words(expanded))
    if alpha_2 is None and not match.reason:
        alpha_2 = _without_kind("", expanded, 0).alpha_2 or _island("", expanded, 0).alpha_2
    if alpha_2 is None:
        alpha_2 = _match_abbreviated_words(words, short)
    return Resolution(alpha_2, "abbreviation spelt out") if alpha_2 else _NO_ANSWER


def _match_abbreviated_words(words: list[str], short: set[str]) -> str | None:
    full_words = [word for word in words if word not in short and len(word) > LONGEST_CODE]
    # P. Islands and D. Republic are ambiguous, even if only one candidate matches.
    is_vague = _GENERIC.issuperset(full_words) and min(map(len, short)) < LONGEST_CODE
    if not full_words or is_vague:
        return None
    codes = {
        alpha_2
        for name, alpha_2 in names().by_word.get(full_words[0], ())
        if len(name) == len(words)
        and all(
            given == known or (given in short and re.match(".*".join(given), known))
            for given, known in zip(words, name, strict=True)
        )
    }
    return min(codes) if len(codes) == 1 else None


def _reordered(text: str, key: str, _depth: int) -> Resolution:
    """Resolve the same words in another order, or joined into one word."""
    index = names()
    alpha_2 = index.cores.get(sort_words(key))
    if alpha_2 is None and (" " not in key or not any(map(str.isspace, text))):
        alpha_2 = index.joined.get(key.replace(" ", ""))
    if alpha_2 is None and not key.isascii():
        joined = index.index.get(key.replace(" ", "")) or _NO_ANSWER
        alpha_2 = joined.alpha_2 or index.joined_foreign.get(key.replace(" ", ""))
    return Resolution(alpha_2, "words rearranged") if alpha_2 else _NO_ANSWER


_RULES: Final = (
    _split, _several_scripts, _without_article, _repeated_name, _without_kind, _island,
    _expand_abbreviations, _reordered,
)  # fmt: skip
