"""Scan a page for all tags inside its result."""

# In well-formed bytes, every ``<`` opens a tag; if every second mark is a ``>``, each of these ends
# one. So the tags, the texts between them and the depth of each element are found in a few
# vectorized passes, without an object per element. Pages for which this does not hold, or is not
# cheap to check, are left to the tree: those with comments, CDATA, processing instructions or a bare
# ``>`` among the records, and those in an encoding other than UTF-8.

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

_DECLARATION = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:<\?xml\s(?:[^>]*?\sencoding\s*=\s*[\"']([^\"']+))?)?"
)
_ENCODINGS = {b"", b"UTF-8", b"UTF8", b"US-ASCII", b"ASCII"}
_BOTH = 0xFD  # the bits that < and > have in common
_NAME_ENDS = b" \t\n/>"
_RESULT, _END = b"<result>", b"</result>"

Indices = np.ndarray[tuple[int], np.dtype[np.int64]]
Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class TagScan:
    """The tags inside the result of one document.

    Parameters
    ----------
    content
        The document, with line endings normalized as in XML.
    shell
        The document without the content of its result.
    bounds
        For each tag the positions of its first byte and of the first byte after it.
    closing, self_closing
        Whether each tag is an end tag, or an empty-element tag.
    level
        Depth after each tag; 0 is between records.
    records
        The indices of the start tags of records.
    """

    content: bytes
    shell: bytes
    bounds: Indices
    closing: Mask
    self_closing: Mask
    level: Indices
    records: Indices

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.records)

    def names(self) -> set[str]:
        """Return the distinct names of records; those with attributes are not shortened."""
        begins, ends = (self.bounds[2 * self.records + side].tolist() for side in (0, 1))
        tags = {self.content[begin:end] for begin, end in zip(begins, ends, strict=True)}
        return {tag[1:-1].decode() for tag in tags}

    def leaf(self, name: str) -> list[str] | None:
        """Return the text of a leaf that each record has exactly once; None if not applicable."""
        content, bounds = self.content, self.bounds
        begins = bounds[0::2]
        start = f"<{name}".encode()
        # The last letter of the name is compared first: it differs for most other names.
        last = np.minimum(begins + len(name), len(content) - 1)
        letters = np.frombuffer(content, np.uint8)[last]
        leaves = (letters == start[-1]) & (self.level - ~self.self_closing == 1) & ~self.closing
        likely = np.flatnonzero(leaves)
        matches = [
            (index, content[begin:following], content[following:end])
            for index, begin, following, end in zip(
                likely.tolist(),
                *(bounds[2 * likely + side].tolist() for side in (0, 1, 2)),
                strict=True,
            )
            if content.startswith(start, begin) and content[begin + len(start)] in _NAME_ENDS
        ]
        indices = np.array([index for index, _, _ in matches], dtype=np.int64)
        record = np.searchsorted(self.records, indices)
        if not np.array_equal(record, np.arange(1, len(self) + 1)):
            return None
        is_plain = all(tag == start + b">" and b"&" not in text for _, tag, text in matches)
        if not is_plain or not self.closing[indices + 1].all():
            return None
        return [text.decode() for _, _, text in matches]


def scan_tags(content: bytes) -> TagScan | None:
    """Find the tags inside the result of a well-formed document.

    Parameters
    ----------
    content
        The document.

    Returns
    -------
    TagScan or None
        Its tags; None if the tree is needed. The position of the result is correct if the shell
        is well-formed too and has the result as its root or as a child of it.
    """
    if b"\0" in content or not _is_utf8(content):
        return None
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    begin, end = content.find(_RESULT) + len(_RESULT), content.rfind(_END)
    if not len(_RESULT) <= begin < end:
        return None
    view = np.frombuffer(content, np.uint8)[begin:end]
    marks = np.flatnonzero((view & _BOTH) == ord("<"))  # of either kind
    signs = view[marks]
    if (
        not len(marks)
        or len(marks) % 2
        or (signs[0::2] != ord("<")).any()
        or (signs[1::2] != ord(">")).any()
    ):
        return None
    following = view[marks[0::2] + 1]
    if ((following == ord("?")) | (following == ord("!"))).any():
        return None
    closing = following == ord("/")
    self_closing = view[marks[1::2] - 1] == ord("/")
    level = np.cumsum(1 - 2 * closing - self_closing)
    if level[-1] or level.min() < 0:
        return None
    marks[1::2] += 1
    return TagScan(
        content=content,
        shell=content[:begin] + content[end:],
        bounds=marks + begin,
        closing=closing,
        self_closing=self_closing,
        level=level,
        records=np.flatnonzero((level - ~self_closing == 0) & ~closing),
    )


def _is_utf8(content: bytes) -> bool:
    declared = _DECLARATION.match(content)
    return declared is not None and (declared[1] or b"").upper() in _ENCODINGS
