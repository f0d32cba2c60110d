"""Charts of the activity, life span and survival of projects."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MultipleLocator
from pandas.tseries.offsets import MonthBegin

from dirframe import stats
from dirframe._display import counted
from dirframe.plot import axes, text
from dirframe.plot.canvas import Canvas
from dirframe.plot.colours import ACCENT, NEUTRAL, OTHER, fill, has_colour, looks

if TYPE_CHECKING:
    from datetime import date

    from matplotlib.axes import Axes

    from dirframe.plot.canvas import Width

_ANOTHER = "another or none"
_TICK_WIDTH = 5.5  # ems of a tick with the number at risk


def activity(
    projects: Any,
    *,
    as_of: date | str | None = None,
    window: int = 12,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the numbers of active, dormant and unknown projects.

    Parameters
    ----------
    projects, as_of, window
        As for `dirframe.stats.activity`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar each for active and dormant projects, labelled with their number and share of the
        known ones, and a hatched bar for unknown ones. The caption defines active, and states how
        many are unknown and why.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_min_month": pd.to_datetime(["2008-02-01", "2009-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2010-01-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30", "2013-07-02"]),
    ... })
    >>> ax = activity(projects)
    >>> [int(bar.get_width()) for bar in ax.patches]
    [1, 1, 0]
    """
    table = stats.activity(projects, as_of=as_of, window=window)
    with Canvas(
        *(table, "activity", ax, title, caption, width),
        needs="begun yet",
        is_empty=not table["projects"].sum(),
        rows=len(table),
    ) as canvas:
        if not canvas.is_empty:
            axes.bars(
                *(canvas.ax, table, "activity", "projects"),
                "Projects (share of those that are known)",
                colours=[ACCENT, NEUTRAL, OTHER],
            )
        month = table["as_of"].iloc[0]
        if not pd.isna(month):
            period = "the month of" if window == 1 else f"the {window} months up to"
            active = f"Active: activity in {period} {month:%Y-%m}, or before and after it."
            canvas.notes = [active, "Known where the code was fetched in that month or later."]
        reasons = {
            "not fetched since": "not_fetched_since",
            "without a date of the fetch": "fetch_missing",
            "with a date of the fetch that cannot be": "fetch_impossible",
            "without both months": "month_missing",
            "that ended before they began": "months_reversed",
            "with activity after the fetch": "months_after_fetch",
        }
        unknown = {reason: canvas.counts[name] for reason, name in reasons.items()}
        canvas.notes.append(text.listed("Unknown", "project", unknown))
        later = {"begun later": canvas.counts["begun_after_as_of"]}
        canvas.notes.append(text.not_shown(canvas.counts, later))
    return canvas.ax


