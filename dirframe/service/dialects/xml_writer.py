"""Write records as XML, the inverse of the client's reader."""

# The fields of the specification come first, in its order, then the other fields of the record.

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

from dirframe.schema import COLLECTION_COUNTS, RESOURCES, SYNTHETIC_MARK, Resource
from dirframe.service.records import FORBIDDEN, ITEM_TAGS, is_always_sent, without_controls

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MARK = f"<?{SYNTHETIC_MARK} generated records: they describe no real person and no project?>\n"
_NEEDS_ESCAPING = re.compile(f'[&<>"\r{FORBIDDEN}]')


@dataclass(frozen=True)
class _Slot:
    """A specified element: its XML without a value, and its child elements."""

    missing: str
    children: dict[str, _Slot]


def _slots(resource: Resource) -> dict[str, _Slot]:
    """Return the elements of the specification.

    An element that holds others is left out without a value, as are fields that are not always sent.
    """
    slots: dict[str, _Slot] = {}
    for field in resource.specified:
        name, *below = field.path
        missing = f"<{field.path[-1]}></{field.path[-1]}>\n"
        missing = missing if is_always_sent(resource, field) else ""
        slot = slots.setdefault(name, _Slot("" if below else missing, {}))
        for child in below:
            slot.children[child] = _Slot(missing, {})
    return slots


_SLOTS = {name: _slots(resource) for name, resource in RESOURCES.items()}


def record_xml(resource: Resource, record: Mapping[str, object]) -> str:
    """Return one record as its element.

    Parameters
    ----------
    resource
        The kind of record: `dirframe.schema.ACCOUNT` or `PROJECT`.
    record
        The record as described in `dirframe.service.records`; None and a missing name both
        mean no value.

    Returns
    -------
    str
        The element. Text is escaped, and characters that XML does not allow are removed.

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
    """Return an element with its content, in order, without further elements."""
    parts: list[str] = []
    _write(parts, tag, content)
    return "".join(parts)


def _write_children(
    parts: list[str], slots: Mapping[str, _Slot], content: Mapping[str, object]
) -> None:
    for key, slot in slots.items():
        value = content.get(key)
        if value is None or value == {}:
            parts.append(slot.missing)
        elif slot.children and isinstance(value, Mapping):
            parts.append(f"<{key}{_attributes(value)}>\n")
            _write_children(parts, slot.children, value)
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


def collection_parts(
    fragments: Iterable[str],
    *,
    returned: int,
    available: int,
    first: int,
    synthetic: bool,
    empty_result: bool = True,
) -> Iterator[str]:
    """Yield a collection document in pieces, for documents of any size.

    Parameters
    ----------
    fragments
        The records, as returned by `record_xml`.
    returned, available, first
        Records in this document, in the whole collection, and the position of the first.
    synthetic
        Whether the records are generated; the document is then marked before its root.
    empty_result
        Whether to write a result element if no record is returned.

    Yields
    ------
    str
        Text, to be encoded as UTF-8.
    """
    counts = zip(COLLECTION_COUNTS, (returned, available, first), strict=True)
    yield _opening(synthetic)
    yield "".join(f"<{name}>{count}</{name}>\n" for name, count in counts)
    if returned or empty_result:
        yield "<result>\n"
        yield from fragments
        yield "</result>\n"
    yield "</response>\n"


def collection_xml(
    fragments: list[str],
    *,
    available: int,
    first: int,
    synthetic: bool = False,
    empty_result: bool = True,
) -> bytes:
    """Return one page of a collection; `fragments` are records as returned by `record_xml`."""
    return "".join(
        collection_parts(
            fragments,
            returned=len(fragments),
            available=available,
            first=first,
            synthetic=synthetic,
            empty_result=empty_result,
        )
    ).encode()


def single_xml(fragment: str, *, synthetic: bool = False) -> bytes:
    """Return the response for a single record."""
    return f"{_opening(synthetic)}<result>\n{fragment}</result>\n</response>\n".encode()


def failed_xml(help_text: str, *, bare: bool = False) -> bytes:
    """Return the response to a failed request, without the envelope if `bare`."""
    if bare:
        return message_xml("error", {"message": help_text})
    return message_xml("response", {"status": "failed", "error": help_text})


def message_xml(root: str, content: Mapping[str, object]) -> bytes:
    """Return a document without records, such as an error."""
    return (_DECLARATION + element_xml(root, content)).encode()


def _opening(synthetic: bool) -> str:
    mark = _MARK if synthetic else ""
    return f"{_DECLARATION}{mark}<response>\n<status>success</status>\n"
