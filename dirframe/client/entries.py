"""The lists of a page: what stands inside a record more than once.

All lists of a page are read together: their entries follow each other in the document.

What stays out: which elements are entries (`dirframe.client.table`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from dirframe.client.elements import UnusualPageError
from dirframe.client.markup import attributes_of, resolved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.client.elements import Value
    from dirframe.client.markup import Markup, Places, Truths

__all__ = ["Found", "Same", "lists_of"]


class Same(dict[str, str]):
    """From a text to the equal one that was met first, which is the one to hold.

    Lists repeat their texts so often that this halves the memory of a frame.
    """

    def __missing__(self, text: str) -> str:
        """Hold a text that was not met before."""
        self[text] = text
        return text


@dataclass(frozen=True, slots=True)
class Found:
    """The elements of some documents, and what a table makes of them.

    Parameters
    ----------
    page
        The documents.
    text, filled
        As in the documents, for the elements that matter alone.
    tag
        The element's start tag, as its place in `tags`.
    tags
        The different start tags.
    attributed
        Whether the element has attributes.
    name
        The element's name, as its place in `names`.
    names
        The names met so far.
    node
        What the element is for the table.
    row
        In which record it stands.
    rows
        How many records there are.
    same
        The texts met so far in lists.
    """

    page: Markup
    text: Places
    filled: Truths
    tag: Places
    tags: Sequence[str]
    attributed: Truths
    name: Places
    names: Sequence[str]
    node: Places
    row: Places
    rows: int
    same: Same

    def texts(self, at: Places) -> list[str]:
        """Return the texts of some elements without blanks around them; "" for none."""
        places = self.text[at]
        found = self.page.strings.take(pa.array(places, mask=places < 0))
        encoded = found.dictionary_encode()  # most texts come again and again
        words = [self.same[text.strip()] for text in resolved(encoded.dictionary.to_pylist())]
        words.append("")
        return [words[place] for place in encoded.indices.fill_null(-1).to_pylist()]

    def attributes(self, tag: int) -> dict[str, str]:
        """Return the attributes of a start tag, without blanks around values."""
        named = attributes_of(self.tags[tag]).items()
        return {name: self.same[value.strip()] for name, value in named}


def lists_of(found: Found, entries: Places, parts: Truths) -> list[list[Value]]:
    """Return for each list its entries in each record; None where there are none.

    Parameters
    ----------
    found
        The elements. A list stands in a record at most once.
    entries
        For each node of which list it is an entry, as a number from 0 on; -1 for others.
    parts
        For each node whether it is inside an entry.

    Raises
    ------
    UnusualPageError
        If an entry has both attributes and children, or two values of one name.
    """
    columns: list[list[Value]] = [
        [None] * found.rows for _ in range(int(np.max(entries, initial=-1)) + 1)
    ]
    of = entries[found.node]
    at = np.flatnonzero(of >= 0)
    if not len(at):
        return columns
    values = _values(found, at, parts)
    of, row = of[at], found.row[at]
    begins = np.append(0, np.flatnonzero((np.diff(of) != 0) | (np.diff(row) != 0)) + 1)
    heads = zip(of[begins].tolist(), row[begins].tolist(), strict=True)
    for (number, record), (begin, end) in zip(
        heads, pairwise([*begins.tolist(), len(at)]), strict=True
    ):
        columns[number][record] = values[begin:end]
    return columns


def _values(found: Found, at: Places, parts: Truths) -> list[Value]:
    """Read entries: a text, or what stands in attributes or children by their names."""
    filled, attributed = found.filled[at], found.attributed[at]
    if (filled & attributed).any():
        raise UnusualPageError
    texts = found.texts(at)
    values: list[Value] = [text or None for text in texts]
    with_attributes = np.flatnonzero(attributed)
    of = at[with_attributes]
    read = {
        tag: (found.attributes(tag), found.names[name])
        for tag, name in set(zip(found.tag[of].tolist(), found.name[of].tolist(), strict=True))
    }
    if any(name in named for named, name in read.values()):  # which means the text, too
        raise UnusualPageError
    for place, tag in zip(with_attributes.tolist(), found.tag[of].tolist(), strict=True):
        named, name = read[tag]
        text = texts[place]
        values[place] = {**named, name: text} if text else named.copy()
    with_children = np.flatnonzero(filled)
    if len(with_children):
        children = _children(found, at[with_children], np.flatnonzero(parts[found.node]))
        for place, entry in zip(with_children.tolist(), children, strict=True):
            values[place] = entry
    return values


def _children(found: Found, at: Places, parts: Places) -> list[dict[str, str]]:
    texts = found.texts(parts)
    names = [found.names[name] for name in found.name[parts].tolist()]
    ends = np.searchsorted(parts, [*at[1:].tolist(), len(found.node)]).tolist()
    entries = [
        dict(zip(names[begin:end], texts[begin:end], strict=True))
        for begin, end in pairwise([0, *ends])
    ]
    if sum(map(len, entries)) != len(parts):  # a name comes twice
        raise UnusualPageError
    return entries
