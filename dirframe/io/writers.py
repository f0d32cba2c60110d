"""Write frames as CSV, TSV, JSON, JSON lines, Parquet and workbooks, with their provenance."""

# Limits of workbooks are those of Excel (Microsoft, "Excel specifications and limits").

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from dirframe._arrow import plain_value, require_frame, to_arrow, type_name
from dirframe._display import is_share, quantity
from dirframe._tables import FORMULA, as_text, seal_parquet
from dirframe.citation import cite
from dirframe.errors import ExportWarning, InvalidInputError, MissingExtraError, warn
from dirframe.provenance import ATTRIBUTE, caption

#: Texts that mean something else without quotation marks: markup, JSON, several cells, or none.
_QUOTED = re.compile(r'[",;|\t\r\n]|^[\s<[{\ufeff]|\s$|^$|^NA$')
# json.dumps makes an encoder for each value.
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode

_ROWS, _COLUMNS, _CHARACTERS, _DIGITS = 1_048_576, 16_384, 32_767, 15
_EXACT = 10**_DIGITS
#: Cells by which the width of a column of a sheet is set, and the largest width.
_MEASURED, _WIDEST = 200, 60
#: Characters that the name of a sheet cannot have: XML has none of them there, or changes them.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff]")
# Programs disagree on the days of early 1900: Excel counts a 29 February that was not.
_TIME = re.compile(r"(?:19(?!00)|[2-9]\d)\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ?")
_OPTIONS = {
    "in_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "default_date_format": "yyyy-mm-dd hh:mm:ss",
}


def record_file(path: Path) -> Path:
    """Return the path of the file with the provenance of a text file."""
    return path.with_name(f"{path.name}.provenance.json")


def record_bytes(frame: pd.DataFrame, content: bytes) -> bytes:
    """Return the file with the provenance of a table, with what its text may lack, and digests."""
    record: dict[str, Any] = {
        "rows": len(frame),
        "columns": {str(name): str(dtype) for name, dtype in frame.dtypes.items()},
        "caption": caption(frame),
        "citation": _citation(frame),
        "provenance": frame.attrs.get(ATTRIBUTE),
        "sha256": sha256(content).hexdigest(),
    }
    record["digest"] = digest_of(record)
    return f"{json.dumps(record, ensure_ascii=False, indent=1)}\n".encode()


def digest_of(record: dict[str, Any]) -> str:
    """Return a digest of a record without its own."""
    others = {name: value for name, value in record.items() if name != "digest"}
    return sha256(json.dumps(others, sort_keys=True).encode()).hexdigest()


def _citation(frame: pd.DataFrame) -> str:
    try:
        return str(cite(frame))
    except InvalidInputError:  # it has no source
        return ""


# Text: a missing value is an empty cell or null, an empty text is ""


def _csv(frame: pd.DataFrame, separator: str = ",") -> bytes:
    columns: list[list[str]] = []
    for name in frame:
        values = [name, *_texts(frame[name])]
        columns.append([_cell(value) for value in values])
    rows = [separator.join(row) for row in zip(*columns, strict=True)]
    return "".join(f"{row}\n" for row in rows).encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value)
    text = f"'{value}" if FORMULA.match(value) else value
    if not _QUOTED.search(text):
        return text
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _json(frame: pd.DataFrame) -> bytes:
    return b"[" + _json_lines(frame, ",\n") + b"]\n"


def _json_lines(frame: pd.DataFrame, separator: str = "\n") -> bytes:
    columns: list[list[str]] = []
    for name in frame:
        key = _encode(name)
        columns.append([f"{key}: {_as_json(value, name)}" for value in _values(frame[name])])
    lines = ["{" + ", ".join(row) + "}" for row in zip(*columns, strict=True)]
    if not lines:
        return b""
    return f"{separator.join(lines)}\n".encode()


