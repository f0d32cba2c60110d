"""Read and write Parquet and Feather; the record is in the file's metadata."""

# Lists are Arrow lists if they survive a round trip, and JSON otherwise: Arrow has no list of mixed
# types.

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe.io.frame_codec import ExportFrame, decode_column, encode_column
from dirframe.io.metadata import METADATA_KEY, as_text, read_record
from dirframe.provenance import ATTRIBUTE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa


def to_arrow(prepared: ExportFrame) -> pa.Table:
    """Convert a frame to an Arrow table, and record how its lists are stored."""
    import pyarrow as pa

    frame = prepared.frame.copy(deep=False)
    frame.attrs = {key: value for key, value in frame.attrs.items() if key == ATTRIBUTE}
    columns = {}
    for column in prepared.columns:
        name = column["name"]
        if column["dtype"] != "object":
            continue
        column["lists"], columns[name] = _lists(encode_column(frame[name]))
        if column["lists"] == "json":
            columns[name] = pa.array(
                prepared.texts_of(list(frame.columns).index(name)), pa.string()
            )
    plain = frame.drop(columns=list(columns))
    table = pa.Table.from_pandas(plain, preserve_index=False)
    for position, name in enumerate(frame.columns):
        if name in columns:
            table = table.add_column(position, name, columns[name])
    return table


def from_arrow(table: pa.Table, record: dict[str, Any]) -> pd.DataFrame:
    """Convert a table of `to_arrow` back to a frame."""
    import pandas as pd

    frame: pd.DataFrame = table.to_pandas()
    for column in record["columns"]:
        name, lists = column["name"], column.get("lists")
        if lists is not None:
            values = table[name].to_pylist()
            if lists == "sparse":
                values = [_sparse(value) for value in values]
            frame[name] = decode_column(values, column, parsed=lists != "json")
        elif column["dtype"] == "category":  # Arrow loses the dtype of categories without rows
            frame[name] = decode_column(table[name].to_pylist(), column)
        elif str(frame[name].dtype) != column["dtype"]:
            # Directly from Arrow: integers with missing values would pass through float.
            wanted = pd.api.types.pandas_dtype(column["dtype"])
            direct = getattr(wanted, "__from_arrow__", None)
            frame[name] = direct(table[name]) if direct else frame[name].astype(wanted)
    return frame[[column["name"] for column in record["columns"]]]


def write_parquet(frames: Sequence[ExportFrame], file: Path) -> None:
    """Write a Parquet file with the only frame."""
    from pyarrow import parquet

    parquet.write_table(_with_record(frames[0]), file)


def write_feather(frames: Sequence[ExportFrame], file: Path) -> None:
    """Write a Feather file (version 2, which is Arrow's file format) with the only frame."""
    from pyarrow import feather

    feather.write_feather(_with_record(frames[0]), str(file))


def read_parquet(file: Path) -> dict[str, tuple[pd.DataFrame, dict[str, Any]]]:
    """Read what `write_parquet` wrote."""
    from pyarrow import parquet

    with parquet.ParquetFile(file) as opened:
        return _with_frame(opened.read(), file)


def read_feather(file: Path) -> dict[str, tuple[pd.DataFrame, dict[str, Any]]]:
    """Read what `write_feather` wrote."""
    from pyarrow import feather

    return _with_frame(feather.read_table(str(file), memory_map=False), file)


def _with_record(prepared: ExportFrame) -> pa.Table:
    table = to_arrow(prepared)
    metadata = {METADATA_KEY: as_text(prepared.record), "citation": prepared.record["citation"]}
    return table.replace_schema_metadata({**(table.schema.metadata or {}), **metadata})


def _with_frame(table: pa.Table, file: Path) -> dict[str, tuple[pd.DataFrame, dict[str, Any]]]:
    record = read_record((table.schema.metadata or {}).get(METADATA_KEY.encode()), file)
    return {file.stem: (from_arrow(table, record), record)}


def _lists(values: list[Any]) -> tuple[str, Any]:
    """Return the storage form in which the values survive a round trip."""
    import pyarrow as pa

    try:
        array = pa.array(values)
    except (pa.ArrowException, OverflowError):
        return "json", None
    if _has_empty_struct(array.type):  # Parquet cannot store a struct without fields
        return "json", None
    roundtrip = array.to_pylist()
    if roundtrip == values and not pa.types.is_null(array.type):
        return "arrow", array
    # Arrow returns a missing key as a key with the value None.
    return (
        ("sparse", array) if [_sparse(value) for value in roundtrip] == values else ("json", None)
    )


def _has_empty_struct(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_struct(kind) and kind.num_fields == 0:
        return True
    return any(_has_empty_struct(kind.field(index).type) for index in range(kind.num_fields))


def _sparse(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _sparse(item_value) for key, item_value in value.items() if item_value is not None
        }
    return [_sparse(item) for item in value] if isinstance(value, list) else value
