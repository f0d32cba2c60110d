"""Charts of when projects were developed: life span, age, activity.

What stays out: how many there are over time (`dirframe.plot.growth`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from matplotlib.patches import Patch
from pandas.tseries.offsets import MonthBegin

from dirframe import stats
from dirframe.plot import _axes, _dates, _panel, _text
from dirframe.plot._colours import ACCENT, NEUTRAL, language_colour
from dirframe.plot._multiples import multiples
from dirframe.plot._ranking import ranking

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from matplotlib.axes import Axes

    from dirframe.stats._engines import Frame
    from dirframe.stats._selection import Selection

__all__ = ["activity", "life_span", "project_age"]

_ROW_WITH_KEY = 11.0  # points; a key would leave lower rows too little height


@multiples("x")
def activity(
    projects: Frame,
    *,
    ax: Axes | None = None,
    as_of: date | str | None = None,
    **selection: Unpack[Selection],
) -> Axes:
    """Draw how many projects are active, and how many dormant.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.activity` counts them.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure.
    as_of : datetime.date or str, optional
        A day; its month is the one that is looked back from. Left out: the latest month with
        activity in the data.

    Returns
    -------
    matplotlib.axes.Axes
        A bar for active projects and one for dormant ones, labelled with their number and
        their share of those that can be told. The caption says what active means, and why
        projects are in neither.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.activity`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_min_month": pd.to_datetime(["2008-02-01", "2009-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2010-01-01"]),
    ...     "analysis_twelve_month_contributor_count": [3, 0],
    ... })
    >>> ax = activity(projects)
    >>> [int(bar.get_width()) for bar in ax.patches]
    [1, 1]
    """
    table = stats.activity(projects, as_of=as_of, **selection)
    counted = table.attrs["dirframe"]["counted"]
    what = "both a last month and contributors counted"
    untold = {"that cannot be told": counted["projects"] - counted["with_activity"]}
    notes = [_text.not_shown("project", untold)]
    month = table["as_of"].iloc[0]
    if month == month:  # noqa: PLR0124  # a missing date is not itself
        notes.insert(
            0,
            f"Active: developed within the twelve months up to {month:%Y-%m}, and with someone "
            "who contributed in the twelve months before the analysis.",
        )
    return ranking(
        ax,
        table,
        "activity",
        "projects",
        title="Active and dormant projects",
        unit="Projects (share of those that can be told)",
        colours=[ACCENT, NEUTRAL],
        nothing=_text.none(counted["projects"], "project", what),
        notes=notes,
    )


@multiples("xy")
def project_age(
    projects: Frame,
    *,
    ax: Axes | None = None,
    as_of: date | str | None = None,
    **selection: Unpack[Selection],
) -> Axes:
    """Draw how old projects are.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.project_age` counts
        them.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure.
    as_of : datetime.date or str, optional
        The day on which the age is told. Left out: the latest month with activity in the
        data.

    Returns
    -------
    matplotlib.axes.Axes
        A bar for each year of age (whole years since the first month with activity), as high
        as the projects of this age are many.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.project_age`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_min_month": pd.to_datetime(["2011-02-01", "2013-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2013-06-01"]),
    ... })
    >>> ax = project_age(projects)
    >>> [int(bar.get_height()) for bar in ax.patches]
    [1, 0, 1]
    """
    table = stats.project_age(projects, as_of=as_of, **selection)
    counted = table.attrs["dirframe"]["counted"]
    title = "Age of projects"
    ax = _panel.panel(ax)
    if table.empty:
        why = _text.none(counted["projects"], "project", "a known age")
        return _panel.empty(ax, table, title, why)
    years, number = table["years"].to_numpy(float), table["projects"].to_numpy(float)
    _panel.labels(ax, title, "Age (whole years since the first activity)", "Projects")
    ax.bar(years, number, width=0.85, color=ACCENT)
    _panel.counts(ax, "y", number.max())
    _panel.whole(ax, 0, int(years.max()))
    ax.grid(visible=False, axis="x")
    reasons = {
        "without a first month": counted["month_missing"],
        "that ended before they began": counted["months_reversed"],
        "begun later than the day asked for": counted["months_after_as_of"],
    }
    _axes.caption(ax, table, _text.not_shown("project", reasons))
    return ax


@multiples("")
def life_span(
    projects: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 20,
    **selection: Unpack[Selection],
) -> Axes:
    """Draw the time of each project from its first to its last month with activity.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.life_span` gives
        their months.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure, as high as the rows need.
    top : int or None, default 20
        Projects to show, those with the longest life. None shows all.

    Returns
    -------
    matplotlib.axes.Axes
        A bar a project from the beginning of its first month to the end of its last (UTC), the
        longest on top, in the colour of its main language, with its months beside it. The
        caption says how many projects are not shown, and why.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.life_span`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "id": ["1", "2"],
    ...     "name": ["Ant", "Bee"],
    ...     "analysis_main_language_name": ["C", None],
    ...     "analysis_min_month": pd.to_datetime(["2013-07-01", "2012-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2013-02-01"]),
    ...     "analysis_twelve_month_contributor_count": [3, 0],
    ... })
    >>> ax = life_span(projects)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Bee', 'Ant']
    """
    table = stats.life_span(projects, top=top, **selection)
    counted = table.attrs["dirframe"]["counted"]
    title = "Life span of projects"
    ax = _axes.axes(ax, len(table) + 3)  # the key needs some room
    if table.empty:
        why = _text.none(counted["projects"], "project", "both a first and a last month")
        return _panel.empty(ax, table, title, why)
    size = _axes.rows(ax, list(table["name"]))
    year = _dates.only_year(table["first_month"].min(), table["last_month"].max())
    unit = f"First to last month with activity (UTC{year})"
    _axes.titles(ax, title, unit, pad=1.2 * size + 8)
    begin = _dates.places(table["first_month"])
    end = _dates.places(table["last_month"] + MonthBegin(1))
    colours = {
        language: language_colour(language) for language in table["language"].dropna().unique()
    }
    of_row = [colours.get(language, NEUTRAL) for language in table["language"]]
    ax.barh(
        range(len(table)), end - begin, left=begin, height=_axes.thickness(len(table)), color=of_row
    )
    _dates.axis(ax)
    ax.margins(x=0.02)
    _axes.columns(ax, {"months": [_text.number(months) for months in table["months"]]}, size)
    if _text.height(ax) / len(table) > _ROW_WITH_KEY:
        _key(ax, colours, of_row)
    reasons = {
        "with a shorter life": counted["projects_not_shown"],
        "without both months": counted["month_missing"],
        "that ended before they began": counted["months_reversed"],
    }
    note = "Colour: main language."
    _axes.caption(ax, table, note, _text.not_shown("project", reasons))
    return ax


def _key(ax: Axes, colours: dict[str, str], of_row: Sequence[str]) -> None:
    handles = [
        Patch(facecolor=colour, label=language)
        for language, colour in colours.items()
        if colour != NEUTRAL
    ]
    others = [Patch(facecolor=NEUTRAL, label="another or none")] * (NEUTRAL in of_row)
    _axes.key(ax, [*handles, *others], "Main language")
