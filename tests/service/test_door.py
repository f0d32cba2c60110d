"""Records as XML are given to holders of keys alone, however their address is spelt."""

from __future__ import annotations

import gzip
import socket
from http.client import HTTPResponse
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from lxml import etree

from dirframe.service.dialects import KEY_REQUIRED
from dirframe.service.keys import KeyStore
from dirframe.service.server import Service, serve

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dirframe.service.store import Store


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes
    #: Whether the connection answers a second request.
    kept: bool


class Door:
    """A service that is asked byte by byte, with a key and its count."""

    def __init__(self, service: Service, keys: KeyStore) -> None:
        self.url = service.url
        self._keys = keys
        self.key = keys.add("a tester", "the door", daily_limit=10**9)

    def used(self) -> int:
        return self._keys.list()[0].used

    def ask(self, target: bytes | str, *headers: str, method: str = "GET") -> Answer:
        path = target.encode("latin-1") if isinstance(target, str) else target
        lines = "".join(f"{line}\r\n" for line in (headers or ("Host: directory.example",)))
        return self.send(method.encode() + b" " + path + b" HTTP/1.1\r\n" + lines.encode(), method)

    def send(self, head: bytes, method: str = "GET") -> Answer:
        parts = urlsplit(self.url)
        with socket.create_connection((parts.hostname or "", parts.port or 0), 30) as client:
            client.sendall(head + b"\r\n")
            answer = HTTPResponse(client, method=method)
            answer.begin()
            body, headers = answer.read(), dict(answer.getheaders())
            return Answer(answer.status, headers, body, self._is_kept(client))

    def _is_kept(self, client: socket.socket) -> bool:
        try:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return client.recv(8) == b"HTTP/1.1"
        except ConnectionError:
            return False

    def keyed(self, target: str, *headers: str, method: str = "GET") -> Answer:
        glue = "&" if "?" in target else "?"
        return self.ask(f"{target}{glue}api_key={self.key}", *headers, method=method)


