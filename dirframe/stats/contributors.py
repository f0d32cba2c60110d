"""Distribution and concentration of contributors over projects.

A contributor is a person who committed in the twelve months before the project's analysis
(``analysis_twelve_month_contributor_count``); one in two projects counts twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from dirframe._display import suggests_options
from dirframe.errors import InvalidInputError
from dirframe.stats.counts import (
    as_bool,
    check_sum_fits,
    count_unusable,
    share_of,
    valid_numbers,
    whole_number,
)
from dirframe.stats.distributions import distribution, gini, lorenz_curve, top_share
from dirframe.stats.intervals import Shares, WeightedShares, check_confidence
from dirframe.stats.records import CONTRIBUTORS, USERS, Frame, read
from dirframe.stats.result import Counts, as_statistic, typed_table

#: The smallest number of each class of sizes.
SIZES = (0, 1, 2, 5, 10, 20, 50, 100)


@suggests_options
def contributor_distribution(frame: Frame, *, confidence: float = 0.95) -> pd.DataFrame:
    """Count the projects of each number of contributors.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the column ``analysis_twelve_month_contributor_count``.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.

    Returns
    -------
    pandas.DataFrame
        One row per number of contributors that occurs, ascending:

        - ``contributors`` (Int64, people per project), ``projects`` (Int64, projects with this many)
        - ``share``, ``share_at_most`` (Float64, 0 to 1): of those with a valid number, with this
          many, and with this many or fewer
        - ``low``, ``high`` (Float64, 0 to 1): of a random sample, the interval of ``share``

        Counted: ``with_contributors``, ``contributors_missing``, ``contributors_negative``.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 3, 0, None]})
    >>> contributor_distribution(projects)["projects"].tolist()
    [2, 1]
    """
    check_confidence(confidence)
    people = read(frame, [CONTRIBUTORS])[CONTRIBUTORS]
    known = valid_numbers(people)
    table = distribution(known, "contributors", "projects")
    counts = _counts(people)
    shares = Shares(len(known), confidence)
    return as_statistic(
        table, "contributor_distribution", source=frame, counts=counts, shares=shares
    )


@suggests_options
def lorenz(frame: Frame) -> pd.DataFrame:
    """Return the Lorenz curve of contributors over projects.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the column ``analysis_twelve_month_contributor_count``.

    Returns
    -------
    pandas.DataFrame
        The corners from (0, 0) to (1, 1), one for each number of contributors that occurs,
        ascending; none where no project has a contributor:

        - ``projects_share`` (Float64, 0 to 1): of the projects with a valid number
        - ``contributors_share`` (Float64, 0 to 1): of all contributors, in these projects
        - ``contributors`` (Int64, people per project): at most, up to here; missing at the origin

        Lorenz, Publications of the American Statistical Association 9 (1905), 209-219. Counted as
        in `contributor_distribution`.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [3, 1, 0, 0]})
    >>> lorenz(projects)["contributors_share"].tolist()
    [0.0, 0.0, 0.25, 1.0]
    """
    people = read(frame, [CONTRIBUTORS])[CONTRIBUTORS]
    curve = lorenz_curve(valid_numbers(people))
    table = typed_table(
        {
            "projects_share": ("Float64", curve["records"]),
            "contributors_share": ("Float64", curve["held"]),
            "contributors": ("Int64", curve["number"]),
        }
    )
    counts = _counts(people)
    return as_statistic(table, "lorenz", source=frame, counts=counts, shares=WeightedShares())


@suggests_options
def contributor_concentration(frame: Frame) -> pd.DataFrame:
    """Measure how unequally contributors are spread over projects.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the column ``analysis_twelve_month_contributor_count``.

    Returns
    -------
    pandas.DataFrame
        One row, with missing values where nobody contributed:

        - ``gini`` (Float64, 0 to 1): the Gini coefficient (0: all have the same number), 1 less
          twice the area below `lorenz`, not corrected for small samples
        - ``top_1_percent_share``, ``top_10_percent_share``, ``top_20_percent_share`` and
          ``top_50_percent_share`` (Float64, 0 to 1): share of all contributors in the projects with
          the most, with a part of the one at the edge
        - ``gini_without_zeros``, ``top_1_percent_share_without_zeros`` and so on: the same of the
          projects with a contributor

        Counted: as in `contributor_distribution`, and ``projects_without_contributors``.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [3, 1, 0, 0]})
    >>> print(contributor_concentration(projects)[["gini", "gini_without_zeros"]])
        gini  gini_without_zeros
    0  0.625                0.25
    """
    people = read(frame, [CONTRIBUTORS])[CONTRIBUTORS]
    known = valid_numbers(people)
    table = typed_table(
        {
            **_concentration(known, ""),
            **_concentration(known[known > 0], "_without_zeros"),
        }
    )
    counts = _counts(people, projects_without_contributors=int((known == 0).sum()))
    shares = WeightedShares()
    return as_statistic(
        table, "contributor_concentration", source=frame, counts=counts, shares=shares
    )


def _concentration(numbers: pd.Series[int], suffix: str) -> dict[str, tuple[str, Any]]:
    """Return the columns of `contributor_concentration` for some numbers."""
    curve = lorenz_curve(numbers)
    columns: dict[str, tuple[str, Any]] = {f"gini{suffix}": ("Float64", [gini(curve)])}
    for percent in (1, 10, 20, 50):
        share = top_share(curve, percent / 100)
        columns[f"top_{percent}_percent_share{suffix}"] = ("Float64", [share])
    return columns


@suggests_options
def team_size_classes(
    frame: Frame, *, bounds: Sequence[int] = SIZES, confidence: float = 0.95
) -> pd.DataFrame:
    """Put projects into classes by their number of contributors.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the column ``analysis_twelve_month_contributor_count``.
    bounds : sequence of int, default (0, 1, 2, 5, 10, 20, 50, 100)
        The smallest number of each class, ascending from 0.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.

    Returns
    -------
    pandas.DataFrame
        One row per class, also where no project is in it:

        - ``team_size`` (str): ``"2–4"`` (an en dash), ``"0"``, ``"1,000 or more"``
        - ``smallest``, ``largest`` (Int64, people per project): both in it; the last has no largest
        - ``projects`` (Int64, projects), ``contributors`` (Int64, people): sum over them
        - ``share`` (Float64, 0 to 1): of the projects with a valid number
        - ``low``, ``high`` (Float64, 0 to 1): of a random sample, the interval of ``share``

        Counted: as in `contributor_distribution`.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 3, 4, 7]})
    >>> team_size_classes(projects, bounds=[0, 5])["team_size"].tolist()
    ['0–4', '5 or more']
    """
    check_confidence(confidence)
    smallest = _checked_bounds(bounds)
    people = read(frame, [CONTRIBUTORS])[CONTRIBUTORS]
    known = valid_numbers(people).rename("contributors")
    check_sum_fits(known)
    place_of_class = np.searchsorted(smallest, known, side="right") - 1
    groups = known.groupby(place_of_class)
    every_class = range(len(smallest))
    projects = groups.size().reindex(every_class, fill_value=0)
    people_of_class = groups.sum().reindex(every_class, fill_value=0)
    largest = [bound - 1 for bound in smallest[1:]]
    table = typed_table(
        {
            "team_size": ("str", size_names(smallest)),
            "smallest": ("Int64", smallest),
            "largest": ("Int64", [*largest, None]),
            "projects": ("Int64", projects),
            "share": ("Float64", share_of(projects, len(known))),
            "contributors": ("Int64", people_of_class),
        }
    )
    shares = Shares(len(known), confidence)
    return as_statistic(
        table, "team_size_classes", source=frame, counts=_counts(people), shares=shares
    )


@suggests_options
def users_against_contributors(frame: Frame) -> pd.DataFrame:
    """Count the projects of each pair of users and contributors.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects with the columns ``stack_count`` (or else ``user_count``) and
        ``analysis_twelve_month_contributor_count``.

    Returns
    -------
    pandas.DataFrame
        One row per pair that occurs, by users, then contributors, both ascending:

        - ``users`` (Int64, members): ``stack_count``, or ``user_count`` where that is missing
        - ``contributors`` (Int64, people), ``projects`` (Int64, projects with this pair)

        Counted: ``with_both``, and, of which a project can have two, ``users_missing``,
        ``users_negative``, ``contributors_missing`` and ``contributors_negative``.

    Examples
    --------
    >>> people = "analysis_twelve_month_contributor_count"
    >>> projects = pd.DataFrame({"stack_count": [7, 0, 0], people: [2, 1, 1]})
    >>> print(users_against_contributors(projects))
       users  contributors  projects
    0      0             1         2
    1      7             2         1
    """
    columns = read(frame, [USERS, CONTRIBUTORS])
    users = columns[USERS]
    people = columns[CONTRIBUTORS]
    pairs = columns[as_bool(users >= 0) & as_bool(people >= 0)]
    table = pairs.groupby([USERS, CONTRIBUTORS]).size().reset_index(name="projects")
    table = table.set_axis(["users", "contributors", "projects"], axis=1).astype("Int64")
    counts = Counts(
        "projects",
        len(columns),
        base="with_both",
        which="with users and contributors",
        numbers={
            "with_both": len(pairs),
            **count_unusable(users, "users"),
            **count_unusable(people, "contributors"),
        },
    )
    return as_statistic(table, "users_against_contributors", source=frame, counts=counts)


def _counts(people: pd.Series[Any], **others: int) -> Counts:
    numbers = {
        "with_contributors": int((people >= 0).sum()),
        **count_unusable(people, "contributors"),
        **others,
    }
    which = "with a valid number of contributors"
    return Counts("projects", len(people), "with_contributors", which, numbers)


def _checked_bounds(bounds: object) -> list[int]:
    """Return the smallest number of each class; raise unless they ascend from 0."""
    values = bounds if isinstance(bounds, Iterable) else []
    smallest = [
        whole_number("bounds", bound, least=0, most=2**63 - 1, ending="as each of them")
        for bound in values
    ]
    if smallest[:1] != [0] or any(low >= high for low, high in pairwise(smallest)):
        raise InvalidInputError(f"bounds must ascend from 0; got {bounds!r}.")
    return smallest


def size_names(bounds: Sequence[int]) -> list[str]:
    """Return the names of classes by the smallest number of each."""
    names: list[str] = []
    for smallest, following in pairwise(bounds):
        largest = following - 1
        names.append(f"{smallest:,}" if smallest == largest else f"{smallest:,}–{largest:,}")
    return [*names, f"{bounds[-1]:,} or more"]
