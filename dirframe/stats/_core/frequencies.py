"""How often each whole number occurs: what distributions, quantiles and shares are made from.

The table has a row a number, not a row a record, so that everything here is exact and small
however many records there are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from dirframe.stats._core.columns import integer_column
from dirframe.stats._core.groupby import as_int64, group_sizes, shares

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_TOP_SHARES = {f"top {percent}%": percent / 100 for percent in (1, 10, 20, 50)}


@dataclass(frozen=True)
class Frequencies:
    """Numbers of 0 or more in ascending order, and how many records have each."""

    numbers: NDArray[np.int64]
    records: NDArray[np.int64]
    missing: int
    negative: int

    @classmethod
    def of(cls, frame: Any, name: str) -> Self:
        """Count a column; missing and negative numbers are told apart."""
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
        """Records with a number of 0 or more."""
        return int(self.records.sum())

    def counted(self, records: str, values: str, value: str = "") -> dict[str, int]:
        """Say how many records there are, and how many have no valid number."""
        value = value or values
        return {
            records: self.known + self.missing + self.negative,
            f"with_{values}": self.known,
            f"{value}_missing": self.missing,
            f"{value}_negative": self.negative,
        }

    def distribution(self, number: str, records: str) -> pd.DataFrame:
        """Give each number with its records, their share, and the share up to it."""
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
        """Interpolate linearly between neighbours, as type 7 of Hyndman and Fan does."""
        if not self.known:
            return np.full(len(at), np.nan)
        index = pd.MultiIndex.from_arrays([np.zeros(len(self.numbers)), self.numbers])
        found = quantiles(pd.Series(self.records, index=index), at)
        return found.iloc[0].to_numpy(dtype=np.float64)

    def without_zeros(self) -> Self:
        """Leave out the records with a number of 0."""
        some = self.numbers > 0
        return replace(self, numbers=self.numbers[some], records=self.records[some])

    def cumulated(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give the Lorenz curve: shares of the records, poorest first, and of what they have.

        Both start at 0; they are empty where there is nothing to share out.
        """
        held = self.numbers.astype(float) * self.records
        if held.sum() == 0:
            return np.array([]), np.array([])
        records = np.append(0, self.records.cumsum()) / self.known
        sums = np.append(0, held.cumsum())
        return records, sums / sums[-1]


def concentration(records: NDArray[np.float64], held: NDArray[np.float64]) -> dict[str, float]:
    """Measure a Lorenz curve: its Gini coefficient, and what the top of the records has.

    Where there is no curve, nothing is a number.
    """
    if not len(held):
        return dict.fromkeys(["gini", *_TOP_SHARES], math.nan)
    gini = 1 - float(np.sum(np.diff(records) * (held[1:] + held[:-1])))
    below = np.interp([1 - share for share in _TOP_SHARES.values()], records, held)
    return {"gini": gini, **dict(zip(_TOP_SHARES, (1 - below).tolist(), strict=True))}


def quantiles(records: pd.Series[int], at: NDArray[np.float64]) -> pd.DataFrame:
    """Give the quantiles of each group: a row a group, a column a quantile by its place.

    `records` counts by group and number, each group's numbers in ascending order.
    """
    groups = records.index.get_level_values(0)
    numbers = records.index.get_level_values(1).to_numpy(dtype=float)
    ends = records.to_numpy(dtype=np.int64).cumsum()
    sizes_of = records.groupby(level=0, sort=False).sum()
    count = sizes_of.to_numpy().astype(np.int64)
    found = _interpolated(
        count, at, lambda places: numbers[np.searchsorted(ends, places, side="right")]
    )
    return pd.DataFrame(found, index=groups.unique())


def quantiles_of(
    values: NDArray[np.float64], groups: NDArray[np.integer[Any]], at: NDArray[np.float64]
) -> pd.DataFrame:
    """Give the quantiles of the values of each group, numbered from 0, as `quantiles` does.

    A group without a value has no row.
    """
    count = np.bincount(groups).astype(np.int64)
    order = np.argsort(values)
    # Short whole numbers are sorted in one pass.
    short = groups[order].astype(np.min_scalar_type(len(count)))
    ascending = values[order[np.argsort(short, kind="stable")]]
    some = np.flatnonzero(count)
    found = _interpolated(count[some], at, lambda places: ascending[places])
    return pd.DataFrame(found, index=some)


def _interpolated(
    count: NDArray[np.int64],
    at: NDArray[np.float64],
    values_at: Callable[[NDArray[np.int64]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Interpolate between the neighbours of a quantile: groups of so many values in a line."""
    start = (count.cumsum() - count)[:, None]
    place = at * (count[:, None] - 1)
    below, above = np.floor(place), np.ceil(place)
    low, high = (values_at(start + side.astype(np.int64)) for side in (below, above))
    found: NDArray[np.float64] = low + (high - low) * (place - below)
    return found


def size_class(smallest: int, largest: int | None) -> str:
    """Name a class of sizes by its bounds, both of them in it."""
    if largest is None:
        return f"{smallest:,} or more"
    return f"{smallest:,}" if smallest == largest else f"{smallest:,}–{largest:,}"
