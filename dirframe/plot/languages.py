"""Charts of the languages of projects."""

from __future__ import annotations

from typing import Literal, Unpack

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from dirframe import stats
from dirframe._display import quantity
from dirframe.plot import axes, text
from dirframe.plot.axes import bar_chart
from dirframe.plot.canvas import Canvas, Look
from dirframe.plot.colours import OTHER, OTHER_HATCH, bar_properties, fills
from dirframe.stats.records import Frame


def language_share(
    frame: Frame, *, ax: Axes | None = None, top: int | None = 20, **look: Unpack[Look]
) -> Axes:
    """Draw a bar for each main language: its projects, and their share of those with one.

    Options as `dirframe.stats.language_share` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_main_language_name": ["C", "Java", "C"]})
    >>> [int(bar.get_width()) for bar in language_share(projects).patches]
    [2, 1]
    """
    table = stats.language_share(frame, top=top)
    return bar_chart(table, ax, look, reasons={"without_analysis", "without_language"})


def contributors_by_language(
    frame: Frame, *, ax: Axes | None = None, top: int | None = 20, **look: Unpack[Look]
) -> Axes:
    """Draw the quartiles of contributors per project by main language, and their sums beside.

    The languages with the most contributors are first, those with fewer than 10 projects pale; the
    caption explains the marks. The x axis is logarithmic, and linear below 1, since many have none.
    Options as `dirframe.stats.contributors_by_language` and `dirframe.plot`.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_main_language_name": ["C", "C", "C", "Java"],
    ...                          "analysis_twelve_month_contributor_count": [0, 2, 10, 1]})
    >>> [label.get_text() for label in contributors_by_language(projects).get_yticklabels()]
    ['C', 'Java']
    """
    table = stats.contributors_by_language(frame, top=top)
    canvas = Canvas(table, ax, look, rows=len(table))
    if canvas.is_empty:
        return canvas.finish()
    ax, size = canvas.ax, axes.rows(canvas.ax, [*table["language"]])
    known = table.assign(colour=axes.row_colours(table))[table["projects_counted"] > 0]
    numbers = known.select_dtypes("number").astype(float)
    y, low, high = numbers.index, numbers["lower_quartile"], numbers["upper_quartile"]
    bars = ax.barh(y, high - low, 0.75 * axes.thickness(len(table)), low, color=known["colour"])
    axes.hatch_other(bars)
    pale = axes.fade(bars, [*known["projects_counted"]], "languages")
    ink, dot = mpl.rcParams["text.color"], max(size / 2, 4.0)
    ax.plot(numbers["maximum"], y, "|", color=ink, markersize=dot, clip_on=False)
    ax.hlines(y, high, numbers["maximum"], colors=ink, linewidth=0.8)
    interval = (numbers["median_low"], numbers["median_high"])
    ax.hlines(y, *interval, colors=ink, linewidth=2.2, gid="interval")
    (medians,) = ax.plot(numbers["median"], y, "o", markersize=dot, label="median", clip_on=False)
    medians.set(color=ax.get_facecolor(), markeredgecolor=ink)
    most, ticks = float(numbers["maximum"].max()), int(text.width(ax) / 50)
    axes.log_axis(ax, "x", most, least=-0.15, margin=1.15, ticks=ticks)
    beside = {"median": "median", "people": "contributors", "projects": "projects_counted"}
    cells = {
        name: ["–" if pd.isna(n) else f"{n:,.1f}".removesuffix(".0") for n in table[column]]
        for name, column in beside.items()
    }
    right, pad = axes.columns(ax, cells, size)
    axes.units(ax, "People per project in twelve months, logarithmic", right=right)
    return canvas.finish(
        "Dot: median; bar: quartiles; thin line: to the maximum; thick line: 95% confidence interval "
        "of the median, from 6 projects on.",
        pale,
        "People: sum over the projects; who is in two of them counts twice.",
        pad=pad,
    )


