"""Moments of generated records, as seconds and months, and their texts."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from dirframe.service.synthetic.distributions import QuantileCurve

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "DAY",
    "FIRST_YEAR",
    "SNAPSHOT",
    "month_of",
    "month_stamp",
    "stamp",
    "years_curve",
]

DAY = 86_400
FIRST_YEAR = 1970

#: The moment at which generated collections were recorded: nothing in them is later.
SNAPSHOT = int(datetime(2013, 8, 1, tzinfo=UTC).timestamp())

_EPOCH = date(FIRST_YEAR, 1, 1).toordinal()
_DATES = [date.fromordinal(_EPOCH + day) for day in range(SNAPSHOT // DAY + 1)]
_DAYS = [day.isoformat() for day in _DATES]
_MONTHS = [(day.year - FIRST_YEAR) * 12 + day.month - 1 for day in _DATES]
_STARTS = [number * DAY for number, day in enumerate(_DATES) if day.day == 1]


def stamp(moment: int) -> str:
    """Return seconds since 1970 as the interface writes them."""
    days, rest = divmod(moment, DAY)
    minutes, seconds = divmod(rest, 60)
    return f"{_DAYS[days]}T{minutes // 60:02}:{minutes % 60:02}:{seconds:02}Z"


def month_stamp(month: int) -> str:
    """Return the first moment of a month, counted from January 1970."""
    return f"{FIRST_YEAR + month // 12:04}-{month % 12 + 1:02}-01T00:00:00Z"


def month_of(moment: int) -> int:
    """Return the month, counted from January 1970, that a moment lies in."""
    return _MONTHS[moment // DAY]


def years_curve(shares: Mapping[float, float]) -> QuantileCurve:
    """Return moments spread as shares say: each key is the year, or part of one, that begins.

    The last period ends with the snapshot.
    """
    total = sum(shares.values())
    bounds = [0.0]
    for weight in shares.values():
        bounds.append(bounds[-1] + weight / total)
    bounds[-1] = 1.0
    starts = [_STARTS[round((year - FIRST_YEAR) * 12)] for year in shares]
    return QuantileCurve(bounds, [*starts, SNAPSHOT])
