"""Identify content that is not the interface's XML, and raise the error that names it."""

from __future__ import annotations

import codecs
import re
from typing import NoReturn

from dirframe.errors import UnreadableResponseError

_LOOKED_AT = 64 * 1024

_MAGIC = {
    b"\x1f\x8b": "gzip data that was not unpacked",
    b"PK\x03\x04": "a ZIP archive",
    b"\x28\xb5\x2f\xfd": "Zstandard data that was not unpacked",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG picture",
    b"{": "JSON",
    b"[": "JSON",
}

_HTML = "an HTML page"
_DAMAGED = "XML that is cut off, damaged or in another encoding than it says"

#: Whitespace, comments and processing instructions: allowed before DOCTYPE and root.
_PROLOG = re.compile(rb"(?:\s+|<!--.*?-->|<\?.*?\?>)*", re.DOTALL)
_DOCTYPE = re.compile(rb"<!doctype(?:\s+([^\s>\[]*))?", re.IGNORECASE)
#: The name of a start tag; it is only known if its end is there.
_ROOT = re.compile(rb"<([^\s<>/!?]+)(?=[\s>/])")
_PAGES = frozenset({b"html", b"head", b"body"})


def sniff_content(content: bytes) -> str:
    """Describe in a few words a document that could not be parsed."""
    head = content[:_LOOKED_AT].removeprefix(codecs.BOM_UTF8).lstrip()
    if not head:
        return "an empty document"
    for magic, name in _MAGIC.items():
        if head.startswith(magic):
            return name
    start = head[_PROLOG.match(head).end() :]  # type: ignore[union-attr]  # it also matches ""
    doctype, root = _DOCTYPE.match(start), _ROOT.match(start)
    if doctype is not None:
        is_page = (doctype[1] or b"").lower() == b"html"
        return _HTML if is_page else "a document with a DOCTYPE, which could declare entities"
    if root is not None and root[1].lower() in _PAGES:
        return _HTML
    # A prolog alone, or one without an end, is truncated too.
    if start.startswith(b"<") or head.startswith(b"<"):
        return _DAMAGED
    return "something that is not XML"


def raise_unreadable(found: str, source: str | None, *, reason: str = "") -> NoReturn:
    """Raise the error that names the content found and the content expected."""
    detail = f" ({reason})" if reason else ""
    raise UnreadableResponseError(
        f"{source or 'The document'} is {found}{detail}, not a response of the directory's XML "
        "interface, whose root is <response>. Check the address and that its path ends in .xml; "
        "a page saved from a browser is not enough.",
        found=found,
        source=source,
    )
