"""Rules that resolve names which are not in the tables as written.

Each rule only rearranges, expands or drops words that name no country, and looks up the
result. No rule matches names by similarity or searches for a name inside a text.
"""

from __future__ import annotations

import re
from typing import Final

from dirframe.clean._null_markers import NULL_MARKER, is_null_marker
from dirframe.clean._reasons import Reason
from dirframe.clean._vocabulary.government_forms import allows_form, without_form
from dirframe.clean._vocabulary.territories import ADJECTIVES, STATES_OF
from dirframe.clean._vocabulary.words import (
    ARTICLES,
    CONNECTORS,
    ENDINGS,
    FORMS,
    GOVERNMENTS,
    ISLAND_WORDS,
    KINDS,
    SHORT,
)
from dirframe.clean.name_index import LONGEST_CODE, Resolution, has_island, names, without_island
from dirframe.clean.normalize import (
    MISSING,
    SMALL_WORDS,
    casefold_exact,
    normalize,
    sort_words,
    strip_spaces,
)

NO_ANSWER: Final = Resolution(None)

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

#: Codes that are also words in lower case: el is El Salvador cut short.
CAPITALS_ONLY: Final = frozenset(("el",))
DOMAIN: Final = Resolution(None, reason=Reason.DOMAIN)
NOT_SPACED: Final = Resolution(None, reason=Reason.ABBREVIATION)

#: Maximum recursion depth.
_DEEPEST: Final = 3
TWO: Final = Resolution(None, reason=Reason.TWO_COUNTRIES)


def as_it_stands(text: str) -> Resolution | None:
    """Resolve a text by exact lookup, without applying rules."""
    if len(text) <= _LONGEST_CODE_TEXT and (answer := _code(text)):
        return answer
    known, key = names(), normalize(text)
    return known.index.get(key) or known.exact.get(casefold_exact(text)) or known.current.get(key)


def _code(text: str) -> Resolution | None:
    """Resolve a text as a code or an abbreviation."""
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
    """Resolve a text by exact lookup, then by rules."""
    if MISSING in text:
        return NO_ANSWER
    return as_it_stands(text) or by_rules(text, depth)


def by_rules(text: str, depth: int = 0) -> Resolution:
    """Resolve a text by the first rule that gives an answer or a reason."""
    key = normalize(text)
    if depth > _DEEPEST or not key or key.isdigit() or (len(key) < LONGEST_CODE and key.isascii()):
        return NO_ANSWER
    bare = _FOOTNOTE.sub("", text) if "]" in text else text
    stripped = bare.strip(" .,;:-–—_*'\"«»“”")
    if bare is not text and (answer_without_footnote := as_it_stands(stripped)):
        return answer_without_footnote
    for rule in _RULES:
        answer = rule(stripped, key, depth + 1)
        if answer.alpha_2 or answer.reason:
            return answer
    return NO_ANSWER


def _split(text: str, _key: str, depth: int) -> Resolution:
    """Resolve two parts that agree, or of which one only qualifies the other."""
    if match := _WRAPPED.match(text):
        return resolve_text(match["inner"], depth)
    for pattern in (_BRACKETS, _COMMA):
        if match := pattern.match(text):
            return _with_qualifier(match["first"], match["second"], depth)
    for pattern in (_SLASH, _JOINT):
        if match := pattern.match(text):
            return _require_agreement(
                resolve_text(match["first"], depth), resolve_text(match["second"], depth)
            )
    return NO_ANSWER


def _require_agreement(first: Resolution, second: Resolution) -> Resolution:
    """Resolve two names side by side: Myanmar/Burma."""
    if first.alpha_2 is None or second.alpha_2 is None:
        return TWO if TWO in (first, second) else NO_ANSWER
    if first.alpha_2 != second.alpha_2:
        return TWO
    return Resolution(first.alpha_2, f"named twice; {first.rule}")


