"""Rank correlation of columns."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Unpack

import numpy as np
import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.stats._core.groupby import CONTRIBUTORS, FIRST_MONTH, LINES
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable
from dirframe.stats.inference.bootstrap import interval_ends, resampled
from dirframe.stats.inference.samples import (
    CORRECTIONS,
    check_choice,
    corrected,
    library,
    samples_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_DTYPES = {
    **dict.fromkeys(["first", "second"], "str"),
    "records": "Int64",
    **dict.fromkeys(["correlation", "low", "high", "p_value", "p_corrected"], "Float64"),
}


@selectable
def correlation(
    frame: Frame,
    *,
    variables: Sequence[str] = (CONTRIBUTORS, LINES, FIRST_MONTH),
    correction: str = "holm",
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **_selection: Unpack[Selection],
) -> Counted:
    """Correlate the ranks of columns, pair by pair, with intervals.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them.
    variables : sequence of str, default contributors, lines and first month of projects
        Two or more columns of numbers or dates.
    correction : {"holm", "bonferroni", "fdr_bh", "fdr_by"}, default "holm"
        How the p-values are corrected for the number of pairs, as in `compare_groups`.
    confidence : float, default 0.95
        Level of the intervals, each by itself.
    resamples : int, default 2000
        Bootstrap samples of each pair.
    seed : int, default 0
        Seed of the random numbers: the same seed gives the same intervals.

    Returns
    -------
    pandas.DataFrame
        One row per pair of columns, in the order given:

        - ``first``, ``second`` (str): the columns
        - ``records`` (Int64): with a value in both
        - ``correlation`` (Float64, -1 to 1): of Spearman, tied values having their mean rank;
          missing below two records and where a column has one value only
        - ``low``, ``high`` (Float64, -1 to 1): ends of its percentile bootstrap interval;
          missing below four records
        - ``p_value``, ``p_corrected`` (Float64, 0 to 1): two-sided, of no correlation; missing
          below three records

    Raises
    ------
    InvalidInputError
        If a column is missing or holds neither numbers nor dates, fewer than two different ones
        are named, or another option is invalid.
    MissingExtraError
        If scipy is not installed.

    Notes
    -----
    Spearman, "The proof and measurement of association between two things", American Journal of
    Psychology 15 (1904), 72-101; p-values from the t distribution with two degrees of freedom
    less than records (``scipy.stats.t``), which is rough below some 20 records. The bootstrap is
    that of `intervals`, of pairs of values, which ties need: formulas for the error assume none.
    A correlation of ranks sees only what rises or falls throughout, and no cause.

    Each pair uses the records that have both values. ``attrs["dirframe"]["counted"]`` holds all
    records, ``with_value`` (with a value in all columns), ``value_missing`` and
    ``value_negative`` (as in `intervals`; of dates none is).

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_twelve_month_contributor_count": [0, 1, 2, 3, 8],
    ...     "analysis_total_code_lines": [100, 300, 200, 500, 900],
    ... })
    >>> print(correlation(projects, variables=[*projects])[["records", "correlation", "p_value"]].round(3))
       records  correlation  p_value
    0        5          0.9    0.037
    """
    names = [variables] if isinstance(variables, str) else [*variables]
    if len(names) < 2 or len({*names}) < len(names):
        raise InvalidInputError(
            f"variables must name two or more columns, each once; got {variables!r}."
        )
    check_choice("correction", correction, CORRECTIONS)
    ends = interval_ends(confidence, resamples, seed)
    scipy = library("scipy.stats", "A correlation")
    rows = []
    for pair in combinations(names, 2):
        samples = samples_of(frame, pair, dates=True)
        x, y = (samples.table[name].to_numpy(float) for name in pair)
        records = samples.table["records"].to_numpy(np.int64)
        n = int(records.sum())
        rho = float(_spearman(x, y, records[None, :])[0]) if n > 1 else np.nan
        low = high = p_value = np.nan
        if n > 3 and not np.isnan(rho):
            drawn = resampled(records, resamples, seed)
            replicates = np.concatenate([_spearman(x, y, batch) for batch in drawn])
            low, high = np.nanquantile(replicates, ends)
        if n > 2 and not np.isnan(rho):
            rest = 1 - rho**2
            t = abs(rho) * np.sqrt((n - 2) / rest) if rest > 0 else np.inf
            p_value = float(2 * scipy.t.sf(t, n - 2))
        rows.append((*pair, n, rho, low, high, p_value))
    p_corrected = corrected([row[-1] for row in rows], correction)
    result = pd.DataFrame(
        [(*row, p) for row, p in zip(rows, p_corrected, strict=True)], columns=[*_DTYPES]
    ).astype(_DTYPES)
    whole = samples if len(names) == 2 else samples_of(frame, names, dates=True)
    return result, whole.counted


def _spearman(x: Floats, y: Floats, drawn: NDArray[np.int64]) -> Floats:
    """Return the correlation of the ranks in each sample; NaN where a column has one value."""
    n = drawn.sum(axis=1, keepdims=True)
    centred = [_ranks(values, drawn) - (n + 1) / 2 for values in (x, y)]
    products, *squares = (
        (drawn * a * b).sum(axis=1)
        for a, b in ((centred[0], centred[1]), (centred[0],) * 2, (centred[1],) * 2)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.clip(products / np.sqrt(squares[0] * squares[1]), -1, 1))


def _ranks(values: Floats, drawn: NDArray[np.int64]) -> Floats:
    """Return the mean rank of each value in each sample."""
    distinct, codes = np.unique(values, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(len(distinct)))
    records = np.add.reduceat(drawn[:, order], starts, axis=1)
    return np.asarray((records.cumsum(axis=1) - (records - 1) / 2)[:, codes])
