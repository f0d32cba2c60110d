"""Encode columns as plain values that every format can store, and decode them."""

# Times become ISO 8601 text in UTC, lists stay lists. Each column has a description (dtype,
# categories), from which decoding restores the same dtype.

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.api import types

from dirframe._arrow import as_pandas, type_name
from dirframe.errors import ExportWarning, Hint, InvalidInputError, warn
from dirframe.io.metadata import record_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


_HELD = ("str", "string", "object", "category", "bool", "boolean")


@dataclass(frozen=True)
class ExportFrame:
    """A frame ready for writing, with its record."""

    name: str
    frame: pd.DataFrame
    record: dict[str, Any]

    @property
    def columns(self) -> list[dict[str, Any]]:
        """Descriptions of the columns for decoding; a format can add keys."""
        columns: list[dict[str, Any]] = self.record["columns"]
        return columns

    def texts_of(self, position: int) -> list[Any]:
        """Return a column's plain values, with lists and other objects as JSON."""
        values = encode_column(self.frame.iloc[:, position])
        if self.frame.dtypes.iloc[position] != "object":
            return values
        name = str(self.frame.columns[position])
        return [None if value is None else as_json(value, name) for value in values]


def prepare(name: str, frame: pd.DataFrame) -> ExportFrame:
    """Validate a frame for export and describe it.

    Raises
    ------
    InvalidInputError
        If it is not a DataFrame, or its column names are missing or duplicated.

    Warns
    -----
    ExportWarning
        If the index is dropped, or a dtype cannot be stored.
    """
    frame = as_pandas(frame)
    if not isinstance(frame, pd.DataFrame):
        raise InvalidInputError(
            f"{name!r} is a {type_name(frame)}, and only a frame of pandas or Polars or a table of Arrow can "
            "be exported.",
            hint=Hint(
                "A Series becomes one with .to_frame(), a frame of Dask with .compute(), a relation of "
                "DuckDB with .to_arrow_table().",
                shell="",
            ),
        )
    names = list(frame.columns)
    if not names or not all(isinstance(column, str) and column for column in list[object](names)):
        raise InvalidInputError(
            f"The columns of {name!r} are {names[:5]!r}; an export needs one column or more, and "
            "each with a text as its name. Rename them first."
        )
    if duplicates := sorted({column for column in names if names.count(column) > 1}):
        raise InvalidInputError(
            f"{name!r} has more than one column called {', '.join(duplicates)}; rename them first."
        )
    if frame.index.name is not None or not types.is_integer_dtype(frame.index.dtype):
        _warn(name, "the index is not written; reset_index() makes columns of it")
    unknown = [column for column in names if not _is_held(frame[column].dtype)]
    if unknown:
        kinds = ", ".join(f"{column} ({frame[column].dtype})" for column in unknown)
        _warn(name, f"written as text, and read back as text: {kinds}")
    plain = frame.reset_index(drop=True)
    plain = plain.assign(**{column: plain[column].astype("str") for column in unknown})
    plain.attrs = dict(frame.attrs)
    return ExportFrame(
        name, plain, record_of(frame, [_described(plain[column]) for column in names])
    )


def encode_column(column: pd.Series[Any]) -> list[Any]:
    """Return a column as None, str, int, float, bool or the objects of an object column."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories = encode_column(column.cat.categories.to_series())
        return [None if code < 0 else categories[code] for code in column.cat.codes]
    if types.is_datetime64_any_dtype(column.dtype):
        return _moments(column)
    values = column.tolist()
    if column.dtype == "object":
        return [None if _is_missing(value) else value for value in map(_to_list, values)]
    missing = column.isna().to_numpy()
    return [
        None if is_missing else value for value, is_missing in zip(values, missing, strict=True)
    ]


def as_json(value: object, column: str) -> str:
    """Serialize one value of an object column to JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, default=_to_list)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"The column {column!r} holds a {type(value).__name__}, which this format cannot hold. "
            "Turn it into text, numbers or lists of them first; .parquet, .feather and .duckdb hold "
            "dates, decimal numbers and bytes too."
        ) from None


def record_as_json(record: dict[str, Any]) -> str:
    """Serialize the values of a row by column to JSON."""
    try:
        return json.dumps(record, ensure_ascii=False, default=_to_list)
    except (TypeError, ValueError):
        for name, value in record.items():
            as_json(value, name)  # the error names the column
        raise


