"""Write a frame as CSV, TSV, JSON, JSON lines or Parquet, and its provenance as JSON."""

from __future__ import annotations

import io
import json
import re
import zlib
from typing import TYPE_CHECKING, Any, TextIO

import pandas as pd
from pandas.api import types

from dirframe._arrow import as_pandas, plain_value, to_arrow, type_name
from dirframe._tables import FORMULA
from dirframe.citation import cite
from dirframe.errors import ExportWarning, InvalidInputError, warn
from dirframe.provenance import ATTRIBUTE, caption

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

#: Formats of text, whose provenance is in a file beside them.
TEXTS = (".csv", ".tsv", ".json", ".jsonl")
#: Key of the metadata of Parquet with `schema_digest`.
DIGEST = b"dirframe_digest"

_QUOTED = re.compile(r'[",\t\r\n]|^\s|\s$|^$')
_HELD = ("str", "string", "object", "category", "bool", "boolean")


def beside(path: Path) -> Path:
    """Return the path of the file with the provenance of a text file."""
    return path.with_name(f"{path.name}.provenance.json")


def record_text(frame: pd.DataFrame) -> str:
    """Return the content of the file with the provenance, and with what the text may lack."""
    record = {
        "rows": len(frame),
        "columns": list(frame.columns),
        "caption": caption(frame),
        "citation": citation_of(frame),
        "provenance": frame.attrs.get(ATTRIBUTE),
    }
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def citation_of(frame: pd.DataFrame) -> str:
    """Return the citation of a frame; empty if it has no source."""
    try:
        return str(cite(frame))
    except InvalidInputError:
        return ""


def write_csv(frame: pd.DataFrame, stream: TextIO, separator: str = ",") -> None:
    """Write CSV or TSV: a missing value as an empty cell, an empty text as "", lists as JSON."""
    frame = checked_frame("the table", frame)
    columns = [[_cell(value) for value in plain_texts(frame[name])] for name in frame]
    stream.write(separator.join(_cell(str(name)) for name in frame.columns) + "\n")
    stream.writelines(separator.join(row) + "\n" for row in zip(*columns, strict=True))


def write_json(frame: pd.DataFrame, stream: TextIO, *, lines: bool = False) -> None:
    """Write the rows as objects, one a line: in a list, or as JSON lines."""
    frame = checked_frame("the table", frame)
    if lines:
        stream.writelines(f"{line}\n" for line in _objects(frame))
        return
    separator = "[\n"
    for line in _objects(frame):
        stream.write(f"{separator}{line}")
        separator = ",\n"
    stream.write("[]\n" if separator == "[\n" else "\n]\n")


def parquet_bytes(frame: pd.DataFrame) -> bytes:
    """Return a frame as Parquet with checksums of its pages, its provenance and its citation."""
    from pyarrow import parquet

    table = to_arrow(checked_frame("the table", frame))
    metadata = {**table.schema.metadata, b"citation": citation_of(frame).encode()}
    stream = io.BytesIO()
    parquet.write_table(table.slice(0, 0).replace_schema_metadata(metadata), stream)
    metadata |= {DIGEST: schema_digest(parquet.read_schema(io.BytesIO(stream.getvalue())))}
    stream = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata(metadata), stream, write_page_checksum=True)
    return stream.getvalue()


def schema_digest(schema: pa.Schema) -> bytes:
    """Return a digest of what checksums of pages leave out: names, types, provenance, citation."""
    fields = [(field.name, str(field.type), field.nullable) for field in schema]
    facts = [(schema.metadata or {}).get(key) for key in (b"pandas", b"citation", b"dirframe")]
    return b"%08x" % zlib.crc32(repr((fields, facts)).encode())


def checked_frame(name: str, frame: Any) -> pd.DataFrame:
    """Return a frame with what an export writes, or raise: named columns, no index.

    Warns
    -----
    ExportWarning
        If the index is dropped, or a dtype cannot be stored.
    """
    frame = as_pandas(frame)
    if not isinstance(frame, pd.DataFrame):
        raise InvalidInputError(
            f"{name!r} is a {type_name(frame)}, and only a frame of pandas or Polars or a table of "
            "Arrow can be exported.",
            hint=(
                "A Series becomes one with .to_frame(), a frame of Dask with .compute(), a relation of "
                "DuckDB with .to_arrow_table()."
            ),
        )
    if any(level is not None for level in frame.index.names):
        frame = frame.reset_index()
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
    if not types.is_integer_dtype(frame.index.dtype):
        _warn(name, "the index is not written; reset_index() makes columns of it")
    unknown = [column for column in names if not _is_held(frame[column].dtype)]
    if unknown:
        kinds = ", ".join(f"{column} ({frame[column].dtype})" for column in unknown)
        _warn(name, f"written as text, and read back as text: {kinds}")
    plain: pd.DataFrame = frame.reset_index(drop=True)
    plain = plain.assign(**{column: plain[column].astype("str") for column in unknown})
    plain.attrs = dict(frame.attrs)
    return plain


def plain_values(column: pd.Series[Any]) -> list[Any]:
    """Return a column as None, str, int, float, bool or lists; times as ISO 8601 in UTC."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype if column.notna().all() else "object")
    if types.is_datetime64_any_dtype(column.dtype):
        is_aware = isinstance(column.dtype, pd.DatetimeTZDtype)
        moments = column.dt.tz_convert("UTC").dt.tz_localize(None) if is_aware else column
        suffix = "Z" if is_aware else ""
        return [None if pd.isna(moment) else moment.isoformat() + suffix for moment in moments]
    if column.dtype == "object":
        return [plain_value(value) for value in column]
    pairs = zip(column.tolist(), column.isna(), strict=True)
    return [None if is_missing else value for value, is_missing in pairs]


def plain_texts(column: pd.Series[Any]) -> list[Any]:
    """Return the plain values of a column, with lists and other objects as JSON."""
    values = plain_values(column)
    if column.dtype != "object":
        return values
    return [None if value is None else _as_json(value, str(column.name)) for value in values]


def _objects(frame: pd.DataFrame) -> Iterator[str]:
    names = list(frame.columns)
    columns = [plain_values(frame[name]) for name in names]
    for row in zip(*columns, strict=True):
        # JSON has no infinite number; a string can be read back.
        values = (str(v) if v in (float("inf"), float("-inf")) else v for v in row)
        record = dict(zip(names, values, strict=True))
        try:
            yield json.dumps(record, ensure_ascii=False)
        except (TypeError, ValueError):
            for name, value in record.items():
                _as_json(value, name)  # the error names the column
            raise


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return repr(value)
    text = f"'{value}" if FORMULA.match(value) else value
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def _as_json(value: object, column: str) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"The column {column!r} holds a {type_name(value)}, which this format cannot hold. Turn "
            "it into text, numbers or lists of them first; .parquet holds dates, decimal numbers "
            "and bytes too."
        ) from None


def _is_held(dtype: Any) -> bool:
    if str(dtype) in _HELD:
        return str(dtype) != "category" or _is_held(dtype.categories.dtype)
    return types.is_datetime64_any_dtype(dtype) or (
        types.is_numeric_dtype(dtype)
        and str(dtype).lower().rstrip("0123456789") in {"int", "uint", "float"}
    )


def _warn(name: str, loss: str) -> None:
    warn(ExportWarning(f"Export of {name!r}: {loss}."))
