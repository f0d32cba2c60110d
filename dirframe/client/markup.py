"""The elements inside the results of documents, found in their bytes all at once.

In bytes that a parser has found well-formed, every ``<`` opens a tag; where every second mark
is a ``>``, each of these ends one. So the tags, the texts between them and the depth of each
element come from a few sweeps, and no object is made for an element. Documents in which that
is not so, or not cheap to know, are left to the tree: those with comments, CDATA, instructions
or a bare ``>`` among the records, and those in an encoding that is not UTF-8.

What stays out: whether the document is well-formed (`dirframe.client.reader`), and what an
element means (`dirframe.client.table`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from lxml import etree

from dirframe.client.elements import UnusualPageError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Markup", "Places", "Sheet", "Truths", "attributes_of", "joined", "resolved"]
__all__ += ["sheet_of"]

_DECLARATION = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:<\?xml\s(?:[^>]*?\sencoding\s*=\s*[\"']([^\"']+))?)?"
)
_ENCODINGS = {b"", b"UTF-8", b"UTF8", b"US-ASCII", b"ASCII"}
# What stands before the value of an attribute, and before the first the element's name; the end.
_AROUND = re.compile(r"(?:<[^\s'/>]+)? +([^\s=:']+)=")
_CLOSE = re.compile(r" */?>")
_MANY = 1_000
_BOTH = 0xFD  # the bits that < and > have in common
_BEHIND_NAMES = b" \t\n/>"
_RESULT, _END = b"<result>", b"</result>"

Places = np.ndarray[tuple[int], np.dtype[np.int64]]
Truths = np.ndarray[tuple[int], np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The tags inside the result of one document.

    Parameters
    ----------
    content
        The document, its lines ended as XML reads them.
    shell
        The document without what is inside its result.
    bounds
        For each tag where it begins, and where what stands behind it does.
    closing, alone
        For each tag whether it ends an element, and whether it is one by itself.
    level
        For each tag how deep one stands behind it; 0 is between records.
    records
        The places of the start tags of records.
    """

    content: bytes
    shell: bytes
    bounds: Places
    closing: Truths
    alone: Truths
    level: Places
    records: Places

    def __len__(self) -> int:
        """Count the records."""
        return len(self.records)

    def names(self) -> set[str]:
        """Return the different names of records, of those with attributes as they stand."""
        begins, ends = (self.bounds[2 * self.records + side].tolist() for side in (0, 1))
        tags = {self.content[begin:end] for begin, end in zip(begins, ends, strict=True)}
        return {tag[1:-1].decode() for tag in tags}

    def leaf(self, name: str) -> list[str] | None:
        """Return the text of a leaf that each record has once; None if it is not so plain."""
        content, bounds = self.content, self.bounds
        begins = bounds[0::2]
        start = f"<{name}".encode()
        # The last letter of the name is looked at first: it tells most others apart.
        last = np.minimum(begins + len(name), len(content) - 1)
        letters = np.frombuffer(content, np.uint8)[last]
        leaves = (letters == start[-1]) & (self.level - ~self.alone == 1) & ~self.closing
        near = np.flatnonzero(leaves)
        found = [
            (place, content[begin:behind], content[behind:end])
            for place, begin, behind, end in zip(
                near.tolist(),
                *(bounds[2 * near + side].tolist() for side in (0, 1, 2)),
                strict=True,
            )
            if content.startswith(start, begin) and content[begin + len(start)] in _BEHIND_NAMES
        ]
        places = np.array([place for place, _, _ in found], dtype=np.int64)
        record = np.searchsorted(self.records, places)
        if not np.array_equal(record, np.arange(1, len(self) + 1)):
            return None
        plain = all(tag == start + b">" and b"&" not in text for _, tag, text in found)
        if not plain or not self.closing[places + 1].all():
            return None
        return [text.decode() for _, _, text in found]


