"""Digests that identify records without a key."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

from dirframe.client.xml.fast.elements import (
    FallbackToTree,
    attributes_of,
    concat_scans,
    resolve_references,
)
from dirframe.client.xml.fast.scan import TagScan
from dirframe.client.xml.flatten import local_name, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml import etree

    #: An element: its depth, its name, its attributes in their order, its text if it is a leaf.
    Element: TypeAlias = tuple[int, str, list[tuple[str, str]], str]


def record_digests(
    records: TagScan | etree._Element, tree: Callable[[TagScan], etree._Element]
) -> tuple[str, ...]:
    """Return a digest of the content of each record of a page.

    It does not depend on whitespace or on other details of the XML. Equal records of one page are
    numbered, so that their digests differ too.

    Parameters
    ----------
    records
        The records of a page.
    tree
        Builds the tree of a scan, for pages with namespaces.

    Returns
    -------
    tuple of str
        One digest per record.
    """
    if isinstance(records, TagScan):
        try:
            elements = list(_scanned(records))
        except FallbackToTree:
            elements = list(_in_tree(tree(records), -1))[1:]
    else:
        elements = list(_in_tree(records, -1))[1:]
    of_records: list[list[Element]] = []
    for element in elements:
        if element[0] == 0:
            of_records.append([])
        of_records[-1].append(element)
    seen: Counter[str] = Counter()
    digests = []
    for record in of_records:
        digest = sha256(json.dumps(record).encode()).hexdigest()
        digests.append(f"{digest} {seen[digest]}")
        seen[digest] += 1
    return tuple(digests)


def _in_tree(element: etree._Element, depth: int) -> Iterator[Element]:
    attributes = ((str(k).rpartition("}")[2], str(v).strip()) for k, v in element.items())
    text = "" if len(element) else text_of(element) or ""
    yield depth, local_name(element), sorted(attributes), text
    for child in element:
        yield from _in_tree(child, depth + 1)


def _scanned(scan: TagScan) -> Iterator[Element]:
    pages = concat_scans([scan])
    strings = pages.strings.to_pylist()
    resolved = resolve_references(strings[1::2])  # texts alternate with tags
    for depth, tag, text, filled in zip(
        pages.depth.tolist(),
        pages.tag.tolist(),
        pages.text.tolist(),
        pages.filled.tolist(),
        strict=True,
    ):
        start = strings[tag]
        name = start[1:].rstrip("/>").split(maxsplit=1)[0]
        if ":" in name:
            raise FallbackToTree
        values = attributes_of(start) if "=" in start else {}
        attributes = sorted((key, value.strip()) for key, value in values.items())
        is_empty = filled or text < 0
        yield depth, name, attributes, "" if is_empty else resolved[text // 2].strip()
