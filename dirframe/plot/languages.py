"""Charts of the languages of projects."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dirframe import stats
from dirframe._display import percent, quantity, suggests_options
from dirframe.plot import fonts, rows, scales
from dirframe.plot.caption import counts_of, not_over, not_shown
from dirframe.plot.colours import ACCENT, NEUTRAL, OTHER, OTHER_HATCH, bar_properties, fills
from dirframe.plot.figure import (
    NothingToDrawError,
    Width,
    of_project,
    require_figures,
    show,
)
from dirframe.plot.labels import label_ends
from dirframe.stats.records import CODE_LINES, LANGUAGES, NAME, Frame, fetch

#: Height of a chart of years, and of the name of a language beside it, in rows.
_YEAR_ROWS, _NAME_ROWS = 11.0, 0.8
_ESTIMATED = 1_000  # lines, from which their number has three digits


@suggests_options
def language_share(
    frame: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 20,
    confidence: float = 0.95,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw a bar for each main language: its projects, and their share of those with one.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.language_share` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    top : int or None, default 20
        Number of languages with bars of their own; None for all.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.
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
    >>> projects = pd.DataFrame({"analysis_main_language_name": ["C", "Java", "C"]})
    >>> [int(bar.get_width()) for bar in language_share(projects).patches]
    [2, 1]
    """
    table = stats.language_share(frame, top=top, confidence=confidence)
    return show(
        draw_language_share,
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=len(table),
    )


