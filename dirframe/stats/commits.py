"""Distribution of the commits of one project over its contributors."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import pandas as pd

from dirframe.errors import Hint, InvalidInputError
from dirframe.schema.extensions import CONTRIBUTOR_FACT
from dirframe.stats._core.activity_months import months_back
from dirframe.stats._core.backends import columns_of
from dirframe.stats._core.columns import integer_column, text_column, timestamp_column
from dirframe.stats._core.frequencies import concentration
from dirframe.stats._core.groupby import as_int64, check_int64_sum, group_sizes, shares
from dirframe.stats._core.loaders import CONTRIBUTORS
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable

_LAST = "last_commit_time"


@selectable
def commits_by_contributor(
    frame: Frame,
    **_selection: Unpack[Selection],
) -> Counted:
    """Rank the contributors of a project by their commits.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        The contributors of one project as `dirframe.load_contributors` gives them; with `by`,
        those of several and a column that tells their projects apart.

    Returns
    -------
    pandas.DataFrame
        One row per contributor, most commits first, then by id, then by name (as text, by code
        point, so that ``"10"`` is before ``"9"``; missing ones first):

        - ``rank`` (Int64): number of the row from 1; those with as many commits do not share it
        - ``contributor_id`` (str)
        - ``contributor_name`` (str): as in the commits; missing where the frame has none
        - ``commits`` (Int64, commits in all)
        - ``share`` (Float64, 0 to 1): of the commits in all rows
        - ``cumulative_share`` (Float64, 0 to 1): of those, up to this one with it; 0.0, as
          ``share``, where nobody has committed

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold whole numbers, the sum of the
        commits is beyond 64 bits, or a contributor is there more than once, as in a frame of
        several projects.

    Notes
    -----
    A contributor is a name in the commits: one person with two names is two of them.
    Contributors without a number of commits, or with a negative one, are in no row. Rows without
    an id are a contributor each. ``attrs["dirframe"]["counted"]`` holds ``contributors`` (all),
    ``with_commits`` (0 or more), ``commits_missing`` and ``commits_negative``; the last three
    add up to the first. The rules of `exclude` know accounts and projects: one whose columns
    the frame lacks is refused.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"contributor_id": ["1", "2", "3"], "commits": [10, 60, 30]})
    >>> print(commits_by_contributor(frame)[["rank", "contributor_id", "cumulative_share"]])
       rank contributor_id  cumulative_share
    0     1              2               0.6
    1     2              3               0.9
    2     3              1               1.0
    """
    return _ranked(frame)


@selectable
def commit_concentration(
    frame: Frame,
    *,
    window: int = 12,
    **_selection: Unpack[Selection],
) -> Counted:
    """Measure how much a project depends on few contributors: truck factor, Gini, top shares.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        As `commits_by_contributor` takes them.
    window : int, default 12
        Months before the newest commit in which a contributor counts as active: 1 to 24.

    Returns
    -------
    pandas.DataFrame
        One row per measure:

        - ``measure`` (str): ``"top 1"`` and ``"top 5"`` contributors, ``"gini"``,
          ``"bus factor"``, ``"bus factor still active"``, ``"effective contributors"``
        - ``value`` (Float64): the share of all commits (0 to 1) that the one and the five with
          the most have (of fewer than five, all have); the Gini coefficient (0 to 1; 0: all
          have the same number); the smallest number of contributors (people) who have half
          of all commits or more together; how many of those (people) committed in the last
          `window` months, missing where the frame has no ``last_commit_time`` or not of all of
          them; and the number of contributors with equal shares who would be as concentrated.
          All missing where nobody has committed

    Raises
    ------
    InvalidInputError
        As `commits_by_contributor`.

    Notes
    -----
    The bus factor is the truck factor by commits, as the Contributor Absence Factor of CHAOSS
    counts it; that of Avelino et al., "A novel approach for estimating truck factors" (ICPC
    2016), needs the authors of each file, which the interface does not have. It counts commits
    over the whole life of the project, large or small; who is still active is counted from the
    newest ``last_commit_time`` of all, not from today. The effective number is the reciprocal of
    the Herfindahl-Hirschman index, the sum of the squared shares. The Gini coefficient is computed as in `contributor_concentration`, of the
    contributors with a number of commits, 0 too. Who is left out, and what ``counted`` holds,
    is said in `commits_by_contributor`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"contributor_id": ["1", "2", "3"], "commits": [10, 40, 50]})
    >>> print(commit_concentration(frame).round(3))
                       measure  value
    0                    top 1    0.5
    1                    top 5    1.0
    2                     gini  0.267
    3               bus factor    1.0
    4  bus factor still active   <NA>
    5   effective contributors  2.381
    """
    table, counted = _ranked(frame)
    measures = measures_of(table) | _more_measures(frame, table, months_back(window))
    result = pd.DataFrame(
        {
            "measure": pd.Series([*measures], dtype="str"),
            "value": pd.Series([*measures.values()], dtype="Float64"),
        }
    )
    return result, counted


def measures_of(ranked: pd.DataFrame) -> dict[str, float | None]:
    """Return the measures of a table of `commits_by_contributor`; None without commits."""
    commits = ranked["commits"].to_numpy(dtype=np.int64)
    total = int(commits.sum())
    if not total:
        return dict.fromkeys(["top 1", "top 5", "gini", "bus factor"])
    held = np.concatenate([[0], commits[::-1].cumsum()]) / total
    records = np.arange(len(commits) + 1) / len(commits)
    cumulative = commits.cumsum()
    return {
        "top 1": int(cumulative[0]) / total,
        "top 5": int(cumulative[:5][-1]) / total,
        "gini": concentration(records, held)["gini"],
        # In integers, so that exactly half is recognised for any number of commits.
        "bus factor": float(np.searchsorted(cumulative, -(-total // 2))) + 1,
    }


def _more_measures(frame: Frame, ranked: pd.DataFrame, window: int) -> dict[str, float | None]:
    """Return the active ones of the bus factor, and the effective number of contributors."""
    factor = measures_of(ranked)["bus factor"]
    active: float | None = None
    squares = float((ranked["share"] ** 2).sum())
    if factor is not None and _LAST in columns_of(frame, CONTRIBUTORS):
        columns = {"id": text_column("contributor_id"), "last": timestamp_column(_LAST)}
        last = group_sizes(frame, columns).set_index("id")["last"]
        theirs = last.reindex(ranked["contributor_id"][: int(factor)])
        if theirs.notna().all():
            active = float((theirs > last.max() - pd.DateOffset(months=window)).sum())
    effective = 1 / squares if squares else None
    return {"bus factor still active": active, "effective contributors": effective}


def _ranked(frame: Frame) -> Counted:
    require_columns(frame, "contributor_id", "commits", loader=CONTRIBUTORS)
    columns = {
        "id": text_column("contributor_id"),
        "name": text_column("contributor_name"),
        "commits": integer_column("commits"),
    }
    rows = group_sizes(frame, columns, by=[*columns])
    repeated = rows["id"][rows["id"].notna() & (rows["id"].duplicated() | (rows["records"] > 1))]
    if len(repeated):
        raise InvalidInputError(
            f"The contributor {repeated.iloc[0]!r} is in the frame more than once.",
            hint=Hint(
                f"Pass the contributors of one project, as {CONTRIBUTORS.python} gives them, or "
                "those of several with by= and the column that tells their projects apart.",
                shell=f"Name a file of one project, as {CONTRIBUTORS.shell} writes it, or give "
                "--by and the column that tells projects apart.",
            ),
        )
    # Each row without an id is a person.
    rows = rows.loc[rows.index.repeat(rows["records"].to_numpy(dtype=int))]
    missing, negative = rows["commits"].isna(), rows["commits"].lt(0).fillna(value=False)
    table = rows[~missing & ~negative]
    check_int64_sum("commits", table["commits"])
    order = np.lexsort(
        [
            table["name"].fillna("").to_numpy(dtype=object),
            table["id"].fillna("").to_numpy(dtype=object),
            -table["commits"].to_numpy(dtype=np.int64),
        ]
    )
    table = table.iloc[order].reset_index(drop=True)
    commits = as_int64(table["commits"])
    result = pd.DataFrame(
        {
            "rank": as_int64(range(1, len(table) + 1)),
            "contributor_id": table["id"].astype("str"),
            "contributor_name": table["name"].astype("str"),
            "commits": commits,
            "share": shares(commits),
            "cumulative_share": (commits.cumsum() / max(int(commits.sum()), 1)).astype("Float64"),
        }
    )
    counted = {
        CONTRIBUTOR_FACT.collection: len(rows),
        "with_commits": len(table),
        "commits_missing": int(missing.sum()),
        "commits_negative": int(negative.sum()),
    }
    return result, counted
