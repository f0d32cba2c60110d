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

from dirframe.errors import InvalidInputError
from dirframe.stats.counts import (
    distribution,
    exact,
    gini_and_shares,
    lorenz_curve,
    shares,
    table_of,
    unusable,
    valid,
)
from dirframe.stats.kernel import Counted, Frame, read, statistic, whole_number

#: The smallest number of each class of sizes.
SIZES = (0, 1, 2, 5, 10, 20, 50, 100)


@statistic("with_contributors", "with a valid number of contributors")
def contributor_distribution(projects: Frame) -> Counted:
    """Count the projects of each number of contributors.

    Parameters as in `dirframe.stats`.

    Returns
    -------
    pandas.DataFrame
        One row per number of contributors that occurs, ascending: ``contributors`` (Int64, people
        per project), ``projects`` (Int64, projects with this many), ``share``, ``share_at_most``
        (Float64, 0 to 1, of those with a valid number: with this many, and with this many or fewer).
        Counted: ``with_contributors``, ``contributors_missing``, ``contributors_negative``.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 3, 0, None]})
    >>> contributor_distribution(projects)["projects"].tolist()
    [2, 1]
    """
    known, counted = _contributors(projects)
    return distribution(known, "contributors", "projects"), counted


@statistic("with_contributors", "with a valid number of contributors")
def lorenz(projects: Frame) -> Counted:
    """Return the Lorenz curve of contributors over projects.

    Parameters as in `dirframe.stats`.

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
    known, counted = _contributors(projects)
    numbers, records, held = lorenz_curve(known)
    table = table_of(
        projects_share=("Float64", records),
        contributors_share=("Float64", held),
        contributors=("Int64", [None, *numbers][: len(held)]),
    )
    return table, counted


@statistic("with_contributors", "with a valid number of contributors")
def contributor_concentration(projects: Frame) -> Counted:
    """Measure how unequally contributors are spread over projects.

    Parameters as in `dirframe.stats`.

    Returns
    -------
    pandas.DataFrame
        One row per ``measure`` (str):

        - ``value`` (Float64, 0 to 1): of ``"gini"``, the Gini coefficient (0: all have the same
          number), 1 less twice the area below `lorenz`, not corrected for small samples; of
          ``"top 1%"``, ``"top 10%"``, ``"top 20%"`` and ``"top 50%"``, the share of contributors in
          those projects, with a part of the one at the edge; missing where nobody contributed
        - ``value_without_zeros`` (Float64, 0 to 1): the same of the projects with a contributor

        Counted: as in `contributor_distribution`, and ``projects_without_contributors``.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [3, 1, 0, 0]})
    >>> print(contributor_concentration(projects).head(1))
      measure  value  value_without_zeros
    0    gini  0.625                 0.25
    """
    known, counted = _contributors(projects)
    measures, without_zeros = gini_and_shares(known), gini_and_shares(known[known > 0])
    table = table_of(
        measure=("str", [*measures]),
        value=("Float64", [*measures.values()]),
        value_without_zeros=("Float64", [*without_zeros.values()]),
    )
    return table, counted | {"projects_without_contributors": (known == 0).sum()}


@statistic("with_contributors", "with a valid number of contributors")
def team_size_classes(projects: Frame, *, bounds: Sequence[int] = SIZES) -> Counted:
    """Put projects into classes by their number of contributors.

    Parameters
    ----------
    projects
        As in `dirframe.stats`.
    bounds : sequence of int, default (0, 1, 2, 5, 10, 20, 50, 100)
        The smallest number of each class, ascending from 0.

    Returns
    -------
    pandas.DataFrame
        One row per class, also where no project is in it:

        - ``team_size`` (str): ``"2–4"`` (an en dash), ``"0"``, ``"1,000 or more"``
        - ``smallest``, ``largest`` (Int64, people per project): both in it; the last has no largest
        - ``projects`` (Int64, projects), ``contributors`` (Int64, people): sum over them
        - ``share`` (Float64, 0 to 1): of the projects with a valid number

        Counted: as in `contributor_distribution`.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 3, 4, 7]})
    >>> team_size_classes(projects, bounds=[0, 5])["team_size"].tolist()
    ['0–4', '5 or more']
    """
    lowest = _ascending(bounds)
    known, counted = _contributors(projects)
    exact(known.to_frame("contributors"))
    classes = np.searchsorted(lowest, known, side="right") - 1
    groups, every = known.groupby(classes), range(len(lowest))
    number = groups.size().reindex(every, fill_value=0)
    table = table_of(
        team_size=("str", size_names(lowest)),
        smallest=("Int64", lowest),
        largest=("Int64", [*(bound - 1 for bound in lowest[1:]), None]),
        projects=("Int64", number),
        share=("Float64", shares(number)),
        contributors=("Int64", groups.sum().reindex(every, fill_value=0)),
    )
    return table, counted


@statistic("with_both", "with users and contributors")
def users_against_contributors(projects: Frame) -> Counted:
    """Count the projects of each pair of users and contributors.

    Parameters as in `dirframe.stats`.

    Returns
    -------
    pandas.DataFrame
        One row per pair that occurs, by users, then contributors, both ascending: ``users`` (Int64,
        members: ``stack_count``, or ``user_count`` where that is missing), ``contributors`` (Int64,
        people), ``projects`` (Int64, projects with this pair). Counted: ``with_both``, and, of which
        a project can have two, ``users_missing``, ``users_negative``, ``contributors_missing`` and
        ``contributors_negative``.

    Examples
    --------
    >>> people = "analysis_twelve_month_contributor_count"
    >>> projects = pd.DataFrame({"stack_count": [7, 0, 0], people: [2, 1, 1]})
    >>> print(users_against_contributors(projects))
       users  contributors  projects
    0      0             1         2
    1      7             2         1
    """
    p = read(projects, "users", "people").set_axis(["users", "contributors"], axis=1)
    pairs = p[(p["users"] >= 0) & (p["contributors"] >= 0)]
    table = pairs.groupby(["users", "contributors"]).size().reset_index(name="projects")
    counted: dict[str, Any] = {"projects": len(p), "with_both": len(pairs)}
    counted |= unusable(p["users"], "users") | unusable(p["contributors"], "contributors")
    return table.astype("Int64"), counted


def _contributors(projects: Frame) -> tuple[pd.Series[int], dict[str, Any]]:
    return valid(read(projects, "people")["people"], "contributors", "projects")


def _ascending(bounds: object) -> list[int]:
    """Return the smallest number of each class; raise unless they ascend from 0."""
    limits: dict[str, Any] = {"least": 0, "most": 2**63 - 1, "ending": "as each of them"}
    given = bounds if isinstance(bounds, Iterable) else []
    lowest = [whole_number("bounds", bound, **limits) for bound in given]
    if lowest[:1] != [0] or any(low >= high for low, high in pairwise(lowest)):
        raise InvalidInputError(f"bounds must ascend from 0; got {bounds!r}.")
    return lowest


def size_names(bounds: Sequence[int]) -> list[str]:
    """Return the names of classes by the smallest number of each."""
    names = [f"{a:,}" if b == a + 1 else f"{a:,}–{b - 1:,}" for a, b in pairwise(bounds)]
    return [*names, f"{bounds[-1]:,} or more"]
