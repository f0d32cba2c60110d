"""Remove from records what is never stored or served: e-mail addresses, logins and secrets."""

# Of an account, whose data is private unless the specification says otherwise, only fields of the
# schema are served. Of other records everything else is served, with the addresses in texts masked.

from __future__ import annotations

from copy import deepcopy
from typing import TypeAlias
from xml.sax.saxutils import unescape

from lxml import etree
from lxml.etree import _Element

from dirframe.schema import ACCOUNT, Resource
from dirframe.schema.addresses import may_hold_address, without_addresses
from dirframe.schema.private import (
    is_email,
    is_secret,
    without_login,
)

#: A record without these has no namespace and no processing instruction.
_SIGNS = ("xmlns", "<?")

#: Names of elements and attributes, and those below each.
_Names: TypeAlias = "dict[str, _Names]"


def _names_of(resource: Resource) -> _Names:
    """Return the names in records of a resource, as the schema has them."""
    names: _Names = {}
    for field in resource.fields:
        below = names
        for name in field.path:
            below = below.setdefault(name, {})
        if field.tag:
            below[field.tag] = {entry.column: {} for entry in field.fields}
    return names


_ACCOUNT_NAMES = _names_of(ACCOUNT)


def remove_private(record: _Element, resource: Resource) -> tuple[_Element, set[str]]:
    """Return a record without what is private, and the paths of elements and attributes removed."""
    xml = unescape(etree.tostring(record, encoding="unicode"), {"&quot;": '"'})
    may_need_masks = any(sign in xml for sign in _SIGNS) or may_hold_address(xml)
    served = _ACCOUNT_NAMES if resource is ACCOUNT else None
    removed: set[str] = set()
    if may_need_masks:
        etree.strip_elements(record, etree.ProcessingInstruction, with_tail=False)
    if served is not None or _has_private_name(record):
        _remove_elements(record, resource.name, served, removed)
    if may_need_masks:
        _mask_texts(record)
        if "xmlns" in etree.tostring(record, encoding="unicode"):
            # A copy has no declarations of the elements around it, which may be addresses.
            record = deepcopy(record)
            etree.cleanup_namespaces(record)
    return record, removed


def _has_private_name(record: _Element) -> bool:
    names: set[str] = set()
    for element in record.iter("*"):
        names.add(element.tag)
        names.update(map(str, element.keys()))
    return any(map(_is_private, names))


def _remove_elements(
    element: _Element, path: str, served: _Names | None, removed: set[str]
) -> None:
    """Remove private elements and attributes; of an account, all but those that are `served`."""
    for key, _ in _attributes(element):
        name = _local_name(key)
        if _is_private(name) or (served is not None and key not in served):
            removed.add(f"{path}/@{name}")
            del element.attrib[key]
    for child in list(element.iterchildren("*")):
        name = _local_name(child.tag)
        if _is_private(name) or (served is not None and child.tag not in served):
            removed.add(f"{path}/{name}")
            element.remove(child)
        else:
            below = None if served is None else served[name]
            _remove_elements(child, f"{path}/{name}", below, removed)
    if served is not None and len(element):
        _remove_text_between_children(element)


def _remove_text_between_children(element: _Element) -> None:
    """Remove the text beside the children of an element, which is no field."""
    if element.text and element.text.strip():
        element.text = None
    for child in element:
        if child.tail and child.tail.strip():
            child.tail = None


def _mask_texts(record: _Element) -> None:
    """Mask the addresses in the texts, attributes and namespaces of a record."""
    for element in record.iter("*"):
        _mask_namespace(element)
        for key, text in _attributes(element):
            element.set(key, _public(_local_name(key), text))
        if element.text:
            element.text = _public(_local_name(element.tag), element.text)
        if element is not record and element.tail:
            element.tail = without_addresses(element.tail)


def _mask_namespace(element: _Element) -> None:
    """Mask the addresses in the namespaces of an element and of its attributes."""
    if "}" in element.tag:
        element.tag = without_addresses(element.tag)
    for key, text in _attributes(element):
        if (masked := without_addresses(key)) != key:
            del element.attrib[key]
            element.set(masked, text)


def _attributes(element: _Element) -> list[tuple[str, str]]:
    return [(str(key), str(text)) for key, text in element.items()]


def _is_private(name: str) -> bool:
    """Return whether an element or attribute of this name is never served."""
    return is_secret(name) or is_email(name)


def _local_name(name: str) -> str:
    return name.rpartition("}")[2]


def _public(name: str, text: str) -> str:
    """Return a text without e-mail addresses and, if it is an address, without its login."""
    if name.lower().endswith("url"):
        text = without_login(text)
    return without_addresses(text)