@pytest.fixture(scope="module")
def door(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    path = tmp_path_factory.mktemp("door") / "keys.sqlite"
    with KeyStore(path) as keys:
        service = serve(store, keys=keys, page_rate=0)
        with service:
            yield Door(service, keys)


def has_records(body: bytes) -> bool:
    if body.startswith(b"\x1f\x8b"):
        body = gzip.decompress(body)
    return b"<response" in body and b"<result" in body


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
    assert door.used() == before

    keyed = door.keyed(target.partition("#")[0], method=method)
    if has_records(keyed.body) or (
        keyed.status == 200 and keyed.headers["Content-Type"].startswith("application/xml")
    ):
        assert without.status == 403
        assert door.used() == before + 1


@pytest.mark.parametrize("condition", ["If-None-Match: *", 'If-None-Match: "x"', "If-Match: *"])
def test_conditions_say_nothing_to_those_without_a_key(door: Door, condition: str) -> None:
    for target in ("/projects.xml", "/projects.xml/"):
        assert door.ask(target, "Host: a", condition).status == 403


def test_a_failed_condition_is_a_failure_without_records(door: Door) -> None:
    tag = door.keyed("/projects.xml").headers["Etag"]
    failed = door.keyed("/projects.xml", "Host: a", 'If-Match: "other"')
    assert failed.status == 412
    root = etree.fromstring(failed.body)
    assert [child.tag for child in root] == ["status", "error"]
    assert root.findtext("status") == "failed"
    for condition in (f"If-Match: {tag}", "If-Match: *", f'If-Match: "x", {tag}'):
        assert door.keyed("/projects.xml", "Host: a", condition).status == 200
    old = "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT"  # there is no date to compare
    assert door.keyed("/projects.xml", "Host: a", old).status == 200


def test_an_answer_without_a_body_keeps_the_connection(door: Door) -> None:
    tag = door.keyed("/projects.xml").headers["Etag"]
    same = door.keyed("/projects.xml", "Host: a", f"If-None-Match: {tag}")
    assert (same.status, same.body, same.kept) == (304, b"", True)
    assert "Connection" not in same.headers
    assert door.ask("/projects.xml", method="OPTIONS").kept
    ended = door.keyed("/projects.xml", "Host: a", f"If-None-Match: {tag}", "Connection: close")
    assert (ended.status, ended.kept) == (304, False)


def test_a_request_names_its_host_once(door: Door) -> None:
    line = f"GET /projects.xml?api_key={door.key} HTTP/1.1\r\n".encode()
    before = door.used()
    for hosts in (b"", b"Host: a\r\nHost: a\r\n", b"Host: a\r\nHost: b\r\n", b"Host: a b\r\n"):
        answer = door.send(line + hosts)
        assert answer.status == 400, hosts
        assert etree.fromstring(answer.body).findtext("status") == "failed"
    assert door.used() == before
    for hosts in (b"Host: a:80\r\n", b"Host: [::1]:80\r\n", b"Host:\r\n"):
        assert door.send(line + hosts).status == 200, hosts
    assert door.send(line.replace(b"HTTP/1.1", b"HTTP/1.0")).status == 200


@pytest.mark.parametrize("method", ["POST", "TRACE", "FOO", "CONNECT"])
def test_unknown_methods_are_405_with_what_is_allowed(door: Door, method: str) -> None:
    answer = door.ask("a.example:80" if method == "CONNECT" else "/projects.xml", method=method)
    assert answer.status == 405
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"


def test_targets_are_paths_or_whole_addresses_or_the_asterisk_of_options(door: Door) -> None:
    assert door.ask("healthz").status == 400
    assert door.ask("*").status == 400
    assert door.ask("http://other.example/healthz").status == 200
    asked = door.ask("*", method="OPTIONS")
    assert (asked.status, asked.headers["Allow"]) == (204, "GET, HEAD, OPTIONS")


def count(answer: Answer) -> str | None:
    assert answer.status == 200, answer.body
    return etree.fromstring(answer.body).findtext("items_available")


def test_a_query_is_read_as_latin_1_where_it_is_no_utf_8(door: Door) -> None:
    utf_8 = count(door.keyed("/accounts.xml?query=Zo%C3%AB"))
    assert int(utf_8 or 0) > 0
    assert count(door.keyed("/accounts.xml?query=Zo%EB")) == utf_8
    raw = f"/accounts.xml?query=Zo\xeb&api_key={door.key}".encode("latin-1")
    assert door.ask(raw).status == 400  # no byte of a target is outside ASCII
    page = door.ask("/accounts?query=Zo%EB")
    assert f"of {utf_8} accounts matching <q>Zoë</q>" in page.body.decode()


@pytest.mark.parametrize("control", ["%00", "a%00b", "%1B", "%7F", "%C2%85", "%93x%94"])
def test_control_characters_in_a_query_are_refused(door: Door, control: str) -> None:
    answer = door.keyed(f"/accounts.xml?query={control}")
    assert answer.status == 400
    assert "control character U+00" in (etree.fromstring(answer.body).findtext("error") or "")
    assert door.ask(f"/accounts?query={control}").status == 400


def test_answers_are_compressed_for_those_who_ask(door: Door) -> None:
    plain = door.keyed("/projects.xml")
    packed = door.keyed("/projects.xml", "Host: a", "Accept-Encoding: gzip, deflate")
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) * 3 < len(plain.body)
    assert "Content-Encoding" not in plain.headers
    assert plain.headers["Etag"] != packed.headers["Etag"]
    for answer in (plain, packed):
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert int(answer.headers["Content-Length"]) == len(answer.body)
    for refusal in ("gzip;q=0", "identity, gzip;q=0.5", "br"):
        refused = door.keyed("/projects.xml", "Host: a", f"Accept-Encoding: {refusal}")
        assert "Content-Encoding" not in refused.headers
    page = door.ask("/projects", "Host: a", "Accept-Encoding: gzip")
    assert gzip.decompress(page.body) == door.ask("/projects").body


def test_each_coding_has_its_own_tag_and_answers_to_it(door: Door) -> None:
    accept = "Accept-Encoding: gzip"
    packed = door.keyed("/projects.xml", "Host: a", accept).headers["Etag"]
    same = door.keyed("/projects.xml", "Host: a", accept, f"If-None-Match: {packed}")
    assert (same.status, same.headers["Etag"]) == (304, packed)
    assert same.headers["Vary"] == "Accept-Encoding"
    assert "Content-Encoding" not in same.headers
    assert door.keyed("/projects.xml", "Host: a", f"If-None-Match: {packed}").status == 200
    head = door.keyed("/projects.xml", "Host: a", accept, method="HEAD")
    whole = door.keyed("/projects.xml", "Host: a", accept)
    assert head.headers["Content-Length"] == whole.headers["Content-Length"]


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
