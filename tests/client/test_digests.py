"""What tells records apart that have no key."""

from __future__ import annotations

from dirframe.client.digests import digests
from tests.client import page_xml

ONE, OTHER = "<kudo><to>1</to></kudo>", "<kudo><to>2</to></kudo>"


def test_records_are_told_apart_by_what_they_hold_and_not_by_their_blanks() -> None:
    first, second = digests(page_xml([ONE, OTHER]))
    assert first != second
    spaced = "<kudo>\n  <to>1</to>\n</kudo>"
    assert digests(page_xml([spaced, OTHER])) == (first, second)


def test_records_of_a_page_that_are_alike_still_differ_and_do_so_on_each_page() -> None:
    twice = digests(page_xml([ONE, ONE]))
    assert len(set(twice)) == 2
    assert digests(page_xml([ONE])) == twice[:1]


def test_a_document_without_records_has_none() -> None:
    assert digests(page_xml([], result=False)) == ()
    assert len(digests(f"<result>{ONE}</result>".encode())) == 1
