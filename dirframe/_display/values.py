"""Values of cells as text, without what would move a cursor or change a terminal's colours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["entries", "entry", "is_number", "printable"]

_JOINERS = "\u200c\u200d"

#: What of a record in a list is its name.
_NAMES = ("nice_name", "name", "language", "factoid")


def printable(text: str) -> str:
    """Put a blank in the place of every control sign, but for what joins signs and keeps them apart.

    Scripts such as Persian and Hindi are spelt with those two, and pictures put together.
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign in _JOINERS else " " for sign in text)


def entry(value: object) -> str:
    """Name an entry of a list: a text, or a record with a name or without."""
    if not isinstance(value, dict):
        return str(value)
    named = next((value[key] for key in _NAMES if value.get(key)), None)
    return str(named or ", ".join(str(part) for part in value.values() if part is not None))


def entries(values: Iterable[object]) -> str:
    """Name the entries of a list."""
    return ", ".join(map(entry, values))


def is_number(dtype: Any) -> bool:
    """Tell whether a column is aligned at the right: numbers are, truth values are not."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return is_numeric_dtype(dtype) and not is_bool_dtype(dtype)
