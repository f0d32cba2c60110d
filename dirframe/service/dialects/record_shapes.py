"""Convert records to a dialect: rename, reorder and omit elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.schema import RESOURCES
from dirframe.service.dialects.dialects import Shape
from dirframe.service.dialects.xml_writer import element_xml
from dirframe.service.records import ITEM_TAGS, Value, record_from_element, record_from_xml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.etree import _Element

    from dirframe.schema import Resource
    from dirframe.service.dialects.dialects import Rules


_MIDNIGHT = "T00:00:00Z"
_NO_SHAPE = Shape()


def shape_fragment(rules: Rules, resource: Resource, fragment: str, *, in_collection: bool) -> str:
    """Return a record in the form of a dialect.

    Parameters
    ----------
    rules
        The dialect.
    resource
        The kind of record.
    fragment
        The record as stored.
    in_collection
        Whether it is part of a collection, where some dialects omit elements.

    Returns
    -------
    str
        The element; `fragment` itself if the dialect has no shapes.
    """
    if not rules.shapes:
        return fragment
    record = record_from_xml(fragment)
    hidden = rules.not_in_collections.get(resource.name, frozenset()) if in_collection else ()
    shaped = _shape(rules, resource.name, record, hidden=frozenset(hidden))
    return element_xml(resource.name, shaped)


def shape_element(rules: Rules, element: _Element) -> str:
    """Return an element of a record in the form of a dialect."""
    tag = str(element.tag)
    return element_xml(tag, _shape(rules, tag, record_from_element(element)))


def _shape(
    rules: Rules, tag: str, content: Mapping[str, Value], *, hidden: frozenset[str] = frozenset()
) -> dict[str, Value]:
    shape = rules.shapes.get(tag, _NO_SHAPE)
    hidden |= shape.dropped
    renamed = _rename(content, shape.names)
    names = dict.fromkeys((*shape.order, *renamed))
    shaped: dict[str, Value] = {}
    for name in names:
        value = renamed.get(name)
        if name in hidden or (value is None and name in shape.sometimes):
            continue
        if name in shape.midnight and isinstance(value, str):
            value = value.partition("T")[0] + _MIDNIGHT
        shaped[name] = _value(rules, name, value)
    return shaped


def _rename(content: Mapping[str, Value], names: Mapping[str, str]) -> dict[str, Value]:
    """Rename elements, unless the record already has both names."""
    present = {name for name, value in content.items() if value is not None}
    targets = set(names.values())
    new = targets - set(names)
    if new != targets and new & present:  # chained names that have been renamed already
        return dict(content)
    return {
        names.get(name, name): value
        for name, value in content.items()
        if names.get(name) not in new & present
    }


def _value(rules: Rules, name: str, value: Value) -> Value:
    if isinstance(value, dict):
        return _shape(rules, name, value)
    item = ITEM_TAGS.get(name)
    # A similar project inside a project is not a record.
    if isinstance(value, list) and item and item not in RESOURCES:
        return [_shape(rules, item, v) if isinstance(v, dict) else v for v in value]
    return value
