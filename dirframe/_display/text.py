"""Frames as aligned lines of text for a terminal; omitted rows and columns are named.

rich measures the text. Its tables are not used: they shrink columns until all of them fit, and
take twelve times as long for 10,000 rows in a pipe.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
from rich.cells import cell_len, set_cell_size

from dirframe._display.values import counted, entries, is_number, percent, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TableSize", "align", "cell_texts", "cut", "render_record", "render_table"]

_WIDEST = 40
_NARROWEST = 12
_GAP = "  "


class TableSize(NamedTuple):
    """Width of the terminal in columns, and number of rows; None for no limit."""

    width: int | None
    rows: int | None


def render_table(frame: pd.DataFrame, size: TableSize) -> tuple[list[str], str]:
    """Return the header and the rows, and a sentence that names what was omitted."""
    shown = frame if size.rows is None else frame.head(size.rows)
    widest = _WIDEST if size.width is None else max(min(_WIDEST, size.width), 1)
    columns: list[list[str]] = []
    room = size.width
    for index in range(frame.shape[1]):
        column = _column(shown.iloc[:, index], str(frame.columns[index]), widest)
        if room is not None:
            needed = cell_len(column[0]) + (len(_GAP) if columns else 0)
            if needed > room and columns:
                break
            room -= needed
        columns.append(column)
    lines = [_GAP.join(cells).rstrip() for cells in zip(*columns, strict=True)] or ["(no columns)"]
    hidden = [str(name) for name in frame.columns[len(columns) :]]
    return lines, _left_out(len(frame) - len(shown), hidden)


def render_record(frame: pd.DataFrame, width: int) -> list[str]:
    """Return one record with one line per column."""
    names = [str(name).replace("_", " ") for name in frame.columns]
    indent = max(map(cell_len, names), default=0)
    room = max(width - indent - len(_GAP), _NARROWEST)
    values = [cell_texts(frame.iloc[:, index], str(name))[0] for index, name in enumerate(frame)]
    return [
        f"{name}{' ' * (indent - cell_len(name))}{_GAP}{cut(value, room)}".rstrip()
        for name, value in zip(names, values, strict=True)
    ]


def _left_out(rows: int, columns: Sequence[str]) -> str:
    parts = [counted(rows, "more row")] if rows else []
    if columns:
        parts.append(f"{counted(len(columns), 'more column')} ({', '.join(columns)})")
    if not parts:
        return ""
    return f"Not shown: {' and '.join(parts)}. -o FILE or --format csv gives everything."


def _column(values: pd.Series[Any], name: str, widest: int) -> list[str]:
    texts = [cut(text, widest) for text in (name.replace("_", " "), *cell_texts(values, name))]
    return align(texts, right=is_number(values.dtype))


def align(texts: Sequence[str], *, right: bool) -> list[str]:
    """Pad texts to the width of the widest."""
    widths = [cell_len(text) for text in texts]
    widest = max(widths, default=0)
    blanks = (" " * (widest - width) for width in widths)
    return [f"{b}{t}" if right else f"{t}{b}" for t, b in zip(texts, blanks, strict=True)]


def cell_texts(values: pd.Series[Any], name: str) -> list[str]:
    """Format a column: thousands separators, shares as percentages, missing values empty."""
    if isinstance(values.dtype, pd.DatetimeTZDtype) or values.dtype.kind == "M":
        day = bool((values.dropna() == values.dropna().dt.normalize()).all())
        form = "%Y-%m-%d" if day else "%Y-%m-%d %H:%M"
        return ["" if pd.isna(value) else value.strftime(form) for value in values]
    if pd.api.types.is_float_dtype(values.dtype):
        return _numbers(values, name)
    if pd.api.types.is_integer_dtype(values.dtype):
        return ["" if pd.isna(value) else f"{value:,}" for value in values]
    return [_text(value) for value in values]


def _numbers(values: pd.Series[Any], name: str) -> list[str]:
    if name.endswith("share"):
        return ["" if pd.isna(value) else percent(float(value)) for value in values]
    # The same number of decimals in the whole column: as many as needed, three at most.
    rounded = values.dropna().astype("float64").round(3)
    decimals = next(n for n in range(4) if n == 3 or bool((rounded.round(n) == rounded).all()))
    return ["" if pd.isna(value) else f"{value:,.{decimals}f}" for value in values]


def _text(value: object) -> str:
    if isinstance(value, list | tuple) or hasattr(value, "tolist"):
        parts: Any = value
        return printable(entries(parts))
    if pd.isna(value):  # type: ignore[call-overload]  # a cell that is not a list is a scalar
        return ""
    return printable(str(value))


def cut(text: str, widest: int) -> str:
    """Cut text to a width, with an ellipsis."""
    return text if cell_len(text) <= widest else f"{set_cell_size(text, widest - 1).rstrip()}…"
