"""The fast way through pages: where each element goes whose path was met before.

All elements of some pages are sorted to their columns at once, level by level, and no object
is made for any of them. What does not stand where the rule (`dirframe.client.elements`) has
put it before makes a page unusual, and the rule reads the whole page: nothing is lost,
whatever it holds.

What stays out: stating the rule, and what is inside lists (`dirframe.client.entries`).
"""

from __future__ import annotations

from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dirframe.client.elements import UnusualPageError, list_paths
from dirframe.client.entries import Found, lists_of
from dirframe.client.markup import attributes_of, resolved

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dirframe.client.elements import Part, Path, Value
    from dirframe.client.entries import Same
    from dirframe.client.markup import Markup, Places, Truths
    from dirframe.schema import Resource

__all__ = ["Table"]

#: Columns, and different tags, that a table learns before it leaves pages to the rule: what it
#: holds grows with their square.
_MANY = 1_000


class _Role(IntEnum):
    RECORD = 0
    REST = 1  # unknown; passed over if columns were chosen, empty otherwise
    BRANCH = 2
    LEAF = 3
    LIST = 4
    ENTRY = 5
    PART = 6  # of an entry


_RECORD, _REST = 0, 1  # the nodes that every table has
_USUAL, _SILENT, _UNUSUAL = 0, 1, 2  # as the rule has it; only without text; for the rule
_CASES = [(filled, attributed) for filled in (False, True) for attributed in (False, True)]


