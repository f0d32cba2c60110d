"""Charts of the life span and activity of projects."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

import numpy as np
from pandas.tseries.offsets import MonthBegin

from dirframe import stats
from dirframe.plot._backends import drawn
from dirframe.plot._description.chart import Axis, Chart, Marks
from dirframe.plot._description.colours import NEUTRAL, OTHER
from dirframe.plot._description.options import current
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import dates, typography
from dirframe.plot._drawing.bars import ranking

if TYPE_CHECKING:
    from datetime import date

    import pandas as pd

    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame

_ANOTHER = "another or none"


@drawn("x")
def activity(
    projects: Frame,
    *,
    as_of: date | str | None = None,
    window: int = 12,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the numbers of active, dormant and unknown projects.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.activity` counts them.
    as_of : datetime.date or str, optional
        A day or month; its month is the end of the window. By default, the month in which the code
        of the median project was fetched.
    window : int, default 12
        Length of the window in months: 1 to 24.

    Returns
    -------
    matplotlib.axes.Axes
        One bar each for active and dormant projects, labelled with their number and share of the
        known ones, and a hatched bar for unknown ones. The caption defines active, and states how
        many are unknown and why.

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
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30", "2013-07-02"]),
    ... })
    >>> ax = activity(projects)
    >>> [int(bar.get_width()) for bar in ax.patches]
    [1, 1, 0]
    """
    table, counts = table_of(stats.activity, projects, as_of=as_of, window=window, **selection)
    month = table["as_of"].iloc[0]
    notes = []
    if month == month:  # noqa: PLR0124  # NaT is not equal to itself
        period = "the month of" if window == 1 else f"the {window} months up to"
        active = f"Active: activity in {period} {month:%Y-%m}, or before and after it."
        notes = [active, "Known where the code was fetched in that month or later."]
    reasons = {
        "not fetched since": counts["not_fetched_since"],
        "without a date of the fetch": counts["fetch_missing"],
        "with a date of the fetch that cannot be": counts["fetch_impossible"],
        "without both months": counts["month_missing"],
        "that ended before they began": counts["months_reversed"],
        "with activity after the fetch": counts["months_after_fetch"],
    }
    notes.append(typography.listed("Unknown", "project", reasons))
    later = {"begun later": counts["begun_after_as_of"]}
    notes.append(typography.not_shown(counts, later))
    return ranking(
        table,
        "activity",
        "projects",
        title="Active and dormant projects",
        unit="Projects (share of those that are known)",
        colours=[current().palette.accent, NEUTRAL, OTHER],
        message=typography.empty_reason(counts, "begun yet"),
        notes=notes,
    )


@drawn("x", height=5.0)
def life_span(
    projects: Frame,
    *,
    top: int | None = 20,
    window: int = 12,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw each project from its first to its last month with activity.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.life_span` gives
        their months.
    top : int or None, default 20
        Projects to show, longest life first. None shows all.
    window : int, default 12
        Months without activity, up to the fetch, after which a life counts as ended: 1 to 24.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per project from the start of its first month to the end of its last (UTC), the
        longest at the top, in the colour and hatch of its main language. The length in months is beside it,
        with a plus if the life had not ended when the code was fetched, or this is unknown. The
        caption states how many lives have not ended, how many projects are not shown, and why.

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
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30", "2013-07-02"]),
    ...     "analysis_twelve_month_contributor_count": [3, 0],
    ... })
    >>> ax = life_span(projects)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Bee', 'Ant']
    """
    table, counts = table_of(stats.life_span, projects, top=top, window=window, **selection)
    year = dates.only_year(table["first_month"], table["last_month"])
    chart = partial(
        Chart,
        table=table,
        title="Life span of projects",
        empty=typography.empty_reason(counts, "both a first and a last month"),
        x=Axis(label=f"First to last month with activity (UTC{year})", scale="date"),
        y=Axis(scale="rows", names=_names(table)),
        rows=len(table) + 3,  # room for the legend
        key="Main language",
    )
    if table.empty:
        return chart()
    starts = dates.positions(table["first_month"])
    palette = current().palette
    languages = [
        language if palette.has(language) else _ANOTHER for language in table["language"].fillna("")
    ]
    looks = {name: palette.look(name) for name in languages}
    is_language = {name: np.array([name == language for language in languages]) for name in looks}
    lives = [
        Marks(
            kind="rows",
            table=table[is_shown],
            x=(dates.positions(table["last_month"] + MonthBegin(1)) - starts)[is_shown],
            y=np.flatnonzero(is_shown),
            base=starts[is_shown],
            colours=[looks[name][0]] * int(is_shown.sum()),
            hatches=[looks[name][1]] * int(is_shown.sum()),
            name=name,
        )
        for name, is_shown in sorted(is_language.items(), key=lambda item: item[0] == _ANOTHER)
    ]
    is_open = ~table["ended"].fillna(value=False)
    lengths = zip(table["months"], is_open, strict=True)
    cells = [
        f"{typography.number(months)}{'+' if is_longer else ''}" for months, is_longer in lengths
    ]
    reasons = {
        "with a shorter life": counts["projects_not_shown"],
        "without both months": counts["month_missing"],
        "that ended before they began": counts["months_reversed"],
        "with activity after the fetch": counts["months_after_fetch"],
    }
    open_ends = counts["with_life_span"] - counts["ended"]
    notes = [
        f"+: not ended ({window} months without activity) when the code was fetched, or not known to have.",
        f"Such are {open_ends:,} of all {counts['with_life_span']:,} lives, whose mean or median is too small.",
    ]
    return chart(
        marks=lives,
        columns={"months": cells},
        notes=[*(notes if open_ends else []), typography.not_shown(counts, reasons)],
    )


def _names(table: pd.DataFrame) -> list[str]:
    """Return the names of the projects; the id where a name is missing."""
    unnamed = "id " + table["id"].fillna("not known")
    return list(table["name"].where(table["name"].notna(), unnamed))
