"""Charts of time: the activity, life span and survival of projects, growth, and months."""

from __future__ import annotations

from datetime import date
from typing import Unpack

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.dates import date2num
from matplotlib.patches import Patch
from matplotlib.ticker import MultipleLocator
from pandas.tseries.offsets import MonthBegin

from dirframe import stats
from dirframe._display import quantity
from dirframe.plot import axes, text
from dirframe.plot.axes import bar_chart
from dirframe.plot.canvas import Canvas, Look, of_project
from dirframe.plot.colours import ACCENT, NEUTRAL, OTHER, bar_properties, fills, language_colour
from dirframe.stats.counts import as_names
from dirframe.stats.growth import FREQUENCIES
from dirframe.stats.records import Frame
from dirframe.stats.result import REASONS

_ANOTHER = "another or none"
_PERIODS = {"D": "day", "W": "week", "M": "month", "Q": "quarter", "Y": "year"}
#: Of each lane its name, colour, bottom and height, as shares of the axes.
_LANES = {
    "commits": ("Commits", ACCENT, 0.46, 0.54),
    "contributors": ("Contributors (people)", NEUTRAL, 0.0, 0.38),
}
_TICK_WIDTH = 5.5  # ems of a tick with the number at risk


def activity(
    frame: Frame,
    *,
    ax: Axes | None = None,
    as_of: date | str | None = None,
    window: int = 12,
    **look: Unpack[Look],
) -> Axes:
    """Draw a bar each for active, dormant and unknown projects, with their share of the known ones.

    The caption defines active, and states who is unknown. Options as `dirframe.stats.activity` and
    `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_min_month": pd.to_datetime(["2008-02-01", "2009-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2010-01-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30", "2013-07-02"])})
    >>> [int(bar.get_width()) for bar in activity(projects).patches]
    [1, 1, 0]
    """
    table = stats.activity(frame, as_of=as_of, window=window)
    month = table["as_of"].iloc[0]
    period = "the month of" if window == 1 else f"the {window} months up to"
    later = {"begun_after_as_of"}
    is_by_month = "window" in text.counts_of(table)
    stated = (
        "By the directory's class of each project (project_activity_index), since no analysis was sent. "
        "Dormant: inactive. Active: all others, also new projects."
    )
    known = pd.notna(month) and (
        f"Active: the last month of activity is in {period} {month:%Y-%m}, or later. "
        "Known where the code was fetched in that month or later."
    )
    return bar_chart(
        table,
        ax,
        look,
        known if is_by_month else stated,
        text.not_shown(table, REASONS.keys() - later, "Unknown"),
        colours=[ACCENT, NEUTRAL, OTHER],
        needs="begun yet",
        reasons=later,
    )


def life_span(
    frame: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 20,
    window: int = 12,
    **look: Unpack[Look],
) -> Axes:
    """Draw a bar for each project, from its first to its last month with activity (UTC).

    The longest are at the top, in the fill of their main language. Beside it the months, with a
    plus if the life had not ended when the code was fetched, or this is unknown; the caption says
    of how many. Options as `dirframe.stats.life_span` and `dirframe.plot`.

    Examples
    --------
    >>> month = pd.to_datetime(["2010-01-01"])
    >>> projects = pd.DataFrame({"name": ["Ant"], "analysis_main_language_name": ["C"],
    ...     "analysis_min_month": month, "analysis_max_month": month, "analysis_logged_at": month})
    >>> [label.get_text() for label in life_span(projects).get_yticklabels()]
    ['Ant']
    """
    table = stats.life_span(frame, top=top, window=window)
    canvas = Canvas(table, ax, look, rows=len(table) + 3)  # room for the legend
    if canvas.is_empty:
        return canvas.finish()
    names = as_names(table["name"]).astype("str").fillna("id " + table["id"])
    ax, size = canvas.ax, axes.rows(canvas.ax, [*names.fillna("without a name")])
    spoken = [name if language_colour(name) != NEUTRAL else _ANOTHER for name in table["language"]]
    languages = sorted(dict.fromkeys(spoken), key=lambda name: name == _ANOTHER)
    fill_of = fills(languages) | {_ANOTHER: (NEUTRAL, "....")}
    starts = date2num(table["first_month"])
    lengths = date2num(table["last_month"] + MonthBegin(1)) - starts
    height = axes.thickness(len(table))
    for row, language in enumerate(spoken):
        life = bar_properties(*fill_of[language])
        ax.barh(row, lengths[row], height, starts[row], linewidth=0, **life)
    ax.margins(x=0.02)
    axes.date_axis(ax)
    ended = table["ended"].fillna(value=False)
    months = [f"{n:,}{'+' * (not end)}" for n, end in zip(table["months"], ended, strict=True)]
    right, pad = axes.columns(ax, {"months": months}, size)
    axes.units(ax, "First to last month with activity (UTC)", right=right)
    key = [Patch(label=name, linewidth=0, **bar_properties(*fill_of[name])) for name in languages]
    axes.legend(ax, key, "Main language")
    counts = text.counts_of(table)
    lives, going = counts["with_life_span"], counts["with_life_span"] - counts["ended"]
    before = f"in the {quantity(window, 'month')} before its code was fetched"
    return canvas.finish(
        going > 0
        and f"+: active {before}, or not known to have ended. Such are {going:,} of all {lives:,} "
        "lives, which may go on: mean and median of the lengths are too low.",
        pad=pad,
        reasons=REASONS.keys() - {"end_unknown"},
    )


