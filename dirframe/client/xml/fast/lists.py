"""Read all lists of scanned pages at once: their entries are consecutive in a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dirframe.client.xml.fast.elements import FallbackToTree, attribute_columns, resolved_texts
from dirframe.client.xml.lists import make_entries, make_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.client.xml.fast.elements import ScannedPages
    from dirframe.client.xml.fast.scan import Indices, Mask


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

    def nonempty(self, at: Indices) -> Indices:
        """Return the indices of the texts of some elements; -1 for an empty text, and for none."""
        text = self.text[at]
        offsets = np.frombuffer(self.pages.strings.buffers()[1], np.int64)
        return np.where(offsets[text] == offsets[text + 1], -1, text)

    def have_text(self, at: Indices) -> bool:
        """Return whether any of some elements has a text that is not only whitespace."""
        text = self.nonempty(at)
        texts = self.pages.strings.take(pa.array(text[text >= 0])).unique()
        trimmed = pc.utf8_trim_whitespace(resolved_texts(texts))
        return bool(pc.any(pc.greater(pc.binary_length(trimmed), 0)).as_py())

    def texts(self, at: Indices) -> Texts:
        """Return the stripped texts of some elements; "" for none."""
        indices = self.text[at]
        selected = self.pages.strings.take(pa.array(indices, mask=indices < 0))
        encoded = selected.dictionary_encode()  # most texts occur repeatedly
        words, indices = (
            pc.utf8_trim_whitespace(resolved_texts(encoded.dictionary)),
            encoded.indices,
        )
        if indices.null_count:
            words = pa.concat_arrays([words, pa.array([""], words.type)])
            indices = indices.fill_null(len(words) - 1)
        code = indices.to_numpy()
        offsets = np.frombuffer(words.buffers()[1], np.int64)[: len(words) + 1]
        return Texts(words, code, (np.diff(offsets) > 0)[code])


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts of elements, each distinct one stored once.

    Parameters
    ----------
    words
        The distinct texts.
    code
        Index in `words` of the text of each element.
    present
        Whether the text of each element is not "".
    """

    words: pa.LargeStringArray
    code: Indices
    present: Mask

    def where(self, mask: Mask) -> pa.DictionaryArray:
        """Return the texts of the elements in a mask, and null for the others."""
        return pa.DictionaryArray.from_arrays(pa.array(self.code, mask=~mask), self.words)


def read_lists(elements: MatchedElements, entry: Indices, part: Indices) -> list[pa.ListArray]:
    """Return the entries of each list by record; null for records without entries.

    Parameters
    ----------
    elements
        The elements. A record has each list at most once.
    entry, part
        For each node the number of the list it is an entry of, or inside an entry of, from 0;
        -1 for others.

    Raises
    ------
    FallbackToTree
        If entries of a list differ in form, or have two values of one name.
    """
    numbers = range(int(np.max(entry, initial=-1)) + 1)
    entries, parts = (_by_list(of[elements.node], len(numbers)) for of in (entry, part))
    return [_read_list(elements, entries[number], parts[number]) for number in numbers]


def _by_list(number: Indices, count: int) -> list[Indices]:
    """Return the elements of each list, in the order of the document."""
    at = np.flatnonzero(number >= 0)
    order = at[np.argsort(number[at], kind="stable")]
    return np.split(order, np.cumsum(np.bincount(number[at], minlength=count))[:-1])


def _read_list(elements: MatchedElements, at: Indices, parts: Indices) -> pa.ListArray:
    lengths = np.bincount(elements.row[at], minlength=elements.rows)
    return make_lists(_entries(elements, at, parts), lengths, lengths == 0)


def _entries(elements: MatchedElements, at: Indices, parts: Indices) -> pa.Array:
    """Read entries: a text, or a struct of attributes or children."""
    texts = elements.texts(at)
    filled, attributed = elements.filled[at], elements.attributed[at]
    structured = filled | attributed
    if not structured.any():
        return texts.where(texts.present) if texts.present.any() else pa.nulls(len(at))
    if (filled.any() and attributed.any()) or (texts.present & ~structured).any():
        raise FallbackToTree
    has_children = filled.any()
    fields = _children(elements, at, parts) if has_children else _attributes(elements, at, texts)
    return make_entries(fields, ~structured)


def _attributes(elements: MatchedElements, at: Indices, texts: Texts) -> dict[str, pa.Array]:
    """Return the attributes of entries, and their texts by the names of the entries."""
    tags, code = np.unique(elements.tag[at], return_inverse=True)
    fields = {}
    for name, values in attribute_columns([elements.tags[tag] for tag in tags.tolist()]).items():
        distinct = pa.array(values, pa.large_string()).dictionary_encode()
        words = pc.utf8_trim_whitespace(distinct.dictionary)
        fields[name] = pa.DictionaryArray.from_arrays(distinct.indices.take(pa.array(code)), words)
    of_text = elements.name[at]
    for index in np.unique(of_text[texts.present]).tolist():
        if elements.names[index] in fields:
            raise FallbackToTree
        fields[elements.names[index]] = texts.where(texts.present & (of_text == index))
    return fields


def _children(elements: MatchedElements, at: Indices, parts: Indices) -> dict[str, pa.Array]:
    """Return the texts of the children of entries, by their names."""
    texts, name = elements.texts(parts), elements.name[parts]
    entry = np.searchsorted(at, parts) - 1
    fields = {}
    for index in dict.fromkeys(name.tolist()):
        named = np.flatnonzero(name == index)
        if (np.diff(entry[named]) == 0).any():
            raise FallbackToTree
        positions = np.full(len(at), -1)
        positions[entry[named]] = texts.code[named]
        column = pa.array(positions.astype(np.int32), mask=positions < 0)
        fields[elements.names[index]] = pa.DictionaryArray.from_arrays(column, texts.words)
    return fields
