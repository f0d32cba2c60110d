"""Frequencies of whole numbers, and the distributions, quantiles and shares computed from them.

A table has one row per number, not per record. It is exact, and small for any number of records.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from dirframe.stats._core.columns import integer_column
from dirframe.stats._core.groupby import as_int64, group_sizes, shares

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

#: Columns that describe a distribution: quartiles, median, and its 95% confidence interval.
SPREAD = ("lower_quartile", "median", "upper_quartile", "median_low", "median_high")

_TOP_SHARES = {f"top {percent}%": percent / 100 for percent in (1, 10, 20, 50)}


@dataclass(frozen=True)
class Frequencies:
    """Non-negative numbers in ascending order, with the number of records of each."""

    numbers: NDArray[np.int64]
    records: NDArray[np.int64]
    missing: int
    negative: int

    @classmethod
    def of(cls, frame: Any, name: str) -> Self:
        """Count the values of a column; missing and negative ones are counted separately."""
        table = group_sizes(frame, {"number": integer_column(name)})
        missing = table["number"].isna().to_numpy(dtype=bool)
        numbers = table["number"].to_numpy(dtype=np.int64, na_value=0)
        records = table["records"].to_numpy(dtype=np.int64)
        negative = numbers < 0
        known = ~(missing | negative)
        order = np.argsort(numbers[known])
        return cls(
            numbers[known][order],
            records[known][order],
            int(records[missing].sum()),
            int(records[negative].sum()),
        )

    @property
    def known(self) -> int:
        """Number of records with a value of 0 or more."""
        return int(self.records.sum())

    @property
    def zeros(self) -> int:
        """Number of records with the value 0."""
        return self.known - self.without_zeros().known

    def counted(self, records: str, values: str, value: str = "") -> dict[str, int]:
        """Return the number of records in all, and of those with and without a valid value."""
        value = value or values
        return {
            records: self.known + self.missing + self.negative,
            f"with_{values}": self.known,
            f"{value}_missing": self.missing,
            f"{value}_negative": self.negative,
        }

    def distribution(self, number: str, records: str) -> pd.DataFrame:
        """Return each number with its records, their share and their cumulative share."""
        count = as_int64(self.records)
        return pd.DataFrame(
            {
                number: as_int64(self.numbers),
                records: count,
                "share": shares(count),
                "share_at_most": (count.cumsum() / max(self.known, 1)).astype("Float64"),
            }
        )

    def quantile(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return quantiles, interpolated linearly (type 7 of Hyndman and Fan)."""
        if not self.known:
            return np.full(len(at), np.nan)
        index = pd.MultiIndex.from_arrays([np.zeros(len(self.numbers)), self.numbers])
        values = quantiles(pd.Series(self.records, index=index), at)
        return values.iloc[0].to_numpy(dtype=np.float64)

    def without_zeros(self) -> Self:
        """Return the frequencies without the number 0."""
        positive = self.numbers > 0
        return replace(self, numbers=self.numbers[positive], records=self.records[positive])

    def cumulated(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the Lorenz curve: cumulative shares of the records, ascending, and of their total.

        Both start at 0. They are empty if the total is 0.
        """
        held = self.numbers.astype(float) * self.records
        if held.sum() == 0:
            return np.array([]), np.array([])
        records = np.append(0, self.records.cumsum()) / self.known
        sums = np.append(0, held.cumsum())
        return records, sums / sums[-1]


def medians(
    values: NDArray[Any], records: NDArray[np.int64]
) -> tuple[np.number[Any], np.number[Any]]:
    """Return the lower and the upper median of values, given the records of each."""
    order = np.argsort(values, kind="stable")
    ends = records[order].cumsum()
    middle = [(ends[-1] - 1) // 2, ends[-1] // 2]
    low, high = values[order][np.searchsorted(ends, middle, side="right")]
    return low, high


def concentration(records: NDArray[np.float64], held: NDArray[np.float64]) -> dict[str, float]:
    """Return the Gini coefficient of a Lorenz curve, and the shares of the top records.

    All values are NaN for an empty curve.
    """
    if not len(held):
        return dict.fromkeys(["gini", *_TOP_SHARES], math.nan)
    gini = 1 - float(np.sum(np.diff(records) * (held[1:] + held[:-1])))
    below = np.interp([1 - share for share in _TOP_SHARES.values()], records, held)
    return {"gini": gini, **dict(zip(_TOP_SHARES, (1 - below).tolist(), strict=True))}


def quantiles(records: pd.Series[int], at: NDArray[np.float64]) -> pd.DataFrame:
    """Return the quantiles of each group: a row per group, a column per quantile, by position.

    `records` holds counts by group and number, with the numbers of each group ascending.
    """
    return _quantiles(records, lambda count: at * (count[:, None] - 1))


def spread(records: pd.Series[int]) -> pd.DataFrame:
    """Return quartiles, median and its 95% interval of each group, by name, from its counts."""
    return _named(_quantiles(records, _positions_of_spread))


def _quantiles(
    records: pd.Series[int], positions_of: Callable[[NDArray[np.int64]], NDArray[np.float64]]
) -> pd.DataFrame:
    groups = records.index.get_level_values(0)
    numbers = records.index.get_level_values(1).to_numpy(dtype=float)
    ends = records.to_numpy(dtype=np.int64).cumsum()
    sizes = records.groupby(level=0, sort=False).sum()
    count = sizes.to_numpy().astype(np.int64)
    values = _interpolated(
        count,
        positions_of(count),
        lambda positions: numbers[np.searchsorted(ends, positions, side="right")],
    )
    return pd.DataFrame(values, index=groups.unique())


def spread_of(values: NDArray[np.float64], groups: NDArray[np.integer[Any]]) -> pd.DataFrame:
    """Return the same as `spread` from values by group number.

    Groups without a value have no row.
    """
    count = np.bincount(groups).astype(np.int64)
    order = np.argsort(values)
    # Short integers are sorted in one pass.
    short = groups[order].astype(np.min_scalar_type(len(count)))
    ascending = values[order[np.argsort(short, kind="stable")]]
    present = np.flatnonzero(count)
    positions = _positions_of_spread(count[present])
    statistics = _interpolated(count[present], positions, lambda places: ascending[places])
    return _named(pd.DataFrame(statistics, index=present))


def _named(statistics: pd.DataFrame) -> pd.DataFrame:
    return statistics.set_axis([*SPREAD], axis=1).astype("Float64")


def _positions_of_spread(count: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the positions of the columns of `SPREAD` among ascending values, from 0."""
    quartiles = np.array([0.25, 0.5, 0.75]) * (count[:, None] - 1)
    low = np.array([_rank_below_median(int(number)) for number in count])
    return np.column_stack([quartiles, low, count - 1 - low])


@cache
def _rank_below_median(count: int) -> float:
    """Return the position of the lower end of the 95% interval of a median; NaN below 6 values.

    The number of values below the median is binomial, whatever their distribution; the ends are
    the innermost values that lie beyond it with a probability of at most 2.5% each.
    """
    middle = count // 2
    below = np.arange(middle, max(middle - 10 * math.isqrt(count) - 10, 0), -1)
    at_middle = math.lgamma(count + 1) - math.lgamma(middle + 1) - math.lgamma(count - middle + 1)
    steps = np.log(below / (count - below + 1))
    logarithms = np.append(0, steps.cumsum()) + at_middle - count * math.log(2)
    tail = np.exp(logarithms)[::-1].cumsum()
    ranks = int(np.searchsorted(tail, 0.025, side="right"))
    return middle - len(below) + ranks - 1 if ranks else math.nan


def _interpolated(
    count: NDArray[np.int64],
    positions: NDArray[np.float64],
    values_at: Callable[[NDArray[np.int64]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Interpolate values linearly; the groups are consecutive runs of `count` values."""
    start = (count.cumsum() - count)[:, None]
    known = np.nan_to_num(positions)
    below, above = np.floor(known), np.ceil(known)
    low, high = (values_at(start + side.astype(np.int64)) for side in (below, above))
    result: NDArray[np.float64] = low + (high - low) * (known - below)
    result[np.isnan(positions)] = np.nan
    return result


def size_class(smallest: int, largest: int | None) -> str:
    """Return the name of a size class; both bounds are inclusive."""
    if largest is None:
        return f"{smallest:,} or more"
    return f"{smallest:,}" if smallest == largest else f"{smallest:,}–{largest:,}"
