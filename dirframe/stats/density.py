"""Statistics of contributors in relation to lines of code and to users."""

from __future__ import annotations

from typing import Unpack

from dirframe.stats._core.columns import integer_column
from dirframe.stats._core.groupby import (
    CONTRIBUTORS,
    USERS,
    group_sizes,
)
from dirframe.stats._core.loaders import PROJECTS
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable


@selectable
def users_against_contributors(
    projects: Frame,
    **_selection: Unpack[Selection],
) -> Counted:
    """Count the projects of each pair of users and contributors.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them, of either dialect.

    Returns
    -------
    pandas.DataFrame
        One row per pair that occurs, by users, then by contributors, both ascending:

        - ``users`` (Int64, members): the project's ``stack_count``, or its ``user_count`` where
          that is missing
        - ``contributors`` (Int64, people): ``analysis_twelve_month_contributor_count``
        - ``projects`` (Int64, projects): projects with this pair

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold whole numbers.

    Notes
    -----
    Projects where either number is missing or negative are in no row.
    ``attrs["dirframe"]["counted"]`` holds ``projects`` (all), ``with_both``, ``users_missing``,
    ``users_negative``, ``contributors_missing`` and ``contributors_negative``; a project can
    be in two of the last four.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "stack_count": [7, 0, 0],
    ...     "analysis_twelve_month_contributor_count": [2, 1, 1],
    ... })
    >>> print(users_against_contributors(projects))
       users  contributors  projects
    0      0             1         2
    1      7             2         1
    """
    require_columns(projects, CONTRIBUTORS, loader=PROJECTS, any_of=USERS)
    columns = {"users": integer_column(*USERS), "contributors": integer_column(CONTRIBUTORS)}
    pairs = group_sizes(projects, columns).rename(columns={"records": "projects"})
    pairs = pairs.astype("Int64")
    unknown = {
        f"{name}_{reason}": int(pairs["projects"][rows].sum())
        for name in columns
        for reason, rows in (
            ("missing", pairs[name].isna()),
            ("negative", (pairs[name] < 0).fillna(value=False)),
        )
    }
    result = pairs[((pairs["users"] >= 0) & (pairs["contributors"] >= 0)).fillna(value=False)]
    result = result.sort_values(["users", "contributors"], ignore_index=True)
    counted = {
        "projects": int(pairs["projects"].sum()),
        "with_both": int(result["projects"].sum()),
        **unknown,
    }
    return result, counted
