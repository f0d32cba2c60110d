"""Chart of accounts or projects over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from pandas import DateOffset

from dirframe import stats
from dirframe.plot import axes, text
from dirframe.plot.canvas import Canvas, Look
from dirframe.plot.colours import ACCENT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.stats.kernel import Frame

_PERIODS = {
    "D": ("day", DateOffset(days=1)),
    "W": ("week", DateOffset(weeks=1)),
    "MS": ("month", DateOffset(months=1)),
    "QS": ("quarter", DateOffset(months=3)),
    "YS": ("year", DateOffset(years=1)),
}


def growth(
    frame: Frame,
    *,
    ax: Axes | None = None,
    freq: str = "MS",
    cumulative: bool = True,
    **look: Unpack[Look],
) -> Axes:
    """Draw a step for each period: all records up to its end or, if not `cumulative`, the new ones.

    A last period that is not over at the newest date in the data is hatched.

    Options as `dirframe.stats.growth` and `dirframe.plot`.

    Examples
    --------
    >>> created = pd.to_datetime(["2013-01-31", "2013-03-01", "2013-03-31"])
    >>> growth(pd.DataFrame({"created_at": created})).patches[0].get_data().values.tolist()
    [1.0, 1.0, 3.0]
    """
    table = stats.growth(frame, freq=freq)
    canvas = Canvas(table, ax, look)
    nouns = next(iter(text.counts_of(table)))
    canvas.heading = f"Growth of {nouns}" if cumulative else f"New {nouns}"
    if canvas.is_empty:
        return canvas.finish()
    starts, unfinished = table["start"], ~table["finished"].to_numpy(bool)
    period, length = _PERIODS[freq]
    heights = table["total" if cumulative else "new"].to_numpy(float)
    edges = axes.days([*starts, starts.iloc[-1] + length])
    axes.steps(canvas.ax, edges, heights, unfinished, ACCENT)
    axes.date_axis(canvas.ax)
    canvas.ax.set(xlim=(edges[0], edges[-1]), ylim=(0, max(heights.max(), 1) * 1.05))
    axes.number_axis(canvas.ax.yaxis)
    unit = nouns.capitalize() + " in all" * cumulative
    axes.units(canvas.ax, f"Created at (UTC, by {period})", unit)
    last = f"the period from {starts.iloc[-1]:%Y-%m-%d} is not over at the newest date in the data"
    return canvas.finish(
        any(unfinished) and f"Hatched: {last}.",
        text.not_shown(table, created_at_missing="without a date"),
    )