def decode_column(values: Sequence[Any], column: dict[str, Any], *, parsed: bool = False) -> Any:
    """Convert plain values, or strings of them, to a column of the original dtype.

    Parameters
    ----------
    values
        The values; None where missing.
    column
        Its description.
    parsed
        Whether objects are already parsed rather than JSON.
    """
    dtype = column["dtype"]
    if dtype == "category":
        categories = decode_column(column["categories"], column["of"])
        codes = np.full(len(values), -1)
        is_present = [value is not None for value in values]
        # By themselves: a column of plain numbers or truths has no missing values.
        present = decode_column([value for value in values if value is not None], column["of"])
        codes[is_present] = pd.Index(categories).get_indexer(present)
        if (codes[is_present] < 0).any():
            unknown = present[codes[is_present] < 0].iloc[0]
            raise ValueError(f"{unknown!r} is none of its categories")
        categorical = pd.CategoricalDtype(categories, column["ordered"])
        return pd.Series(pd.Categorical.from_codes(codes.tolist(), dtype=categorical))
    if dtype == "object":
        objects = np.empty(len(values), dtype="object")  # filled in a loop: a list is one value
        for index, value in enumerate(values):
            objects[index] = value if parsed or value is None else json.loads(value)
        return pd.Series(objects, dtype="object")
    if dtype.startswith("datetime64"):
        aware = "," in dtype
        moments = pd.to_datetime(pd.Series(values, dtype="str"), format="ISO8601", utc=aware)
        zone = column.get("zone")
        return (moments.dt.tz_convert(zone) if zone else moments).astype(dtype)
    if dtype in {"bool", "boolean"}:
        return pd.Series([None if v is None else _truth(v) for v in values], dtype=dtype)
    read = _text if dtype in {"str", "string"} else float if "loat" in dtype else _whole
    return pd.Series([None if v is None else read(v) for v in values], dtype=dtype)


# Files are edited by other programs: a value that is none of the column's dtype is an error, and
# never made one.
def _truth(value: Any) -> bool:
    truth = str(value).lower()  # spreadsheets write TRUE, databases 1
    if truth not in {"true", "false", "1", "0"}:
        raise ValueError(f"{value!r} is neither true nor false")
    return truth in {"true", "1"}


def _text(value: Any) -> str:
    if isinstance(value, (bytes, list, dict)):
        raise TypeError(f"a {type(value).__name__} is not text")
    return str(value)


def _whole(value: Any) -> int:
    if isinstance(value, float) and not value.is_integer():
        raise ValueError(f"{value!r} is not a whole number")
    return int(value)


def restored_frame(
    columns: Sequence[Sequence[Any]], record: dict[str, Any], *, parsed: bool = False
) -> pd.DataFrame:
    """Build a frame from the plain values of its columns."""
    restored = {}
    for column, values in zip(record["columns"], columns, strict=True):
        try:
            restored[column["name"]] = decode_column(values, column, parsed=parsed)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidInputError(
                f"The column {column['name']!r} was exported as {column['dtype']} and holds "
                f"something else now: {error}. Export the frame again."
            ) from None
    return pd.DataFrame(restored)


def check_columns(file: Path, record: dict[str, Any], names: list[str]) -> None:
    """Raise if a file has other columns than its record says, or in another order."""
    expected = [column["name"] for column in record["columns"]]
    if expected != names:
        raise InvalidInputError(
            f"{file} has the columns {', '.join(names[:8])}, and its record says "
            f"{', '.join(expected[:8])}: they do not belong together. Export the frame again."
        )


def _is_held(dtype: Any) -> bool:
    if str(dtype) in _HELD:
        return str(dtype) != "category" or _is_held(dtype.categories.dtype)
    return types.is_datetime64_any_dtype(dtype) or (
        types.is_numeric_dtype(dtype)
        and str(dtype).lower().rstrip("0123456789") in {"int", "uint", "float"}
    )


def _described(column: pd.Series[Any]) -> dict[str, Any]:
    description: dict[str, Any] = {"name": str(column.name), "dtype": str(column.dtype)}
    if isinstance(column.dtype, pd.CategoricalDtype):
        categories = column.cat.categories.to_series()
        description |= {
            "categories": encode_column(categories),
            "of": _described(categories.rename("")),
            "ordered": bool(column.cat.ordered),
        }
    elif isinstance(column.dtype, pd.DatetimeTZDtype):
        description["zone"] = str(column.dtype.tz)
    return description


def _moments(column: pd.Series[Any]) -> list[str | None]:
    aware = isinstance(column.dtype, pd.DatetimeTZDtype)
    moments = column.dt.tz_convert("UTC").dt.tz_localize(None) if aware else column
    suffix = "Z" if aware else ""
    return [None if pd.isna(moment) else moment.isoformat() + suffix for moment in moments]


def _is_missing(value: object) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))


def _to_list(value: Any) -> Any:
    # Parquet returns lists as arrays; numpy scalars are not JSON.
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _warn(name: str, what: str) -> None:
    warn(ExportWarning(f"Export of {name!r}: {what}."))
