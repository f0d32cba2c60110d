"""Digests that identify records without a key."""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from dirframe.client.xml.flatten import local_name, text_of

if TYPE_CHECKING:
    from lxml import etree


def record_digests(records: etree._Element) -> tuple[str, ...]:
    """Return a digest of the content of each record of a page.

    Parameters
    ----------
    records : lxml.etree._Element
        The result element of the page.

    Returns
    -------
    tuple of str
        The same for equal records, however their page is written. Further equal records of a page
        are numbered, so that none is taken for another.
    """
    seen: Counter[str] = Counter()
    digests = []
    for record in records:
        digest = sha256(json.dumps(_content(record)).encode()).hexdigest()
        digests.append(f"{digest} {seen[digest]}")
        seen[digest] += 1
    return tuple(digests)


def _content(element: etree._Element) -> list[Any]:
    """Return name, attributes, text and children; names without their namespaces."""
    attributes = sorted((str(k).rpartition("}")[2], str(v).strip()) for k, v in element.items())
    text = "" if len(element) else text_of(element) or ""
    return [local_name(element), attributes, text, [_content(child) for child in element]]
