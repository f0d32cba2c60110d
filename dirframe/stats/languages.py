"""Statistics of projects by their main language."""

from __future__ import annotations

from typing import Any, Unpack

import narwhals as nw
import pandas as pd

from dirframe.stats._core.columns import integer_column, text_column
from dirframe.stats._core.frequencies import spread
from dirframe.stats._core.groupby import (
    ANALYSIS,
    CONTRIBUTORS,
    LACKING,
    LANGUAGE,
    LINES,
    USERS,
    aggregate,
    check_int64_sum,
    group_sizes,
    has_name,
    rank_names,
    rank_rows,
    shares,
    valid,
    without_analysis,
)
from dirframe.stats._core.loaders import PROJECTS
from dirframe.stats._core.result import require_columns
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable


@selectable
def language_share(
    projects: Frame,
    *,
    top: int | None = None,
    **_selection: Unpack[Selection],
) -> Counted:
    """Count the projects of each main language.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them, of either dialect.
    top : int, optional
        Keep this many languages and sum up the others in a last row named
        ``other (n languages)``, with thousands separated by commas. A single language left
        over keeps its own row. By default, all languages.

    Returns
    -------
    pandas.DataFrame
        One row per language, the most projects first, then by name (by code point), ``other`` last
        whatever its size:

        - ``language`` (str): name of the main language
        - ``projects`` (Int64, projects): projects with this main language
        - ``share`` (Float64, 0 to 1): of the projects that have a main language, those in
          ``other`` included
        - ``code_lines`` (Int64, lines): sum of ``analysis_total_code_lines`` over these
          projects, in all their languages; missing where none of them has a valid count (0 or
          more)
        - ``users`` (Int64, members): sum of each project's ``stack_count``, or of its
          ``user_count`` where that is missing; a member who uses two projects counts twice;
          missing as above

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold whole numbers, a sum is beyond 64
        bits, or `top` is below 1.

    Notes
    -----
    Projects without a main language (missing or blank) are in no row. Negative counts of lines
    or users are impossible, but occur (20 in 12,360 projects recorded in 2013); they are left
    out of the sums, and the projects are counted. ``attrs["dirframe"]["counted"]`` holds
    ``projects`` (all), ``with_language``, ``without_language``, ``without_analysis`` (those of
    the last that have no ``analysis_id``; only where the frame has that column), ``languages``
    (those in ``other`` too), ``languages_in_other``, and of the projects with a language
    ``code_lines_missing``, ``code_lines_negative``, ``users_missing`` (neither count) and
    ``users_negative``.

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
    require_columns(projects, LANGUAGE, LINES, loader=PROJECTS)
    values = ["code_lines", "users"]

    def statement(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        numbers = [valid(name).alias(f"{name}_valid") for name in values]
        table = table.with_columns(*numbers, LACKING)
        sums = [nw.col(f"{name}_valid").sum().alias(name) for name in values]
        known = [nw.col(f"{name}_valid").count().alias(f"{name}_known") for name in values]
        given = [nw.col(name).count().alias(f"{name}_given") for name in values]
        rows = nw.len().alias("projects")
        return table.group_by("language").agg(rows, *sums, *known, *given, nw.col("lacking").sum())

    totals = aggregate(
        projects,
        {
            "language": text_column(LANGUAGE),
            "code_lines": integer_column(LINES),
            "users": integer_column(*USERS),
            **ANALYSIS,
        },
        statement,
        by=["language"],
        sums=values,
    )
    for name in values:
        totals[name] = totals[name].mask(totals[f"{name}_known"] == 0)
    has_language = has_name(totals, "language")
    rows = totals[has_language]
    columns = ["language", "projects", *values]
    result, pooled = rank_rows(rows[columns], "language", ["projects"], top=top, noun="languages")
    result.insert(2, "share", shares(result["projects"]))
    with_language, records = (int(table["projects"].sum()) for table in (rows, totals))
    counted = {
        "projects": records,
        "with_language": with_language,
        "without_language": records - with_language,
        **without_analysis(projects, totals["lacking"][~has_language].sum()),
        "languages": len(rows),
        "languages_in_other": pooled,
    }
    for name in values:
        with_number = int(rows[f"{name}_given"].sum())
        counted[f"{name}_missing"] = with_language - with_number
        counted[f"{name}_negative"] = with_number - int(rows[f"{name}_known"].sum())
    return result, counted


@selectable
def contributors_by_language(
    projects: Frame,
    *,
    top: int | None = None,
    **_selection: Unpack[Selection],
) -> Counted:
    """Describe how many contributors the projects of each main language have.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them.
    top : int, optional
        Keep this many languages and describe the projects of all others together in a last
        row named ``other (n languages)``, with thousands separated by commas. A single
        language left over keeps its own row. By default, all languages.

    Returns
    -------
    pandas.DataFrame
        One row per language, the most contributors first (missing ones last), then the most
        projects, then by name (by code point), ``other`` last whatever its size:

        - ``language`` (str): name of the main language
        - ``projects`` (Int64, projects): projects with this main language
        - ``projects_counted`` (Int64, projects): those with a valid contributor count, which
          all following columns describe
        - ``contributors`` (Int64, people): sum over these projects of the people who
          committed in the twelve months before the project's analysis; a person in two
          projects counts twice
        - ``lower_quartile``, ``median``, ``upper_quartile`` (Float64, people per project)
        - ``median_low``, ``median_high`` (Float64, people per project): 95% confidence interval of the
          median; missing for fewer than 6 projects, of which there is none
        - ``maximum`` (Int64, people per project)

        The columns after ``projects_counted`` are missing where that is 0.

    Raises
    ------
    InvalidInputError
        If a column is missing or does not hold whole numbers, a sum is beyond 64
        bits, or `top` is below 1.

    Notes
    -----
    Projects without a main language (missing or blank) are in no row. Missing and negative
    contributor counts (``analysis_twelve_month_contributor_count``) are left out, and the
    projects are counted: ``attrs["dirframe"]["counted"]`` holds ``projects`` (all),
    ``with_language``, ``with_language_and_contributors``, ``without_language``,
    ``without_analysis`` (those of the last that have no ``analysis_id``; only where the frame
    has that column), ``languages`` (those in ``other`` too), ``languages_in_other``, and of the
    projects with a language ``contributors_missing`` and ``contributors_negative``.

    Quartiles interpolate linearly between neighbours: type 7 of Hyndman and Fan, "Sample
    quantiles in statistical packages", The American Statistician 50 (1996), 361-365.

    The interval of a median assumes nothing of the distribution: its ends are the values whose
    ranks the binomial distribution gives (W. J. Conover, Practical Nonparametric Statistics, 3rd
    edition, 1999, section 3.2). It is that of a larger population of such projects.

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
    require_columns(projects, LANGUAGE, CONTRIBUTORS, loader=PROJECTS)
    columns = {"language": text_column(LANGUAGE), "people": integer_column(CONTRIBUTORS)}
    sizes = group_sizes(
        projects,
        columns | ANALYSIS,
        by=[*columns, "lacking"],
        prepare=lambda table: table.with_columns(LACKING),
    )
    records = int(sizes["records"].sum())
    has_language = has_name(sizes, "language")
    unanalysed = sizes["records"][sizes["lacking"].astype("bool") & ~has_language].sum()
    sizes = sizes[has_language].astype({"people": "Int64", "records": "Int64"})
    sizes["known"] = sizes["records"].where((sizes["people"] >= 0).fillna(value=False), 0)
    check_int64_sum(CONTRIBUTORS, sizes["people"], sizes["known"])
    sizes["sum"] = (sizes["people"] * sizes["known"]).mask(sizes["known"] == 0)
    totals = _totals(sizes, sizes["language"]).fillna({"contributors": -1})
    names, pooled = rank_names(
        totals.rename_axis("language").reset_index(),
        "language",
        ["contributors", "projects"],
        top=top,
        noun="languages",
    )
    sizes["label"] = names.reindex(sizes["language"]).to_numpy()
    order = pd.Index(dict.fromkeys(names), dtype="str", name="language")
    result = _totals(sizes, sizes["label"]).reindex(order)
    counts = sizes[sizes["known"] > 0].groupby(["label", "people"])["known"].sum()
    result = result.join(spread(counts).reindex(order))
    maximum = counts.reset_index().groupby("label")["people"].max()
    result["maximum"] = maximum.reindex(order).astype("Int64")
    negative = (sizes["people"] < 0).fillna(value=False)
    with_language = int(sizes["records"].sum())
    counted = {
        "projects": records,
        "with_language": with_language,
        "with_language_and_contributors": int(sizes["known"].sum()),
        "without_language": records - with_language,
        **without_analysis(projects, unanalysed),
        "languages": len(names),
        "languages_in_other": pooled,
        "contributors_missing": int(sizes["records"][sizes["people"].isna()].sum()),
        "contributors_negative": int(sizes["records"][negative].sum()),
    }
    result = result.reset_index().astype({"language": "str"})
    return result, counted


def _totals(sizes: pd.DataFrame, by: pd.Series[str]) -> pd.DataFrame:
    groups = sizes.groupby(by)
    totals = groups[["records", "known"]].sum()
    totals["contributors"] = groups["sum"].sum(min_count=1)
    columns = {"records": "projects", "known": "projects_counted"}
    return totals.rename(columns=columns).astype("Int64")
