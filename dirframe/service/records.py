"""Texts and elements of records, as the reader, the writer and the pages see them."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import urlsplit

from dirframe.schema import ACCOUNT, RESOURCES, Field, Kind, Resource

#: Characters that XML 1.0 does not allow, escaped or not.
FORBIDDEN = "\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff"
_FORBIDDEN = re.compile(f"[{FORBIDDEN}]")

#: Tags of repeated elements by the tag of the element that wraps them.
ITEM_TAGS = {
    field.path[-1]: field.items.tag
    for resource in RESOURCES.values()
    for field in resource.fields
    if field.kind is Kind.ITEMS and field.items
}


def is_always_sent(resource: Resource, field: Field) -> bool:
    """Return whether a record without this field has an empty element for it."""
    return field in resource.specified and (resource is not ACCOUNT or field.required)


def without_controls(text: str) -> str:
    """Return `text` without the characters that XML does not allow."""
    return _FORBIDDEN.sub("", text)


def is_url(text: str) -> bool:
    """Return whether a text is a URL that is safe to link to (no ``javascript:`` and the like)."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https", "ftp", "irc", "ircs"} and bool(parts.netloc)


def fold(text: str) -> str:
    """Return the case-folded, NFC-normalized form for comparison and search."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text.casefold())