def _values(column: pd.Series[Any]) -> list[Any]:
    """Return a column as None, str, int, float, bool or lists; times as ISO 8601 in UTC."""
    if types.is_datetime64_any_dtype(column.dtype):
        return _moments(column)
    if column.dtype == "object":
        return [_plain(plain_value(value)) for value in column]
    pairs = zip(column.tolist(), column.isna(), strict=True)
    values = [None if is_missing else value for value, is_missing in pairs]
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biuf":
        return values
    return [_plain(value) for value in values]


def _moments(column: pd.Series[Any]) -> list[Any]:
    """Return a column of times as ISO 8601; those with a zone in UTC, with a Z."""
    zone = ""
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        column = column.dt.tz_convert("UTC").dt.tz_localize(None)
        zone = "Z"
    return [None if pd.isna(moment) else f"{moment.isoformat()}{zone}" for moment in column]


def _plain(value: Any) -> Any:
    """Return a value with text for days, times, periods, intervals and decimal numbers."""
    if isinstance(value, timedelta):
        return pd.Timedelta(value).isoformat()
    if isinstance(value, date | time):
        return as_text(value)
    if isinstance(value, Decimal | pd.Period | pd.Interval):
        return str(value)
    return value


def _texts(column: pd.Series[Any]) -> list[Any]:
    """Return the plain values of a column, with lists and other objects as JSON."""
    plain = (str, int, float, type(None))
    return [
        value if isinstance(value, plain) else _as_json(value, column.name)
        for value in _values(column)
    ]


def _as_json(value: Any, column: object) -> str:
    try:
        try:
            return _encode(value)
        except ValueError:  # JSON has no NaN and no infinite numbers
            return _encode(_finite(value))
    except (TypeError, ValueError):
        raise InvalidInputError(
            f"The column {column!r} holds values of type {type_name(value)}, which this format cannot "
            "hold. Turn them into text, numbers or lists of these first; .parquet holds bytes too."
        ) from None


def _finite(value: Any) -> Any:
    """Return a value with None for NaN, and text for infinite numbers, also in lists."""
    if isinstance(value, list):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)


# Parquet


def _parquet(frame: pd.DataFrame) -> bytes:
    from pyarrow import parquet

    table = to_arrow(frame.assign(**_as_texts(frame)))
    metadata = {**table.schema.metadata, b"citation": _citation(frame).encode()}
    stream = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata(metadata), stream, write_page_checksum=True)
    seal_parquet(stream)
    return stream.getvalue()


def _as_texts(frame: pd.DataFrame) -> dict[str, pd.Series[Any]]:
    """Return the columns of intervals, and of objects that are periods, as text."""
    texts: dict[str, pd.Series[Any]] = {}
    for name, column in frame.items():
        if _is_written_as_text(column):
            texts[str(name)] = pd.Series(_values(column), column.index, dtype="str")
    return texts


def _is_written_as_text(column: pd.Series[Any]) -> bool:
    dtype = column.dtype
    if dtype == "object":
        return any(isinstance(value, pd.Period | pd.Interval) for value in column)
    if isinstance(dtype, pd.CategoricalDtype):
        dtype = dtype.categories.dtype
    return isinstance(dtype, pd.IntervalDtype)


#: Writers of the formats of one table.
WRITERS: dict[str, Callable[[pd.DataFrame], bytes]] = {
    ".csv": _csv,
    ".tsv": partial(_csv, separator="\t"),
    ".json": _json,
    ".jsonl": _json_lines,
    ".parquet": _parquet,
}


# Workbooks


def import_xlsxwriter() -> Any:
    """Return XlsxWriter, or raise if it is not installed."""
    try:
        import xlsxwriter
    except ImportError:
        raise MissingExtraError("XlsxWriter", extra="excel", purpose="A workbook (.xlsx)") from None
    return xlsxwriter


