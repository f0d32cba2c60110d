"""Chart of the growth of the directory."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.dates import date2num

from dirframe import stats
from dirframe._display import suggests_options
from dirframe.plot import scales
from dirframe.plot.caption import collection_of, not_over, not_shown
from dirframe.plot.colours import ACCENT
from dirframe.plot.figure import Width, require_figures, show
from dirframe.plot.rows import PALE
from dirframe.stats.growth import FREQUENCIES
from dirframe.stats.records import Frame

_PERIODS = {"D": "day", "W": "week", "M": "month", "Q": "quarter", "Y": "year"}


@suggests_options
def growth(
    frame: Frame,
    *,
    ax: Axes | None = None,
    freq: str = "MS",
    cumulative: bool = True,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw the records of each period: all up to its end or, if not `cumulative`, the new ones.

    Quarters and years are bars. A last period that was not over at the retrieval is pale.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Accounts or projects, as `dirframe.stats.growth` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    freq : {"D", "W", "MS", "QS", "YS"}, default "MS"
        Length of a period: days, weeks, months, quarters or years.
    cumulative : bool, default True
        Whether to draw all records up to the end of each period, or the new ones.
    title, caption : str or bool, optional
        In place of the chart's own; False for none.
    width : {"column", "page"}, optional
        Width of the new figure, for print.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, as `dirframe.plot` describes them.

    Examples
    --------
    >>> created = pd.to_datetime(["2013-01-31", "2013-03-01", "2013-03-31"])
    >>> growth(pd.DataFrame({"created_at": created})).patches[0].get_data().values.tolist()
    [1.0, 1.0, 3.0]
    """
    table = stats.growth(frame, freq=freq)
    nouns = collection_of(table)
    return show(
        partial(draw_growth, freq=freq, cumulative=cumulative),
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        heading=heading_of(nouns, cumulative=cumulative),
    )


def heading_of(nouns: str, *, cumulative: bool = True) -> str:
    """Return the title of a chart of growth."""
    return f"Growth of {nouns}" if cumulative else f"New {nouns}"


def draw_growth(
    ax: Axes, table: pd.DataFrame, freq: str = "MS", *, cumulative: bool = True
) -> list[str]:
    """Draw the number of records of each period."""
    require_figures(table)
    starts = table["start"]
    is_unfinished = ~table["finished"].to_numpy(bool)
    heights = table["total" if cumulative else "new"].to_numpy(float)
    last = starts.dt.tz_localize(None).dt.to_period(FREQUENCIES[freq]).iloc[-1]
    edges = date2num([*starts, (last + 1).start_time.tz_localize("UTC")])
    unit = _PERIODS[freq[0]]
    if unit in {"quarter", "year"}:
        _draw_bars(ax, edges, heights, is_unfinished)
    else:
        draw_steps(ax, edges, heights, is_unfinished, ACCENT)
    if unit == "year":
        scales.middle_of_years_axis(ax, len(table))
    else:
        scales.date_axis(ax)
    ax.set(xlim=(edges[0], edges[-1]), ylim=(0, max(heights.max(), 1) * 1.05))
    scales.number_axis(ax.yaxis)
    scales.grid(ax, "y")
    nouns = collection_of(table).capitalize()
    ax.set_xlabel(f"Created at (UTC, by {unit})")
    ax.set_ylabel(f"{nouns}, cumulative" if cumulative else f"New {nouns.lower()}")
    notes = []
    if is_unfinished.any():
        notes.append(f"Pale: {_name_of(starts.iloc[-1], unit)} ({not_over(table)}).")
    return [*notes, *not_shown(table)]


def _name_of(start: pd.Timestamp, unit: str) -> str:
    """Return the name of the period that begins at a time: 2013, 2013-03, the week of 2013-03-04."""
    if unit == "year":
        return f"{start:%Y}"
    if unit == "quarter":
        return f"{start:%Y} Q{start.quarter}"
    if unit == "month":
        return f"{start:%Y-%m}"
    if unit == "week":
        return f"the week of {start:%Y-%m-%d}"
    return f"{start:%Y-%m-%d}"


def _draw_bars(ax: Axes, edges: Any, heights: Any, is_unfinished: Any) -> None:
    """Draw a bar for each period between its edges, pale for those that were not over."""
    widths = np.diff(edges)
    for chosen, alpha, gid in (
        (~is_unfinished, 1.0, "finished"),
        (is_unfinished, PALE, "unfinished"),
    ):
        ax.bar(
            edges[:-1][chosen] + 0.08 * widths[chosen],
            heights[chosen],
            0.84 * widths[chosen],
            align="edge",
            color=ACCENT,
            alpha=alpha,
            gid=gid,
        )


def draw_steps(ax: Axes, edges: Any, heights: Any, is_unfinished: Any, colour: str) -> None:
    """Draw a step for each period between its edges, pale for those that were not over."""
    is_shown = is_unfinished & ~np.isnan(heights)
    values = np.nan_to_num(heights)
    ax.stairs(values, edges, fill=True, color=colour, alpha=0.12, linewidth=0)
    ax.stairs(
        np.where(is_unfinished, 0, values), edges, fill=True, color=colour, alpha=0.2, linewidth=0
    )
    outline = np.where(is_unfinished, np.nan, heights)
    ax.stairs(outline, edges, color=colour, linewidth=1.5, baseline=None)
    ax.bar(
        edges[:-1][is_shown],
        heights[is_shown],
        np.diff(edges)[is_shown],
        align="edge",
        facecolor="none",
        edgecolor=colour,
        linestyle=":",
        linewidth=0.8,
        gid="unfinished",
    )
