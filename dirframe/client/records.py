"""Read the records of pages into columns, and these into one typed frame."""

# The rule. A leaf is a column at its path, ``("name",)`` or ``("analysis", "total_code_lines")``.
# An attribute counts as a child leaf. A repeated element is a list: at its container's path if the
# container holds nothing else (``("tags",)``), at its own otherwise. An entry of a list is its text,
# or a dict if it has attributes or children; the dict has the entry's text under the entry's tag. An
# empty element is a missing value, and so is a list of only empty elements that is not in the
# schema. Text between elements (mixed content) is not part of the interface and is ignored.
#
# The dtypes follow the schema, for any number of records: text, identifiers and addresses are
# ``str``, whole numbers ``Int64``, other numbers ``Float64``, timestamps ``datetime64[us, UTC]``,
# repeated elements Python lists. A column unknown to the schema is ``str``; outside the
# specification its dtype is inferred. A value that cannot be converted is never dropped: its text
# goes to a column of the same name with the suffix ``_unreadable``, and a warning is issued.

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe._arrow import loader_series
from dirframe.client.dtypes import convert_column, infer_kind
from dirframe.client.page import check_records
from dirframe.errors import UnreadableValueWarning, warn
from dirframe.schema import COUNTED_LISTS, RESOURCES, Kind
from dirframe.schema.extensions import resource_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dirframe.client.page import Page
    from dirframe.schema import Resource

    #: Texts of lists repeat, and so do their names: equal ones are one object in memory.
    Share = dict[Any, str]
    Element = Any  # of lxml, whose stubs say that texts may be bytes

_EXAMPLES = 3  # texts in a warning


def frame_of(pages: Iterable[Page], resource: Resource | None = None) -> pd.DataFrame:
    """Return the records of pages as one frame; see `Records`."""
    records = Records(resource)
    for page in pages:
        records.add(page)
    return records.frame()


class Records:
    """The records of pages of one resource: that of the first record if `resource` is None."""

    def __init__(self, resource: Resource | None = None) -> None:
        self.resource = resource
        self.rows = 0
        self._root = _Node((), self._lists())
        self._share: Share = {}

    def _lists(self) -> frozenset[tuple[str, ...]]:
        fields = self.resource.fields if self.resource else ()
        return frozenset(field.path for field in fields if field.kind is Kind.ITEMS)

    def add(self, page: Page) -> None:
        """Add the records of a page; `UnreadableResponseError` if they are of another resource."""
        if self.resource is None and page.record_name is not None:
            self.resource = resource_named(page.record_name)
            self._root = _Node((), self._lists())
        check_records(page, self.resource.name if self.resource else None)
        root, share = self._root, self._share
        for record in page.records:
            _read(record, root, list(record), self.rows, share)
            self.rows += 1

    def frame(self) -> pd.DataFrame:
        """Return one row a record: the columns of the schema in its order, then all others."""
        if self.resource is None:
            return pd.DataFrame()
        nodes = {node.path: node.cells for node in self._root.nodes() if node.cells}
        names = _names(self.resource, nodes)
        always = [field.path for field in self.resource.core]
        known = [
            field.path
            for field in self.resource.fields
            if field.path in nodes or field.column in COUNTED_LISTS
        ]
        columns: dict[str, pd.Series[Any]] = {}
        unreadable = {}
        for path in dict.fromkeys([*always, *known, *nodes]):
            name = names[path]
            values = nodes.get(path, [])
            values += [None] * (self.rows - len(values))
            columns[name], texts = _convert(self.resource, name, values)
            if texts is not None:
                kept = f"{name}_unreadable"
                while kept in names.values():
                    kept += "_"
                columns[kept], unreadable[name] = texts, texts
        if unreadable:
            warn(_warning(self.resource, unreadable))
        return pd.DataFrame(columns, index=pd.RangeIndex(self.rows), copy=False)


def _convert(
    resource: Resource, name: str, values: list[Any]
) -> tuple[pd.Series[Any], pd.Series[Any] | None]:
    """Return a column, and the texts of it that could not be converted."""
    field = resource.by_column.get(name)
    kind = field.kind if field else Kind.TEXT
    if kind is Kind.ITEMS or any(type(value) is list for value in values):
        lists = [v if v is None or isinstance(v, list) else [v] for v in values]
        return pd.Series(lists, dtype="object"), None
    if field is None and resource.name not in RESOURCES:
        kind = infer_kind(name, {value.strip() for value in values if value is not None})
    array, texts = convert_column(values, kind)
    return loader_series(array), None if texts is None else loader_series(texts)


def _warning(resource: Resource, unreadable: dict[str, pd.Series[Any]]) -> UnreadableValueWarning:
    messages = []
    for name, column in unreadable.items():
        texts = column.dropna()
        examples = ", ".join(repr(text[:40]) for text in texts.unique()[:_EXAMPLES])
        messages.append(f"{len(texts):,} in {name} ({examples})")
    return UnreadableValueWarning(
        f"Values of the {resource.collection} could not be read: {'; '.join(messages)}. They are "
        "missing there and kept as text in the columns that end in _unreadable."
    )


