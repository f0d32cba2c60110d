"""OpenAPI description of the interface as JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dirframe.schema import COLLECTION_COUNTS, RESOURCES, Kind
from dirframe.service.dialects.json_writer import NODES, Node

if TYPE_CHECKING:
    from collections.abc import Iterable

    from werkzeug.routing import Rule

    from dirframe.schema import Field
    from dirframe.service.store.store import Store


#: A number that is invalid in the record is sent as text.
_TYPES = {Kind.INTEGER: ["integer", "string", "null"], Kind.NUMBER: ["number", "string", "null"]}
_FORMATS = {Kind.TIMESTAMP: "date-time", Kind.URL: "uri"}


def openapi_document(store: Store, name: str, rules: Iterable[Rule]) -> dict[str, Any]:
    """Return the description of the addresses of `rules`.

    Parameters
    ----------
    store
        Records of the directory, which determine the sorts.
    name
        Name of the site.
    rules
        The rules of the application whose responses are JSON.

    Returns
    -------
    dict
        A document of OpenAPI 3.1.
    """
    return {
        "openapi": "3.1.0",
        "info": {
            "title": name,
            "version": "1",
            "description": "The records of the XML interface as JSON: the same address with .json "
            "for .xml, the same key, count and paging.",
        },
        "servers": [{"url": "."}],
        "security": [{"api_key": []}],
        "paths": {
            re.sub(r"<(?:path:)?(\w+)>", r"{\1}", rule.rule): {"get": _operation(store, rule)}
            for rule in rules
            if rule.rule.split("/")[-1] != ".json" and "<path:" not in rule.rule
        },
        "components": {
            "securitySchemes": {"api_key": {"type": "apiKey", "in": "query", "name": "api_key"}},
            "schemas": {
                **{name: _schema(node) for name, node in NODES.items()},
                "failed": _object(status={"const": "failed"}, error={"type": "string"}),
            },
            "responses": {
                "failed": {
                    "description": "The request failed; the error says why.",
                    "content": _content({"$ref": "#/components/schemas/failed"}),
                }
            },
        },
    }


def _operation(store: Store, rule: Rule) -> dict[str, Any]:
    record, many = _result(rule)
    item: dict[str, Any] = (
        {"$ref": f"#/components/schemas/{record}"} if record in NODES else {"type": "object"}
    )
    envelope: dict[str, Any] = {"status": {"const": "success"}}
    if many:
        envelope |= {count: {"type": "integer", "minimum": 0} for count in COLLECTION_COUNTS}
        item = {"type": "array", "items": item}
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in sorted(rule.arguments - set(rule.defaults or ()))
    ]
    resource = RESOURCES.get(record)
    if many and resource:
        parameters += [
            {"name": "query", "in": "query", "schema": {"type": "string", "maxLength": 500}},
            {"name": "page", "in": "query", "schema": {"type": "integer", "minimum": 1}},
            {"name": "sort", "in": "query", "schema": {"enum": list(store.sorts(resource))}},
        ]
    return {
        "operationId": rule.endpoint,
        "parameters": parameters,
        "responses": {
            "200": {
                "description": "Records." if many else "One record.",
                "content": _content(_object(**envelope, result=item)),
            },
            "default": {"$ref": "#/components/responses/failed"},
        },
    }


def _result(rule: Rule) -> tuple[str, bool]:
    """Return the tag of the records of a rule, and whether there are several."""
    last = rule.rule.removesuffix(".json").split("/")[-1]
    names = (
        {r: r for r in NODES} | {f"{r}s": r for r in NODES} | {"contributors": "contributor_fact"}
    )
    if not last.startswith("<"):
        return names.get(last, ""), True
    above = rule.rule.split("/")[-2]
    singles = {"p": "project", "analyses": "analysis"}
    return singles.get(above) or names.get(above, ""), False


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _schema(node: Node) -> dict[str, Any]:
    about = {"description": _meaning(node.field)} if node.field else {}
    if node.tag and set(node.children) == {node.tag}:
        return {"type": "array", "items": {"type": ["string", "null"]}, **about}
    if node.children:
        properties = {name: _schema(child) for name, child in node.children.items()}
        content: dict[str, Any] = {"type": "object", "properties": properties}
        return {"type": "array", "items": content, **about} if node.tag else content | about
    kind = node.field.kind if node.field else Kind.TEXT
    form = {"format": _FORMATS[kind]} if kind in _FORMATS else {}
    return {"type": _TYPES.get(kind, ["string", "null"]), **form, **about}


def _meaning(field: Field) -> str:
    return f"{field.meaning} ({field.unit})" if field.unit else field.meaning
