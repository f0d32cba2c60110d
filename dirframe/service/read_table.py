"""Read tables, whose columns are named as the schema's fields: CSV, JSON lines, Parquet and frames."""

# Nothing is guessed: a value that does not fit its field refuses the table, with its column, the
# reason, how many there are, and three examples.

from __future__ import annotations

import codecs
import csv
import io
import json
import logging
import math
import re
import zlib
from contextlib import closing, suppress
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from lxml import etree

from dirframe._tables import separator_of
from dirframe.errors import ConfigurationError, Hint, InvalidInputError, StoreError
from dirframe.schema import ACCOUNT, LESS_THAN_ONE, RESOURCES, Field, Items, Kind, Resource
from dirframe.schema.attributes import is_synthetic
from dirframe.schema.extensions import detect_resource
from dirframe.service.read_xml import ID, MD5, Row, email_digests, open_file, row_of, to_timestamp
from dirframe.service.records import FORBIDDEN, is_url
from dirframe.service.xml import record_xml

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from pathlib import Path

#: What can be served: a path, a frame, several of these, or a mapping from collections to them.
Data: TypeAlias = Any
#: The table in which each id was read, by collection and id.
Ids: TypeAlias = "dict[tuple[str, str], str]"
#: Yields the names of the columns, then the rows.
Rows: TypeAlias = "Generator[Sequence[Any]]"

_LOG = logging.getLogger("dirframe.service")
_BATCH_SIZE = 1_000
_EXAMPLES = 3
_CUT = 60
#: Bytes in UTF-8 of the longest text that libxml2 reads.
_LONGEST = 10_000_000
_CONTROL = re.compile(f"[{FORBIDDEN}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?", re.ASCII)
#: Numbers whose separator may be that of thousands or the decimal one: 51,507 degrees, 1.000 posts.
_AMBIGUOUS = {
    Kind.NUMBER: re.compile(r"[-+]?[1-9]\d{0,2},\d{3}", re.ASCII),
    Kind.INTEGER: re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}", re.ASCII),
}
#: Placeholder that directories send for a missing logo: no_logo.png.
_PICTURE = re.compile(r"[\w-]+\.(gif|jpe?g|png|svg)", re.ASCII)
#: Fields that every record must have, and those whose digests are served in their place.
_NEEDED = ("id", "name")
_EMAIL = tuple(Field((name,), Kind.TEXT, "") for name in ("email", "email_md5"))
#: Longest first, since one is a prefix of another.
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def is_table(path: Path) -> bool:
    """Return whether the name of a file is that of a table."""
    return _suffix(path) in _READERS


def read_table(path: Path, resource: Resource | None, ids: Ids) -> Iterator[Row]:
    """Yield the records of a file, of what its suffix says.

    Raises
    ------
    StoreError
        The file cannot be read, or a value or row does not fit.
    """
    try:
        synthetic = False
        if _suffix(path) == ".parquet":
            from pyarrow import parquet

            synthetic = is_synthetic(parquet.read_schema(path).empty_table())
        with closing(_READERS[_suffix(path)](path)) as rows:
            yield from _records(str(path), rows, resource, ids, synthetic=synthetic)
    except (OSError, EOFError, csv.Error, ValueError, NotImplementedError, zlib.error) as error:
        # ValueError: of UTF-8, JSON and Arrow; NotImplementedError: of Arrow
        lines = (getattr(error, "strerror", None) or str(error)).splitlines()
        raise StoreError(
            f"{path} cannot be read as {_suffix(path)[1:]} "
            f"({lines[0] if lines else type(error).__name__}).",
            hint=_encoding_hint(path, error),
        ) from None


def read_frame(frame: object, resource: Resource | None, ids: Ids) -> Iterator[Row]:
    """Yield the records of a pandas, polars or Arrow frame.

    Raises
    ------
    InvalidInputError
        The object is no frame, or a column has values of several types.
    StoreError
        A value or row does not fit.
    """
    import pyarrow as pa

    if not hasattr(frame, "__arrow_c_stream__"):
        raise InvalidInputError(
            f"A {type(frame).__name__} cannot be served: pass a path, or a data frame of pandas, "
            "polars or Arrow."
        )
    try:
        table = pa.table(frame)
    except (pa.ArrowException, ValueError) as error:  # ValueError: of pandas, columns of one name
        raise InvalidInputError(f"The frame is not a table: {str(error).splitlines()[0]}") from None
    names = table.column_names
    table = table.select(
        [n for n, name in enumerate(names) if not name.startswith("__index_level")]
    )
    rows = (row for row in chain([table.column_names], _values(table.to_batches(_BATCH_SIZE))))
    yield from _records("the frame", rows, resource, ids, synthetic=is_synthetic(frame))


