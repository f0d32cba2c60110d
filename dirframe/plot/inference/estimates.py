"""Charts of estimates with their intervals: a dot and a line for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator, StrMethodFormatter

from dirframe import stats
from dirframe.plot._drawing import axes, numeric_axes, typography
from dirframe.plot._drawing.colours import NEUTRAL
from dirframe.plot._drawing.options import current
from dirframe.plot._drawing.small_multiples import multiples
from dirframe.plot._drawing.tables import table_of
from dirframe.plot._drawing.typography import column_label as label
from dirframe.stats._core.groupby import CONTRIBUTORS, FIRST_MONTH, LINES

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from dirframe.plot._drawing.options import ChartOptions
    from dirframe.stats._core.backends import Frame
    from dirframe.stats.inference.bootstrap import Measure
    from dirframe.stats.inference.per_capita import Per

__all__ = [
    "accounts_per_capita",
    "compare_groups",
    "compare_survival",
    "correlation",
    "intervals",
]

_NOUNS = {"accounts": "account", "projects": "project"}
_REASONS = {
    "value_missing": "without a value",
    "value_negative": "with a negative one",
    "group_missing": "without a group",
    "in_other_groups": "in other groups",
}


@multiples("x")
def intervals(
    frame: Frame,
    *,
    ax: Axes | None = None,
    measure: Measure = "median",
    column: str = CONTRIBUTORS,
    denominator: str | None = None,
    groups: str | None = "language",
    top: int | None = 10,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **selection: Unpack[ChartOptions],
) -> Axes:
    """Draw the estimate of each group with its interval.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them; `dirframe.stats.intervals` estimates.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure, as high as the rows need.
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
        One row a group: a dot at the estimate, a line over its bootstrap interval, and both in
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
    table = table_of(
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
    return _forest(
        ax,
        table,
        table["group"],
        "value",
        title=f"{estimate}{by}, with intervals",
        unit=unit,
        needed="a value",
        lacking="Without a value that can be estimated",
        notes=[f"Line: {confidence:.0%} bootstrap interval.", _not_shown(table)],
        share=measure == "share",
    )


@multiples("x")
def compare_groups(
    frame: Frame,
    *,
    ax: Axes | None = None,
    column: str = CONTRIBUTORS,
    groups: str = "language",
    top: int | None = 4,
    correction: str = "holm",
    confidence: float = 0.95,
    **selection: Unpack[ChartOptions],
) -> Axes:
    """Draw the effect sizes between pairs of groups.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them; `dirframe.stats.compare_groups` compares.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure, as high as the rows need.
    column : str, default "analysis_twelve_month_contributor_count"
        Column of numbers to compare.
    groups : str, default "language"
        What divides the records.
    top : int or None, default 4
        Groups, those with the most records. None: all.
    correction : {"holm", "bonferroni", "fdr_bh", "fdr_by"}, default "holm"
        How p-values are corrected for the number of tests.
    confidence : float, default 0.95
        Level of the intervals.

    Returns
    -------
    matplotlib.axes.Axes
        One row a pair of groups: a dot at Cliff's delta, a line over its interval, and the
        corrected p-value. The caption has the test of all groups.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.compare_groups`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C"] * 5 + ["Java"] * 3,
    ...     "analysis_twelve_month_contributor_count": [1, 2, 2, 3, 30, 0, 1, 4],
    ... })
    >>> ax = compare_groups(projects)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['C > Java']
    """
    table = table_of(
        stats.compare_groups,
        frame,
        column=column,
        groups=groups,
        top=top,
        correction=correction,
        confidence=confidence,
        **selection,
    )
    overall, pairs = table.iloc[:1], table.iloc[1:].reset_index(drop=True)
    pairs.attrs = table.attrs
    notes = [
        f"Probability that the first has more, less that it has less; line: {confidence:.0%} interval.",
        f"p: Mann-Whitney, corrected ({correction}).",
        *(_p_note("Kruskal-Wallis test", p) for p in overall["p_value"].dropna()),
        _not_shown(table),
    ]
    return _forest(
        ax,
        pairs,
        [
            f"{first} > {second}"
            for first, second in zip(pairs["first"], pairs["second"], strict=True)
        ],
        "effect",
        title=f"Groups compared: {label(column)}",
        unit="Cliff's delta",
        needed="a value",
        lacking="Fewer than two groups have a value",
        notes=notes,
        reference=0,
        limits=(-1, 1),
    )


@multiples("x")
def correlation(
    frame: Frame,
    *,
    ax: Axes | None = None,
    variables: Sequence[str] = (CONTRIBUTORS, LINES, FIRST_MONTH),
    correction: str = "holm",
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **selection: Unpack[ChartOptions],
) -> Axes:
    """Draw the rank correlations of pairs of columns.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them; `dirframe.stats.correlation` computes.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure, as high as the rows need.
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
        One row a pair of columns: a dot at Spearman's correlation, a line over its interval,
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
    table = table_of(
        stats.correlation,
        frame,
        variables=variables,
        correction=correction,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        **selection,
    )
    return _forest(
        ax,
        table,
        [f"{label(x)}, {label(y)}" for x, y in zip(table["first"], table["second"], strict=True)],
        "correlation",
        title="Rank correlations",
        unit="Spearman's rank correlation",
        needed="a value in all columns",
        lacking="Too few different values",
        notes=[
            f"Line: {confidence:.0%} bootstrap interval. p: corrected ({correction}).",
            _not_shown(table),
        ],
        reference=0,
        limits=(-1, 1),
    )


@multiples("x")
def compare_survival(
    projects: Frame,
    *,
    ax: Axes | None = None,
    groups: str = "language",
    top: int | None = 5,
    window: int = 12,
    correction: str = "holm",
    confidence: float = 0.95,
    **selection: Unpack[ChartOptions],
) -> Axes:
    """Draw how many times as often the projects of groups end.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.compare_survival`
        compares.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure, as high as the rows need.
    groups : str, default "language"
        What divides the projects.
    top : int or None, default 5
        Groups, those with the most projects. None: all.
    window : int, default 12
        Months without activity after which a life has ended: 1 to 24.
    correction : {"holm", "bonferroni", "fdr_bh", "fdr_by"}, default "holm"
        How p-values are corrected for the number of tests.
    confidence : float, default 0.95
        Level of the intervals.

    Returns
    -------
    matplotlib.axes.Axes
        One row a group but the reference: a dot at Cox's hazard ratio, a line over its
        interval, and the corrected p-value. The caption has the log-rank test of all.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.compare_survival`.

    Examples
    --------
    >>> import pandas as pd
    >>> last = ["2010-03-01", "2010-05-01", "2013-07-01", "2012-01-01", "2010-02-01", "2010-06-01"]
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C"] * 4 + ["Java"] * 2,
    ...     "analysis_min_month": pd.to_datetime(["2010-01-01"] * 6),
    ...     "analysis_max_month": pd.to_datetime(last),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"] * 6),
    ... })
    >>> ax = compare_survival(projects)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['Java']
    """
    table = table_of(
        stats.compare_survival,
        projects,
        groups=groups,
        top=top,
        window=window,
        correction=correction,
        confidence=confidence,
        **selection,
    )
    overall, rows = table.iloc[:1], table.iloc[1:].reset_index(drop=True)
    rows.attrs = table.attrs
    counts = table.attrs["dirframe"]["counted"]
    reasons = {
        "whose end is not known": counts["projects"] - counts["with_known_end"],
        "without a group": counts["group_missing"],
        "in other groups": counts["in_other_groups"],
    }
    reference = rows["reference"].iloc[0] if len(rows) else ""
    notes = [
        f"Ended: no activity in the last {window} months seen.",
        f"Line: {confidence:.0%} interval. p: corrected ({correction}).",
        *(_p_note("Log-rank test", p) for p in overall["p_value"].dropna()),
        # On a line of its own, since panels of narrow figures have little room.
        "\n" + typography.not_shown("project", reasons),
    ]
    return _forest(
        ax,
        rows,
        rows["group"],
        "hazard_ratio",
        title="Ends of projects compared",
        unit=f"Hazard ratio to {reference}",
        needed="a life whose end is known",
        lacking="Fewer than two groups have projects that ended",
        notes=notes,
        reference=1,
        logarithmic=True,
    )


@multiples("x")
def accounts_per_capita(
    accounts: Frame,
    *,
    ax: Axes | None = None,
    per: Per = "inhabitant",
    population: pd.DataFrame | str | os.PathLike[str] | None = None,
    top: int | None = 20,
    **selection: Unpack[ChartOptions],
) -> Axes:
    """Draw the accounts per million people of each country.

    Parameters
    ----------
    accounts : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Accounts with unified countries, as `dirframe.unify_countries` gives them;
        `dirframe.stats.accounts_per_capita` relates them.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure, as high as the rows need.
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
        One row a country: a dot at its accounts per million people, and a line over the
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
    table = table_of(
        stats.accounts_per_capita, accounts, per=per, population=population, top=top, **selection
    )
    counts = table.attrs["dirframe"]["counted"]
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
    return _forest(
        ax,
        table,
        table["country_name"],
        "per_million",
        title=f"Accounts per million {of}",
        unit=f"Accounts per million {of}{span}",
        needed="a country with a known number of people",
        lacking="",
        notes=[
            f"Line: 95% Poisson interval. People: {of}{span}{source}.",
            typography.not_shown("account", reasons),
        ],
    )


