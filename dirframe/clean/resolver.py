"""One raw value to one country, with the rule that answered or the reason that none did."""

from __future__ import annotations

from typing import Final

from dirframe.clean._null_markers import NULL_MARKER, is_null_marker
from dirframe.clean._reasons import NO_CODE, UNKNOWN
from dirframe.clean.name_index import Resolution, names
from dirframe.clean.normalize import LOST, MISSING, clean_text, fold_lossy, normalize, undo_mojibake
from dirframe.clean.rules import NO_ANSWER, as_it_stands, by_rules, resolve_text

__all__ = ["resolve"]

#: More letters than any name of a country has, with entities and a bracket.
_LONGEST: Final = 250

#: Letters that must be left of a name of which others are lost.
_ENOUGH: Final = 4


def resolve(raw: object) -> Resolution:
    """Return the country that a raw value names.

    Of two readings the plainer goes first: the text as it stands, then taken apart, then
    with its encoding repaired.
    """
    if not isinstance(raw, str):
        return Resolution(None, reason="not a text")
    if len(raw) > _LONGEST:
        return Resolution(None, reason="too long for a name")
    text = clean_text(raw)
    # Namibia in wide letters, or with invisible ones, is not as an interface sends it.
    if text.strip() == "NA" != raw.strip():
        return NULL_MARKER
    if MISSING not in text and (known := as_it_stands(text)):
        return known
    return _by_rules(raw, text)


def _by_rules(raw: str, text: str) -> Resolution:
    key = normalize(text)
    if not key:
        return Resolution(None, reason="no letters")
    if is_null_marker(text):
        return NULL_MARKER
    answer = NO_ANSWER if MISSING in text else by_rules(text)
    if answer.alpha_2 is None and (LOST in text or not text.isascii()):
        answer = _repair_encoding(raw) or answer
    if answer.alpha_2 is None and not answer.reason:
        return Resolution(None, reason=_unresolved_reason(key))
    return answer


def _repair_encoding(raw: str) -> Resolution | None:
    for text in undo_mojibake(raw):
        if LOST in text:
            key = fold_lossy(clean_text(text))
            enough = sum(map(str.isalpha, key)) >= _ENOUGH
            found = names().lost.get(key) if enough else None
            answer = Resolution(found, "letters lost in decoding") if found else None
        else:
            answer = resolve_text(clean_text(text))
        if answer is not None and answer.alpha_2:
            return Resolution(answer.alpha_2, f"encoding repaired; {answer.rule}")
    return None


def _unresolved_reason(key: str) -> str:
    if key.replace(" ", "").isnumeric():
        return "a number"
    if len(key) < 4 and key.isascii() and key.isalnum():
        return NO_CODE
    return UNKNOWN
