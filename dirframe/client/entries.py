"""The lists of a page: what stands inside a record more than once.

The entries of one list are read together where they are of one form: texts, or elements with
children, or elements with attributes. Lists that mix these make a page unusual.

What stays out: which elements are entries (`dirframe.client.table`).
"""

from __future__ import annotations

from dataclasses import dataclass
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
    """From a text to the equal one that was met first, which is the one to hold."""

    def __missing__(self, text: str) -> str:
        """Hold a text that was not met before."""
        self[text] = text
        return text


@dataclass(frozen=True, slots=True)
class Found:
    """The elements inside a result, and what a table makes of them.

    Parameters
    ----------
    page
        The document.
    tag, text, filled
        As in the document, for the elements inside the result alone.
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
    """

    page: Markup
    tag: Places
    text: Places
    filled: Truths
    attributed: Truths
    name: Places
    names: Sequence[str]
    node: Places
    row: Places
    rows: int

    def texts(self, at: Places) -> list[str | None]:
        """Return the texts of some elements."""
        places = self.text[at]
        texts: list[str | None] = self.page.strings.take(
            pa.array(places, mask=places < 0)
        ).to_pylist()
        if b"&" in self.page.content:
            return [resolved(text) if text and "&" in text else text for text in texts]
        return texts

    def tags(self, at: Places) -> list[str]:
        """Return the start tags of some elements."""
        tags: list[str] = self.page.strings.take(pa.array(self.tag[at])).to_pylist()
        return tags


def lists_of(found: Found, entry: int, part: int, same: Same) -> list[Value]:
    """Return the entries of one list for each record; None where there are none.

    Parameters
    ----------
    found
        The elements.
    entry, part
        The nodes of the list's entries and of what is inside an entry.
    same
        The texts met so far in lists: these repeat theirs so often that holding each once
        halves the memory of a frame.

    Raises
    ------
    UnusualPageError
        If the entries are not of one form.
    """
    at = np.flatnonzero(found.node == entry)
    if not len(at):
        return [None] * found.rows
    filled, attributed = found.filled[at], found.attributed[at]
    entries: list[Value]
    if not filled.any() and not attributed.any():
        entries = [same[text.strip()] or None if text else None for text in found.texts(at)]
    elif filled.all() and not attributed.any():
        entries = _with_children(found, at, np.flatnonzero(found.node == part), same)
    elif attributed.all() and not filled.any():
        entries = _with_attributes(found, at, same)
    else:
        raise UnusualPageError
    ends = np.cumsum(np.bincount(found.row[at], minlength=found.rows)).tolist()
    return [entries[a:b] or None for a, b in zip([0, *ends], ends, strict=False)]


def _with_children(found: Found, at: Places, parts: Places, same: Same) -> list[Value]:
    texts = [same[text.strip()] if text else "" for text in found.texts(parts)]
    names = [found.names[name] for name in found.name[parts].tolist()]
    each = len(parts) // len(at)
    alike = names[:each] * len(at)
    owners = np.searchsorted(at, parts)
    if names == alike and (owners == np.arange(len(parts)) // each + 1).all():
        keys = names[:each]
        entries: list[Value] = [
            dict(zip(keys, texts[begin : begin + each], strict=True))
            for begin in range(0, len(texts), each)
        ]
    else:
        entries = [{} for _ in at]
        for owner, name, text in zip(owners.tolist(), names, texts, strict=True):
            entries[owner - 1][name] = text
    if sum(map(len, entries)) != len(parts):  # a name comes twice
        raise UnusualPageError
    return entries


def _with_attributes(found: Found, at: Places, same: Same) -> list[Value]:
    entries: list[Value] = []
    for tag, text, name in zip(found.tags(at), found.texts(at), found.name[at], strict=True):
        entry = {key: same[value.strip()] for key, value in attributes_of(tag).items()}
        if text and (bare := text.strip()):
            if found.names[name] in entry:
                raise UnusualPageError
            entry[found.names[name]] = same[bare]
        entries.append(entry)
    return entries
