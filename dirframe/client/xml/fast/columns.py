"""Assign the elements of scanned pages to columns by their paths."""

# All elements of several pages are assigned at once, level by level, without creating an object for
# any of them. If an element is not at a known path, the pages fall back to
# `dirframe.client.xml.flatten`, so that no content is lost.

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from dirframe.client.xml.fast.elements import FallbackToTree, attribute_columns, resolved_texts
from dirframe.client.xml.fast.lists import MatchedElements, read_lists
from dirframe.client.xml.flatten import list_paths

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dirframe.client.xml.columns import ColumnChunk, FieldPath
    from dirframe.client.xml.fast.elements import ScannedPages
    from dirframe.client.xml.fast.scan import Indices
    from dirframe.schema import Resource


#: Maximum number of columns, and of different tags, in a layout; above it, pages fall back to the
#: tree. The memory of a layout grows with their square.
_MANY = 1_000


class _Role(IntEnum):
    RECORD = 0
    OTHER = 1  # unknown; skipped if columns were chosen, empty otherwise
    BRANCH = 2
    LEAF = 3
    LIST = 4
    ENTRY = 5
    PART = 6  # of an entry


_RECORD, _OTHER = 0, 1  # the nodes of every layout
_USUAL, _SILENT, _UNUSUAL = 0, 1, 2  # supported; supported without text; fallback to the tree
_CASES = [(filled, attributed) for filled in (False, True) for attributed in (False, True)]


