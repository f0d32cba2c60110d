"""Statistics of projects by their main language.

What stays out: the breakdown of one project's code into several languages.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from dirframe.stats._groups import Counts, Groups, finish, group, require

__all__ = ["contributors_by_language", "language_share"]

LANGUAGE = "analysis_main_language_name"
LINES = "analysis_total_code_lines"
CONTRIBUTORS = "analysis_twelve_month_contributor_count"
#: Members who use a project: the specification's name, then that of the recorded answers.
USERS = ("stack_count", "user_count")

QUARTILES = np.array([0.25, 0.5, 0.75])

_GIVER = "dirframe.load_projects()"


def language_share(projects: pd.DataFrame, *, top: int | None = None) -> pd.DataFrame:
    """Count the projects of each main language.

    Parameters
    ----------
    projects : pandas.DataFrame
        Projects as `dirframe.load_projects` gives them, of either dialect.
    top : int, optional
        Keep this many languages and sum up the others in a last row named
        ``other (n languages)``. A single language left over keeps its own row. Left out:
        all languages.

    Returns
    -------
    pandas.DataFrame
        A row a language, the most projects first, then by name:

        - ``language`` (str): name of the main language
        - ``projects`` (Int64, projects): projects with this main language
        - ``share`` (Float64, 0 to 1): of the projects that have a main language
        - ``code_lines`` (Int64, lines): sum over these projects, in all their languages;
          missing where none of them has a valid count
        - ``users`` (Int64, members): sum of ``stack_count``, or of ``user_count`` where that
          is missing; a member who uses two projects counts twice; missing as above

    Raises
    ------
    InvalidInputError
        If a column is missing or holds something else than whole numbers, or `top` is below 1.

    Notes
    -----
    Projects without a main language are in no row. Negative counts of lines or users are
    impossible, but occur (20 in 12,360 projects recorded in 2013); they are left out of the
    sums, and the projects are counted. ``attrs["dirframe"]["counted"]`` holds ``projects``,
    ``with_language``, ``without_language``, ``languages``, ``languages_in_other``, and of the
    projects with a language ``code_lines_missing``, ``code_lines_negative``,
    ``users_missing`` and ``users_negative``.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C", "Java", "C", None],
    ...     "analysis_total_code_lines": [1200, 800, -5, None],
    ...     "stack_count": [7, 2, 1, 0],
    ... })
    >>> print(language_share(projects))
      language  projects     share  code_lines  users
    0        C         2  0.666667        1200      8
    1     Java         1  0.333333         800      2
    """
    require(projects, LANGUAGE, LINES, giver=_GIVER)
    groups = group(projects[LANGUAGE], top=top, noun="languages")
    lines, users = Counts.of(projects, LINES), Counts.of(projects, *USERS)
    result = pd.DataFrame(
        {
            "language": pd.Series(groups.names, dtype="str"),
            "projects": pd.Series(groups.sizes, dtype="Int64"),
            "share": pd.Series(groups.sizes / max(groups.sizes.sum(), 1), dtype="Float64"),
            "code_lines": lines.sums(groups),
            "users": users.sums(groups),
        }
    )
    counted = {
        **_counted(groups),
        **lines.left_out("code_lines", groups.named),
        **users.left_out("users", groups.named),
    }
    return finish(projects, result, step="language_share", resource="project", counted=counted)


def contributors_by_language(projects: pd.DataFrame, *, top: int | None = None) -> pd.DataFrame:
    """Describe how many contributors the projects of each main language have.

    Parameters
    ----------
    projects : pandas.DataFrame
        Projects as `dirframe.load_projects` gives them.
    top : int, optional
        Keep this many languages and describe the projects of all others together in a last
        row named ``other (n languages)``. A single language left over keeps its own row.
        Left out: all languages.

    Returns
    -------
    pandas.DataFrame
        A row a language, the most contributors first, then the most projects, then by name:

        - ``language`` (str): name of the main language
        - ``projects`` (Int64, projects): projects with this main language
        - ``projects_counted`` (Int64, projects): those with a valid contributor count, which
          all following columns describe
        - ``contributors`` (Int64, people): sum over these projects of the people who
          committed in the twelve months before the project's analysis; a person in two
          projects counts twice
        - ``lower_quartile``, ``median``, ``upper_quartile`` (Float64, people a project)
        - ``maximum`` (Int64, people a project)

        The columns after ``projects_counted`` are missing where that is 0.

    Raises
    ------
    InvalidInputError
        If a column is missing or holds something else than whole numbers, or `top` is below 1.

    Notes
    -----
    Projects without a main language are in no row. Missing and negative contributor counts
    are left out, and the projects are counted: ``attrs["dirframe"]["counted"]`` holds
    ``projects``, ``with_language``, ``without_language``, ``languages``,
    ``languages_in_other``, and of the projects with a language ``contributors_missing`` and
    ``contributors_negative``.

    Quartiles interpolate linearly between neighbours: type 7 of Hyndman and Fan, "Sample
    quantiles in statistical packages", The American Statistician 50 (1996), 361-365.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C", "C", "C", "Java"],
    ...     "analysis_twelve_month_contributor_count": [0, 2, 10, None],
    ... })
    >>> table = contributors_by_language(projects)
    >>> print(table[["language", "projects_counted", "contributors", "median"]])
      language  projects_counted  contributors  median
    0        C                 3            12     2.0
    1     Java                 0          <NA>    <NA>
    """
    require(projects, LANGUAGE, CONTRIBUTORS, giver=_GIVER)
    people = Counts.of(projects, CONTRIBUTORS)
    groups = group(projects[LANGUAGE], top=top, noun="languages", weights=people)
    rows = people.known & groups.named
    counts = pd.Series(people.numbers[rows]).groupby(groups.of_row[rows])
    maximum = counts.max().astype("Int64")
    # One row a group, one column a quartile, also where there is no group at all.
    quartiles = counts.quantile(QUARTILES).to_numpy(dtype=float).reshape(-1, len(QUARTILES))
    spread = pd.DataFrame(quartiles, index=maximum.index, dtype="Float64")
    result = pd.DataFrame(
        {
            "language": pd.Series(groups.names, dtype="str"),
            "projects": pd.Series(groups.sizes, dtype="Int64"),
            "projects_counted": pd.Series(groups.sizes_of(rows), dtype="Int64"),
            "contributors": people.sums(groups),
            # Assigned by the number of the group: one without a valid count stays missing.
            "lower_quartile": spread[0],
            "median": spread[1],
            "upper_quartile": spread[2],
            "maximum": maximum,
        }
    )
    counted = {**_counted(groups), **people.left_out("contributors", groups.named)}
    step = "contributors_by_language"
    return finish(projects, result, step=step, resource="project", counted=counted)


def _counted(groups: Groups) -> dict[str, int]:
    return {
        "projects": len(groups.of_row),
        "with_language": int(groups.named.sum()),
        "without_language": int((~groups.named).sum()),
        "languages": groups.distinct,
        "languages_in_other": groups.pooled,
    }
