"""Read tables as columns of text: CSV, TSV, JSON, JSON lines and Parquet, without guessing."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pyarrow as pa

#: Key of the provenance in the attributes of a frame.
ATTRIBUTE = "dirframe"
#: The columns of a table by name; None where a value is missing.
Columns = dict[str, list[str | None]]

_SEPARATORS = ",\t;"
#: Quoted names of columns, in which a separator separates nothing.
_QUOTED = re.compile('"[^"]*"')
#: A text that a spreadsheet would take for a formula, with the apostrophes that prevent it.
FORMULA = re.compile(r"'*[=+\-@\t\r]")
#: Value of a row that is appended while a table is read.
_LAST = "end"


def read_columns(content: bytes) -> Columns:
    """Read a table of the format that its content shows; ValueError says why it is none, and where."""
    if content[:4] == b"PAR1":
        return read_parquet(content)
    begin = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return read_json(content) if begin in {b"[", b"{"} else read_csv(content)


def read_csv(content: bytes) -> Columns:
    """Read CSV, separated by commas, tabs or semicolons; a cell is missing if nothing stands there.

    The apostrophe before what a spreadsheet would take for a formula is removed.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    text = content.decode("utf-8-sig")  # for its error: Arrow's does not say where
    if not text.strip():
        raise ValueError("it is empty; a table has at least a line of columns")
    header = text.partition("\n")[0]
    separator = separator_of(header)
    names = _column_names(text, separator)
    width = len(names)
    if "<" in header or (width == 1 and "\0" in text):
        raise ValueError("the first line does not name columns")
    # pyarrow takes all that follows an open quotation mark for one value: this row shows it.
    end = b"" if content.endswith((b"\n", b"\r")) else b"\n"
    content += end + separator.join([_LAST] * width).encode() + b"\n"
    numbers = [str(number) for number in range(width)]
    table = arrow_csv.read_csv(
        pa.py_buffer(content),
        read_options=arrow_csv.ReadOptions(
            column_names=numbers,
            skip_rows_after_names=1,
            use_threads=False,  # only then errors name the row
            block_size=max(len(content) + 1, 1024),  # a cell can have any length
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=separator,
            newlines_in_values=True,
            ignore_empty_lines=width > 1,  # of a single column, a blank line is a missing value
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(numbers, pa.large_string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    if not len(table) or any(values[-1].as_py() != _LAST for values in table.columns):
        raise ValueError("a quotation mark is opened and not closed")
    columns = [
        [value if value is None else _bare(value) for value in values.to_pylist()]
        for values in table.slice(0, len(table) - 1).columns
    ]
    return dict(zip(names, columns, strict=True))


def read_json(content: bytes) -> Columns:
    """Read a list of JSON objects, or one a line; lists, numbers and truths as JSON."""
    text = content.decode("utf-8-sig")
    records: Any
    if text.lstrip()[:1] == "[":
        records = json.loads(text)
    else:
        # Not splitlines(): a text in JSON may hold other line separators.
        lines = enumerate(text.split("\n"), start=1)
        records = [_parse_line(line, number) for number, line in lines if line.strip()]
    if not all(isinstance(record, dict) for record in records):
        raise ValueError("JSON is read as a list of records, each an object")
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [_json_text(record.get(name)) for record in records] for name in names}


def read_parquet(content: bytes) -> Columns:
    """Read Parquet; times as ISO 8601, lists as JSON."""
    import pyarrow as pa
    from pyarrow import parquet

    return table_columns(
        parquet.read_table(pa.BufferReader(content), page_checksum_verification=True)
    )


def table_columns(table: pa.Table) -> Columns:
    """Return the columns of a table of Arrow as texts."""
    # Of an index of pandas, one with a name is a column.
    names = [name for name in table.column_names if not name.startswith("__index_level_")]
    if len(set(names)) < len(names):
        raise ValueError("there are several columns of one name")
    return {name: _column_texts(table[name]) for name in names}


def attributes_of(frame: Any) -> dict[str, Any]:
    """Return the attributes of a frame of pandas, or of a table or schema of Arrow."""
    attributes = getattr(frame, "attrs", None)
    if attributes is None:
        metadata = getattr(getattr(frame, "schema", frame), "pandas_metadata", None) or {}
        attributes = metadata.get("attributes")
    return attributes if isinstance(attributes, dict) else {}


def is_synthetic(frame: Any) -> bool:
    """Return whether the provenance of a frame or table says that its records are generated."""
    record = attributes_of(frame).get(ATTRIBUTE)
    return isinstance(record, dict) and record.get("synthetic") is True


def separator_of(header: str) -> str:
    """Return the separator of a table from its first line."""
    return max(_SEPARATORS, key=_QUOTED.sub("", header).count)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file by the names of its columns."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _column_names(text: str, separator: str) -> list[str]:
    try:
        row = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])
    except csv.Error as error:
        raise ValueError(f"the names of the columns cannot be read: {error}") from None
    names = [_bare(name) for name in row]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"there are several columns of one name: {', '.join(repeated)}")
    return names


def _bare(text: str) -> str:
    return text[1:] if text[:1] == "'" and FORMULA.match(text) else text


def _parse_line(line: str, number: int) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {number}: {error.msg}") from None


def _json_text(value: Any) -> str | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _column_texts(column: pa.ChunkedArray) -> list[str | None]:
    """Return the values of a column of Arrow as texts; times as ISO 8601, lists as JSON."""
    import pyarrow as pa

    kind = column.type
    text: Callable[[Any], str] = str
    if pa.types.is_temporal(kind):
        text = _iso
    elif pa.types.is_nested(kind) or pa.types.is_boolean(kind) or pa.types.is_floating(kind):
        text = _json
    return [None if value is None else text(value) for value in column.to_pylist()]


def _iso(value: Any) -> str:
    return str(value.isoformat()).replace("+00:00", "Z")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
