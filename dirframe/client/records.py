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

from itertools import chain
from typing import TYPE_CHECKING, Any

import pandas as pd

from dirframe.client.dtypes import convert_column, infer_kind
from dirframe.client.page import check_records
from dirframe.errors import UnreadableValueWarning, warn
from dirframe.schema import COUNTED_LISTS, RESOURCES, Kind, resource_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dirframe.client.page import Page
    from dirframe.schema import Resource

    Element = Any  # of lxml, whose stubs say that texts may be bytes
    Path = tuple[str, ...]
    #: The values of a record by their nodes, or of an entry of a list by the names of its fields.
    Row = dict[Any, Any]

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
        self._root = _Node((), frozenset())
        self._texts: dict[str, str] = {}  # equal texts of lists are one object

    def add(self, page: Page) -> int:
        """Add the records of a page, and return the row of the first one.

        `UnreadableResponseError` if they are of another resource.
        """
        begin = self.rows
        if page.record_name is None:
            return begin
        if self.resource is None:
            self.resource = resource_named(page.record_name)
        check_records(page, self.resource.name)
        if not self.rows:
            lists = [field.path for field in self.resource.fields if field.kind is Kind.ITEMS]
            self._root = _Node((), frozenset(lists))
        rows = [self._read(record, self._root) for record in page.records]
        for node in dict.fromkeys(chain.from_iterable(rows)):
            node.cells += [None] * (self.rows - len(node.cells))
            node.cells += [row.get(node) for row in rows]
        self.rows += len(rows)
        return begin

    def _read(self, element: Element, node: _Node) -> Row:
        """Return the values of a record, or the fields of an entry of a list."""
        row: Row = {}
        for name, text in element.items():
            _put(row, node[name], text.strip())
        if len(element):
            self._read_children(list(element), node, row)
        return row

    def _read_children(self, children: list[Element], node: _Node, row: Row) -> None:
        tags: list[str] = []
        for child in children:
            below = node[child.tag]
            inside = list(child) if len(child) else None
            if inside:
                tags = tags or [sibling.tag for sibling in children]
                if tags.count(child.tag) > 1:
                    _put(row, below, [self._entry(child, below)])
                    continue
            for name, text in child.items():
                _put(row, below[name], text.strip())
            if not inside:
                text = child.text
                text = text and text.strip()
                _put(row, below, [text] if text and below.is_list else text)
            elif below.is_list or _is_list(below.path[-1], inside):
                entries = [self._entry(one, below) for one in inside]
                _put(row, below, entries if below.is_list or any(entries) else None)
            else:
                self._read_children(inside, below, row)

    def _entry(self, element: Element, container: _Node) -> Any:
        """Return one entry of a list: its text, or a dict of its fields, flattened to any depth."""
        text, share = element.text, self._texts.setdefault
        text = text and text.strip()
        if not len(element) and not element.keys():
            return share(text, text) if text else None
        node = container.entry = container.entry or _Node((), None)
        entry = self._read(element, node)
        if text:
            _put(entry, node[element.tag], text)
        return {name: share(v, v) if type(v) is str else v for name, v in entry.items()}

    def frame(self, rows: Sequence[int] | None = None) -> pd.DataFrame:
        """Return all records, or some rows: the columns of the schema in its order, then all others."""
        resource = self.resource
        if resource is None:
            return pd.DataFrame()
        cells = {node.path: node.cells for node in self._root.nodes() if node.cells}
        always = [field.path for field in resource.core]
        known = [
            field.path
            for field in resource.fields
            if field.path in cells or field.column in COUNTED_LISTS
        ]
        names = _names(resource, cells)
        values = {names[path]: cells.get(path, []) for path in [*always, *known, *cells]}
        for column in values.values():
            column.extend([None] * (self.rows - len(column)))
        kinds = {field.column: field.kind for field in resource.fields}
        columns, unreadable = typed_columns(values, kinds, resource)
        if unreadable:
            warn(
                UnreadableValueWarning(
                    f"Values of the {resource.collection} could not be read: "
                    f"{'; '.join(unreadable)}. They are missing there and kept as text in the columns "
                    "that end in _unreadable."
                )
            )
        frame = pd.DataFrame(columns, index=pd.RangeIndex(self.rows), copy=False)
        return frame if rows is None else frame.iloc[[*rows]].reset_index(drop=True)


def typed_columns(
    cells: dict[str, list[Any]], kinds: Mapping[str, Kind], resource: Resource
) -> tuple[dict[str, pd.Series[Any]], list[str]]:
    """Return columns in the dtypes of their kinds, and which texts could not be converted."""
    columns: dict[str, pd.Series[Any]] = {}
    unreadable = []
    for name, values in cells.items():
        kind = kinds.get(name, Kind.TEXT)
        if kind is Kind.ITEMS or not {list, dict}.isdisjoint(map(type, values)):
            lists = [v if v is None or isinstance(v, list) else [v] for v in values]
            columns[name] = pd.Series(lists, dtype="object")
            continue
        if name not in kinds and resource.name not in RESOURCES:
            kind = infer_kind(name, {value for value in values if value})
        columns[name], texts = convert_column(values, kind)
        if texts is not None:
            kept = f"{name}_unreadable"
            while kept in cells:
                kept += "_"
            columns[kept], texts = texts, texts.dropna()
            examples = ", ".join(repr(text[:40]) for text in texts.unique()[:_EXAMPLES])
            unreadable.append(f"{len(texts):,} in {name} ({examples})")
    return columns, unreadable


def _names(resource: Resource, paths: Iterable[Path]) -> dict[Path, str]:
    """Return the column of each path; of two with the same name, <a_b> and <a><b>, one is renamed."""
    names = {field.path: field.column for field in resource.fields}
    used = set(names.values())
    for path in paths:
        if path not in names:
            name = "_".join(path)
            if name in used:
                name = "__".join(path)
            while name in used:
                name += "_"
            names[path] = name
            used.add(name)
    return names


class _Node(dict[str, "_Node"]):
    """An element at one path of a record, or of an entry of a list: those below it by their tags."""

    __slots__ = ("cells", "entry", "is_list", "key", "lists", "path")
    __hash__ = object.__hash__  # type: ignore[assignment]  # a dict has none: by identity

    def __init__(self, path: Path, lists: frozenset[Path] | None) -> None:
        self.path, self.lists = path, lists
        self.is_list = lists is not None and path in lists
        #: Of a record the node itself: <a_b> and <a><b> are two columns, but one field of an entry.
        self.key: Any = "_".join(path) if lists is None else self
        self.entry: _Node | None = None
        self.cells: list[Any] = []

    def __missing__(self, tag: str) -> _Node:
        name = tag.rpartition("}")[2]
        if name not in self:
            self[name] = _Node((*self.path, name), self.lists)
        self[tag] = self[name]
        return self[name]

    def nodes(self) -> Iterator[_Node]:
        """Yield all nodes below this one."""
        for node in dict.fromkeys(self.values()):
            yield node
            yield from node.nodes()


def _put(row: Row, node: _Node, value: Any) -> None:
    """Put a value into a row; a second one, of an element or attribute, makes a list."""
    key = node.key
    if not value:
        if node.lists is None:  # an entry shows its empty fields
            row.setdefault(key, "")
    elif row.get(key):
        row[key] = [*_as_list(row[key]), *_as_list(value)]
    else:
        row[key] = value


def _is_list(name: str, children: list[Element]) -> bool:
    """Return whether the children of an element are the entries of a list."""
    first = children[0].tag
    if len(children) == 1:
        return name.endswith(f"{first.rpartition('}')[2]}s")
    return all(child.tag == first for child in children)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
