"""Read and write Excel workbooks: one sheet per frame, and one with the records."""

# Limits are those of Excel (Microsoft, "Excel specifications and limits"): 1,048,576 rows, 16,384
# columns, 32,767 characters per cell, 31 characters per sheet name, 15 digits per number. A
# character that XML cannot hold is written as ``_xHHHH_`` (ECMA-376, part 1, 22.9.2.19, ST_Xstring),
# as Excel does.

from __future__ import annotations

import math
import re
import zipfile
from datetime import datetime
from typing import TYPE_CHECKING, Any

from dirframe.errors import ExportWarning, InvalidInputError, warn
from dirframe.io._integrity.native_check import CHANGED
from dirframe.io.frame_codec import ExportFrame, check_columns, restored_frame
from dirframe.io.metadata import METADATA_KEY, facts, read_record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd


_ROWS, _COLUMNS, _CHARACTERS, _NAME = 1_048_576, 16_384, 32_767, 31
_EXACT = 10**15
_NO_TIME = "as text, for a workbook has no such times (before 1910, or fractions of seconds)"
_NO_ZONE = "in UTC without a zone, which workbooks do not have"
_NO_DIGITS = "as text, for a workbook holds 15 digits of a number"
_NOT_IN_A_NAME = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_TIME = re.compile(r"(?:19[1-9]\d|[2-9]\d{3})-\d\d-\d\dT\d\d:\d\d:\d\dZ?")


def write_xlsx(frames: Sequence[ExportFrame], file: Path) -> None:
    """Write a workbook."""
    from lxml import etree

    try:
        _write(frames, file)
    except etree.SerialisationError as error:  # lxml's error for a full disk
        raise OSError(str(error)) from None


