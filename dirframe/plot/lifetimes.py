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
from dirframe.plot.canvas import Canvas, bar_chart
from dirframe.plot.colours import ACCENT, NEUTRAL, OTHER, fill, has_colour, looks

if TYPE_CHECKING:
    from datetime import date

    from matplotlib.axes import Axes

    from dirframe.plot.canvas import Width

_ANOTHER = "another or none"
_FAULTS = {
    "month_missing": "without both months",
    "months_reversed": "that ended before they began",
    "months_after_fetch": "with activity after the fetch",
}
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
    projects, as_of, window, ax, title, caption, width
        As `dirframe.stats.activity` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        A bar each for active and dormant projects, with their number and share of the known ones,
        and a hatched one for unknown ones. The caption defines active, and states who is unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_min_month": pd.to_datetime(["2008-02-01", "2009-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2010-01-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30", "2013-07-02"])})
    >>> [int(bar.get_width()) for bar in activity(projects).patches]
    [1, 1, 0]
    """
    table = stats.activity(projects, as_of=as_of, window=window)
    counts, month = text.counts_of(table), table["as_of"].iloc[0]
    notes = []
    if not pd.isna(month):
        period = "the month of" if window == 1 else f"the {window} months up to"
        notes = [
            f"Active: activity in {period} {month:%Y-%m}, or before and after it.",
            "Known where the code was fetched in that month or later.",
        ]
    return bar_chart(
        *(table, "activity", (ax, title, caption, width)),
        name="activity",
        unit="Projects (share of those that are known)",
        colours=[ACCENT, NEUTRAL, OTHER],
        needs="begun yet",
        notes=[
            *notes,
            text.listed(
                *("Unknown", counts),
                not_fetched_since="not fetched since",
                fetch_missing="without a date of the fetch",
                fetch_impossible="with a date of the fetch that cannot be",
                **_FAULTS,
            ),
            text.not_shown(counts, begun_after_as_of="begun later"),
        ],
    )


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
    projects, top, window, ax, title, caption, width
        As `dirframe.stats.life_span` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per project from the start of its first month to the end of its last (UTC), the
        longest at the top, in the look of its main language. Beside it the months, with a plus if
        the life had not ended when the code was fetched, or this is unknown; the caption says of
        how many.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"name": ["Ant"], "analysis_main_language_name": ["C"],
    ...     "analysis_min_month": pd.to_datetime(["2010-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2011-02-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"])})
    >>> [label.get_text() for label in life_span(projects).get_yticklabels()]
    ['Ant']
    """
    table = stats.life_span(projects, top=top, window=window)
    with Canvas(
        *(table, "life_span", (ax, title, caption, width)),
        needs="both a first and a last month",
        rows=len(table) + 3,  # room for the legend
    ) as canvas:
        counts = canvas.counts
        if not canvas.is_empty:
            canvas.pad = _draw_lives(canvas.ax, table)
            lives, open_lives = counts["with_life_span"], counts["with_life_span"] - counts["ended"]
            canvas.notes = [
                *_open_notes(window, open_lives, lives),
                text.not_shown(counts, projects_not_shown="with a shorter life", **_FAULTS),
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
    projects, window, confidence, ax, title, caption, width
        As `dirframe.stats.survival` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        The curve of Kaplan and Meier over months since the first activity, with its interval; below
        each tick the projects at risk. The caption states the median life and what is an end.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_min_month": pd.to_datetime(["2010-01-01"] * 2),
    ...     "analysis_max_month": pd.to_datetime(["2010-03-01", "2013-07-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"] * 2)})
    >>> survival(projects).lines[0].get_ydata().tolist()
    [1.0, 0.5, 0.5]
    """
    table = stats.survival(projects, window=window, confidence=confidence)
    with Canvas(
        *(table, "survival", (ax, title, caption, width)),
        needs="a life whose end is known",
    ) as canvas:
        counts = canvas.counts
        if not canvas.is_empty:
            _draw_survival(canvas.ax, table)
            below = table["months"][table["survival"] <= 0.5]
            canvas.notes = [
                f"Median life: {counted(int(below.iloc[0]), 'month')}."
                if len(below)
                else "More than half live on as long as any was seen.",
                (
                    f"Ended: no activity in the last {counted(window, 'month')} seen; "
                    f"{counts['not_ended']:,} had not ended."
                ),
                f"Band: {confidence:.0%} interval of Kaplan and Meier's estimate.",
                text.not_shown(counts, end_unknown="whose end is not known", **_FAULTS),
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
