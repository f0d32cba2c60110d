"""Statistics of when projects were developed: life span, age, activity.

A month is the first day of it, as the interface has it.

What stays out: how many there are over time (`dirframe.stats.growth`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import narwhals as nw
import numpy as np
import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.stats._columns import moment, text, whole
from dirframe.stats._edges import finish, require
from dirframe.stats._selection import selectable
from dirframe.stats._tables import (
    CONTRIBUTORS,
    FIRST_MONTH,
    LANGUAGE,
    LAST_MONTH,
    PROJECTS,
    reduced,
    shares,
    sizes,
    valid,
    whole_column,
)

if TYPE_CHECKING:
    from datetime import date

    from dirframe.stats._engines import Frame
    from dirframe.stats._selection import Selection

__all__ = ["activity", "life_span", "project_age"]

_MOMENT = "datetime64[us, UTC]"


@selectable
def activity(
    projects: Frame,
    *,
    as_of: date | str | None = None,
    **_selection: Unpack[Selection],
) -> pd.DataFrame:
    """Count active and dormant projects.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    as_of : datetime.date or str, optional
        A day, such as ``"2013-07-31"``; its month is the one that is looked back from. Left
        out: the latest month with activity in the data.

    Returns
    -------
    pandas.DataFrame
        A row for ``"active"`` and one for ``"dormant"``, also where no project is:

        - ``activity`` (str)
        - ``projects`` (Int64, projects)
        - ``share`` (Float64, 0 to 1): of the projects that can be told
        - ``as_of`` (datetime64[us, UTC]): the month looked back from; missing where the data
          has no month

    Raises
    ------
    InvalidInputError
        If a column is missing or holds something else than whole numbers or months, or `as_of`
        is no day.

    Notes
    -----
    A project is active if its last month with activity is the month of `as_of` or one of the
    eleven before it, and someone committed in the twelve months before its analysis.
    Otherwise it is dormant. The two disagree where the analysis is old, or at the edge of a
    month; those projects are dormant, and counted.

    A project cannot be told, and is in no row, without its last month or a valid number of
    contributors, if its last month is before its first, or if it is after `as_of`.
    ``attrs["dirframe"]["counted"]`` holds ``projects``, ``with_activity``, ``month_missing``,
    ``contributors_missing``, ``contributors_negative``, ``months_reversed``,
    ``months_after_as_of`` (a project can be in more than one of these five) and
    ``in_disagreement``.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_min_month": pd.to_datetime(["2008-02-01", "2009-01-01", "2012-07-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2010-01-01", "2012-11-01"]),
    ...     "analysis_twelve_month_contributor_count": [3, 0, 1],
    ... })
    >>> print(activity(projects)[["activity", "projects"]])
      activity  projects
    0   active         2
    1  dormant         1
    """
    require(projects, FIRST_MONTH, LAST_MONTH, CONTRIBUTORS, giver=PROJECTS)

    def signs(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        return table.with_columns(
            working=valid("people") > 0,
            reversed=nw.col("last") < nw.col("first"),
            negative=nw.col("people") < 0,
        )

    found = sizes(
        projects,
        {
            "first": moment(FIRST_MONTH),
            "last": moment(LAST_MONTH),
            "people": whole(CONTRIBUTORS),
        },
        by=["last", "working", "reversed", "negative"],
        prepare=signs,
    )
    count = found["records"].to_numpy(dtype=np.int64)
    last, working = found["last"], found["working"].astype("boolean")
    backwards, negative = (
        found[name].astype("boolean").fillna(value=False).to_numpy(dtype=bool)
        for name in ("reversed", "negative")
    )
    month = _month(last[~backwards].max() if as_of is None else _day(as_of))
    no_month = last.isna().to_numpy()
    too_late = (last > month).to_numpy()
    told = ~(no_month | backwards | too_late) & working.notna().to_numpy()
    recent = (last > month - pd.DateOffset(months=12)).to_numpy()
    peopled = working.fillna(value=False).to_numpy(dtype=bool)
    active = int(count[told & recent & peopled].sum())
    numbers = whole_column([active, int(count[told].sum()) - active])
    result = pd.DataFrame(
        {
            "activity": pd.Series(["active", "dormant"], dtype="str"),
            "projects": numbers,
            "share": shares(numbers),
            "as_of": pd.Series([month] * 2, dtype=_MOMENT),
        }
    )
    counted = {
        "projects": int(count.sum()),
        "with_activity": int(count[told].sum()),
        "month_missing": int(count[no_month].sum()),
        "contributors_missing": int(count[working.isna().to_numpy() & ~negative].sum()),
        "contributors_negative": int(count[negative].sum()),
        "months_reversed": int(count[backwards].sum()),
        "months_after_as_of": int(count[too_late].sum()),
        "in_disagreement": int(count[told & (recent != peopled)].sum()),
    }
    return finish(projects, result, step="activity", resource="project", counted=counted)


@selectable
def project_age(
    projects: Frame,
    *,
    as_of: date | str | None = None,
    **_selection: Unpack[Selection],
) -> pd.DataFrame:
    """Count projects by their age: the years since their first month with activity.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    as_of : datetime.date or str, optional
        The day on which the age is told. Left out: the latest month in the data.

    Returns
    -------
    pandas.DataFrame
        A row a year of age, ascending, also where no project has it:

        - ``years`` (Int64, whole years): 0 in the first twelve months
        - ``projects`` (Int64, projects)
        - ``share`` (Float64, 0 to 1): of the projects with an age
        - ``share_at_most`` (Float64, 0 to 1): of those, with this age or younger

    Raises
    ------
    InvalidInputError
        If a column is missing or holds something else than months, or `as_of` is no day.

    Notes
    -----
    Projects without a first month, with a last month before the first, or begun after
    `as_of` are in no row. ``attrs["dirframe"]["counted"]`` holds ``projects``, ``with_age``,
    ``month_missing``, ``months_reversed`` and ``months_after_as_of``.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_min_month": pd.to_datetime(["2011-02-01", "2013-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2013-06-01"]),
    ... })
    >>> print(project_age(projects))
       years  projects  share  share_at_most
    0      0         1    0.5            0.5
    1      1         0    0.0            0.5
    2      2         1    0.5            1.0
    """
    require(projects, FIRST_MONTH, LAST_MONTH, giver=PROJECTS)
    columns = {"first": moment(FIRST_MONTH), "last": moment(LAST_MONTH)}
    found = sizes(projects, columns)
    count = found["records"].to_numpy(dtype=np.int64)
    backwards = (found["last"] < found["first"]).to_numpy(dtype=bool)
    latest = found[["first", "last"]][~backwards].max().max()
    month = _month(latest if as_of is None else _day(as_of))
    first = found["first"]
    no_month, too_late = first.isna().to_numpy(), (first > month).to_numpy()
    aged = ~(no_month | backwards | too_late)
    years = _months_between(first[aged], month) // 12
    by_year = pd.Series(count[aged]).groupby(years.to_numpy(dtype=np.int64)).sum()
    ages = range(int(by_year.index.max()) + 1) if len(by_year) else range(0)
    numbers = whole_column(by_year.reindex(ages, fill_value=0))
    result = pd.DataFrame(
        {
            "years": whole_column(ages),
            "projects": numbers,
            "share": shares(numbers),
            "share_at_most": (numbers.cumsum() / max(int(numbers.sum()), 1)).astype("Float64"),
        }
    )
    counted = {
        "projects": int(count.sum()),
        "with_age": int(numbers.sum()),
        "month_missing": int(count[no_month].sum()),
        "months_reversed": int(count[backwards & ~no_month].sum()),
        "months_after_as_of": int(count[too_late & ~backwards].sum()),
    }
    return finish(projects, result, step="project_age", resource="project", counted=counted)


@selectable
def life_span(
    projects: Frame,
    *,
    top: int | None = None,
    **_selection: Unpack[Selection],
) -> pd.DataFrame:
    """Give each project's time from its first to its last month with activity.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    top : int, optional
        Give this many projects, those with the longest life. Left out: all.

    Returns
    -------
    pandas.DataFrame
        A row a project, the longest life first, then the earlier first month, then by name
        and id:

        - ``id`` and ``name`` (str)
        - ``language`` (str): main language; missing where there is none
        - ``first_month`` and ``last_month`` (datetime64[us, UTC]): first day of the month
        - ``months`` (Int64, months): from the first to the last, both counted
        - ``contributors`` (Int64, people): who committed in the twelve months before the
          analysis; missing where unknown or negative

    Raises
    ------
    InvalidInputError
        If a column is missing or holds something else than whole numbers or months, or `top`
        is below 1.

    Notes
    -----
    Nothing says that a project was active in every month between. Projects without both
    months, or with the last before the first, are in no row.
    ``attrs["dirframe"]["counted"]`` holds ``projects``, ``with_life_span``,
    ``month_missing``, ``months_reversed`` and ``projects_not_shown`` (beyond `top`).

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
    >>> print(life_span(projects)[["name", "months"]])
      name  months
    0  Bee      14
    1  Ant       1
    """
    months = (FIRST_MONTH, LAST_MONTH)
    require(projects, "id", "name", LANGUAGE, *months, CONTRIBUTORS, giver=PROJECTS)
    if top is not None and top < 1:
        raise InvalidInputError(f"top is {top}; it must be 1 or more, or None for all projects.")
    columns = {"first_month": moment(FIRST_MONTH), "last_month": moment(LAST_MONTH)}
    lengths = sizes(projects, columns, by=["months"], prepare=_lengths).astype("Int64")
    lengths = lengths.sort_values("months", ascending=False)
    lived = lengths[(lengths["months"] > 0).fillna(value=False)]
    least = 1
    if top is not None and len(lived):  # all that could be among them, before they are sorted
        enough = int((lived["records"].cumsum() < top).sum())
        least = int(lived["months"].iloc[min(enough, len(lived) - 1)])

    def long_enough(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        return _lengths(table).filter(nw.col("months") >= least)

    spans = reduced(
        projects,
        {
            "id": text("id"),
            "name": text("name"),
            "language": text(LANGUAGE),
            "contributors": whole(CONTRIBUTORS),
            **columns,
        },
        long_enough,
    )
    spans["contributors"] = spans["contributors"].where(spans["contributors"] >= 0)
    result = spans.sort_values(
        ["months", "first_month", "name", "id"],
        ascending=[False, True, True, True],
        na_position="first",
    ).head(len(spans) if top is None else top)
    names = ["id", "name", "language", "first_month", "last_month", "months", "contributors"]
    result = result[names].astype(
        dict(zip(names, ["str"] * 3 + [_MOMENT] * 2 + ["Int64"] * 2, strict=True))
    )
    spanned, records = int(lived["records"].sum()), int(lengths["records"].sum())
    missing = int(lengths["records"][lengths["months"].isna()].sum())
    counted = {
        "projects": records,
        "with_life_span": spanned,
        "month_missing": missing,
        "months_reversed": records - spanned - missing,
        "projects_not_shown": spanned - len(result),
    }
    result = result.reset_index(drop=True)
    return finish(projects, result, step="life_span", resource="project", counted=counted)


def _lengths(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Add the months from the first to the last, both counted."""
    first, last = nw.col("first_month").dt, nw.col("last_month").dt
    years, months = last.year() - first.year(), last.month() - first.month()
    return table.with_columns(months=12 * years + months + 1)


def _day(as_of: date | str) -> Any:
    try:
        return pd.to_datetime(pd.Series([as_of]), utc=True)[0]
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"as_of must be a day such as '2013-07-31'; {as_of!r} came."
        ) from error


def _month(moment: Any) -> Any:
    """Give the first day of a month; missing stays missing."""
    if pd.isna(moment):
        return pd.NaT
    return moment.normalize().replace(day=1)


def _months_between(first: pd.Series[pd.Timestamp], month: Any) -> pd.Series[int]:
    if pd.isna(month):
        return pd.Series(dtype="Int64")
    years, months = month.year - first.dt.year, month.month - first.dt.month
    between: pd.Series[int] = (12 * years + months).astype("Int64")
    return between
