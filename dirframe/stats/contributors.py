"""Distribution and concentration of contributors over projects.

A contributor is a person who committed to the project in the twelve months before its analysis.
A person in two projects counts twice.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.stats._core.frequencies import Frequencies, concentration, size_class
from dirframe.stats._core.groupby import (
    CONTRIBUTORS,
    as_int64,
    check_int64_sum,
    shares,
    whole_number,
)
from dirframe.stats._core.loaders import PROJECTS
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable

if TYPE_CHECKING:
    from collections.abc import Sequence


@selectable
def contributor_distribution(
    projects: Frame,
    **_selection: Unpack[Selection],
) -> Counted:
    """Count the projects of each number of contributors.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
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
    frequencies = _frequencies(projects)
    return frequencies.distribution("contributors", "projects"), _counted(frequencies)


@selectable
def lorenz(
    projects: Frame,
    **_selection: Unpack[Selection],
) -> Counted:
    """Return the Lorenz curve of contributors over projects.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
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
    frequencies = _frequencies(projects)
    records, held = frequencies.cumulated()
    numbers = pd.Series([None, *frequencies.numbers] if len(held) else [], dtype="Int64")
    result = pd.DataFrame(
        {
            "projects_share": pd.Series(records, dtype="Float64"),
            "contributors_share": pd.Series(held, dtype="Float64"),
            "contributors": numbers,
        }
    )
    return result, _counted(frequencies)


@selectable
def contributor_concentration(
    projects: Frame,
    **_selection: Unpack[Selection],
) -> Counted:
    """Measure how unequally contributors are spread over projects.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
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
    frequencies = _frequencies(projects)
    measures = concentration(*frequencies.cumulated())
    measures_without_zeros = concentration(*frequencies.without_zeros().cumulated())
    result = pd.DataFrame(
        {
            "measure": pd.Series([*measures], dtype="str"),
            "value": pd.Series([*measures.values()], dtype="Float64"),
            "value_without_zeros": pd.Series([*measures_without_zeros.values()], dtype="Float64"),
        }
    )
    counted = _counted(frequencies)
    return result, counted | {"projects_without_contributors": frequencies.zeros}


@selectable
def team_size_classes(
    projects: Frame,
    *,
    bounds: Sequence[int] = (0, 1, 2, 5, 10, 20, 50, 100),
    **_selection: Unpack[Selection],
) -> Counted:
    """Put projects into classes by their number of contributors.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
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
    if not bounds or bounds[0] != 0 or any(low >= high for low, high in pairwise(bounds)):
        raise InvalidInputError(f"bounds must ascend from 0; got {list(bounds)}.")
    frequencies = _frequencies(projects)
    check_int64_sum(CONTRIBUTORS, pd.Series(frequencies.numbers), pd.Series(frequencies.records))
    index = np.searchsorted(np.asarray(bounds), frequencies.numbers, side="right") - 1
    counts = np.zeros((2, len(bounds)), dtype=np.int64)
    np.add.at(counts[0], index, frequencies.records)
    np.add.at(counts[1], index, frequencies.records * frequencies.numbers)
    largest = [*(bound - 1 for bound in bounds[1:]), None]
    result = pd.DataFrame(
        {
            "team_size": pd.Series(
                [size_class(low, high) for low, high in zip(bounds, largest, strict=True)],
                dtype="str",
            ),
            "smallest": as_int64(bounds),
            "largest": pd.Series(largest, dtype="Int64"),
            "projects": as_int64(counts[0]),
            "share": shares(as_int64(counts[0])),
            "contributors": as_int64(counts[1]),
        }
    )
    return result, _counted(frequencies)


def _frequencies(projects: Frame) -> Frequencies:
    require_columns(projects, CONTRIBUTORS, loader=PROJECTS)
    return Frequencies.of(projects, CONTRIBUTORS)


def _counted(frequencies: Frequencies) -> dict[str, int]:
    return frequencies.counted("projects", "contributors")
