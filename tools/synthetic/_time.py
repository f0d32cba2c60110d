"""Timestamps of generated records, in seconds and months, and their formats."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from tools.synthetic.distributions import QuantileCurve

if TYPE_CHECKING:
    from collections.abc import Mapping


DAY = 86_400
FIRST_YEAR = 1970

#: Time of the snapshot: no timestamp of a generated record is later.
SNAPSHOT = int(datetime(2013, 8, 1, tzinfo=UTC).timestamp())

_EPOCH = date(FIRST_YEAR, 1, 1).toordinal()
_DATES = [date.fromordinal(_EPOCH + day) for day in range(SNAPSHOT // DAY + 1)]
_DAYS = [day.isoformat() for day in _DATES]
_MONTHS = [(day.year - FIRST_YEAR) * 12 + day.month - 1 for day in _DATES]
_STARTS = [number * DAY for number, day in enumerate(_DATES) if day.day == 1]


def stamp(moment: int) -> str:
    """Format seconds since 1970 as a timestamp of the interface."""
    days, rest = divmod(moment, DAY)
    minutes, seconds = divmod(rest, 60)
    return f"{_DAYS[days]}T{minutes // 60:02}:{minutes % 60:02}:{seconds:02}Z"


def month_stamp(month: int) -> str:
    """Format the start of a month, counted from January 1970, as a timestamp."""
    return f"{FIRST_YEAR + month // 12:04}-{month % 12 + 1:02}-01T00:00:00Z"


def month_of(moment: int) -> int:
    """Return the month of a timestamp, counted from January 1970."""
    return _MONTHS[moment // DAY]


def years_curve(weights: Mapping[str, float]) -> QuantileCurve:
    """Return a distribution of timestamps from weights by the start of each period, in years.

    The last period ends at the snapshot.
    """
    total = sum(weights.values())
    bounds = [0.0]
    for weight in weights.values():
        bounds.append(bounds[-1] + weight / total)
    bounds[-1] = 1.0
    starts = [_STARTS[round((float(year) - FIRST_YEAR) * 12)] for year in weights]
    return QuantileCurve(bounds, [*starts, SNAPSHOT])
