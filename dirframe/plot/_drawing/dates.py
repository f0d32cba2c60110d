"""Date axes with as many ticks as fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num

from dirframe.plot._description.options import current
from dirframe.plot._drawing import axes, typography

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from dirframe.plot._description.chart import Marks

_TICK_WIDTH = 4.5  # ems per date label
_LAST_DAY = 2_932_896.0  # 9999-12-31
_DAY_WIDTH = 6.0  # and per whole day
_WITH_YEAR = {
    "formats": ["%Y", "%Y-%m", "%Y-%m-%d", "%H:%M", "%H:%M", "%S.%f"],
    "zero_formats": ["", "%Y", "%Y-%m", "%Y-%m-%d", "%H:%M", "%H:%M"],
}


def positions(moments: Any) -> NDArray[np.float64]:
    """Convert dates to axis positions: days since 1970."""
    # matplotlib.dates has no types, and draws nothing after the year 9999: a last month ends there.
    return np.minimum(np.asarray(date2num(moments), dtype=np.float64), _LAST_DAY)


def only_year(first: pd.Series[pd.Timestamp], last: pd.Series[pd.Timestamp] | None = None) -> str:
    """Return the common year of dates as a label suffix: ticks within one year omit it.

    Those of a panel never do, since the dates of the others are not known yet.
    """
    if current().is_panel or first.empty:
        return ""
    year = first.min().year
    return f", {year}" if year == (first if last is None else last).max().year else ""


def hatch_unfinished(
    ax: Axes,
    steps: Marks,
    heights: NDArray[np.float64],
    *,
    bottom: float = 0,
    colour: str,
    hatch: str = "//////",
) -> None:
    """Hatch the steps that were not over, between their edges; one without a height is left out."""
    for index in np.flatnonzero(steps.unfinished & ~np.isnan(heights)).tolist():
        ax.bar(
            steps.x[index],
            heights[index],
            width=steps.x[index + 1] - steps.x[index],
            bottom=bottom,
            align="edge",
            facecolor="none",
            edgecolor=colour,
            hatch=hatch,
            linewidth=0.8,
            gid="unfinished",
        )


def axis(ax: Axes) -> None:
    """Set a date locator and formatter on the x axis."""
    size = typography.size(ax, mpl.rcParams["xtick.labelsize"])
    ax.tick_params(axis="x", labelsize=size)
    is_panel = ax.get_gid() == axes.PANEL
    em = (_DAY_WIDTH if is_panel else _TICK_WIDTH) * size
    tick_count = max(int(typography.width(ax) / em), 2)
    # matplotlib.dates has no types.
    locator = AutoDateLocator(minticks=2, maxticks=tick_count)
    ax.xaxis_date()
    ax.xaxis.set_major_locator(locator)
    formats = _WITH_YEAR if is_panel else {}
    form = ConciseDateFormatter(locator, show_offset=False, **formats)
    ax.xaxis.set_major_formatter(form)
