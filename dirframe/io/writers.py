"""Write frames as CSV, TSV, JSON, JSON lines, Parquet and workbooks, with their provenance."""

# Limits of workbooks are those of Excel (Microsoft, "Excel specifications and limits").

from __future__ import annotations

import io
import json
import re
import zlib
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

import pandas as pd
from pandas.api import types

from dirframe._arrow import as_pandas, plain_value, to_arrow, type_name
from dirframe._tables import FORMULA
from dirframe.citation import cite
from dirframe.errors import ExportWarning, InvalidInputError, MissingExtraError, warn
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

_ROWS, _COLUMNS, _CHARACTERS, _EXACT = 1_048_576, 16_384, 32_767, 10**15
_NO_TIME = "as text, for a workbook has no such times (before 1910, or fractions of seconds)"
_NO_ZONE = "in UTC without a zone, which workbooks do not have"
_NO_DIGITS = "as text, for a workbook holds 15 digits of a number"
_NOT_IN_A_NAME = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_TIME = re.compile(r"(?:19[1-9]\d|[2-9]\d{3})-\d\d-\d\dT\d\d:\d\d:\d\dZ?")
_OPTIONS = {"in_memory": True, "default_date_format": "yyyy-mm-dd hh:mm:ss"}


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


def check_workbooks() -> None:
    """Raise if XlsxWriter is not installed."""
    try:
        import xlsxwriter  # noqa: F401  # is it there?
    except ImportError:
        raise MissingExtraError("XlsxWriter", extra="excel", purpose="A workbook (.xlsx)") from None


def write_workbook(frames: dict[str, pd.DataFrame], file: Path) -> None:
    """Write a workbook with a sheet for each frame, and the sheet ``provenance``."""
    import xlsxwriter

    book = xlsxwriter.Workbook(file, _OPTIONS)
    provenance: list[tuple[str, str, str]] = []
    try:
        for name, frame in frames.items():
            # A single frame is named after the file, whose name can be invalid for a sheet.
            sheet_name = name if len(frames) > 1 else _NOT_IN_A_NAME.sub("_", name)[:31].strip("'")
            if sheet_name.lower() in {"history", "provenance"} or not sheet_name:
                if len(frames) > 1:
                    raise InvalidInputError(f"A sheet of a workbook cannot be called {name!r}.")
                sheet_name = "data"
            _write_sheet(_add_sheet(book, sheet_name), name, frame)
            facts: dict[str, Any] = {"caption": caption(frame), "citation": citation_of(frame)}
            facts |= frame.attrs.get(ATTRIBUTE) or {}
            for fact, value in facts.items():
                if value not in (None, "", [], {}):
                    text = (
                        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                    )
                    provenance.append((sheet_name, fact, text[:_CHARACTERS]))
        sheet = _add_sheet(book, "provenance")
        for row, cells in enumerate([("sheet", "fact", "value"), *provenance]):
            sheet.write_row(row, 0, cells)
            if cells[1] == "base_url":
                sheet.write_url(row, 2, cells[2])
        sheet.set_column(0, 1, 24)
        sheet.set_column(2, 2, 100)
        book.close()
    except xlsxwriter.exceptions.FileCreateError as error:  # such as a full disk
        raise error.args[0] from None
    except xlsxwriter.exceptions.XlsxInputError as error:
        raise InvalidInputError(f"{str(error).rstrip('.')}. Rename the frame.") from None


def _add_sheet(book: Any, name: str) -> Any:
    """Add a sheet in which each text, also an empty one, is a cell of type text."""
    sheet = book.add_worksheet(name)
    sheet.add_write_handler(str, lambda sheet, *cell: sheet.write_string(*cell))
    return sheet


def _write_sheet(sheet: Any, name: str, frame: pd.DataFrame) -> None:
    rows, columns = frame.shape
    if rows + 1 > _ROWS or columns > _COLUMNS:
        raise InvalidInputError(
            f"{name!r} has {rows:,} rows and {columns:,} columns; a sheet of a workbook holds "
            f"{_ROWS - 1:,} and {_COLUMNS:,}. Export it to .parquet or .csv."
        )
    losses: dict[str, list[str]] = {}
    for position, column in enumerate(frame.columns):
        cells, loss = _sheet_cells(name, frame[column])
        if loss:
            losses.setdefault(loss, []).append(column)
        widest = max(len(str(cell)) for cell in [column, *cells[:200]])
        sheet.set_column(position, position, min(widest + 2, 60))
        sheet.write_string(0, position, column)
        sheet.write_column(1, position, cells)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, rows, columns - 1)
    for loss, names in losses.items():
        _warn(name, f"written {loss}: {', '.join(names)}")


def _sheet_cells(name: str, column: pd.Series[Any]) -> tuple[list[Any], str]:
    """Return the cells of a column, and what a workbook cannot store of it."""
    values, dtype = plain_texts(column), str(column.dtype)
    if dtype.startswith("datetime64"):
        if not all(value is None or _TIME.fullmatch(value) for value in values):
            return values, _NO_TIME
        times = [v if v is None else datetime.fromisoformat(v.rstrip("Z")) for v in values]
        return times, _NO_ZONE if "," in dtype and any(values) else ""
    if any(isinstance(value, int) and abs(value) > _EXACT for value in values):
        return [None if value is None else str(value) for value in values], _NO_DIGITS
    longest = max((len(value) for value in values if isinstance(value, str)), default=0)
    if longest > _CHARACTERS:
        raise InvalidInputError(
            f"The column {column.name!r} of {name!r} has a text of {longest:,} characters, and "
            f"a cell of a workbook holds {_CHARACTERS:,}. Shorten it, leave the column out, or "
            "export to another format."
        )
    return [str(v) if isinstance(v, float) and abs(v) == float("inf") else v for v in values], ""


def schema_digest(schema: pa.Schema) -> bytes:
    """Return a digest of what checksums of pages leave out: names, types, provenance, citation."""
    fields = [(field.name, str(field.type), field.nullable) for field in schema]
    facts = [(schema.metadata or {}).get(key) for key in (b"pandas", b"citation", b"dirframe")]
    return b"%08x" % zlib.crc32(repr((fields, facts)).encode())


def checked_frame(name: str, frame: Any) -> pd.DataFrame:
    """Return a frame with what an export writes, or raise: columns with a name each, no index."""
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
    names = list[object](frame.columns)
    if (
        not names
        or len(set(names)) < len(names)
        or not all(n and isinstance(n, str) for n in names)
    ):
        raise InvalidInputError(
            f"The columns of {name!r} are {names[:5]!r}; an export needs one column or more, and "
            "each with a name of its own, as text. Rename them first."
        )
    if not types.is_integer_dtype(frame.index.dtype):
        _warn(name, "the index is not written; reset_index() makes columns of it")
    plain: pd.DataFrame = frame.reset_index(drop=True)
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
    return [
        value
        if value is None or (isinstance(value, str | float | int) and column.dtype != "object")
        else _as_json(value, str(column.name))
        for value in plain_values(column)
    ]


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


def _warn(name: str, loss: str) -> None:
    warn(ExportWarning(f"Export of {name!r}: {loss}."))
