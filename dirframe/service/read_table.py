"""Read tables, whose columns are named as the schema's fields: CSV, JSON lines, Parquet and frames."""

# Nothing is guessed: a value that does not fit its field refuses the table, with its column, the
# reason, how many there are, and three examples.

from __future__ import annotations

import json
import logging
import re
from collections import defaultdict
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

from lxml import etree

from dirframe import _tables
from dirframe._tables import is_synthetic
from dirframe.errors import ConfigurationError, InvalidInputError, StoreError
from dirframe.schema import ACCOUNT, LESS_THAN_ONE, RESOURCES, Field, Items, Kind, Resource
from dirframe.schema.extensions import detect_resource
from dirframe.service.read_xml import (
    ID,
    MD5,
    Row,
    email_digests,
    open_file,
    refuse_unreadable,
    row_of,
    to_timestamp,
)
from dirframe.service.records import FORBIDDEN, ITEM_TAGS, is_always_sent, is_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import pyarrow as pa

#: What can be served: a path, a frame, several of these, or a mapping from collections to them.
Data: TypeAlias = Any
#: The table and row in which each id was read, by collection and id.
Ids: TypeAlias = "dict[tuple[str, str], tuple[str, int]]"
#: The fields of an entry of a list, and their texts.
Entry: TypeAlias = "list[tuple[Field, str]]"

_LOG = logging.getLogger("dirframe.service")
_SUFFIXES = {
    ".csv": _tables.read_csv,
    ".tsv": _tables.read_csv,
    ".jsonl": _tables.read_json,
    ".ndjson": _tables.read_json,
    ".parquet": None,  # as a frame
}
_EXAMPLES = 3
_CUT = 60
#: Bytes in UTF-8 of the longest text that libxml2 reads.
_LONGEST = 10_000_000
_CONTROL = re.compile(f"[{FORBIDDEN}]")
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
_EMAIL = {name: Field((name,), Kind.TEXT, "") for name in ("email", "email_md5")}


def is_table(path: Path) -> bool:
    """Return whether the name of a file is that of a table."""
    return _suffix(path) in _SUFFIXES


