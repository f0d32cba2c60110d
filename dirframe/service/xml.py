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
    return _success(numbers, "".join(fragments), synthetic=synthetic)


def single_xml(fragment: str, *, synthetic: bool = False) -> bytes:
    """Return the response for a single record."""
    return _success("", fragment, synthetic=synthetic)


def message_xml(**texts: str) -> bytes:
    """Return a response without records, such as that to a failed request."""
    elements = "".join(f"<{name}>{escape(text)}</{name}>\n" for name, text in texts.items())
    return f"{_DECLARATION}<response>\n{elements}</response>\n".encode()


def _success(counts: str, records: str, *, synthetic: bool) -> bytes:
    opening = f"{_DECLARATION}{_MARK if synthetic else ''}<response>\n<status>success</status>\n"
    return f"{opening}{counts}<result>\n{records}</result>\n</response>\n".encode()
