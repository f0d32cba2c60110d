"""Read tables as columns of text: CSV, TSV, JSON, JSON lines and Parquet, without guessing."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from datetime import date, time
from decimal import Decimal
from hashlib import sha256
from itertools import dropwhile, islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa
    from pyarrow.parquet import ColumnSchema, ParquetFile

#: Key of the provenance in the attributes of a frame.
ATTRIBUTE = "dirframe"
#: Before and behind the digests in a Parquet file of ours: one that is damaged leaves the other.
_MARK = b"dirframe"
#: Bytes of a digest, and of both with their marks.
_DIGEST = sha256().digest_size
_SEAL = 2 * (len(_MARK) + _DIGEST)
#: The bytes at the beginning of a Parquet file.
PARQUET = b"PAR1"
#: Bytes at the end of a Parquet file: the length of the footer, and a mark.
_END = 8
_PART = 2**20  # bytes that are read at a time
#: What libraries raise for a damaged file.
DAMAGES = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    RuntimeError,
    OSError,
    MemoryError,
)
#: Most columns of a table.
_MOST_COLUMNS = 10_000
#: JSON has no empty cells, and a table has: so many are allowed, or so many for each value.
_MOST_EMPTY_CELLS = 2_000_000
_MOST_CELLS_OF_A_VALUE = 100
#: Parquet holds equal values once: so many cells are allowed, or so many for each byte.
_MOST_REPEATED_CELLS = 5_000_000
_MOST_CELLS_OF_A_BYTE = 200
#: The same of the bytes of all values.
_MOST_REPEATED_BYTES = 2**28
_MOST_BYTES_OF_A_BYTE = 200
_ROWS_OF_DELTAS = 1_024  # at most, at a time
#: The columns of a table by name; None where a value is missing.
Columns = dict[str, list[str | None]]

_SEPARATORS = ",\t;|"
#: The line in which Excel states the separator of a file, before the names.
_STATED_SEPARATOR = re.compile(r'"?sep=([^\w\s"]|\t)"?[,;\t|]*(?:\r\n|\r|\n)', re.IGNORECASE)
#: The first row, in whose quoted names neither a separator nor a line break separates.
_HEADER = re.compile(rb'(?:"[^"]*"|[^"\n])*')
_QUOTED = re.compile(b'"[^"]*"')
#: A value in quotation marks, in which they are doubled.
_QUOTED_VALUE = re.compile('"(?:[^"]|"")*"')
#: Values that R writes without quotation marks, also where it quotes all texts.
_UNQUOTED_BY_R = re.compile(
    r"|NA|NaN|-?Inf|TRUE|FALSE|[-+]?[\d.,]+(?:[eE][-+]?\d+)?|\d{4}-\d\d-\d\d(?:[ T][\d:.]+Z?)?"
)
#: A number, a day, a time or a truth value, which is hardly the name of the first column.
_VALUE = re.compile(
    r"""\s*(?:
        [-+]?(?:\d[\d.,']*|\.\d+)(?:e[-+]?\d+)?\s?%?  # 7, 1.5e3, .5, 1,000, 5%
        |\d{4}([-/.])\d\d?(?:\1\d\d?.*)?  # 2020-01, 2020-01-02T10:00
        |\d\d?([-/.])\d\d?\2\d{2,4}.*  # 02.01.2020, 1/2/20
        |\d\d?:\d\d.*  # 10:30
        |true|false
    )\s*""",
    re.VERBOSE | re.IGNORECASE,
)
#: An address or a UUID, which is the name of no column.
_ADDRESS = re.compile(
    r"\s*(?:https?://\S+|[^\s@]+@[^\s@]+\.[^\s@]+|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\s*",
    re.IGNORECASE,
)
#: Rows that show whether the first is a title.
_COMPARED = 20
#: The begin of HTML or XML.
_MARKUP = re.compile(r"\s*<[!?/a-zA-Z]")
#: A text that a spreadsheet would take for a formula, with the apostrophes that prevent it.
FORMULA = re.compile(r"'*[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]")
#: Value of a row that is appended while a table is read.
_LAST = "end"
#: What R, pandas, databases and spreadsheets write for a missing number or time.
MISSING = frozenset(
    {"NA", "N/A", "NaN", "nan", "NaT", "<NA>", "None", "NULL", "null", "\\N", "#N/A"}
)
#: Those that are also in columns of text hardly meant as a text.
MISSING_TEXTS = frozenset({"NULL", "\\N", "#N/A"})

_WHOLE = re.compile(r"(\d{1,16})\.0+", re.ASCII)
#: A number that another program wrote of an id: its last digits are lost, or it is no id.
_FRACTION = re.compile(r"[-+]?\d+(?:\.\d*[eE][-+]?\d+|[eE][-+]\d+|\.\d+)", re.ASCII)
#: The largest whole number up to which a float holds each.
_LARGEST_EXACT = 2**53


class UnsuitableTableError(ValueError):
    """A table can be read, but not understood without a change, which the message names."""


class Table(NamedTuple):
    """A table as it was read: its columns, what was left out, and the separator of CSV."""

    columns: Columns
    notes: list[str]
    separator: str = ""


def read_columns(content: bytes, *, is_own: bool = False) -> Table:
    """Read CSV or JSON, as the content shows; ValueError says why it is no table, and where."""
    begin = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    read = read_json if begin in {b"[", b"{"} else read_csv
    return read(content, is_own=is_own)


def read_csv(content: bytes, *, is_own: bool = False) -> Table:
    """Read CSV, separated by commas, tabs, semicolons or bars; a cell is missing if it is empty.

    The apostrophe before what a spreadsheet would take for a formula is removed. What other
    programs write around names and for missing values is understood unless a table is our own.
    """
    text = _decoded(content)
    stated = None if is_own else _STATED_SEPARATOR.match(text)
    if stated:
        text = text[stated.end() :]
        content = text.encode()
    if not text.strip():
        raise ValueError("it is empty; a table has at least a line of columns")
    separator = stated[1] if stated else _separator_of(content)
    names = _column_names(text, separator)
    if not names:
        raise UnsuitableTableError("the first line is empty. Delete the lines above the names")
    if not is_own:
        _refuse_many_columns(len(names))
    if _MARKUP.match(text) or _has_zero_character(text, names):
        raise ValueError("the first line does not name columns")
    if not is_own:
        _refuse_title(text, separator)
    is_of_r = not is_own and _is_of_r(text, separator)
    columns = _csv_columns(content, separator, len(names), missing=["", "NA"] if is_of_r else [""])
    cells = [[value and _bare(value) for value in values] for values in columns]
    named, notes = _with_names(names, cells, is_own=is_own)
    if not is_own and _is_like_record(names):
        notes.append(
            f"Its first line, which begins with {names[0]!r}, is taken for the names of the columns. "
            "If it is a record, write a line of names above it."
        )
    return Table(named, notes, separator)


def _csv_columns(
    content: bytes, separator: str, width: int, *, missing: list[str]
) -> list[list[str | None]]:
    """Return the columns of a CSV file below its first line; ValueError names the wrong row."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    # pyarrow takes all that follows an open quotation mark for one value: a last row shows it.
    if not content.endswith((b"\n", b"\r")):
        content += b"\n"
    last_row = separator.join([_LAST] * width)
    content += f"{last_row}\n".encode()
    positions = [str(position) for position in range(width)]
    read_options = arrow_csv.ReadOptions(
        column_names=positions,
        skip_rows_after_names=1,
        use_threads=False,  # only then errors name the row
        block_size=max(len(content) + 1, 1024),  # a cell can have any length
    )
    parse_options = arrow_csv.ParseOptions(
        delimiter=separator,
        newlines_in_values=True,
        ignore_empty_lines=width > 1,  # in a single column, they are missing values
    )
    convert_options = arrow_csv.ConvertOptions(
        column_types=dict.fromkeys(positions, pa.large_string()),
        null_values=missing,
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    try:
        table = arrow_csv.read_csv(
            pa.py_buffer(content),
            read_options=read_options,
            parse_options=parse_options,
            convert_options=convert_options,
        )
    except pa.ArrowInvalid as error:
        raise UnsuitableTableError(
            f"{str(error).splitlines()[0]}. Give each row as many values as the first line has "
            "names, and delete titles and remarks above it"
        ) from None
    columns = [column.to_pylist() for column in table.columns]
    last_values = [values.pop() for values in columns if values]
    if last_values != [_LAST] * width:
        raise ValueError("a quotation mark is opened and not closed")
    return columns


def _has_zero_character(text: str, names: Sequence[str]) -> bool:
    """Return whether a name has a zero character, after which Arrow loses the row.

    In a table of one column, so does a zero character anywhere.
    """
    if len(names) == 1:
        return "\0" in text
    return any("\0" in name for name in names)


def read_json(content: bytes, *, is_own: bool = False) -> Table:
    """Read a list of JSON objects, or one a line; lists, numbers and truths as JSON."""
    text = _decoded(content)
    is_list = text.lstrip().startswith("[")
    records: Any = json.loads(text) if is_list else _parse_lines(text)
    if not all(isinstance(record, dict) for record in records):
        raise ValueError("JSON is read as a list of records, each an object")
    if "\\ud" in text.lower():
        _refuse_half_pairs(records)
    names: dict[str, None] = {}  # each once, in the order in which they come
    for record in records:
        names |= dict.fromkeys(record)
        if not is_own:
            _refuse_many_columns(len(names))
    if not is_own:
        _refuse_empty_cells(len(names), records)
    texts = [[as_text(record.get(name)) for record in records] for name in names]
    columns, notes = _with_names(list(names), texts, is_own=is_own)
    return Table(columns, notes)


def _refuse_many_columns(number: int) -> None:
    """Raise if a table has more columns than any of records has: each takes its time."""
    if number > _MOST_COLUMNS:
        raise UnsuitableTableError(
            f"it has more than {_MOST_COLUMNS:,} columns. Write what they hold below each other, in rows"
        )


def _refuse_empty_cells(width: int, records: Sequence[dict[str, Any]]) -> None:
    """Raise if records of few fields, each of others, would make a large table."""
    values = sum(map(len, records))
    cells = width * len(records)
    if cells > max(_MOST_EMPTY_CELLS, _MOST_CELLS_OF_A_VALUE * values):
        raise UnsuitableTableError(
            f"its records have {width:,} different fields, so that the table would have {cells:,} "
            f"cells for {values:,} values. Write a record of few fields for each value"
        )


def _refuse_repeated_cells(cells: int, size: int) -> None:
    """Raise if a small file would make a table of many cells, of values that repeat."""
    if cells > max(_MOST_REPEATED_CELLS, _MOST_CELLS_OF_A_BYTE * size):
        raise UnsuitableTableError(
            f"its {size:,} bytes would make a table of {cells:,} values. Such a file repeats the same "
            "values: write fewer rows"
        )


def most_bytes(size: int) -> int:
    """Return how many bytes a compressed file of a size may hold."""
    return max(_MOST_REPEATED_BYTES, _MOST_BYTES_OF_A_BYTE * size)


def _refuse_repeated_bytes(number: int, most: int, size: int) -> None:
    """Raise if a small file would make a table of many bytes, of texts that repeat."""
    if number > most:
        raise UnsuitableTableError(
            f"its {size:,} bytes would make a table of at least {number:,} bytes; {most:,} are allowed for "
            "a file of this size. It repeats long texts: write shorter texts, or fewer rows"
        )


def _refuse_half_pairs(records: Sequence[dict[str, Any]]) -> None:
    """Raise by its record and field if a text has half a UTF-16 pair, which no other text has."""
    for number, record in enumerate(records, start=1):
        for name, value in record.items():
            cell = json.dumps({name: value}, ensure_ascii=False)
            try:
                cell.encode()
            except UnicodeEncodeError:
                raise UnsuitableTableError(
                    f"{ascii(name)[1:-1]} of record {number} holds half a UTF-16 pair, which is no "
                    f"text ({ascii(value)[:60]}). Replace it, such as by \\ufffd"
                ) from None


def _is_of_r(text: str, separator: str) -> bool:
    """Return whether all texts are in quotation marks, so that NA without them is a missing value."""
    if not text.startswith('"') or "NA" not in text:
        return False
    header, *rows = _QUOTED_VALUE.sub("", text).splitlines()
    are_names_quoted = not header.replace(separator, "")
    if not are_names_quoted:
        return False
    unquoted: set[str] = set()
    for row in rows:
        unquoted.update(row.split(separator))
    return all(_UNQUOTED_BY_R.fullmatch(value) for value in unquoted)


def _refuse_title(text: str, separator: str) -> None:
    """Raise if the first line is a title: it has one value, and each of the lines below has more."""
    for mark in dict.fromkeys([separator, *_SEPARATORS]):
        try:
            first, *rows = _first_rows(text, mark)
        except csv.Error:
            continue
        widths = {len(row) for row in rows}
        if mark == separator and len(first) > 1 and widths <= {len(first)}:
            return  # other marks are in values, such as in lists: library;ils
        if len(first) > 1 or len(rows) < 2 or len(widths) > 1:
            continue
        width = widths.pop()
        if width > 1:
            raise UnsuitableTableError(
                f"the first line ({first[0][:40]!r}) names one column, and the lines below it have "
                f"{width}, separated by {mark!r}. Delete the lines above the names, or put each "
                "value in quotation marks"
            )


def _first_rows(text: str, separator: str) -> list[list[str]]:
    """Return the first rows of a table that are not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    return [row for row in islice(reader, _COMPARED) if row]


def _with_names(
    names: Sequence[str], cells: Sequence[list[str | None]], *, is_own: bool
) -> tuple[Columns, list[str]]:
    """Return columns by their names, and what was left out.

    Of other programs, blanks around names are removed. Without a name, a column without values and
    a first one that counts the rows are left out; a first one with other values gets a name.
    """
    notes: list[str] = []
    columns: list[tuple[str, list[str | None]]] = []
    for position, (sent_name, texts) in enumerate(zip(names, cells, strict=True), start=1):
        name, values = sent_name, texts
        if not is_own and name != name.strip():
            name = name.strip()
            values = [text and text.strip() for text in texts]
        if not is_own and not name:
            if not any(values):
                continue
            if position > 1:
                raise UnsuitableTableError(
                    f"column {position} has values and no name. Name it in the first line, and "
                    "delete titles above the names"
                )
            if _counts_rows(values):
                notes.append("Its first column has no name and counts the rows: it is left out.")
                continue
            name = "column_1"
            while name in names:
                name += "_"
        columns.append((name, values))
    times = Counter(name for name, _ in columns)
    repeated = sorted(name for name, number in times.items() if number > 1)
    if repeated:
        advice = "Rename all but one"
        if _is_like_record(names):
            advice += ", or write a line of names above the first line if it is a record"
        raise UnsuitableTableError(
            f"there are several columns of one name: {', '.join(map(repr, repeated))}. {advice}"
        )
    return dict(columns), notes


def _is_like_record(names: Sequence[str]) -> bool:
    """Return whether names begin with a value, or hold an address, as a record does.

    The numbers 0, 1, 2 … are what pandas calls columns without a name.
    """
    if list(names) == [str(number) for number in range(len(names))]:
        return False
    first = names[0]
    if first in MISSING or _VALUE.fullmatch(first):
        return True
    return any(_ADDRESS.fullmatch(name) for name in names)


def _counts_rows(values: Sequence[str | None]) -> bool:
    """Return whether values are 0, 1, 2 … as pandas writes the index, or 1, 2, 3 … as R does."""
    texts = list(values)
    from_0 = [str(number) for number in range(len(texts))]
    from_1 = [str(number) for number in range(1, len(texts) + 1)]
    return texts in (from_0, from_1)


def whole_id(text: str) -> str:
    """Return an id as a whole number if a program made 7.0 of 7; ValueError if digits are lost."""
    whole = _WHOLE.fullmatch(text)
    if whole is not None and int(whole[1]) <= _LARGEST_EXACT:
        return whole[1]
    if whole is not None or _FRACTION.fullmatch(text):
        raise ValueError(
            "it is a fraction, or a number whose last digits are lost: write ids as text or whole "
            "numbers, such as by frame.astype({'id': 'Int64'}) before pandas makes numbers of them"
        )
    return text


def is_parquet(file: Path) -> bool:
    """Return whether a file begins as Parquet does."""
    with file.open("rb") as content:
        return content.read(len(PARQUET)) == PARQUET


def read_parquet(source: bytes | Path) -> pa.Table:
    """Read Parquet, also from a file, as a table of Arrow; a damaged one is an error."""
    import pyarrow as pa
    from pyarrow import parquet

    file: Any = source
    if isinstance(source, bytes):
        file = pa.BufferReader(source)
        is_own = check_seal(io.BytesIO(source))
    else:
        with source.open("rb") as content:
            is_own = check_seal(content)
    try:
        with parquet.ParquetFile(file, page_checksum_verification=True) as opened:
            if not is_own:
                _refuse_many_columns(len(opened.schema_arrow))
                size = len(source) if isinstance(source, bytes) else source.stat().st_size
                _refuse_large_table(opened, file, size)
            table = opened.read()
            if not is_own:
                _refuse_repeated_cells(_values_of(table), size)
        table.validate(full=True)  # a damaged page can hold texts that are no UTF-8
    except pa.ArrowException as error:  # not all of them are a ValueError
        raise ValueError(str(error)) from error
    for index in (table.schema.pandas_metadata or {}).get("index_columns", ()):
        # pandas writes no column of ids in the index that are one after the other.
        if isinstance(index, dict) and index["name"]:
            values = range(index["start"], index["stop"], index["step"])
            if len(values) != table.num_rows:  # of any length, since it takes no place in the file
                raise ValueError(
                    f"its index has the length {len(values):,}, and its columns have {table.num_rows:,}"
                )
            table = table.append_column(index["name"], pa.array(values))
    return without_index(table)


def refuse_large_columns(path: Path, names: Collection[str]) -> None:
    """Raise if some columns of a small Parquet file would make a large table."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as opened:
        _refuse_large_table(opened, path, path.stat().st_size, names)


def _refuse_large_table(
    opened: ParquetFile, file: Any, size: int, names: Collection[str] | None = None
) -> None:
    """Raise if a small file of another program, or some of its columns, would make a large table.

    Parquet holds a text that repeats once, so that only its texts, each read once, tell how many
    bytes a table would have.
    """
    most = most_bytes(size)
    metadata = opened.metadata
    width = len(opened.schema_arrow if names is None else names)
    _refuse_repeated_cells(metadata.num_rows * width, size)
    # Arrow ends the process where it describes a damaged column, so only row groups are looked at.
    uncompressed = sum(
        metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)
    )
    _refuse_repeated_bytes(uncompressed, most, size)
    texts = _columns_of_texts(opened, names)
    # No text is longer than all parts of the file. The number of texts in a list is not known yet.
    has_lists = any(column.max_repetition_level > 0 for column in texts)
    if not has_lists and metadata.num_rows * uncompressed <= most:
        return
    rows = max(most // max(uncompressed, 1), 1)  # of which no column has more than these bytes
    total = 0
    for column in texts:
        for number in _sizes_of_texts(opened, file, column.path, min(rows, _ROWS_OF_DELTAS)):
            total += number
            _refuse_repeated_bytes(total, most, size)


def _columns_of_texts(opened: ParquetFile, names: Collection[str] | None) -> list[ColumnSchema]:
    """Return the columns of texts, also of those within lists and records."""
    columns = [opened.schema.column(number) for number in range(len(opened.schema))]
    return [
        column
        for column in columns
        if column.physical_type == "BYTE_ARRAY"
        and (names is None or column.path.partition(".")[0] in names)
    ]


def _sizes_of_texts(opened: ParquetFile, file: Any, path: str, rows: int) -> Iterator[int]:
    """Yield numbers of bytes of the texts of a column, each text as often as it is there.

    Where Arrow cannot read each text once, it reads `rows` at a time.
    """
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(file, read_dictionary=[path]) as with_texts_once:
            table = with_texts_once.read(columns=[path])
    except OSError:
        # The column is damaged, or holds what a text has in common with the one before it, which
        # Arrow does not read once.
        for batch in opened.iter_batches(rows, columns=[path]):
            yield batch.nbytes
        return
    for column in table.itercolumns():
        yield sum(map(_decoded_size, column.chunks))


def _values_of(table: pa.Table) -> int:
    """Return the number of values of a table, each entry of a list being one."""
    import pyarrow as pa

    number = 0
    for column in table.itercolumns():
        is_list = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
        number += sum(len(chunk.flatten()) for chunk in column.chunks) if is_list else len(column)
    return number


def _decoded_size(array: pa.Array) -> int:
    """Return the number of bytes of values, each text as often as it is among them."""
    import pyarrow as pa
    from pyarrow import compute

    if pa.types.is_struct(array.type):
        return sum(map(_decoded_size, array.flatten()))
    if pa.types.is_nested(array.type):
        return _decoded_size(array.values)
    if not pa.types.is_dictionary(array.type):
        return int(array.nbytes)
    lengths = compute.take(compute.binary_length(array.dictionary), array.indices)
    return compute.sum(lengths).as_py() or 0


def seal_parquet(file: IO[bytes]) -> None:
    """Put digests of a Parquet file before its footer, where no reader looks: of both parts.

    The checksums of Parquet are of its pages, not of their headers, of the footer and the metadata.
    """
    begin = _footer_of(file)
    file.seek(begin)
    footer = file.read()
    seal = _seal(_digest_of(file, begin), footer)
    file.seek(begin)
    file.write(seal + footer)


def check_seal(file: IO[bytes], *, is_whole: bool = True) -> bool:
    """Return whether a Parquet file has a seal, as ours have; ValueError if it is not what was sealed.

    If not `is_whole`, only the footer is read, for a reader of some columns.
    """
    begin = _footer_of(file)
    if begin < _SEAL:
        return False
    file.seek(begin - _SEAL)
    seal = file.read(_SEAL)
    footer = file.read()
    if not (seal.startswith(_MARK) or seal.endswith(_MARK)):
        return False
    of_rest = seal[len(_MARK) : len(_MARK) + _DIGEST]
    if is_whole:
        of_rest = _digest_of(file, begin - _SEAL)
    if seal != _seal(of_rest, footer):
        raise ValueError("its bytes are not those that were written: it is damaged")
    return True


def _seal(of_rest: bytes, footer: bytes) -> bytes:
    """Return the seal of a file: the digests of what is before it and behind it, between marks."""
    of_footer = sha256(footer).digest()
    return _MARK + of_rest + of_footer + _MARK


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
    names = [name for name in table.column_names if not name.startswith("__index_level_")]
    return table.select(names)


def table_columns(table: pa.Table) -> Columns:
    """Return the columns of a table of Arrow as texts; times as ISO 8601, lists as JSON."""
    table = without_index(table)
    columns: Columns = {}
    for name in table.column_names:
        columns[name] = [as_text(value) for value in table[name].to_pylist()]
    return columns


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


def _separator_of(content: bytes) -> str:
    """Return the separator of a table from its first line."""
    first_line = _HEADER.match(content)[0]  # type: ignore[index]  # it can be empty
    unquoted = _QUOTED.sub(b"", first_line).decode()
    return max(_SEPARATORS, key=unquoted.count)


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
        raise UnsuitableTableError(f"line {line} is not UTF-8. Save the file in UTF-8") from None


def _column_names(text: str, separator: str) -> list[str]:
    try:
        row = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator), [])
    except csv.Error as error:
        raise ValueError(f"the names of the columns cannot be read: {error}") from None
    if any(name[:1].isspace() and name.lstrip()[:1] == '"' for name in row):
        raise UnsuitableTableError(
            "a blank stands before a quotation mark in the first line. Remove the blanks behind "
            "the separators"
        )
    return [_bare(name) for name in row]


def _bare(text: str) -> str:
    """Return a text without the apostrophe that keeps a spreadsheet from evaluating it."""
    if text.startswith("'") and FORMULA.match(text):
        return text[1:]
    return text


def _parse_lines(text: str) -> list[Any]:
    """Parse JSON lines; ValueError names the line that is none."""
    records: list[Any] = []
    # Not splitlines(): a text in JSON may hold other line separators.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise ValueError(f"line {number}: {error.msg}") from None
    return records


def as_text(value: Any) -> str | None:
    """Return a value of JSON, Arrow or pandas as text; times as ISO 8601, lists as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):  # text of a Parquet file that does not say so
        return value.decode()
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, bool | float | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, date | time):
        return value.isoformat().replace("+00:00", "Z")
    is_decimal = isinstance(value, Decimal) and value.is_finite()
    if is_decimal and value == value.to_integral_value():
        value = int(value)
    return str(value)