def read_table(path: Path, resource: Resource | None, ids: Ids) -> Iterator[Row]:
    """Yield the records of a file, of what its suffix says."""
    with refuse_unreadable(path), open_file(path) as stream:
        content = stream.read()
    synthetic, read = False, _SUFFIXES[_suffix(path)]
    try:
        if read is None:
            import pyarrow as pa
            from pyarrow import parquet

            table = parquet.read_table(pa.BufferReader(content), page_checksum_verification=True)
            synthetic, columns = is_synthetic(table), _columns(str(path), table)
        else:
            columns = read(content)
    except (ValueError, OSError, NotImplementedError, RecursionError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise StoreError(
            f"{path} cannot be read as {_suffix(path)[1:]} ({reason}).",
            hint="Save the table as UTF-8." if isinstance(error, UnicodeDecodeError) else None,
        ) from None
    yield from _rows(str(path), columns, resource, ids, synthetic=synthetic)


def read_frame(frame: object, resource: Resource | None, ids: Ids) -> Iterator[Row]:
    """Yield the records of a pandas, polars or Arrow frame."""
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
    columns = _columns("the frame", table)
    yield from _rows("the frame", columns, resource, ids, synthetic=is_synthetic(frame))


def _columns(name: str, table: pa.Table) -> _tables.Columns:
    names = [name for name in table.column_names if not name.startswith("__index_level_")]
    if repeated := sorted({each for each in names if names.count(each) > 1}):
        raise StoreError(f"{name} has several columns of one name: {', '.join(repeated)}.")
    known = _EMAIL.keys() | {c for resource in RESOURCES.values() for c in resource.by_column}
    columns: _tables.Columns = {}
    for each in names:
        try:
            columns[each] = _tables.column_texts(table[each]) if each in known else []
        except (LookupError, OverflowError, ValueError, NotImplementedError) as error:  # a time
            raise StoreError(
                f"The column {each} of {name} cannot be read, a {table[each].type}: {error}."
            ) from None
    return columns


def _suffix(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return name[name.rfind(".") :] if "." in name else ""


def _rows(
    name: str, columns: _tables.Columns, resource: Resource | None, ids: Ids, *, synthetic: bool
) -> Iterator[Row]:
    resource = resource or _resource_of(name, columns)
    fields = {**resource.by_column, **(_EMAIL if resource is ACCOUNT else {})}
    if absent := [needed for needed in _NEEDED if needed not in columns]:
        raise ConfigurationError(
            f"{name} has no column {' and no column '.join(absent)}, which every record needs; "
            f"it has {', '.join(columns)}. Name its columns as the fields."
        )
    if unused := [column for column in columns if column not in fields]:
        _LOG.warning("%s: no field has the columns %s; not served.", name, ", ".join(unused))
    taken = {column: fields[column] for column in columns if column in fields}
    problems: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    refused, number = set(), 0
    rows = zip(*(columns[column] for column in taken), strict=True)
    for number, row in enumerate(rows, start=1):  # the number of rows
        values: dict[str, Any] = {}
        for text, (column, field) in zip(row, taken.items(), strict=True):
            try:
                value = _convert(text, field)
                if value is None and column in _NEEDED:
                    raise ValueError("every record needs one.")
                if column == "id":
                    _check_id(ids, (resource.name, value), (name, number))
            except ValueError as error:
                refused.add(number)
                problems[column, str(error)].append(f"row {number} ({_cut(repr(text))})")
            else:
                if value is not None:
                    values[column] = value
        if not refused:
            where = f"{name}, row {number}"
            yield row_of(resource, _element(resource, values), where, synthetic=synthetic)
    if refused:
        raise StoreError(
            f"{len(refused):,} of {number:,} rows of {name} do not fit; nothing was imported. "
            f"Rows are numbered from 1, below the names of the columns.\n{_listed(problems)}"
        )


def _listed(problems: Mapping[tuple[str, str], list[str]]) -> str:
    """Return a line for each column and reason, with the first examples."""
    lines = []
    for (column, why), rows in problems.items():
        examples, more = ", ".join(rows[:_EXAMPLES]), len(rows) - _EXAMPLES
        rest = f" and {more:,} more" if more > 0 else ""
        lines.append(
            f"  column {column}, {len(rows):,}: {why} {examples[0].upper()}{examples[1:]}{rest}."
        )
    return "\n".join(lines)


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else f"{text[:_CUT]}…"


def _check_id(ids: Ids, identifier: tuple[str, str], place: tuple[str, int]) -> None:
    table, _ = other = ids.setdefault(identifier, place)
    if other != place:
        where = "another row" if table == place[0] else f"a row of {table}"
        raise ValueError(f"{where} has the same id.")


def _resource_of(name: str, columns: _tables.Columns) -> Resource:
    """Return the resource by the name of the file, or by the columns."""
    stem = name.replace("\\", "/").rpartition("/")[2].lower()
    named = (r for r in RESOURCES.values() if stem.startswith(r.collection))
    resource = next(named, None) or detect_resource(columns)
    if resource is None or resource.name not in RESOURCES:
        raise ConfigurationError(
            f"It is not clear whether {name} holds accounts or projects.",
            hint='Pass {"accounts": …}, or name the file accounts or projects.',
        )
    return resource


def _convert(value: str | None, field: Field) -> Any:
    """Return the text of a value, or the entries of a list; None if it is missing.

    The message of a ValueError is a sentence.
    """
    text = "" if value is None else value.strip()
    if not text:
        return None
    if field.kind is Kind.ITEMS:
        return _entries(text, field)
    if not _is_placeholder(text, field) and field.kind in _CONVERT:
        text = _CONVERT[field.kind](text)
    if match := _CONTROL.search(text):
        raise ValueError(f"it has the character U+{ord(match[0]):04X}, which XML does not allow.")
    if len(text) > _LONGEST // 4 and len(text.encode()) > _LONGEST:
        raise ValueError(f"it has more than {_LONGEST:,} bytes, which readers of XML refuse.")
    if field.column == "id" and not ID.fullmatch(text):
        raise ValueError("an id has no blanks or slashes, and at most 100 characters.")
    if field.column == "email_md5" and not MD5.fullmatch(text.lower()):
        raise ValueError("it is not 32 hexadecimal digits.")
    return text


def _is_placeholder(text: str, field: Field) -> bool:
    """Return whether directories themselves send this text where a number or a URL is due."""
    if field.unit == "%":
        return text == LESS_THAN_ONE
    return field.column.endswith("_logo_url") and _PICTURE.fullmatch(text) is not None


def _timestamp(text: str) -> str:
    try:
        return to_timestamp(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        raise ValueError("it is not a timestamp of ISO 8601.") from None


def _number(text: str, kind: Kind = Kind.NUMBER) -> str:
    if _AMBIGUOUS[kind].fullmatch(text):
        raise ValueError("it has two readings: write a point before the fraction, and no other.")
    text = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    if not _NUMBER.fullmatch(text):
        raise ValueError("it is not a number.")
    return text


def _integer(text: str) -> str:
    number = Decimal(_number(text, Kind.INTEGER))
    if number != int(number):
        raise ValueError("it is not a whole number.")
    return str(int(number))


def _url(text: str) -> str:
    if not is_url(text):
        raise ValueError("it is no URL, which begins with https://, http://, ftp:// or irc://.")
    return text


_CONVERT: dict[Kind, Callable[[str], str]] = {
    Kind.URL: _url,
    Kind.INTEGER: _integer,
    Kind.NUMBER: _number,
    Kind.TIMESTAMP: _timestamp,
}


def _entries(text: str, field: Field) -> list[Entry]:
    """Return the fields of each entry of a list, which is JSON; another text is its one entry."""
    assert field.items is not None  # noqa: S101  # a list
    try:
        values = json.loads(text) if text[0] in "[{" else [text]
    except (ValueError, RecursionError):
        raise ValueError("it starts like a JSON list, but is not one.") from None
    if not isinstance(values, list) or re.fullmatch(r"[\d.]+|true|false", text):
        raise ValueError("it is not a list.")  # caught as such
    known = {f.column: f for f in field.items.fields}
    entries: list[Entry] = []
    for entry in values:
        text_field = field.items.tag if field.items.tag in known else "name"
        content = entry if isinstance(entry, dict) else {text_field: entry}
        if unknown := sorted(set(content) - set(known)):
            raise ValueError(f"an entry has {', '.join(unknown)}; it may have {', '.join(known)}.")
        fields = [
            (known[n], v if isinstance(v, str) else json.dumps(v))
            for n, v in content.items()
            if v is not None
        ]
        entries.append([(f, _convert(v, f) or "") for f, v in fields])
    return entries


def _element(resource: Resource, values: dict[str, Any]) -> etree._Element:
    """Return the record of the values by column: the specified fields, then the others."""
    record = etree.Element(resource.name)
    if "email" in values:
        values.setdefault("email_sha1", email_digests(values["email"])[0])
    for name in _EMAIL.keys() & values.keys():
        _child(record, name).text = values[name]
    known = resource.by_column
    nested = {field.path[0] for n, field in known.items() if n in values and len(field.path) > 1}
    for field in sorted(resource.fields, key=lambda field: field not in resource.specified):
        value: Any = values.get(field.column)
        *parents, name = field.path
        is_sent = is_always_sent(resource, field) and nested.issuperset(parents)
        if value is None and not is_sent:
            continue
        parent = record
        for tag in parents:
            parent = _child(parent, tag)
        if field.items:
            _add_entries(_child(parent, name), field.items, value)
        elif parent.tag in ITEM_TAGS:
            parent.set(name, value)  # of a list, such as the picture of its languages
        else:
            _child(parent, name).text = value
    return record


def _child(parent: etree._Element, tag: str) -> etree._Element:
    """Return the child, which is added if it is missing."""
    child = parent.find(tag)
    if child is None:
        child = etree.SubElement(parent, tag)
        child.tail = "\n"
    return child


def _add_entries(parent: etree._Element, items: Items, value: list[Entry]) -> None:
    has_text = any(field.column == items.tag for field in items.fields)
    for entry in value:
        element = etree.SubElement(parent, items.tag)
        for field, text in entry:
            if field.column == items.tag:
                element.text = text
            elif has_text:  # as recorded: its other fields are attributes
                element.set(field.column, text)
            else:
                _child(element, field.column).text = text
