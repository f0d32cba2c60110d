"""Chart of the monthly activity of one project."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.ticker import FixedFormatter, FixedLocator, MaxNLocator

from dirframe import provenance, stats
from dirframe._display.values import counted
from dirframe.plot._backends import drawn
from dirframe.plot._description.chart import Axis, Chart, Marks
from dirframe.plot._description.colours import NEUTRAL
from dirframe.plot._description.options import current
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import dates, scales, typography

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame

#: Gap above the lower lane and its height, as shares of the height of the upper lane.
_GAP, _LANE = 0.16, 0.72
#: Room for the name above each lane, as a share of its height.
_HEAD = 0.28


@drawn("x")
def monthly_activity(
    frame: Frame,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the monthly commits and contributors of a project.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        The months of one project as `dirframe.load_activity` gives them, or with `by` those of
        several;
        `dirframe.stats.monthly_activity` fills the gaps.

    Returns
    -------
    matplotlib.axes.Axes
        Two lanes over one axis of months (UTC) with a step per month: commits above, contributors
        (people) below, each with its own scale and ticks. A month that was not over when the frame
        was loaded is hatched, is not part of the step line, and is named in the caption.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.monthly_activity`.

    Examples
    --------
    >>> import pandas as pd
    >>> months = pd.to_datetime(["2013-01-01", "2013-03-01"])
    >>> frame = pd.DataFrame({"month": months, "commits": [7, 2], "contributors": [3, 1]})
    >>> ax = monthly_activity(frame)
    >>> ax.patches[0].get_data().values.tolist()
    [7.0, 0.0, 2.0]
    """
    table, counts = table_of(stats.monthly_activity, frame, **selection)
    project = provenance.get_provenance(table)["query"].get("project")
    title = "Commits and contributors by month" + (f": {project}" if project else "")
    year = dates.only_year(table["month"])
    chart = partial(
        Chart,
        table=table,
        title=title,
        empty=typography.empty_reason(counts, "a month"),
        x=Axis(label=f"Month (UTC{year})", scale="date"),
        lanes=("Commits", "Contributors (people)"),
        draw=_draw,
    )
    if table.empty:
        return chart()
    edges = dates.positions([*table["month"], table["month"].iloc[-1] + pd.offsets.MonthBegin()])
    unfinished = ~table["finished"].fillna(value=True).to_numpy(bool)
    steps = [
        Marks(
            kind="columns",
            table=table,
            x=edges,
            y=table[name].to_numpy(float, na_value=np.nan),
            colours=[colour],
            unfinished=unfinished,
            lane=lane,
        )
        for lane, (name, colour) in enumerate(
            [("commits", current().palette.accent), ("contributors", NEUTRAL)]
        )
    ]
    return chart(marks=steps, notes=_notes(table, counts))


def _draw(ax: Axes, chart: Chart) -> None:
    commits, people = chart.marks
    edges = commits.x
    scales.labels(ax, chart)
    most_commits, most_people = (max(np.nanmax(lane.y, initial=0), 1.0) for lane in chart.marks)
    bottom, scale = -most_commits * (_GAP + _LANE), most_commits * _LANE / most_people / (1 + _HEAD)
    _lane(ax, commits, bottom=0, scale=1)
    _lane(ax, people, bottom=bottom, scale=scale)
    ax.spines["left"].set_visible(False)  # it would suggest a common scale
    dates.axis(ax)
    ax.set_xlim(edges[0], edges[-1])
    ax.set_ylim(bottom, most_commits * (1 + _HEAD))
    _ticks(ax, (0, 1, most_commits), (bottom, scale, most_people))
    tops = (most_commits * (1 + _HEAD), bottom + most_commits * _LANE)
    for name, height in zip(chart.lanes, tops, strict=True):
        size = typography.size(ax, "small")
        ax.annotate(
            name,
            (0, height),
            (4, -2),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="top",
            fontsize=size,
            **typography.plain_text_props(),
        )


def _lane(ax: Axes, steps: Marks, *, bottom: float, scale: float) -> None:
    """Draw the steps of a lane from its bottom, the unfinished ones hatched."""
    colour = steps.colours[0]
    heights = np.where(steps.unfinished, np.nan, steps.y) * scale + bottom
    filled = np.where(steps.unfinished, bottom, heights)  # a step line breaks at missing values
    ax.stairs(filled, steps.x, baseline=bottom, fill=True, color=colour, alpha=0.35, linewidth=0)
    ax.stairs(heights, steps.x, baseline=None, color=colour, linewidth=1.2)
    ax.axhline(bottom, color=mpl.rcParams["axes.edgecolor"], linewidth=0.8)
    dates.hatch_unfinished(ax, steps, steps.y * scale, bottom=bottom, colour=colour)


def _ticks(ax: Axes, *lanes: tuple[float, float, float]) -> None:
    """Set the ticks of both lanes, each with its own origin and scale."""
    size = typography.size(ax, mpl.rcParams["ytick.labelsize"])
    ax.tick_params(axis="y", labelsize=size)
    positions: list[float] = []
    labels: list[str] = []
    for bottom, scale, maximum in lanes:
        share = maximum * scale / (ax.get_ylim()[1] - ax.get_ylim()[0])
        fit = max(min(int(0.7 * typography.height(ax) * share / (1.6 * size)), 5), 2)
        locator = MaxNLocator(nbins=fit, integer=True, steps=[1, 2, 5, 10])
        ticks = [tick for tick in locator.tick_values(0, maximum) if 0 <= tick <= maximum]
        positions += [bottom + tick * scale for tick in ticks]
        labels += [f"{tick:,.0f}" for tick in ticks]
    ax.yaxis.set_major_locator(FixedLocator(positions))
    ax.yaxis.set_major_formatter(FixedFormatter(labels))
    for label in ax.get_yticklabels():
        label.set(**typography.plain_text_props())


def _notes(table: pd.DataFrame, counts: dict[str, int]) -> list[str]:
    unfinished = table["month"][~table["finished"].fillna(value=True)]
    notes = []
    if len(unfinished):
        months = ", ".join(f"{month:%Y-%m}" for month in unfinished)
        notes.append(f"Hatched: not over when it was loaded ({months}).")
    if counts["months_filled"]:
        notes.append(f"{counted(counts['months_filled'], 'month')} without a row: 0.")
    reasons = {
        "without a month": counts["month_missing"],
        "without valid commits": counts["commits_invalid"],
        "without valid contributors": counts["contributors_invalid"],
    }
    return [*notes, typography.not_shown(counts, reasons)]
