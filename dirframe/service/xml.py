"""The responses of the interface: pages of collections, single records, and failures."""

from __future__ import annotations

from xml.sax.saxutils import escape

from dirframe.schema import COLLECTION_COUNTS, SYNTHETIC_MARK

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MARK = f"<?{SYNTHETIC_MARK} generated records: they describe no real person and no project?>\n"


def result_xml(
    fragments: list[str], *, available: int | None = None, first: int = 0, synthetic: bool = False
) -> bytes:
    """Return a page of a collection, of which so many are available, or the response of a record."""
    counts = ""
    if available is not None:
        numbers = zip(COLLECTION_COUNTS, (len(fragments), available, first), strict=True)
        counts = "".join(f"<{name}>{number}</{name}>\n" for name, number in numbers)
    opening = f"{_DECLARATION}{_MARK if synthetic else ''}<response>\n<status>success</status>\n"
    result = f"<result>\n{''.join(fragments)}</result>\n</response>\n"
    return f"{opening}{counts}{result}".encode()


def failure_xml(error: str) -> bytes:
    """Return the response to a failed request."""
    content = f"<status>failed</status>\n<error>{escape(error)}</error>\n"
    return f"{_DECLARATION}<response>\n{content}</response>\n".encode()