def _with_qualifier(first: str, second: str, depth: int) -> Resolution:
    """Resolve a name with a qualifier in brackets or after a comma."""
    second = _FORMER.sub("", second)
    key = normalize(second)
    # Lebanon, LA is a town in Louisiana, and Iraq, AL is not Al Iraq.
    if not (len(second) == 2 and second.isalpha() and second.isupper()):
        if key in ARTICLES:
            return resolve_text(first, depth)
        reordered = normalize(f"{second} {first}")
        match = names().index.get(reordered) or _expand_abbreviations("", reordered, depth)
        if match.alpha_2:
            return Resolution(match.alpha_2, f"turned round; {match.rule}")
    name = resolve_text(first, depth)
    if name.alpha_2 is None:
        return name
    qualifier = resolve_text(second, depth)
    if qualifier.alpha_2 is None and _is_kind(key, name.alpha_2):
        return Resolution(name.alpha_2, f"with its form of government; {name.rule}")
    return _territory(
        name, qualifier, qualifier.alpha_2 or ADJECTIVES.get(key)
    ) or _require_agreement(name, qualifier)


def _territory(first: Resolution, second: Resolution, state: str | None) -> Resolution | None:
    """Return the territory from a pair of a territory and its state."""
    if state and STATES_OF.get(first.alpha_2 or "") == state:
        return Resolution(first.alpha_2, f"territory with its state; {first.rule}")
    if second.alpha_2 and STATES_OF.get(second.alpha_2) == first.alpha_2:
        return Resolution(second.alpha_2, f"territory with its state; {second.rule}")
    return None


def _is_kind(key: str, alpha_2: str) -> bool:
    words = [SHORT.get(word, word) for word in key.split()]
    return (
        allows_form(words, alpha_2)
        and all(word in KINDS or word in CONNECTORS for word in words)
        and any(word in KINDS for word in words)
    )


def _without_article(text: str, _key: str, depth: int) -> Resolution:
    """Drop a leading article: la Roumanie, l'Autriche."""
    rest = _OPEN_ARTICLE.sub("", text)
    if rest != text:
        return _name(rest, depth)
    first, _, rest = text.partition(" ")
    # Towns are called La Argentina, with a capital letter.
    if rest and first in ARTICLES:
        return _name(rest, depth)
    return NO_ANSWER


def _repeated_name(text: str, key: str, depth: int) -> Resolution:
    """Resolve a name that is repeated, or accompanied by its code: Peru Peru, PE Peru."""
    parts, words = text.split(), key.split()
    if len(parts) < 2:
        return NO_ANSWER
    half = len(words) // 2
    if words[:half] == words[half:]:
        name = " ".join(words[:half])
        if len(name) > LONGEST_CODE:
            answer = resolve_text(name, depth)
            return _require_agreement(answer, answer)
    for code, rest in ((parts[0], parts[1:]), (parts[-1], parts[:-1])):
        if match := _CAPITALS.fullmatch(code):
            name_answer = resolve_text(" ".join(rest), depth)
            state = resolve_text(match[1], depth)
            if name_answer.alpha_2 and state.alpha_2:
                return _territory(name_answer, state, state.alpha_2) or _require_agreement(
                    name_answer, state
                )
    return NO_ANSWER


def _name(text: str, depth: int) -> Resolution:
    return NO_ANSWER if len(text) <= LONGEST_CODE else resolve_text(text, depth)


def _without_kind(_text: str, key: str, _depth: int) -> Resolution:
    """Drop the form of government around a name: Republik X, X Cumhuriyeti."""
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
    bare = " ".join(words[begin:end])
    answer = _named(bare)
    if answer.alpha_2 is None and (ending := ENDINGS.get(words[-1])) and bare.endswith(ending):
        answer = _named(bare.removesuffix(ending))
    # United Kingdom Andorra is two countries; a United Kingdom of Libya existed.
    prefix_codes = {
        names().index.get(" ".join(words[:n]), NO_ANSWER).alpha_2 for n in range(2, begin + 1)
    }
    if answer.alpha_2 and prefix_codes - {None, answer.alpha_2}:
        return TWO
    around = [*words[:begin], *words[end:]]
    return answer if answer.alpha_2 and allows_form(around, answer.alpha_2) else NO_ANSWER


