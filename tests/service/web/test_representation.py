"""How an answer is sent: its conditions and codings."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from tests.service.door import Door


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
