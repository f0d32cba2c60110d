"""Read all lists of scanned pages at once: their entries are consecutive in a document."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from dirframe.client.xml.fast.elements import FallbackToTree, attributes_of, resolve_references

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.client.xml.columns import CellValue
    from dirframe.client.xml.fast.elements import ScannedPages
    from dirframe.client.xml.fast.scan import Indices, Mask


class StringPool(dict[str, str]):
    """Map from a text to the first equal one, so that each is stored once.

    Lists repeat their texts so often that this halves the memory of a frame.
    """

    def __missing__(self, text: str) -> str:
        """Store a new text."""
        self[text] = text
        return text


@dataclass(frozen=True, slots=True)
class MatchedElements:
    """Elements of scanned pages, matched with the columns of a layout.

    Parameters
    ----------
    pages
        The documents.
    text, filled
        As in `pages`, for the selected elements only.
    tag
        Index of the start tag in `tags`.
    tags
        The distinct start tags.
    attributed
        Whether the element has attributes.
    name
        Index of the element's name in `names`.
    names
        The element names so far.
    node
        The node of the element in the layout.
    row
        Index of its record.
    rows
        Number of records.
    pool
        The texts in lists so far.
    """

    pages: ScannedPages
    text: Indices
    filled: Mask
    tag: Indices
    tags: Sequence[str]
    attributed: Mask
    name: Indices
    names: Sequence[str]
    node: Indices
    row: Indices
    rows: int
    pool: StringPool

    def texts(self, at: Indices) -> list[str]:
        """Return the stripped texts of some elements; "" for none."""
        indices = self.text[at]
        taken = self.pages.strings.take(pa.array(indices, mask=indices < 0))
        encoded = taken.dictionary_encode()  # most texts occur repeatedly
        resolved = resolve_references(encoded.dictionary.to_pylist())
        words = [*(self.pool[text.strip()] for text in resolved), ""]
        return [words[index] for index in encoded.indices.fill_null(-1).to_pylist()]

    def attributes(self, tag: int) -> dict[str, str]:
        """Return the attributes of a start tag, with stripped values."""
        named = attributes_of(self.tags[tag]).items()
        return {name: self.pool[value.strip()] for name, value in named}


def read_lists(elements: MatchedElements, entries: Indices, parts: Mask) -> list[list[CellValue]]:
    """Return the entries of each list by record; None for records without entries.

    Parameters
    ----------
    elements
        The elements. A record has each list at most once.
    entries
        For each node the number of the list it is an entry of, from 0; -1 for others.
    parts
        Whether each node is inside an entry.

    Raises
    ------
    FallbackToTree
        If an entry has both attributes and children, or two values of one name.
    """
    columns: list[list[CellValue]] = [
        [None] * elements.rows for _ in range(int(np.max(entries, initial=-1)) + 1)
    ]
    of = entries[elements.node]
    at = np.flatnonzero(of >= 0)
    if not len(at):
        return columns
    values = _values(elements, at, parts)
    of, row = of[at], elements.row[at]
    begins = np.append(0, np.flatnonzero((np.diff(of) != 0) | (np.diff(row) != 0)) + 1)
    heads = zip(of[begins].tolist(), row[begins].tolist(), strict=True)
    for (number, record), (begin, end) in zip(
        heads, pairwise([*begins.tolist(), len(at)]), strict=True
    ):
        columns[number][record] = values[begin:end]
    return columns


def _values(elements: MatchedElements, at: Indices, parts: Mask) -> list[CellValue]:
    """Read entries: a text, or a dict of attributes or children."""
    filled, attributed = elements.filled[at], elements.attributed[at]
    if (filled & attributed).any():
        raise FallbackToTree
    texts = elements.texts(at)
    values: list[CellValue] = [text or None for text in texts]
    with_attributes = np.flatnonzero(attributed)
    of = at[with_attributes]
    read = {
        tag: (elements.attributes(tag), elements.names[name])
        for tag, name in set(
            zip(elements.tag[of].tolist(), elements.name[of].tolist(), strict=True)
        )
    }
    if any(name in named for named, name in read.values()):  # the name of the text
        raise FallbackToTree
    for index, tag in zip(with_attributes.tolist(), elements.tag[of].tolist(), strict=True):
        named, name = read[tag]
        text = texts[index]
        values[index] = {**named, name: text} if text else named.copy()
    with_children = np.flatnonzero(filled)
    if len(with_children):
        children = _children(elements, at[with_children], np.flatnonzero(parts[elements.node]))
        for index, entry in zip(with_children.tolist(), children, strict=True):
            values[index] = entry
    return values


def _children(elements: MatchedElements, at: Indices, parts: Indices) -> list[dict[str, str]]:
    texts = elements.texts(parts)
    names = [elements.names[name] for name in elements.name[parts].tolist()]
    ends = np.searchsorted(parts, [*at[1:].tolist(), len(elements.node)]).tolist()
    entries = [
        dict(zip(names[begin:end], texts[begin:end], strict=True))
        for begin, end in pairwise([0, *ends])
    ]
    if sum(map(len, entries)) != len(parts):  # duplicate name
        raise FallbackToTree
    return entries
