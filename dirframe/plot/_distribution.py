"""How often each whole number occurs, on logarithmic scales that survive zero.

What stays out: whose numbers these are (the modules of the charts).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.plot import _axes, _panel, _text
from dirframe.plot._colours import ACCENT

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
    nothing: str,
    note: str,
) -> Axes:
    """Draw a dot for each number that occurs, as high as the records that have it are many."""
    ax = _panel.panel(ax)
    if table.empty:
        return _panel.empty(ax, table, title, nothing)
    _panel.labels(ax, title, *units)
    _panel.logarithmic(ax, "x", table[numbers].max())
    _panel.logarithmic(ax, "y", table[records].max(), least=1)
    ax.plot(
        table[numbers].to_numpy(float),
        table[records].to_numpy(float),
        "o",
        color=ACCENT,
        markersize=_panel.dot(ax),
        markeredgecolor=ax.get_facecolor(),
        markeredgewidth=0.4,
        clip_on=False,
        gid="distribution",
    )
    _axes.caption(ax, table, _quantiles(table, numbers), note)
    return ax


def _quantiles(table: pd.DataFrame, numbers: str) -> str:
    """Read off the table how much the lower half and most of the records have."""
    bounds = {
        part: table[numbers][table["share_at_most"] >= share - 1e-12].min()
        for part, share in _PARTS.items()
    }
    said = [f"{part} have at most {_text.number(bound)}" for part, bound in bounds.items()]
    return f"{', '.join(said)}; the most is {_text.number(table[numbers].max())}."
