"""Bootstrap intervals of medians, means, ratios, shares and the Gini coefficient."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack, get_args

import numpy as np
import pandas as pd

from dirframe.errors import InvalidInputError
from dirframe.stats._core.groupby import CONTRIBUTORS, as_int64, whole_number
from dirframe.stats._options.selection import Counted, Frame, Selection, selectable
from dirframe.stats.inference.samples import ALL, check_choice, check_confidence, samples_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]

Measure = Literal["median", "mean", "gini", "ratio", "share"]
#: Resampled counts that are held at a time.
_CELLS = 2_000_000


@selectable
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
    **_selection: Unpack[Selection],
) -> Counted:
    """Estimate a median, mean, ratio, share or Gini coefficient by group, with its interval.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them.
    measure : {"median", "mean", "gini", "ratio", "share"}, default "median"
        Median, mean or Gini coefficient of `column`; ``"ratio"``: sum of `column` divided by
        that of `denominator`; ``"share"``: records of the group among those of all groups.
    column : str, default "analysis_twelve_month_contributor_count"
        Column of numbers.
    denominator : str, optional
        Column of numbers to divide by; for ``"ratio"`` only.
    groups : str or None, default "language"
        What divides the records: as `by`, a column of text or whole numbers, or ``"language"``,
        ``"country"``, ``"year"`` or ``"team_size"``. None: all records are one group.
    top : int or None, default 10
        Groups, those with the most records. None: all.
    confidence : float, default 0.95
        Level of the intervals.
    resamples : int, default 2000
        Bootstrap samples of each group.
    seed : int, default 0
        Seed of the random numbers: the same seed gives the same intervals.

    Returns
    -------
    pandas.DataFrame
        One row per group, most records first; years, numbers and sizes ascending:

        - ``group`` (str): ``"all"`` without `groups`
        - ``records`` (Int64): with the needed values
        - ``value`` (Float64, the unit of `column`; ratios that of `column` per `denominator`;
          shares and Gini coefficients 0 to 1): the estimate; missing where it is undefined, as
          a Gini coefficient of zeros
        - ``low``, ``high`` (Float64, as ``value``): ends of the interval; missing below two
          records

    Raises
    ------
    InvalidInputError
        If a column is missing or holds no numbers, `groups` is unknown, or another option is
        invalid.

    Notes
    -----
    Percentile bootstrap: Efron and Tibshirani, "An Introduction to the Bootstrap", Chapman and
    Hall 1993, chapter 13. Records are drawn with replacement within their group, for shares
    among the records of all groups; pairs of numerator and denominator stay together. Drawing n
    records is drawing from a multinomial distribution over the distinct values, which is done
    for all samples at once. Groups are drawn with the same seed, so that the interval of a group
    does not depend on which others there are.

    The interval says how a statistic varies among samples of independent records like these. It
    says nothing of records that the directory does not have, and a collection that is complete
    is not a sample of itself. Percentile intervals are too narrow below some 20 records, and for
    means and Gini coefficients of long-tailed numbers, as contributors and lines are. The median
    of whole numbers jumps, and so do its ends. The Gini coefficient is that of
    `contributor_concentration`.

    Records without a value (missing or infinite), with a negative one (latitude and longitude
    aside), without a group and in groups beyond `top` are left out, for the first of these
    reasons. ``attrs["dirframe"]["counted"]`` holds all records (``projects`` or ``accounts``),
    ``with_value``, ``value_missing``, ``value_negative``, and with `groups` ``group_missing``
    and ``in_other_groups``; the others add up to the first.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C"] * 5 + ["Java"] * 3,
    ...     "analysis_twelve_month_contributor_count": [1, 2, 2, 3, 30, 0, 1, 4],
    ... })
    >>> print(intervals(projects))
      group  records  value  low  high
    0     C        5    2.0  1.0  30.0
    1  Java        3    1.0  0.0   4.0
    """
    check_choice("measure", measure, get_args(Measure))
    if (measure == "ratio") != (denominator is not None):
        raise InvalidInputError(
            f"measure is {measure!r} and denominator {denominator!r}: a ratio needs a denominator, "
            "and nothing else takes one."
        )
    if measure == "share" and groups is None:
        raise InvalidInputError(
            "A share is that of a group: name what divides the records as groups=."
        )
    ends = interval_ends(confidence, resamples, seed)
    needed = (
        () if measure == "share" else (column,) if denominator is None else (column, denominator)
    )
    samples = samples_of(frame, needed, groups=groups, top=top)
    names = samples.groups if groups else [ALL] * bool(len(samples.table))
    tables = [samples.of(name) for name in names]
    records = np.array([table["records"].sum() for table in tables], dtype=np.int64)
    if measure == "share":
        rows = _share(records, samples.counted, ends, resamples, seed)
    else:
        rows = np.array(
            [
                _interval(
                    _MEASURES[measure](*(table[name].to_numpy(float) for name in needed)),
                    table["records"].to_numpy(np.int64),
                    ends,
                    resamples,
                    seed,
                )
                for table in tables
            ]
        ).reshape(-1, 3)
    rows[records < 2, 1:] = np.nan
    result = pd.DataFrame(
        {
            "group": pd.Series(names, dtype="str"),
            "records": as_int64(records),
            **{
                name: pd.Series(rows[:, place], dtype="Float64")
                for place, name in enumerate(("value", "low", "high"))
            },
        }
    )
    return result, samples.counted


def _share(
    records: Counts,
    counted: dict[str, int],
    ends: tuple[float, float],
    resamples: int,
    seed: int,
) -> Floats:
    """Return the share of each group and its interval."""
    other = counted["in_other_groups"]
    total = max(int(records.sum()) + other, 1)
    if not len(records):
        return np.empty((0, 3))
    drawn = np.concatenate([*resampled(np.append(records, other), resamples, seed)])[:, :-1]
    return np.column_stack([records / total, *(np.quantile(drawn / total, ends, axis=0))])


def _interval(
    measure: Callable[[Counts], Floats],
    records: Counts,
    ends: tuple[float, float],
    resamples: int,
    seed: int,
) -> list[float]:
    """Return an estimate and the ends of its interval."""
    replicates = np.concatenate([measure(drawn) for drawn in resampled(records, resamples, seed)])
    known = replicates[~np.isnan(replicates)]
    interval = np.quantile(known, ends) if len(known) else (np.nan, np.nan)
    return [float(measure(records[None, :])[0]), *map(float, interval)]


def interval_ends(confidence: float, resamples: object, seed: object) -> tuple[float, float]:
    """Validate the options of a bootstrap; return the quantiles at the ends of an interval."""
    check_confidence(confidence)
    whole_number("resamples", resamples, least=100, instead="of the records")
    whole_number("seed", seed, least=0, instead="which starts the random numbers")
    return (1 - confidence) / 2, (1 + confidence) / 2


def resampled(records: Counts, resamples: int, seed: int) -> Iterator[Counts]:
    """Draw bootstrap samples, in batches: one row per sample, one column per distinct value."""
    generator = np.random.default_rng(seed)
    probabilities = records / records.sum()
    batch = max(_CELLS // len(records), 1)
    for start in range(0, resamples, batch):
        rows = min(batch, resamples - start)
        yield generator.multinomial(int(records.sum()), probabilities, size=rows)


def _median(values: Floats) -> Callable[[Counts], Floats]:
    def measure(drawn: Counts) -> Floats:
        ends = drawn.cumsum(axis=1)
        n = int(ends[0, -1])
        low, high = ((ends <= place).sum(axis=1) for place in ((n - 1) // 2, n // 2))
        return np.asarray((values[low] + values[high]) / 2)

    return measure


def _mean(values: Floats) -> Callable[[Counts], Floats]:
    return lambda drawn: np.asarray(drawn @ values / drawn.sum(axis=1))


def _gini(values: Floats) -> Callable[[Counts], Floats]:
    def measure(drawn: Counts) -> Floats:
        held = drawn * values
        total = held.sum(axis=1)
        below = 2 * held.cumsum(axis=1) - held
        with np.errstate(invalid="ignore"):  # zeros alone have no coefficient
            return np.asarray(1 - (drawn * below).sum(axis=1) / drawn.sum(axis=1) / total)

    return measure


def _ratio(values: Floats, denominators: Floats) -> Callable[[Counts], Floats]:
    def measure(drawn: Counts) -> Floats:
        below = drawn @ denominators
        known = np.full(len(below), np.nan)
        np.divide(drawn @ values, below, where=below > 0, out=known)
        return known

    return measure


_MEASURES: dict[str, Callable[..., Callable[[Counts], Floats]]] = {
    "median": _median,
    "mean": _mean,
    "gini": _gini,
    "ratio": _ratio,
}