def _suffix(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return name[name.rfind(".") :] if "." in name else ""


def _encoding_hint(path: Path, error: Exception) -> Hint | None:
    if not isinstance(error, ValueError) or _suffix(path) == ".parquet":
        return None
    with suppress(OSError, EOFError, zlib.error), open_file(path) as stream:
        start = stream.read(4)
        for mark, encoding in _BYTE_ORDER_MARKS.items():
            if start.startswith(mark):
                return Hint(
                    f"By its byte order mark it is {encoding}. Save it as UTF-8: "
                    f"iconv -f {encoding} -t UTF-8 OLD > NEW."
                )
    return Hint("Save the table as UTF-8.") if isinstance(error, UnicodeDecodeError) else None


def _read_csv(path: Path) -> Rows:
    with open_file(path) as file, io.TextIOWrapper(file, "utf-8-sig", newline="") as stream:
        first = stream.readline()
        if not first.strip():
            raise ValueError("the first line must name the columns")
        separator = separator_of(first)
        yield [name.strip() for name in next(csv.reader([first], delimiter=separator))]
        rows = csv.reader(stream, delimiter=separator, strict=True)
        line = 2  # in which the next row begins
        try:
            for row in rows:
                line = rows.line_num + 2
                if row:
                    yield row
        except csv.Error as error:
            raise ValueError(f"line {line}: {error}") from None


def _read_json_lines(path: Path) -> Rows:
    # Any line may have a further name.
    columns = list(dict.fromkeys(chain.from_iterable(_json_records(path))))
    yield columns
    yield from ([record.get(name) for name in columns] for record in _json_records(path))


def _json_records(path: Path) -> Iterator[dict[str, Any]]:
    with open_file(path) as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                try:
                    record = json.loads(line)
                except json.JSONDecodeError as error:
                    raise ValueError(f"line {number}: {error.msg}") from None
                except RecursionError:
                    raise ValueError(f"line {number} is nested too deeply") from None
                if not isinstance(record, dict):
                    raise ValueError(f"line {number} is not an object")
                if match := _SURROGATE.search("".join(record)):
                    raise ValueError(
                        f"line {number}: a name has U+{ord(match[0]):04X}, half of a character"
                    )
                yield record


def _read_parquet(path: Path) -> Rows:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        yield file.schema_arrow.names
        yield from _values(file.iter_batches(_BATCH_SIZE))


_READERS: dict[str, Callable[[Path], Rows]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".parquet": _read_parquet,
}
#: A time outside Python's range, an unknown time zone, an object with a repeated name.
_UNREADABLE = (OverflowError, ValueError, NotImplementedError)


class _Unreadable:
    """A value of a table that has no equivalent in Python."""

    def __init__(self, scalar: Any) -> None:
        self._shown = f"{scalar.type} {getattr(scalar, 'value', '')}".strip()

    def __repr__(self) -> str:
        return self._shown


def _values(batches: Iterable[Any]) -> Iterator[Sequence[Any]]:
    for batch in batches:
        yield from zip(*map(_python_values, batch.columns), strict=True)


def _python_values(column: Any) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist()
    except _UNREADABLE:
        return [_python_value(scalar) for scalar in column]
    return values


def _python_value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except _UNREADABLE:
        return _Unreadable(scalar)


class _Problems:
    """Values and rows that do not fit, by column and reason, with their first examples."""

    def __init__(self) -> None:
        self.rows: set[int] = set()
        self._found: dict[tuple[str, str], list[str]] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def add(self, row: int, column: str, shown: str, why: str) -> None:
        self.rows.add(row)
        key = (column, why)
        self._counts[key] = self._counts.get(key, 0) + 1
        examples = self._found.setdefault(key, [])
        if len(examples) < _EXAMPLES:
            examples.append(f"row {row} ({shown if len(shown) <= _CUT else shown[:_CUT] + '…'})")

    def __str__(self) -> str:
        lines = []
        for (column, why), examples in self._found.items():
            number = self._counts[column, why]
            more = f" and {number - _EXAMPLES:,} more" if number > _EXAMPLES else ""
            place = f"column {column}" if column else "whole row"
            rows = ", ".join(examples)
            lines.append(f"  {place}, {number:,}: {why} {rows[0].upper()}{rows[1:]}{more}.")
        return "\n".join(lines)


def _records(
    name: str, rows: Rows | Iterator[Any], resource: Resource | None, ids: Ids, *, synthetic: bool
) -> Iterator[Row]:
    columns = list(next(rows))
    if repeated := sorted({c for c in columns if columns.count(c) > 1}):
        raise StoreError(f"{name} has several columns of one name: {', '.join(repeated)}.")
    resource = resource or _resource_of(name, columns)
    fields = {f.column: f for f in _EMAIL} if resource is ACCOUNT else {}
    fields = {**resource.by_column, **fields}
    if absent := [needed for needed in _NEEDED if needed not in columns]:
        raise ConfigurationError(
            f"{name} has no column {' and no column '.join(absent)}, which every record needs; "
            f"it has {', '.join(columns)}. Name its columns as the fields."
        )
    if unused := [column for column in columns if column not in fields]:
        _LOG.warning("%s: no field has the columns %s; not served.", name, ", ".join(unused))
    plan = [(index, fields[c]) for index, c in enumerate(columns) if c in fields]
    problems, number = _Problems(), 0
    for number, row in enumerate(rows, start=1):  # noqa: B007  # the number of rows
        values: dict[str, Any] = {}
        if len(row) != len(columns):
            why = f"the table has {len(columns)} columns."
            problems.add(number, "", f"{len(row)} values", why)
            continue
        for index, field in plan:
            try:
                text = _convert(row[index], field)
                if text is None and field.column in _NEEDED:
                    raise ValueError("every record needs one.")
                if field.column == "id":
                    if other := ids.setdefault((resource.name, text), f"{name} {number}"):
                        _refuse_other(other, name, number)
            except ValueError as error:
                problems.add(number, field.column, repr(row[index]), str(error))
            else:
                if text is not None:
                    values[field.column] = text
        if not problems.rows:
            xml = record_xml(resource, _record(resource, values))
            where = f"{name}, row {number}"
            yield row_of(resource, etree.fromstring(xml), where, synthetic=synthetic)
    if problems.rows:
        text = (
            f"{len(problems.rows):,} of {number:,} rows of {name} do not fit; nothing was imported. "
            f"Rows are numbered from 1, below the names of the columns.\n{problems}"
        )
        # Names of files and of entries may have what no Unicode text has.
        raise StoreError(text.encode(errors="backslashreplace").decode())


def _refuse_other(place: str, name: str, number: int) -> None:
    table, _, row = place.rpartition(" ")
    if table == name and int(row) != number:
        raise ValueError("another row has the same id.")
    if table != name:
        raise ValueError(f"a row of {table} has the same id.")


def _resource_of(name: str, columns: list[str]) -> Resource:
    """Return the resource by the name of the file, or by the columns."""
    stem = name.replace("\\", "/").rpartition("/")[2].lower()
    named = (r for r in RESOURCES.values() if stem.startswith(r.collection))
    resource = next(named, None) or detect_resource(columns)
    if resource is None or resource.name not in RESOURCES:
        raise ConfigurationError(
            f"It is not clear whether {name} holds accounts or projects.",
            hint=Hint(
                'Pass {"accounts": …}, or name the file accounts or projects.',
                shell="Name the file accounts or projects.",
            ),
        )
    return resource


def _convert(value: Any, field: Field) -> Any:
    """Return the text of a value, or the entries of a list; None if it is missing.

    Raises
    ------
    ValueError
        The value does not fit the field; the message is a sentence.
    """
    if isinstance(value, _Unreadable):
        raise ValueError("it cannot be read, or is outside the range of dates.")  # noqa: TRY004
    if field.kind is Kind.ITEMS:
        return _entries(value, field)
    if isinstance(value, str):
        value = value.strip()
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    text = value if _is_placeholder(value, field) else _CONVERT[field.kind](value)
    if match := _CONTROL.search(text):
        raise ValueError(f"it has the character U+{ord(match[0]):04X}, which XML does not allow.")
    if len(text) > _LONGEST // 4 and len(text.encode()) > _LONGEST:
        raise ValueError(f"it has more than {_LONGEST:,} bytes, which readers of XML refuse.")
    if field.column == "id" and not ID.fullmatch(text):
        raise ValueError("an id has no blanks or slashes, and at most 100 characters.")
    if field.column == "email_md5" and not MD5.fullmatch(text.lower()):
        raise ValueError("it is not 32 hexadecimal digits.")
    return text


def _is_placeholder(value: Any, field: Field) -> bool:
    """Return whether directories themselves send this text where a number or a URL is due."""
    if field.unit == "%":
        return bool(value == LESS_THAN_ONE)
    is_logo = field.column.endswith("_logo_url") and isinstance(value, str)
    return is_logo and _PICTURE.fullmatch(value) is not None


def _plain(value: Any) -> str:
    if isinstance(value, (list, dict, bytes)):
        raise ValueError(f"it is a {type(value).__name__}, not one text.")  # noqa: TRY004
    # Tables with a missing number turn the others into fractions.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _timestamp(value: Any) -> str:
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        elif isinstance(value, date) and not isinstance(value, datetime):
            value = datetime.combine(value, time(), UTC)
        return to_timestamp(value)
    except (ValueError, OverflowError, AttributeError, TypeError):
        raise ValueError("it is not a timestamp of ISO 8601.") from None


def _number(value: Any, kind: Kind = Kind.NUMBER) -> str:
    text = _plain(value)
    if isinstance(value, str):
        if _AMBIGUOUS[kind].fullmatch(text):
            raise ValueError("it has two readings: write a point before the fraction alone.")
        text = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    if isinstance(value, bool) or not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise ValueError("it is not a number.")
    return text


def _integer(value: Any) -> str:
    number = Decimal(_number(value, Kind.INTEGER))
    if number != int(number):
        raise ValueError("it is not a whole number.")
    return str(int(number))


def _url(value: Any) -> str:
    text = _plain(value)
    if not is_url(text):
        raise ValueError("it is no URL, which begins with https://, http://, ftp:// or irc://.")
    return text


_CONVERT: dict[Kind, Callable[[Any], str]] = {
    Kind.TEXT: _plain,
    Kind.IDENTIFIER: _plain,
    Kind.URL: _url,
    Kind.INTEGER: _integer,
    Kind.NUMBER: _number,
    Kind.TIMESTAMP: _timestamp,
}


def _entries(value: Any, field: Field) -> list[list[tuple[Field, str]]] | None:
    """Return the fields of each entry of a list."""
    assert field.items is not None  # noqa: S101  # a list
    if isinstance(value, str):
        if value.lstrip()[:1] == "[":
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                raise ValueError("it starts like a JSON list, but is not one.") from None
        else:
            value = [value] if value.strip() else None
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if not isinstance(value, list):
        raise ValueError("it is not a list.")  # noqa: TRY004  # caught as such
    known = {f.column: f for f in field.items.fields}
    entries: list[list[tuple[Field, str]]] = []
    for entry in value:
        text_field = field.items.tag if field.items.tag in known else "name"
        content = entry if isinstance(entry, dict) else {text_field: entry}
        if unknown := sorted(set(content) - set(known)):
            raise ValueError(f"an entry has {', '.join(unknown)}; it may have {', '.join(known)}.")
        pairs = (
            (known[name], "" if v == "" else _convert(v, known[name]))
            for name, v in content.items()
        )
        entries.append([(f, text) for f, text in pairs if text is not None])
    return entries


def _record(resource: Resource, values: dict[str, Any]) -> dict[str, Any]:
    """Return the record with the values of its fields, in the order of the schema."""
    record: dict[str, Any] = {}
    if "email" in values:
        values.setdefault("email_sha1", email_digests(values["email"])[0])
        record["email"] = values["email"]
    if "email_md5" in values:
        record["email_md5"] = values["email_md5"]
    for column, field in resource.by_column.items():
        if (value := values.get(column)) is None:
            continue
        *parents, name = field.path
        parent = record
        for tag in parents:
            parent = parent.setdefault(tag, {})
        if field.items:
            entries = [_entry(field.items, entry) for entry in value]
            parent.setdefault(name, {})[field.items.tag] = entries
        elif resource.by_column.get("_".join(parents), field).kind is Kind.ITEMS:
            parent[f"@{name}"] = value  # of a list, such as the picture of its languages
        else:
            parent[name] = value
    return record


def _entry(items: Items, entry: Sequence[tuple[Field, str]]) -> dict[str, str]:
    # As recorded: an entry with a text of its own has its other fields as attributes.
    if not any(f.column == items.tag for f in items.fields):
        return {f.column: text for f, text in entry}
    return {"#text" if f.column == items.tag else f"@{f.column}": text for f, text in entry}
