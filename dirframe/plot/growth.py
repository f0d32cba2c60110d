"""Chart of accounts or projects over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pandas import DateOffset

from dirframe import stats
from dirframe.plot import axes, text
from dirframe.plot.canvas import Canvas
from dirframe.plot.colours import ACCENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.plot.canvas import Width

_PERIODS = {
    "D": ("day", DateOffset(days=1)),
    "W": ("week", DateOffset(weeks=1)),
    "MS": ("month", DateOffset(months=1)),
    "QS": ("quarter", DateOffset(months=3)),
    "YS": ("year", DateOffset(years=1)),
}


def growth(
    frame: Any,
    *,
    freq: str = "MS",
    cumulative: bool = True,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the number of accounts or projects over time.

    Parameters
    ----------
    frame, freq, cumulative, ax, title, caption, width
        As `dirframe.stats.growth` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One step per period (UTC), at the total up to its end or, if not `cumulative`, at the new
        records in it. A last period that is not over at the newest date in the data is hatched.

    Examples
    --------
    >>> import pandas as pd
    >>> created = pd.to_datetime(["2013-01-31", "2013-03-01", "2013-03-31"])
    >>> growth(pd.DataFrame({"created_at": created})).patches[0].get_data().values.tolist()
    [1.0, 1.0, 3.0]
    """
    table = stats.growth(frame, freq=freq)
    with Canvas(*(table, "growth", (ax, title, caption, width)), needs="a date") as canvas:
        nouns = next(iter(canvas.counts))
        canvas.heading = f"Growth of {nouns}" if cumulative else f"New {nouns}"
        if not canvas.is_empty:
            starts, unfinished = table["start"], ~table["finished"].to_numpy(bool)
            period, length = _PERIODS[freq]
            heights = table["total" if cumulative else "new"].to_numpy(float)
            edges = axes.days([*starts, starts.iloc[-1] + length])
            axes.steps(canvas.ax, edges, heights, unfinished, colour=ACCENT)
            axes.date_axis(canvas.ax)
            canvas.ax.set_xlim(edges[0], edges[-1])
            axes.count_axis(canvas.ax, heights.max())
            unit = nouns.capitalize() + (" in all" if cumulative else "")
            axes.units(canvas.ax, f"Created at (UTC, by {period})", unit)
            last = f"the period from {starts.iloc[-1]:%Y-%m-%d}"
            canvas.notes = [
                f"Hatched: {last} is not over at the newest date in the data."
                if unfinished.any()
                else "",
                text.not_shown(canvas.counts, created_at_missing="without a date"),
            ]
    return canvas.ax
