"""Compare the values of two columns regardless of dtype."""

from __future__ import annotations

import json
from datetime import date, datetime
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from numpy.typing import NDArray


def differing(before: pd.Series[Any], after: pd.Series[Any]) -> NDArray[np.bool_]:
    """Return a mask of the rows in which two columns of the same length differ.

    Equal values of another dtype or time zone, and lists and mappings in another order, do not
    differ; a time without a time zone is UTC.
    """
    pair = _common_dtype(before, after)
    if pair is None:
        cells = zip(_cells(before), _cells(after), strict=True)
        return np.fromiter((not _equal(a, b) for a, b in cells), dtype=bool, count=len(before))
    old, new = (column.reset_index(drop=True) for column in pair)
    same = (old == new).fillna(value=False).astype(bool) | (old.isna() & new.isna())
    different: NDArray[np.bool_] = (~same).to_numpy(dtype=bool)
    return different


def as_text(column: pd.Series[Any]) -> pd.Series[str]:
    """Convert the values of a column to text; missing values stay missing."""
    if column.dtype != object:
        return column.astype("str")
    texts = [None if value is None else _to_text(value) for value in map(_plain, column)]
    return pd.Series(texts, index=column.index, dtype="str")


def _common_dtype(before: pd.Series[Any], after: pd.Series[Any]) -> tuple[Any, Any] | None:
    """Return the columns in a common dtype for a vectorized comparison, or None."""
    types = pd.api.types
    pair = (before, after)
    if any(column.dtype == object for column in pair):
        return None
    if before.dtype == after.dtype and not isinstance(before.dtype, pd.CategoricalDtype):
        return pair
    if all(types.is_datetime64_any_dtype(column) for column in pair):
        return pd.to_datetime(before, utc=True), pd.to_datetime(after, utc=True)
    if all(types.is_signed_integer_dtype(column) for column in pair):
        return before.astype("Int64"), after.astype("Int64")
    if all(types.is_string_dtype(column) for column in pair):
        return before.astype("str"), after.astype("str")
    return None


def _cells(column: pd.Series[Any]) -> list[Any]:
    cells = [_plain(value) for value in column]
    if column.dtype == np.float32:
        # The text form makes 0.1 in 32 bits equal to 0.1 in 64.
        return [None if cell is None else float(str(np.float32(cell))) for cell in cells]
    return cells


def _plain(value: Any) -> Any:  # noqa: PLR0911  # a kind of value each
    """Convert a cell to comparable Python values, with times in UTC."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, dict):
        cells = {str(key): _plain(cell) for key, cell in value.items()}
        # Parquet adds the keys of other rows as nulls.
        return {key: cells[key] for key in sorted(cells) if cells[key] is not None}
    if isinstance(value, list | tuple):
        return sorted(map(_plain, value), key=lambda cell: (type(cell).__name__, _to_text(cell)))
    if value is None or pd.isna(value):
        return None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return int(number) if number.is_integer() else number
    if isinstance(value, date | datetime | np.datetime64):
        moment = pd.Timestamp(value)
        return moment.tz_localize("UTC") if moment.tz is None else moment.tz_convert("UTC")
    return str(value)


def _to_text(value: Any) -> str:
    if isinstance(value, list | dict):
        return json.dumps(value, default=str, ensure_ascii=False)
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _equal(before: Any, after: Any) -> bool:
    # A boolean column with missing values can be read back as 0 and 1.
    numbers = (bool, int, float)
    alike = type(before) is type(after) or all(isinstance(v, numbers) for v in (before, after))
    return alike and bool(before == after)
