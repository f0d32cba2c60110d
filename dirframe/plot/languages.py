"""Charts of the languages of projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.patches import Patch

from dirframe import stats
from dirframe._display import counted
from dirframe.plot import axes, text
from dirframe.plot.canvas import Canvas, bar_chart
from dirframe.plot.colours import OTHER, OTHER_HATCH, fill, language_colour, looks

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from dirframe.plot.canvas import Width


def language_share(
    projects: Any,
    *,
    top: int | None = 20,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the number of projects by main language.

    Parameters
    ----------
    projects, top, ax, title, caption, width
        As `dirframe.stats.language_share` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per language, the most projects at the top, with their number and share of the
        projects with a main language.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_main_language_name": ["C", "Java", "C"]})
    >>> [int(bar.get_width()) for bar in language_share(projects).patches]
    [2, 1]
    """
    table = stats.language_share(projects, top=top)
    counts = text.counts_of(table)
    return bar_chart(
        *(table, "language_share", (ax, title, caption, width)),
        name="language",
        unit="Projects (share of those with a main language)",
        colours=[language_colour(name) for name in table["language"]],
        needs="a main language",
        notes=[text.not_shown(counts, text.without_language(counts))],
    )


def contributors_by_language(
    projects: Any,
    *,
    top: int | None = 20,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the contributors per project by main language.

    Parameters
    ----------
    projects, top, ax, title, caption, width
        As `dirframe.stats.contributors_by_language` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One row per language, the most contributors at the top: a bar from the lower to the upper
        quartile, pale below 10 projects, a dot at the median on a thick line over its 95% confidence
        interval, a thin line to the maximum, and beside it the median, the sum and the projects. The
        x axis is logarithmic from 1, and linear below, since many projects have none.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_main_language_name": ["C", "C", "C", "Java"],
    ...                          "analysis_twelve_month_contributor_count": [0, 2, 10, 1]})
    >>> [label.get_text() for label in contributors_by_language(projects).get_yticklabels()]
    ['C', 'Java']
    """
    table = stats.contributors_by_language(projects, top=top)
    described = table[table["projects_counted"] > 0]
    with Canvas(
        *(table, "contributors_by_language", (ax, title, caption, width)),
        needs="a valid contributor count" if len(table) else "a main language",
        is_empty=described.empty,
        rows=len(table),
    ) as canvas:
        counts = canvas.counts
        if not canvas.is_empty:
            canvas.pad = _draw_spreads(canvas.ax, table, described, counts["languages_in_other"])
            canvas.notes = [
                (
                    "Dot: median; bar: quartiles; thin line: to the maximum; thick line: 95% confidence "
                    "interval of the median, from 6 projects on."
                ),
                axes.pale_note(described["projects_counted"], "languages"),
                "People: sum over the projects; who is in two of them counts twice.",
                text.not_shown(
                    *(counts, text.without_language(counts)),
                    contributors_missing="without a valid contributor count",
                    contributors_negative="without a valid contributor count",
                ),
            ]
    return canvas.ax


def _draw_spreads(ax: Axes, table: pd.DataFrame, described: pd.DataFrame, pooled: int) -> float:
    """Draw quartiles, median and maximum of each language; return the distance of the title."""
    size = axes.rows(ax, list(table["language"]))
    colours = [language_colour(name) for name in table["language"]]
    colours[len(colours) - bool(pooled) :] = [OTHER] * bool(pooled)
    y = described.index.to_numpy(float)
    low, high, most, median, median_low, median_high = (
        described[name].to_numpy(float)
        for name in (
            *("lower_quartile", "upper_quartile", "maximum"),
            *("median", "median_low", "median_high"),
        )
    )
    own = [colours[row] for row in described.index]
    bars = ax.barh(y, high - low, 0.75 * axes.thickness(len(table)), low, color=own)
    axes.hatch_other(bars, own)
    axes.fade(bars, described["projects_counted"])
    ink, dot = mpl.rcParams["text.color"], max(size / 2, 4.0)
    ax.plot(most, y, "|", color=ink, markersize=dot, clip_on=False)
    ax.hlines(y, high, most, colors=ink, linewidth=0.8)
    ax.hlines(y, median_low, median_high, colors=ink, linewidth=2.2, gid="interval")
    paper = ax.get_facecolor()
    ax.plot(
        *(median, y, "o"),
        color=paper,
        markersize=dot,
        markeredgecolor=ink,
        label="median",
        clip_on=False,
    )
    axes.spread_axis(ax, float(most.max()))
    axes.units(ax, "People per project in twelve months, logarithmic")
    beside = {"median": "median", "people": "contributors", "projects": "projects_counted"}
    cells = {
        name: [text.number(value) for value in table[column]] for name, column in beside.items()
    }
    return axes.columns(ax, cells, size)


def language_breakdown(
    projects: Any,
    *,
    top: int | None = 20,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the lines of code by language.

    Parameters
    ----------
    projects, top, ax, title, caption, width
        As `dirframe.stats.language_breakdown` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per language, the most lines at the top, with their number and share.

    Examples
    --------
    >>> import pandas as pd
    >>> both = [{"language": "C", "percentage": "80"}, {"language": "Perl", "percentage": "20"}]
    >>> lines = {"analysis_total_code_lines": [1000], "analysis_languages": [both]}
    >>> [int(bar.get_width()) for bar in language_breakdown(pd.DataFrame(lines)).patches]
    [800, 200]
    """
    table = stats.language_breakdown(projects, top=top)
    counts = text.counts_of(table)
    unnamed = counts["code_lines_unnamed"]
    return bar_chart(
        *(table, "language_breakdown", (ax, title, caption, width)),
        name="language",
        number="code_lines",
        unit="Lines of code (share of those in a named language)",
        colours=[language_colour(name) for name in table["language"]],
        needs="languages with lines of code",
        notes=[
            f"{counted(unnamed, 'line')} in languages without a name." if unnamed else "",
            text.not_shown(
                counts,
                breakdown_missing="without a breakdown",
                code_lines_missing="without a valid number of lines",
                code_lines_negative="without a valid number of lines",
                percentages_impossible="with an impossible percentage",
            ),
        ],
    )


