"""Write records and responses as XML."""

# Elements of the specification come first, in its order, then the others of the record. A record
# is a mapping: its values are texts, mappings or lists, None if missing. The key of an attribute is
# ``@`` and its name; ``#text`` is the text of an element that has attributes. A list under the name
# of one of the schema's repeated elements (``tags``) is wrapped in that element; any other list is
# the element itself, repeated.

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias
from xml.sax.saxutils import escape

from dirframe.schema import COLLECTION_COUNTS, RESOURCES, SYNTHETIC_MARK, Resource
from dirframe.service.records import FORBIDDEN, ITEM_TAGS, is_always_sent, without_controls

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MARK = f"<?{SYNTHETIC_MARK} generated records: they describe no real person and no project?>\n"
_NEEDS_ESCAPING = re.compile(f'[&<>"\r{FORBIDDEN}]')

#: Elements by name: whether one without a value is written, and the elements in it.
_Slots: TypeAlias = "dict[str, tuple[bool, _Slots]]"


def _slots(resource: Resource) -> _Slots:
    """Return the elements of the specification; one that holds others is left out without them."""
    slots: _Slots = {}
    for field in resource.specified:
        name, *below = field.path
        is_sent = is_always_sent(resource, field)
        slot = slots.setdefault(name, (is_sent and not below, {}))
        for child in below:
            slot[1][child] = (is_sent, {})
    return slots


_SLOTS = {name: _slots(resource) for name, resource in RESOURCES.items()}


def record_xml(resource: Resource, record: Mapping[str, object]) -> str:
    """Return a record as its element, with the empty elements that are always sent.

    Text is escaped, and characters that XML does not allow are removed.

    Examples
    --------
    >>> from dirframe.schema import ACCOUNT
    >>> record_xml(ACCOUNT, {"id": "7", "name": "A & B"}).splitlines()[:3]
    ['<account>', '<id>7</id>', '<name>A &amp; B</name>']
    """
    parts = [f"<{resource.name}>\n"]
    _write_children(parts, _SLOTS.get(resource.name, {}), record)
    parts.append(f"</{resource.name}>\n")
    return "".join(parts)


def element_xml(tag: str, content: Mapping[str, object]) -> str:
    """Return an element with its content, in order, and no further elements."""
    parts: list[str] = []
    _write(parts, tag, content)
    return "".join(parts)


def _write_children(parts: list[str], slots: _Slots, content: Mapping[str, object]) -> None:
    for key, (is_sent, children) in slots.items():
        value = content.get(key)
        if value is None or value == {}:
            parts.append(f"<{key}></{key}>\n" if is_sent else "")
        elif children and isinstance(value, Mapping):
            parts.append(f"<{key}{_attributes(value)}>\n")
            _write_children(parts, children, value)
            parts.append(f"</{key}>\n")
        else:
            _write(parts, key, value)
    for key, value in content.items():
        if key not in slots and key[0] not in "@#":
            _write(parts, key, value)


def _write(parts: list[str], key: str, value: object) -> None:
    if isinstance(value, list):
        item = ITEM_TAGS.get(key)
        if item is None:
            for entry in value:
                _write(parts, key, entry)
            return
        parts.append(f"<{key}>\n")
        for entry in value:
            _write(parts, item, entry)
        parts.append(f"</{key}>\n")
    elif isinstance(value, Mapping):
        text = value.get("#text")
        parts.append(f"<{key}{_attributes(value)}>{'' if text is None else _escape(str(text))}")
        if any(name[0] not in "@#" for name in value):
            parts.append("\n")
            _write_children(parts, {}, value)
        parts.append(f"</{key}>\n")
    else:
        text = "" if value is None else _escape(str(value))
        parts.append(f"<{key}>{text}</{key}>\n")


def _attributes(content: Mapping[str, object]) -> str:
    return "".join(
        # A parser turns a bare line break in an attribute into a blank.
        f' {key[1:]}="{_escape(str(value)).replace(chr(10), "&#10;").replace(chr(9), "&#9;")}"'
        for key, value in content.items()
        if key[0] == "@"
    )


def _escape(text: str) -> str:
    if not _NEEDS_ESCAPING.search(text):
        return text
    # A parser turns a bare carriage return into a line feed.
    return escape(without_controls(text), {'"': "&quot;", "\r": "&#13;"})


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


def failed_xml(help_text: str) -> bytes:
    """Return the response to a failed request."""
    return message_xml({"status": "failed", "error": help_text})


def message_xml(content: Mapping[str, object]) -> bytes:
    """Return a response without records."""
    return (_DECLARATION + element_xml("response", content)).encode()


def _opening(*, synthetic: bool) -> str:
    return f"{_DECLARATION}{_MARK if synthetic else ''}<response>\n<status>success</status>\n"
