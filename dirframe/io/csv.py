"""Read and write CSV, TSV, JSON and JSON lines; the record is a sidecar file."""

# In CSV and TSV a missing value is an empty cell and an empty string is ``""``. A string that a
# spreadsheet would evaluate as a formula is prefixed with an apostrophe (OWASP, CSV injection). So
# is a string that already has such a prefix, so that reading removes exactly what writing added.

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any, TextIO

from dirframe.errors import InvalidInputError
from dirframe.io.frame_codec import (
    ExportFrame,
    check_columns,
    encode_column,
    prepare,
    record_as_json,
    restored_frame,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pandas as pd


_FORMULA = re.compile(r"'*[=+\-@\t\r]")
#: Value of a row that is appended while a table is read.
_LAST = "end"
_QUOTED = re.compile(r'[",\t\r\n]|^\s|\s$|^$')


def stream_csv(frame: pd.DataFrame, stream: TextIO, separator: str = ",") -> None:
    """Write a frame as CSV or TSV to an open stream; lists become JSON.

    Parameters
    ----------
    frame : pandas.DataFrame
        The frame to write.
    stream : TextIO
        An open text stream.
    separator : str, default ","
        A comma or a tab.

    Examples
    --------
    >>> import sys
    >>> import pandas as pd
    >>> stream_csv(pd.DataFrame({"id": ["1"], "tags": [["a", "b"]]}), sys.stdout)
    id,tags
    1,"[""a"", ""b""]"
    """
    _write(prepare("frame", frame), stream, separator)


def write_csv(frames: Sequence[ExportFrame], file: Path, separator: str = ",") -> None:
    """Write a CSV or TSV file with the only frame."""
    with file.open("w", encoding="utf-8", newline="") as stream:
        _write(frames[0], stream, separator)


def stream_json(frame: pd.DataFrame, stream: TextIO, *, lines: bool = False) -> None:
    """Write a frame as JSON or JSON lines to an open stream, as `export` does to a file.

    Parameters
    ----------
    frame : pandas.DataFrame
        The frame to write.
    stream : TextIO
        An open text stream.
    lines : bool, default False
        Whether to write JSON lines.

    Examples
    --------
    >>> import sys
    >>> import pandas as pd
    >>> stream_json(pd.DataFrame({"id": ["1"], "tags": [["a", "b"]]}), sys.stdout, lines=True)
    {"id": "1", "tags": ["a", "b"]}
    """
    _write_json(prepare("frame", frame), stream, lines=lines)


def write_json(frames: Sequence[ExportFrame], file: Path, *, lines: bool = False) -> None:
    """Write the rows of the only frame as objects, one per line, in a list or as JSON lines.

    Times are ISO 8601, lists stay lists.
    """
    with file.open("w", encoding="utf-8", newline="") as stream:
        _write_json(frames[0], stream, lines=lines)


def _write_json(prepared: ExportFrame, stream: TextIO, *, lines: bool) -> None:
    if lines:
        stream.writelines(f"{line}\n" for line in _objects(prepared))
        return
    separator = "[\n"
    for line in _objects(prepared):
        stream.write(f"{separator}{line}")
        separator = ",\n"
    stream.write("[]\n" if separator == "[\n" else "\n]\n")


def _objects(prepared: ExportFrame) -> Iterator[str]:
    names = list(prepared.frame.columns)
    columns = [encode_column(prepared.frame[name]) for name in names]
    for row in zip(*columns, strict=True):
        record = {
            # JSON has no infinite number; a string can be read back.
            name: str(value) if value in (float("inf"), float("-inf")) else value
            for name, value in zip(names, row, strict=True)
        }
        yield record_as_json(record)


def read_json(file: Path, record: dict[str, Any], *, lines: bool = False) -> pd.DataFrame:
    """Read what `write_json` wrote."""
    with file.open(encoding="utf-8", newline="\n") as stream:
        rows = [json.loads(line) for line in stream] if lines else json.load(stream)
    if rows:
        check_columns(file, record, list(rows[0]))
    names = [column["name"] for column in record["columns"]]
    return restored_frame([[row[name] for row in rows] for name in names], record, parsed=True)


def _write(prepared: ExportFrame, stream: TextIO, separator: str) -> None:
    stream.write(separator.join(_cell(str(name)) for name in prepared.frame.columns) + "\n")
    columns = [
        [_cell(value) for value in prepared.texts_of(position)]
        for position in range(len(prepared.columns))
    ]
    stream.writelines(separator.join(row) + "\n" for row in zip(*columns, strict=True))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return repr(value)
    text = f"'{value}" if _FORMULA.match(value) else value
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def read_csv(file: Path, record: dict[str, Any], separator: str = ",") -> pd.DataFrame:
    """Read what `write_csv` wrote."""
    content = file.read_bytes()
    check_columns(file, record, column_names(content, separator))
    try:
        columns = parse_csv(content, len(record["columns"]), separator)
    except ValueError as error:
        raise InvalidInputError(f"{file} cannot be read: {error}. Export it again.") from None
    return restored_frame(columns, record)


def column_names(content: bytes, separator: str) -> list[str]:
    """Return the names in the first line of CSV or TSV."""
    # Spreadsheets begin with a byte order mark.
    with io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="") as stream:
        try:
            return [_bare(name) for name in next(csv.reader(stream, delimiter=separator), [])]
        except csv.Error as error:
            raise ValueError(f"the names of the columns cannot be read: {error}") from None


def parse_csv(
    content: bytes, width: int, separator: str, *, blank_lines: bool = True
) -> list[list[str | None]]:
    """Parse CSV or TSV as columns of text, below the line of names; None where a cell is empty.

    Parameters
    ----------
    content : bytes
        The file.
    width : int
        Number of columns; a row of another number is an error.
    separator : str
        A comma, a semicolon or a tab.
    blank_lines : bool, default True
        Whether a line without a value is a row.

    Returns
    -------
    list of list of str or None
        The columns.

    Raises
    ------
    ValueError
        If it is no CSV, a row has more or fewer values, or a quotation mark is not closed.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    # pyarrow takes all that follows an open quotation mark for one value: this row shows it.
    end = b"" if content.endswith((b"\n", b"\r")) else b"\n"
    content += end + separator.join([_LAST] * width).encode() + b"\n"
    table = arrow_csv.read_csv(
        pa.py_buffer(content),
        read_options=arrow_csv.ReadOptions(
            column_names=[str(position) for position in range(width)],
            skip_rows_after_names=1,
            block_size=max(len(content) + 1, 1024),  # a cell can have any length
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=separator, newlines_in_values=True, ignore_empty_lines=not blank_lines
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types={str(position): pa.large_string() for position in range(width)},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    if not len(table) or any(values[-1].as_py() != _LAST for values in table.columns):
        raise ValueError("a quotation mark is opened and not closed")
    return [
        [None if v is None else _bare(v) for v in values.to_pylist()]
        for values in table.slice(0, len(table) - 1).columns
    ]


def _bare(text: str) -> str:
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text
