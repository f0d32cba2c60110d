"""Confidence intervals of shares in random samples."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe.errors import InvalidInputError

#: The default level.
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Shares:
    """What the column ``share`` of a table tells: of how many records each is, and how surely."""

    whole: Any  # of all rows, or of each
    confidence: float


@dataclass(frozen=True)
class WeightedShares:
    """The shares of a table are of other things than records, so that they have no interval."""


def with_intervals(
    table: pd.DataFrame, shares: Shares, records: str, drawn: provenance.Drawn
) -> pd.DataFrame:
    """Add ``low`` and ``high`` after the column ``share``, by the column of numbers of records."""
    part = table[records].to_numpy(np.float64, na_value=np.nan)
    whole = np.broadcast_to(np.asarray(shares.whole, dtype=np.float64), part.shape)
    low, high = wilson(part, whole, drawn, shares.confidence)
    is_known = table["share"].notna().to_numpy() & (whole > 0)
    result = table.copy()
    place = list(table).index("share") + 1
    for name, values in (("high", high), ("low", low)):
        ends = pd.Series(values, index=table.index, dtype="Float64")
        result.insert(place, name, ends.where(is_known))
    return result


def wilson(part: Any, whole: Any, drawn: provenance.Drawn, confidence: float) -> tuple[Any, Any]:
    """Return the ends of the intervals of shares ``part / whole`` in a random sample.

    It is the score interval for an effective number of records: as many as have the same variance
    when they are drawn with replacement. All that is in the sample is known: the ends leave room
    for the records that were not drawn, and for no others.
    """
    left_out = drawn.population - drawn.size
    with np.errstate(divide="ignore", invalid="ignore"):
        share = part / whole
        if left_out <= 0:
            return share, share
        effective = whole * (drawn.population - 1) / left_out
        z = NormalDist().inv_cdf((1 + confidence) / 2)
        widening = z * z / effective
        middle = (share + widening / 2) / (1 + widening)
        spread = share * (1 - share) / effective + (z / effective / 2) ** 2
        half_width = z * np.sqrt(spread) / (1 + widening)
        least = part / (whole + left_out)
        most = 1 - (whole - part) / (whole + left_out)
        # Rounding errors of the formula may not push an end over a share of 0 or 1.
        low = np.clip(middle - half_width, least, share)
        high = np.clip(middle + half_width, share, most)
        return low, high


def check_confidence(confidence: object) -> None:
    """Raise unless an option is the level of an interval."""
    # Next to 1, the mean of both is rounded to 1, of which there is no quantile.
    if not isinstance(confidence, Real) or not 0.5 < (1 + float(confidence)) / 2 < 1:
        raise InvalidInputError(
            f"confidence is {confidence!r}; it must be a share between 0 and 1, such as 0.95."
        )