def sheet_of(content: bytes) -> Sheet | None:
    """Find the tags inside the result of a well-formed document.

    Parameters
    ----------
    content
        The document.

    Returns
    -------
    Sheet or None
        Its tags; None if the tree has to be asked. That the result is where it seems to be is
        true if the shell, too, is well-formed and has it as its root or right below.
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
    behind = view[marks[0::2] + 1]
    if ((behind == ord("?")) | (behind == ord("!"))).any():
        return None
    closing = behind == ord("/")
    alone = view[marks[1::2] - 1] == ord("/")
    level = np.cumsum(1 - 2 * closing - alone)
    if level[-1] or level.min() < 0:
        return None
    marks[1::2] += 1
    return Sheet(
        content=content,
        shell=content[:begin] + content[end:],
        bounds=marks + begin,
        closing=closing,
        alone=alone,
        level=level,
        records=np.flatnonzero((level - ~alone == 0) & ~closing),
    )


@dataclass(frozen=True, slots=True)
class Markup:
    """The elements inside the results of documents, in the order of their start tags.

    Parameters
    ----------
    strings
        What the documents are made of: a tag, what stands behind it as it is written, the next
        tag and so on.
    tag, text
        For each element the places of its start tag and of its text in `strings`; -1 for no
        text.
    depth
        For each element how deep it stands; 0 is a record.
    filled
        For each element whether there are elements inside.
    """

    strings: pa.LargeStringArray
    tag: Places
    text: Places
    depth: Places
    filled: Truths


def joined(sheets: Sequence[Sheet]) -> Markup:
    """Put the elements of documents one behind the other."""
    content = b"".join(sheet.content for sheet in sheets)
    starts = np.cumsum([0, *(len(sheet.content) for sheet in sheets)]).tolist()
    bounds = np.concatenate(
        [sheet.bounds + start for sheet, start in zip(sheets, starts, strict=False)]
    )
    opening = np.flatnonzero(~np.concatenate([sheet.closing for sheet in sheets]))
    alone = np.concatenate([sheet.alone for sheet in sheets])[opening]
    level = np.concatenate([sheet.level for sheet in sheets])[opening]
    filled = np.zeros(len(opening), dtype=bool)
    filled[:-1] = (opening[1:] == opening[:-1] + 1) & ~alone[:-1]
    return Markup(
        strings=pa.LargeStringArray.from_buffers(
            len(bounds) - 1, pa.py_buffer(bounds), pa.py_buffer(content)
        ),
        tag=2 * opening,
        text=np.where(alone, -1, 2 * opening + 1),
        depth=level - ~alone,
        filled=filled,
    )


def resolved(texts: list[str]) -> list[str]:
    """Return texts with their references, such as ``&amp;``, resolved as a parser reads them."""
    referring = [place for place, text in enumerate(texts) if "&" in text]
    if not referring:
        return texts
    root = etree.fromstring(f"<a>{''.join(f'<b>{texts[place]}</b>' for place in referring)}</a>")
    read = texts.copy()
    for place, element in zip(referring, root, strict=True):
        read[place] = element.text or ""
    return read


def attributes_of(tag: str) -> dict[str, str]:
    """Return the attributes of a start tag, without namespaces and blanks around values.

    Raises
    ------
    UnusualPageError
        If the tag has to do with namespaces.
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
        if len(names) < len(found) or not _CLOSE.fullmatch(around[-1]) or len(self) > _MANY:
            return ()
        self[around] = names
        return names


_NAMES = _Names()


def _attributes_of_any(tag: str) -> dict[str, str]:
    try:
        element = etree.fromstring(tag if tag.endswith("/>") else f"{tag[:-1]}/>")
    except etree.XMLSyntaxError as error:  # its namespace is declared elsewhere
        raise UnusualPageError from error
    return {str(k).rpartition("}")[2]: str(v) for k, v in element.items()}


def _is_utf8(content: bytes) -> bool:
    declared = _DECLARATION.match(content)
    return declared is not None and (declared[1] or b"").upper() in _ENCODINGS
