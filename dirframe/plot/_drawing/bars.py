"""Horizontal bars with count and share for each row of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.plot._drawing import axes, typography

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
    colours: Sequence[str],
    nothing: str,
    notes: Sequence[str] = (),
) -> Axes:
    """Draw one bar per row, labelled by name; an empty table shows the message `nothing`."""
    ax = axes.axes(ax, len(table))
    if not table[numbers].sum():
        axes.titles(ax, title)
        axes.empty_message(ax, nothing)
        axes.caption(ax, table)
        return ax
    axes.titles(ax, title, unit)
    size = axes.name_rows(ax, [str(name) for name in table[names]])
    labels = typography.amounts([round(number) for number in table[numbers]], table["share"])
    axes.bars(ax, list(table[numbers]), labels, colours, size)
    axes.caption(ax, table, *notes)
    return ax
