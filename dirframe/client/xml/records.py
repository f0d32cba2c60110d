"""Read the records of pages into columns, and these into one typed frame."""

# The rule. A leaf is a column at its path, ``("name",)`` or ``("analysis", "total_code_lines")``.
# An attribute counts as a child leaf. A repeated element is a list: at its container's path if the
# container holds nothing else (``("tags",)``), at its own otherwise. An entry of a list is its text,
# or a dict if it has attributes or children; the dict has the entry's text under the entry's tag. An
# empty element is a missing value, also between others that are repeated, and so is a list of only
# empty elements that is not in the schema. A field of the schema that is always sent empty is a
# column without values; other elements that are always empty are none. Text between elements (mixed
# content) is not part of the interface and is ignored. Elements and attributes whose names say that
# they hold a login or a secret are left out at any depth.

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import pandas as pd

from dirframe.client.xml.columns import free_name, listed, typed_columns
from dirframe.client.xml.page import Page, check_records, refuse
from dirframe.schema import COUNTED_LISTS, RESOURCES, Kind, Resource, resource_named
from dirframe.schema.private import is_secret, without_login

#: Most different elements and attributes of the records of a collection; real ones have some 60.
MAX_FIELDS = 1_000

Element = Any  # of lxml, whose stubs say that texts may be bytes
_Path = tuple[str, ...]


class Records:
    """The records of pages of one resource: that of the first record if `resource` is None."""

    def __init__(self, resource: Resource | None = None, pages: Iterable[Page] = ()) -> None:
        self.resource = resource
        self.rows = 0
        self._root: _Node | None = None
        for page in pages:
            self.add(page)

    def add(self, page: Page) -> int:
        """Add the records of a page, which are of the same resource; return the row of the first."""
        begin = self.rows
        if page.record_name is None:
            return begin
        self.resource = self.resource or resource_named(page.record_name)
        check_records(page, self.resource.name)
        self._root = root = self._root or _tree(self.resource)
        for row, record in enumerate(page.records, begin):
            _read(record, root, row)
            if (number := root.names.count()) > MAX_FIELDS:
                found = f"{number:,} different elements and attributes"
                text = f"holds records with {found}, of which {MAX_FIELDS:,} are allowed"
                refuse(found, page.source, text=text)
        self.rows += len(page.records)
        return begin

    def frame(self, rows: Sequence[int] | None = None) -> pd.DataFrame:
        """Return all records, or some rows: the columns of the schema in its order, then all others."""
        resource = self.resource
        if resource is None:
            return pd.DataFrame()
        count = self.rows if rows is None else len(rows)
        fields = {field.path: field for field in resource.fields}
        nodes = {node.path: node for node in self._root.nodes() if node.cells} if self._root else {}
        columns = {path: _values(node, rows, self.rows) for path, node in nodes.items()}
        is_in_every_frame = {*resource.core}
        cells: dict[str, list[Any]] = {}
        for field in resource.fields:
            values = columns.get(field.path)
            if values is not None:
                cells[field.column] = values
            elif field in is_in_every_frame or field.column in COUNTED_LISTS:
                cells[field.column] = [None] * count
        unknown = [path for path, values in columns.items() if path not in fields and any(values)]
        used = {*resource.by_column}
        for path, joined in _joined(unknown, used).items():
            name = free_name(joined, used)
            used.add(name)
            cells[name] = columns[path]
        typed = typed_columns(
            cells,
            resource.fields,
            collection=resource.collection,
            # Of records of the specification, others are text.
            infers=resource.name not in RESOURCES,
        )
        return pd.DataFrame(typed, index=pd.RangeIndex(count), copy=False)


def check_readable(page: Page, resource: Resource | None) -> None:
    """Raise if the records of a page cannot be read, or are not those of a resource."""
    Records(resource, [page])


# -- from elements to cells ------------------------------------------------------------------


class _Names(dict[str, "str | None"]):
    """The names of elements and attributes in the entries of lists, by tags; None for secrets."""

    def __init__(self) -> None:
        super().__init__()
        #: Those of all columns, and of fields in other elements of an entry.
        self.paths: set[_Path] = set()

    def __missing__(self, tag: str) -> str | None:
        name = tag.rpartition("}")[2]
        self[tag] = None if is_secret(name) else name
        return self[tag]

    def count(self) -> int:
        """Return the number of different elements and attributes."""
        return len(self) + len(self.paths)


