"""What came instead of the interface's XML, in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.client.refusal import describe, refuse
from dirframe.errors import UnreadableResponseError


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "an empty document"),
        (b"\xef\xbb\xbf \r\n", "an empty document"),
        (b'\n {"a": 1}', "JSON"),
        (b"[]", "JSON"),
        (b"\x1f\x8b\x08", "gzip data that was not unpacked"),
        (b"<!DOCTYPE HTML PUBLIC '-//W3C'><HTML>", "an HTML page"),
        (b"<?xml version='1.0'?><!DOCTYPE html><html/>", "an HTML page"),
        (b"<!doctype response []><response/>", "a document with a DOCTYPE"),
        (b"<?xml version='1.0'?><resp", "XML that is cut off"),
        (b"<error><mess", "XML that is cut off"),
        (b"Service Unavailable", "something that is not XML"),
        (b"%PDF-1.7", "a PDF document"),
    ],
)
def test_a_document_is_named_by_what_it_looks_like(content: bytes, words: str) -> None:
    assert describe(content).startswith(words)


@given(st.binary(max_size=100))
def test_every_document_has_a_name(content: bytes) -> None:
    assert describe(content)


def test_a_refusal_names_the_source_what_came_and_what_to_do() -> None:
    with pytest.raises(UnreadableResponseError) as caught:
        refuse("JSON", "http://d.example/p.xml", reason="line 1")
    message = str(caught.value)
    assert message.startswith("http://d.example/p.xml is JSON (line 1)")
    assert "ends in .xml" in message
    assert (caught.value.found, caught.value.source) == ("JSON", "http://d.example/p.xml")