def _forest(
    ax: Axes | None,
    table: pd.DataFrame,
    names: Sequence[str] | pd.Series[str],
    value: str,
    *,
    title: str,
    unit: str,
    needed: str,
    lacking: str,
    notes: Sequence[str],
    reference: float | None = None,
    limits: tuple[float, float] | None = None,
    logarithmic: bool = False,
    share: bool = False,
) -> Axes:
    """Draw a dot and its interval for each row, with the figures beside them."""
    ax = axes.axes(ax, len(table))
    x, low, high = (table[name].to_numpy(float, na_value=np.nan) for name in (value, "low", "high"))
    if not np.isfinite(x).any():
        records = table.attrs["dirframe"]
        base = records["base"].get("records", 0)
        collection = next(name for name in _NOUNS if name in records["counted"])
        reason = typography.empty_reason(records["counted"][collection], _NOUNS[collection], needed)
        return axes.empty(ax, table, title, lacking if base else reason)
    size = axes.name_rows(ax, [str(name) for name in names])
    axes.titles(ax, title, unit + numeric_axes.LOGARITHMIC * logarithmic, pad=2.4 * size)
    rows, colour = np.arange(len(table)), current().palette.accent
    if reference is not None:
        ax.axvline(reference, color=NEUTRAL, linewidth=1, linestyle="--", zorder=1)
    ax.hlines(rows, low, high, colors=colour, linewidth=1.6, gid="interval")
    ax.plot(x, rows, "o", color=colour, markersize=5, gid="estimate", clip_on=False)
    columns: dict[str, Sequence[str]] = {}
    if "records" in table:
        columns["n"] = [f"{number:,}" for number in table["records"]]
    columns["estimate"] = [_figure(number, share=share) for number in x]
    if "p_corrected" in table:
        columns["p"] = [_p(p) for p in table["p_corrected"].to_numpy(float, na_value=np.nan)]
    axes.columns(ax, columns, size)
    _scale(ax, np.concatenate([x, low, high]), limits, logarithmic=logarithmic, share=share)
    axes.caption(ax, table, *notes)
    return ax