class _Node(dict[str, "_Node"]):
    """An element at one path of a record: the cells of its column, and those below it by their tags."""

    __slots__ = ("cells", "is_address", "is_list", "is_repeated", "is_secret", "names", "path")

    def __init__(self, path: _Path, names: _Names) -> None:
        self.path = path
        self.names = names  # in the entries of all lists of the tree
        self.is_list = False  # by the schema
        self.is_repeated = False  # in any row
        self.is_secret = bool(path) and is_secret(path[-1])
        self.is_address = any(map(_is_address, path))
        self.cells: list[Any] = []
        if path:
            names.paths.add(path)

    def __missing__(self, tag: str) -> _Node:
        name = tag.rpartition("}")[2]
        self[tag] = self[name] if name != tag else _Node((*self.path, name), self.names)
        return self[tag]

    def nodes(self) -> Iterator[_Node]:
        """Yield all nodes below this one but secret ones, and those below them."""
        for tag, node in self.items():
            # A name with a namespace leads to the node of the name without one.
            if tag == node.path[-1] and not node.is_secret:
                yield node
                yield from node.nodes()

    def put(self, row: int, value: Any) -> None:
        """Put a value into a row; a second one, of an element or attribute, makes a list."""
        cells = self.cells
        if self.is_secret:
            return
        if row >= len(cells):
            cells.extend([None] * (row - len(cells)))
            cells.append(value)
            return
        present = cells[row]
        if self.is_list and (present is None or value is None):  # an empty container has no entry
            cells[row] = present or value
        elif isinstance(present, list):
            present.extend(listed(value))
        else:
            self.is_repeated = True
            cells[row] = [present, *listed(value)]

    def put_attributes(self, row: int, attributes: list[tuple[str, str]]) -> None:
        for tag, text in attributes:
            self[tag].put(row, text.strip() or None)


def _tree(resource: Resource) -> _Node:
    root = _Node((), _Names())
    for field in resource.fields:
        node = root
        for tag in field.path:
            node = node[tag]
        node.is_list = field.kind is Kind.ITEMS
    return root


def _read(element: Element, node: _Node, row: int) -> None:
    """Read the attributes and children of an element into a row of the columns below its node."""
    node.put_attributes(row, element.items())
    children = element[:]
    names = node.names
    counts: Counter[str] | None = None
    for child in children:
        below = node[child.tag]
        if len(child):
            if counts is None:
                counts = Counter([sibling.tag for sibling in children])
            if counts[child.tag] > 1:
                below.put(row, _entries([child], names, below.is_address) or None)
            elif below.is_list or _is_list(child):
                below.put_attributes(row, child.items())
                entries = _entries(child, names, below.is_address)
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


def _is_list(element: Element) -> bool:
    """Return whether the children of an element are the entries of a list."""
    first, *others = [child.tag for child in element]
    if others:
        return others.count(first) == len(others)
    name: str = element.tag
    return name.endswith(f"{first.rpartition('}')[2]}s")


# -- entries of lists ------------------------------------------------------------------------

#: A field of an entry: its name, or its path if it is in another element.
_Key = str | _Path


def _entries(elements: Iterable[Element], names: _Names, is_address: bool) -> list[Any]:
    """Return the entries of a list: texts, or dicts of their fields, flattened to any depth.

    `is_address` says whether they are addresses, by the name of the list.
    """
    entries: list[Any] = []
    for element in elements:
        name = names[element.tag]
        if name is None:
            continue
        text = element.text
        text = text.strip() if text else ""
        if "@" in text and (is_address or _is_address(name)):
            text = without_login(text)
        attributes = element.items()
        has_children = bool(len(element))
        if not attributes and not has_children:
            entries.append(text or None)
            continue
        fields: dict[_Key, Any] = {}
        is_url = is_address or _is_address(name)
        if attributes:
            _add_attributes(fields, (), attributes, names, is_url)
        if has_children:
            _add_children(fields, (), element, names, is_url)
        if text:
            _add(fields, name, text)
        if has_children and tuple in map(type, fields):
            names.paths.update(key for key in fields if isinstance(key, tuple))
            entries.append(_flattened(fields))
        else:
            entries.append(fields)
    return entries


