"""A frame as lines of text for a terminal: aligned, cut where it must be, never silently.

What stays out: where the lines go.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Fit", "aligned", "upright"]

_WIDEST = 40
_NARROWEST = 12
_GAP = "  "


class Fit(NamedTuple):
    """How much there is room for: columns of the terminal and rows; None for no end."""

    width: int | None
    rows: int | None


def aligned(frame: pd.DataFrame, fit: Fit) -> tuple[list[str], str]:
    """Return the header and the rows, and a sentence on what had no room."""
    shown = frame if fit.rows is None else frame.head(fit.rows)
    widest = _WIDEST if fit.width is None else max(min(_WIDEST, fit.width), 1)
    columns: list[list[str]] = []
    room = fit.width
    for place in range(frame.shape[1]):
        column = _column(shown.iloc[:, place], str(frame.columns[place]), widest)
        if room is not None:
            taken = _width(column[0]) + (len(_GAP) if columns else 0)
            if taken > room and columns:
                break
            room -= taken
        columns.append(column)
    lines = [_GAP.join(cells).rstrip() for cells in zip(*columns, strict=True)] or ["(no columns)"]
    hidden = [str(name) for name in frame.columns[len(columns) :]]
    return lines, _left_out(len(frame) - len(shown), hidden)


def upright(frame: pd.DataFrame, width: int) -> list[str]:
    """Return one record as a line a column, so that all of it has room."""
    names = [str(name).replace("_", " ") for name in frame.columns]
    indent = max(map(_width, names), default=0)
    room = max(width - indent - len(_GAP), _NARROWEST)
    values = [_texts(frame.iloc[:, place], str(name))[0] for place, name in enumerate(frame)]
    return [
        f"{name}{' ' * (indent - _width(name))}{_GAP}{_cut(value, room)}".rstrip()
        for name, value in zip(names, values, strict=True)
    ]


def _left_out(rows: int, columns: Sequence[str]) -> str:
    parts = [f"{rows:,} more {'row' if rows == 1 else 'rows'}"] if rows else []
    if columns:
        noun = "column" if len(columns) == 1 else "columns"
        parts.append(f"{len(columns)} more {noun} ({', '.join(columns)})")
    if not parts:
        return ""
    return f"Not shown: {' and '.join(parts)}. -o FILE or --format csv gives everything."


def _column(values: pd.Series[Any], name: str, widest: int) -> list[str]:
    head = name.replace("_", " ")
    texts = [_cut(text, widest) for text in (head, *_texts(values, name))]
    width = max(map(_width, texts))
    right = pd.api.types.is_numeric_dtype(values.dtype)
    padding = (" " * (width - _width(text)) for text in texts)
    return [
        f"{blank}{text}" if right else f"{text}{blank}"
        for text, blank in zip(texts, padding, strict=True)
    ]


def _texts(values: pd.Series[Any], name: str) -> list[str]:
    if isinstance(values.dtype, pd.DatetimeTZDtype) or values.dtype.kind == "M":
        day = bool((values.dropna() == values.dropna().dt.normalize()).all())
        form = "%Y-%m-%d" if day else "%Y-%m-%d %H:%M"
        return ["" if pd.isna(one) else one.strftime(form) for one in values]
    if pd.api.types.is_float_dtype(values.dtype):
        return _numbers(values, name)
    if pd.api.types.is_integer_dtype(values.dtype):
        return ["" if pd.isna(one) else f"{one:,}" for one in values]
    return [_text(one) for one in values]


def _numbers(values: pd.Series[Any], name: str) -> list[str]:
    if name.endswith("share"):
        return ["" if pd.isna(one) else f"{one:.1%}" for one in values]
    # As many decimals in the whole column as its values need, three at most.
    rounded = values.dropna().astype("float64").round(3)
    places = next(n for n in range(4) if n == 3 or bool((rounded.round(n) == rounded).all()))
    return ["" if pd.isna(one) else f"{one:,.{places}f}" for one in values]


def _text(value: object) -> str:
    if isinstance(value, list | tuple) or hasattr(value, "tolist"):
        entries: Any = value
        return ", ".join(_entry(one) for one in entries)
    if pd.isna(value):  # type: ignore[call-overload]  # a cell that is no list is a scalar
        return ""
    # A control sign in a name would move the cursor or change colours.
    return "".join(sign if sign.isprintable() else " " for sign in str(value))


def _entry(value: object) -> str:
    if isinstance(value, dict):
        return next((_text(one) for one in value.values() if one is not None), "")
    return _text(value)


def _cut(text: str, widest: int) -> str:
    if _width(text) <= widest:
        return text
    kept = ""
    for sign in text:
        if _width(kept + sign) >= widest:
            break
        kept += sign
    return f"{kept}…"


def _width(text: str) -> int:
    """Count the places of a terminal that a text takes: two for wide signs, none for accents."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(sign) or unicodedata.category(sign) in {"Mn", "Me", "Cf"}
        else 2
        if unicodedata.east_asian_width(sign) in {"W", "F"}
        else 1
        for sign in text
    )
