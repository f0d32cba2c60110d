"""Charts of the activity, life span and survival of projects."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MultipleLocator
from pandas.tseries.offsets import MonthBegin

from dirframe import stats
from dirframe._display import counted
from dirframe.plot import axes, text
from dirframe.plot.axes import bar_chart
from dirframe.plot.canvas import Canvas, Look
from dirframe.plot.colours import ACCENT, NEUTRAL, OTHER, fill, language_colour, looks

if TYPE_CHECKING:
    from datetime import date

    from matplotlib.axes import Axes

    from dirframe.stats.kernel import Frame

_ANOTHER = "another or none"
_FAULTS = {
    "month_missing": "without both months",
    "months_reversed": "that ended before they began",
    "months_after_fetch": "with activity after the fetch",
}
_TICK_WIDTH = 5.5  # ems of a tick with the number at risk


def activity(
    projects: Frame,
    *,
    ax: Axes | None = None,
    as_of: date | str | None = None,
    window: int = 12,
    **look: Unpack[Look],
) -> Axes:
    """Draw a bar each for active, dormant and unknown projects, with their share of the known ones.

    The caption defines active, and states who is unknown.

    Options as `dirframe.stats.activity` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_min_month": pd.to_datetime(["2008-02-01", "2009-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2010-01-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30", "2013-07-02"])})
    >>> [int(bar.get_width()) for bar in activity(projects).patches]
    [1, 1, 0]
    """
    table = stats.activity(projects, as_of=as_of, window=window)
    month, known = table["as_of"].iloc[0], ""
    if not pd.isna(month):
        period = "the month of" if window == 1 else f"the {window} months up to"
        known = (
            f"Active: activity in {period} {month:%Y-%m}, or before and after it. "
            "Known where the code was fetched in that month or later."
        )
    unknown = text.not_shown(
        table,
        "Unknown",
        not_fetched_since="not fetched since",
        fetch_missing="without a date of the fetch",
        fetch_impossible="with a date of the fetch that cannot be",
        **_FAULTS,
    )
    return bar_chart(
        table,
        ax,
        look,
        known,
        unknown,
        text.not_shown(table, begun_after_as_of="begun later"),
        colours=[ACCENT, NEUTRAL, OTHER],
        needs="begun yet",
        is_empty=not table["projects"].sum(),
    )


def life_span(
    projects: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 20,
    window: int = 12,
    **look: Unpack[Look],
) -> Axes:
    """Draw a bar for each project, from its first to its last month with activity (UTC).

    The longest are at the top, in the look of their main language. Beside it the months, with a
    plus if the life had not ended when the code was fetched, or this is unknown; the caption says
    of how many.

    Options as `dirframe.stats.life_span` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"name": ["Ant"], "analysis_main_language_name": ["C"],
    ...     "analysis_min_month": pd.to_datetime(["2010-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2011-02-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"])})
    >>> [label.get_text() for label in life_span(projects).get_yticklabels()]
    ['Ant']
    """
    table = stats.life_span(projects, top=top, window=window)
    canvas = Canvas(table, ax, look, rows=len(table) + 3)  # room for the legend
    if canvas.is_empty:
        return canvas.finish()
    pad = _draw_lives(canvas.ax, table)
    lives, ended = (text.counts_of(table)[name] for name in ("with_life_span", "ended"))
    before = f"in the {counted(window, 'month')} before its code was fetched"
    such = f"{lives - ended:,} of all {lives:,} lives"
    return canvas.finish(
        ended < lives and f"+: active {before}, or not known to have ended.",
        ended < lives
        and f"Such are {such}, which may go on: mean and median of the lengths are too low.",
        text.not_shown(table, projects_not_shown="with a shorter life", **_FAULTS),
        pad=pad,
    )


def _draw_lives(ax: Axes, table: pd.DataFrame) -> float:
    """Draw a bar for each project, with a legend; return the distance of the title."""
    unnamed = "id " + table["id"].fillna("not known")
    size = axes.rows(ax, list(table["name"].fillna(unnamed)))
    starts = axes.days(table["first_month"])
    lengths = axes.days(table["last_month"] + MonthBegin(1)) - starts
    spoken = table["language"].fillna("")
    languages = [_ANOTHER if language_colour(name) == NEUTRAL else name for name in spoken]
    names = sorted(dict.fromkeys(languages), key=lambda name: name == _ANOTHER)
    look = looks(names) | {_ANOTHER: (NEUTRAL, "....")}
    height = axes.thickness(len(table))
    for row, language in enumerate(languages):
        life = fill(*look[language])
        ax.barh(row, lengths[row], height, starts[row], linewidth=0, **life)
    axes.date_axis(ax)
    ax.margins(x=0.02)
    axes.units(ax, "First to last month with activity (UTC)")
    ended = table["ended"].fillna(value=False)
    months = [f"{n:,}{'+' * (not end)}" for n, end in zip(table["months"], ended, strict=True)]
    pad = axes.columns(ax, {"months": months}, size)
    handles = [Patch(label=name, linewidth=0, **fill(*look[name])) for name in names]
    axes.legend(ax, handles, "Main language")
    return pad


def survival(
    projects: Frame,
    *,
    ax: Axes | None = None,
    window: int = 12,
    confidence: float = 0.95,
    **look: Unpack[Look],
) -> Axes:
    """Draw the share of projects that live on, with its interval and the numbers at risk.

    The curve of Kaplan and Meier over months since the first activity. The caption states the
    median life and what is an end.

    Options as `dirframe.stats.survival` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_min_month": pd.to_datetime(["2010-01-01"] * 2),
    ...     "analysis_max_month": pd.to_datetime(["2010-03-01", "2013-07-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"] * 2)})
    >>> survival(projects).lines[0].get_ydata().tolist()
    [1.0, 0.5, 0.5]
    """
    table = stats.survival(projects, window=window, confidence=confidence)
    canvas = Canvas(table, ax, look)
    if canvas.is_empty:
        return canvas.finish()
    ax = canvas.ax
    months, share, low, high, at_risk = (
        table[name].to_numpy(float, na_value=np.nan)
        for name in ("months", "survival", "low", "high", "at_risk")
    )
    ax.fill_between(months, low, high, step="post", color=ACCENT, alpha=0.2, linewidth=0)
    ax.plot(months, share, color=ACCENT, linewidth=1.8, drawstyle="steps-post", label="survival")
    axes.share_axis(ax.yaxis)
    ax.set(xlim=(0, months[-1]), ylim=(0, 1.02))
    size = text.size(ax, "small")
    ticks = max(min(text.width(ax) / (_TICK_WIDTH * size), 8), 2)
    ax.tick_params(axis="x", labelsize=size)
    ax.xaxis.set_major_locator(MultipleLocator(12 * (int(months[-1] / 12 / ticks) + 1)))
    ax.xaxis.set_major_formatter(FuncFormatter(partial(_at_risk, months, at_risk)))
    unit = "Months since the first activity; below: at risk"
    axes.units(ax, unit, "Projects that live on (share)")
    below, alive = table["months"][table["survival"] <= 0.5], text.counts_of(table)["not_ended"]
    return canvas.finish(
        f"Median life: {counted(int(below.iloc[0]), 'month')}."
        if len(below)
        else "More than half live on as long as any was seen.",
        f"Ended: no activity in the last {counted(window, 'month')} seen; {alive:,} had not ended.",
        f"Band: {confidence:.0%} interval of Kaplan and Meier's estimate.",
        text.not_shown(table, end_unknown="whose end is not known", **_FAULTS),
    )


def _at_risk(months: Any, at_risk: Any, value: float, _place: int | None = None) -> str:
    """Label a tick with its month and the projects at risk then."""
    row = int(np.searchsorted(months, value))
    number = at_risk[row] if row < len(at_risk) else 0
    return f"{value:,.0f}\n{number:,.0f}"
