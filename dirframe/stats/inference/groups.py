"""Comparison of the values of two or many groups."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd

from dirframe.stats._core.groupby import CONTRIBUTORS
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable
from dirframe.stats.inference.samples import (
    CORRECTIONS,
    check_choice,
    check_confidence,
    corrected,
    library,
    samples_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_DTYPES = {
    **dict.fromkeys(["test", "first", "second"], "str"),
    **dict.fromkeys(["first_records", "second_records"], "Int64"),
    **dict.fromkeys(["first_median", "second_median", "statistic", "effect"], "Float64"),
    **dict.fromkeys(["low", "high", "p_value", "p_corrected"], "Float64"),
}


@selectable
def compare_groups(
    frame: Frame,
    *,
    column: str = CONTRIBUTORS,
    groups: str = "language",
    top: int | None = 4,
    correction: str = "holm",
    confidence: float = 0.95,
    **_selection: Unpack[Selection],
) -> Counted:
    """Compare the values of groups: rank tests, corrected, with an effect size.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them.
    column : str, default "analysis_twelve_month_contributor_count"
        Column of numbers to compare.
    groups : str, default "language"
        What divides the records, as in `intervals`.
    top : int or None, default 4
        Groups, those with the most records. None: all.
    correction : {"holm", "bonferroni", "fdr_bh", "fdr_by"}, default "holm"
        How the p-values of the pairs are corrected for their number: for the chance of any false
        positive, or for the share of them (Benjamini-Hochberg, Benjamini-Yekutieli).
    confidence : float, default 0.95
        Level of the intervals, each by itself.

    Returns
    -------
    pandas.DataFrame
        A row for all groups together, if there are two or more, then one per pair of groups, in
        the order of the groups in `intervals`:

        - ``test`` (str): ``"Kruskal-Wallis"`` of all, ``"Mann-Whitney"`` of a pair
        - ``first``, ``second`` (str): the groups; missing in the row of all
        - ``first_records``, ``second_records`` (Int64): in the row of all, the first is of all
        - ``first_median``, ``second_median`` (Float64, the unit of `column`)
        - ``statistic`` (Float64): H of Kruskal and Wallis, U of Mann and Whitney of the first
        - ``effect`` (Float64): of a pair Cliff's delta (-1 to 1), the probability that a record
          of the first has more than one of the second, less that it has less; of all epsilon
          squared (0 to 1), H divided by the records less one
        - ``low``, ``high`` (Float64): interval of Cliff's delta; missing in the row of all, and
          where a group has fewer than two records
        - ``p_value``, ``p_corrected`` (Float64, 0 to 1): two-sided; the second corrected for
          the number of pairs. Of values that are all the same the statistic and p-value of all
          are missing, and the p-value of a pair is 1

    Raises
    ------
    InvalidInputError
        If a column is missing or holds no numbers, `groups` is unknown, or another option is
        invalid.
    MissingExtraError
        If scipy is not installed.

    Notes
    -----
    Tests by ``scipy.stats.kruskal`` and ``scipy.stats.mannwhitneyu`` (normal approximation with
    correction for ties and continuity). Cliff, "Dominance statistics: ordinal analyses to answer
    ordinal questions", Psychological Bulletin 114 (1993), 494-509; the asymmetric interval with
    his unbiased variance, as Feng and Cliff, "Monte Carlo evaluation of ordinal d with improved
    confidence interval", Journal of Modern Applied Statistical Methods 3 (2004), 322-332, give
    it. Where no record of a group is level with or beyond one of the other, the delta is 1 or -1
    and the interval has no length, which is no certainty.

    The tests assume independent records; projects of one organisation, and forks, are not. With
    thousands of records the smallest difference is significant: read the effect. As a guide,
    Romano et al. (2006) call a delta below 0.147 negligible, below 0.33 small and below 0.474
    medium. Who is left out, and ``counted``, are as in `intervals`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C"] * 4 + ["Java"] * 3,
    ...     "analysis_twelve_month_contributor_count": [5, 7, 8, 9, 1, 2, 6],
    ... })
    >>> table = compare_groups(projects)
    >>> print(table[["test", "first", "second", "effect", "p_corrected"]].round(3))
                 test first second  effect  p_corrected
    0  Kruskal-Wallis   NaN    NaN   0.521        0.077
    1    Mann-Whitney     C   Java   0.833        0.112
    """
    check_choice("correction", correction, CORRECTIONS)
    quantile = check_confidence(confidence)
    scipy = library("scipy.stats", "A comparison of groups")
    samples = samples_of(frame, [column], groups=groups, top=top)
    values = {group: samples.values(group, column) for group in samples.groups}
    rows: list[tuple[Any, ...]] = []
    for (first, x), (second, y) in combinations(values.items(), 2):
        test = scipy.mannwhitneyu(x, y, method="asymptotic")
        medians = (float(np.median(x)), float(np.median(y)))
        delta, low, high = cliffs_delta(x, y, quantile)
        # Of equal values every division into two groups gives the same statistic.
        p_value = 1.0 if min(x[0], y[0]) == max(x[-1], y[-1]) else float(test.pvalue)
        statistic = float(test.statistic)
        sizes = (len(x), len(y))
        rows.append(
            ("Mann-Whitney", first, second, *sizes, *medians, statistic, delta, low, high, p_value)
        )
    p_corrected = [*corrected([row[-1] for row in rows], correction)]
    if rows:
        rows.insert(0, _overall([*values.values()], scipy))
        p_corrected.insert(0, rows[0][-1])
    result = pd.DataFrame(
        [(*row, p) for row, p in zip(rows, p_corrected, strict=True)], columns=[*_DTYPES]
    ).astype(_DTYPES)
    return result, samples.counted


def _overall(values: list[Floats], scipy: Any) -> tuple[Any, ...]:
    together = np.concatenate(values)
    h = p_value = np.nan
    if together.min() < together.max():  # scipy refuses values that are all the same
        h, p_value = map(float, scipy.kruskal(*values))
    effect = h / (len(together) - 1)
    blank = (np.nan,) * 2
    size = (len(together), None)
    return ("Kruskal-Wallis", None, None, *size, *blank, h, effect, *blank, p_value)


def cliffs_delta(x: Floats, y: Floats, quantile: float) -> tuple[float, float, float]:
    """Return Cliff's delta of ascending values and its interval at a normal quantile."""
    n, m = len(x), len(y)
    more = np.searchsorted(y, x, side="left")
    level = np.searchsorted(y, x, side="right") - more
    by_x = (2 * more + level) / m - 1  # of each record of the first
    by_y = 1 - (np.searchsorted(x, y, side="left") + np.searchsorted(x, y, side="right")) / n
    delta = float(by_x.mean())
    if min(n, m) < 2:
        return delta, np.nan, np.nan
    differing = n * m - int(level.sum())
    squares = (
        m**2 * np.sum((by_x - delta) ** 2)
        + n**2 * np.sum((by_y - delta) ** 2)
        - (differing - n * m * delta**2)
    ) / (n * m * (n - 1) * (m - 1))
    # Cliff: at least what it would be if each record of a group were alone.
    variance = max(float(squares), (1 - delta**2) / (n * m - 1))
    rest = 1 - delta**2
    width = quantile * np.sqrt(variance * (rest**2 + quantile**2 * variance))
    below = rest + quantile**2 * variance
    if below == 0:
        return delta, delta, delta
    low, high = ((delta - delta**3 + sign * width) / below for sign in (-1, 1))
    return delta, float(low), float(high)
