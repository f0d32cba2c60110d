"""What came instead of the interface's XML: sniff it, and raise the error that says so."""

from __future__ import annotations

import codecs
import re
from typing import NoReturn

from dirframe.errors import UnreadableResponseError

__all__ = ["raise_unreadable", "sniff_content"]

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

#: Blanks, comments and processing instructions: what may stand before DOCTYPE and root.
_PROLOG = re.compile(rb"(?:\s+|<!--.*?-->|<\?.*?\?>)*", re.DOTALL)
_DOCTYPE = re.compile(rb"<!doctype(?:\s+([^\s>\[]*))?", re.IGNORECASE)
#: The name of a start tag, which has to end for it to be known.
_ROOT = re.compile(rb"<([^\s<>/!?]+)(?=[\s>/])")
_PAGES = frozenset({b"html", b"head", b"body"})


def sniff_content(content: bytes) -> str:
    """Say in a few words what a document is that could not be parsed."""
    head = content[:_LOOKED_AT].removeprefix(codecs.BOM_UTF8).lstrip()
    if not head:
        return "an empty document"
    for magic, name in _MAGIC.items():
        if head.startswith(magic):
            return name
    start = head[_PROLOG.match(head).end() :]  # type: ignore[union-attr]  # it matches nothing too
    doctype, root = _DOCTYPE.match(start), _ROOT.match(start)
    if doctype is not None:
        is_page = (doctype[1] or b"").lower() == b"html"
        return _HTML if is_page else "a document with a DOCTYPE, which could declare entities"
    if root is not None and root[1].lower() in _PAGES:
        return _HTML
    # A prolog alone, or one that does not end, is cut off too.
    if start.startswith(b"<") or head.startswith(b"<"):
        return _DAMAGED
    return "something that is not XML"


def raise_unreadable(found: str, source: str | None, *, reason: str = "") -> NoReturn:
    """Raise the error that names what came and what was expected."""
    detail = f" ({reason})" if reason else ""
    raise UnreadableResponseError(
        f"{source or 'The document'} is {found}{detail}, not a response of the directory's XML "
        "interface, whose root is <response>. Check the address and that its path ends in .xml; "
        "a page saved from a browser is not enough.",
        found=found,
        source=source,
    )
