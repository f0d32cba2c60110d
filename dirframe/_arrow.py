"""Convert frames to Arrow tables and back, with their provenance and their lists as they were."""

# Arrow fills in the keys that a record of a list lacks, and cannot hold a text beside a record. A
# field whose values it would change says so in its metadata: "sparse", where a key with a null was
# missing, or "json", where the values are texts.

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from dirframe._tables import ATTRIBUTE, attributes_of
from dirframe.errors import InvalidInputError

#: Key of our own facts in Arrow's metadata.
_KEY = ATTRIBUTE.encode()

#: The dtypes of the loaders.
_PANDAS_TYPES = {
    pa.large_string(): pd.StringDtype(na_value=np.nan),
    pa.int64(): pd.Int64Dtype(),
    pa.float64(): pd.Float64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
}


def to_arrow(frame: pd.DataFrame) -> pa.Table:
    """Convert a pandas frame to Arrow; `as_pandas` returns the same frame."""
    plain = frame.copy(deep=False)
    # Other attributes need not be JSON.
    plain.attrs = {key: value for key, value in frame.attrs.items() if key == ATTRIBUTE}
    objects = {name: _lists(plain[name]) for name in plain.columns[plain.dtypes == "object"]}
    plain = plain.assign(**dict.fromkeys(objects, pd.Series(None, plain.index, dtype="object")))
    table = pa.Table.from_pandas(plain, preserve_index=False)
    for name, (form, array) in objects.items():
        position = table.column_names.index(name)
        table = table.set_column(position, _field(name, array.type, form), array)
    return table.replace_schema_metadata({**(table.schema.metadata or {}), _KEY: b"1"})


