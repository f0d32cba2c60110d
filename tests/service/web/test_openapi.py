"""The description of the interface is valid, and true of the answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from openapi_spec_validator import validate

from dirframe.schema import PROJECT, RESOURCES

if TYPE_CHECKING:
    from tests.service.door import Door


def test_the_description_is_valid_and_names_what_is_sent(sample: Door) -> None:
    document = json.loads(sample.keyed("/openapi.json").body)
    validate(document)
    assert document["info"]["title"] == "A & B"
    schemas = document["components"]["schemas"]
    for resource in RESOURCES.values():
        described = document["paths"][f"/{resource.collection}.json"]["get"]
        names = [parameter["name"] for parameter in described["parameters"]]
        assert names == ["query", "page", "sort"]
        (sort,) = (p["schema"]["enum"] for p in described["parameters"] if p["name"] == "sort")
        assert set(resource.sorts) <= set(sort)
    for path, operation in document["paths"].items():
        target = path.format(segment="7", analysis="latest", identifier="1")
        answer = sample.keyed(target)
        if path != "/openapi.json" and answer.status == 200:
            schema = operation["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            content = json.loads(answer.body)
            assert set(schema["required"]) <= set(content), path
            item = schema["properties"]["result"]
            record = content["result"][0] if "items" in item else content["result"]
            name = item.get("items", item)["$ref"].rpartition("/")[2]
            assert set(record) <= set(schemas[name]["properties"]), path
    assert schemas[PROJECT.name]["properties"]["stack_count"]["type"][0] == "integer"
