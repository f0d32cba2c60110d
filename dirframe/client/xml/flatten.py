"""Flatten records to columns."""

# A leaf is a column at its path, ``("name",)`` or ``("analysis", "total_code_lines")``. An
# attribute counts as a child leaf. A repeated element is a list: at its container's path if the
# container holds nothing else (``("tags",)``), at its own otherwise. An entry of a list is its
# text, or a dict if it has attributes or children; the dict has the entry's text under the
# entry's tag. An empty element is a missing value, and so is a list of only empty elements that is
# not in the schema. Text between elements (mixed content) is not part of the interface and is
# ignored.
#
# `dirframe.client.xml.fast` returns the same columns for usual pages and rejects all others.

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dirframe.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

    from dirframe.client.xml.columns import CellValue, FieldPath
    from dirframe.schema import Resource


def flatten_records(
    records: Iterable[etree._Element], resource: Resource | None
) -> tuple[int, dict[FieldPath, list[CellValue]]]:
    """Return the number of records, and for each path the values of all records.

    Parameters
    ----------
    records
        The elements of the records.
    resource
        Its schema defines which elements are lists even with a single entry.

    Returns
    -------
    tuple of int and dict
        The number of records; for each path one value per record: a text, a list, or None.
    """
    lists = list_paths(resource)
    rows = 0
    columns: dict[FieldPath, list[CellValue]] = {}
    for record in records:
        for path, value in _flatten(record, (), lists):
            if value is None or (isinstance(value, str) and not value.strip()):
                continue  # an empty element is a missing value and creates no column
            column = columns.setdefault(path, [])
            column.extend([None] * (rows - len(column)))
            if len(column) == rows:
                column.append(value)
            else:  # an element and an attribute, or two elements, of the same name
                column[-1] = [*_ensure_list(column[-1]), *_ensure_list(value)]
        rows += 1
        for column in columns.values():
            column.extend([None] * (rows - len(column)))
    return rows, columns


def _flatten(
    element: etree._Element, path: FieldPath, lists: set[FieldPath]
) -> Iterator[tuple[FieldPath, CellValue]]:
    """Yield path and value of each leaf and list in an element."""
    for name, value in element.items():
        yield (*path, str(name).rpartition("}")[2]), value
    if len(element) == 0:
        if path in lists:
            yield path, [text_of(element)] if text_of(element) else None
        elif path:
            yield path, element.text
        return
    tags = Counter(local_name(child) for child in element)
    if _is_list(path, tags, lists):
        entries = [_entry(child) for child in element]
        has_content = path in lists or any(entry is not None for entry in entries)
        yield path, entries if has_content else None
        return
    for child in element:
        name = local_name(child)
        if tags[name] > 1 and len(child):
            yield (*path, name), [_entry(child)]
        else:
            yield from _flatten(child, (*path, name), lists)


def _is_list(path: FieldPath, tags: Counter[str], lists: set[FieldPath]) -> bool:
    if path in lists:
        return True
    if len(tags) != 1 or not path:
        return False
    [(tag, count)] = tags.items()
    return count > 1 or path[-1].endswith(tag + "s")


def _entry(element: etree._Element) -> CellValue:
    """Return one entry of a list, flattened to any depth."""
    text = (element.text or "").strip()
    if not len(element) and not element.keys():
        return text or None
    entry: dict[str, CellValue] = {}
    for path, value in _flatten(element, (), set()):
        key = "_".join(path)
        stripped = value.strip() if isinstance(value, str) else value
        if key in entry:
            entry[key] = [*_ensure_list(entry[key]), *_ensure_list(stripped)]
        else:
            entry[key] = stripped or ""
    if text:
        name = local_name(element)
        entry[name] = [*_ensure_list(entry[name]), text] if name in entry else text
    return entry


def _ensure_list(value: CellValue) -> list[CellValue]:
    return value if isinstance(value, list) else [] if value is None else [value]


def list_paths(resource: Resource | None) -> set[FieldPath]:
    """Return the paths of the repeated elements in the schema."""
    fields = resource.fields if resource else ()
    return {field.path for field in fields if field.kind is Kind.ITEMS}


def local_name(element: etree._Element) -> str:
    """Return the name of an element without its namespace."""
    tag = str(element.tag)
    return tag.rpartition("}")[2] if "}" in tag else tag


def text_of(element: etree._Element | None) -> str | None:
    """Return the stripped text of a leaf; None if there is none."""
    return None if element is None else ((element.text or "").strip() or None)
