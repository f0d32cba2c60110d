"""Charts over time: numbers of accounts and projects, and their languages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, Unpack

import numpy as np

from dirframe import stats
from dirframe.plot._backends import drawn
from dirframe.plot._description.chart import Axis, Chart, Marks
from dirframe.plot._description.colours import OTHER
from dirframe.plot._description.options import current
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import axes, dates, typography
from dirframe.stats._core.periods import Periods

if TYPE_CHECKING:
    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame

_UNFINISHED = "Hatched: {} is not over at the newest date in the data."


@drawn("xy")
def growth(
    frame: Frame,
    *,
    freq: str = "MS",
    cumulative: bool = True,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the number of accounts or projects over time.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts or projects as the loaders give them; `dirframe.stats.growth` counts them.
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
    table, counts = table_of(stats.growth, frame, freq=freq, **selection)
    noun = "accounts" if "accounts" in counts else "projects"
    periods = Periods.of(freq)
    by = f"by {periods.name}" if periods.name else f"periods of {freq}"
    year = dates.only_year(table["start"])
    reasons = {"without a date": counts["created_at_missing"]}
    chart = partial(
        Chart,
        table=table,
        title=f"Growth of {noun}" if cumulative else f"New {noun}",
        empty=typography.empty_reason(counts, "a date"),
        x=Axis(label=f"Created at (UTC{year}, {by})", scale="date"),
        y=Axis(label=f"{noun.capitalize()}{' in all' if cumulative else ''}"),
    )
    if table.empty:
        return chart()
    finished = table["finished"].to_numpy(bool)
    last = f"{table['start'].iloc[-1]:%Y-%m-%d}"
    steps = Marks(
        kind="columns",
        table=table,
        x=dates.positions([*table["start"], table["start"].iloc[-1] + periods.step]),
        y=table["total" if cumulative else "new"].to_numpy(float),
        unfinished=~finished,
    )
    unfinished = "" if finished.all() else _UNFINISHED.format(f"the period from {last}")
    return chart(marks=[steps], notes=[unfinished, typography.not_shown(counts, reasons)])


@drawn("xy")
def languages_by_year(
    projects: Frame,
    *,
    top: int | None = 8,
    date: Literal["analysis_min_month", "created_at"] = "analysis_min_month",
    min_projects: int = axes.FEW,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the main languages of the projects begun in each year.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.languages_by_year`
        counts them.
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
    table, counts = table_of(
        stats.languages_by_year,
        projects,
        top=top,
        date=date,
        min_projects=min_projects,
        **selection,
    )
    start = "first activity" if date == "analysis_min_month" else "when the directory got it"
    chart = partial(
        Chart,
        table=table,
        title="Main languages by year",
        empty=typography.empty_reason(counts, "both a main language and a date"),
        x=Axis(label=f"Year ({start})"),
        y=Axis(label="Projects (share of the year's)", scale="share"),
        key="Main language",
    )
    if table.empty:
        return chart()
    years = table.groupby("year", as_index=False).agg(
        {"from_year": "first", "projects": "sum", "finished": "first"}
    )
    last, first = (years[name].to_numpy(int) for name in ("year", "from_year"))
    since, first[0] = int(first[0]), last[0]  # many years with few projects would fill the axis
    finished = years["finished"].to_numpy(bool)
    bottom = np.zeros(len(years))
    languages = list(table["language"].unique())
    looks = {name: current().palette.look(name) for name in languages}
    if counts["languages_in_other"]:
        looks[languages[-1]] = (OTHER, "/////")
    marks = []
    for language, (colour, hatch) in looks.items():
        rows = table[table["language"] == language]
        share = rows["share"].fillna(0).to_numpy(float)
        segments = Marks(
            kind="columns",
            table=rows,
            x=(first + last) / 2,
            y=share,
            base=bottom,
            width=last - first + 0.92,
            colours=[colour],
            hatches=[hatch],
            records=list(years["projects"]),
            name=language,
            unfinished=~finished,
        )
        marks.append(segments)
        bottom = bottom + share
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
    return chart(marks=marks, notes=[*notes, typography.not_shown(counts, reasons)])
