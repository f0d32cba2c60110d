"""The elements of scanned pages, and what is written in their tags and texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.client.xml.fast.scan import Indices, Mask, TagScan

__all__ = ["FallbackToTree", "ScannedPages", "attributes_of", "concat_scans"]
__all__ += ["resolve_references"]

# What stands before the value of an attribute, and before the first the element's name; the end.
_AROUND = re.compile(r"(?:<[^\s'/>]+)? +([^\s=:']+)=")
_CLOSE = re.compile(r" */?>")
_MANY = 1_000


class FallbackToTree(Exception):  # noqa: N818  # no error: the tree says what a page holds
    """The pages hold something that the fast path does not look at: flatten their trees."""


@dataclass(frozen=True, slots=True)
class ScannedPages:
    """The elements inside the results of documents, in the order of their start tags.

    Parameters
    ----------
    strings
        What the documents are made of: a tag, what stands behind it as it is written, the next
        tag and so on.
    tag, text
        For each element the indices of its start tag and of its text in `strings`; -1 for no
        text.
    depth
        For each element how deep it stands; 0 is a record.
    filled
        For each element whether there are elements inside.
    """

    strings: pa.LargeStringArray
    tag: Indices
    text: Indices
    depth: Indices
    filled: Mask


def concat_scans(scans: Sequence[TagScan]) -> ScannedPages:
    """Concatenate the elements of documents."""
    content = b"".join(scan.content for scan in scans)
    starts = np.cumsum([0, *(len(scan.content) for scan in scans)]).tolist()
    bounds = np.concatenate(
        [scan.bounds + start for scan, start in zip(scans, starts, strict=False)]
    )
    opening = np.flatnonzero(~np.concatenate([scan.closing for scan in scans]))
    alone = np.concatenate([scan.alone for scan in scans])[opening]
    level = np.concatenate([scan.level for scan in scans])[opening]
    filled = np.zeros(len(opening), dtype=bool)
    filled[:-1] = (opening[1:] == opening[:-1] + 1) & ~alone[:-1]
    return ScannedPages(
        strings=pa.LargeStringArray.from_buffers(
            len(bounds) - 1, pa.py_buffer(bounds), pa.py_buffer(content)
        ),
        tag=2 * opening,
        text=np.where(alone, -1, 2 * opening + 1),
        depth=level - ~alone,
        filled=filled,
    )


def resolve_references(texts: list[str]) -> list[str]:
    """Return texts with their references, such as ``&amp;``, as a parser reads them."""
    referring = [index for index, text in enumerate(texts) if "&" in text]
    if not referring:
        return texts
    root = etree.fromstring(f"<a>{''.join(f'<b>{texts[index]}</b>' for index in referring)}</a>")
    resolved = texts.copy()
    for index, element in zip(referring, root, strict=True):
        resolved[index] = element.text or ""
    return resolved


def attributes_of(tag: str) -> dict[str, str]:
    """Return the attributes of a start tag, without namespaces and blanks around values.

    Raises
    ------
    FallbackToTree
        If the tag has to do with namespaces, or two attributes have one name without them.
    """
    if "xmlns" in tag:  # names mean something else inside
        raise FallbackToTree
    if "&" in tag or "\n" in tag or "\t" in tag:
        return _attributes_of_any(tag)
    pieces = tag.split('"')
    names = _NAMES[tuple(pieces[::2])]
    return dict(zip(names, pieces[1::2], strict=True)) if names else _attributes_of_any(tag)


class _Names(dict[tuple[str, ...], tuple[str, ...]]):
    """The names of attributes by what stands around their values; none if it is not plain."""

    def __missing__(self, around: tuple[str, ...]) -> tuple[str, ...]:
        matches = [_AROUND.fullmatch(text) for text in around[:-1]]
        names = tuple(match[1] for match in matches if match)
        if len(names) < len(matches) or not _CLOSE.fullmatch(around[-1]) or len(self) > _MANY:
            return ()
        self[around] = names
        return names


_NAMES = _Names()


def _attributes_of_any(tag: str) -> dict[str, str]:
    try:
        element = etree.fromstring(tag if tag.endswith("/>") else f"{tag[:-1]}/>")
    except etree.XMLSyntaxError as error:  # its namespace is declared elsewhere
        raise FallbackToTree from error
    attributes = {str(k).rpartition("}")[2]: str(v) for k, v in element.items()}
    if len(attributes) < len(element.attrib):  # lang and xml:lang, of which one would be lost
        raise FallbackToTree
    return attributes
