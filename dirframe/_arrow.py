"""Convert frames to Arrow tables and back, with their provenance and their lists as they were."""

# Arrow fills in the keys that a record of a list lacks, and cannot hold a text beside a record. A
# column whose values it would change is JSON; the metadata of its field says so.

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.extensions import ExtensionArray

from dirframe._printable import REPLACE_HALF_PAIR
from dirframe._tables import ATTRIBUTE, attributes_of
from dirframe.errors import InvalidInputError

#: Key of our own facts in Arrow's metadata, and those of a field whose values are JSON.
_KEY = ATTRIBUTE.encode()
_JSON = {_KEY: b"json"}

#: The dtypes of the loaders.
_PANDAS_TYPES: dict[pa.DataType, Any] = {
    pa.large_string(): pd.StringDtype(na_value=np.nan),
    pa.int64(): pd.Int64Dtype(),
    pa.float64(): pd.Float64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
    # As pyarrow converts it too, in a fifth of the time.
    pa.timestamp("us", tz="UTC"): pd.DatetimeTZDtype("us", "UTC"),
}


def to_arrow(frame: pd.DataFrame, schema: pa.Schema | None = None) -> pa.Table:
    """Convert a pandas frame to Arrow, in a schema of `unify_schemas`; `as_pandas` undoes it."""
    json_columns = {field.name for field in schema or () if _is_json(field)}
    objects = [name for name in frame if name in json_columns or frame[name].dtype == "object"]
    plain = frame.assign(**dict.fromkeys(map(str, objects), None))
    # Other attributes need not be JSON.
    plain.attrs = {key: value for key, value in frame.attrs.items() if key == ATTRIBUTE}
    try:
        table = pa.Table.from_pandas(plain, preserve_index=False)
    except (pa.ArrowException, TypeError) as error:  # such as complex numbers and sparse columns
        raise _unwritable("; ".join(map(str, error.args)).rstrip(".")) from None
    for name in objects:
        values = [plain_value(value) for value in frame[name]]
        field, array = _object_column(str(name), values, as_json=name in json_columns)
        table = table.set_column(table.column_names.index(str(name)), field, array)
    if schema is not None:
        return pa.concat_tables([schema.empty_table(), table], promote_options="permissive")
    return table.replace_schema_metadata({**table.schema.metadata, _KEY: b"1"})


def unify_schemas(schemas: Iterable[pa.Schema]) -> pa.Schema:
    """Return one schema for tables of `to_arrow`; columns that differ in form become JSON."""
    first, *others = schemas
    fields: dict[str, pa.Field] = {}
    for field in chain(first, *others):
        known = fields.get(field.name)
        if known is None or pa.types.is_null(known.type):
            fields[field.name] = field
        elif not pa.types.is_null(field.type) and not known.equals(field, check_metadata=True):
            fields[field.name] = pa.field(field.name, pa.large_string(), metadata=_JSON)
    return pa.schema(fields.values(), first.metadata)


def as_pandas(frame: Any) -> Any:
    """Return a table of Arrow or a frame of Polars as a pandas frame, any other frame unchanged."""
    table = frame.to_arrow() if type_name(frame) == "polars.DataFrame" else frame
    if not isinstance(table, pa.Table):
        return frame
    objects = [f.name for f in table.schema if _is_json(f) or pa.types.is_nested(f.type)]
    others = [name for name in table.column_names if name not in objects]
    if is_own(table):
        columns = dict(table.select(others).to_pandas().items())
    else:
        columns = {name: _as_loaded(table[name], name) for name in others}
    for name in objects:
        values = table[name].to_pylist()
        if _is_json(table.schema.field(name)):
            values = [value and json.loads(value) for value in values]
        columns[name] = pd.Series(values, dtype="object")
    index = pd.RangeIndex(table.num_rows)
    converted = pd.DataFrame(columns, index=index, columns=table.column_names)
    converted.attrs.update(attributes_of(frame))
    return converted


def is_own(table: pa.Table) -> bool:
    """Return whether `to_arrow` made a table."""
    return _KEY in (table.schema.metadata or {})


def loader_series(array: pa.Array | pa.ChunkedArray) -> pd.Series[Any]:
    """Convert an Arrow array to pandas with the dtype that frames have."""
    series: pd.Series[Any] = array.to_pandas(types_mapper=_PANDAS_TYPES.get)
    return series


def loader_array(array: pa.Array) -> ExtensionArray:
    """Convert text, numbers, truths or times as `loader_series` does, for a frame of many columns.

    A frame of arrays is made in half the time of one of Series.
    """
    converted: ExtensionArray = _PANDAS_TYPES[array.type].__from_arrow__(array)
    return converted


