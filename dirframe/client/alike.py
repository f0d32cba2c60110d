"""The way through a page whose records are all alike: by columns instead of by records.

Collections of months hold the same few leaves in the same order thousands of times. Whether a
page is such a page is proven on its bytes, where every ``<`` is markup: the tags of the first
record must come again, to the letter, as often as there are records. Then the texts of all
leaves are taken in one sweep and dealt out.

What stays out: pages of any other form (`dirframe.client.table`), and the rule
(`dirframe.client.elements`).
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Container

    from lxml import etree

__all__ = ["columns_alike"]

#: Fewer records are not worth the proof.
_WORTHWHILE = 8

_TEXT = attrgetter("text")


def columns_alike(
    root: etree._Element, result: etree._Element, content: bytes, known: Container[str]
) -> dict[str, list[str | None]] | None:
    """Take the texts of records that are all alike.

    Parameters
    ----------
    root, result
        The parsed document and its result, which holds at least one record.
    content
        The bytes of the document, in an encoding that contains ASCII, without comments or
        CDATA.
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
    if not _proven([record.tag, *tags], len(result), content, behind=1 + (result is not root)):
        return None
    texts = list(map(_TEXT, result.iter()))
    return {tag: texts[place :: len(tags) + 1] for place, tag in enumerate(tags, start=2)}


def _proven(names: list[str], records: int, content: bytes, behind: int) -> bool:
    """Tell whether the records are this record's tags again and again, without attributes.

    `behind` is how many elements stay open around the records: their end tags come last.
    """
    view = np.frombuffer(content, dtype=np.uint8)
    marks = np.flatnonzero(view == ord("<"))
    each = 2 * len(names)
    if len(marks) < records * each + behind:
        return False
    ends = view[marks + 1] == ord("/")
    if not ends[-behind:].all():  # something stands behind the result
        return False
    inside = slice(-behind - records * each, -behind)
    # A record opens, each leaf opens and ends, the record ends.
    rows = marks[inside].reshape(records, each)
    pattern = np.array([False, *[False, True] * (len(names) - 1), True])
    if not (ends[inside].reshape(records, each) == pattern).all():
        return False
    for name, places in zip(names, rows[:, [0, *range(1, each - 1, 2)]].T, strict=True):
        tag = f"<{name}>".encode()
        # What stands at each byte, as far as this tag is long; nothing is copied.
        stretches = len(content) - len(tag) + 1
        at = np.ndarray((max(stretches, 0),), f"V{len(tag)}", content, strides=(1,))
        if places[-1] >= stretches or at[places].tobytes() != tag * records:
            return False
    return True
