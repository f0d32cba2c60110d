"""JSON is the XML in another form: the same addresses, key, count, paging and records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from lxml import etree

from dirframe.client.frames.dtypes import convert_column
from dirframe.schema import Kind
from dirframe.service.dialects.json_writer import json_document

if TYPE_CHECKING:
    from tests.service.door import Door

TARGETS = [
    "/accounts{}?page=3",
    "/projects{}?query=xml&sort=stack_count",
    "/projects{}?page=99999",
    "/projects/7{}",
    "/p/7{}",
    "/accounts/7{}",
    "/languages{}",
    "/projects/7/contributors{}",
    "/projects/7/analyses/latest{}",
    "/projects/7/analyses/latest/activity_facts{}",
]


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in texts(part)]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return [] if value is None else [str(value)]


def plain(text: str) -> str:
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else str(number)


@pytest.mark.parametrize("target", TARGETS)
def test_json_has_every_value_of_the_xml_and_counts_the_same(sample: Door, target: str) -> None:
    before = sample.used()
    xml, answer = (sample.keyed(target.format(suffix)) for suffix in (".xml", ".json"))
    assert sample.used() == before + 2
    assert (xml.status, answer.status) == (200, 200)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Cache-Control"] == xml.headers["Cache-Control"]
    root, content = etree.fromstring(xml.body), json.loads(answer.body)
    result = root.find("result")
    assert result is not None
    expected = [
        value.strip()
        for node in result.iter()
        for value in (*(str(v) for v in node.attrib.values()), node.text or "")
        if value.strip()
    ]
    assert sorted(map(plain, texts(content["result"]))) == sorted(map(plain, expected))
    assert content["synthetic"] is True
    for count in ("items_returned", "items_available", "first_item_position"):
        assert root.findtext(count) == (str(content[count]) if count in content else None)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1e-05", 0.00001),
        ("-0.0007543210987654321", -0.0007543210987654321),
        ("+51.5", 51.5),
        (".5", 0.5),
        ("1,234.5", 1234.5),
        ("1,2,3", "1,2,3"),
        ("1e999", "1e999"),
        ("9" * 400, "9" * 400),
        ("-", "-"),
    ],
)
def test_whatever_form_a_number_has_json_says_what_the_loaders_read(
    text: str, number: object
) -> None:
    account = f"<account><id>1</id><latitude>{text}</latitude></account>"
    document = f"<response><status>success</status><result>{account}</result></response>"
    assert json.loads(json_document(document.encode()))["result"]["latitude"] == number
    (read,) = convert_column([text], Kind.NUMBER).array.to_pylist()
    assert read == (number if isinstance(number, float) else None)


@pytest.mark.parametrize(
    ("target", "status"),
    [("/projects/none.json", 404), ("/nothing/at/all.json", 404), ("/projects.json?page=0", 400)],
)
def test_a_failure_is_json_where_json_was_asked_for(sample: Door, target: str, status: int) -> None:
    answer = sample.keyed(target)
    assert (answer.status, answer.headers["Content-Type"]) == (status, "application/json")
    content = json.loads(answer.body)
    assert content["status"] == "failed"
    assert content["error"]


def test_nothing_is_json_without_a_key(sample: Door) -> None:
    before = sample.used()
    for target in (*(t.format(".json") for t in TARGETS), "/openapi.json", "/x.json", "/.json"):
        for spelling in (target, target.replace(".json", "%2Ejson"), f"/{target}"):
            answer = sample.ask(spelling)
            assert (answer.status, b'"result"' in answer.body) == (403, False) or (
                answer.headers["Content-Type"].startswith("text/html")
            ), spelling
    assert sample.used() == before