def _names(resource: Resource, paths: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """Return the column of each path; of two with the same name, <a_b> and <a><b>, one is renamed."""
    names = {field.path: field.column for field in resource.fields}
    used = set(names.values())
    for path in paths:
        if path not in names:
            name = "_".join(path)
            while name in used:
                name = "__".join(path) if name == "_".join(path) else f"{name}_"
            names[path] = name
            used.add(name)
    return names


class _Node:
    """An element at one path of a record: its column, and the elements below it by their tags."""

    __slots__ = ("below", "cells", "is_list", "lists", "path")

    def __init__(self, path: tuple[str, ...], lists: frozenset[tuple[str, ...]]) -> None:
        self.path, self.lists, self.is_list = path, lists, path in lists
        self.below: dict[str, _Node] = {}
        self.cells: list[Any] = []

    def child(self, tag: str) -> _Node:
        """Return the node of a child that is seen the first time."""
        name = _local(tag)
        if name not in self.below:
            self.below[name] = _Node((*self.path, name), self.lists)
        self.below[tag] = self.below[name]
        return self.below[tag]

    def put(self, row: int, value: Any) -> None:
        """Put a value into the column; a second one, of an element or attribute, makes a list."""
        cells = self.cells
        if len(cells) > row:
            cells[-1] = [*_as_list(cells[-1]), *_as_list(value)]
            return
        if len(cells) < row:
            cells += [None] * (row - len(cells))
        cells.append(value)

    def put_attribute(self, row: int, name: str, value: str) -> None:
        """Put an attribute of the element into the column of a child of its name."""
        if value and not value.isspace():
            (self.below.get(name) or self.child(name)).put(row, value)

    def nodes(self) -> Iterator[_Node]:
        """Yield all nodes below this one."""
        for node in dict.fromkeys(self.below.values()):
            yield node
            yield from node.nodes()


def _read(element: Element, node: _Node, children: list[Element], row: int, share: Share) -> None:
    """Read an element that is neither a leaf nor a list into the columns below its node."""
    known = node.below
    for name, value in element.items():
        node.put_attribute(row, name, value)
    nodes = [known.get(child.tag) or node.child(child.tag) for child in children]
    repeats = len(set(nodes)) < len(nodes)
    for child, below in zip(children, nodes, strict=True):
        if not len(child):
            for name, value in child.items():
                below.put_attribute(row, name, value)
            if (text := child.text) and not text.isspace():
                below.put(row, [text.strip()] if below.is_list else text)
            continue
        inside = list(child)
        if repeats and nodes.count(below) > 1:
            below.put(row, [_entry(child, share)])
        elif below.is_list or _is_list(below.path[-1], inside):
            for name, value in child.items():
                below.put_attribute(row, name, value)
            entries = [_entry(one, share) for one in inside]
            if below.is_list or any(entry is not None for entry in entries):
                below.put(row, entries)
        else:
            _read(child, below, inside, row, share)


def _is_list(name: str, children: list[Element]) -> bool:
    """Return whether the children of an element are the entries of a list."""
    first = children[0].tag
    if len(children) == 1:
        return name.endswith(f"{_local(first)}s")
    return all(child.tag == first for child in children)


def _entry(element: Element, share: Share) -> Any:
    """Return one entry of a list, flattened to any depth."""
    text = element.text
    text = text and text.strip()
    children = list(element)
    if not children and not element.keys():
        return share.setdefault(text, text) or None
    entry: dict[str, Any] = {}
    _fill(entry, element, children, "", share)
    if text:
        _put(entry, intern(_local(element.tag)), share.setdefault(text, text))
    return entry


def _fill(
    entry: dict[str, Any], element: Element, children: list[Element], name: str, share: Share
) -> None:
    """Put attributes and children of an element into an entry, below a name of its fields."""
    before = f"{name}_" if name else ""
    for attribute, value in element.items():
        text = value.strip()
        _put(entry, intern(before + _local(attribute)), share.setdefault(text, text))
    if not children:
        return
    if name and _is_list(_local(element.tag), children):
        entries = [_entry(child, share) for child in children]
        has_content = any(one is not None for one in entries)
        _put(entry, name, entries if has_content else None)
        return
    tags = [_local(child.tag) for child in children]
    repeats = len(set(tags)) < len(tags)
    for child, below in zip(children, tags, strict=True):
        key, inside = intern(before + below), list(child)
        if inside and repeats and tags.count(below) > 1:
            _put(entry, key, [_entry(child, share)])
            continue
        _fill(entry, child, inside, key, share)
        if not inside:
            text = child.text
            text = text and text.strip()
            _put(entry, key, share.setdefault(text, text))


def _put(entry: dict[str, Any], name: str, value: Any) -> None:
    """Put a field into an entry; a second one of its name makes a list."""
    if name in entry:
        entry[name] = [*_as_list(entry[name]), *_as_list(value)]
    else:
        entry[name] = value or ""


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]
