"""Digests tell records apart that have no key."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from dirframe.client.xml.digests import record_digests
from dirframe.client.xml.fast.scan import TagScan
from dirframe.client.xml.parser import PageParser
from dirframe.client.xml.records import RecordReader
from tests.client import page_xml
from tests.client.xml.trees import RECORDS, STYLES, Tree, document

ONE, OTHER = "<kudo><to>1</to></kudo>", "<kudo><to>2</to></kudo>"


def digests(content: bytes) -> tuple[str, ...]:
    reader = RecordReader()
    reader.read(content)
    return reader.last_digests()


def test_records_are_told_apart_by_what_they_hold_and_not_by_their_blanks() -> None:
    first, second = digests(page_xml([ONE, OTHER]))
    assert first != second
    spaced = "<kudo>\n  <to>1</to>\n</kudo>"
    assert digests(page_xml([spaced, OTHER])) == (first, second)


@pytest.mark.parametrize(
    "other",
    [
        "<kudo><to>1</to><from>1</from></kudo>",
        "<kudo><to id='1'>1</to></kudo>",
        "<kudo id='1'><to>1</to></kudo>",
        "<kudo><from>1</from></kudo>",
        "<kudo><x><to>1</to></x></kudo>",
        "<kudo><to>1</to><to/></kudo>",
    ],
)
def test_whatever_differs_makes_another_record(other: str) -> None:
    first, second = digests(page_xml([ONE, other]))
    assert first != second


def test_records_of_a_page_that_are_alike_still_differ_and_do_so_on_each_page() -> None:
    twice = digests(page_xml([ONE, ONE]))
    assert len(set(twice)) == 2
    assert digests(page_xml([ONE])) == twice[:1]


def test_a_document_without_records_has_none() -> None:
    assert digests(page_xml([], result=False)) == ()
    assert len(digests(f"<result>{ONE}</result>".encode())) == 1


@settings(max_examples=100)
@given(record=RECORDS, style=STYLES)
def test_a_record_has_one_digest_however_its_page_is_written(
    record: list[Tree], style: str
) -> None:
    parser = PageParser()
    usual, written = (parser.parse(document([record], how)).records for how in ("plain", style))
    assert isinstance(usual, TagScan)
    assert written is not None
    of_tree = record_digests(parser.tree(usual), parser.tree)
    assert record_digests(usual, parser.tree) == record_digests(written, parser.tree) == of_tree
