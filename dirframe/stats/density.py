"""Statistics of contributors in relation to lines of code and to users."""

from __future__ import annotations

from typing import Any, Unpack

import narwhals as nw
import numpy as np
import pandas as pd

from dirframe.stats._core.columns import integer_column, text_column
from dirframe.stats._core.frequencies import spread_of
from dirframe.stats._core.groupby import (
    ANALYSIS,
    CONTRIBUTORS,
    LACKING,
    LANGUAGE,
    LINES,
    USERS,
    aggregate,
    group_sizes,
    has_name,
    rank_names,
    rank_rows,
    without_analysis,
)
from dirframe.stats._core.loaders import PROJECTS
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable


@selectable
def contributors_per_thousand_lines(
    projects: Frame,
    *,
    top: int | None = None,
    **_selection: Unpack[Selection],
) -> Counted:
    """Return the contributors per thousand lines of code, by main language.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    top : int, optional
        Keep this many languages and take all others together in a last row named
        ``other (n languages)``, with thousands separated by commas. A single language left
        over keeps its own row. By default, all languages.

    Returns
    -------
    pandas.DataFrame
        One row per language that a project with both numbers has, the most such projects first,
        then by name (by code point), ``other`` last whatever its size:

        - ``language`` (str): name of the main language
        - ``projects`` (Int64, projects): with valid numbers of contributors and of lines
        - ``contributors`` (Int64, people): sum over these projects; a person in two of them
          counts twice
        - ``code_lines`` (Int64, lines): sum over these projects, in all their languages
        - ``contributors_per_thousand_lines`` (Float64, people per thousand lines): ratio of the
          sums, so that a single large project can decide it; missing where there are no lines
        - ``lower_quartile``, ``median`` and ``upper_quartile`` (Float64, people per thousand
          lines): of the ratios of the single projects with lines, each of which weighs the
          same; missing where no project has lines
        - ``median_low``, ``median_high`` (Float64, people per thousand lines): 95% confidence interval of the
          median; missing for fewer than 6 projects, of which there is none

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold whole numbers, a sum is beyond 64
        bits, or `top` is below 1.

    Notes
    -----
    The ratio of the sums is 1000 times the sum of contributors by the sum of lines; that of a
    project is 1000 times its contributors by its lines, and needs a line. Quartiles
    interpolate linearly between neighbours, as `contributor_quantiles` says. In the row of the
    others, both are taken over all their projects. The contributors are those of
    ``analysis_twelve_month_contributor_count``.

    The interval of a median assumes nothing of the distribution: its ends are the values whose
    ranks the binomial distribution gives (W. J. Conover, Practical Nonparametric Statistics, 3rd
    edition, 1999, section 3.2). It is that of a larger population of such projects.

    Projects without a main language (missing or blank), or where one of the numbers is missing
    or negative, are in no row. ``attrs["dirframe"]["counted"]`` holds ``projects`` (all),
    ``with_both`` (in a row), ``without_language``, ``without_analysis`` (those of the last that
    have no ``analysis_id``; only where the frame has that column),
    ``numbers_missing_or_negative`` (with a language), ``without_lines`` (in a row, with no line and so no ratio of its own),
    ``languages`` (those in ``other`` too) and ``languages_in_other``.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C", "C", "Java"],
    ...     "analysis_twelve_month_contributor_count": [3, 1, 2],
    ...     "analysis_total_code_lines": [7000, 1000, -5],
    ... })
    >>> table = contributors_per_thousand_lines(projects)
    >>> print(table[["language", "projects", "contributors_per_thousand_lines", "median"]])
      language  projects  contributors_per_thousand_lines    median
    0        C         2                              0.5  0.714286
    """
    require_columns(projects, LANGUAGE, CONTRIBUTORS, LINES, loader=PROJECTS)
    columns = ["contributors", "code_lines"]

    def statement(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        has_both = (nw.col(columns[0]) >= 0) & (nw.col(columns[1]) >= 0)
        # A product with 1 or 0 takes a third of the time of a conditional, with the same sums.
        weighted = table.with_columns(projects=has_both.cast(nw.Int64))
        products = [nw.col(name) * nw.col("projects") for name in columns]
        weighted = weighted.with_columns(*products, LACKING)
        sums = nw.col("projects", *columns, "lacking").sum()
        return weighted.group_by("language").agg(nw.len().alias("records"), sums)

    totals = aggregate(
        projects,
        {
            "language": text_column(LANGUAGE),
            # Missing and negative numbers are excluded alike.
            "contributors": integer_column(CONTRIBUTORS, missing=-1),
            "code_lines": integer_column(LINES, missing=-1),
            **ANALYSIS,
        },
        statement,
        by=["language"],
        sums=columns,
    )
    has_language = has_name(totals, "language")
    rows = totals.loc[has_language & (totals["projects"] > 0), ["language", "projects", *columns]]
    with_both = int(rows["projects"].sum())
    result, pooled = rank_rows(rows, "language", ["projects"], top=top, noun="languages")
    people, lines = (result[name].astype("Float64") for name in columns)
    result["contributors_per_thousand_lines"] = 1000 * people / lines.where(lines > 0)
    names, _ = rank_names(rows, "language", ["projects"], top=top, noun="languages")
    ratios = _ratios(projects, names)
    result = result.join(ratios[0].reindex(result["language"]).reset_index(drop=True))
    numbers = totals["records"]
    counted = {
        "projects": int(numbers.sum()),
        "with_both": with_both,
        "without_language": int(numbers[~has_language].sum()),
        **without_analysis(projects, totals["lacking"][~has_language].sum()),
        "numbers_missing_or_negative": int(numbers[has_language].sum()) - with_both,
        "without_lines": with_both - ratios[1],
        "languages": len(rows),
        "languages_in_other": pooled,
    }
    return result, counted


def _ratios(projects: Frame, names: pd.Series[str]) -> tuple[pd.DataFrame, int]:
    """Return the quartiles of the ratios of projects by label, and the number of ratios."""

    def with_lines(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        has_ratio = (nw.col("contributors") >= 0) & (nw.col("code_lines") > 0)
        return table.filter(has_ratio)

    read = {"language": text_column(LANGUAGE), "contributors": integer_column(CONTRIBUTORS)}
    values = aggregate(projects, {**read, "code_lines": integer_column(LINES)}, with_lines)
    codes, languages = pd.factorize(values["language"])  # each name is looked up once
    positions = np.append(pd.Index(names.index).get_indexer(languages), -1)[codes]
    values, positions = values[positions >= 0], positions[positions >= 0]
    label_codes, labels = pd.factorize(names)
    people, lines = (values[name].to_numpy(np.float64) for name in ("contributors", "code_lines"))
    quartiles = spread_of(1000 * people / lines, label_codes[positions])
    return quartiles.set_axis(labels.take(quartiles.index.to_numpy())), len(positions)


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
