"""The way through a page for a few chosen columns; everything else is passed over unread.

What stays out: the rule (`dirframe.client.elements`) and reading everything
(`dirframe.client.table`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.client.table import UnusualPageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from lxml import etree

    from dirframe.client.elements import Columns, Path, Value

__all__ = ["ChosenTable"]


class ChosenTable:
    """Where the text of each chosen leaf goes, by its tag; paths of one or two steps.

    Parameters
    ----------
    columns
        Where the texts go.
    paths
        The chosen leaves.
    """

    __slots__ = ("columns", "leaves", "nested")

    def __init__(self, columns: Columns, paths: Collection[Path]) -> None:
        self.columns = columns
        self.leaves: dict[str, Callable[[Value], None]] = {}
        self.nested: dict[str, dict[str, Callable[[Value], None]]] = {}
        for path in paths:
            append = columns.by_path.setdefault(path, []).append
            if len(path) == 1:
                self.leaves[path[0]] = append
            else:
                self.nested.setdefault(path[0], {})[path[1]] = append

    def read(self, result: etree._Element) -> None:
        """Read all records of a result; `UnusualPageError` if a chosen leaf is none."""
        leaf, inside = self.leaves.get, self.nested.get
        lists = list(self.columns.by_path.values())
        rows = self.columns.rows
        for record in result:
            rows += 1
            for child in record:
                append = leaf(child.tag)
                if append is not None:
                    if len(child):
                        raise UnusualPageError
                    append(child.text)
                    continue
                leaves = inside(child.tag)
                if leaves is not None:
                    _read_inside(child, leaves)
            for values in lists:
                if len(values) != rows:
                    if len(values) > rows:
                        raise UnusualPageError
                    values.append(None)
        self.columns.rows = rows


def _read_inside(element: etree._Element, leaves: dict[str, Callable[[Value], None]]) -> None:
    if element.keys():  # an attribute could be what a chosen path means
        raise UnusualPageError
    leaf = leaves.get
    for child in element:
        append = leaf(child.tag)
        if append is not None:
            if len(child):
                raise UnusualPageError
            append(child.text)
