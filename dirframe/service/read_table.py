"""Read tables, whose columns are named as the schema's fields: CSV, JSON lines, Parquet and frames."""

# Nothing is guessed: a value that does not fit its field refuses the table.

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
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
#: Fields whose digests are served in their place.
_EMAIL = tuple(schema.Field((name,), schema.Kind.TEXT, "") for name in ("email", "email_md5"))
_WHOLE = {schema.Kind.INTEGER, schema.Kind.IDENTIFIER}
#: The forms of values, and the reason to refuse others. Separators of thousands have two readings.
_FORMS = {
    schema.Kind.INTEGER: (r"[-+]?\d+(\.0)?", "it is not a whole number, written in digits alone"),
    schema.Kind.NUMBER: (
        r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?",
        "it is not a number, written in digits with a decimal point",
    ),
    schema.Kind.URL: (URL, "it is no URL, which begins with https://, http://, ftp:// or irc://"),
}


def read_table(
    data: object, resource: schema.Resource | None, ids: Ids
) -> Iterator[Row | Synthetic]:
    """Yield the records of a file of what its content shows, or of a pandas, polars or Arrow frame."""
    name = str(data) if isinstance(data, Path) else "the frame"
    try:
        columns, synthetic = _read(data)
    except _tables.DAMAGES as error:
        reason = str(error).partition("\n")[0]
        raise StoreError(f"{name} cannot be read as a table ({reason}).") from error
    resource = resource or _resource_of(name, columns)
    if absent := [each for each in ("id", "name") if each not in columns]:
        raise ConfigurationError(
            f"{name} has no column {' and no column '.join(absent)}, which every record needs; "
            f"it has {', '.join(columns)}. Name its columns as the fields."
        )
    known = (*_EMAIL, *resource.fields) if resource is schema.ACCOUNT else resource.fields
    fields = [field for field in known if field.column in columns]
    fields.sort(key=lambda field: field not in resource.specified)
    if unused := columns.keys() - {field.column for field in fields}:
        unserved = ", ".join(sorted(unused))
        _LOG.warning("%s", escaped(f"{name}: no field has the columns {unserved}; not served."))
    refusals = Refusals(name)
    rows = zip(*(columns[field.column] for field in fields), strict=True)
    for number, texts in enumerate(rows, start=1):
        refusals.place, record = f"row {number}", etree.Element(resource.name)
        for field, text in zip(fields, texts, strict=True):
            try:
                _add(record, field, (text or "").strip())
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


def _read(data: object) -> tuple[_tables.Columns, bool]:
    """Return the columns of a file or frame, and whether it is marked as synthetic."""
    if isinstance(data, Path):
        with refuse_unreadable(data), open_file(data) as stream:
            content = stream.read()
        if not content.startswith(b"PAR1"):
            return _tables.read_columns(content), False
    import pyarrow as pa

    table = pa.table(_tables.read_parquet(content) if isinstance(data, Path) else data)
    record = _tables.attributes_of(table).get(_tables.ATTRIBUTE) or {}
    return _tables.table_columns(table), record.get("synthetic") is True


def _resource_of(name: str, columns: _tables.Columns) -> schema.Resource:
    """Return the resource by the name of the file, or by the columns."""
    begin = Path(name).name.lower()
    named = [r for r in schema.RESOURCES.values() if begin.startswith(r.collection)]
    resource = named[0] if named else schema.detect_resource(columns)
    if resource is None or resource.name not in schema.RESOURCES:
        raise ConfigurationError(
            f"It is not clear whether {name} holds accounts or projects.",
            hint='Rename it, such as to accounts.csv; in Python, serve({"accounts": …}) says it.',
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
    if text and not is_usual and field.kind in _FORMS:
        form, reason = _FORMS[field.kind]
        if not re.fullmatch(form, text, re.ASCII):
            raise ValueError(reason)
    # pandas writes 7.0 in a column with missing values.
    is_whole = field.kind in _WHOLE and re.fullmatch(r"[-+]?\d+\.0", text, re.ASCII)
    return text.removesuffix(".0") if is_whole else text


def _add_entries(parent: _Element, field: schema.Field, text: str) -> None:
    """Add the entries of a list in JSON, each a text or an object."""
    try:
        values = json.loads(text if text.startswith("[") else "")
    except ValueError:
        raise ValueError("it is not a list in JSON") from None
    known = {item.column: item for item in field.fields}
    has_text = field.tag in known  # as recorded: its other fields are attributes
    for value in values:
        content = value if isinstance(value, dict) else {field.tag if has_text else "name": value}
        if unknown := sorted(content.keys() - known.keys()):
            raise ValueError(f"an entry has {', '.join(unknown)}; it may have {', '.join(known)}")
        element = etree.SubElement(parent, field.tag)
        for name, part in content.items():
            if part is None:
                continue
            text = _checked(part if isinstance(part, str) else json.dumps(part), known[name])
            if name == field.tag:
                element.text = text
            elif has_text:
                element.set(name, text)
            else:
                _child(element, name).text = text


def _child(parent: _Element, tag: str) -> _Element:
    """Return the child, which is added if it is missing."""
    child = parent.find(tag)
    if child is None:
        child = etree.SubElement(parent, tag)
        child.tail = "\n"
    return child
