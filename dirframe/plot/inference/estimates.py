"""Charts of estimates with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from dirframe import stats
from dirframe.plot._backends import drawn
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import typography
from dirframe.plot._drawing.typography import column_label as label
from dirframe.plot.inference.forest import forest, not_shown
from dirframe.stats._core.groupby import CONTRIBUTORS, FIRST_MONTH, LINES

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import pandas as pd

    from dirframe.plot._description.chart import Chart
    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame
    from dirframe.stats.inference.bootstrap import Measure
    from dirframe.stats.inference.per_capita import Per


@drawn("x")
def accounts_per_capita(
    accounts: Frame,
    *,
    per: Per = "inhabitant",
    population: pd.DataFrame | str | os.PathLike[str] | None = None,
    top: int | None = 20,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the accounts per million people of each country.

    Parameters
    ----------
    accounts : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts with unified countries, as `dirframe.unify_countries` gives them;
        `dirframe.stats.accounts_per_capita` relates them.
    per : {"inhabitant", "internet_user"}, default "inhabitant"
        Whose number divides the accounts.
    population : pandas.DataFrame or path, optional
        That number by country: ``country_alpha_2``, ``value`` and ``year``. Left out:
        inhabitants of 2019.
    top : int or None, default 20
        Countries, those with the highest rate. None: all.

    Returns
    -------
    matplotlib.axes.Axes
        One row per country: a dot at its accounts per million people, and a line over the
        interval. The caption states the year of the population.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.accounts_per_capita`.

    Examples
    --------
    >>> import pandas as pd
    >>> accounts = pd.DataFrame({
    ...     "country_code": ["DE"], "country_alpha_2": ["DE"], "country_name": ["Germany"],
    ... })
    >>> people = pd.DataFrame({"country_alpha_2": ["DE"], "value": [80e6], "year": [2010]})
    >>> accounts_per_capita(accounts, population=people).lines[0].get_xdata().tolist()
    [0.0125]
    """
    table, counts = table_of(
        stats.accounts_per_capita, accounts, per=per, population=population, top=top, **selection
    )
    years = table["year"].dropna().unique()
    of = {"inhabitant": "inhabitants", "internet_user": "Internet users"}[per]
    span = (
        f" of {min(years)}" + (f" to {max(years)}" if len(years) > 1 else "") if len(years) else ""
    )
    source = ", World Bank" if population is None else ""
    reasons = {
        "without a country": counts["country_missing"] + counts["country_unresolved"],
        "of countries without a number of people": counts["population_missing"],
    }
    return forest(
        table,
        table["country_name"],
        "per_million",
        title=f"Accounts per million {of}",
        unit=f"Accounts per million {of}{span}",
        needed="a country with a known number of people",
        lacking="",
        notes=[
            f"Line: 95% Poisson interval. People: {of}{span}{source}.",
            typography.not_shown(counts, reasons),
        ],
    )


@drawn("x")
def correlation(
    frame: Frame,
    *,
    variables: Sequence[str] = (CONTRIBUTORS, LINES, FIRST_MONTH),
    correction: str = "holm",
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the rank correlations of pairs of columns.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them; `dirframe.stats.correlation` computes.
    variables : sequence of str, default contributors, lines and first month of projects
        Two or more columns of numbers or dates.
    correction : {"holm", "bonferroni", "fdr_bh", "fdr_by"}, default "holm"
        How p-values are corrected for the number of tests.
    confidence : float, default 0.95
        Level of the intervals.
    resamples : int, default 2000
        Bootstrap samples.
    seed : int, default 0
        Seed of the random numbers.

    Returns
    -------
    matplotlib.axes.Axes
        One row per pair of columns: a dot at Spearman's correlation, a line over its interval,
        and the corrected p-value.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.correlation`.

    Examples
    --------
    >>> import pandas as pd
    >>> accounts = pd.DataFrame({"posts_count": [0, 1, 5, 9], "rank": [1, 1, 2, 3]})
    >>> ax = correlation(accounts, variables=["posts_count", "rank"])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['posts count, rank']
    """
    table, counts = table_of(
        stats.correlation,
        frame,
        variables=variables,
        correction=correction,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        **selection,
    )
    return forest(
        table,
        [f"{label(x)}, {label(y)}" for x, y in zip(table["first"], table["second"], strict=True)],
        "correlation",
        title="Rank correlations",
        unit="Spearman's rank correlation",
        needed="a value in all columns",
        lacking="Too few different values",
        notes=[
            f"Line: {confidence:.0%} bootstrap interval. p: corrected ({correction}).",
            not_shown(counts),
        ],
        reference=0,
        limits=(-1, 1),
    )


@drawn("x")
def intervals(
    frame: Frame,
    *,
    measure: Measure = "median",
    column: str = CONTRIBUTORS,
    denominator: str | None = None,
    groups: str | None = "language",
    top: int | None = 10,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the estimate of each group with its interval.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them; `dirframe.stats.intervals` estimates.
    measure : {"median", "mean", "gini", "ratio", "share"}, default "median"
        What is estimated of `column`.
    column : str, default "analysis_twelve_month_contributor_count"
        Column of numbers.
    denominator : str, optional
        Column of numbers to divide by; for ``"ratio"`` only.
    groups : str or None, default "language"
        What divides the records. None: all are one group.
    top : int or None, default 10
        Groups, those with the most records. None: all.
    confidence : float, default 0.95
        Level of the intervals.
    resamples : int, default 2000
        Bootstrap samples.
    seed : int, default 0
        Seed of the random numbers.

    Returns
    -------
    matplotlib.axes.Axes
        One row per group: a dot at the estimate, a line over its bootstrap interval, and both in
        figures. The caption says how many records are left out and why.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.intervals`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C"] * 5 + ["Java"] * 3,
    ...     "analysis_twelve_month_contributor_count": [1, 2, 2, 3, 30, 0, 1, 4],
    ... })
    >>> ax = intervals(projects)
    >>> ax.lines[0].get_xdata().tolist()
    [2.0, 1.0]
    """
    table, counts = table_of(
        stats.intervals,
        frame,
        measure=measure,
        column=column,
        denominator=denominator,
        groups=groups,
        top=top,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        **selection,
    )
    of = label(column) + (f" / {label(denominator)}" if denominator else "")
    estimate = {"gini": "Gini coefficient"}.get(measure, measure)
    unit = "Share of the records" if measure == "share" else f"{estimate.capitalize()}: {of}"
    estimate = estimate[0].upper() + estimate[1:]
    by = f" by {label(groups)}" if groups else ""
    return forest(
        table,
        table["group"],
        "value",
        title=f"{estimate}{by}, with intervals",
        unit=unit,
        needed="a value",
        lacking="Without a value that can be estimated",
        notes=[f"Line: {confidence:.0%} bootstrap interval.", not_shown(counts)],
        share=measure == "share",
    )
