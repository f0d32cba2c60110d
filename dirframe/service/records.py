"""Records as nested mappings, and their texts."""

# A value is a string, None if missing, a mapping for a nested element or a list for a repeated
# one. The key of an attribute is ``@`` and its name; ``#text`` is the text of an element that also
# has attributes or children::
#
#     {"id": "1", "tags": ["c", "xml"], "analysis": {"id": "2", "languages": {
#         "@graph_url": "…", "language": [{"@percentage": "79", "#text": "Ruby"}]}}}
#
# A list under the name of one of the schema's repeated elements (``tags``) is wrapped in that
# element; any other list is the element itself, repeated.

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from lxml import etree

from dirframe.schema import ACCOUNT, RESOURCES, Field, Kind, Resource

if TYPE_CHECKING:
    from lxml.etree import _Element


Value: TypeAlias = "str | int | float | Mapping[str, Value] | list[Value] | None"
Record: TypeAlias = Mapping[str, Value]

#: Characters that XML 1.0 does not allow, escaped or not.
FORBIDDEN = "\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff"
_FORBIDDEN = re.compile(f"[{FORBIDDEN}]")


def _item_tags(fields: tuple[Field, ...]) -> dict[str, str]:
    return {f.path[-1]: f.items.tag for f in fields if f.kind is Kind.ITEMS and f.items}


#: Tags of repeated elements by the tag of the element that wraps them.
ITEM_TAGS = {
    outer: inner
    for resource in RESOURCES.values()
    for outer, inner in _item_tags(resource.fields).items()
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


def text_of(record: Record, name: str) -> str:
    """Return the first text of a child, or an empty string."""
    return next(iter(texts_of(record.get(name))), "")


def texts_of(value: Value) -> list[str]:
    """Return every text in a value, without attributes."""
    if isinstance(value, Mapping):
        return [text for name, part in value.items() if name[0] != "@" for text in texts_of(part)]
    if isinstance(value, list):
        return [text for part in value for text in texts_of(part)]
    return [] if value is None else [str(value)]


def entries_of(record: Record, name: str) -> list[Mapping[str, Value]]:
    """Return the entries of a list that have attributes or children, if present."""
    value = record.get(name)
    if isinstance(value, Mapping):  # a list with attributes of its own
        value = value.get(ITEM_TAGS[name])
    entries = value if isinstance(value, list) else [value]
    return [entry for entry in entries if isinstance(entry, Mapping)]


def record_from_xml(fragment: str) -> dict[str, Value]:
    """Return the content of a stored record, which has neither document type nor entities."""
    return record_from_element(etree.fromstring(fragment))


def record_from_element(element: _Element) -> dict[str, Value]:
    """Return the content of an element: its children, its attributes and its text."""
    record: dict[str, Value] = {
        "@" + _local(str(name)): str(text) for name, text in element.attrib.items()
    }
    for child in element:
        name, value = _local(child.tag), _value(child)
        if name not in record:
            record[name] = value
        elif isinstance(known := record[name], list):
            known.extend(value if isinstance(value, list) else [value])
        else:
            record[name] = [known, value]
    text = (element.text or "").strip()
    if text:
        record["#text"] = text
    return record


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _value(element: _Element) -> Value:
    if len(element) == 0 and not element.attrib:
        return (element.text or "").strip() or None
    tag = ITEM_TAGS.get(_local(element.tag))
    if tag and not element.attrib and all(_local(child.tag) == tag for child in element):
        return [_value(child) for child in element]
    return record_from_element(element)
