"""Convert frames of Polars and Arrow to pandas, and pandas to Arrow, with their provenance."""

# Arrow keeps the provenance where pandas itself keeps attributes: in the metadata of the schema, so
# that it survives Arrow's own operations and Parquet.

from __future__ import annotations

import json
import sys
from typing import Any, Self

import pandas as pd
import pyarrow as pa

from dirframe.client.dtypes import to_pandas
from dirframe.errors import Hint, InvalidInputError
from dirframe.provenance import ATTRIBUTE, attributes_of


def require_frame(frame: Any) -> pd.DataFrame:
    """Return a frame of pandas, Polars or Arrow as one of pandas with unique columns.

    Raises
    ------
    InvalidInputError
        If it is something else, or has several columns of one name.
    """
    converted = as_pandas(frame)
    if not isinstance(converted, pd.DataFrame):
        raise InvalidInputError(
            f"Expected a frame of pandas or Polars, or an Arrow table; got a {type_name(frame)}.",
            hint=Hint(
                "Bring a frame of Dask into memory with .compute(), a relation of DuckDB with "
                ".to_arrow_table().",
                shell="",
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


def to_arrow(frame: pd.DataFrame) -> pa.Table:
    """Convert a pandas frame to Arrow; lists whose entries differ in form become JSON."""
    plain = frame.copy(deep=False)  # other attributes need not be JSON
    plain.attrs = {
        name: _Shared(value) if isinstance(value, dict) else value
        for name, value in frame.attrs.items()
        if name == ATTRIBUTE
    }
    try:
        return pa.Table.from_pandas(plain, preserve_index=False)
    except pa.ArrowException:  # for example a text and a record in one list
        return pa.Table.from_pandas(plain.assign(**_mixed(plain)), preserve_index=False)


class _Shared(dict[str, Any]):
    """A provenance record that pandas does not copy with every column that Arrow looks at."""

    def __deepcopy__(self, _: object) -> Self:
        return self


def _mixed(frame: pd.DataFrame) -> dict[str, pd.Series[str]]:
    """Return the columns of lists whose entries differ in form, as JSON."""
    mixed = {}
    for name in frame.columns:
        if frame[name].dtype == object:
            try:
                pa.array(frame[name], from_pandas=True)
            except pa.ArrowException:
                mixed[name] = frame[name].map(_json, na_action="ignore").astype("str")
    return mixed


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def unify_schemas(first: pa.Schema, second: pa.Schema) -> pa.Schema:
    """Return a schema for the tables of both; lists that differ in form become JSON."""
    fields = {field.name: field for field in first}
    for field in second:
        pair = [pa.schema([fields.get(field.name, field)]), pa.schema([field])]
        try:
            fields[field.name] = pa.unify_schemas(pair, promote_options="permissive").field(0)
        except pa.ArrowTypeError:
            fields[field.name] = pa.field(field.name, pa.large_string())
    return pa.schema(list(fields.values()), metadata=first.metadata)


def with_schema(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table with a schema of `unify_schemas`."""
    columns = []
    for field in schema:
        if field.name not in table.column_names:
            columns.append(pa.nulls(table.num_rows, field.type))
        elif table[field.name].type == field.type:
            columns.append(table[field.name])
        else:
            values = table[field.name].to_pylist()
            if pa.types.is_large_string(field.type):
                values = [v if v is None or isinstance(v, str) else _json(v) for v in values]
            columns.append(pa.array(values, field.type))
    return pa.Table.from_arrays(columns, schema=schema)


def as_pandas(frame: Any) -> Any:
    """Return a frame of polars or a table of Arrow as a pandas frame, any other frame unchanged.

    Raises
    ------
    InvalidInputError
        If it is a lazy frame of polars.
    """
    if is_instance(frame, "polars", "LazyFrame"):
        raise InvalidInputError(
            "A lazy frame of polars has no records yet. Pass frame.collect(), or for records "
            "beyond memory a relation of DuckDB."
        )
    table = frame.to_arrow() if is_instance(frame, "polars", "DataFrame") else frame
    if not isinstance(table, pa.Table):
        return frame
    converted = frame_of(table)
    converted.attrs.update(attributes_of(frame))
    return converted


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Return an Arrow table as a frame with the dtypes of the loaders."""
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        target = _loader_type(column.type)
        if target is not None:
            try:
                columns[name] = to_pandas(column.cast(target))
            except pa.ArrowInvalid as error:
                raise InvalidInputError(too_large(name)) from error
        elif pa.types.is_boolean(column.type):
            columns[name] = column.to_pandas(types_mapper={pa.bool_(): pd.BooleanDtype()}.get)
        elif pa.types.is_nested(column.type):  # pandas itself makes arrays of lists inside
            columns[name] = pd.Series(column.to_pylist(), dtype="object")
        else:
            columns[name] = column.to_pandas()
    return pd.DataFrame(columns)


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
