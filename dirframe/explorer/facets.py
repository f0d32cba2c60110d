"""Count the records by value of each column, as far as the filters of other columns let them pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from dirframe._display.values import is_number
from dirframe.filters.conditions import CHOICES, CREATED, MISSING, Choices, Conditions, usable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

_BINS = 14
_FEW = 50  # a column of text with more values has no bars in its header


@dataclass(frozen=True, kw_only=True)
class Bar:
    """A value, or a range of numbers or years, and the records that have it.

    Parameters
    ----------
    value : str or tuple or None
        What a filter takes: a value, a range, or None or ``(None, None)`` for missing values.
    title : str
        Its words.
    count : int
        Number of records.
    """

    value: Any
    title: str
    count: int

    @property
    def is_missing(self) -> bool:
        """Whether it counts the records without a value."""
        return self.value in {None, MISSING}


class Facets:
    """The columns of a frame that records are filtered by, with counts.

    Parameters
    ----------
    frame : pandas.DataFrame
        All loaded records.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        self.conditions = Conditions(frame)
        self._frame = frame
        self._binned = cache(self._bin)

    @property
    def choices(self) -> dict[str, str]:
        """Columns of values to choose from, by filter."""
        return {name: column for name, column in CHOICES.items() if column in self._frame}

    @property
    def measures(self) -> tuple[str, ...]:
        """Columns of numbers that differ."""
        frame = self._frame
        return tuple(
            str(name)
            for name in frame
            if is_number(frame[name].dtype) and len(self._binned(str(name)).names) > 2
        )

    @property
    def ranges(self) -> tuple[str, ...]:
        """Columns whose bars are ranges: the year of creation, then numbers."""
        has_years = usable(self._frame, CREATED) and len(self._binned(CREATED).names) > 2
        return (*((CREATED,) if has_years else ()), *self.measures)

    def bars(self, column: str, filters: Mapping[str, Any]) -> list[Bar]:
        """Count the records by value of a column; its own filter is left out.

        Values to choose from are sorted by count, then by title. Missing values come last.
        """
        name = {CREATED: "years", **{c: n for n, c in CHOICES.items()}}.get(column, column)
        *bars, missing = _bars(self._encoded(column), self.conditions.all_of(filters, but=name))
        if column not in self.ranges:
            bars.sort(key=lambda bar: (-bar.count, bar.title.casefold(), bar.title))
        return [*bars, missing] if self.has_missing(column) else bars

    def has_missing(self, column: str) -> bool:
        """Return whether a loaded record lacks a value of a column to filter by."""
        encoded = self._encoded(column)
        return bool((encoded.codes == len(encoded.names) - 1).any())

    def profile(self, column: str, mask: NDArray[np.bool_]) -> tuple[list[Bar], float]:
        """Return bars of a column of the table for some records, and the share without a value.

        There are no bars for a column of many texts, nor for lists and flags.
        """
        values = self._frame[column]
        missing = float(values.isna().to_numpy()[mask].mean()) if mask.any() else 0.0
        kind = values.dtype
        if kind == "str" and values.nunique() <= _FEW:
            encoded = self.conditions.choices(column)
        elif is_number(kind) or pd.api.types.is_datetime64_any_dtype(kind):
            encoded = self._binned(column)
        else:
            return [], missing
        bars = _bars(encoded, mask)[:-1]
        if kind == "str":
            bars.sort(key=lambda bar: -bar.count)
        return bars, missing

    def _encoded(self, column: str) -> Choices:
        is_choice = column in self.choices.values()
        return self.conditions.choices(column) if is_choice else self._binned(column)

    def _bin(self, column: str) -> Choices:
        """Encode a column of numbers or dates by ranges of about equal width, or of growing ones.

        The values of a date are the first and the last year, those of a number the first and the
        one to stay below.
        """
        values = self._frame[column]
        if is_date := pd.api.types.is_datetime64_any_dtype(values.dtype):
            values = values.dt.year
        present = values.notna().to_numpy(dtype=bool)
        numbers = values[present].to_numpy(dtype=np.float64)
        spans = _spans(numbers, is_year=is_date)
        codes = np.full(len(values), len(spans))
        if spans:
            codes[present] = np.searchsorted([first for first, _ in spans[1:]], numbers, "right")
        titles = [_title(span, is_year=is_date) for span in spans]
        if is_date:
            spans = [(first, below - 1) for first, below in spans]
        return Choices(np.arange(len(values)), codes, (*spans, MISSING), (*titles, "(missing)"))


def _bars(encoded: Choices, mask: NDArray[np.bool_]) -> list[Bar]:
    """Count some records by value; the last bar is that of missing values."""
    counts = np.bincount(encoded.codes[mask[encoded.rows]], minlength=len(encoded.names))
    return [
        Bar(value=value, title=title, count=int(count))
        for value, title, count in zip(encoded.names, encoded.titles, counts, strict=True)
    ]


def _spans(numbers: NDArray[np.float64], *, is_year: bool) -> list[tuple[Any, Any]]:
    """Return ranges that hold all numbers, each as its first number and the one to stay below."""
    distinct = np.unique(numbers[np.isfinite(numbers)])
    if not len(distinct):
        return []
    least, most = float(distinct[0]), float(distinct[-1])
    whole = bool((distinct == np.floor(distinct)).all())
    if is_year:
        return [(year, year + 1) for year in range(int(least), int(most) + 1)]
    if whole and len(distinct) <= _BINS:
        return [(int(number), int(number) + 1) for number in distinct]
    positive = numbers[numbers > 0]
    if len(positive) and most > 100 * float(np.median(positive)):
        edges = _growing(float(positive.min()), most, whole=whole)
        edges = [least] * (least < 0) + [0.0] * (least <= 0) + edges
    else:
        edges = list(MaxNLocator(_BINS, integer=whole).tick_values(least, most))
        edges.append(2 * edges[-1] - edges[-2])
    exact = [int(edge) if whole else float(f"{edge:.12g}") for edge in edges]
    exact[0] = min(exact[0], int(least) if whole else least)
    if len(distinct) == 1 or len(set(exact)) < len(exact):  # too close to one another for ranges
        return [(least, float(np.nextafter(most, np.inf)))]
    spans = list(pairwise(exact))
    while spans[0][1] <= least:
        spans.pop(0)
    while spans[-1][0] > most:
        spans.pop()
    return spans


def _growing(least: float, most: float, *, whole: bool) -> list[float]:
    """Return 1, 2, 5, 10 and so on, from the last not above the least number to beyond the most."""
    first, last = int(np.floor(np.log10(least))), int(np.floor(np.log10(most))) + 2
    steps = (1, 2, 5) if last - first < 8 else (1,)
    edges = [step * 10.0**power for power in range(first, last) for step in steps]
    return [edge for edge in edges if not whole or edge >= 1]


def _title(span: tuple[Any, Any], *, is_year: bool) -> str:
    first, below = span
    if is_year:
        return str(first)
    if isinstance(first, int):
        return f"{first:,}" if below - first == 1 else f"{first:,} to {below - 1:,}"
    return f"{first:,g} to below {below:,g}"