def _write(frames: Sequence[ExportFrame], file: Path) -> None:
    from openpyxl import Workbook
    from openpyxl.writer.excel import ExcelWriter

    names = _sheet_names(frames)
    book = Workbook(write_only=True)
    for name, frame in zip(names, frames, strict=True):
        _check_size(frame)
        losses: dict[str, list[str]] = {}
        columns = [_cells(frame, offset, losses) for offset in range(len(frame.columns))]
        for loss, affected in losses.items():
            shown = f"written {loss}: {', '.join(affected)}"
            warn(ExportWarning(f"Export of {frame.name!r}: {shown}."))
        rows = zip(*columns, strict=True)
        _fill(book, name, [[column["name"] for column in frame.columns], *rows], len(frame.columns))
    metadata_rows = [
        (name, fact, value[offset : offset + 30_000], offset // 30_000)
        for name, frame in zip(names, frames, strict=True)
        for fact, value in facts(frame.record)
        for offset in range(0, len(value), 30_000)  # below the limit of a cell
    ]
    _fill(book, METADATA_KEY, [("frame", "fact", "value", "part"), *metadata_rows], 4)
    # Closed here, because Workbook.save leaves it open when the disk is full.
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        ExcelWriter(book, packed).save()


def read_xlsx(file: Path) -> dict[str, tuple[pd.DataFrame, dict[str, Any]]]:
    """Read what `write_xlsx` wrote."""
    from zipfile import BadZipFile, ZipFile

    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with ZipFile(file) as packed:  # checksums first: the parser would accept truncated sheets
            damaged = packed.testzip()
        if damaged is not None:
            raise BadZipFile(f"the checksum of {damaged} does not fit")
        # A stream, because openpyxl rejects paths with other suffixes.
        with file.open("rb") as stream:
            book = load_workbook(stream, read_only=True, data_only=False)
            # A row may state any number, and openpyxl fills up those before it.
            sheets = {
                sheet.title: list(sheet.iter_rows(values_only=True, max_row=_ROWS))
                for sheet in book
            }
    except (BadZipFile, InvalidFileException, KeyError) as error:
        raise InvalidInputError(f"{file} is not a workbook: {error}.") from None
    records: dict[str, str] = {}
    for frame, fact, value, *_ in sheets.get(METADATA_KEY, [])[1:]:
        if fact == "record":
            records[str(frame)] = records.get(str(frame), "") + _unescaped(str(value))
    if not records:
        read_record(None, file)
    return {
        name: _restored(file, sheets.get(name, []), read_record(text, file))
        for name, text in records.items()
    }


def _restored(
    file: Path, rows: list[tuple[Any, ...]], record: dict[str, Any]
) -> tuple[pd.DataFrame, dict[str, Any]]:
    width = len(record["columns"])
    head = [_unescaped(str(name)) for name in rows[0][:width]] if rows else []
    check_columns(file, record, head)
    # openpyxl can omit trailing empty cells and rows.
    padded = [(*row, *[None] * width)[:width] for row in rows[1:]]
    padded += [(None,) * width] * (record["rows"] - len(padded))
    columns = [[_value(value) for value in column] for column in zip(*padded, strict=True)]
    for column, values in zip(record["columns"], columns, strict=False):
        empty, exact = column.get("empty", []), column.get("exact", [])
        # A workbook that was sorted or edited has other values in these rows.
        if all(values[row] is None for row in empty) and all(
            values[row] in {float(text), float(f"{float(text):.16g}")} for row, text in exact
        ):
            for row in empty:
                values[row] = ""
            for row, text in exact:
                values[row] = float(text)
        else:
            record[CHANGED] = True
    return restored_frame(columns or [[]] * width, record), record


def _sheet_names(frames: Sequence[ExportFrame]) -> list[str]:
    if len(frames) == 1:  # named after the file, whose name can be invalid for a sheet
        bare = _NOT_IN_A_NAME.sub("_", frames[0].name)[:_NAME].strip("'") or "data"
        return ["data" if bare.lower() == "history" else bare]
    names = [frame.name for frame in frames]
    for name in names:
        if (
            len(name) > _NAME
            or _NOT_IN_A_NAME.search(name)
            or name.strip("'") != name
            or name.lower() == "history"
        ):
            raise InvalidInputError(
                f"A sheet of a workbook cannot be called {name!r}: at most {_NAME} characters, "
                "none of []:*?/\\, no apostrophe at either end, and not History. Rename it."
            )
    if len({name.lower() for name in names}) < len(names):
        raise InvalidInputError(
            f"Sheets of a workbook need names that differ in more than case: {', '.join(names)}."
        )
    return names


def _check_size(prepared: ExportFrame) -> None:
    rows, columns = prepared.frame.shape
    if rows + 1 > _ROWS or columns > _COLUMNS:
        raise InvalidInputError(
            f"{prepared.name!r} has {rows:,} rows and {columns:,} columns; a sheet of a workbook holds "
            f"{_ROWS - 1:,} and {_COLUMNS:,}. Export it to .parquet, .csv or .sqlite."
        )


def _cells(prepared: ExportFrame, position: int, losses: dict[str, list[str]]) -> list[Any]:
    """Return the cells of a column, and record what a workbook cannot store unchanged."""
    column, values = prepared.columns[position], prepared.texts_of(position)
    name, dtype = column["name"], column["dtype"]
    if dtype.startswith("datetime64"):
        if not all(value is None or _TIME.fullmatch(value) for value in values):
            losses.setdefault(_NO_TIME, []).append(name)
            return values
        if "zone" in column and any(values):
            losses.setdefault(_NO_ZONE, []).append(name)
        return [v if v is None else datetime.fromisoformat(v.rstrip("Z")) for v in values]
    if any(isinstance(v, int) and abs(v) > _EXACT for v in values):
        losses.setdefault(_NO_DIGITS, []).append(name)
        return [None if v is None else str(v) for v in values]
    for value in values:
        if isinstance(value, str) and len(_escaped(value)) > _CHARACTERS:
            raise InvalidInputError(
                f"The column {name!r} of {prepared.name!r} has a text of {len(value):,} characters, and "
                f"a cell of a workbook holds {_CHARACTERS:,}. Shorten it, leave the column out, or "
                "export to another format."
            )
    # Most programs read an empty string as an empty cell, so the record lists these rows.
    column["empty"] = [row for row, value in enumerate(values) if value == ""]
    # openpyxl writes 16 digits of a number; some need 17.
    column["exact"] = [
        [row, repr(value)]
        for row, value in enumerate(values)
        if isinstance(value, float) and math.isfinite(value) and float(f"{value:.16g}") != value
    ]
    return [str(v) if isinstance(v, float) and abs(v) == float("inf") else v for v in values]


def _fill(book: Any, name: str, rows: Sequence[Sequence[Any]], columns: int) -> None:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(name)
    sheet.freeze_panes = "A2"
    for index in range(columns):
        sheet.column_dimensions[get_column_letter(index + 1)].width = 18
    for number, row in enumerate(rows):
        cells = []
        for value in row:
            if not isinstance(value, str):
                cells.append(value)
                continue
            cell = WriteOnlyCell(sheet, "")
            # Bypass type inference: a string that begins with = is no formula here.
            cell._value, cell.data_type = _escaped(value), "s"  # as above
            if number == 0:
                cell.font = Font(bold=True)
            cells.append(cell)
        sheet.append(cells)


def _escaped(text: str) -> str:
    return _NOT_IN_XML.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return _unescaped(value)
    return value.isoformat() if isinstance(value, datetime) else value
