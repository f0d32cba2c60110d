"""Records as XML and JSON are given to holders of keys alone, however their address is spelt."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lxml import etree

from dirframe.service.api_keys import KeyStore
from dirframe.service.dialects.dialects import KEY_REQUIRED
from dirframe.service.server import serve
from tests.service.door import Door

if TYPE_CHECKING:
    from pathlib import Path

    from dirframe.service.store.store import Store


def has_records(body: bytes) -> bool:
    if body.startswith(b"\x1f\x8b"):
        body = gzip.decompress(body)
    return (b"<response" in body and b"<result" in body) or b'"result"' in body


OPEN = [
    "/projects.xml/",
    "/accounts.xml/",
    "/projects/7.xml/",
    "/projects.xml%2F",
    "/projects%2Exml/",
    "//projects.xml/",
    "http://directory.example/projects.xml/",
    "/accounts/7.xml/?v=1",
]


@pytest.mark.parametrize("target", OPEN)
def test_a_slash_behind_the_address_opens_nothing(door: Door, target: str) -> None:
    before = door.used()
    refused = door.ask(target)
    assert refused.status == 403
    root = etree.fromstring(refused.body)
    assert root.findtext("status") == "failed"
    assert root.findtext("error") == KEY_REQUIRED
    assert door.used() == before
    assert door.keyed(target).status == 200
    assert door.used() == before + 1


ENDS = ["", "/", "//", ".", "%2F", "%2f", "/.", "/..", ";", ";x=1", "%20", "%00", "+", "\\", "#x"]
NAMES = ["projects", "accounts", "PROJECTS", "Projects", "project%73", "projects/7", "accounts/7"]
TYPES = [".xml", ".XML", ".Xml", "%2Exml", ".x%6Dl", ".xml.xml", "..xml", "/.xml", ".xml;", ""]
TYPES += [kind.replace("xml", "json").replace("XML", "JSON") for kind in TYPES if kind]


@st.composite
def targets(draw: st.DrawFn) -> str:
    start = draw(st.sampled_from(["/", "//", "/./", "/x/../", "/%2F", "http://a.example/", "/;/"]))
    ends = "".join(draw(st.lists(st.sampled_from(ENDS), max_size=3)))
    asked = draw(
        st.sampled_from(["", "?", "?page=1", "?query=", "?api_key=", "?v=1&api_key=0", ";"])
    )
    return start + draw(st.sampled_from(NAMES)) + draw(st.sampled_from(TYPES)) + ends + asked


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(targets(), st.sampled_from(["GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "get", "FOO"]))
@example("/projects.xml/", "GET")
@example("/projects/7.xml%2F", "GET")
@example("/projects.json/", "GET")
@example("/accounts/7%2Ejson", "GET")
def test_no_spelling_of_an_address_gives_records_without_a_key(
    door: Door, target: str, method: str
) -> None:
    before = door.used()
    without = door.ask(target, method=method)
    assert not has_records(without.body)
    assert without.status in {200, 204} or without.status >= 400
    assert "Location" not in without.headers
    kind = without.headers.get("Content-Type", "")
    if without.status == 200:
        assert kind.startswith("text/html")
    if kind.startswith("application/xml") and method != "HEAD":
        assert etree.fromstring(without.body).findtext("status") == "failed"
    if kind.startswith("application/json") and method != "HEAD":
        assert json.loads(without.body)["status"] == "failed"
    assert door.used() == before

    keyed = door.keyed(target.partition("#")[0], method=method)
    if has_records(keyed.body) or (
        keyed.status == 200 and keyed.headers["Content-Type"].startswith("application/")
    ):
        assert without.status == 403
        assert door.used() == before + 1


@pytest.mark.parametrize("condition", ["If-None-Match: *", 'If-None-Match: "x"', "If-Match: *"])
def test_conditions_say_nothing_to_those_without_a_key(door: Door, condition: str) -> None:
    for target in ("/projects.xml", "/projects.xml/"):
        assert door.ask(target, "Host: a", condition).status == 403


def test_a_program_in_a_browser_reads_xml_and_why_it_failed(door: Door) -> None:
    origin = "Origin: http://notebook.example"
    for answer in (
        door.keyed("/projects.xml", "Host: a", origin),
        door.ask("/projects.xml", "Host: a", origin),
        door.ask("/healthz", "Host: a", origin),
    ):
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert "Retry-After" in answer.headers["Access-Control-Expose-Headers"]
    for target in ("/", "/projects", "/nowhere"):
        assert "Access-Control-Allow-Origin" not in door.ask(target, "Host: a", origin).headers


def test_a_preflight_is_answered_without_a_key_and_uncounted(door: Door) -> None:
    before = door.used()
    asked = ("Origin: http://notebook.example", "Access-Control-Request-Headers: if-none-match")
    for target in (f"/projects.xml?api_key={door.key}", "/projects/7.xml", "/healthz"):
        answer = door.ask(target, "Host: a", *asked, method="OPTIONS")
        assert (answer.status, answer.body) == (204, b"")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "GET" in answer.headers["Access-Control-Allow-Methods"]
        assert answer.headers["Access-Control-Allow-Headers"] == "*"
    assert door.used() == before


def test_pages_have_a_rate_for_each_address_and_xml_has_not(store: Store, tmp_path: Path) -> None:
    with KeyStore(tmp_path / "keys.sqlite") as keys:
        service = serve(store, keys=keys, page_rate=3)
        with service:
            door = Door(service, keys)
            targets = ["/", "/projects", "/accounts/7", "/projects?page=2", "/projects/7"]
            answers = [door.ask(target) for target in targets]
            assert [answer.status for answer in answers] == [200, 200, 200, 429, 429]
            assert 1 <= int(answers[-1].headers["Retry-After"]) <= 61
            assert b"Too many pages" in answers[-1].body
            assert door.keyed("/projects.xml").status == 200
            assert door.ask("/static/style.css").status == 200
            assert door.ask("/healthz").status == 200
            # Without a proxy that is trusted nobody becomes somebody else.
            assert door.ask("/", "Host: a", "X-Forwarded-For: 192.0.2.1").status == 429
