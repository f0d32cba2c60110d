"""A table as a ranking or as classes: a bar a row, with its number and its share.

What stays out: what the rows are (the modules of the charts).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.plot import _axes, _text

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
    """Draw a column of numbers with the names beside it; `nothing` is said of no records."""
    ax = _axes.axes(ax, len(table))
    if not table[numbers].sum():
        _axes.titles(ax, title)
        _axes.nothing(ax, nothing)
        _axes.caption(ax, table)
        return ax
    _axes.titles(ax, title, unit)
    size = _axes.rows(ax, [str(name) for name in table[names]])
    labels = _text.amounts([round(number) for number in table[numbers]], table["share"])
    _axes.bars(ax, list(table[numbers]), labels, colours, size)
    _axes.caption(ax, table, *notes)
    return ax
