"""Write the records of a collection as CSV, which `read_table` reads."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from typing import IO

from lxml import etree
from lxml.etree import _Element

from dirframe._tables import FORMULA
from dirframe.schema import Field, Resource
from dirframe.service.records import ITEM_TAGS


def write_csv(resource: Resource, records: Iterable[str], file: IO[str]) -> None:
    """Write a column for each field of the schema, those of the specification first."""
    others = [field for field in resource.fields if field not in resource.specified]
    fields = [*resource.specified, *others]
    by_path = {field.path: field for field in fields}
    parents = {field.path[:length] for field in fields for length in range(1, len(field.path))}
    writer = csv.DictWriter(file, [field.column for field in fields], lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow(dict(_cells(etree.fromstring(record), (), by_path, parents)))


def _cells(
    element: _Element,
    path: tuple[str, ...],
    by_path: dict[tuple[str, ...], Field],
    parents: set[tuple[str, ...]],
) -> Iterable[tuple[str, str]]:
    """Yield columns and cells of an element; of several elements of one name the first is the last."""
    for child in reversed(element):
        child_path = (*path, str(child.tag))
        if child_path in parents:
            yield from _cells(child, child_path, by_path, parents)
        if field := by_path.get(child_path):
            yield field.column, _list_cell(child, field) if field.tag else _cell(child.text)
    if element.tag in ITEM_TAGS:  # a list, such as of languages with the URL of their picture
        for name, text in element.items():
            if field := by_path.get((*path, str(name))):
                yield field.column, _cell(str(text))


def _cell(text: str | None) -> str:
    """Return a text without blanks around it, with an apostrophe before what looks like a formula."""
    text = (text or "").strip()
    return f"'{text}" if FORMULA.match(text) else text


def _list_cell(wrapper: _Element, field: Field) -> str:
    """Return a list as JSON: of texts, or of objects if an entry can have several values."""
    columns = [item.column for item in field.fields]
    entries: list[object] = []
    for entry in wrapper.iterfind(field.tag):
        text = (entry.text or "").strip()
        if columns == [field.tag]:
            entries.append(text)
        elif field.tag in columns:
            entries.append({field.tag: text} | _attributes(entry, columns))
        else:
            entries.append(_children(entry, columns))
    return json.dumps(entries, ensure_ascii=False)


def _attributes(entry: _Element, columns: list[str]) -> dict[str, str]:
    return {name: str(entry.get(name)) for name in columns if entry.get(name) is not None}


def _children(entry: _Element, columns: list[str]) -> dict[str, str]:
    values = {name: entry.findtext(name) for name in columns}
    return {name: text.strip() for name, text in values.items() if text is not None}
