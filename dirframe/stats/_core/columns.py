"""Typed columns that statistics read: numbers, text and timestamps.

A column is read from a pandas frame or, as a narwhals expression, from a DuckDB relation. With
several names, the first that has a value is used, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import narwhals as nw
import pandas as pd

from dirframe.errors import Hint, InvalidInputError
from dirframe.stats._core.backends import collect

if TYPE_CHECKING:
    from narwhals.dtypes import DType


@dataclass(frozen=True)
class Column:
    """A column to read, with one or several alternative names."""

    names: tuple[str, ...]
    dtype: ClassVar[str]
    empty: ClassVar[DType]
    #: What it must hold, for messages.
    expected: ClassVar[str]

    def of(self, frame: pd.DataFrame) -> pd.Series[Any]:
        """Read the column from a pandas frame; all values are missing if no name exists."""
        columns = [self._checked(frame[name]) for name in self.names if name in frame]
        if not columns:
            # Repeating one missing value is faster than building text from a list.
            missing = pd.Series([None], dtype=self.dtype).array.repeat(len(frame))
            return pd.Series(missing, index=frame.index)
        column: pd.Series[Any] = columns[0]
        for other in columns[1:]:
            column = column.where(column.notna(), other)
        return column

    def within(self, table: nw.LazyFrame[Any]) -> nw.Expr:
        """Return the column as an expression over a narwhals table."""
        schema = table.collect_schema()
        expressions = [
            self._expression(table, n, schema[n]) for n in self.names if n in schema.names()
        ]
        return nw.coalesce(*expressions) if expressions else nw.lit(None, dtype=self.empty)

    def _checked(self, column: pd.Series[Any]) -> pd.Series[Any]:
        try:
            return self._read(column)
        except (OverflowError, TypeError, ValueError) as error:
            raise self._error(column.name, error) from error

    def _read(self, column: pd.Series[Any]) -> pd.Series[Any]:
        raise NotImplementedError

    def _expression(self, _: nw.LazyFrame[Any], name: str, dtype: DType) -> nw.Expr:
        raise NotImplementedError

    def _missing(self, table: nw.LazyFrame[Any], name: str, dtype: DType) -> nw.Expr:
        """Return missing values for an empty column of another kind; raise if it has a value."""
        if _any_row(table, ~nw.col(name).is_null()):
            raise self._error(name, f"it holds {dtype}")
        return nw.lit(None, dtype=self.empty)

    def _error(self, name: object, why: object) -> InvalidInputError:
        function = (
            "to_datetime(…, utc=True) of a known format"
            if self.expected == "dates"
            else "to_numeric(…)"
        )
        return InvalidInputError(
            f"The column {name} must hold {self.expected}: {why}.",
            hint=Hint(
                f"Convert it first, such as with pandas.{function}.", shell="Convert it first."
            ),
        )


@dataclass(frozen=True)
class _Whole(Column):
    dtype = "Int64"
    empty = nw.Int64()
    expected = "whole numbers"
    missing: int | None = None

    def of(self, frame: pd.DataFrame) -> pd.Series[Any]:
        column = super().of(frame)
        if self.missing is None:
            return column
        # Without missing values, pandas takes half the time.
        return pd.Series(column.to_numpy("int64", na_value=self.missing), index=frame.index)

    def within(self, table: nw.LazyFrame[Any]) -> nw.Expr:
        column = super().within(table)
        return column if self.missing is None else column.fill_null(self.missing)

    def _read(self, column: pd.Series[Any]) -> pd.Series[Any]:
        if isinstance(column.dtype, pd.Int64Dtype):
            return column
        if _kind(column, _NUMBERS) == "decimal":
            return _whole_decimals(column)
        numbers = pd.to_numeric(column)
        if numbers.dtype.kind == "f":
            _check_exact(numbers)
        return numbers.astype("Int64")

    def _expression(self, table: nw.LazyFrame[Any], name: str, dtype: DType) -> nw.Expr:
        if not dtype.is_numeric():
            return self._missing(table, name, dtype)
        column = nw.col(name)
        if dtype.is_integer():
            return column.cast(nw.Int64)
        # The engine would round silently.
        if dtype.is_decimal():
            if _any_row(table, ~(column % 1 == 0)):
                raise self._error(name, _FRACTIONS)
            return column.cast(nw.Int64)
        number = column.cast(nw.Float64)
        if _any_row(table, ~number.is_nan() & ~(number % 1 == 0)):
            raise self._error(name, _FRACTIONS)
        if _any_row(table, ~number.is_nan() & (number.abs() > _EXACT)):
            raise self._error(name, _INEXACT)
        return nw.when(~number.is_nan()).then(column).cast(nw.Int64)


class _Number(Column):
    dtype = "Float64"
    empty = nw.Float64()
    expected = "numbers"

    def _read(self, column: pd.Series[Any]) -> pd.Series[Any]:
        return pd.to_numeric(column).astype("Float64")

    def _expression(self, _: nw.LazyFrame[Any], name: str, dtype: DType) -> nw.Expr:
        if not dtype.is_numeric():
            raise self._error(name, f"it holds {dtype}")
        column = nw.col(name).cast(nw.Float64)
        return nw.when(~column.is_nan()).then(column)


class _Text(Column):
    dtype = "str"
    empty = nw.String()
    expected = "text"

    def _read(self, column: pd.Series[Any]) -> pd.Series[Any]:
        return column.astype("str")

    def _expression(self, _: nw.LazyFrame[Any], name: str, dtype: DType) -> nw.Expr:
        return nw.col(name) if dtype == nw.String else nw.col(name).cast(nw.String)


class _Moment(Column):
    dtype = "datetime64[us, UTC]"
    empty = nw.Datetime("us")
    expected = "dates"

    def _read(self, column: pd.Series[Any]) -> pd.Series[Any]:
        if column.dtype == self.dtype:
            return column
        _kind(column, _DATES)
        return pd.to_datetime(column, utc=True).dt.as_unit("us")

    def _expression(self, table: nw.LazyFrame[Any], name: str, dtype: DType) -> nw.Expr:
        if not dtype.is_temporal() or dtype in {nw.Duration, nw.Time}:
            return self._missing(table, name, dtype)
        return nw.col(name).cast(nw.Datetime("us"))


def integer_column(*names: str, missing: int | None = None) -> Column:
    """Read whole numbers; `missing` replaces missing values."""
    return _Whole(names, missing)


def number(*names: str) -> Column:
    """Read numbers that may have fractions."""
    return _Number(names)


def text_column(*names: str) -> Column:
    """Read text; categories become their text."""
    return _Text(names)


def timestamp_column(*names: str) -> Column:
    """Read timestamps; one without a time zone is UTC."""
    return _Moment(names)


#: Kinds of `infer_dtype` that are accepted as numbers and as dates. Text is neither, since
#: "03/04/2013" is ambiguous. Numbers are not dates, since their epoch and unit are unknown.
_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "empty"}
_DATES = {"datetime64", "datetime", "date", "empty"}
#: Floats beyond this may already have lost digits.
_EXACT = 2**53
_FRACTIONS = "it holds fractions"
_INEXACT = "it holds floating-point numbers beyond 2**53, whose last digits are lost"


def _kind(column: pd.Series[Any], kinds: set[str]) -> str:
    """Infer the kind of a column; raise if it is unexpected and the column has values.

    As those of the other helpers, the error becomes one that names the column.
    """
    kind = pd.api.types.infer_dtype(column, skipna=True)
    if kind not in kinds and not column.isna().all():
        raise ValueError(f"it holds {kind}")
    return kind


def _whole_decimals(column: pd.Series[Any]) -> pd.Series[Any]:
    """Convert decimals to integers without floating point."""
    numbers = [None if pd.isna(number) else number for number in column]
    if any(number % 1 for number in numbers if number is not None):
        raise ValueError(_FRACTIONS)
    whole_numbers = [None if number is None else int(number) for number in numbers]
    return pd.Series(whole_numbers, index=column.index, dtype="Int64")


def _check_exact(numbers: pd.Series[Any]) -> None:
    """Raise if floats do not hold whole numbers exactly."""
    if (numbers.abs() > _EXACT).any():
        raise ValueError(_INEXACT)
    if (numbers % 1 > 0).any():
        raise ValueError(_FRACTIONS)


def _any_row(table: nw.LazyFrame[Any], rows: nw.Expr) -> bool:
    return len(collect(table.filter(rows).head(1))) > 0