def language_breakdown(
    frame: Frame, *, ax: Axes | None = None, top: int | None = 20, **look: Unpack[Look]
) -> Axes:
    """Draw a bar for each language, the most lines of code at the top, with number and share.

    Options as `dirframe.stats.language_breakdown` and `dirframe.plot`.

    Examples
    --------
    >>> both = [{"language": "C", "percentage": "80"}, {"language": "Perl", "percentage": "20"}]
    >>> lines = {"analysis_total_code_lines": [1000], "analysis_languages": [both]}
    >>> [int(bar.get_width()) for bar in language_breakdown(pd.DataFrame(lines)).patches]
    [800, 200]
    """
    table = stats.language_breakdown(frame, top=top)
    unnamed = text.counts_of(table)["code_lines_unnamed"]
    return bar_chart(
        table,
        ax,
        look,
        unnamed > 0 and f"{quantity(unnamed, 'line')} in languages without a name.",
        number="code_lines",
        unit="Lines of code (share of those in a named language)",
        needs="with languages that have lines of code",
    )


def languages_by_year(
    frame: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 8,
    date: Literal["analysis_min_month", "created_at"] = "analysis_min_month",
    **look: Unpack[Look],
) -> Axes:
    """Draw a bar for the projects begun in each year, stacked by the share of each main language.

    The language with the most projects is at the bottom. A year that was not over at the retrieval
    is hatched at its top; one with fewer than 10 projects is pale, or before all others left out, as
    the caption says. Options as `dirframe.stats.languages_by_year` and `dirframe.plot`.

    Examples
    --------
    >>> months = pd.to_datetime(["2012-05-01", "2013-01-01"])
    >>> projects = pd.DataFrame({"analysis_main_language_name": "C", "analysis_min_month": months})
    >>> [float(bar.get_height()) for bar in languages_by_year(projects).containers[0]]
    [1.0, 1.0]
    """
    table = stats.languages_by_year(frame, top=top, date=date)
    canvas = Canvas(table, ax, look)
    if canvas.is_empty:
        return canvas.finish()
    fill_of = fills(dict.fromkeys(table["language"]))
    if text.counts_of(table)["languages_in_other"]:
        fill_of[table["language"].iloc[-1]] = (OTHER, OTHER_HATCH)
    totals = table.groupby("year")["projects"].sum()
    begin = totals.index[totals >= axes.FEW].min() if totals.max() >= axes.FEW else totals.index[0]
    shown, early = totals.loc[begin:], int(totals.loc[: begin - 1].sum())
    ax, x, width, bottom = canvas.ax, shown.index.to_numpy(int), 0.92, np.zeros(len(shown))
    for language, fill in fill_of.items():
        part = table[(table["language"] == language) & (table["year"] >= begin)]
        share = part["share"].fillna(0).to_numpy(float)
        bars = ax.bar(x, share, width, bottom, linewidth=0.5, **bar_properties(*fill))
        pale = axes.fade(bars, shown.tolist(), "years")
        bottom += share
    axes.number_axis(ax.xaxis, least=1)
    ax.xaxis.set_major_formatter("{x:.0f}")
    axes.share_axis(ax.yaxis)
    is_finished, ink = table["finished"].iloc[-1], mpl.rcParams["text.color"]
    if not is_finished:
        # Above the languages: of two textures, one over the other, none can be read.
        axes.hatch_unfinished(ax, x[-1] - width / 2, width, 0.035, ink, bottom=1.01)
    key = [Patch(label=name, linewidth=0.5, **bar_properties(*fill_of[name])) for name in fill_of]
    axes.legend_beside(ax, key)
    begun = "first activity" if date == "analysis_min_month" else "when the directory got it"
    axes.units(ax, f"Year ({begun})", "Projects (share of the year's)")
    ax.set(xlim=(x[0] - 0.5, x[-1] + 0.5), ylim=(0, 1.05))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(visible=False)
    return canvas.finish(
        "The language is that of the latest analysis.",
        early > 0
        and f"Left out: {quantity(early, 'project')} of the years before {begin}, each with fewer than "
        f"{axes.FEW}.",
        pale,
        not is_finished and f"Hatched at its top: {x[-1]} was not over.",
    )
