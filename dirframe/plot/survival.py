"""Charts of the life spans of projects, and of their survival."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.dates import date2num
from matplotlib.ticker import MultipleLocator
from pandas.tseries.offsets import MonthBegin

from dirframe import provenance, stats
from dirframe._display import quantity, suggests_options
from dirframe.plot import fonts, rows, scales
from dirframe.plot.caption import counts_of, not_shown
from dirframe.plot.colours import ACCENT, OTHER_LINE, line_styles
from dirframe.plot.figure import NothingToDrawError, Width, require_figures, show
from dirframe.plot.labels import label_ends
from dirframe.quality.rules import doubtful_starts
from dirframe.stats.counts import as_names
from dirframe.stats.records import Frame
from dirframe.stats.result import REASONS

#: Projects at risk, below which a curve ends: of fewer, a single end is a large step.
LEAST_AT_RISK = 25

_LETTERS = 12  # of the name of a language beside a life
_TICK_WIDTH = 5.5  # ems of a tick with the number at risk


@suggests_options
def life_span(
    frame: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 20,
    window: int = 12,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw a bar for each project, from its first to its last month with activity (UTC).

    The longest are at the top. Beside it the main language and the months, with a plus if the life
    had not ended when the code was fetched, or this is unknown. A first month that `dirframe.flags`
    doubts, since it is before the language or before 1970, is a pale bar and has a question mark.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.life_span` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    top : int or None, default 20
        Number of projects, those with the longest lives; None for all.
    window : int, default 12
        Months without activity, up to the fetch, after which a life has ended: 1 to 24.
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
    >>> month = pd.to_datetime(["2010-01-01"])
    >>> projects = pd.DataFrame({"name": ["Ant"], "analysis_main_language_name": ["C"],
    ...     "analysis_min_month": month, "analysis_max_month": month, "analysis_logged_at": month})
    >>> [label.get_text() for label in life_span(projects).get_yticklabels()]
    ['Ant']
    """
    table = stats.life_span(frame, top=top, window=window)
    return show(
        draw_life_span,
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=len(table) + 2,
    )


