"""Requests that HTTP does not allow, and texts that no query is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

if TYPE_CHECKING:
    from tests.service.door import Answer, Door


def count(answer: Answer) -> str | None:
    assert answer.status == 200, answer.body
    return etree.fromstring(answer.body).findtext("items_available")


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