def survival(
    frame: Frame,
    *,
    ax: Axes | None = None,
    window: int = 12,
    confidence: float = 0.95,
    **look: Unpack[Look],
) -> Axes:
    """Draw the share of projects that live on, with its interval and the numbers at risk.

    The curve of Kaplan and Meier over months since the first activity. The caption states the
    median life and what is an end. Options as `dirframe.stats.survival` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_min_month": pd.to_datetime(["2010-01-01"] * 2),
    ...     "analysis_max_month": pd.to_datetime(["2010-03-01", "2013-07-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"] * 2)})
    >>> survival(projects).lines[0].get_ydata().tolist()
    [1.0, 0.5, 0.5]
    """
    table = stats.survival(frame, window=window, confidence=confidence)
    canvas = Canvas(table, ax, look)
    if canvas.is_empty:
        return canvas.finish()
    ax = canvas.ax
    curve = table.astype(float)
    months, last = curve["months"], curve["months"].iloc[-1]
    low, high = curve["low"], curve["high"]
    ax.fill_between(months, low, high, step="post", color=ACCENT, alpha=0.2, linewidth=0)
    ax.step(months, curve["survival"], where="post", color=ACCENT, linewidth=1.8)
    axes.share_axis(ax.yaxis)
    ax.set(xlim=(0, last), ylim=(0, 1.02))
    size = text.size(ax, "small")
    ticks = max(min(text.width(ax) / (_TICK_WIDTH * size), 8), 2)
    ax.tick_params(axis="x", labelsize=size)
    ax.xaxis.set_major_locator(MultipleLocator(12 * (int(last / 12 / ticks) + 1)))
    left = np.append(curve["at_risk"], 0)
    ax.xaxis.set_major_formatter(
        lambda month, _: f"{month:,.0f}\n{left[np.searchsorted(months, month)]:,.0f}"
    )
    unit = "Months since the first activity; below: at risk"
    axes.units(ax, unit, "Projects that live on (share)")
    axes.grid(ax)
    below, alive = table["months"][table["survival"] <= 0.5], text.counts_of(table)["not_ended"]
    return canvas.finish(
        f"Median life: {quantity(int(below.iloc[0]), 'month')}."
        if len(below)
        else "More than half live on as long as any was seen.",
        f"Ended: no activity in the last {quantity(window, 'month')} seen; {alive:,} had not ended.",
        f"Band: {confidence:.0%} interval of Kaplan and Meier's estimate.",
    )


def growth(
    frame: Frame,
    *,
    ax: Axes | None = None,
    freq: str = "MS",
    cumulative: bool = True,
    **look: Unpack[Look],
) -> Axes:
    """Draw a step for each period: all records up to its end or, if not `cumulative`, the new ones.

    A last period that is not over at the newest date in the data is hatched. Options as
    `dirframe.stats.growth` and `dirframe.plot`.

    Examples
    --------
    >>> created = pd.to_datetime(["2013-01-31", "2013-03-01", "2013-03-31"])
    >>> growth(pd.DataFrame({"created_at": created})).patches[0].get_data().values.tolist()
    [1.0, 1.0, 3.0]
    """
    table = stats.growth(frame, freq=freq)
    canvas = Canvas(table, ax, look)
    nouns = text.collection_of(table)
    canvas.heading = f"Growth of {nouns}" if cumulative else f"New {nouns}"
    if canvas.is_empty:
        return canvas.finish()
    ax, starts, unfinished = canvas.ax, table["start"], ~table["finished"].to_numpy(bool)
    heights = table["total" if cumulative else "new"].to_numpy(float)
    last = starts.dt.tz_localize(None).dt.to_period(FREQUENCIES[freq]).iloc[-1]
    edges = date2num([*starts, (last + 1).start_time.tz_localize("UTC")])
    axes.steps(ax, edges, heights, unfinished, ACCENT)
    axes.date_axis(ax)
    ax.set(xlim=(edges[0], edges[-1]), ylim=(0, max(heights.max(), 1) * 1.05))
    axes.number_axis(ax.yaxis)
    unit = f"{nouns.capitalize()} in all" if cumulative else nouns.capitalize()
    axes.units(ax, f"Created at (UTC, by {_PERIODS[freq[0]]})", unit)
    axes.grid(ax)
    return canvas.finish(
        any(unfinished) and f"Hatched: the period from {starts.iloc[-1]:%Y-%m-%d} was not over.",
    )


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
    canvas.subject = of_project(frame)
    if canvas.is_empty:
        return canvas.finish()
    ax, size = canvas.ax, text.size(canvas.ax, "small")
    unfinished = ~table["finished"].fillna(value=True).to_numpy(bool)
    edges = date2num([*table["month"], table["month"].iloc[-1] + MonthBegin()])
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
        axes.grid(lane)
    months = ", ".join(f"{month:%Y-%m}" for month in table["month"][unfinished])
    filled = text.counts_of(table)["months_filled"]
    return canvas.finish(
        any(unfinished) and f"Hatched: not over when it was loaded ({months}).",
        filled > 0 and f"{quantity(filled, 'month')} without a row: 0.",
    )