def languages_by_year(
    projects: Any,
    *,
    top: int | None = 8,
    date: Literal["analysis_min_month", "created_at"] = "analysis_min_month",
    min_projects: int = axes.FEW,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the main languages of the projects begun in each year.

    Parameters
    ----------
    projects, top, date, min_projects, ax, title, caption, width
        As `dirframe.stats.languages_by_year` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per year, stacked by the share of each language, the most projects at the bottom, as
        in the legend beside. A bar as wide as several years holds them together; the first is as
        wide as one, and the caption says since when. A year that is not over at the newest date in
        the data is hatched at its top; one with fewer than 10 projects is pale.

    Examples
    --------
    >>> import pandas as pd
    >>> months = pd.to_datetime(["2012-05-01", "2013-01-01"])
    >>> projects = pd.DataFrame({"analysis_main_language_name": "C", "analysis_min_month": months})
    >>> ax = languages_by_year(projects, min_projects=1)
    >>> [float(bar.get_height()) for bar in ax.containers[0]]
    [1.0, 1.0]
    """
    table = stats.languages_by_year(projects, top=top, date=date, min_projects=min_projects)
    with Canvas(
        *(table, "languages_by_year", (ax, title, caption, width)),
        needs="both a main language and a date",
    ) as canvas:
        counts = canvas.counts
        if not canvas.is_empty:
            years = table.groupby("year", as_index=False).agg(
                {"from_year": "first", "projects": "sum", "finished": "first"}
            )
            _draw_years(canvas.ax, table, years, counts["languages_in_other"])
            begun = (
                "first activity" if date == "analysis_min_month" else "when the directory got it"
            )
            axes.units(canvas.ax, f"Year ({begun})", "Projects (share of the year's)")
            canvas.ax.grid(visible=False)
            canvas.notes = [
                *_notes_on_years(years, min_projects),
                text.not_shown(
                    counts, text.without_language(counts), date_missing="without a date"
                ),
            ]
    return canvas.ax


def _draw_years(ax: Axes, table: pd.DataFrame, years: pd.DataFrame, pooled: int) -> None:
    """Stack the shares of the languages in each year, with a legend beside."""
    languages = list(dict.fromkeys(table["language"]))
    look = looks(languages)
    if pooled:
        look[languages[-1]] = (OTHER, OTHER_HATCH)
    last, first = (years[name].to_numpy(int, copy=True) for name in ("year", "from_year"))
    first[0] = last[0]  # many years with few projects would fill the axis
    x, widths, unfinished = (
        (first + last) / 2,
        last - first + 0.92,
        ~years["finished"].to_numpy(bool),
    )
    bottom = np.zeros(len(years))
    for language, (colour, hatch) in look.items():
        share = table["share"][table["language"] == language].fillna(0).to_numpy(float)
        bars = ax.bar(x, share, widths, bottom, linewidth=0.5, **fill(colour, hatch))
        axes.fade(bars, years["projects"])
        bottom += share
    axes.year_axis(ax, first[0], last[-1])
    axes.share_axis(ax, "y")
    ax.set_ylim(0, 1.05)
    ink, height = mpl.rcParams["text.color"], np.full(len(x), 0.035)
    # Above the languages: of two textures, one over the other, none can be read.
    axes.hatch_unfinished(ax, x - widths / 2, widths, height, unfinished, colour=ink, bottom=1.01)
    handles = [Patch(label=name, linewidth=0.5, **fill(*look[name])) for name in languages]
    axes.legend_beside(ax, handles)


def _notes_on_years(years: pd.DataFrame, min_projects: int) -> list[str]:
    first, last = years.iloc[0], years.iloc[-1]
    is_wide = years["from_year"][1:] < years["year"][1:]
    return [
        "The language is that of the latest analysis.",
        f"First bar: {first['from_year']} to {first['year']}."
        if first["from_year"] < first["year"]
        else "",
        f"Wide bars: years with fewer than {min_projects:,} projects, together."
        if is_wide.any()
        else "",
        axes.pale_note(years["projects"], "years"),
        ""
        if last["finished"]
        else f"Hatched at its top: {last['year']} is not over at the newest date in the data.",
    ]