class Layout:
    """Map from the path of each known element to the column of its text.

    Parameters
    ----------
    paths
        The columns known so far.
    resource
        Resource of the records.
    chosen
        Whether elements at other paths are skipped.
    """

    def __init__(
        self,
        paths: Collection[FieldPath],
        resource: Resource | None,
        *,
        chosen: bool = False,
    ) -> None:
        self._chosen = chosen
        self._lists = set() if chosen else list_paths(resource)
        self._roles = [_Role.RECORD, _Role.OTHER]
        self._below: list[dict[str, int]] = [{}, {}]  # known children of each node
        self._others = [_OTHER, _OTHER]  # node of all other children of each node
        self._slots: dict[FieldPath, int] = {}
        self._slot_of: dict[int, int] = {}
        self._list_nodes: dict[FieldPath, int] = {}
        self._attributes: dict[tuple[int, str], FieldPath] = {}
        self._filled: set[FieldPath] = set()  # columns that had a text
        self._overfull = len(paths) > _MANY
        for path in () if self._overfull else paths:
            self._add_path(path)
        self._names: list[str] = [""]  # no element has an empty name: indices begin at 1
        self._known: dict[str, int] = {}  # from a tag without attributes to the index of its name
        self._next = np.full((len(self._roles), 1), _OTHER)
        self._add_names(sorted({name for below in self._below for name in below}))
        slots = [self._slot_of.get(node, -1) for node in range(len(self._roles))]
        self._slot = np.array(slots, dtype=np.int64)
        self._verdicts = np.array(
            [[self._classify(role, *case) for case in _CASES] for role in self._roles],
            dtype=np.int8,
        )
        self._entries, self._parts = np.full((2, len(self._roles)), -1)
        for number, node in enumerate(self._list_nodes.values()):
            entry = self._others[node]
            self._entries[entry] = self._parts[self._others[entry]] = number
        self._once = np.isin(self._roles, [_Role.BRANCH, _Role.LEAF, _Role.LIST])
        self._deepest = max(map(len, self._slots), default=0)

    def read(self, pages: ScannedPages) -> tuple[int, dict[FieldPath, ColumnChunk]]:
        """Read the records of some documents.

        Returns
        -------
        tuple
            The number of records, and for each column with content its texts or lists.

        Raises
        ------
        FallbackToTree
            If any content would be skipped.
        """
        if self._overfull:
            raise FallbackToTree
        selected = np.arange(len(pages.depth))
        if self._chosen:  # no column is deeper
            selected = np.flatnonzero(pages.depth <= self._deepest)
        encoded = pages.strings.take(pa.array(pages.tag[selected])).dictionary_encode()
        tag, tags = encoded.indices.to_numpy(), encoded.dictionary.to_pylist()
        name = np.array(self._names_in(tags), dtype=np.int64)[tag]
        depth = pages.depth[selected]
        records = depth == 0
        elements = MatchedElements(
            pages=pages,
            text=pages.text[selected],
            filled=pages.filled[selected],
            tag=tag,
            tags=tags,
            attributed=np.array(["=" in text for text in tags], dtype=bool)[tag],
            name=name,
            names=self._names,
            node=self._sort(depth, name),
            row=np.cumsum(records) - 1,
            rows=int(np.count_nonzero(records)),
        )
        self._check(elements)
        return elements.rows, self._columns(elements)

    # -- known paths ---------------------------------------------------------------------------

    def _add_path(self, path: FieldPath) -> None:
        node = _RECORD
        for depth, name in enumerate(path, start=1):
            here = path[:depth]
            last = depth == len(path)
            if last and self._roles[node] is _Role.LIST:  # any other child is an entry
                self._attributes[node, name] = path
                return
            role = _Role.LIST if here in self._lists else _Role.LEAF if last else _Role.BRANCH
            known = self._below[node].get(name)
            if known is None:
                known = self._below[node][name] = self._add(role, here)
            elif role is _Role.LEAF and self._roles[known] is _Role.BRANCH:
                self._roles[known] = role
            node = known
        if self._roles[node] is _Role.LEAF:
            self._slots[path] = self._slot_of[node] = len(self._slots)

    def _add(self, role: _Role, path: FieldPath) -> int:
        node = self._node(role, _OTHER)
        if role is _Role.LIST:
            self._list_nodes[path] = node
            entry = self._others[node] = self._node(_Role.ENTRY, _OTHER)
            self._others[entry] = self._node(_Role.PART, _OTHER)
        return node

    def _node(self, role: _Role, others: int) -> int:
        self._roles.append(role)
        self._below.append({})
        self._others.append(others)
        return len(self._roles) - 1

    def _classify(self, role: _Role, filled: bool, attributed: bool) -> int:
        """Return the case of an element, with or without child elements and attributes."""
        if self._chosen and role is _Role.OTHER:
            return _USUAL
        if attributed and role not in {_Role.LIST, _Role.ENTRY}:
            return _UNUSUAL
        if filled and role in {_Role.OTHER, _Role.LEAF, _Role.PART}:
            return _UNUSUAL
        may_have_text = role in {_Role.RECORD, _Role.LEAF, _Role.PART}
        if filled:
            may_have_text |= role in {_Role.BRANCH, _Role.LIST}
        else:
            may_have_text |= role is _Role.ENTRY
        return _USUAL if may_have_text else _SILENT

    def _add_names(self, names: list[str]) -> None:
        self._names += names
        columns = [
            [below.get(name, others) for name in names]
            for below, others in zip(self._below, self._others, strict=True)
        ]
        more = np.array(columns, dtype=np.int64).reshape(len(self._below), len(names))
        self._next = np.hstack([self._next, more])

    # -- content of pages ----------------------------------------------------------------------

    def _names_in(self, tags: Iterable[str]) -> list[int]:
        """Return the index of the name of each tag."""
        # Attributes differ from element to element; the name is before them.
        starts = [tag.partition(" ")[0] for tag in tags]
        return [self._known.get(start) or self._name(start) for start in starts]

    def _name(self, start: str) -> int:
        name = start[1:].rstrip("/>").split(maxsplit=1)[0]
        if ":" in name or len(self._known) > _MANY:
            raise FallbackToTree
        if name not in self._names:
            self._add_names([name])
        index = self._known[start] = self._names.index(name)
        return index

    def _sort(self, level: Indices, name: Indices) -> Indices:
        """Return the node of each element."""
        node = np.full(len(level), _RECORD)
        position = np.arange(len(level))
        for depth in range(1, int(level.max(initial=0)) + 1):
            here = np.flatnonzero(level == depth)
            # The parent of an element is the last one before it that is less deep.
            parent = np.maximum.accumulate(np.where(level < depth, position, 0))[here]
            node[here] = self._next[node[parent], name[here]]
        return node

    def _check(self, elements: MatchedElements) -> None:
        """Raise `FallbackToTree` if there is content without a column."""
        verdict = self._verdicts[elements.node, elements.filled * 2 + elements.attributed]
        if (verdict == _UNUSUAL).any():
            raise FallbackToTree
        if elements.have_text(np.flatnonzero(verdict == _SILENT)):
            raise FallbackToTree
        _check_once(elements, np.flatnonzero(self._once[elements.node]))

    def _columns(self, elements: MatchedElements) -> dict[FieldPath, ColumnChunk]:
        slot = self._slot[elements.node]
        at = np.flatnonzero(slot >= 0)
        rows = elements.rows
        texts = np.full(len(self._slots) * rows, -1)
        texts[slot[at] * rows + elements.row[at]] = elements.nonempty(at)
        flat = resolved_texts(elements.pages.strings.take(pa.array(texts, mask=texts < 0)))
        chunks: dict[FieldPath, ColumnChunk] = {}
        for path, number in self._slots.items():
            chunk = flat.slice(number * rows, rows)
            if path in self._filled or _has_text(chunk):
                self._filled.add(path)
                chunks[path] = chunk
        lists = read_lists(elements, self._entries, self._parts) if self._list_nodes else []
        for (path, node), values in zip(self._list_nodes.items(), lists, strict=True):
            if values.null_count < rows:
                chunks[path] = values
            chunks.update(self._attributes_of(elements, node))
        return chunks

    def _attributes_of(self, elements: MatchedElements, node: int) -> dict[FieldPath, ColumnChunk]:
        """Return the columns of the attributes of a list."""
        at = np.flatnonzero((elements.node == node) & elements.attributed)
        columns = {}
        for name, values in attribute_columns([elements.tags[i] for i in elements.tag[at]]).items():
            path = self._attributes.get((node, name))
            if path is None:
                raise FallbackToTree
            positions = np.full(elements.rows, -1)
            positions[elements.row[at]] = np.arange(len(at))
            texts = pa.array(values, pa.large_string()).take(
                pa.array(positions, mask=positions < 0)
            )
            if _has_text(texts):
                columns[path] = texts
        return columns


def _has_text(texts: pa.LargeStringArray) -> bool:
    """Return whether a column has any text; an empty element creates no column."""
    return any(text.as_py().strip() for text in texts.drop_null())


def _check_once(elements: MatchedElements, at: Indices) -> None:
    """Raise `FallbackToTree` if a record has two elements of one node: they form a list."""
    slots = np.sort(elements.node[at] * elements.rows + elements.row[at])
    if (slots[1:] == slots[:-1]).any():
        raise FallbackToTree