def _scale(
    ax: Axes,
    numbers: Any,
    limits: tuple[float, float] | None,
    *,
    logarithmic: bool,
    share: bool,
) -> None:
    """Set the scale of the x axis."""
    axes.label_ticks(ax)
    known = numbers[np.isfinite(numbers)]
    if logarithmic:
        # Ends may be far out, where a group has few events.
        ax.set_xscale("log", base=2)
        ax.set_xlim(
            max(min(known.min(), 0.5) / 1.2, 2.0**-8), min(max(known.max(), 2) * 1.2, 2.0**8)
        )
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        return
    ax.set_xlim(*(limits or (min(0, known.min() * 1.05), known.max() * 1.05 or 1)))
    ax.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10]))
    ax.xaxis.set_major_formatter(
        FuncFormatter(_share_tick) if share else StrMethodFormatter("{x:,g}")
    )


def _share_tick(value: float, _place: int | None = None) -> str:
    return f"{value:.3g}" if value == 0 else f"{100 * value:g}%"


def _figure(number: float, *, share: bool) -> str:
    if np.isnan(number):
        return "–"
    if share:
        return typography.percent(number)
    return typography.number(number) if abs(number) >= 100 else f"{number:.3g}"


def _p(number: float) -> str:
    if np.isnan(number):
        return "–"
    return "<0.001" if number < 0.001 else f"{number:.3f}"


def _p_note(test: str, p_value: float) -> str:
    shown = _p(p_value)
    return f"{test}: p {shown if shown.startswith('<') else f'= {shown}'}."


def _not_shown(table: pd.DataFrame) -> str:
    counts = table.attrs["dirframe"]["counted"]
    noun = next(noun for name, noun in _NOUNS.items() if name in counts)
    return typography.not_shown(
        noun, {why: counts.get(reason, 0) for reason, why in _REASONS.items()}
    )
