"""Horizontal bars with count and share for each row of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.plot._drawing import axes, typography
from dirframe.plot._drawing.options import current

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes


def ranking(
    ax: Axes | None,
    table: pd.DataFrame,
    names: str,
    numbers: str,
    *,
    title: str,
    unit: str,
    message: str,
    colours: Sequence[str] | None = None,
    pooled: int = 0,
    notes: Sequence[str] = (),
) -> Axes:
    """Draw one bar per row, labelled by name; an empty table shows the message.

    Without `colours` the bars are of one kind; the last is that of others if some are `pooled`.
    """
    ax = axes.axes(ax, len(table))
    if not table[numbers].sum():
        return axes.empty(ax, table, title, message)
    size = axes.name_rows(ax, [str(name) for name in table[names]])
    axes.titles(ax, title, unit)
    labels = typography.amounts([round(number) for number in table[numbers]], table["share"])
    colours = colours or current().palette.bars(len(table), pooled=pooled)
    axes.bars(ax, list(table[numbers]), labels, colours, size)
    axes.caption(ax, table, *notes)
    return ax
