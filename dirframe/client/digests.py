"""What tells records apart that have no key."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

from lxml import etree

from dirframe.client.elements import local

__all__ = ["digests"]


def digests(content: bytes) -> tuple[str, ...]:
    """Return a digest of what each record of a document holds.

    Records of one document that are alike are counted, so that theirs differ too.

    Parameters
    ----------
    content
        A document that `dirframe.client.reader` has accepted.

    Returns
    -------
    tuple of str
        One digest a record.
    """
    parser = etree.XMLParser(
        remove_blank_text=True, resolve_entities=False, load_dtd=False, no_network=True
    )
    root = etree.fromstring(content, parser)
    results = [root] if local(root) == "result" else [c for c in root if local(c) == "result"]
    seen: Counter[str] = Counter()
    found = []
    for record in (child for result in results for child in result.iterchildren("*")):
        digest = sha256(etree.tostring(record, method="c14n", with_tail=False)).hexdigest()
        found.append(f"{digest} {seen[digest]}")
        seen[digest] += 1
    return tuple(found)
