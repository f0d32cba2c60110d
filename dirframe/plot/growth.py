"""Charts over time: numbers of accounts and projects, and their languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack

import matplotlib as mpl
import numpy as np
from matplotlib.patches import Patch

from dirframe import stats
from dirframe.plot._drawing import axes, dates, numeric_axes, typography
from dirframe.plot._drawing.colours import OTHER
from dirframe.plot._drawing.options import current
from dirframe.plot._drawing.small_multiples import multiples
from dirframe.plot._drawing.tables import table_of
from dirframe.stats._core.periods import Periods

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from dirframe.plot._drawing.options import ChartOptions
    from dirframe.stats._core.backends import Frame

__all__ = ["growth", "languages_by_year"]

_UNFINISHED = "Hatched: {} is not over at the newest date in the data."


@multiples("xy")
def growth(
    frame: Frame,
    *,
    ax: Axes | None = None,
    freq: str = "MS",
    cumulative: bool = True,
    **selection: Unpack[ChartOptions],
) -> Axes:
    """Draw the number of accounts or projects over time.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts or projects as the loaders give them; `dirframe.stats.growth` counts them.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure.
    freq : str, default "MS"
        Length of a period, as `dirframe.stats.growth` takes it: ``"D"``, ``"W"`` (from
        Monday), ``"MS"`` (months), ``"QS"``, ``"YS"``, ….
    cumulative : bool, default True
        Whether to draw the total up to the end of each period, or the new records in it.

    Returns
    -------
    matplotlib.axes.Axes
        One step per period (UTC), at the number of records. A last period that is not over at the
        newest date in the data is hatched, which the caption says.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.growth`.

    Examples
    --------
    >>> import pandas as pd
    >>> created = pd.to_datetime(["2013-01-31", "2013-03-01", "2013-03-31"])
    >>> ax = growth(pd.DataFrame({"created_at": created}))
    >>> ax.patches[0].get_data().values.tolist()
    [1.0, 1.0, 3.0]
    """
    table = table_of(stats.growth, frame, freq=freq, **selection)
    counts = table.attrs["dirframe"]["counted"]
    noun = "accounts" if "accounts" in counts else "projects"
    title = f"Growth of {noun}" if cumulative else f"New {noun}"
    ax = numeric_axes.panel(ax)
    if table.empty:
        return axes.empty(
            ax, table, title, typography.empty_reason(counts[noun], noun[:-1], "a date")
        )
    periods = Periods.of(freq)
    by = f"by {periods.name}" if periods.name else f"periods of {freq}"
    year = dates.only_year(ax, table["start"].iloc[0], table["start"].iloc[-1])
    over_time = f"Created at (UTC{year}, {by})"
    numeric_axes.labels(
        ax, title, over_time, f"{noun.capitalize()}{' in all' if cumulative else ''}"
    )
    numbers = table["total" if cumulative else "new"].to_numpy(float)
    edges = dates.places([*table["start"], table["start"].iloc[-1] + periods.step])
    colour = current().palette.accent
    finished = table["finished"].to_numpy(bool)
    ax.stairs(numbers, edges, fill=True, color=colour, alpha=0.25, linewidth=0)
    ax.stairs(numbers, edges, color=colour, linewidth=1.5, baseline=None)
    dates.hatch_unfinished(ax, edges, numbers, finished, colour=colour)
    dates.axis(ax)
    ax.set_xlim(edges[0], edges[-1])
    numeric_axes.counts(ax, "y", numbers.max())
    reasons = {"without a date": counts["created_at_missing"]}
    last = f"{table['start'].iloc[-1]:%Y-%m-%d}"
    unfinished = "" if finished.all() else _UNFINISHED.format(f"the period from {last}")
    axes.caption(ax, table, unfinished, typography.not_shown(noun[:-1], reasons))
    return ax


@multiples("xy")
def languages_by_year(
    projects: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 8,
    date: Literal["analysis_min_month", "created_at"] = "analysis_min_month",
    min_projects: int = axes.FEW,
    **selection: Unpack[ChartOptions],
) -> Axes:
    """Draw the main languages of the projects begun in each year.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.languages_by_year`
        counts them.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure.
    top : int or None, default 8
        Languages to show; the others share one hatched segment. None shows all.
    date : {"analysis_min_month", "created_at"}, default "analysis_min_month"
        Whether a project begins in its first month with activity, or when it was created in the
        directory.
    min_projects : int, default 10
        Years with fewer projects share a bar with those that follow, until there are so many, and
        those at the end with the last before.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per year, stacked by the share of each language (% of the year's projects with a
        main language), the language with the most projects at the bottom. The legend is beside the
        last bar, in the same order. A bar as wide as several years holds them together; the first
        bar is as wide as one year and the caption says since when. A year that is not over at the
        newest date in the data is hatched, one with fewer than 10 projects pale.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.languages_by_year`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C", "Java", "C"],
    ...     "analysis_min_month": pd.to_datetime(["2012-05-01", "2013-01-01", "2013-02-01"]),
    ... })
    >>> ax = languages_by_year(projects, min_projects=1)
    >>> [[float(bar.get_height()) for bar in language] for language in ax.containers[:2]]
    [[1.0, 0.5], [0.0, 0.5]]
    """
    table = table_of(
        stats.languages_by_year,
        projects,
        top=top,
        date=date,
        min_projects=min_projects,
        **selection,
    )
    counts = table.attrs["dirframe"]["counted"]
    title = "Main languages by year"
    ax = numeric_axes.panel(ax)
    if table.empty:
        reason = typography.empty_reason(
            counts["projects"], "project", "both a main language and a date"
        )
        return axes.empty(ax, table, title, reason)
    start = "first activity" if date == "analysis_min_month" else "when the directory got it"
    numeric_axes.labels(ax, title, f"Year ({start})", "Projects (share of the year's)")
    ax.grid(visible=False)
    numeric_axes.shares(ax, "y")
    years = table.groupby("year", as_index=False).agg(
        {"from_year": "first", "projects": "sum", "finished": "first"}
    )
    last, first = (years[name].to_numpy(int) for name in ("year", "from_year"))
    since, first[0] = int(first[0]), last[0]  # many years with few projects would fill the axis
    bottom = np.zeros(len(years))
    languages = list(table["language"].unique())
    looks = _looks(languages, pooled=bool(counts["languages_in_other"]))
    for language, look in looks.items():
        share = table["share"][table["language"] == language].fillna(0).to_numpy(float)
        bars = ax.bar(
            *((first + last) / 2, share, last - first + 0.92), bottom, linewidth=0.5, **look
        )
        axes.fade(bars, years["projects"])
        bottom += share
    finished = years["finished"].to_numpy(bool)
    dates.hatch_unfinished(
        *(ax, np.append(first, last[-1] + 1) - 0.46, bottom, finished),
        colour=mpl.rcParams["text.color"],
        hatch="///",
    )
    numeric_axes.whole(ax, int(last[0]), int(last[-1]))
    _key_beside(ax, looks)
    notes = ["The language is that of the latest analysis."]
    if since < last[0]:
        notes.append(f"First bar: {since} to {last[0]}.")
    if (first < last).any():
        notes.append(f"Wide bars: years with fewer than {min_projects:,} projects, together.")
    notes.append(axes.pale_note(years["projects"], "years"))
    if not finished.all():
        notes.append(_UNFINISHED.format(last[-1]))
    reasons = {
        **axes.without_language(counts),
        "without a date": counts["date_missing"],
    }
    axes.caption(ax, table, *notes, typography.not_shown("project", reasons))
    return ax


def _looks(languages: Sequence[str], *, pooled: bool) -> dict[str, dict[str, Any]]:
    """Return the colour of each language, with a hatch for those alike in greyscale."""
    looks = {name: axes.fill(*current().palette.look(name)) for name in languages}
    if pooled:
        looks[languages[-1]] = axes.fill(OTHER, "/////")
    return looks


def _key_beside(ax: Axes, looks: dict[str, dict[str, Any]]) -> None:
    """Draw a legend beside the axes, in stacking order."""
    room = 0.7 * typography.height(ax)  # the layout uses some of the height
    size = max(min(typography.size(ax, "small"), room / (1.5 * len(looks))), 5.0)
    handles = [Patch(label=typography.name(name), linewidth=0.5, **looks[name]) for name in looks]
    legend = ax.legend(
        handles=handles,
        loc="center left",
        bbox_to_anchor=(1, 0.5),
        reverse=True,
        frameon=False,
        fontsize=size,
        handlelength=1.2,
        handleheight=1.0,
    )
    for text in legend.get_texts():
        text.set(**typography.plain_text_props())