def _add_attributes(
    fields: dict[_Key, Any],
    path: _Path,
    attributes: list[tuple[str, str]],
    names: _Names,
    is_address: bool,
) -> None:
    """Add attributes to the fields of an entry; the path is () for those of the entry itself."""
    for tag, value in attributes:
        name = names[tag]
        if name is None:
            continue
        text = value.strip()
        if "@" in text and (is_address or _is_address(name)):
            text = without_login(text)
        key = (*path, name) if path else name
        if key in fields:
            _add(fields, key, text)
        else:
            fields[key] = text


def _add_children(
    fields: dict[_Key, Any], path: _Path, element: Element, names: _Names, is_address: bool
) -> None:
    """Add the children of an element to the fields of an entry."""
    counts: Counter[str] | None = None
    for child in element:
        name = names[child.tag]
        if name is None:
            continue
        key = (*path, name) if path else name
        if not len(child):
            if attributes := child.items():
                is_url = is_address or _is_address(name)
                _add_attributes(fields, (*path, name), attributes, names, is_url)
            text = child.text
            text = text.strip() if text else ""
            if "@" in text and (is_address or _is_address(name)):
                text = without_login(text)
            if key in fields:
                _add(fields, key, text)
            else:
                fields[key] = text
            continue
        if counts is None:
            counts = Counter([sibling.tag for sibling in element])
        is_url = is_address or _is_address(name)
        if counts[child.tag] > 1:
            _add(fields, key, _entries([child], names, is_url))
            continue
        _add_attributes(fields, (*path, name), child.items(), names, is_url)
        if _is_list(child):
            entries = _entries(child, names, is_url)
            _add(fields, key, entries if any(entries) else "")
        else:
            _add_children(fields, (*path, name), child, names, is_url)


def _add(fields: dict[_Key, Any], key: _Key, value: Any) -> None:
    """Add a value to the fields of an entry; a second one of a field makes a list."""
    if key not in fields:
        fields[key] = value
    elif isinstance(fields[key], list):
        fields[key].extend(listed(value or None))
    else:
        fields[key] = [fields[key] or None, *listed(value or None)]


def _flattened(fields: dict[_Key, Any]) -> dict[str, Any]:
    """Return the fields of an entry by their names."""
    values = {(key,) if isinstance(key, str) else key: value for key, value in fields.items()}
    named: dict[_Key, Any] = {}
    for path, name in _joined(values, set()).items():
        _add(named, name, values[path])
    return {str(name): value for name, value in named.items()}


# -- from cells to columns -------------------------------------------------------------------


def _values(node: _Node, rows: Sequence[int] | None, count: int) -> list[Any]:
    """Return the values of a column, of all rows or of some."""
    cells = node.cells
    cells.extend([None] * (count - len(cells)))
    values = cells if rows is None else list(map(cells.__getitem__, rows))
    if node.is_address:
        values = [_public_address(value) if value else value for value in values]
    if node.is_repeated and not node.is_list:
        return [None if isinstance(value, list) and not any(value) else value for value in values]
    return values


def _public_address(value: Any) -> Any:
    """Return an address, or a list of some, without logins; entries have none."""
    if isinstance(value, str):
        return without_login(value) if "@" in value else value
    return [_public_address(each) for each in value] if isinstance(value, list) else value


def _joined(paths: Iterable[_Path], taken: set[str]) -> dict[_Path, str]:
    """Return the names of paths: joined by one underscore, or by two if one gives another's name."""
    paths = list(paths)
    names: dict[_Path, str] = {}
    taken = taken | {path[0] for path in paths if len(path) == 1}
    for path in paths:
        if len(path) == 1:
            names[path] = path[0]
            continue
        name, other = "_".join(path), "__".join(path)
        names[path] = other if name in taken and other not in taken else name
        taken.add(names[path])
    return names


@lru_cache(4096)
def _is_address(name: str) -> bool:
    return name.lower().endswith(("url", "urls"))
