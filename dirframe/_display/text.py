"""Frames as tables for a terminal, drawn by rich, or as plain aligned lines."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from dirframe._display.cells import align, cell_texts, cut
from dirframe._display.values import counted, is_number, label

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from rich.align import VerticalAlignMethod
    from rich.console import JustifyMethod

_WIDEST = 40
#: Texts are not cut below this width; columns are left out instead.
_NARROWEST = 16
_GAP = 2
_PREFIX = "analysis_"


class _Column(NamedTuple):
    """Texts of a column below its heading, and their least and full width."""

    name: str
    heading: str
    cells: list[str]
    right: bool
    least: int
    full: int

    def width(self, widest: int, lines: int) -> int:
        """Return the width with texts cut to `widest`, if they can be, and a heading of `lines`."""
        words = max(map(len, self.heading.split()), default=0)
        heading = next(
            width
            for width in range(words, len(self.heading) + 1)
            if len(wrap(self.heading, width or 1, break_long_words=False)) <= lines
        )
        return max(min(self.full, widest), self.least, heading)


def render_table(
    frame: pd.DataFrame,
    *,
    width: int,
    rows: int,
    first: Sequence[str] = (),
    folded: bool = False,
) -> tuple[list[Table], str]:
    """Draw the first rows and the columns that fit, those named by `first` before all others.

    Texts that do not fit are cut, or `folded` onto several lines. Without `first`, columns that
    do not fit are drawn below, beside the first column again, if they fit there.

    Returns
    -------
    tuple of list of rich.table.Table and str
        One table or two, and a sentence that names what was omitted.
    """
    shown = frame.head(rows)
    names = [str(name) for name in frame.columns]
    important = [names.index(name) for name in first if name in names]
    rest = [index for index in range(len(names)) if index not in important]
    # Stable: columns without a value come last.
    rest.sort(key=lambda index: bool(important) and bool(frame.iloc[:, index].isna().all()))
    columns = [_column(shown, index) for index in (important or rest)]
    lines = next((n for n in (1, 2) if _needed(columns, _WIDEST, n) <= width), 3)
    # As many columns as fit with narrow texts, then texts as wide as fit.
    wide: list[_Column] = []
    while len(columns) > 1 and _needed(columns, 0, lines) > width:
        wide.insert(0, columns.pop())
    if important or _needed([columns[0], *wide], _NARROWEST, lines) > width:
        wide = []
    widest = next((w for w in range(_WIDEST, 0, -1) if _needed(columns, w, lines) <= width), 0)
    for index in rest if important and widest == _WIDEST else ():
        column = _column(shown, index)
        if _needed([*columns, column], widest, lines) > width:
            break
        columns.append(column)
    drawn = {column.name for column in [*columns, *wide]}
    left_out = _left_out(len(frame) - len(shown), [name for name in names if name not in drawn])
    tables = [columns, [columns[0], *wide]] if wide else [columns]
    return [
        _drawn(part, [min(c.width(widest, lines), width) for c in part], folded=folded)
        for part in tables
    ], left_out


def plain_table(frame: pd.DataFrame) -> list[str]:
    """Return the header and all rows as aligned lines.

    A file may have any number of rows, and rich takes two milliseconds for each.
    """
    columns = [_column(frame, index) for index in range(frame.shape[1])]
    if not columns:
        return ["(no columns)"]
    aligned = [
        align([column.heading, *(cut(cell, _WIDEST) for cell in column.cells)], right=column.right)
        for column in columns
    ]
    return [(" " * _GAP).join(cells).rstrip() for cells in zip(*aligned, strict=True)]


def render_record(frame: pd.DataFrame) -> Table:
    """Draw one record, a line for each column."""
    table = Table.grid(padding=(0, _GAP, 0, 0))
    table.add_column(no_wrap=True, overflow="ellipsis")
    table.add_column(overflow="fold")
    for index, name in enumerate(frame.columns):
        table.add_row(Text(str(name)), Text(cell_texts(frame.iloc[:, index], str(name))[0]))
    return table


def _drawn(columns: Sequence[_Column], widths: Sequence[int], *, folded: bool) -> Table:
    # The box is a rule below the header; its blank dividers are half of each gap.
    padding = (0, _GAP - 1, 0, 0)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=padding)
    for column, width in zip(columns, widths, strict=True):
        justify: JustifyMethod = "right" if column.right else "left"
        vertical: VerticalAlignMethod = "top" if folded else "bottom"  # of headings and cells
        table.add_column(Text(column.heading), justify=justify, vertical=vertical, width=width)
    for cells in zip(*(column.cells for column in columns), strict=True):
        texts = cells if folded else map(cut, cells, widths)
        table.add_row(*(Text(text, no_wrap=not folded) for text in texts))
    return table


def _needed(columns: Sequence[_Column], widest: int, lines: int) -> int:
    return sum(column.width(widest, lines) + _GAP for column in columns) - _GAP


def _column(frame: pd.DataFrame, index: int) -> _Column:
    name, values = str(frame.columns[index]), frame.iloc[:, index]
    # Most columns of a project are of its analysis: room is scarce, and the prefix tells nothing.
    short = name.removeprefix(_PREFIX)
    heading = label(name if short in frame.columns or short.startswith("_") else short) or name
    cells = cell_texts(values, name)
    # Ids are text, and numeric ones are ordered as numbers.
    right = is_number(values.dtype) or (name == "id" and all(map(str.isdecimal, cells)))
    full = min(max(map(cell_len, cells), default=0), _WIDEST)
    # Prose is cut where room is scarce; a number, a date or a name without a blank never.
    is_prose = not right and values.dtype.kind != "M" and any(" " in cell for cell in cells)
    least = min(full, _NARROWEST) if is_prose else full
    return _Column(name, heading, cells, right, least, full)


def _left_out(rows: int, columns: Sequence[str]) -> str:
    parts = [counted(rows, "more row")] if rows else []
    if columns:
        parts.append(f"{counted(len(columns), 'more column')} ({', '.join(columns)})")
    if not parts:
        return ""
    choice = "--columns NAME,NAME shows others; " if columns else ""
    return f"Not shown: {' and '.join(parts)}. {choice}-o FILE or --format csv gives everything."
