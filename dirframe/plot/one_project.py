"""Charts of one project: its contributors by their commits, and its months."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.dates import date2num
from pandas.tseries.offsets import MonthBegin

from dirframe import stats
from dirframe._display import percent, quantity, suggests_options
from dirframe.plot import fonts, scales
from dirframe.plot.caption import counts_of, not_shown
from dirframe.plot.colours import ACCENT, NEUTRAL
from dirframe.plot.figure import NothingToDrawError, Width, of_project, require_figures, show
from dirframe.plot.growth import draw_steps
from dirframe.stats.records import Frame, fetch

_DOTS = 60  # contributors; more dots would merge into a line
#: Of each lane its name, colour, bottom and height, as shares of the axes.
_LANES = {
    "commits": ("Commits", ACCENT, 0.46, 0.54),
    "contributors": ("Contributors (people)", NEUTRAL, 0.0, 0.38),
}


@suggests_options
def commits_by_contributor(
    frame: Frame,
    *,
    ax: Axes | None = None,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw the cumulative share of a project's commits, the most active contributors first.

    Over their number (logarithmic). Dashed lines mark half of the commits and the bus factor, who
    reach it. The caption states the shares of the first and the first five. The title names the project
    as it was asked for: by its name, or by its id, since these records do not hold the name.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        The contributors of one project, as `dirframe.stats.commits_by_contributor` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
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
    >>> frame = pd.DataFrame({"contributor_id": ["1", "2", "3"], "commits": [10, 60, 30]})
    >>> commits_by_contributor(frame).lines[0].get_ydata().tolist()
    [0.6, 0.9, 1.0]
    """
    # A stream can be read only once.
    columns = ["contributor_id", "contributor_name", "commits", "project_id"]
    frame = fetch(frame, columns)
    return show(
        partial(draw_commits_by_contributor, measures=stats.commit_concentration(frame)),
        stats.commits_by_contributor(frame),
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        subject=of_project(frame),
    )


def draw_commits_by_contributor(ax: Axes, table: pd.DataFrame, measures: pd.DataFrame) -> list[str]:
    """Draw the curve; `measures` are those of `dirframe.stats.commit_concentration`."""
    figures = measures.iloc[0]
    bus_factor = figures["bus_factor"]
    if pd.isna(bus_factor):
        raise NothingToDrawError("have a commit")
    ranks = table["rank"].to_numpy(float)
    shares = table["cumulative_share"].to_numpy(float)
    marker = "o" if len(table) <= _DOTS else ""
    ax.plot(ranks, shares, marker=marker, color=ACCENT, linewidth=1.8, markersize=3)
    ax.plot([0.1, bus_factor, bus_factor], [0.5, 0.5, 0], "--", color=NEUTRAL, linewidth=1)
    scales.log_number_axis(ax, float(ranks[-1]))
    scales.share_axis(ax.yaxis)
    ax.set_ylim(0, 1.04)
    ax.set_xlabel("Contributors, most commits first, logarithmic")
    ax.set_ylabel("Share of commits, cumulative")
    scales.grid(ax)
    # To the right of the bus factor, the curve is above the half.
    ax.annotate(
        f"Bus factor {bus_factor:,.0f}",
        (bus_factor, 0.25),
        (4, 0),
        textcoords="offset points",
        va="center",
        fontsize=fonts.font_size(ax, "small"),
    )
    first = f"The most active contributor made {percent(figures['top_1_share'])} of the commits"
    if len(table) > 5:
        first += f", the five most active made {percent(figures['top_5_share'])}"
    return [
        f"{first}.",
        "Bus factor: the fewest people who made half of the commits.",
        *not_shown(table),
    ]


@suggests_options
def monthly_activity(
    frame: Frame,
    *,
    ax: Axes | None = None,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw the commits and, below, the contributors of a project over its months (UTC).

    The two lanes, each with its own scale, are ``child_axes``. A month that was not over when the
    frame was loaded is pale, not part of the line, and named in the caption. The title names the
    project as in `commits_by_contributor`.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        The months of one project, as `dirframe.stats.monthly_activity` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
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
    >>> months = pd.to_datetime(["2013-01-01", "2013-03-01"])
    >>> frame = pd.DataFrame({"month": months, "commits": [7, 2], "contributors": [3, 1]})
    >>> monthly_activity(frame).child_axes[0].patches[0].get_data().values.tolist()
    [7.0, 0.0, 2.0]
    """
    frame = fetch(frame, ["month", "commits", "contributors", "project_id"])
    return show(
        draw_monthly_activity,
        stats.monthly_activity(frame),
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        subject=of_project(frame),
    )


def draw_monthly_activity(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a lane for commits and one for contributors."""
    require_figures(table)
    size = fonts.font_size(ax, "small")
    is_unfinished = ~table["finished"].fillna(value=True).to_numpy(bool)
    edges = date2num([*table["month"], table["month"].iloc[-1] + MonthBegin()])
    ax.set(xlim=(edges[0], edges[-1]), yticks=[])
    ax.spines[:].set_visible(False)
    scales.date_axis(ax)
    ax.set_xlabel("Month (UTC)")
    for column, (name, colour, bottom, height) in _LANES.items():
        lane = ax.inset_axes((0, bottom, 1, height), sharex=ax, facecolor="none")
        heights = table[column].to_numpy(float, na_value=np.nan)
        draw_steps(lane, edges, heights, is_unfinished, colour)
        lane.set_ylim(0, max(np.nanmax(heights, initial=0), 1) * 1.28)  # room for the name
        lane.annotate(name, (0, 1), (4, -2), "axes fraction", "offset points", va="top", size=size)
        scales.number_axis(lane.yaxis)
        lane.tick_params(axis="x", length=0, labelbottom=False)
        lane.tick_params(axis="y", labelsize=size)
        scales.grid(lane)
    notes = []
    if is_unfinished.any():
        months = ", ".join(f"{month:%Y-%m}" for month in table["month"][is_unfinished])
        notes.append(f"Pale: {months} (not yet over).")
    filled = counts_of(table)["months_filled"]
    if filled:
        notes.append(f"{quantity(filled, 'month')} without a record, drawn as 0.")
    return [*notes, *not_shown(table)]
