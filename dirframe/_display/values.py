"""Values of cells as text, without control characters that a terminal would act on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_JOINERS = "\u200c\u200d"

#: Fields that name a record in a list, by priority.
_NAMES = ("nice_name", "name", "language", "factoid")
_COLOUR = "color"


def printable(text: str) -> str:
    """Replace non-printable characters by blanks, except zero-width joiners and non-joiners.

    Scripts such as Persian and Hindi, and composed emoji, need these two.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _JOINERS else " " for char in text)


def entry(value: object) -> str:
    """Return an entry of a list as text: the name of a record, or else its values."""
    if not isinstance(value, dict):
        return str(value)
    name = next((value[key] for key in _NAMES if value.get(key)), None)
    if name is None and _COLOUR in value:  # a language, whose other values are no name
        return "unnamed"
    return str(name or ", ".join(str(part) for part in value.values() if part is not None))


def entries(values: Iterable[object]) -> str:
    """Return the entries of a list as text."""
    return ", ".join(map(entry, values))


def label(column: str) -> str:
    """Return the name of a column in words; ``__`` sets a field of a part apart from its prefix."""
    return column.replace("__", " / ").replace("_", " ").strip()


def counted(count: int, singular: str, plural: str = "") -> str:
    """Format a count with its noun: ``1 project``, ``1,500 projects``."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def percent(share: float) -> str:
    """Format a share with one decimal; only 0 is shown as 0.0%, and only 1 as 100.0%."""
    if 0 < share < 0.0005:
        return "<0.1%"
    return ">99.9%" if 0.9995 <= share < 1 else f"{share:.1%}"


def is_number(dtype: Any) -> bool:
    """Return whether a dtype is right-aligned: numeric, and not boolean."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return is_numeric_dtype(dtype) and not is_bool_dtype(dtype)
