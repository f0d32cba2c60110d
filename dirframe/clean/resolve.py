"""One raw value to one country, with the rule that answered or the reason that none did.

What stays out: frames (`countries`, `audit`); suggestions (`suggest`).
"""

from __future__ import annotations

from typing import Final

from dirframe.clean._null_markers import NULL_MARKER, is_null_marker
from dirframe.clean._reasons import NO_CODE, UNKNOWN
from dirframe.clean.names import Answer, names
from dirframe.clean.rules import NO_ANSWER, as_it_stands, by_rules, look_up
from dirframe.clean.text import LOST, MISSING, fold, fold_lossy, readable, repaired

__all__ = ["resolve"]

#: More letters than any name of a country has, with entities and a bracket.
_LONGEST: Final = 250

#: Letters that must be left of a name of which others are lost.
_ENOUGH: Final = 4


def resolve(raw: object) -> Answer:
    """Return the country that a raw value names.

    Of two readings the plainer goes first: the text as it stands, then taken apart, then
    with its encoding repaired.
    """
    if not isinstance(raw, str):
        return Answer(None, reason="not a text")
    if len(raw) > _LONGEST:
        return Answer(None, reason="too long for a name")
    text = readable(raw)
    # Namibia in wide letters, or with invisible ones, is not as an interface sends it.
    if text.strip() == "NA" != raw.strip():
        return NULL_MARKER
    if MISSING not in text and (known := as_it_stands(text)):
        return known
    return _by_rules(raw, text)


def _by_rules(raw: str, text: str) -> Answer:
    key = fold(text)
    if not key:
        return Answer(None, reason="no letters")
    if is_null_marker(text):
        return NULL_MARKER
    answer = NO_ANSWER if MISSING in text else by_rules(text)
    if answer.alpha_2 is None and (LOST in text or not text.isascii()):
        answer = _mended(raw) or answer
    if answer.alpha_2 is None and not answer.reason:
        return Answer(None, reason=_why_not(key))
    return answer


def _mended(raw: str) -> Answer | None:
    for text in repaired(raw):
        if LOST in text:
            key = fold_lossy(readable(text))
            enough = sum(map(str.isalpha, key)) >= _ENOUGH
            found = names().lost.get(key) if enough else None
            answer = Answer(found, "letters lost in decoding") if found else None
        else:
            answer = look_up(readable(text))
        if answer is not None and answer.alpha_2:
            return Answer(answer.alpha_2, f"encoding repaired; {answer.rule}")
    return None


def _why_not(key: str) -> str:
    if key.replace(" ", "").isnumeric():
        return "a number"
    if len(key) < 4 and key.isascii() and key.isalnum():
        return NO_CODE
    return UNKNOWN