def workbook_bytes(frames: dict[str, pd.DataFrame]) -> bytes:
    """Return a workbook with a sheet for each frame, and the sheet ``provenance``.

    A fact that is longer than a cell takes several rows.
    """
    xlsxwriter = import_xlsxwriter()
    stream = io.BytesIO()
    book = xlsxwriter.Workbook(stream, _OPTIONS)
    formats = (book.add_format({"bold": True}), book.add_format({"num_format": "0.0%"}))
    provenance: list[tuple[str, str, str]] = []
    try:
        for name, frame in frames.items():
            _check_sheet_name(name)
            sheet = book.add_worksheet(name)
            _write_sheet(sheet, name, frame, *formats)
            facts: dict[str, Any] = {"caption": caption(frame), "citation": _citation(frame)}
            for fact, value in (facts | frame.attrs.get(ATTRIBUTE, {})).items():
                if value not in (None, "", [], {}):
                    text = value if isinstance(value, str) else _as_json(value, fact)
                    provenance += [(name, fact, part) for part in _parts_of(text)]
        table = pd.DataFrame(provenance, columns=["sheet", "fact", "value"])
        _write_sheet(book.add_worksheet("provenance"), "provenance", table, *formats)
    except xlsxwriter.exceptions.XlsxInputError as error:
        raise InvalidInputError(f"{str(error).rstrip('.')}. Rename the frame.") from None
    book.close()
    return stream.getvalue()


def _check_sheet_name(name: str) -> None:
    """Raise for a name of a sheet that Excel refuses, and XlsxWriter does not."""
    if name.lower() == "history":
        raise InvalidInputError("Excel allows no sheet with the name history. Rename the frame.")
    if _CONTROL.search(name):
        raise InvalidInputError(
            f"The name of a sheet, {name!r}, holds a control character, which a workbook cannot hold "
            "there. Rename the frame."
        )


def _parts_of(text: str) -> Iterator[str]:
    """Yield the parts of a text that cells can hold; each ends with a blank, if there is one."""
    # Excel counts in units of UTF-16, of which a character has one or two.
    has_pairs = _units(text) > len(text)
    most = _CHARACTERS // 2 if has_pairs else _CHARACTERS
    begin = 0
    while len(text) - begin > most:
        end = begin + most
        last_blank = text.rfind(" ", begin, end)
        if last_blank >= 0:
            end = last_blank + 1
        yield text[begin:end]
        begin = end
    yield text[begin:]


def _units(text: str) -> int:
    """Return the length of a text in units of UTF-16."""
    return len(text.encode("utf-16-le", errors="surrogatepass")) // 2


def _write_sheet(sheet: Any, name: str, frame: pd.DataFrame, bold: Any, percent: Any) -> None:
    rows, columns = frame.shape
    if rows + 1 > _ROWS or columns > _COLUMNS:
        raise InvalidInputError(
            f"{name!r} has {quantity(rows, 'row')} and {quantity(columns, 'column')}; a sheet of a "
            f"workbook holds {_ROWS - 1:,} and {_COLUMNS:,}. Export it to .parquet or .csv."
        )
    losses: dict[str, list[str]] = {}
    for position, column in enumerate(frame.columns):
        cells, loss = _sheet_cells(frame[column])
        if loss:
            losses.setdefault(loss, []).append(column)
        _check_encodable([column, *cells])
        _check_lengths(name, column, cells)
        shown = [column, *cells[:_MEASURED]]
        widest = max(len(str(cell)) for cell in shown)
        sheet.set_column(position, position, min(widest + 2, _WIDEST))
        sheet.write_string(0, position, column, bold)
        form = percent if is_share(frame, column) else None
        for row, cell in enumerate(cells, start=1):
            _write_cell(sheet, row, position, cell, form)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, rows, columns - 1)
    for loss, names in losses.items():
        _warn(name, f"written {loss}: {', '.join(names)}")


def _check_encodable(values: list[Any]) -> None:
    """Raise if a text has half a UTF-16 pair: an error later would leave the book open."""
    for value in values:
        str(value).encode()


