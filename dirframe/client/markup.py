"""The elements of a document, found in its bytes all at once.

In bytes that a parser has found well-formed, every ``<`` opens a tag; where there are as many
``>``, each ends one. So the tags, the texts between them and the depth of each element come
from a few sweeps over the whole page, and no object is made for an element. Documents in
which that is not so, or not cheap to know, are left to the tree: those with comments, CDATA
or a document type, with processing instructions inside, with a bare ``>``, or in an encoding
that is not UTF-8, and those that use namespaces.

What stays out: whether the document is well-formed (`dirframe.client.reader`), and what an
element means (`dirframe.client.table`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from lxml import etree

from dirframe.client.elements import UnusualPageError

__all__ = ["Markup", "Places", "Truths", "attributes_of", "markup_of", "resolved"]

_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?(?:<\?xml\s[^>]*?(?:encoding\s*=\s*[\"']([^\"']+))?)?")
_ENCODINGS = {b"", b"UTF-8", b"UTF8", b"US-ASCII", b"ASCII"}
# What stands before the value of an attribute, and before the first the element's name.
_AROUND = re.compile(r"(?:<[^\s'/>]+)? +([^\s=:']+)=")
_MANY = 1_000
_BOTH = 0xFD  # the bits that < and > have in common

Places = np.ndarray[tuple[int], np.dtype[np.int64]]
Truths = np.ndarray[tuple[int], np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class Markup:
    """The elements of a document in the order of their start tags.

    Parameters
    ----------
    content
        The document, its lines ended as XML reads them.
    strings
        What the document is made of: a tag, what stands behind it as it is written, the next
        tag and so on.
    tag, text
        For each element the places of its start tag and of its text in `strings`; -1 for no
        text.
    depth
        For each element how deep it stands; 1 is the root.
    filled
        For each element whether there are elements inside.
    referring
        The places of strings with references, such as ``&amp;``.
    bounds
        Where each tag begins, and where what stands behind it does.
    level
        For each tag how deep one stands behind it.
    """

    content: bytes
    strings: pa.LargeStringArray
    tag: Places
    text: Places
    depth: Places
    filled: Truths
    referring: Places
    bounds: Places
    level: Places

    def find(self, tag: str) -> int | None:
        """Return the only child of the root with this start tag, or the root itself."""
        near = np.flatnonzero(self.depth <= 2)
        tags = self.strings.take(pa.array(self.tag[near])).to_pylist()
        found = [int(place) for place, one in zip(near, tags, strict=True) if one == tag]
        return found[0] if len(found) == 1 else None

    def inside(self, element: int) -> slice:
        """Return the places of all elements inside an element."""
        behind = self.depth[element + 1 :] <= self.depth[element]
        stop = int(behind.argmax()) if behind.any() else len(behind)
        return slice(element + 1, element + 1 + stop)

    def without(self, inside: int) -> bytes:
        """Return the document without what is inside an element."""
        begin = int(self.tag[inside])
        tag = begin // 2
        end = tag + int((self.level[tag:] < self.depth[inside]).argmax())
        return self.content[: self.bounds[begin + 1]] + self.content[self.bounds[2 * end] :]

    def within(self, element: int) -> bytes:
        """Return the bytes of an element."""
        tag = int(self.tag[element]) // 2
        end = tag + int((self.level[tag:] < self.depth[element]).argmax())
        return self.content[self.bounds[2 * tag] : self.bounds[2 * end + 1]]


def markup_of(content: bytes) -> Markup | None:
    """Find the elements of a well-formed document; None if the tree has to be asked.

    Parameters
    ----------
    content
        The document.

    Returns
    -------
    Markup or None
        Its elements.
    """
    if b"\0" in content or not _is_utf8(content):
        return None
    if b"\r" in content:
        content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    view = np.frombuffer(content, dtype=np.uint8)
    marks = np.flatnonzero((view & _BOTH) == ord("<"))  # of either kind
    signs = view[marks]
    if len(marks) % 2 or (signs[0::2] != ord("<")).any() or (signs[1::2] != ord(">")).any():
        return None
    behind = view[marks[0::2] + 1]
    before = int((behind != ord("?")).argmax())  # instructions before the root
    marks, behind = marks[2 * before :], behind[before:]
    if ((behind == ord("?")) | (behind == ord("!"))).any():
        return None
    closing = behind == ord("/")
    alone = view[marks[1::2] - 1] == ord("/")
    level = np.cumsum(1 - 2 * closing - alone)
    opening = np.flatnonzero(~closing)
    alone = alone[opening]
    filled = np.zeros(len(opening), dtype=bool)
    filled[:-1] = (opening[1:] == opening[:-1] + 1) & ~alone[:-1]
    marks[1::2] += 1
    return Markup(
        content=content,
        strings=pa.LargeStringArray.from_buffers(
            len(marks) - 1, pa.py_buffer(marks), pa.py_buffer(content)
        ),
        tag=2 * opening,
        text=np.where(alone, -1, 2 * opening + 1),
        depth=level[opening] + alone,
        filled=filled,
        referring=_referring(content, marks),
        bounds=marks,
        level=level,
    )


def resolved(text: str) -> str:
    """Return a text with its references resolved, as a parser reads them."""
    read = etree.fromstring(f"<a>{text}</a>").text
    return read or ""


def attributes_of(tag: str) -> dict[str, str]:
    """Return the attributes of a start tag, without namespaces and blanks around values.

    Raises
    ------
    UnusualPageError
        If the tag brings in a namespace.
    """
    if "xmlns" in tag:  # names mean something else inside
        raise UnusualPageError
    if "&" in tag or "\n" in tag or "\t" in tag:
        return _attributes_of_any(tag)
    pieces = tag.split('"')
    names = _NAMES[tuple(pieces[::2])]
    return dict(zip(names, pieces[1::2], strict=True)) if names else _attributes_of_any(tag)


class _Names(dict[tuple[str, ...], tuple[str, ...]]):
    """The names of attributes by what stands around their values; none if it is not plain."""

    def __missing__(self, around: tuple[str, ...]) -> tuple[str, ...]:
        found = [_AROUND.fullmatch(one) for one in around[:-1]]
        names = tuple(one[1] for one in found if one)
        if len(names) < len(found) or len(self) > _MANY:
            return ()
        self[around] = names
        return names


_NAMES = _Names()


def _attributes_of_any(tag: str) -> dict[str, str]:
    element = etree.fromstring(tag if tag.endswith("/>") else f"{tag[:-1]}/>")
    return {str(k).rpartition("}")[2]: str(v) for k, v in element.items()}


def _referring(content: bytes, bounds: Places) -> Places:
    found = []
    place = content.find(b"&")
    while place >= 0:
        found.append(place)
        place = content.find(b"&", place + 1)
    return np.searchsorted(bounds, found, side="right") - 1


def _is_utf8(content: bytes) -> bool:
    declared = _DECLARATION.match(content)
    return declared is not None and (declared[1] or b"").upper() in _ENCODINGS

