"""The rule by which a record becomes columns; it looks at everything.

A leaf is a column at its path, ``("name",)`` or ``("analysis", "total_code_lines")``. An
attribute counts as a child leaf. A repeated element is a list: at its container's path if the
container holds nothing else (``("tags",)``), at its own otherwise. An entry of a list is its
text, or a dict if it has attributes or children, in which the entry's text goes by the
entry's tag. An empty element is a missing one, and so is a list of nothing but these that the
schema does not know. Text between elements (mixed content) is not part of the interface and is
not read.

What stays out: the envelope (`dirframe.client.reader`) and speed (`dirframe.client.table`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from dirframe.schema import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lxml import etree

    from dirframe.schema import Resource

__all__ = ["Columns", "Part", "Path", "UnusualPageError", "Value", "as_list"]
__all__ += ["list_paths", "local", "read_by_rule", "text_of"]

Path = tuple[str, ...]
Value = Any  # None, text, or a list of texts and dicts
Part: TypeAlias = "pa.LargeStringArray | list[Value]"  # values of some pages at one path


class UnusualPageError(Exception):
    """The page holds something that a table does not look at: read it by the rule."""


@dataclass(slots=True)
class Columns:
    """Records taken apart: for each path its values, page after page, one a record."""

    rows: int = 0
    by_path: dict[Path, list[Part]] = field(default_factory=dict)

    def add(self, rows: int, parts: Mapping[Path, Part]) -> None:
        """Add the records of a page; what is at no path of theirs is missing."""
        for path in parts:
            if path not in self.by_path:
                self.by_path[path] = [_nothing(self.rows)] if self.rows else []
        for path, known in self.by_path.items():
            part = parts.get(path)
            known.append(_nothing(rows) if part is None else part)
        self.rows += rows

    def values(self) -> dict[Path, list[Value]]:
        """Return for each path its texts and lists, one a record."""
        return {
            path: [value for part in parts for value in as_list(part)]
            for path, parts in self.by_path.items()
        }


def as_list(part: Part) -> list[Value]:
    """Return the values of a part as Python has them."""
    return part if isinstance(part, list) else part.to_pylist()


def _nothing(rows: int) -> pa.Array:
    return pa.nulls(rows, pa.large_string())


def read_by_rule(
    records: Iterable[etree._Element], resource: Resource | None
) -> tuple[int, dict[Path, list[Value]]]:
    """Return how many records there are, and for each path its value in each of them."""
    lists = list_paths(resource)
    rows = 0
    columns: dict[Path, list[Value]] = {}
    for record in records:
        for path, value in _flatten(record, (), lists):
            if value is None or (isinstance(value, str) and not value.strip()):
                continue  # an empty element is a missing one, and makes no column
            values = columns.setdefault(path, [])
            values.extend([None] * (rows - len(values)))
            if len(values) == rows:
                values.append(value)
            else:  # an element and an attribute, or two elements, of the same name
                values[-1] = [*_as_list(values[-1]), *_as_list(value)]
        rows += 1
        for values in columns.values():
            values.extend([None] * (rows - len(values)))
    return rows, columns


def _as_list(value: Value) -> list[Value]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _flatten(element: etree._Element, path: Path, lists: set[Path]) -> Iterator[tuple[Path, Value]]:
    """Take one element apart: pairs of a path and a text or list."""
    for name, value in element.items():
        yield (*path, str(name).rpartition("}")[2]), value
    if len(element) == 0:
        if path in lists:
            yield path, [text_of(element)] if text_of(element) else None
        elif path:
            yield path, element.text
        return
    tags = Counter(local(child) for child in element)
    if _is_list(path, tags, lists):
        entries = [_entry(child) for child in element]
        something = path in lists or any(entry is not None for entry in entries)
        yield path, entries if something else None
        return
    for child in element:
        name = local(child)
        if tags[name] > 1 and len(child):
            yield (*path, name), [_entry(child)]
        else:
            yield from _flatten(child, (*path, name), lists)


def _is_list(path: Path, tags: Counter[str], lists: set[Path]) -> bool:
    if path in lists:
        return True
    if len(tags) != 1 or not path:
        return False
    [(tag, number)] = tags.items()
    return number > 1 or path[-1].endswith(tag + "s")


def _entry(element: etree._Element) -> Value:
    """Read one entry of a list by the rule, however deep it is."""
    text = (element.text or "").strip()
    if not len(element) and not element.keys():
        return text or None
    entry: dict[str, Value] = {}
    for path, value in _flatten(element, (), set()):
        key = "_".join(path)
        clean = value.strip() if isinstance(value, str) else value
        entry[key] = [*_as_list(entry[key]), *_as_list(clean)] if key in entry else clean or ""
    if text:
        name = local(element)
        entry[name] = [*_as_list(entry[name]), text] if name in entry else text
    return entry


def list_paths(resource: Resource | None) -> set[Path]:
    """Return the paths that the schema knows as repeated elements."""
    fields = resource.fields if resource else ()
    return {f.path for f in fields if f.kind is Kind.ITEMS}


def local(element: etree._Element) -> str:
    """Return the name of an element without its namespace."""
    tag = str(element.tag)
    return tag.rpartition("}")[2] if "}" in tag else tag


def text_of(element: etree._Element | None) -> str | None:
    """Return the text of a leaf without blanks around it; None if there is none."""
    return None if element is None else ((element.text or "").strip() or None)
