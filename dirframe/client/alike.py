"""The way through a page whose records are all alike: by columns instead of by records.

Collections of months hold the same few leaves in the same order thousands of times. Whether a
page is such a page is proven on its bytes, where every ``<`` is markup: the tags of the first
record must come again, to the letter, as often as there are records. Then the places of all
texts are known, and they are cut from the bytes without asking the tree.

What stays out: pages of any other form (`dirframe.client.table`), and the rule
(`dirframe.client.elements`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Container

    from lxml import etree

__all__ = ["columns_alike"]

#: Fewer records are not worth the proof.
_WORTHWHILE = 8


def columns_alike(
    root: etree._Element, result: etree._Element, content: bytes, known: Container[str]
) -> dict[str, list[str | None]] | None:
    """Take the texts of records that are all alike.

    Parameters
    ----------
    root, result
        The parsed document and its result, which holds at least one record.
    content
        The bytes of the document, in UTF-8, without comments or CDATA.
    known
        Tags of the leaves that have a column.

    Returns
    -------
    dict or None
        For each leaf's tag its texts, one a record; None if the records are not all alike, or
        a leaf is not known, or they are so few that it does not matter.
    """
    if len(result) < _WORTHWHILE or (result is not root and root[-1] is not result):
        return None
    record = result[0]
    tags = [child.tag for child in record]
    if not tags or len(set(tags)) < len(tags) or not all(tag in known for tag in tags):
        return None
    if b"&" in content or b"\r" in content:  # a parser reads other characters than these
        return None
    places = _places([record.tag, *tags], len(result), content, behind=1 + (result is not root))
    if places is None:
        return None
    # Where each text begins and ends: behind its start tag, and before its end tag.
    bounds = places[:, 1:-1] + np.array([[len(f"<{tag}>".encode()), 0] for tag in tags]).ravel()
    pieces = pa.LargeStringArray.from_buffers(
        bounds.size - 1, pa.py_buffer(bounds.astype(np.int64).tobytes()), pa.py_buffer(content)
    )
    dealt = np.arange(0, bounds.size, 2).reshape(len(result), len(tags)).T.ravel()
    texts = pieces.take(pa.array(dealt)).to_pylist()
    rows = len(result)
    return {tag: texts[place * rows : place * rows + rows] for place, tag in enumerate(tags)}


def _places(
    names: list[str], records: int, content: bytes, behind: int
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]] | None:
    """Return where each tag begins, a row a record, if all are the first one's, to the letter.

    `behind` is how many elements stay open around the records: their end tags come last.
    """
    view = np.frombuffer(content, dtype=np.uint8)
    marks = np.flatnonzero(view == ord("<"))
    each = 2 * len(names)
    if len(marks) < records * each + behind:
        return None
    ends = view[marks + 1] == ord("/")
    if not ends[-behind:].all():  # something stands behind the result
        return None
    inside = slice(-behind - records * each, -behind)
    # A record opens, each leaf opens and ends, the record ends.
    rows = marks[inside].reshape(records, each)
    pattern = np.array([False, *[False, True] * (len(names) - 1), True])
    if not (ends[inside].reshape(records, each) == pattern).all():
        return None
    for name, places in zip(names, rows[:, [0, *range(1, each - 1, 2)]].T, strict=True):
        tag = f"<{name}>".encode()
        # What stands at each byte, as far as this tag is long; nothing is copied.
        stretches = len(content) - len(tag) + 1
        at = np.ndarray((max(stretches, 0),), f"V{len(tag)}", content, strides=(1,))
        if places[-1] >= stretches or at[places].tobytes() != tag * records:
            return None
    return rows
