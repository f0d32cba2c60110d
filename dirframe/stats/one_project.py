"""Statistics of one project: its months, and its contributors by their commits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dirframe._display import suggests_options
from dirframe.errors import InvalidInputError
from dirframe.stats.counts import as_bool, check_sum_fits, count_unusable, share_of
from dirframe.stats.distributions import gini, lorenz_curve
from dirframe.stats.records import (
    ONE_PROJECT,
    Frame,
    read,
    require_one_project,
    retrieved,
)
from dirframe.stats.result import Counts, as_statistic, typed_table

_NUMBERS = ("commits", "contributors")
_LINES = ("code_added", "code_removed")  # not in every frame


@suggests_options
def commits_by_contributor(frame: Frame) -> pd.DataFrame:
    """Rank the contributors of a project by their commits.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        The contributors of one project, or with `by` of several, as `dirframe.load_contributors`
        gives them: a person with two names in the commits is two of them.

    Returns
    -------
    pandas.DataFrame
        One row per contributor, most commits first, then by id and name (as text, missing first):

        - ``rank`` (Int64, from 1), ``contributor_id``, ``contributor_name`` (str)
        - ``commits`` (Int64, commits in all)
        - ``share``, ``cumulative_share`` (Float64, 0 to 1): of the commits in all rows, and up to
          this one with it

        Records of several projects raise, and so does an id that is there twice. Counted:
        ``with_commits``, ``commits_missing``, ``commits_negative``.

    Examples
    --------
    >>> frame = pd.DataFrame({"contributor_id": ["1", "2", "3"], "commits": [10, 60, 30]})
    >>> commits_by_contributor(frame)["cumulative_share"].tolist()
    [0.6, 0.9, 1.0]
    """
    columns = _read_contributors(frame)
    table = columns[as_bool(columns["commits"] >= 0)].sort_values(
        ["commits", "contributor_id", "contributor_name"],
        ascending=[False, True, True],
        na_position="first",
        ignore_index=True,
    )
    commits = table["commits"]
    check_sum_fits(commits)
    total = int(commits.sum())
    table.insert(0, "rank", pd.Series(range(1, len(table) + 1), dtype="Int64"))
    table["share"] = share_of(commits, total)
    table["cumulative_share"] = share_of(commits.cumsum(), total)
    counts = _count_commits(columns)
    return as_statistic(table, "commits_by_contributor", source=frame, counts=counts)


@suggests_options
def commit_concentration(frame: Frame) -> pd.DataFrame:
    """Measure how much a project depends on few contributors: bus factor, Gini, top shares.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        The contributors of one project, or with `by` of several, as `dirframe.load_contributors`
        gives them.

    Returns
    -------
    pandas.DataFrame
        One row, with missing values where nobody committed:

        - ``top_1_share``, ``top_5_share`` (Float64, 0 to 1): of all commits, those of these
          contributors
        - ``gini`` (Float64, 0 to 1): as in `contributor_concentration`, of contributors without
          commits too
        - ``bus_factor`` (Int64, people): fewest contributors who made half of all commits or more,
          the Contributor Absence Factor of CHAOSS; not that of Avelino et al. (ICPC 2016), by files

        Errors and counts are those of `commits_by_contributor`.

    Examples
    --------
    >>> frame = pd.DataFrame({"contributor_id": ["1", "2", "3"], "commits": [10, 40, 50]})
    >>> commit_concentration(frame)["bus_factor"].tolist()
    [1]
    """
    columns = _read_contributors(frame)
    valid = columns.loc[as_bool(columns["commits"] >= 0), "commits"]
    check_sum_fits(valid)
    commits = valid.astype("int64").sort_values(ascending=False, ignore_index=True)
    total = int(commits.sum())
    first: float | None = None
    first_five: float | None = None
    bus_factor: int | None = None
    if total:
        first = commits.iloc[0] / total
        first_five = commits[:5].sum() / total
        half = -(-total // 2)  # rounded up: in whole numbers, exactly half is recognised
        bus_factor = int(np.searchsorted(commits.cumsum(), half)) + 1
    table = typed_table(
        {
            "top_1_share": ("Float64", [first]),
            "top_5_share": ("Float64", [first_five]),
            "gini": ("Float64", [gini(lorenz_curve(commits))]),
            "bus_factor": ("Int64", [bus_factor]),
        }
    )
    counts = _count_commits(columns)
    return as_statistic(table, "commit_concentration", source=frame, counts=counts)


def _read_contributors(frame: Frame) -> pd.DataFrame:
    """Return id, name and commits of the contributors of one project."""
    columns = read(
        frame, ["contributor_id", "commits"], optional=["contributor_name", "project_id"]
    )
    require_one_project(frame, columns)
    _check_once(columns["contributor_id"].dropna(), "contributor")
    columns = columns.reindex(columns=["contributor_id", "contributor_name", "commits"])
    return columns.astype({"contributor_name": "str"})


def _count_commits(columns: pd.DataFrame) -> Counts:
    commits = columns["commits"]
    numbers = {"with_commits": (commits >= 0).sum(), **count_unusable(commits, "commits")}
    which = "with a valid number of commits"
    return Counts("contributors", len(columns), "with_commits", which, numbers)


def _check_once(values: pd.Series[Any], what: str) -> None:
    repeated = values[values.duplicated()]
    if len(repeated):
        raise InvalidInputError(
            f"The {what} '{repeated.iloc[0]}' is in the frame more than once.", hint=ONE_PROJECT
        )


@suggests_options
def monthly_activity(frame: Frame) -> pd.DataFrame:
    """Return the activity of a project in each month.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        The months of one project, or with `by` of several, as `dirframe.load_activity` gives them.

    Returns
    -------
    pandas.DataFrame
        One row per month from the first to the last of the frame, without gaps. A month without a
        record has zeros; records of several projects, or two of one month, raise:

        - ``month`` (datetime64[us, UTC]): its first day
        - ``commits`` (Int64, commits), ``contributors`` (Int64, people who committed): zeros after
          the last analysis can mean that nothing was analysed
        - ``code_added``, ``code_removed`` (Int64, lines of code): missing where the frame has none
        - ``finished`` (boolean): whether the month was over when the frame was loaded; where that
          is not known, missing for the last month and true for all before

        Counted: ``with_month``, ``month_missing``, ``months_filled``,
        ``commits_invalid`` and ``contributors_invalid`` (missing or negative).

    Examples
    --------
    >>> months = pd.to_datetime(["2013-01-01", "2013-03-01"])
    >>> frame = pd.DataFrame({"month": months, "commits": [7, 2], "contributors": [3, 1]})
    >>> print(monthly_activity(frame)["commits"].tolist())
    [7, 0, 2]
    """
    columns = read(frame, ["month", *_NUMBERS], optional=[*_LINES, "project_id"])
    require_one_project(frame, columns)
    dated = columns[columns["month"].notna()].reindex(columns=["month", *_NUMBERS, *_LINES])
    periods = pd.PeriodIndex(dated["month"].dt.tz_localize(None), freq="M")
    _check_once(periods.to_series(), "month")
    span = periods
    if len(periods):
        span = pd.period_range(periods.min(), periods.max())
    numbers = dated.drop(columns="month").astype("Int64").set_axis(periods)
    # A month without a record has no activity; columns without any number stay missing.
    with_numbers = [name for name in numbers if name in _NUMBERS or numbers[name].notna().any()]
    numbers = numbers.where(numbers >= 0)
    table = numbers.reindex(span)
    table.loc[~span.isin(periods), with_numbers] = 0
    starts = span.start_time.tz_localize("UTC")
    ends = (span + 1).start_time.tz_localize("UTC")
    table.insert(0, "month", starts.as_unit("us"))
    loaded = retrieved(frame)
    table["finished"] = pd.array(ends <= (loaded or ends.max()), dtype="boolean")
    if loaded is None:
        table.loc[span[-1:], "finished"] = None
    counts = Counts(
        "activity_facts",
        len(columns),
        base="with_month",
        which="with a month",
        numbers={
            "with_month": len(dated),
            "month_missing": len(columns) - len(dated),
            "months_filled": len(span) - len(dated),
            "commits_invalid": numbers["commits"].isna().sum(),
            "contributors_invalid": numbers["contributors"].isna().sum(),
        },
    )
    return as_statistic(
        table.reset_index(drop=True), "monthly_activity", source=frame, counts=counts
    )
