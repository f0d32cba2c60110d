"""What came instead of the interface's XML, in words.

What stays out: deciding whether a document is accepted (`dirframe.client.reader`).
"""

from __future__ import annotations

from typing import NoReturn

from dirframe.errors import UnreadableResponseError

__all__ = ["describe", "refuse"]

_LOOKED_AT = 4096

_MAGIC = {
    b"\x1f\x8b": "gzip data that was not unpacked",
    b"PK\x03\x04": "a ZIP archive",
    b"\x28\xb5\x2f\xfd": "Zstandard data that was not unpacked",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG picture",
    b"{": "JSON",
    b"[": "JSON",
}

# In this order: an HTML page may have a DOCTYPE too.
_SIGNS = {
    b"<html": "an HTML page",
    b"<!doctype html": "an HTML page",
    b"<!doctype": "a document with a DOCTYPE, which could declare entities",
    b"<?xml": "XML that is cut off, damaged or in another encoding than it says",
    b"<re": "XML that is cut off, damaged or in another encoding than it says",
    b"<error": "XML that is cut off, damaged or in another encoding than it says",
}


def describe(content: bytes) -> str:
    """Say in a few words what a document is that could not be parsed."""
    head = content[:_LOOKED_AT].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head:
        return "an empty document"
    lowered = head.lower()
    for magic, name in _MAGIC.items():
        if head.startswith(magic):
            return name
    for sign, name in _SIGNS.items():
        if sign in lowered:
            return name
    return "something that is not XML"


def refuse(found: str, source: str | None, *, reason: str = "") -> NoReturn:
    """Raise the error that names what came and what was expected."""
    detail = f" ({reason})" if reason else ""
    raise UnreadableResponseError(
        f"{source or 'The document'} is {found}{detail}, not a response of the directory's XML "
        "interface, whose root is <response>. Check the address and that its path ends in .xml; "
        "a page saved from a browser is not enough.",
        found=found,
        source=source,
    )