def draw_life_span(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a bar for the life of each project."""
    require_figures(table)
    names = as_names(table["name"]).astype("str").fillna("id " + table["id"])
    size = rows.label_rows(ax, [str(name) for name in names.fillna("without a name")])
    starts = date2num(table["first_month"])
    lengths = date2num(table["last_month"] + MonthBegin(1)) - starts
    is_doubtful = doubtful_starts(table["first_month"], table["language"])
    bars = ax.barh(range(len(table)), lengths, rows.thickness(len(table)), starts, color=ACCENT)
    for bar, doubtful in zip(bars, is_doubtful, strict=True):
        bar.set_alpha(rows.PALE if doubtful else None)
    ax.margins(x=0.02)
    months = []
    for number, ended, doubtful in zip(table["months"], table["ended"], is_doubtful, strict=True):
        has_ended = not pd.isna(ended) and ended
        months.append(f"{number:,}{'' if has_ended else '+'}{'?' if doubtful else ''}")
    languages = [_short(str(name)) for name in table["language"].fillna("–")]
    right = rows.write_columns(ax, {"language": languages, "months": months}, size)
    lines = [line for label in ax.get_yticklabels() for line in label.get_text().split("\n")]
    left = fonts.LETTER * size * max(len(line) for line in lines)
    scales.date_axis(ax, taken=left + right)
    scales.grid(ax, "x")
    counts = counts_of(table)
    lives = counts["with_life_span"]
    going = lives - counts["ended"]
    notes = ["Bars: from the first to the last month with activity."]
    if going:
        window = quantity(counts["window"], "month")
        notes.append(
            f"+: active in the {window} before its code was fetched, or not known to have ended. "
            f"{going:,} of {quantity(lives, 'project')} may still be active, so the mean "
            "length is too low."
        )
    if is_doubtful.any():
        notes.append("Pale, ?: the first month is before 1970, or before the language appeared.")
    reasons = REASONS.keys() - {"end_unknown"}
    return [*notes, *not_shown(table, reasons)]


def _short(language: str) -> str:
    return language if len(language) <= _LETTERS else f"{language[: _LETTERS - 1]}…"


@suggests_options
def survival(
    frame: Frame,
    *,
    ax: Axes | None = None,
    window: int = 12,
    confidence: float = 0.95,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw the share of projects that live on, with its interval and the numbers at risk.

    The curve of Kaplan and Meier over years since the first activity. It ends where fewer than 25
    projects are at risk. `panels` draws a labelled line for each group instead.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.survival` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    window : int, default 12
        Months without activity, up to the fetch, after which a life has ended: 1 to 24.
    confidence : float, default 0.95
        Level of the intervals, each by itself: no band for the curve.
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
    >>> projects = pd.DataFrame({"analysis_min_month": pd.to_datetime(["2010-01-01"] * 2),
    ...     "analysis_max_month": pd.to_datetime(["2010-03-01", "2013-07-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"] * 2)})
    >>> survival(projects).lines[0].get_ydata().tolist()
    [1.0, 0.5, 0.5]
    """
    return show(
        partial(draw_survival, confidence=confidence),
        stats.survival(frame, window=window, confidence=confidence),
        ax=ax,
        title=title,
        caption=caption,
        width=width,
    )


def draw_survival(ax: Axes, table: pd.DataFrame, confidence: float = 0.95) -> list[str]:
    """Draw the curve, its interval, and the numbers at risk below the ticks."""
    require_figures(table)
    curve = _reliable(table)
    years = curve["months"] / 12
    ax.fill_between(
        years, curve["low"], curve["high"], step="post", color=ACCENT, alpha=0.2, linewidth=0
    )
    ax.step(years, curve["survival"], where="post", color=ACCENT, linewidth=1.8)
    _set_axes(ax, float(years.max()))
    at_risk = table["at_risk"].to_numpy(int)
    months = table["months"].to_numpy(int)

    def label(year: float, _place: float) -> str:
        place = int(np.searchsorted(months, round(12 * year)))
        number = at_risk[place] if place < len(at_risk) else 0
        return f"{year:g}\n{number:,}"

    ax.xaxis.set_major_formatter(label)
    ax.set_xlabel("Years since the first activity; below: projects at risk")
    notes = [_median(table), *_ends(table)]
    if len(curve) < len(table):
        notes.append(f"The curve ends where fewer than {LEAST_AT_RISK} projects are at risk.")
    notes.append(f"Band: {confidence:.0%} interval of the estimate by Kaplan and Meier.")
    return [*notes, *not_shown(table)]


def draw_survival_by(
    ax: Axes, tables: Mapping[str, pd.DataFrame], *, pooled: str = ""
) -> list[str]:
    """Draw a labelled curve for each group; that of `pooled` smaller groups is grey."""
    curves: dict[str, pd.DataFrame] = {}
    for name, table in tables.items():
        if len(table) and provenance.get_provenance(table)["base"]["records"]:
            curves[name] = _reliable(table)
    if not curves:
        raise NothingToDrawError("")
    styles = line_styles(name for name in curves if name != pooled)
    if pooled in curves:
        styles[pooled] = OTHER_LINE
    ends: dict[str, float] = {}
    for name, curve in curves.items():
        colour, dashes = styles[name]
        years = curve["months"] / 12
        ax.step(
            years,
            curve["survival"],
            where="post",
            color=colour,
            linestyle=dashes,
            linewidth=1.8,
            label=name,
        )
        ends[name] = float(curve["survival"].iloc[-1])
    _set_axes(ax, max(float(curve["months"].max()) / 12 for curve in curves.values()))
    looks = {name: {"color": styles[name][0], "linestyle": styles[name][1]} for name in ends}
    label_ends(ax, ends, looks)
    ax.set_xlabel("Years since the first activity")
    first = next(iter(tables.values()))
    return [
        f"Lines end where fewer than {LEAST_AT_RISK} projects are at risk.",
        *_ends(first)[:1],
        "Estimate: Kaplan and Meier.",
    ]


def _set_axes(ax: Axes, years: float) -> None:
    size = fonts.font_size(ax, "small")
    fitting = max(min(fonts.axes_width(ax) / (_TICK_WIDTH * size), 8), 2)
    step = scales.step_of_years(years, fitting)
    ax.tick_params(axis="x", labelsize=size)
    ax.xaxis.set_major_locator(MultipleLocator(step))
    scales.share_axis(ax.yaxis)
    ax.set(xlim=(0, max(years, 1 / 12)), ylim=(0, 1.02))
    ax.set_ylabel("Projects that live on")
    scales.grid(ax)


def _reliable(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a curve with enough projects at risk; all, if there are never enough."""
    curve = table.astype("Float64").astype(float)
    is_enough = curve["at_risk"] >= LEAST_AT_RISK
    return curve[is_enough] if is_enough.any() else curve


def _median(table: pd.DataFrame) -> str:
    below = table["months"][table["survival"] <= 0.5]
    if not len(below):
        return "Median life: not reached."
    months = int(below.iloc[0])
    return f"Median life: {months / 12:.1f} years ({quantity(months, 'month')})."


def _ends(table: pd.DataFrame) -> list[str]:
    """Return what an end is, and how many projects had not ended."""
    counts = counts_of(table)
    return [
        f"Ended: no activity in the last {quantity(counts['window'], 'month')} observed.",
        f"{quantity(counts['not_ended'], 'project')} had not ended.",
    ]
