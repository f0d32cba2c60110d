"""Write workbooks: a sheet for each frame, and one with the provenance of all."""

# Limits are those of Excel (Microsoft, "Excel specifications and limits"): 1,048,576 rows, 16,384
# columns, 32,767 characters per cell, 31 characters per sheet name, 15 digits per number.

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from dirframe.errors import ExportWarning, InvalidInputError, MissingExtraError, warn
from dirframe.io.writers import citation_of, plain_texts
from dirframe.provenance import ATTRIBUTE, caption

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

_ROWS, _COLUMNS, _CHARACTERS, _NAME = 1_048_576, 16_384, 32_767, 31
_EXACT = 10**15
_PROVENANCE = "provenance"
_NO_TIME = "as text, for a workbook has no such times (before 1910, or fractions of seconds)"
_NO_ZONE = "in UTC without a zone, which workbooks do not have"
_NO_DIGITS = "as text, for a workbook holds 15 digits of a number"
_NOT_IN_A_NAME = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_TIME = re.compile(r"(?:19[1-9]\d|[2-9]\d{3})-\d\d-\d\dT\d\d:\d\d:\d\dZ?")
_OPTIONS = {"in_memory": True, "strings_to_urls": False, "strings_to_formulas": False}


def require_package() -> None:
    """Raise if XlsxWriter is not installed."""
    try:
        import xlsxwriter  # noqa: F401  # is it there?
    except ImportError:
        raise MissingExtraError("XlsxWriter", extra="excel", purpose="A workbook (.xlsx)") from None


def write_workbook(frames: dict[str, pd.DataFrame], file: Path) -> None:
    """Write a workbook with a sheet for each frame, and the sheet ``provenance``."""
    import xlsxwriter

    names = _sheet_names(list(frames))
    for name, frame in frames.items():
        rows, columns = frame.shape
        if rows + 1 > _ROWS or columns > _COLUMNS:
            raise InvalidInputError(
                f"{name!r} has {rows:,} rows and {columns:,} columns; a sheet of a workbook holds "
                f"{_ROWS - 1:,} and {_COLUMNS:,}. Export it to .parquet or .csv."
            )
    book = xlsxwriter.Workbook(file, _OPTIONS)
    bold = book.add_format({"bold": True})
    time = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
    for sheet_name, (name, frame) in zip(names, frames.items(), strict=True):
        sheet = book.add_worksheet(sheet_name)
        _head(sheet, list(frame.columns), len(frame), bold)
        losses: dict[str, list[str]] = {}
        for position, column in enumerate(frame.columns):
            cells = _cells(name, frame[column], losses)
            widest = max((len(str(cell)) for cell in cells[:200] if cell is not None), default=0)
            sheet.set_column(position, position, min(max(widest, len(column)) + 2, 60))
            for row, cell in enumerate(cells, start=1):
                _write_cell(sheet, row, position, cell, time)
        for loss, columns_of in losses.items():
            shown = f"written {loss}: {', '.join(columns_of)}"
            warn(ExportWarning(f"Export of {name!r}: {shown}."))
    _write_provenance(book, dict(zip(names, frames.values(), strict=True)), bold)
    try:
        book.close()
    except xlsxwriter.exceptions.FileCreateError as error:  # such as a full disk
        raise error.args[0] from None


def _head(sheet: Any, columns: list[str], rows: int, bold: Any) -> None:
    for position, column in enumerate(columns):
        sheet.write_string(0, position, column, bold)
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, rows, len(columns) - 1)


def _write_cell(sheet: Any, row: int, column: int, value: Any, time: Any) -> None:
    if isinstance(value, str):
        sheet.write_string(row, column, value)
    elif isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, datetime):
        sheet.write_datetime(row, column, value, time)
    elif value is not None:
        sheet.write_number(row, column, value)


def _cells(name: str, column: pd.Series[Any], losses: dict[str, list[str]]) -> list[Any]:
    """Return the cells of a column, and note what a workbook cannot store unchanged."""
    values, dtype = plain_texts(column), str(column.dtype)
    if dtype.startswith("datetime64"):
        if not all(value is None or _TIME.fullmatch(value) for value in values):
            losses.setdefault(_NO_TIME, []).append(str(column.name))
            return values
        if "," in dtype and any(values):
            losses.setdefault(_NO_ZONE, []).append(str(column.name))
        return [v if v is None else datetime.fromisoformat(v.rstrip("Z")) for v in values]
    if any(isinstance(value, int) and abs(value) > _EXACT for value in values):
        losses.setdefault(_NO_DIGITS, []).append(str(column.name))
        return [None if value is None else str(value) for value in values]
    for value in values:
        if isinstance(value, str) and len(value) > _CHARACTERS:
            raise InvalidInputError(
                f"The column {column.name!r} of {name!r} has a text of {len(value):,} characters, and "
                f"a cell of a workbook holds {_CHARACTERS:,}. Shorten it, leave the column out, or "
                "export to another format."
            )
    return [str(v) if isinstance(v, float) and abs(v) == float("inf") else v for v in values]


def _write_provenance(book: Any, frames: dict[str, pd.DataFrame], bold: Any) -> None:
    sheet = book.add_worksheet(_PROVENANCE)
    _head(sheet, ["sheet", "fact", "value"], 0, bold)
    sheet.set_column(0, 1, 24)
    sheet.set_column(2, 2, 100)
    row = 1
    for name, frame in frames.items():
        record = frame.attrs.get(ATTRIBUTE) or {}
        facts = {"caption": caption(frame), "citation": citation_of(frame)} | record
        for fact, value in facts.items():
            if value in (None, "", [], {}):
                continue
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            for column, cell in enumerate((name, fact)):
                sheet.write_string(row, column, cell)
            if fact == "base_url":
                sheet.write_url(row, 2, text)
            else:
                sheet.write_string(row, 2, text[:_CHARACTERS])
            row += 1


def _sheet_names(names: list[str]) -> list[str]:
    if len(names) == 1:  # named after the file, whose name can be invalid for a sheet
        bare = _NOT_IN_A_NAME.sub("_", names[0])[:_NAME].strip("'") or "data"
        return ["data" if bare.lower() in {"history", _PROVENANCE} else bare]
    for name in names:
        if (
            len(name) > _NAME
            or _NOT_IN_A_NAME.search(name)
            or name.strip("'") != name
            or name.lower() in {"history", _PROVENANCE}
        ):
            raise InvalidInputError(
                f"A sheet of a workbook cannot be called {name!r}: at most {_NAME} characters, "
                f"none of []:*?/\\, no apostrophe at either end, not History, and not {_PROVENANCE}. "
                "Rename it."
            )
    if len({name.lower() for name in names}) < len(names):
        raise InvalidInputError(
            f"Sheets of a workbook need names that differ in more than case: {', '.join(names)}."
        )
    return names
