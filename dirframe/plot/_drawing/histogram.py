"""Frequency of integers on logarithmic scales that include zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.plot._drawing import axes, numeric_axes, typography
from dirframe.plot._drawing.options import current

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_PARTS = {"Half": 0.5, "90%": 0.9, "99%": 0.99}


def distribution(
    ax: Axes | None,
    table: pd.DataFrame,
    numbers: str,
    records: str,
    *,
    title: str,
    units: tuple[str, str],
    message: str,
    note: str,
) -> Axes:
    """Draw one dot for each number that occurs, at the number of records with it."""
    ax = numeric_axes.panel(ax)
    if table.empty:
        return axes.empty(ax, table, title, message)
    numeric_axes.labels(ax, title, *units, logarithmic="xy")
    numeric_axes.logarithmic(ax, "x", table[numbers].max())
    numeric_axes.logarithmic(ax, "y", table[records].max(), least=1)
    ax.plot(
        table[numbers].to_numpy(float),
        table[records].to_numpy(float),
        "o",
        color=current().palette.accent,
        markersize=numeric_axes.dot(ax),
        markeredgecolor=ax.get_facecolor(),
        markeredgewidth=0.4,
        clip_on=False,
        gid="distribution",
    )
    axes.caption(ax, table, _quantiles(table, numbers), note)
    return ax


def _quantiles(table: pd.DataFrame, numbers: str) -> str:
    """Describe the quantiles of a frequency table."""
    bounds = {
        part: table[numbers][table["share_at_most"] >= share - 1e-12].min()
        for part, share in _PARTS.items()
    }
    label = [f"{part} have at most {typography.number(bound)}" for part, bound in bounds.items()]
    return f"{', '.join(label)}; the most is {typography.number(table[numbers].max())}."