def _named(key: str) -> Resolution:
    if len(key) <= LONGEST_CODE and key.isascii():
        return NO_ANSWER
    index = names().index
    # République d'Irak, Repubblica dell'Iraq: normalization has removed the apostrophe.
    match = index.get(key) or index.get(_ELIDED.sub("", key)) or NO_ANSWER
    if match.alpha_2 is None:
        return NO_ANSWER
    return Resolution(match.alpha_2, f"without its form of government; {match.rule}")


def _island(_text: str, key: str, _depth: int) -> Resolution:
    """Resolve a name with the word for island in any position: Isla de Norfolk."""
    if not has_island(key) or not (bare := without_island(key)):
        return NO_ANSWER
    alpha_2 = names().islands.get(bare)
    return Resolution(alpha_2, "with or without the word for island") if alpha_2 else NO_ANSWER


def _expand_abbreviations(text: str, key: str, _depth: int) -> Resolution:
    """Expand abbreviations with a point, and a few without: Dominican Rep., French Southern Terr."""
    dotted = {normalize(word) for word in re.findall(r"[\w'’]+(?=\.)", text)}
    words = [word for word in key.split() if word not in SMALL_WORDS]
    short = {word for word in words if word in SHORT or word in dotted or word == "i"}
    if not short or len(words) < 2:
        return NO_ANSWER
    expanded = " ".join("island" if word == "i" else SHORT.get(word, word) for word in key.split())
    match = names().index.get(expanded) or NO_ANSWER
    alpha_2 = match.alpha_2 or names().cores.get(sort_words(expanded))
    if alpha_2 is None and not match.reason:
        alpha_2 = (_without_kind("", expanded, 0).alpha_2) or _island("", expanded, 0).alpha_2
    if alpha_2 is None:
        alpha_2 = _match_abbreviated_words(words, short)
    return Resolution(alpha_2, "abbreviation spelt out") if alpha_2 else NO_ANSWER


def _match_abbreviated_words(words: list[str], short: set[str]) -> str | None:
    full_words = [word for word in words if word not in short and len(word) > 3]
    if not full_words:
        return None
    # P. Islands and D. Republic are ambiguous, even if only one candidate matches.
    if all(word in _GENERIC for word in full_words) and any(
        len(word) < LONGEST_CODE for word in short
    ):
        return None
    candidates = names().by_word.get(full_words[0], ())
    codes = {
        alpha_2
        for name, alpha_2 in candidates
        if len(name) == len(words)
        and all(
            word_given == word_known
            or (word_given in short and _is_abbreviation(word_given, word_known))
            for word_given, word_known in zip(words, name, strict=True)
        )
    }
    return min(codes) if len(codes) == 1 else None


_GENERIC: Final = KINDS | ISLAND_WORDS | {"states", "territories", "new", "saint"}


def _is_abbreviation(short: str, word: str) -> bool:
    letters = iter(word)
    return short[0] == word[0] and all(letter in letters for letter in short)


def _reordered(text: str, key: str, _depth: int) -> Resolution:
    """Resolve the same words in another order, or joined into one word."""
    index = names()
    alpha_2 = index.cores.get(sort_words(key))
    if alpha_2 is None and (" " not in key or not any(map(str.isspace, text))):
        alpha_2 = index.joined.get(strip_spaces(key))
    if alpha_2 is None and not key.isascii():
        joined = index.index.get(strip_spaces(key)) or NO_ANSWER
        alpha_2 = joined.alpha_2 or index.joined_foreign.get(strip_spaces(key))
    return Resolution(alpha_2, "words rearranged") if alpha_2 else NO_ANSWER


_RULES: Final = (
    _split,
    _without_article,
    _repeated_name,
    _without_kind,
    _island,
    _expand_abbreviations,
    _reordered,
)
