"""Read tables as columns of text: CSV, TSV, JSON, JSON lines and Parquet, without guessing."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from datetime import date, time
from hashlib import sha256
from itertools import dropwhile
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

#: Key of the provenance in the attributes of a frame.
ATTRIBUTE = "dirframe"
#: Before and behind the digests in a Parquet file of ours: one that is damaged leaves the other.
_MARK = b"dirframe"
#: Bytes of a digest, of both with their marks, and of the end of a file with the footer's length.
_DIGEST = sha256().digest_size
_SEAL, _END = 2 * (len(_MARK) + _DIGEST), 8
_PART = 2**20  # bytes that are read at a time
#: What libraries raise for a damaged file.
DAMAGES = (
    *(ValueError, TypeError, LookupError, ArithmeticError, RuntimeError, OSError, MemoryError),
)
#: The columns of a table by name; None where a value is missing.
Columns = dict[str, list[str | None]]

_SEPARATORS = ",\t;"
#: The first row, in whose quoted names neither a separator nor a line break separates.
_HEADER = re.compile(rb'(?:"[^"]*"|[^"\n])*')
_QUOTED = re.compile(b'"[^"]*"')
#: The begin of HTML or XML.
_MARKUP = re.compile(r"\s*<[!?/a-zA-Z]")
#: A text that a spreadsheet would take for a formula, with the apostrophes that prevent it.
FORMULA = re.compile(r"'*[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]")
#: Value of a row that is appended while a table is read.
_LAST = "end"


def read_columns(content: bytes) -> Columns:
    """Read CSV or JSON, as the content shows; ValueError says why it is no table, and where."""
    begin = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return read_json(content) if begin in {b"[", b"{"} else read_csv(content)


def read_csv(content: bytes) -> Columns:
    """Read CSV, separated by commas, tabs or semicolons; a cell is missing if nothing stands there.

    The apostrophe before what a spreadsheet would take for a formula is removed.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    text = _decoded(content)
    if not text.strip():
        raise ValueError("it is empty; a table has at least a line of columns")
    separator = separator_of(content)
    names = _column_names(text, separator)
    # Arrow loses the row after such a name.
    if _MARKUP.match(text) or "\0" in (text if len(names) == 1 else "".join(names)):
        raise ValueError("the first line does not name columns")
    # pyarrow takes all that follows an open quotation mark for one value: this row shows it.
    end = b"" if content.endswith((b"\n", b"\r")) else b"\n"
    content += end + separator.join([_LAST] * len(names)).encode() + b"\n"
    table = arrow_csv.read_csv(
        pa.py_buffer(content),
        read_options=arrow_csv.ReadOptions(
            column_names=names,
            skip_rows_after_names=1,
            use_threads=False,  # only then errors name the row
            block_size=max(len(content) + 1, 1024),  # a cell can have any length
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=separator,
            newlines_in_values=True,
            ignore_empty_lines=len(names) > 1,  # in a single column, they are missing values
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.large_string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    columns = {name: table[name].to_pylist() for name in names}
    if not len(table) or any(values.pop() != _LAST for values in columns.values()):
        raise ValueError("a quotation mark is opened and not closed")
    return {name: [value and _bare(value) for value in columns[name]] for name in names}


def read_json(content: bytes) -> Columns:
    """Read a list of JSON objects, or one a line; lists, numbers and truths as JSON."""
    text = _decoded(content)
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
    return {name: [_as_text(record.get(name)) for record in records] for name in names}


def read_parquet(source: bytes | Path) -> pa.Table:
    """Read Parquet, also from a file, as a table of Arrow; a damaged one is an error."""
    import pyarrow as pa
    from pyarrow import parquet

    file = pa.BufferReader(source) if isinstance(source, bytes) else source
    with io.BytesIO(source) if isinstance(source, bytes) else source.open("rb") as content:
        check_seal(content)
    try:
        with parquet.ParquetFile(file, page_checksum_verification=True) as opened:
            table = opened.read()
        table.validate(full=True)  # a damaged page can hold texts that are no UTF-8
    except pa.ArrowException as error:  # not all of them are a ValueError
        raise ValueError(str(error)) from error
    for index in (table.schema.pandas_metadata or {}).get("index_columns", ()):
        # pandas writes no column of ids in the index that are one after the other.
        if isinstance(index, dict) and index["name"]:
            values = range(index["start"], index["stop"], index["step"])
            table = table.append_column(index["name"], pa.array(values))
    return without_index(table)


def seal_parquet(file: IO[bytes]) -> None:
    """Put digests of a Parquet file before its footer, where no reader looks: of both parts.

    The checksums of Parquet are of its pages, not of their headers, of the footer and the metadata.
    """
    begin = _footer_of(file)
    file.seek(begin)
    footer = file.read()
    digests = _digest_of(file, begin) + sha256(footer).digest()
    file.seek(begin)
    file.write(_MARK + digests + _MARK + footer)


def check_seal(file: IO[bytes], *, is_whole: bool = True) -> None:
    """Raise ValueError if a Parquet file is not what was sealed; those of others have no seal.

    If not `is_whole`, only the footer is read, for a reader of some columns.
    """
    begin = _footer_of(file)
    if begin < _SEAL:
        return
    file.seek(begin - _SEAL)
    seal, footer = file.read(_SEAL), file.read()
    if not (seal.startswith(_MARK) or seal.endswith(_MARK)):
        return
    of_rest = seal[len(_MARK) :][:_DIGEST]
    expected = _digest_of(file, begin - _SEAL) if is_whole else of_rest
    if seal != _MARK + expected + sha256(footer).digest() + _MARK:
        raise ValueError("its bytes are not those that were written: it is damaged")


def _footer_of(file: IO[bytes]) -> int:
    """Return where the footer of a Parquet file begins; less than 0 if it has none."""
    size = file.seek(0, io.SEEK_END)
    if size < _END:
        return -1
    file.seek(size - _END)
    return size - _END - int.from_bytes(file.read(4), "little")


def _digest_of(file: IO[bytes], end: int) -> bytes:
    """Return the digest of the bytes of a file up to an end."""
    digest = sha256()
    file.seek(0)
    while end > 0:
        part = file.read(min(end, _PART))
        digest.update(part)
        end -= len(part)
    return digest.digest()


def without_index(table: pa.Table) -> pa.Table:
    """Return a table of Arrow without the index of pandas, of which one with a name is a column."""
    return table.select([n for n in table.column_names if not n.startswith("__index_level_")])


def table_columns(table: pa.Table) -> Columns:
    """Return the columns of a table of Arrow as texts; times as ISO 8601, lists as JSON."""
    table = without_index(table)
    return {name: list(map(_as_text, table[name].to_pylist())) for name in table.column_names}


def is_id(name: str) -> bool:
    """Return whether a column holds identifiers, by its name."""
    return name.rpartition("_")[2] == "id"


def attributes_of(frame: Any) -> dict[str, Any]:
    """Return the attributes of a frame of pandas, or of a table or schema of Arrow."""
    attributes = getattr(frame, "attrs", None)
    if attributes is None:
        metadata = getattr(getattr(frame, "schema", frame), "pandas_metadata", None) or {}
        attributes = metadata.get("attributes")
    return attributes if isinstance(attributes, dict) else {}


def separator_of(content: bytes) -> str:
    """Return the separator of a table from its first line."""
    header = _QUOTED.sub(b"", _HEADER.match(content)[0])  # type: ignore[index]  # it can be empty
    return max(_SEPARATORS, key=header.decode().count)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file by the names of its columns, without comments at its top."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(dropwhile(_is_comment, file)))


def _is_comment(line: str) -> bool:
    return line.startswith("#")


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line} is not UTF-8; save the file in UTF-8") from None


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


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):  # text of a Parquet file that does not say so
        return value.decode()
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, bool | float | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    is_moment = isinstance(value, date | time)
    return value.isoformat().replace("+00:00", "Z") if is_moment else str(value)