def life_span(
    projects: Any,
    *,
    top: int | None = 20,
    window: int = 12,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw each project from its first to its last month with activity.

    Parameters
    ----------
    projects, top, window
        As for `dirframe.stats.life_span`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per project from the start of its first month to the end of its last (UTC), the
        longest at the top, in the colour and hatch of its main language. The length in months is
        beside it, with a plus if the life had not ended when the code was fetched, or this is
        unknown. The caption states how many lives have not ended, how many projects are not shown,
        and why.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "id": ["1", "2"],
    ...     "name": ["Ant", "Bee"],
    ...     "analysis_main_language_name": ["C", None],
    ...     "analysis_min_month": pd.to_datetime(["2013-07-01", "2012-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2013-02-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30", "2013-07-02"]),
    ...     "analysis_twelve_month_contributor_count": [3, 0],
    ... })
    >>> ax = life_span(projects)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Bee', 'Ant']
    """
    table = stats.life_span(projects, top=top, window=window)
    with Canvas(
        *(table, "life_span", ax, title, caption, width),
        needs="both a first and a last month",
        rows=len(table) + 3,  # room for the legend
    ) as canvas:
        counts = canvas.counts
        if not canvas.is_empty:
            canvas.pad = _draw_lives(canvas.ax, table)
            lives, open_lives = counts["with_life_span"], counts["with_life_span"] - counts["ended"]
            reasons = {
                "with a shorter life": counts["projects_not_shown"],
                "without both months": counts["month_missing"],
                "that ended before they began": counts["months_reversed"],
                "with activity after the fetch": counts["months_after_fetch"],
            }
            canvas.notes = [
                *_open_notes(window, open_lives, lives),
                text.not_shown(counts, reasons),
            ]
    return canvas.ax


def _open_notes(window: int, open_lives: int, lives: int) -> list[str]:
    if not open_lives:
        return []
    before = f"in the {counted(window, 'month')} before its code was fetched"
    return [
        f"+: active {before}, or not known to have ended.",
        (
            f"Such are {open_lives:,} of all {lives:,} lives, which may go on: mean and median of the "
            "lengths are too low."
        ),
    ]


def _draw_lives(ax: Axes, table: pd.DataFrame) -> float:
    """Draw a bar for each project, with a legend; return the distance of the title."""
    unnamed = "id " + table["id"].fillna("not known")
    size = axes.rows(ax, list(table["name"].fillna(unnamed)))
    starts = axes.days(table["first_month"])
    lengths = axes.days(table["last_month"] + MonthBegin(1)) - starts
    languages = [name if has_colour(name) else _ANOTHER for name in table["language"].fillna("")]
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
    months = [
        f"{number:,}{'' if has_ended else '+'}"
        for number, has_ended in zip(table["months"], ended, strict=True)
    ]
    pad = axes.columns(ax, {"months": months}, size)
    handles = [Patch(label=name, linewidth=0, **fill(*look[name])) for name in names]
    axes.legend(ax, handles, "Main language")
    return pad


def survival(
    projects: Any,
    *,
    window: int = 12,
    confidence: float = 0.95,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the share of projects that live on, with the numbers at risk.

    Parameters
    ----------
    projects, window, confidence
        As for `dirframe.stats.survival`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        The curve of Kaplan and Meier over months since the first activity, with its interval;
        below each tick the projects at risk. The caption states the median life and what counts
        as an end.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_min_month": pd.to_datetime(["2010-01-01"] * 2),
    ...     "analysis_max_month": pd.to_datetime(["2010-03-01", "2013-07-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"] * 2),
    ... })
    >>> survival(projects).lines[0].get_ydata().tolist()
    [1.0, 0.5, 0.5]
    """
    table = stats.survival(projects, window=window, confidence=confidence)
    with Canvas(
        *(table, "survival", ax, title, caption, width),
        needs="a life whose end is known",
    ) as canvas:
        counts = canvas.counts
        if not canvas.is_empty:
            _draw_survival(canvas.ax, table)
            below = table["months"][table["survival"] <= 0.5]
            reasons = {
                "whose end is not known": counts["end_unknown"],
                "without both months": counts["month_missing"],
                "that ended before they began": counts["months_reversed"],
                "with activity after the fetch": counts["months_after_fetch"],
            }
            canvas.notes = [
                f"Median life: {counted(int(below.iloc[0]), 'month')}."
                if len(below)
                else "More than half live on as long as any was seen.",
                (
                    f"Ended: no activity in the last {counted(window, 'month')} seen; "
                    f"{counts['not_ended']:,} had not ended."
                ),
                f"Band: {confidence:.0%} interval of Kaplan and Meier's estimate.",
                text.not_shown(counts, reasons),
            ]
    return canvas.ax


def _draw_survival(ax: Axes, table: pd.DataFrame) -> None:
    months, share, low, high = (
        table[name].to_numpy(float, na_value=np.nan)
        for name in ("months", "survival", "low", "high")
    )
    ax.fill_between(months, low, high, step="post", color=ACCENT, alpha=0.2, linewidth=0)
    ax.plot(months, share, color=ACCENT, linewidth=1.8, drawstyle="steps-post", label="survival")
    axes.share_axis(ax, "y")
    ax.set(xlim=(0, months[-1]), ylim=(0, 1.02))
    size = text.size(ax, "small")
    fit = max(min(int(text.width(ax) / (_TICK_WIDTH * size)), 8), 2)
    step = next((12 * n for n in (1, 2, 5, 10, 20, 50) if months[-1] / (12 * n) < fit), 1200)
    ax.tick_params(axis="x", labelsize=size)
    ax.xaxis.set_major_locator(MultipleLocator(step))
    at_risk = table["at_risk"].to_numpy(np.int64)
    ax.xaxis.set_major_formatter(FuncFormatter(partial(_at_risk, months, at_risk)))
    axes.units(
        ax, "Months since the first activity; below: at risk", "Projects that live on (share)"
    )


def _at_risk(months: Any, at_risk: Any, value: float, _place: int | None = None) -> str:
    """Label a tick with its month and the projects at risk then."""
    row = int(np.searchsorted(months, value))
    number = at_risk[row] if row < len(at_risk) else 0
    return f"{value:,.0f}\n{number:,}"
