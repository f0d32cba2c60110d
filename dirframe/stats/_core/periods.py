"""Periods in which records are counted, based on the frequencies of pandas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd
from pandas.tseries.frequencies import to_offset

from dirframe.errors import InvalidInputError
from dirframe.stats._core.columns import timestamp_column
from dirframe.stats._core.groupby import aggregate

if TYPE_CHECKING:
    from pandas.tseries.offsets import BaseOffset

_UPDATED = "updated_at"

_DAYS = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")
_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_FREQUENCY = re.compile(
    rf"(?P<times>[1-9][0-9]{{0,3}})?"
    rf"(?P<unit>D|W|MS|ME|QS|QE|YS|YE)"
    rf"(?:(?<=W)-(?P<day>{'|'.join(_DAYS)})|(?<=[QY][SE])-(?P<month>{'|'.join(_MONTHS)}))?"
)
_NAMES = {"D": "day", "W": "week", "M": "month", "Q": "quarter", "Y": "year"}


@dataclass(frozen=True)
class Periods:
    """A pandas frequency whose periods are whole days without gaps."""

    freq: str
    #: Offset of the frequency, for resampling.
    every: BaseOffset
    #: Offset from the first day of a period to that of the next.
    step: BaseOffset
    #: Name of one period; empty for multiples of a unit.
    name: str

    @classmethod
    def of(cls, freq: object) -> Periods:
        """Parse a frequency.

        Raises
        ------
        InvalidInputError
            If the frequency is not supported.
        """
        match = _FREQUENCY.fullmatch(freq) if isinstance(freq, str) else None
        if match is None or not isinstance(freq, str):
            raise InvalidInputError(
                f"freq is {freq!r}; it must be 'D' (days), 'W' (weeks from Monday to Sunday; 'W-"
                "TUE' ends them on another day), 'MS' or 'ME' (months), 'QS' or 'QE' (quarters), "
                "'YS' or 'YE' (years; 'QS-FEB' and 'YE-JUN' begin or end them in another month), "
                "or several of them, such as '2W'."
            )
        times, unit = match["times"] or "", match["unit"]
        if unit == "W":  # named by the day that ends it
            end = _DAYS.index(match["day"] or "SUN")
            step = f"{times}W-{_DAYS[(end + 1) % 7]}"
        elif unit in {"QE", "YE"}:  # by the month that ends it
            end = _MONTHS.index(match["month"] or "DEC")
            step = f"{times}{unit[0]}S-{_MONTHS[(end + 1) % 12]}"
        else:
            step = f"{times}MS" if unit == "ME" else freq
        name = _NAMES[unit[0]] if times in {"", "1"} else ""
        return cls(freq, to_offset(freq), to_offset(step), name)

    def count(self, by_day: pd.Series[int]) -> pd.Series[int]:
        """Sum daily counts (UTC): a row per period, labelled by its first day, without gaps."""
        sums: pd.Series[int] = by_day.resample(self.every).sum()
        if self.freq.lstrip("0123456789").startswith(("W", "ME", "QE", "YE")) and len(sums):
            sums.index = pd.DatetimeIndex([label - self.step for label in sums.index])
        return sums


def newest_date(frame: Any, *columns: str) -> pd.Timestamp:
    """Return the newest date of some columns, or of the last update; NaT if there is none.

    A period that ends after it may not be over in the records, whenever they were retrieved.
    """
    names = [*dict.fromkeys([*columns, *({_UPDATED} & {*frame.columns})])]

    def newest(table: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        return table.select(nw.col(*names).max())

    dates = aggregate(frame, {name: timestamp_column(name) for name in names}, newest)
    # Not the maximum of the frame: columns of objects, as Dask gives them, hold NaN beside dates.
    values = [value for name in names for value in dates[name]]
    date: pd.Timestamp = pd.Series(values, dtype="datetime64[us, UTC]").max()
    return date