def require_frame(frame: Any) -> pd.DataFrame:
    """Return a frame of pandas, Polars or Arrow as one of pandas with unique columns, or raise."""
    converted = as_pandas(frame)
    if not isinstance(converted, pd.DataFrame):
        raise InvalidInputError(
            f"Expected a frame of pandas or Polars, or an Arrow table; got {type_name(frame)}.",
            hint="Convert a Dask frame with .compute(), a lazy Polars frame with .collect(), a DuckDB "
            "relation with .to_arrow_table().",
        )
    if repeated := converted.columns[converted.columns.duplicated()].unique().tolist():
        raise InvalidInputError(
            f"The frame has several columns of one name ({', '.join(map(str, repeated))}), and "
            "columns are found by their names. Rename them, or drop all but one."
        )
    return converted


def as_text(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column as text; raise by its row where a text has half a UTF-16 pair."""
    try:
        return column.astype("str")
    except UnicodeEncodeError:
        check_unicode(column, column.name)
        raise


def check_unicode(values: Iterable[Any], column: object) -> None:
    """Raise by its row if a text, also within a list, has half a UTF-16 pair, which is no text.

    `column` is None for a Series without a name.
    """
    holder = "The Series" if column is None else f"The column {column}"
    for row, value in enumerate(values):
        text = (
            value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        )
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidInputError(
                f"{holder} holds half a UTF-16 pair, which is no text: row {row:,} ({text!a}).",
                hint=REPLACE_HALF_PAIR,
            ) from error


def too_large(what: str) -> str:
    return (
        f"Numbers of {what}, or their sum, are beyond 64 bits (9.2e18), so that no right sum can "
        "be given. Leave out the records whose number cannot be right, such as those above 1e12."
    )


def type_name(value: object) -> str:
    """Return the name of a value's type, with the library's: several have a DataFrame."""
    library = type(value).__module__.partition(".")[0]
    return f"{'' if library == 'builtins' else f'{library}.'}{type(value).__name__}"


def plain_value(value: Any) -> Any:
    """Return a value of an object column with lists for arrays, and None for a missing one."""
    if isinstance(value, np.ndarray):  # as pandas reads lists from Parquet
        return [plain_value(item) for item in value]
    if isinstance(value, list | dict | str):
        return value
    if isinstance(value, np.number | np.bool_):
        value = value.item()
    # Of a frame or an index, pandas tells for each value whether it is missing.
    is_missing = pd.api.types.is_scalar(value) and pd.isna(value)
    return None if is_missing else value


def as_list(value: Any, column: object) -> list[Any] | None:
    """Return a list, also of JSON, as CSV and at times Parquet hold it; None for a missing value."""
    value = plain_value(value)
    if isinstance(value, str):
        with suppress(ValueError):
            value = json.loads(value)
    if value is None or isinstance(value, list | tuple):
        return value if value is None else list(value)
    raise InvalidInputError(
        f"The column {column} must hold lists, or lists as JSON; it holds values of type {type_name(value)}.",
        hint="read_table reads the lists that export wrote; Dask makes text of lists unless "
        "the option dataframe.convert-string is False.",
    )


def _object_column(name: str, values: list[Any], *, as_json: bool) -> tuple[pa.Field, pa.Array]:
    """Return values as Arrow holds them, or as JSON if it would change them."""
    if not as_json:
        with suppress(pa.ArrowException, OverflowError):
            array = pa.array(values)
            held = array.to_pylist()
            is_same = held == values or repr(held) == repr(values)  # NaN is not equal to itself
            if is_same and "struct<>" not in str(array.type):  # Parquet has none without keys
                return pa.field(name, array.type), array
    try:
        texts = [None if v is None else json.dumps(v, ensure_ascii=False) for v in values]
    except TypeError as error:
        raise _unwritable(f"The column {name} holds what no file can: {error}") from None
    return pa.field(name, pa.large_string(), metadata=_JSON), pa.array(texts, pa.large_string())


def _unwritable(why: str) -> InvalidInputError:
    return InvalidInputError(f"{why}. Turn it into text, numbers or lists of them first.")


def _is_json(field: pa.Field) -> bool:
    return bool((field.metadata or {}).get(_KEY) == b"json")


def _as_loaded(column: pa.ChunkedArray, name: str) -> pd.Series[Any]:
    """Return a column in the dtype that the loaders use for such values."""
    kind, types = column.type, pa.types
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_integer(kind) or (types.is_decimal(kind) and kind.scale == 0):
        kind = pa.int64()
    elif types.is_floating(kind) or types.is_decimal(kind):
        kind = pa.float64()
    elif types.is_timestamp(kind) or types.is_date(kind):
        kind = pa.timestamp("us", tz="UTC")
    elif types.is_string(kind) or types.is_string_view(kind):
        kind = pa.large_string()
    # Frames have microseconds.
    is_finer = getattr(column.type, "unit", "") == "ns"
    try:
        return loader_series(column.cast(kind, safe=not is_finer))
    except pa.ArrowInvalid as error:
        raise InvalidInputError(too_large(name)) from error
