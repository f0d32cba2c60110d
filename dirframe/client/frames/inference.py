"""Infer the kind of an undocumented column from its values."""

# A column becomes numbers or timestamps only if the conversion of each of its texts is lossless;
# otherwise it stays text. The result depends only on the texts, never on their order.

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from dirframe.client.frames.dtypes import convert_column
from dirframe.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Collection


#: Last words of column names whose values are always text.
_TEXTS = frozenset(
    {"id", "key", "login", "md5", "name", "sha1", "title", "type", "url", "version"}
    | {"description", "about", "code_name", "message", "phone", "zip"}
)

_INTEGER = re.compile(r"0|-?[1-9]\d{0,18}")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d*)(?:\.(\d+))?(?:[eE][+-]?\d{1,3})?")
_MOMENT = re.compile(r"\d{4}-\d\d(?:-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?)?)?")


def inferred_kind(name: str, texts: Collection[str]) -> Kind:
    """Infer the kind of a column from its name and its distinct values.

    Identifiers, names and addresses stay text by their names (``id``, ``…_id``, ``…_name``,
    ``…_url``, ``version`` and the like), so that the dtype does not depend on the data of one
    directory. Whole numbers that fit 64 bits are integers, and other numbers are floats if each can
    be written again with its own digits. ISO 8601 times, days and months are timestamps. Leading
    zeros, thousands separators, percent signs and numbers with more digits than a type holds make
    the column text.

    Parameters
    ----------
    name
        The name of the column.
    texts
        Its distinct texts, stripped and not empty.

    Returns
    -------
    Kind
        ``INTEGER``, ``NUMBER``, ``TIMESTAMP`` or ``TEXT``.

    Examples
    --------
    >>> inferred_kind("commits", ["7", "12"]), inferred_kind("commits", ["007", "12"])
    (<Kind.INTEGER: 'integer'>, <Kind.TEXT: 'text'>)
    """
    if not texts or any(name == word or name.endswith(f"_{word}") for word in _TEXTS):
        return Kind.TEXT
    if all(_INTEGER.fullmatch(text) for text in texts):
        return _if_readable(Kind.INTEGER, texts)
    if _are_decimals(texts):
        return Kind.NUMBER
    if all(_MOMENT.fullmatch(text) for text in texts):
        return _if_readable(Kind.TIMESTAMP, texts)
    return Kind.TEXT


def _if_readable(kind: Kind, texts: Collection[str]) -> Kind:
    return kind if convert_column(list(texts), kind).unreadable is None else Kind.TEXT


def _are_decimals(texts: Collection[str]) -> bool:
    matches = [_DECIMAL.fullmatch(text) for text in texts]
    if not all(match and _is_kept(match[0]) for match in matches):
        return False
    fractions = [match[1] or "" for match in matches if match]
    # 1.50 beside 2.25 is a price; 1.10 beside 1.1 is a version, and would lose its zero.
    same_length = len({len(digits) for digits in fractions}) == 1
    return same_length or not any(len(d) > 1 and d.endswith("0") for d in fractions)


def _is_kept(text: str) -> bool:
    """Return whether a float can be written again with the digits of a text."""
    exact = Decimal(text)
    digits = len(exact.as_tuple().digits)
    number = float(text)
    if number == 0.0 or number in (float("inf"), float("-inf")):
        return exact == 0 and digits <= 17 and number == 0.0
    return Decimal(f"{number:.{digits - 1}e}") == exact
