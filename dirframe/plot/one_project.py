"""Charts of one project: its months and its contributors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator
from pandas.tseries.offsets import MonthBegin

from dirframe import provenance, stats
from dirframe._display import counted, percent
from dirframe.plot import axes, text
from dirframe.plot.canvas import Canvas
from dirframe.plot.colours import ACCENT, NEUTRAL

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from dirframe.plot.canvas import Width

_DOTS = 60  # contributors; more dots would merge into a line
#: Bottom and height of the two lanes, as shares of the axes.
_LANES = {"commits": (0.46, 0.54), "contributors": (0.0, 0.38)}


def monthly_activity(
    frame: Any,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the monthly commits and contributors of a project.

    Parameters
    ----------
    frame, ax, title, caption, width
        As `dirframe.stats.monthly_activity` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        Two lanes, its ``child_axes``, over one axis of months (UTC): commits above, contributors
        (people) below, each with its own scale. A month that was not over when the frame was loaded
        is hatched, not part of the line, and named in the caption.

    Examples
    --------
    >>> import pandas as pd
    >>> months = pd.to_datetime(["2013-01-01", "2013-03-01"])
    >>> frame = pd.DataFrame({"month": months, "commits": [7, 2], "contributors": [3, 1]})
    >>> monthly_activity(frame).child_axes[0].patches[0].get_data().values.tolist()
    [7.0, 0.0, 2.0]
    """
    table = stats.monthly_activity(frame)
    with Canvas(
        *(table, "monthly_activity", (ax, title, caption, width)), needs="a month"
    ) as canvas:
        canvas.heading = "Commits and contributors by month" + _of_project(table)
        if not canvas.is_empty:
            _draw_months(canvas.ax, table)
            canvas.notes = _notes(table, canvas.counts)
    return canvas.ax


def _draw_months(ax: Axes, table: pd.DataFrame) -> None:
    """Draw both lanes within the axes, which keep the months."""
    months = table["month"]
    edges = axes.days([*months, months.iloc[-1] + MonthBegin()])
    unfinished = ~table["finished"].fillna(value=True).to_numpy(bool)
    ax.set_xlim(edges[0], edges[-1])
    axes.date_axis(ax)
    axes.units(ax, "Month (UTC)")
    ax.set_yticks([])
    ax.spines[:].set_visible(False)
    names = {"commits": "Commits", "contributors": "Contributors (people)"}
    for (column, (bottom, share)), colour in zip(_LANES.items(), (ACCENT, NEUTRAL), strict=True):
        lane = ax.inset_axes((0, bottom, 1, share), sharex=ax)
        heights = table[column].to_numpy(float, na_value=np.nan)
        axes.steps(lane, edges, heights, unfinished, colour=colour, opacity=0.35)
        lane.set_ylim(0, max(np.nanmax(heights, initial=0), 1) * 1.28)  # room for the name
        size = text.size(ax, "small")
        nbins = max(min(int(share * text.height(ax) / (3 * size)), 5), 2)
        lane.yaxis.set_major_locator(MaxNLocator(nbins=nbins, integer=True, steps=[1, 2, 5, 10]))
        lane.yaxis.set_major_formatter("{x:,.0f}")
        lane.tick_params(axis="x", length=0, labelbottom=False)
        lane.tick_params(axis="y", labelsize=size)
        lane.spines[["top", "right"]].set_visible(False)
        lane.patch.set_visible(False)
        lane.grid(visible=True, linewidth=0.6, alpha=0.5)
        lane.set_axisbelow(True)
        lane.annotate(
            *(names[column], (0, 1), (4, -2)),
            xycoords="axes fraction",
            textcoords="offset points",
            va="top",
            fontsize=size,
        )


def _notes(table: pd.DataFrame, counts: dict[str, int]) -> list[str]:
    unfinished = table["month"][~table["finished"].fillna(value=True)]
    months = ", ".join(f"{month:%Y-%m}" for month in unfinished)
    filled = counts["months_filled"]
    return [
        f"Hatched: not over when it was loaded ({months})." if months else "",
        f"{counted(filled, 'month')} without a row: 0." if filled else "",
        text.not_shown(
            counts,
            month_missing="without a month",
            commits_invalid="without valid commits",
            contributors_invalid="without valid contributors",
        ),
    ]


def _of_project(table: pd.DataFrame) -> str:
    """Return the project that a table is about, for a heading; the loader was given id or name."""
    project = str(provenance.get_provenance(table)["query"].get("project", ""))
    return f": {'project ' * project.isdigit()}{project}" if project else ""


def commits_by_contributor(
    frame: Any,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the cumulative share of a project's commits by contributor.

    Parameters
    ----------
    frame, ax, title, caption, width
        As `dirframe.stats.commits_by_contributor` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        The cumulative share of commits, most active contributors first, over their number
        (logarithmic). Dashed lines mark half of the commits and the bus factor, who reach it. The
        caption states the shares of the first and the first five.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"contributor_id": ["1", "2", "3"], "commits": [10, 60, 30]})
    >>> commits_by_contributor(frame).lines[0].get_ydata().tolist()
    [0.6, 0.9, 1.0]
    """
    table = stats.commits_by_contributor(frame)
    measured = stats.commit_concentration(frame).dropna()
    measures = dict(zip(measured["measure"], measured["value"], strict=True))
    bus_factor = measures.get("bus factor")
    with Canvas(
        *(table, "commits_by_contributor", (ax, title, caption, width)),
        needs="a commit",
        is_empty=bus_factor is None,
    ) as canvas:
        canvas.heading += _of_project(table)
        if bus_factor is not None:
            _draw_commits(canvas.ax, table, bus_factor)
            first, five = (percent(measures[name]) for name in ("top 1", "top 5"))
            rest = f", the first five have {five}." if len(table) > 5 else "."
            canvas.notes = [
                f"The first has {first} of the commits{rest}",
                "Bus factor: so many have half of them together.",
                text.not_shown(
                    canvas.counts,
                    commits_missing="without a number of commits",
                    commits_negative="with a negative one",
                ),
            ]
    return canvas.ax


def _draw_commits(ax: Axes, table: pd.DataFrame, bus_factor: float) -> None:
    ranks = table["rank"].to_numpy(float)
    ax.plot(
        ranks,
        table["cumulative_share"].to_numpy(float),
        color=ACCENT,
        linewidth=1.8,
        marker="o" if len(table) <= _DOTS else "",
        markersize=0.6 * axes.dot(ax),
    )
    half = ([0, bus_factor, bus_factor], [0.5, 0.5, 0])
    ax.plot(*half, "--", color=NEUTRAL, linewidth=1)
    axes.log_axis(ax, "x", ranks[-1], least=0.7)
    axes.share_axis(ax, "y")
    ax.set_ylim(0, 1.04)
    axes.units(
        *(ax, "Contributors, most commits first (people), logarithmic"),
        "Commits of all these (share)",
    )
    # The curve is neither below the half to the right of the bus factor, nor above to the left.
    words, size = f"Bus factor {bus_factor:,.0f}", text.size(ax, "small")
    x = ax.transAxes.inverted().transform(ax.transData.transform((bus_factor, 0)))[0]
    fits = text.widest([words], size) + 8 < (1 - x) * text.width(ax)
    ax.annotate(
        words,
        (bus_factor, 0.25 if fits else 0.5),
        (4, 0) if fits else (-4, 3),
        textcoords="offset points",
        ha="left" if fits else "right",
        va="center" if fits else "bottom",
        fontsize=size,
    )
