"""Statistics of one project: its months, and its contributors by their commits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.stats.counts import exact, gini_and_shares, shares, table_of, unusable
from dirframe.stats.kernel import Counted, Frame, read, retrieved, statistic

_COUNTS = ("commits", "contributors")
_LINES = ("code_added", "code_removed")  # not in every frame


@statistic("with_commits", "with a valid number of commits")
def commits_by_contributor(frame: Frame) -> Counted:
    """Rank the contributors of a project by their commits.

    Parameters
    ----------
    frame
        The contributors of one project, or with `by` of several, as `dirframe.load_contributors`
        gives them: a person with two names in the commits is two of them.

    Returns
    -------
    pandas.DataFrame
        One row per contributor, most commits first, then by id and name (as text, missing first):
        ``rank`` (Int64, from 1), ``contributor_id``, ``contributor_name`` (str), ``commits`` (Int64,
        commits in all), ``share``, ``cumulative_share`` (Float64, 0 to 1, of the commits in all
        rows, and up to this one with it). An id that is there twice, as in a frame of several
        projects, raises. Counted: ``with_commits``, ``commits_missing``, ``commits_negative``.

    Examples
    --------
    >>> frame = pd.DataFrame({"contributor_id": ["1", "2", "3"], "commits": [10, 60, 30]})
    >>> commits_by_contributor(frame)["cumulative_share"].tolist()
    [0.6, 0.9, 1.0]
    """
    return _ranked(frame)


@statistic("with_commits", "with a valid number of commits")
def commit_concentration(frame: Frame) -> Counted:
    """Measure how much a project depends on few contributors: truck factor, Gini, top shares.

    Parameters
    ----------
    frame
        As in `commits_by_contributor`, with the same counts.

    Returns
    -------
    pandas.DataFrame
        One row per ``measure`` (str), with its ``value`` (Float64); missing where nobody committed:

        - ``top 1``, ``top 5``: share of all commits (0 to 1) that these contributors have
        - ``gini``: as in `contributor_concentration` (0 to 1), of contributors without commits too
        - ``bus factor``: fewest contributors (people) who have half of all commits or more, the
          Contributor Absence Factor of CHAOSS; not that of Avelino et al. (ICPC 2016), by files

    Examples
    --------
    >>> frame = pd.DataFrame({"contributor_id": ["1", "2", "3"], "commits": [10, 40, 50]})
    >>> commit_concentration(frame).set_index("measure").loc["bus factor", "value"]
    np.float64(1.0)
    """
    table, counted = _ranked(frame)
    commits = table["commits"].astype("int64")
    total, so_far = int(commits.sum()), commits.cumsum().to_numpy()
    measures: dict[str, float | None] = dict.fromkeys(("top 1", "top 5", "gini", "bus factor"))
    if total:
        measures |= {
            "top 1": int(so_far[0]) / total,
            "top 5": int(so_far[:5][-1]) / total,
            "gini": gini_and_shares(commits)["gini"],
            # In whole numbers, so that exactly half is recognised for any number of commits.
            "bus factor": int(np.searchsorted(so_far, -(-total // 2))) + 1,
        }
    values = [*measures.values()]
    return table_of(measure=("str", [*measures]), value=("Float64", values)), counted


def _ranked(frame: Frame) -> Counted:
    """Return the table of `commits_by_contributor`."""
    p = read(frame, "contributor_id", "commits", optional=["contributor_name"])
    _check_once(p["contributor_id"].dropna(), "contributor")
    p = p.reindex(columns=["contributor_id", "contributor_name", "commits"])
    p = p.astype({"contributor_name": "str"})
    table = p[p["commits"] >= 0].sort_values(
        ["commits", "contributor_id", "contributor_name"],
        ascending=[False, True, True],
        na_position="first",
        ignore_index=True,
    )
    exact(table[["commits"]])
    table.insert(0, "rank", pd.Series(range(1, len(table) + 1), dtype="Int64"))
    table["share"] = shares(table["commits"])
    whole = max(int(table["commits"].sum()), 1)
    table["cumulative_share"] = (table["commits"].cumsum() / whole).astype("Float64")
    counted = {"contributors": len(p), "with_commits": len(table)}
    return table, counted | unusable(p["commits"], "commits")


def _check_once(values: pd.Series[Any], what: str) -> None:
    if (repeated := values[values.duplicated()]).size:
        raise InvalidInputError(
            f"The {what} '{repeated.iloc[0]}' is in the frame more than once.",
            hint="Pass the records of one project, or those of several with stats.by or plot.panels "
            "(--by) and the column that tells their projects apart, such as project_id.",
        )


@statistic("with_month", "with a month")
def monthly_activity(frame: Frame) -> Counted:
    """Return the activity of a project in each month.

    Parameters
    ----------
    frame
        The months of one project, or with `by` of several, as `dirframe.load_activity` gives them.

    Returns
    -------
    pandas.DataFrame
        One row per month from the first to the last of the frame, without gaps. A month without a
        record has zeros, and one that is there twice, as in a frame of several projects, raises:

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
    p = read(frame, "month", *_COUNTS, optional=_LINES)
    dated = p[p["month"].notna()].reindex(columns=["month", *_COUNTS, *_LINES])
    months = dated["month"].dt.tz_localize(None).dt.to_period("M")
    _check_once(months, "month")
    span = pd.period_range(*months.agg(["min", "max"])) if len(months) else pd.PeriodIndex(months)
    numbers = dated.set_index(pd.PeriodIndex(months)).drop(columns="month").astype("Int64")
    known = [*_COUNTS, *(name for name in _LINES if numbers[name].notna().any())]
    numbers = numbers.where(numbers >= 0)
    table = numbers.reindex(span)
    table.loc[~span.isin(numbers.index), known] = 0
    starts, ends = (at.start_time.tz_localize("UTC") for at in (span, span + 1))
    table.insert(0, "month", starts.as_unit("us"))
    loaded = retrieved(frame)
    table["finished"] = pd.array(ends <= (loaded or ends.max()), dtype="boolean")
    if loaded is None:
        table.loc[span[-1:], "finished"] = None
    return table.reset_index(drop=True), {
        "activity_facts": len(p),
        "with_month": len(dated),
        "month_missing": len(p) - len(dated),
        "months_filled": len(span) - len(numbers),
        **{f"{name}_invalid": numbers[name].isna().sum() for name in _COUNTS},
    }
