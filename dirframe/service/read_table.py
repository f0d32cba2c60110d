"""Read tables, whose columns are named as the schema's fields: CSV, JSON lines, Parquet and frames."""

# Nothing is guessed: a value that does not fit its field refuses the table.

from __future__ import annotations

import json
import logging
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TypeAlias

from lxml import etree
from lxml.etree import _Element

from dirframe import _tables, schema
from dirframe._printable import escaped
from dirframe.errors import ConfigurationError, StoreError
from dirframe.service.read_xml import Synthetic, open_file, refuse_unreadable
from dirframe.service.records import ITEM_TAGS, URL, Refusals, Row, row_of

#: The collection and id of each record of a table.
Ids: TypeAlias = "set[tuple[str, str]]"

_LOG = logging.getLogger("dirframe.service")
#: Each record has an id and a name of its own: so many are allowed in a Parquet file, or one for each byte.
_MOST_RECORDS = 10_000
#: Columns that a message names, and characters of each.
_MOST_NAMED = 50
_LONGEST_NAME = 100
#: Fields whose digests are served in their place.
_EMAIL = tuple(schema.Field((name,), schema.Kind.TEXT, "") for name in ("email", "email_md5"))
#: Kinds whose values are no texts.
_NUMERIC = {schema.Kind.INTEGER, schema.Kind.NUMBER, schema.Kind.TIMESTAMP}
#: The forms of values, and the reason to refuse others. Separators of thousands have two readings.
_FORMS = {
    schema.Kind.INTEGER: (r"[-+]?\d+(\.0)?", "it is not a whole number, written in digits alone"),
    schema.Kind.NUMBER: (
        r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?",
        "it is not a number, written in digits with a decimal point",
    ),
    schema.Kind.URL: (URL, "it is not a URL (expected https://, http://, ftp:// or irc://)"),
}


def read_table(
    data: object, resource: schema.Resource | None, ids: Ids
) -> Iterator[Row | Synthetic]:
    """Yield the records of a table file, or of a pandas, polars or Arrow frame."""
    name = str(data) if isinstance(data, Path) else "the frame"
    try:
        table, synthetic = _read(data)
    except _tables.DAMAGES as error:
        reason = str(error).partition("\n")[0]
        raise StoreError(f"{name} cannot be read as a table ({reason}).") from error
    columns = table.columns
    resource = resource or _resource_of(name, columns)
    if absent := [each for each in ("id", "name") if each not in columns]:
        raise ConfigurationError(
            f"{name} has no column {' and no column '.join(absent)}, which every record needs; "
            f"its columns are {_some(columns)}. Rename them: "
            f'dirframe.fields("{resource.name}") lists the names.'
        )
    known = (*_EMAIL, *resource.fields) if resource is schema.ACCOUNT else resource.fields
    fields = [field for field in known if field.column in columns]
    fields.sort(key=lambda field: field not in resource.specified)
    if unused := columns.keys() - {field.column for field in fields}:
        unserved = _some(sorted(unused))
        _LOG.warning("%s", escaped(f"{name}: no field has the columns {unserved}; not served."))
    for note in table.notes + _doubtful_texts(columns, fields):
        _LOG.warning("%s", escaped(f"{name}: {note}"))
    refusals = Refusals(name)
    rows = zip(*(columns[field.column] for field in fields), strict=True)
    is_csv = bool(table.separator)
    for number, texts in enumerate(rows, start=1):
        refusals.place, record = f"row {number}", etree.Element(resource.name)
        for field, text in zip(fields, texts, strict=True):
            try:
                value = (text or "").strip()
                _add(record, field, _list_of(value) if is_csv and field.tag else value)
            except ValueError as error:
                refusals.add(field.column, str(error), text or "")
        row = row_of(resource, record, refusals)
        key = resource.name, str(row.values[0])
        if key[1] and key in ids:
            refusals.add("id", "another row has the same id", key[1])
        ids.add(key)
        yield row
    refusals.check()
    if synthetic:
        yield Synthetic()


