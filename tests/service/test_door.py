"""No address gives XML without a key and a count, however it is spelt."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lxml import etree

import dirframe
from dirframe.service.keys import KeyStore
from tests.service import wire


@pytest.fixture(scope="module")
def door(folder, tmp_path_factory):
    """Serve the folder; return its address, a key and a function that tells the count."""
    with KeyStore(tmp_path_factory.mktemp("door") / "keys.sqlite") as keys:
        key = keys.add("a tester", "the door", daily_limit=10**9)
        with dirframe.serve(folder, keys=keys) as url:
            yield url, key, lambda: keys.records()[0].used


def keyed(target, key):
    return f"{target}{'&' if '?' in target else '?'}api_key={key}"


def has_records(body):
    return b"<response" in body and b"<result" in body


def test_slash_behind_the_address_opens_nothing(door):
    url, key, used = door
    for target in (
        *("/projects.xml/", "/accounts.xml/", "/projects/7.xml/", "/projects.xml%2F"),
        *("/projects%2Exml/", "//projects.xml/", "http://directory.example/projects.xml/"),
        "/accounts/7.xml/?v=1",
    ):
        before = used()
        refused = wire.ask(url, target)
        root = etree.fromstring(refused.body)
        assert (refused.status, root.findtext("status")) == (403, "failed"), target
        assert used() == before
        assert wire.ask(url, keyed(target, key)).status == 200
        assert used() == before + 1


ENDS = ["", "/", "//", ".", "%2F", "%2f", "/.", "/..", ";", ";x=1", "%20", "%00", "+", "\\", "#x"]
NAMES = ["projects", "accounts", "PROJECTS", "Projects", "project%73", "projects/7", "accounts/7"]
NAMES += ["p/7", "languages"]
TYPES = [".xml", ".XML", ".Xml", "%2Exml", ".x%6Dl", ".xml.xml", "..xml", "/.xml", ".xml;", ""]
TARGETS = st.tuples(
    st.sampled_from(["/", "//", "/./", "/x/../", "/%2F", "http://a.example/", "/;/"]),
    st.sampled_from(NAMES),
    st.sampled_from(TYPES),
    st.lists(st.sampled_from(ENDS), max_size=3).map("".join),
    st.sampled_from(["", "?", "?page=1", "?query=", "?api_key=", "?v=1&api_key=0", ";"]),
).map("".join)
METHODS = st.sampled_from(["GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "get", "FOO"])


@settings(suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(TARGETS, METHODS), min_size=8, max_size=8))
@example([("/projects.xml/", "GET"), ("/projects/7.xml%2F", "GET"), ("/accounts/7%2Exml", "GET")])
def test_no_spelling_of_an_address_gives_records_without_a_key_and_a_count(door, asked):
    url, key, used = door
    for target, method in asked:
        before = used()
        without = wire.ask(url, target, method=method)
        assert not has_records(without.body)
        assert without.status in {200, 204} or without.status >= 400
        assert "location" not in without.headers
        kind = without.headers.get("content-type", "")
        if without.status == 200:
            assert kind.startswith("text/html")
        if kind.startswith("application/xml") and method != "HEAD":
            assert etree.fromstring(without.body).findtext("status") == "failed"
        assert used() == before

        with_key = wire.ask(url, keyed(target.partition("#")[0], key), method=method)
        kind = with_key.headers.get("content-type", "")
        is_xml = with_key.status == 200 and kind.startswith("application/xml")
        if is_xml or has_records(with_key.body):
            assert without.status == 403
            assert used() == before + 1


def test_conditions_and_other_headers_say_nothing_to_those_without_a_key(door):
    url, _, used = door
    before = used()
    for header in (
        *("If-None-Match: *", 'If-None-Match: "x"', "If-Match: *", "Accept: application/xml"),
        *("X-Forwarded-For: 127.0.0.1", "X-Original-URL: /projects.xml", "Authorization: Basic x"),
    ):
        for target in ("/projects.xml", "/projects.xml/"):
            assert wire.ask(url, target, "Host: a", header).status == 403
    assert used() == before
