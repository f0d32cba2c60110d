"""The documents of the interface: pages of collections, single records, and what is no record."""

from __future__ import annotations

from xml.sax.saxutils import escape

from dirframe.schema import COLLECTION_COUNTS, SYNTHETIC_MARK

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MARK = f"<?{SYNTHETIC_MARK} generated records: they describe no real person and no project?>\n"


def collection_xml(
    fragments: list[str], *, available: int, first: int = 0, synthetic: bool = False
) -> bytes:
    """Return a page of a collection; the fragments are records as elements."""
    counts = zip(COLLECTION_COUNTS, (len(fragments), available, first), strict=True)
    numbers = "".join(f"<{name}>{count}</{name}>\n" for name, count in counts)
    opening = _opening(synthetic=synthetic)
    return f"{opening}{numbers}<result>\n{''.join(fragments)}</result>\n</response>\n".encode()


def single_xml(fragment: str, *, synthetic: bool = False) -> bytes:
    """Return the response for a single record."""
    opening = _opening(synthetic=synthetic)
    return f"{opening}<result>\n{fragment}</result>\n</response>\n".encode()


def message_xml(**texts: str) -> bytes:
    """Return a response without records, such as that to a failed request."""
    elements = "".join(f"<{name}>{escape(text)}</{name}>\n" for name, text in texts.items())
    return f"{_DECLARATION}<response>\n{elements}</response>\n".encode()


def _opening(*, synthetic: bool) -> str:
    return f"{_DECLARATION}{_MARK if synthetic else ''}<response>\n<status>success</status>\n"