def _some(names: Collection[str]) -> str:
    """Return the names of columns, the first ones of very many."""
    shown = ", ".join(name[:_LONGEST_NAME] for name in [*names][:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    return f"{shown} and {more:,} more" if more > 0 else shown


def _doubtful_texts(columns: _tables.Columns, fields: list[schema.Field]) -> list[str]:
    """Say how many texts are what databases and spreadsheets write for a missing value."""
    notes = []
    for field in fields:
        count = sum(text in _tables.MISSING_TEXTS for text in columns[field.column])
        if count and field.kind not in _NUMERIC:
            forms = ", ".join(sorted(_tables.MISSING_TEXTS))
            notes.append(
                f"values of {field.column} that may stand for a missing one ({forms}): {count:,}; "
                "served as text."
            )
    return notes


def _read(data: object) -> tuple[_tables.Table, bool]:
    """Return the columns of a file or frame, and whether it is marked as synthetic."""
    if isinstance(data, Path):
        most = _tables.most_bytes(data.stat().st_size)
        with refuse_unreadable(data), open_file(data) as stream:
            content = stream.read(most + 1)  # one more shows that it is too large
        if len(content) > most:
            raise ValueError(f"it holds more than {most:,} bytes; unpack it, and serve that file")
        if not content.startswith(_tables.PARQUET):
            return _tables.read_columns(content), False
    import pyarrow as pa

    if isinstance(data, Path):
        table = _tables.read_parquet(content)
        if table.num_rows > max(_MOST_RECORDS, len(content)):
            raise ValueError(
                f"{table.num_rows:,} records in {len(content):,} bytes have no ids and names of their own"
            )
    else:
        table = pa.table(data)
    record = _tables.attributes_of(table).get(_tables.ATTRIBUTE)
    is_synthetic = isinstance(record, dict) and record.get("synthetic") is True
    return _tables.Table(_tables.table_columns(table), []), is_synthetic


def _resource_of(name: str, columns: _tables.Columns) -> schema.Resource:
    """Return the resource by the name of the file, or by the columns."""
    begin = Path(name).name.lower()
    named = [r for r in schema.RESOURCES.values() if begin.startswith(r.collection)]
    resource = named[0] if named else schema.detect_resource(columns)
    if resource is None or resource.name not in schema.RESOURCES:
        raise ConfigurationError(
            f"It is not clear whether {name} holds accounts or projects.",
            hint='Name the file accounts or projects, such as accounts.csv; or pass {"accounts": …} '
            "to dirframe.serve.",
        )
    return resource


def _add(record: _Element, field: schema.Field, text: str) -> None:
    """Add the value of a field to a record; ValueError says why it does not fit."""
    if not text:
        if field.column == "name":
            raise ValueError("every record needs one")
        return
    parent, (*parents, name) = record, field.path
    for tag in parents:
        parent = _child(parent, tag)
    if field.tag:
        _add_entries(_child(parent, name), field, text)
    elif parent.tag in ITEM_TAGS:
        parent.set(name, _checked(text, field))  # of a list, such as the picture of its languages
    else:
        _child(parent, name).text = _checked(text, field)


def _checked(text: str, field: schema.Field) -> str:
    # What directories themselves send where a number or a URL is due.
    is_usual = (text == schema.LESS_THAN_ONE and field.unit == "%") or (
        text.startswith("no_logo") and field.column.endswith("_logo_url")
    )
    if field.kind in _NUMERIC and text in _tables.MISSING:
        return ""
    if text and not is_usual and field.kind in _FORMS:
        form, reason = _FORMS[field.kind]
        if not re.fullmatch(form, text, re.ASCII):
            raise ValueError(reason)
    if field.kind is schema.Kind.IDENTIFIER:
        return _tables.whole_id(text)
    # pandas writes 7.0 in a column with missing values.
    return text.removesuffix(".0") if field.kind is schema.Kind.INTEGER else text


def _list_of(cell: str) -> str:
    """Return a cell of texts with semicolons between them as a list in JSON, and JSON as it is."""
    if not cell or cell[0] in '[{"':
        return cell
    return json.dumps([text.strip() for text in cell.split(";") if text.strip()])


def _add_entries(parent: _Element, field: schema.Field, text: str) -> None:
    """Add the entries of a list in JSON, each a text or an object."""
    try:
        values = json.loads(text if text.startswith("[") else "")
    except (ValueError, RecursionError):
        raise ValueError("it is not a list in JSON") from None
    known = {item.column: item for item in field.fields}
    has_text = field.tag in known  # as recorded: its other fields are attributes
    for value in values:
        content = value if isinstance(value, dict) else {field.tag if has_text else "name": value}
        if unknown := sorted(content.keys() - known.keys()):
            raise ValueError(f"an entry has {', '.join(unknown)}; it may have {', '.join(known)}")
        texts = {
            name: _checked(part if isinstance(part, str) else json.dumps(part), known[name])
            for name, part in content.items()
            if part is not None
        }
        entry = etree.SubElement(parent, field.tag)
        if has_text:
            _set_attributes(entry, texts)
        else:
            _add_children(entry, texts)


def _set_attributes(entry: _Element, texts: dict[str, str]) -> None:
    """Write an entry that is a text, with its other values as attributes."""
    for name, text in texts.items():
        if name == entry.tag:
            entry.text = text
        else:
            entry.set(name, text)


def _add_children(entry: _Element, texts: dict[str, str]) -> None:
    """Write an entry of several elements."""
    for name, text in texts.items():
        _child(entry, name).text = text


def _child(parent: _Element, tag: str) -> _Element:
    """Return the child, which is added if it is missing."""
    child = parent.find(tag)
    if child is None:
        child = etree.SubElement(parent, tag)
        child.tail = "\n"
    return child