def as_pandas(frame: Any) -> Any:
    """Return a table of Arrow or a frame of Polars as a pandas frame, any other frame unchanged.

    A table of `to_arrow` becomes the frame that it was, another one a frame with the dtypes of the
    loaders.
    """
    if is_instance(frame, "polars", "LazyFrame"):
        raise InvalidInputError(
            "A lazy frame of polars has no records yet. Pass frame.collect(), or for records "
            "beyond memory a relation of DuckDB."
        )
    table = frame.to_arrow() if is_instance(frame, "polars", "DataFrame") else frame
    if not isinstance(table, pa.Table):
        return frame
    exact = _KEY in (table.schema.metadata or {})
    columns = {
        name: _restored(table.select([name]), column, exact)
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    converted = pd.DataFrame(columns, index=pd.RangeIndex(table.num_rows))
    converted.attrs.update(attributes_of(frame))
    return converted


def unify_schemas(first: pa.Schema, second: pa.Schema) -> pa.Schema:
    """Return a schema for tables of `to_arrow` with either; lists that differ in form become JSON."""
    fields = {field.name: field for field in first}
    for field in second:
        pair = (fields.get(field.name, field), field)
        schemas = [pa.schema([one.remove_metadata()]) for one in pair]
        forms = [_form(one) for one in pair if not pa.types.is_null(one.type)]
        try:
            kind = pa.unify_schemas(schemas, promote_options="permissive").field(0).type
        except pa.ArrowTypeError:
            kind, forms = pa.large_string(), ["json"]
        form = max(("", "sparse", "json").index(one or "") for one in (*forms, ""))
        if form == 0 and len({one.type for one in pair} | {kind}) > 1 and pa.types.is_list(kind):
            form = 1  # records of lists with other keys
        name = ("", "sparse", "json")[form]
        is_list = any(_form(one) is not None for one in pair)
        fields[field.name] = (
            _field(field.name, kind, name) if is_list else pa.field(field.name, kind)
        )
    return pa.schema(list(fields.values()), metadata=first.metadata)


def with_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table of `to_arrow` with a schema of `unify_schemas`."""
    columns = []
    for field in schema:
        if field.name not in table.column_names:
            columns.append(pa.nulls(table.num_rows, field.type))
        elif _form(field) == "json" != _form(table.schema.field(field.name)):
            columns.append(_json_array(table[field.name].to_pylist()))
        elif table[field.name].type == field.type:
            columns.append(table[field.name])
        else:
            columns.append(pa.array(table[field.name].to_pylist(), field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def loader_series(array: pa.Array | pa.ChunkedArray) -> pd.Series[Any]:
    """Convert an Arrow array to pandas with the dtype that frames have."""
    series: pd.Series[Any] = array.to_pandas(types_mapper=_PANDAS_TYPES.get)
    return series


def require_frame(frame: Any) -> pd.DataFrame:
    """Return a frame of pandas, Polars or Arrow as one of pandas with unique columns, or raise."""
    converted = as_pandas(frame)
    if not isinstance(converted, pd.DataFrame):
        raise InvalidInputError(
            f"Expected a frame of pandas or Polars, or an Arrow table; got a {type_name(frame)}.",
            hint=(
                "Bring a frame of Dask into memory with .compute(), a relation of DuckDB with "
                ".to_arrow_table()."
            ),
        )
    check_unique_columns(converted)
    return converted


def check_unique_columns(frame: pd.DataFrame) -> None:
    """Raise if columns of a frame have the same name."""
    if frame.columns.is_unique:
        return
    repeated = ", ".join(map(str, frame.columns[frame.columns.duplicated()].unique()))
    raise InvalidInputError(
        f"The frame has several columns of one name ({repeated}), and columns are found by their "
        "names. Rename them, or drop all but one."
    )


def too_large(what: str) -> str:
    """Return the error message for numbers, or sums, beyond 64 bits."""
    return (
        f"Numbers of {what}, or their sum, are beyond 64 bits (9.2e18), so that no right sum can "
        "be given. Leave out the records whose number cannot be right, such as those above 1e12."
    )


def type_name(value: object) -> str:
    """Return the name of a value's type, with the library's: several have a DataFrame."""
    library = type(value).__module__.partition(".")[0]
    return f"{'' if library == 'builtins' else f'{library}.'}{type(value).__name__}"


def is_instance(frame: object, module: str, name: str) -> bool:
    """Return whether a frame is of a class of a module, which is not imported for it."""
    engine = sys.modules.get(module)
    return engine is not None and isinstance(frame, getattr(engine, name))


def plain_value(value: Any) -> Any:
    """Return a value of an object column with lists for arrays, and None for a missing one."""
    if isinstance(value, np.ndarray):  # as pandas reads lists from Parquet
        return [plain_value(item) for item in value]
    if isinstance(value, list | dict | str):
        return value
    return None if value is pd.NA or value is pd.NaT or value != value else value  # noqa: PLR0124  # NaN


def _lists(column: pd.Series[Any]) -> tuple[str, pa.Array]:
    """Return the values of an object column, and the form in which Arrow holds them."""
    values = [plain_value(value) for value in column]
    try:
        array = pa.array(values)
    except (pa.ArrowException, OverflowError):
        array = None
    if array is not None and not _is_lossy(array.type):
        held = array.to_pylist()
        if held == values:
            return "", array
        if [_sparse(value) for value in held] == values:
            return "sparse", array
    return "json", _json_array(values)


def _is_lossy(kind: pa.DataType) -> bool:
    """Return whether Parquet cannot store a type: it has no records without keys."""
    if pa.types.is_struct(kind) and not kind.num_fields:
        return True
    return any(_is_lossy(kind.field(index).type) for index in range(kind.num_fields))


def _field(name: str, kind: pa.DataType, form: str) -> pa.Field:
    return pa.field(name, kind, metadata={_KEY: form})


def _form(field: pa.Field) -> str | None:
    """Return the form of an object column; None for another one."""
    form = (field.metadata or {}).get(_KEY)
    return None if form is None else form.decode()


def _json_array(values: list[Any]) -> pa.Array:
    return pa.array([None if v is None else _json(v) for v in values], pa.large_string())


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        raise InvalidInputError(
            f"A column holds a {type_name(value)} beside other values, which no file can hold. Turn "
            "it into text, numbers or lists of them first."
        ) from None


def _restored(table: pa.Table, column: pa.ChunkedArray, exact: bool) -> pd.Series[Any]:
    """Return a column as the frame had it, or with the dtype of the loaders."""
    kind, form = column.type, _form(table.schema.field(0))
    if form is not None or pa.types.is_nested(kind):
        values = column.to_pylist()
        if form == "json":
            values = [value if value is None else json.loads(value) for value in values]
        elif form == "sparse":
            values = [_sparse(value) for value in values]
        return pd.Series(values, dtype="object")
    if exact:
        return _as_it_was(table)
    target = _loader_type(kind)
    if target is None:
        return loader_series(column)
    try:
        return loader_series(column.cast(target))
    except pa.ArrowInvalid as error:
        raise InvalidInputError(too_large(table.column_names[0])) from error


def _as_it_was(table: pa.Table) -> pd.Series[Any]:
    described = {one["name"]: one for one in table.schema.pandas_metadata["columns"]}
    dtype = described.get(table.column_names[0], {}).get("numpy_type", "object")
    extension: Any = None if dtype == "object" else pd.api.types.pandas_dtype(dtype)
    if hasattr(extension, "__from_arrow__"):  # numbers with missing values keep their digits
        return pd.Series(extension.__from_arrow__(table.column(0)))
    series: pd.Series[Any] = table.to_pandas().iloc[:, 0]
    return series


def _sparse(value: Any) -> Any:
    """Return a value without the keys that Arrow has filled in."""
    if isinstance(value, dict):
        return {key: _sparse(item) for key, item in value.items() if item is not None}
    return [_sparse(item) for item in value] if isinstance(value, list) else value


def _loader_type(kind: pa.DataType) -> pa.DataType | None:
    """Return the Arrow type that the loaders use for such values; None for other values."""
    types = pa.types
    if types.is_integer(kind) or (types.is_decimal(kind) and kind.scale == 0):
        return pa.int64()
    if types.is_floating(kind) or types.is_decimal(kind):
        return pa.float64()
    if types.is_timestamp(kind) or types.is_date(kind):
        return pa.timestamp("us", tz="UTC")
    texts = (types.is_string, types.is_large_string, types.is_string_view, types.is_dictionary)
    return pa.large_string() if any(is_text(kind) for is_text in texts) else None
