"""Distributions of numbers over records, and their concentration."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dirframe.stats.counts import share_of
from dirframe.stats.result import typed_table


def distribution(numbers: pd.Series[int], name: str, records: str) -> pd.DataFrame:
    """Return each number with its records, their share and their cumulative share."""
    counts = numbers.value_counts().sort_index()
    whole = len(numbers)
    return typed_table(
        {
            name: ("Int64", counts.index),
            records: ("Int64", counts),
            "share": ("Float64", share_of(counts, whole)),
            "share_at_most": ("Float64", share_of(counts.cumsum(), whole)),
        }
    )


def lorenz_curve(numbers: pd.Series[int]) -> pd.DataFrame:
    """Return the corners of the Lorenz curve, from (0, 0) to (1, 1); none if the sum is 0.

    ``number`` is the largest up to a corner, ``records`` and ``held`` are cumulative shares.
    """
    counts = numbers.value_counts().sort_index()
    different = counts.index.to_numpy(np.float64)
    held = np.cumsum(different * counts.to_numpy())
    if not len(held) or not held[-1]:
        return pd.DataFrame({"number": [], "records": [], "held": []}, dtype="float64")
    return pd.DataFrame(
        {
            "number": np.append(np.nan, different),
            "records": np.append(0, counts.cumsum() / len(numbers)),
            "held": np.append(0, held / held[-1]),
        }
    )


def gini(curve: pd.DataFrame) -> float | None:
    """Return the Gini coefficient of a Lorenz curve: 1 less twice the area below it."""
    if curve.empty:
        return None
    widths = np.diff(curve["records"])
    heights = curve["held"].to_numpy()
    return 1 - float(np.sum(widths * (heights[1:] + heights[:-1])))


def top_share(curve: pd.DataFrame, part: float) -> float | None:
    """Return the share that a part of the records has, those with the most."""
    if curve.empty:
        return None
    return 1 - float(np.interp(1 - part, curve["records"], curve["held"]))


def at_most(table: pd.DataFrame, share: float) -> int:
    """Return the smallest number that a share of the records of a distribution does not exceed."""
    return int(table.iloc[:, 0][table["share_at_most"] >= share - 1e-12].min())
