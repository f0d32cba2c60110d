"""Charts of groups compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from dirframe import stats
from dirframe.plot._backends import drawn
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import typography
from dirframe.plot._drawing.typography import column_label as label
from dirframe.plot.inference.forest import forest, not_shown, p_note
from dirframe.stats._core.groupby import CONTRIBUTORS

if TYPE_CHECKING:
    from dirframe.plot._description.chart import Chart
    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame


@drawn("x")
def compare_groups(
    frame: Frame,
    *,
    column: str = CONTRIBUTORS,
    groups: str = "language",
    top: int | None = 4,
    correction: str = "holm",
    confidence: float = 0.95,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the effect sizes between pairs of groups.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them; `dirframe.stats.compare_groups` compares.
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
        One row per pair of groups: a dot at Cliff's delta, a line over its interval, and the
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
    table, counts = table_of(
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
        *(p_note("Kruskal-Wallis test", p) for p in overall["p_value"].dropna()),
        not_shown(counts),
    ]
    return forest(
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


@drawn("x")
def compare_survival(
    projects: Frame,
    *,
    groups: str = "language",
    top: int | None = 5,
    window: int = 12,
    correction: str = "holm",
    confidence: float = 0.95,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw how many times as often the projects of groups end.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.compare_survival`
        compares.
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
        One row per group but the reference: a dot at Cox's hazard ratio, a line over its
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
    table, counts = table_of(
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
    reasons = {
        "whose end is not known": counts["projects"] - counts["with_known_end"],
        "without a group": counts["group_missing"],
        "in other groups": counts["in_other_groups"],
    }
    reference = rows["reference"].iloc[0] if len(rows) else ""
    notes = [
        f"Ended: no activity in the last {window} months seen.",
        f"Line: {confidence:.0%} interval. p: corrected ({correction}).",
        f"Reference: {reference}.",
        *(p_note("Logrank test", p) for p in overall["p_value"].dropna()),
        # On a line of its own, since panels of narrow figures have little room.
        "\n" + typography.not_shown(counts, reasons),
    ]
    return forest(
        rows,
        rows["group"],
        "hazard_ratio",
        title="Ends of projects compared",
        unit="Hazard ratio to the reference",
        needed="a life whose end is known",
        lacking="Fewer than two groups have projects that ended",
        notes=notes,
        reference=1,
        logarithmic=True,
    )