def draw_language_share(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a bar for each main language."""
    notes = rows.share_bars(ax, table, others="in {} other languages")
    return [*notes, *not_shown(table, ["without_analysis", "without_language"])]


@suggests_options
def contributors_by_language(
    frame: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 20,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw the median and the quartiles of contributors per project, by main language.

    The highest median is at the top. Languages with fewer than 10 projects are pale, below the
    others. The x axis is logarithmic, and linear below 1, since many projects have none.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.contributors_by_language` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    top : int or None, default 20
        Number of languages with rows of their own, those with the most contributors; None for all.
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
    >>> projects = pd.DataFrame({"analysis_main_language_name": ["C", "C", "C", "Java"],
    ...                          "analysis_twelve_month_contributor_count": [0, 2, 10, 1]})
    >>> [label.get_text() for label in contributors_by_language(projects).get_yticklabels()]
    ['C', 'Java']
    """
    table = stats.contributors_by_language(frame, top=top)
    return show(
        draw_contributors_by_language,
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=len(table) + 1,
    )


def draw_contributors_by_language(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a dot at the median of each language, and a line between the quartiles."""
    require_figures(table)
    ranked = _ranked(table)
    size = rows.label_rows(ax, [str(name) for name in ranked["language"]])
    known = ranked[ranked["projects_counted"] > 0]
    numbers = known.select_dtypes("number").astype("Float64").astype(float)
    low, high = numbers["lower_quartile"], numbers["upper_quartile"]
    is_few = numbers["projects_counted"] < rows.FEW
    dot = max(0.7 * size, 3.5)
    for label, part, alpha in (("median", ~is_few, 1.0), ("few", is_few, rows.PALE)):
        if not part.any():
            continue  # an empty line would count as a point at 0
        y = numbers.index[part]
        ax.hlines(y, low[part], high[part], colors=ACCENT, linewidth=2.2, alpha=alpha, label=label)
        (dots,) = ax.plot(numbers["median"][part], y, "o", color=ACCENT, markersize=dot)
        dots.set(alpha=alpha, zorder=3, label=label, clip_on=False)
    scales.grid(ax, "x")
    scales.log_axis_from_zero(ax, float(high.max()))
    columns = {"median": "median", "projects": "projects_counted"}
    cells = {name: [_number(n) for n in ranked[column]] for name, column in columns.items()}
    rows.write_columns(ax, cells, size)
    ax.set_xlabel("Contributors, logarithmic", loc="right")
    notes = [
        "Dot: the median of contributors in twelve months. Line: the middle half of the projects."
    ]
    if is_few.any():
        notes.append(f"Pale: languages with fewer than {rows.FEW} projects.")
    return [*notes, *not_shown(table)]


def _ranked(table: pd.DataFrame) -> pd.DataFrame:
    """Return languages by their median, those with few projects and the others last."""
    is_other = pd.Series(False, table.index)
    if rows.has_other_row(table):
        is_other.iloc[-1] = True
    keys = table.assign(other=is_other, few=(table["projects_counted"].fillna(0) < rows.FEW))
    keys["few"] = keys["few"] & ~keys["other"]
    keys = keys.sort_values(
        ["other", "few", "median", "upper_quartile", "contributors"],
        ascending=[True, True, False, False, False],
        kind="stable",
    )
    return table.loc[keys.index].reset_index(drop=True)


def _number(number: Any) -> str:
    return "–" if pd.isna(number) else f"{number:,.1f}".removesuffix(".0")


@suggests_options
def language_breakdown(
    frame: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 20,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw a bar for each language, the most lines of code at the top, with number and share.

    The last bar is that of lines that the directory does not break down.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.language_breakdown` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    top : int or None, default 20
        Number of languages with bars of their own; None for all.
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
    >>> both = [{"language": "C", "percentage": "80"}, {"language": "Perl", "percentage": "20"}]
    >>> lines = {"analysis_total_code_lines": [1000], "analysis_languages": [both]}
    >>> [int(bar.get_width()) for bar in language_breakdown(pd.DataFrame(lines)).patches]
    [800, 200]
    """
    frame = fetch(frame, [LANGUAGES, CODE_LINES, NAME, "project_id"])  # a stream, only once
    table = stats.language_breakdown(frame, top=top)
    return show(
        draw_language_breakdown,
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        subject=of_project(frame),
        rows=len(table) + 1,
    )


def draw_language_breakdown(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a bar for the lines of each language, and one for those that are not broken down."""
    lines = [float(number) for number in table["code_lines"]]
    if not sum(lines):
        raise NothingToDrawError("have languages with lines of code")
    names = [str(name) for name in table["language"]]
    texts = [
        f"{_lines_text(number)} ({percent(share)})"
        for number, share in zip(lines, table["share"], strict=True)
    ]
    colours = [ACCENT] * len(names)
    if rows.has_other_row(table):
        colours[-1] = OTHER
    notes = ["Percentages are of the lines in a named language."]
    unnamed = counts_of(table)["code_lines_unnamed"]
    if unnamed:
        names.append("not broken down")
        lines.append(float(unnamed))
        texts.append(_lines_text(unnamed))
        colours.append(NEUTRAL)
        notes.append("Not broken down: lines to which the directory gives no language by name.")
    rows.draw_bars(ax, names, lines, texts, colours=colours)
    return [*notes, *not_shown(table)]


def _lines_text(lines: float) -> str:
    """Format a number of lines, which is an estimate, with three digits: 950, 12.0k, 1.25M."""
    return scales.compact(lines, pads=True) if lines >= _ESTIMATED else f"{lines:,.0f}"


@suggests_options
def languages_by_year(
    frame: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 5,
    date: Literal["analysis_min_month", "created_at"] = "analysis_min_month",
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw a bar for the projects begun in each year, stacked by the share of each main language.

    The language with the most projects is at the bottom. Years with fewer than 10 projects, and one
    that was not over at the retrieval, are pale; small years before all others are left out.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.languages_by_year` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    top : int or None, default 5
        Number of languages of their own; None for all.
    date : {"analysis_min_month", "created_at"}, default "analysis_min_month"
        Whether a project begins with its first month with activity, or when the directory got it.
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
    >>> months = pd.to_datetime(["2012-05-01", "2013-01-01"])
    >>> projects = pd.DataFrame({"analysis_main_language_name": "C", "analysis_min_month": months})
    >>> [float(bar.get_height()) for bar in languages_by_year(projects).containers[0]]
    [1.0, 1.0]
    """
    table = stats.languages_by_year(frame, top=top, date=date)
    begun = "first activity" if date == "analysis_min_month" else "entry in the directory"
    return show(
        partial(draw_languages_by_year, begun=begun),
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=max(_YEAR_ROWS, _NAME_ROWS * table["language"].nunique()),
    )


def draw_languages_by_year(
    ax: Axes, table: pd.DataFrame, begun: str = "first activity"
) -> list[str]:
    """Draw a bar of shares for each year, and the names of the languages at its end."""
    require_figures(table)
    totals = table.groupby("year")["projects"].sum()
    large = totals.index[totals >= rows.FEW]
    first = large.min() if len(large) else totals.index[0]
    shown = totals.loc[first:]
    years = shown.index.to_numpy(int)
    is_small = shown < rows.FEW
    is_finished = table.groupby("year")["finished"].last().loc[first:].fillna(value=True)
    is_pale = (is_small | ~is_finished).to_numpy(bool)
    fill_of = fills(dict.fromkeys(table["language"]))
    if rows.has_other_row(table):
        fill_of[table["language"].iloc[-1]] = (OTHER, OTHER_HATCH)
    # The names stand beside the last year with all its projects, or else with any.
    may_be_named = shown > 0 if is_pale.all() else ~is_pale
    named_year = int(np.flatnonzero(may_be_named)[-1])
    bottom = np.zeros(len(years))
    middles: dict[str, float] = {}
    for language, fill in fill_of.items():
        part = table[(table["language"] == language) & (table["year"] >= first)]
        share = part["share"].fillna(0).to_numpy(float)
        bars = ax.bar(years, share, 0.88, bottom, linewidth=0.6, **bar_properties(*fill))
        for bar, fades in zip(bars, is_pale, strict=True):
            bar.set_alpha(rows.PALE if fades else None)
        middles[language] = bottom[named_year] + share[named_year] / 2
        bottom += share
    label_ends(ax, middles, {name: bar_properties(*fill) for name, fill in fill_of.items()})
    scales.labelled_ticks(
        ax.xaxis, _year_ticks(ax, years), lambda year: f"{year}\n{totals.get(year, 0):,}"
    )
    scales.share_axis(ax.yaxis)
    ax.set(xlim=(years[0] - 0.5, years[-1] + 0.5), ylim=(0, 1))
    ax.set_xlabel(f"Year of {begun}; below: projects")
    ax.set_ylabel("Share of the year's projects")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(visible=False)
    notes = ["The language is that of the latest analysis."]
    if rows.has_intervals(table):
        notes.append(rows.NOT_DRAWN)
    left_out = int(totals.loc[: first - 1].sum())
    if left_out:
        notes.append(
            f"Left out: {quantity(left_out, 'project')} of the years before {first}, each with fewer "
            f"than {rows.FEW}."
        )
    pale_years = []
    if is_small.any():
        pale_years.append(f"years with fewer than {rows.FEW} projects")
    if not is_finished.iloc[-1]:
        pale_years.append(f"{years[-1]} ({not_over(table)})")
    if pale_years:
        notes.append(f"Pale: {', and '.join(pale_years)}.")
    return [*notes, *not_shown(table)]


def _year_ticks(ax: Axes, years: np.ndarray) -> list[int]:
    """Return the years to label, as many as have room, the last one included."""
    size = fonts.font_size(ax, mpl.rcParams["xtick.labelsize"])
    fitting = max(int(fonts.axes_width(ax) / (4 * size)), 1)
    step = math.ceil(len(years) / fitting)
    latest_first = [int(year) for year in reversed(years)]
    return latest_first[::step]