class Table:
    """Where the text of each element goes that was met before, by its path.

    Parameters
    ----------
    paths
        The columns met so far.
    resource
        What the records are.
    same
        The texts met so far in entries of lists.
    chosen
        Whether what is not among the paths is passed over.
    """

    def __init__(
        self,
        paths: Collection[Path],
        resource: Resource | None,
        same: Same,
        *,
        chosen: bool = False,
    ) -> None:
        self._same = same
        self._chosen = chosen
        self._lists = set() if chosen else list_paths(resource)
        self._roles = [_Role.RECORD, _Role.REST]
        self._below: list[dict[str, int]] = [{}, {}]  # for each node its known children
        self._others = [_REST, _REST]  # for each node what its other children are
        self._slots: dict[Path, int] = {}
        self._slot_of: dict[int, int] = {}
        self._list_nodes: dict[Path, int] = {}
        self._attributes: dict[tuple[int, str], Path] = {}
        self._met = set(paths)
        self._overfull = len(paths) > _MANY
        for path in () if self._overfull else paths:
            self._learn(path)
        self._names: list[str] = [""]  # no element is called that: places begin at 1
        self._known: dict[str, int] = {}  # from a tag without attributes to its name's place
        self._next = np.full((len(self._roles), 1), _REST)
        self._meet(sorted({name for below in self._below for name in below}))
        slots = [self._slot_of.get(node, -1) for node in range(len(self._roles))]
        self._slot = np.array(slots, dtype=np.int64)
        self._verdicts = np.array(
            [[self._judge(role, *case) for case in _CASES] for role in self._roles], dtype=np.int8
        )
        self._entries = np.full(len(self._roles), -1)
        for number, node in enumerate(self._list_nodes.values()):
            self._entries[self._others[node]] = number
        self._parts = np.array(self._roles) == _Role.PART
        self._once = np.isin(self._roles, [_Role.BRANCH, _Role.LEAF, _Role.LIST])
        self._deepest = max(map(len, self._slots), default=0)

    def read(self, page: Markup) -> tuple[int, dict[Path, Part]]:
        """Read the records of some documents.

        Returns
        -------
        tuple
            How many records there are, and for each column its texts or lists.

        Raises
        ------
        UnusualPageError
            If anything would stay unseen.
        """
        if self._overfull:
            raise UnusualPageError
        near = np.arange(len(page.depth))
        if self._chosen:  # nothing deeper is among the columns
            near = np.flatnonzero(page.depth <= self._deepest)
        encoded = page.strings.take(pa.array(page.tag[near])).dictionary_encode()
        tag, tags = encoded.indices.to_numpy(), encoded.dictionary.to_pylist()
        name = np.array(self._names_in(tags), dtype=np.int64)[tag]
        depth = page.depth[near]
        records = depth == 0
        found = Found(
            page=page,
            text=page.text[near],
            filled=page.filled[near],
            tag=tag,
            tags=tags,
            attributed=np.array(["=" in one for one in tags], dtype=bool)[tag],
            name=name,
            names=self._names,
            node=self._sort(depth, name),
            row=np.cumsum(records) - 1,
            rows=int(np.count_nonzero(records)),
            same=self._same,
        )
        self._check(found)
        return found.rows, self._columns(found)

    # -- what is known -------------------------------------------------------------------------

    def _learn(self, path: Path) -> None:
        node = _RECORD
        for depth, name in enumerate(path, start=1):
            here = path[:depth]
            last = depth == len(path)
            if last and self._roles[node] is _Role.LIST:  # what else is inside is an entry
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

    def _add(self, role: _Role, path: Path) -> int:
        node = self._node(role, _REST)
        if role is _Role.LIST:
            self._list_nodes[path] = node
            entry = self._others[node] = self._node(_Role.ENTRY, _REST)
            self._others[entry] = self._node(_Role.PART, _REST)
        return node

    def _node(self, role: _Role, others: int) -> int:
        self._roles.append(role)
        self._below.append({})
        self._others.append(others)
        return len(self._roles) - 1

    def _judge(self, role: _Role, filled: bool, attributed: bool) -> int:
        """Say what an element may be that has elements inside or attributes, or not."""
        if self._chosen and role is _Role.REST:
            return _USUAL
        if attributed and role not in {_Role.LIST, _Role.ENTRY}:
            return _UNUSUAL
        if filled and role in {_Role.REST, _Role.LEAF, _Role.PART}:
            return _UNUSUAL
        may_have_text = role in {_Role.RECORD, _Role.LEAF, _Role.PART}
        if filled:
            may_have_text |= role in {_Role.BRANCH, _Role.LIST}
        else:
            may_have_text |= role is _Role.ENTRY
        return _USUAL if may_have_text else _SILENT

    def _meet(self, names: list[str]) -> None:
        self._names += names
        columns = [
            [below.get(name, others) for name in names]
            for below, others in zip(self._below, self._others, strict=True)
        ]
        more = np.array(columns, dtype=np.int64).reshape(len(self._below), len(names))
        self._next = np.hstack([self._next, more])

    # -- what a page holds ---------------------------------------------------------------------

    def _names_in(self, tags: Iterable[str]) -> list[int]:
        """Return for each tag the place of its name."""
        # Attributes differ from element to element, and the name is what stands before them.
        starts = [tag.partition(" ")[0] for tag in tags]
        return [self._known.get(start) or self._name(start) for start in starts]

    def _name(self, start: str) -> int:
        name = start[1:].rstrip("/>").split(maxsplit=1)[0]
        if ":" in name or len(self._known) > _MANY:
            raise UnusualPageError
        if name not in self._names:
            self._meet([name])
        place = self._known[start] = self._names.index(name)
        return place

    def _sort(self, level: Places, name: Places) -> Places:
        """Return for each element its node."""
        node = np.full(len(level), _RECORD)
        order = np.argsort(level.astype(np.uint8), kind="stable")
        first = np.cumsum(np.bincount(level))
        above = order[: first[0]]
        for begin, end in pairwise(first):
            here = order[begin:end]
            parent = above[np.searchsorted(above, here) - 1]
            node[here] = self._next[node[parent], name[here]]
            above = here
        return node

    def _check(self, found: Found) -> None:
        """Raise `UnusualPageError` if there is more than what the columns take."""
        verdict = self._verdicts[found.node, found.filled * 2 + found.attributed]
        if (verdict == _UNUSUAL).any():
            raise UnusualPageError
        silent = np.flatnonzero(verdict == _SILENT)
        if any(found.texts(silent)):
            raise UnusualPageError
        _check_once(found, np.flatnonzero(self._once[found.node]))

    def _columns(self, found: Found) -> dict[Path, Part]:
        slot = self._slot[found.node]
        at = np.flatnonzero(slot >= 0)
        rows = found.rows
        texts = np.full(len(self._slots) * rows, -1)
        texts[slot[at] * rows + found.row[at]] = found.text[at]
        flat = found.page.strings.take(pa.array(texts, mask=texts < 0))
        referring = _referring(flat)
        if referring.any():
            read = resolved(flat.filter(referring).to_pylist())
            flat = pc.replace_with_mask(flat, referring, pa.array(read, flat.type))
        parts: dict[Path, Part] = {
            path: flat.slice(number * rows, rows) for path, number in self._slots.items()
        }
        lists = lists_of(found, self._entries, self._parts)
        for (path, node), values in zip(self._list_nodes.items(), lists, strict=True):
            if path in self._met or values.count(None) < rows:
                parts[path] = values
            parts.update(self._attributes_of(found, node))
        return parts

    def _attributes_of(self, found: Found, node: int) -> dict[Path, Part]:
        """Return the columns that are attributes of a list."""
        at = np.flatnonzero(found.node == node)
        columns: dict[Path, list[Value]] = {
            path: [None] * found.rows for (of, _), path in self._attributes.items() if of == node
        }
        at = at[found.attributed[at]]
        for row, tag in zip(found.row[at].tolist(), found.tag[at].tolist(), strict=True):
            for name, value in attributes_of(found.tags[tag]).items():
                path = self._attributes.get((node, name))
                if path is None:
                    raise UnusualPageError
                columns[path][row] = value
        return {path: pa.array(values, pa.large_string()) for path, values in columns.items()}


def _check_once(found: Found, at: Places) -> None:
    """Raise `UnusualPageError` if a record has two elements of one node: these are a list."""
    places = np.sort(found.node[at] * found.rows + found.row[at])
    if (places[1:] == places[:-1]).any():
        raise UnusualPageError


def _referring(texts: pa.LargeStringArray) -> Truths:
    """Tell which texts of a new array hold references: a fifth of what Arrow's search takes."""
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, np.int64)[: len(texts) + 1]
    signs = np.frombuffer(data, np.uint8)[: starts[-1]]
    found = np.zeros(len(texts), dtype=bool)
    found[np.searchsorted(starts, np.flatnonzero(signs == ord("&")), side="right") - 1] = True
    return found
