"""Frames of polars and tables of Arrow as pandas frames with the dtypes of the loaders."""

from __future__ import annotations

import sys
from typing import Any

import pandas as pd
import pyarrow as pa

from dirframe.client.frames.dtypes import to_pandas
from dirframe.errors import InvalidInputError
from dirframe.provenance import attributes_of

_ARROW = {
    "whole": pa.int64(),
    "number": pa.float64(),
    "text": pa.large_string(),
    "moment": pa.timestamp("us", tz="UTC"),
}


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
    for column in table.schema:
        if pa.types.is_nested(column.type):  # pandas itself makes arrays of lists
            converted[column.name] = pd.Series(table[column.name].to_pylist(), dtype="object")
    converted.attrs.update(attributes_of(frame))
    return converted


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Return an Arrow table as a frame with the dtypes of the loaders."""
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        wanted = _ARROW.get(_kind(column.type))
        if wanted is not None:
            try:
                columns[name] = to_pandas(column.cast(wanted))
            except pa.ArrowInvalid as error:
                raise InvalidInputError(too_large(name)) from error
        elif pa.types.is_boolean(column.type):
            columns[name] = column.to_pandas(types_mapper={pa.bool_(): pd.BooleanDtype()}.get)
        else:
            columns[name] = column.to_pandas()
    return pd.DataFrame(columns)


def too_large(what: str) -> str:
    """Return the error message for numbers, or sums, beyond 64 bits."""
    return (
        f"Numbers of {what}, or their sum, are beyond 64 bits (9.2e18), so that no right sum can "
        "be given. Leave out the records whose number cannot be right, such as those above 1e12."
    )


def is_instance(frame: object, module: str, name: str) -> bool:
    """Return whether a frame is of a class of a module, which is not imported for it."""
    engine = sys.modules.get(module)
    return engine is not None and isinstance(frame, getattr(engine, name))


def _kind(kind: pa.DataType) -> str:
    is_ = pa.types
    if is_.is_integer(kind) or (is_.is_decimal(kind) and kind.scale == 0):
        return "whole"
    if is_.is_floating(kind) or is_.is_decimal(kind):
        return "number"
    if is_.is_timestamp(kind) or is_.is_date(kind):
        return "moment"
    texts = (is_.is_string, is_.is_large_string, is_.is_string_view, is_.is_dictionary)
    return "text" if any(test(kind) for test in texts) else ""
