"""Charts of one project: its months and its contributors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from pandas.tseries.offsets import MonthBegin

from dirframe import provenance, stats
from dirframe._display import counted, percent
from dirframe.plot import axes, text
from dirframe.plot.canvas import Canvas, Look
from dirframe.plot.colours import ACCENT, NEUTRAL
from dirframe.stats.kernel import origin, read

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.stats.kernel import Frame

_DOTS = 60  # contributors; more dots would merge into a line
#: Of each lane its name, colour, bottom and height, as shares of the axes.
_LANES = {
    "commits": ("Commits", ACCENT, 0.46, 0.54),
    "contributors": ("Contributors (people)", NEUTRAL, 0.0, 0.38),
}


def monthly_activity(frame: Frame, *, ax: Axes | None = None, **look: Unpack[Look]) -> Axes:
    """Draw the commits and, below, the contributors of a project over its months (UTC).

    The two lanes, each with its own scale, are ``child_axes``. A month that was not over when the
    frame was loaded is hatched, not part of the line, and named in the caption. Options as
    `dirframe.stats.monthly_activity` and `dirframe.plot`.

    Examples
    --------
    >>> months = pd.to_datetime(["2013-01-01", "2013-03-01"])
    >>> frame = pd.DataFrame({"month": months, "commits": [7, 2], "contributors": [3, 1]})
    >>> monthly_activity(frame).child_axes[0].patches[0].get_data().values.tolist()
    [7.0, 0.0, 2.0]
    """
    table = stats.monthly_activity(frame)
    canvas = Canvas(table, ax, look)
    canvas.subject = _of_project(frame)
    if canvas.is_empty:
        return canvas.finish()
    ax, size = canvas.ax, text.size(canvas.ax, "small")
    unfinished = ~table["finished"].fillna(value=True).to_numpy(bool)
    edges = axes.days([*table["month"], table["month"].iloc[-1] + MonthBegin()])
    ax.set(xlim=(edges[0], edges[-1]), yticks=[])
    ax.spines[:].set_visible(False)
    axes.date_axis(ax)
    axes.units(ax, "Month (UTC)")
    for column, (name, colour, bottom, height) in _LANES.items():
        lane = ax.inset_axes((0, bottom, 1, height), sharex=ax, facecolor="none")
        heights = table[column].to_numpy(float, na_value=np.nan)
        axes.steps(lane, edges, heights, unfinished, colour)
        lane.set_ylim(0, max(np.nanmax(heights, initial=0), 1) * 1.28)  # room for the name
        lane.annotate(name, (0, 1), (4, -2), "axes fraction", "offset points", va="top", size=size)
        axes.number_axis(lane.yaxis)
        lane.tick_params(axis="x", length=0, labelbottom=False)
        lane.tick_params(axis="y", labelsize=size)
        lane.spines[["top", "right"]].set_visible(False)
        axes.grid(lane)
    months = ", ".join(f"{month:%Y-%m}" for month in table["month"][unfinished])
    filled = text.counts_of(table)["months_filled"]
    return canvas.finish(
        any(unfinished) and f"Hatched: not over when it was loaded ({months}).",
        filled > 0 and f"{counted(filled, 'month')} without a row: 0.",
    )


def commits_by_contributor(frame: Frame, *, ax: Axes | None = None, **look: Unpack[Look]) -> Axes:
    """Draw the cumulative share of a project's commits, the most active contributors first.

    Over their number (logarithmic). Dashed lines mark half of the commits and the bus factor, who
    reach it. The caption states the shares of the first and the first five. Options as
    `dirframe.stats.commits_by_contributor` and `dirframe.plot`.

    Examples
    --------
    >>> frame = pd.DataFrame({"contributor_id": ["1", "2", "3"], "commits": [10, 60, 30]})
    >>> commits_by_contributor(frame).lines[0].get_ydata().tolist()
    [0.6, 0.9, 1.0]
    """
    table = stats.commits_by_contributor(frame)
    measures = stats.commit_concentration(frame).set_index("measure")["value"].astype(float)
    bus_factor = measures["bus factor"]
    canvas = Canvas(table, ax, look, needs="with a commit", is_empty=np.isnan(bus_factor))
    canvas.subject = _of_project(frame)
    if canvas.is_empty:
        return canvas.finish()
    ax = canvas.ax
    ranks, shares = (table[name].to_numpy(float) for name in ("rank", "cumulative_share"))
    marker = "o" if len(table) <= _DOTS else ""
    ax.plot(ranks, shares, marker=marker, color=ACCENT, linewidth=1.8, markersize=3)
    ax.plot([0, bus_factor, bus_factor], [0.5, 0.5, 0], "--", color=NEUTRAL, linewidth=1)
    axes.log_axis(ax, "x", ranks[-1], least=0.7)
    axes.share_axis(ax.yaxis)
    ax.set_ylim(0, 1.04)
    unit = "Contributors, most commits first (people), logarithmic"
    axes.units(ax, unit, "Commits of all these (share)")
    # To the right of the bus factor, the curve is above the half.
    place: Any = {"textcoords": "offset points", "va": "center", "fontsize": text.size(ax, "small")}
    ax.annotate(f"Bus factor {bus_factor:,.0f}", (bus_factor, 0.25), (4, 0), **place)
    rest = f", the first five have {percent(measures['top 5'])}." if len(table) > 5 else "."
    return canvas.finish(
        f"The first has {percent(measures['top 1'])} of the commits{rest}",
        "Bus factor: so many have half of them together.",
    )


def _of_project(frame: Frame) -> str:
    """Return the project that records are of, for a heading; empty if that is not known."""
    given = provenance.get_provenance(origin(frame))["query"].get("project")
    ids = [given] if given else read(frame, optional=["project_id"]).get("project_id", [])
    if len(names := {str(name) for name in ids}) != 1:
        return ""
    (project,) = names  # as it was asked for: by its id or by its name
    return f": {'project ' * project.isdigit()}{project}"
