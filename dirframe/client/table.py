"""The fast way through a page: where the text of each element goes that was met before.

A table looks at neither attributes nor children of a leaf. So the tags and attributes that it
saw are counted against those in the bytes, and a page where they differ is left to the rule
(`dirframe.client.elements`): nothing is lost, whatever a page holds.

What stays out: stating the rule.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from dirframe.client.alike import columns_alike
from dirframe.client.elements import list_paths, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml import etree

    from dirframe.client.elements import Columns, Path, Value
    from dirframe.schema import Resource

__all__ = ["Same", "Table", "UnusualPageError"]

_ASCII_BASED = {"UTF-8", "ISO-8859-1", "US-ASCII", "ASCII"}
_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?<\?xml\s")
_SPACED = re.compile(rb"=\s+[\"']")


class Same(dict[str, str]):
    """From a text to the equal one that was met first, which is the one to hold."""

    def __missing__(self, text: str) -> str:
        """Hold a text that was not met before."""
        self[text] = text
        return text


class UnusualPageError(Exception):
    """The page holds something that a table does not look at: read it by the rule."""


class Table:
    """Where the text of each element goes that was met before, by its tag.

    Parameters
    ----------
    columns
        Where the texts go.
    resource
        What the records are.
    same
        The texts met so far in entries of lists: these repeat theirs so often that holding
        each once halves the memory of a frame.
    path
        Where the elements stand; none for the records.
    """

    __slots__ = ("columns", "items", "leaves", "nested", "same")

    def __init__(
        self, columns: Columns, resource: Resource | None, same: Same, path: Path = ()
    ) -> None:
        depth = len(path)
        below = [p for p in columns.by_path if p[:depth] == path and len(p) > depth]
        here = {p: columns.by_path[p].append for p in below if len(p) == depth + 1}
        lists = list_paths(resource)
        self.columns = columns
        self.same = same
        self.leaves = {p[-1]: append for p, append in here.items() if p not in lists}
        self.items = {p[-1]: append for p, append in here.items() if p in lists}
        self.nested = {
            name: Table(columns, resource, same, (*path, name))
            for name in {p[depth] for p in below if len(p) > depth + 1}
        }

    def read(self, root: etree._Element, result: etree._Element, content: bytes) -> None:
        """Read all records of a result; raise `UnusualPageError` if anything stays unseen."""
        encoding = (root.getroottree().docinfo.encoding or "").upper()
        if encoding not in _ASCII_BASED:
            raise UnusualPageError
        if encoding == "UTF-8" and self._read_alike(root, result, content):
            return
        leaf = self.leaves.get
        lists = list(self.columns.by_path.values())
        rows = self.columns.rows
        tags = _tags_around(root, result)
        attributes = 0
        for record in result:
            rows += 1
            tags += 1 + len(record)
            for child in record:
                append = leaf(child.tag)
                if append is not None:
                    append(child.text)
                else:
                    more, named = self.branch(child)
                    tags += more
                    attributes += named
            for values in lists:
                if len(values) != rows:
                    if len(values) > rows:
                        raise UnusualPageError
                    values.append(None)
        if (tags, attributes) != _passed(content):
            raise UnusualPageError
        self.columns.rows = rows

    def _read_alike(self, root: etree._Element, result: etree._Element, content: bytes) -> bool:
        if b"<!" in content:
            return False
        texts = columns_alike(root, result, content, self.leaves)
        if texts is None:
            return False
        nothing = [None] * len(result)
        for path, values in self.columns.by_path.items():
            values.extend(texts.get(path[0], nothing) if len(path) == 1 else nothing)
        self.columns.rows += len(result)
        return True

    def branch(self, child: etree._Element) -> tuple[int, int]:
        """Put an element with children away; return the tags and attributes inside it."""
        tag = child.tag  # made anew each time it is looked up
        table = self.nested.get(tag)
        append = self.items.get(tag)
        tags, attributes = len(child), 0
        if append is not None:
            if tags:
                entries, tags, attributes = _entries(child, self.same)
                append(entries)
            elif text_of(child):
                raise UnusualPageError
            if child.attrib:
                if table is None:
                    raise UnusualPageError
                for name, value in child.items():
                    table.leaf(str(name))(value)
                    attributes += 1
        elif not tags and not child.attrib and not text_of(child):
            pass  # empty is missing, whatever it is
        elif table is not None and tags:
            for grandchild in child:
                append = table.leaves.get(grandchild.tag)
                if append is not None:
                    append(grandchild.text)
                else:
                    more, named = table.branch(grandchild)
                    tags += more
                    attributes += named
        else:
            raise UnusualPageError
        return tags, attributes

    def leaf(self, name: str) -> Callable[[Value], None]:
        """Return where the leaf of this name goes."""
        append = self.leaves.get(name)
        if append is None:
            raise UnusualPageError
        return append


def _tags_around(root: etree._Element, result: etree._Element) -> int:
    if result is root:
        return 1
    return 2 + sum(1 + len(child) for child in root if child is not result)


def _passed(content: bytes) -> tuple[int, int]:
    """Count the start tags and the attributes in the bytes; -1 where counting proves nothing."""
    view = np.frombuffer(content, dtype=np.uint8)
    behind = view[np.flatnonzero(view[:-1] == ord("<")) + 1]
    marks = np.bincount(behind, minlength=256)
    # Comments and CDATA may hold any text; the prefix xml: needs no attribute that declares it.
    if marks[ord("!")] or b"xml:" in content:
        return -1, -1
    tags = len(behind) - marks[ord("/")] - marks[ord("?")]
    # The declaration's attributes are no record's.
    start = content.find(b"?>") if _DECLARATION.match(content) else 0
    places = np.flatnonzero(view[start:-1] == ord("=")) + start + 1
    behind = view[places]
    quotes = np.count_nonzero((behind == ord('"')) | (behind == ord("'")))
    blanks = len(_SPACED.findall(content, start)) if np.any(behind <= ord(" ")) else 0
    # Text may hold =" too: then the page is read by the rule, which is only slower.
    return int(tags), int(quotes) + blanks


def _entries(container: etree._Element, same: Same) -> tuple[list[Value], int, int]:
    """Read a list of entries that are all like its first; return the tags and attributes seen."""
    first = container[0]
    if len(first):
        return _entries_with_children(container, same)
    if first.keys():
        return _entries_with_attributes(container, same)
    texts = [
        same[text.strip()] or None if (text := element.text) else None for element in container
    ]
    return texts, len(texts), 0


def _entries_with_children(container: etree._Element, same: Same) -> tuple[list[Value], int, int]:
    entries: list[Value] = []
    tags = 0
    for element in container:
        entry = {
            same[child.tag]: same[text.strip()] if (text := child.text) else "" for child in element
        }
        tags += 1 + len(element)
        if not entry or len(entry) != len(element) or text_of(element):
            raise UnusualPageError
        entries.append(entry)
    return entries, tags, 0


def _entries_with_attributes(container: etree._Element, same: Same) -> tuple[list[Value], int, int]:
    entries: list[Value] = []
    attributes = 0
    for element in container:
        entry = {same[str(name)]: same[str(value)] for name, value in element.items()}
        if not entry:
            raise UnusualPageError
        attributes += len(entry)
        tag = same[element.tag]
        text = (element.text or "").strip()
        if text:
            if tag in entry:
                raise UnusualPageError
            entry[tag] = same[text]
        entries.append(entry)
    return entries, len(entries), attributes
