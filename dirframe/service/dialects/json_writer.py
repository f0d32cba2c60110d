"""Convert responses of the interface from XML to JSON, with the types of the schema."""

# The XML is the one representation of a response; JSON is made from it, so that both always agree.

from __future__ import annotations

import dataclasses
import json
import re
from typing import TYPE_CHECKING, Any

from lxml import etree

from dirframe.schema import COLLECTION_COUNTS, PROJECT, RESOURCES, SYNTHETIC_MARK, Field, Kind
from dirframe.schema.extensions import EXTENSIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.etree import _Element


# Whole numbers of at most 18 digits, with or without commas between thousands; exponents of two
# digits, so that no number is infinite.
_WHOLE = r"[-+]?(?:[1-9]\d{0,2}(?:,\d{3}){1,5}|\d{1,18})"
_INTEGER = re.compile(_WHOLE, re.ASCII)
_NUMBER = re.compile(
    rf"(?:{_WHOLE}|[-+]?(?=\.\d))(?:\.\d*)?(?:e[-+]?\d{{1,2}})?", re.ASCII | re.IGNORECASE
)


@dataclasses.dataclass
class Node:
    """An element of the schema: its field if it has a value, and its children by name.

    The entries of a list are elements `tag`, with the children of the node.
    """

    field: Field | None = None
    tag: str = ""
    children: dict[str, Node] = dataclasses.field(default_factory=dict)


def _tree(fields: Iterable[Field]) -> Node:
    root = Node()
    for f in fields:
        node = root
        for name in f.path:
            node = node.children.setdefault(name, Node())
        node.field = f
        if f.items:
            attributes = node.children  # of the list itself
            node.children = _tree(f.items.fields).children
            node.tag = f.items.tag
            parent = root
            for name in f.path[:-1]:
                parent = parent.children[name]
            for name, attribute in attributes.items():
                parent.children[f"{f.path[-1]}_{name}"] = attribute
    return root


#: Schemas of the elements in a result, by tag.
NODES = {r.name: _tree(r.fields) for r in (*RESOURCES.values(), *EXTENSIONS.values())}
NODES["analysis"] = NODES[PROJECT.name].children["analysis"]


def json_document(document: bytes) -> bytes:
    """Return a response of the interface as JSON.

    Numbers of fields that are numbers are JSON numbers, unless their text is none; an empty element
    is null, a list an array, and an attribute of a list a member beside it.

    Examples
    --------
    >>> json_document(b"<response><status>failed</status><error>No.</error></response>")
    b'{"status":"failed","error":"No."}'
    """
    root = etree.fromstring(document)
    is_collection = root.find(COLLECTION_COUNTS[0]) is not None
    content: dict[str, Any] = {}
    for child in root:
        if child.tag == "result":
            records = [_object(e, NODES.get(str(e.tag), Node())) for e in child]
            content["result"] = records if is_collection else records[0]
        elif child.tag in COLLECTION_COUNTS:
            content[str(child.tag)] = int(child.text or 0)
        else:
            content[str(child.tag)] = child.text
    if root.xpath(f"preceding-sibling::processing-instruction('{SYNTHETIC_MARK}')"):
        content["synthetic"] = True
    if root.tag != "response":  # the error of a dialect without the envelope
        content = {str(root.tag): content}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def _object(element: _Element, node: Node) -> dict[str, Any]:
    content: dict[str, Any] = {
        str(name): _scalar(str(text), node.children.get(str(name)))
        for name, text in element.attrib.items()
    }
    for child in element:
        name = str(child.tag)
        known = node.children.get(name, Node())
        value = _value(child, known)
        if known.tag:
            for attribute, text in child.attrib.items():
                member = f"{name}_{attribute!s}"
                content[member] = _scalar(str(text), node.children.get(member))
        if name not in content:
            content[name] = value
        elif isinstance(content[name], list) and isinstance(value, list):
            content[name] += value
        else:  # an element outside the schema, repeated
            before = content[name]
            content[name] = [*(before if isinstance(before, list) else [before]), value]
    return content


def _value(element: _Element, node: Node) -> Any:
    if node.tag:
        return [_entry(child, node) for child in element]
    if len(element) or element.attrib:
        content = _object(element, node)
        if text := (element.text or "").strip():
            content["text"] = text
        return content
    return _scalar(element.text, node)


def _entry(element: _Element, node: Node) -> Any:
    """Return an entry of a list: an object, or its text if that is all that it can have."""
    text = _scalar(element.text, node.children.get(node.tag))
    if set(node.children) == {node.tag} and not len(element) and not element.attrib:
        return text
    content = _object(element, node)
    return {node.tag: text, **content} if node.tag in node.children else content


def _scalar(text: str | None, node: Node | None) -> str | int | float | None:
    text = (text or "").strip()
    kind = node.field.kind if node is not None and node.field else Kind.TEXT
    if kind is Kind.INTEGER and _INTEGER.fullmatch(text):
        return int(text.replace(",", ""))
    if kind in {Kind.INTEGER, Kind.NUMBER} and _NUMBER.fullmatch(text):
        return float(text.replace(",", ""))
    return text or None
