"""Distribution and concentration of contributors over projects.

A contributor is a person who committed to the project in the twelve months before its analysis.
A person in two projects counts twice.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.stats.kernel import (
    CONTRIBUTORS,
    USERS,
    Counted,
    Frame,
    exact,
    read,
    shares,
    statistic,
    table_of,
    true,
    valid,
    whole_number,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

#: The smallest number of each class of sizes.
SIZES = (0, 1, 2, 5, 10, 20, 50, 100)
_TOP_SHARES = {f"top {percent}%": percent / 100 for percent in (1, 10, 20, 50)}


@statistic("with_contributors", "with a valid number of contributors")
def contributor_distribution(projects: Frame) -> Counted:
    """Count the projects of each number of contributors.

    Parameters
    ----------
    projects : pandas.DataFrame, or records elsewhere
        Projects as `dirframe.load_projects` gives them.

    Returns
    -------
    pandas.DataFrame
        One row per number of contributors that occurs, ascending; none where no project has a
        valid one:

        - ``contributors`` (Int64, people per project)
        - ``projects`` (Int64, projects): projects with this many
        - ``share`` (Float64, 0 to 1): of the projects with a valid number
        - ``share_at_most`` (Float64, 0 to 1): of those, with this many or fewer

    Raises
    ------
    InvalidInputError
        If the column is missing or does not hold whole numbers.

    Notes
    -----
    The number is ``analysis_twelve_month_contributor_count``; a valid one is 0 or more. Missing
    and negative ones are left out and counted: ``attrs["dirframe"]["counted"]`` holds
    ``projects`` (all), ``with_contributors`` (valid), ``contributors_missing`` and
    ``contributors_negative``; the last three add up to the first.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 3, 0, None]})
    >>> print(contributor_distribution(projects))
       contributors  projects     share  share_at_most
    0             0         2  0.666667       0.666667
    1             3         1  0.333333            1.0
    """
    known, counted = _people(projects)
    return distribution(known, "contributors", "projects"), counted


@statistic("with_contributors", "with a valid number of contributors")
def lorenz(projects: Frame) -> Counted:
    """Return the Lorenz curve of contributors over projects.

    Parameters
    ----------
    projects : pandas.DataFrame, or records elsewhere
        Projects as `dirframe.load_projects` gives them.

    Returns
    -------
    pandas.DataFrame
        The corners of the curve from (0, 0) to (1, 1), one for each number of contributors
        that occurs, projects with the fewest first; none where no project has a contributor:

        - ``projects_share`` (Float64, 0 to 1): of the projects with a valid number
        - ``contributors_share`` (Float64, 0 to 1): of all contributors, in these projects
        - ``contributors`` (Int64, people per project): what the projects up to this corner have
          at most; missing at the origin

    Raises
    ------
    InvalidInputError
        If the column is missing or does not hold whole numbers.

    Notes
    -----
    After Lorenz, "Methods of measuring the concentration of wealth", Publications of the
    American Statistical Association 9 (1905), 209-219. Missing and negative numbers are left
    out and counted as in `contributor_distribution`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [3, 1, 0, 0]})
    >>> print(lorenz(projects))
       projects_share  contributors_share  contributors
    0             0.0                 0.0          <NA>
    1             0.5                 0.0             0
    2            0.75                0.25             1
    3             1.0                 1.0             3
    """
    known, counted = _people(projects)
    numbers, records, held = _curve(known)
    columns = {
        "projects_share": records,
        "contributors_share": held,
        "contributors": [None, *numbers] if len(held) else [],
    }
    dtypes = dict(zip(columns, ["Float64", "Float64", "Int64"], strict=True))
    return table_of(columns, dtypes), counted


@statistic("with_contributors", "with a valid number of contributors")
def contributor_concentration(projects: Frame) -> Counted:
    """Measure how unequally contributors are spread over projects.

    Parameters
    ----------
    projects : pandas.DataFrame, or records elsewhere
        Projects as `dirframe.load_projects` gives them.

    Returns
    -------
    pandas.DataFrame
        One row per measure:

        - ``measure`` (str): ``"gini"``, then ``"top 1%"``, ``"top 10%"``, ``"top 20%"`` and
          ``"top 50%"`` of the projects
        - ``value`` (Float64, 0 to 1): the Gini coefficient (0: all projects have the same
          number), and the share of all contributors that those projects have; missing where
          no project has a contributor
        - ``value_without_zeros`` (Float64, 0 to 1): the same of the projects with at least
          one contributor

    Raises
    ------
    InvalidInputError
        If the column is missing or does not hold whole numbers.

    Notes
    -----
    The Gini coefficient is 1 less twice the area below `lorenz`, whose corners are joined by
    straight lines, without the correction for small samples: n projects reach (n - 1) / n at
    most. The top p have 1 less the height of that curve at 1 - p, so that of a share that is
    no whole number of projects a part of the one at the edge counts. Missing and negative
    numbers are left out and counted as in `contributor_distribution`;
    ``attrs["dirframe"]["counted"]`` holds ``projects_without_contributors`` (0) as well.

    Dormant projects have no contributor, and a directory keeps many: with z the share of the
    projects that have none, the coefficient of all is z + (1 - z) times that without them, so
    that it says how many are dormant first of all. ``value_without_zeros`` says how unequal
    the others are.

    `dirframe.plot.lorenz` draws the curve with the coefficient, and says what the tenth with the
    most has.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [3, 1, 0, 0]})
    >>> print(contributor_concentration(projects))
       measure  value  value_without_zeros
    0     gini  0.625                 0.25
    1   top 1%   0.03                0.015
    2  top 10%    0.3                 0.15
    3  top 20%    0.6                  0.3
    4  top 50%    1.0                 0.75
    """
    known, counted = _people(projects)
    measures, without_zeros = gini_and_shares(known), gini_and_shares(known[known > 0])
    table = table_of(
        {
            "measure": [*measures],
            "value": [*measures.values()],
            "value_without_zeros": [*without_zeros.values()],
        },
        {"measure": "str", "value": "Float64", "value_without_zeros": "Float64"},
    )
    return table, counted | {"projects_without_contributors": (known == 0).sum()}


@statistic("with_contributors", "with a valid number of contributors")
def team_size_classes(projects: Frame, *, bounds: Sequence[int] = SIZES) -> Counted:
    """Put projects into classes by their number of contributors.

    Parameters
    ----------
    projects : pandas.DataFrame, or records elsewhere
        Projects as `dirframe.load_projects` gives them.
    bounds : sequence of int, default (0, 1, 2, 5, 10, 20, 50, 100)
        The smallest number of each class, ascending, the first of them 0.

    Returns
    -------
    pandas.DataFrame
        One row per class, also where no project is in it:

        - ``team_size`` (str): name of the class: ``"2–4"`` (an en dash), ``"0"`` where that is
          the only number in it, ``"1,000 or more"``
        - ``smallest``, ``largest`` (Int64, people per project): its bounds, both of them in it;
          the last class has no ``largest``
        - ``projects`` (Int64, projects)
        - ``share`` (Float64, 0 to 1): of the projects with a valid number; 0.0 in each row
          where none has one
        - ``contributors`` (Int64, people): sum over the projects of the class; 0 where there
          is none

    Raises
    ------
    InvalidInputError
        If the column is missing or does not hold whole numbers, their sum is
        beyond 64 bits, or `bounds` are no whole numbers that ascend from 0.

    Notes
    -----
    Missing and negative numbers are left out and counted as in `contributor_distribution`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 3, 4, 7]})
    >>> print(team_size_classes(projects, bounds=[0, 1, 5])[["team_size", "projects"]])
       team_size  projects
    0          0         1
    1        1–4         2
    2  5 or more         1
    """
    for bound in bounds:
        whole_number("bounds", bound, least=0, instead="the smallest number of a class")
    if not len(bounds) or bounds[0] != 0 or any(low >= high for low, high in pairwise(bounds)):
        raise InvalidInputError(f"bounds must ascend from 0; got {list(bounds)}.")
    known, counted = _people(projects)
    exact(known.to_frame(CONTRIBUTORS))
    classes = np.searchsorted(np.asarray(bounds), known, side="right") - 1
    sums = known.groupby(classes).sum().reindex(range(len(bounds)), fill_value=0)
    projects_of = pd.Series(np.bincount(classes, minlength=len(bounds)), dtype="Int64")
    columns = {
        "team_size": size_names(bounds),
        "smallest": bounds,
        "largest": [*(bound - 1 for bound in bounds[1:]), None],
        "projects": projects_of,
        "share": shares(projects_of),
        "contributors": sums.to_numpy(),
    }
    dtypes = dict.fromkeys(columns, "Int64") | {"team_size": "str", "share": "Float64"}
    return table_of(columns, dtypes), counted


@statistic("with_both", "with users and contributors")
def users_against_contributors(projects: Frame) -> Counted:
    """Count the projects of each pair of users and contributors.

    Parameters
    ----------
    projects : pandas.DataFrame, or records elsewhere
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
    p = read(projects, users=USERS, contributors=CONTRIBUTORS)
    pairs = p[true((p["users"] >= 0) & (p["contributors"] >= 0))]
    table = pairs.groupby(["users", "contributors"]).size().reset_index(name="projects")
    counted: dict[str, Any] = {"projects": len(p), "with_both": len(pairs)}
    for name in p:
        counted[f"{name}_missing"] = p[name].isna().sum()
        counted[f"{name}_negative"] = (p[name] < 0).sum()
    return table.astype("Int64"), counted