def _check_lengths(name: str, column: str, cells: list[Any]) -> None:
    """Raise if the name or a text of a column is longer than a cell of a workbook."""
    for what, texts in (("is called by", [column]), ("has", cells)):
        longest = max((_units(text) for text in texts if isinstance(text, str)), default=0)
        if longest > _CHARACTERS:
            raise InvalidInputError(
                f"The column {column[:60]!r} of {name!r} {what} a text of {longest:,} characters, and "
                f"a cell of a workbook holds {_CHARACTERS:,}. Shorten it, leave the column out, or "
                "export to another format."
            )


def _write_cell(sheet: Any, row: int, position: int, cell: Any, form: Any) -> None:
    """Write a cell; a text is a cell of type text, whatever it begins with: no formula, no link."""
    if isinstance(cell, str):
        sheet.write_string(row, position, str(cell), form)
    elif cell is not None:
        sheet.write(row, position, cell, form)


def _sheet_cells(column: pd.Series[Any]) -> tuple[list[Any], str]:
    """Return the cells of a column, and what a workbook cannot store of it."""
    dtype = column.dtype
    raw = [plain_value(value) for value in column]
    if any(isinstance(value, Decimal) for value in raw):
        return _decimal_cells(raw)
    values = _texts(column)
    if types.is_datetime64_any_dtype(dtype):
        return _time_cells(values, is_aware=isinstance(dtype, pd.DatetimeTZDtype))
    if any(isinstance(value, int) and abs(value) > _EXACT for value in values):
        texts = [None if value is None else str(value) for value in values]
        return texts, f"as text: a workbook holds {_DIGITS} digits of a number"
    loss = ""
    if any(isinstance(value, float) and math.isinf(value) for value in values):
        loss = "as text where they are infinite: a workbook has no such number"
    return [_finite(value) for value in values], loss


def _time_cells(texts: list[Any], *, is_aware: bool) -> tuple[list[Any], str]:
    """Return times as times, or as text if a workbook has none of them."""
    present = [text for text in texts if text is not None]
    if not all(_TIME.fullmatch(text) for text in present):
        return texts, "as text: a workbook has no times before 1901, nor fractions of seconds"
    times = [None if text is None else datetime.fromisoformat(text.rstrip("Z")) for text in texts]
    loss = "in UTC without a zone: a workbook has none" if is_aware and present else ""
    return times, loss


def _decimal_cells(values: list[Any]) -> tuple[list[Any], str]:
    """Return decimal numbers as numbers, or as text if a workbook would cut one."""
    are_short = all(
        isinstance(value, Decimal) and value.is_finite() and len(value.as_tuple().digits) <= _DIGITS
        for value in values
        if value is not None
    )
    if are_short:
        return [None if value is None else float(value) for value in values], ""
    texts = [None if value is None else str(value) for value in values]
    return texts, f"as text: a workbook holds {_DIGITS} digits of a number"


# Frames


def checked_frame(name: str, given: Any) -> pd.DataFrame:
    """Return a frame with what an export writes, or raise: columns with a name each, no index."""
    frame = require_frame(given)
    if repeated := [level for level in frame.index.names if level in frame]:
        raise InvalidInputError(
            f"The index of {name!r} and a column are both called {repeated[0]!r}. Rename one of them, "
            "or leave the index out with reset_index(drop=True)."
        )
    if any(level is not None for level in frame.index.names):
        frame = frame.reset_index()
    names = list[Any](frame)
    if not names or not all(column and isinstance(column, str) for column in names):
        raise InvalidInputError(
            f"The columns of {name!r} are {names[:5]!r}; an export needs at least one column, and "
            "names that are text. Rename them first."
        )
    if not types.is_integer_dtype(frame.index.dtype):
        _warn(name, "the index is not written; reset_index() makes columns of it")
    return frame.reset_index(drop=True)


def _warn(name: str, loss: str) -> None:
    warn(ExportWarning(f"Export of {name!r}: {loss}."))
