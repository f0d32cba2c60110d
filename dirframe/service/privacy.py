"""Remove from records what is never stored or served: e-mail addresses, logins and secrets."""

# Of an account, whose data is private unless the specification says otherwise, only fields of the
# schema are served. Of other records everything else is served, with the addresses in texts masked.

from __future__ import annotations

from copy import deepcopy
from typing import TypeAlias

from lxml import etree
from lxml.etree import _Element

from dirframe.schema import ACCOUNT, Resource
from dirframe.schema.addresses import may_hold_address, without_addresses
from dirframe.schema.private import (
    is_email,
    is_secret,
    without_login,
)

#: A record without these has no reference, namespace or processing instruction.
_SIGNS = ("&", "xmlns", "<?")

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
    if resource is not ACCOUNT and not _may_be_private(record):
        return record, set()
    removed: set[str] = set()
    etree.strip_elements(record, etree.ProcessingInstruction, with_tail=False)
    _clean(record, resource.name, _ACCOUNT_NAMES if resource is ACCOUNT else None, removed)
    if "xmlns" in etree.tostring(record, encoding="unicode"):
        # A copy has no declarations of the elements around it, which may be addresses.
        record = deepcopy(record)
        etree.cleanup_namespaces(record)
    return record, removed


def _may_be_private(record: _Element) -> bool:
    """Return whether any part of a record may be private, which for most takes less than `_clean`."""
    xml = etree.tostring(record, encoding="unicode")
    if any(text in xml for text in _SIGNS) or may_hold_address(xml):
        return True
    names: set[str] = set()
    for element in record.iter():
        names.add(str(element.tag))
        names.update(map(str, element.keys()))
    return any(map(_is_private, names))


def _clean(element: _Element, path: str, names: _Names | None, removed: set[str]) -> None:
    """Clean an element; `names` are those that are served in it, or None for all."""
    _mask_namespace(element)
    for key, text in _attributes(element):
        name = _local_name(key)
        if _is_private(name) or (names is not None and key not in names):
            removed.add(f"{path}/@{name}")
            del element.attrib[key]
        elif (public := _public(name, text)) != text:
            element.set(key, public)
    if element.text:
        element.text = _public(_local_name(element.tag), element.text)
    for child in list(element.iterchildren("*")):
        name = _local_name(child.tag)
        if _is_private(name) or (names is not None and child.tag not in names):
            removed.add(f"{path}/{name}")
            element.remove(child)
            continue
        if child.tail and child.tail.strip():  # text between elements is no field
            child.tail = None if names is not None else without_addresses(child.tail)
        _clean(child, f"{path}/{name}", None if names is None else names[name], removed)
    if names is not None and len(element) and element.text and element.text.strip():
        element.text = None


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
