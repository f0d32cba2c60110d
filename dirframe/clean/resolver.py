"""Resolve one raw value to a country, with the rule or the reason for no result."""

from __future__ import annotations

from typing import Final

from dirframe.clean._null_markers import NULL_MARKER, is_null_marker
from dirframe.clean._reasons import Reason
from dirframe.clean.name_index import Resolution, names
from dirframe.clean.normalize import LOST, MISSING, clean_text, fold_lossy, normalize, undo_mojibake
from dirframe.clean.rules import NO_ANSWER, as_it_stands, by_rules, resolve_text

#: Longer than any country name, with entities and a bracketed part.
_LONGEST: Final = 250

#: Minimum number of letters left in a name with lost letters.
_ENOUGH: Final = 4


def resolve(raw: object) -> Resolution:
    """Resolve a raw value to a country.

    Tried in order: exact lookup, the rules, the rules after repairing the encoding.
    """
    if not isinstance(raw, str):
        return Resolution(None, reason=Reason.NOT_TEXT)
    if len(raw) > _LONGEST:
        return Resolution(None, reason=Reason.TOO_LONG)
    text = clean_text(raw)
    # The interface sends Namibia as plain NA; NA in full-width or with invisible letters is not it.
    if text.strip() == "NA" != raw.strip():
        return NULL_MARKER
    if MISSING not in text and (answer := as_it_stands(text)):
        return answer
    return _by_rules(raw, text)


def _by_rules(raw: str, text: str) -> Resolution:
    key = normalize(text)
    if not key:
        return Resolution(None, reason=Reason.NO_LETTERS)
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
            is_long_enough = sum(map(str.isalpha, key)) >= _ENOUGH
            alpha_2 = names().lost.get(key) if is_long_enough else None
            answer = Resolution(alpha_2, "letters lost in decoding") if alpha_2 else None
        else:
            answer = resolve_text(clean_text(text))
        if answer is not None and answer.alpha_2:
            return Resolution(answer.alpha_2, f"encoding repaired; {answer.rule}")
    return None


def _unresolved_reason(key: str) -> Reason:
    if key.replace(" ", "").isnumeric():
        return Reason.NUMBER
    if len(key) < 4 and key.isascii() and key.isalnum():
        return Reason.NO_CODE
    return Reason.UNKNOWN
