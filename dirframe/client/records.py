"""Read the records of pages into columns, and these into one typed frame."""

# The rule. A leaf is a column at its path, ``("name",)`` or ``("analysis", "total_code_lines")``.
# An attribute counts as a child leaf. A repeated element is a list: at its container's path if the
# container holds nothing else (``("tags",)``), at its own otherwise. An entry of a list is its text,
# or a dict if it has attributes or children; the dict has the entry's text under the entry's tag. An
# empty element is a missing value, and so is a list of only empty elements that is not in the
# schema. Text between elements (mixed content) is not part of the interface and is ignored.
# Elements and attributes whose names say that they hold a login or a secret are left out at any depth.

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import pandas as pd

from dirframe.client.dtypes import free_name, listed, typed_columns
from dirframe.client.page import Page, check_records
from dirframe.schema import COUNTED_LISTS, Kind, Resource, resource_named
from dirframe.schema.private import is_secret, without_login

Element = Any  # of lxml, whose stubs say that texts may be bytes


class Records:
    """The records of pages of one resource: that of the first record if `resource` is None."""

    def __init__(self, resource: Resource | None = None, pages: Iterable[Page] = ()) -> None:
        self.resource = resource
        self.rows = 0
        for page in pages:
            self.add(page)

    @cached_property
    def _root(self) -> _Node:
        root = _Node()
        for field in self.resource.fields if self.resource else ():
            node = root
            for tag in field.path:
                node = node[tag]
            node.is_list = field.kind is Kind.ITEMS
        return root

    def add(self, page: Page) -> int:
        """Add the records of a page, which are of the same resource; return the row of the first."""
        begin = self.rows
        if page.record_name is not None:
            self.resource = self.resource or resource_named(page.record_name)
            check_records(page, self.resource.name)
        for row, record in enumerate(page.records, begin):
            _read(record, self._root, row)
        self.rows += len(page.records)
        return begin

    def frame(self, rows: Sequence[int] | None = None) -> pd.DataFrame:
        """Return all records, or some rows: the columns of the schema in its order, then all others."""
        resource = self.resource
        if resource is None:
            return pd.DataFrame()
        found = {
            node.path: [*map(node.public, node.cells)] if node.is_address else node.cells
            for node in self._root.nodes()
            if any(node.cells)
        }
        cells = {
            field.column: found.pop(field.path, [])
            for field in resource.fields
            if field.path in found or field in resource.core or field.column in COUNTED_LISTS
        }
        for path, column in found.items():  # <a_b> and <a><b> would have the same name
            cells[free_name("_".join(path), cells | resource.by_column)] = column
        for column in cells.values():
            column.extend([None] * (self.rows - len(column)))
        columns = typed_columns(cells, resource)
        frame = pd.DataFrame(columns, index=pd.RangeIndex(self.rows), copy=False)
        return frame if rows is None else frame.iloc[[*rows]].reset_index(drop=True)


class _Node(dict[str, "_Node"]):
    """An element at one path of a record, or of an entry of a list: those below it by their tags."""

    __slots__ = ("cells", "entry", "is_address", "is_list", "is_secret", "path")

    def __init__(self, path: tuple[str, ...] = ()) -> None:
        self.path, self.is_list = path, False
        self.is_secret = bool(path) and is_secret(path[-1])
        self.is_address = any(name.lower().endswith(("url", "urls")) for name in path)
        self.cells: list[Any] = []
        self.entry: _Node | None = None  # the root of the fields of its entries

    def __missing__(self, tag: str) -> _Node:
        name = tag.rpartition("}")[2]
        self[tag] = self[name] if name != tag else _Node((*self.path, name))
        return self[tag]

    def nodes(self) -> Iterator[_Node]:
        """Yield all nodes below this one but secret ones, and those below them."""
        for tag, node in self.items():
            # A name with a namespace leads to the node of the name without one.
            if tag == node.path[-1] and not node.is_secret:
                yield node
                yield from node.nodes()

    def public(self, value: Any) -> Any:
        """Return a value; of an address, or a list of some, without the logins."""
        if not self.is_address or not value:
            return value
        if isinstance(value, list):
            return [self.public(each) for each in value]
        return without_login(value) if isinstance(value, str) else value

    def put(self, row: int, value: Any) -> None:
        """Put a value into a row; a second one, of an element or attribute, makes a list."""
        if self.is_secret:
            return
        if row < len(self.cells):
            self.cells[row] = _join(self.cells[row], value)
        else:
            self.cells += [None] * (row - len(self.cells))
            self.cells.append(value)

    def put_attributes(self, row: int, attributes: list[tuple[str, str]]) -> None:
        for name, text in attributes:
            self[name].put(row, text.strip() or None)


def _read(element: Element, node: _Node, row: int) -> None:
    """Read the attributes and children of an element into a row of the columns below its node."""
    node.put_attributes(row, element.items())
    children = element[:]
    tags: list[str] = []
    for child in children:
        below = node[child.tag]
        if len(child):
            tags = tags or [sibling.tag for sibling in children]
            if tags.count(child.tag) > 1:
                below.put(row, _entries([child], below))
            elif below.is_list or _is_list(child):
                below.put_attributes(row, child.items())
                entries = _entries(child, below)
                below.put(row, entries if below.is_list or any(entries) else None)
            else:
                _read(child, below, row)
            continue
        if attributes := child.items():
            below.put_attributes(row, attributes)
        text = child.text
        value = (text.strip() or None) if text else None
        if below.is_list and value:
            value = [value]
        cells = below.cells
        if len(cells) == row:  # as `put` does, but a call takes longer than this
            cells.append(value)
        else:
            below.put(row, value)


def _entries(elements: Iterable[Element], container: _Node) -> list[Any]:
    """Return the entries of a list: texts, or dicts of their fields, flattened to any depth."""
    entries: list[Any] = []
    node = container.entry = container.entry or _Node()
    for element in elements:
        if node[element.tag].is_secret:
            continue
        text = element.text
        text = text and text.strip()
        attributes = element.items()
        if not attributes and not len(element):
            entries.append(node[element.tag].public(text) or None)
            continue
        named = [(node[tag], value.strip()) for tag, value in attributes]
        fields = [(n.path[0], n.public(value)) for n, value in named if not n.is_secret]
        if len(element):
            _read(element, node, 0)
            fields = [("_".join(n.path), n.public(n.cells.pop())) for n in node.nodes() if n.cells]
        if text:
            fields.append((node[element.tag].path[0], node[element.tag].public(text)))
        entry: dict[str, Any] = {}
        for name, value in fields:
            entry[name] = _join(entry[name], value) if name in entry else value or ""
        entries.append(entry)
    return entries


def _is_list(element: Element) -> bool:
    """Return whether the children of an element are the entries of a list."""
    first, *others = [child.tag for child in element]
    if others:
        return others.count(first) == len(others)
    name: str = element.tag
    return name.endswith(f"{first.rpartition('}')[2]}s")


def _join(first: Any, second: Any) -> Any:
    """Return two values of one field: a list, unless one is empty."""
    return [*listed(first), *listed(second)] if first and second else first or second