def _people(projects: Frame) -> tuple[pd.Series[int], dict[str, Any]]:
    people = read(projects, contributors=CONTRIBUTORS)["contributors"]
    known, counted = valid(people, "contributors")
    return known, {"projects": len(people), **counted}


def distribution(known: pd.Series[int], number: str, records: str) -> pd.DataFrame:
    """Return each number with its records, their share and their cumulative share."""
    counts = known.value_counts().sort_index()
    columns = {
        number: counts.index,
        records: counts.to_numpy(),
        "share": counts.to_numpy() / max(len(known), 1),
        "share_at_most": counts.cumsum().to_numpy() / max(len(known), 1),
    }
    dtypes = {number: "Int64", records: "Int64", "share": "Float64", "share_at_most": "Float64"}
    return table_of(columns, dtypes)


def _curve(known: pd.Series[int]) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return the numbers that occur, and the corners of the curve: shares of records and of sum.

    Both begin with 0. They are empty if the sum is 0.
    """
    counts = known.value_counts().sort_index()
    numbers = counts.index.to_numpy(np.int64)
    held = np.append(0.0, (numbers.astype(np.float64) * counts.to_numpy()).cumsum())
    if not held[-1]:
        return numbers, np.array([]), np.array([])
    records = np.append(0, counts.to_numpy().cumsum()) / len(known)
    return numbers, records, held / held[-1]


def gini_and_shares(known: pd.Series[int]) -> dict[str, float]:
    """Return the Gini coefficient of some numbers, and the shares of the top records."""
    _, records, held = _curve(known)
    return concentration(records, held)


def concentration(records: Floats, held: Floats) -> dict[str, float]:
    """Return the Gini coefficient of a Lorenz curve, and the shares of the top records.

    All values are NaN for an empty curve.
    """
    if not len(held):
        return dict.fromkeys(["gini", *_TOP_SHARES], math.nan)
    gini = 1 - float(np.sum(np.diff(records) * (held[1:] + held[:-1])))
    below = np.interp([1 - share for share in _TOP_SHARES.values()], records, held)
    return {"gini": gini, **dict(zip(_TOP_SHARES, (1 - below).tolist(), strict=True))}


def size_names(bounds: Sequence[int]) -> list[str]:
    """Return the names of classes by the smallest number of each."""
    names = [f"{a:,}" if b == a + 1 else f"{a:,}–{b - 1:,}" for a, b in pairwise(bounds)]
    return [*names, f"{bounds[-1]:,} or more"]
