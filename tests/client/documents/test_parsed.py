"""Documents become one frame, in their order."""

from __future__ import annotations

import pytest

from dirframe.client.documents.parsed import CHUNK, parse_documents
from dirframe.errors import UnreadableResponseError
from dirframe.schema import ACCOUNT, PROJECT
from tests.client import failed, page_xml, record


def test_documents_are_read_in_their_order_and_the_first_record_says_of_what() -> None:
    pages = [("a", page_xml([record("2"), record("1")])), ("b", page_xml([record("3")]))]
    read = parse_documents(pages)
    assert list(read.frame["id"]) == ["2", "1", "3"]
    assert read.resource is PROJECT
    assert [envelope.records for envelope in read.envelopes] == [2, 1]


def test_more_documents_than_a_chunk_lose_none() -> None:
    count = 2 * CHUNK + 3
    documents = ((str(n), page_xml([record(str(n))])) for n in range(count))
    frame = parse_documents(documents).frame
    assert list(frame["id"]) == [str(n) for n in range(count)]


def test_no_record_at_all_gives_the_columns_of_what_was_asked() -> None:
    assert "email_sha1" in parse_documents([("a", page_xml([]))], ACCOUNT).frame
    nothing = parse_documents([("a", page_xml([]))])
    assert nothing.resource is None
    assert len(nothing.frame) == 0


def test_columns_that_no_schema_knows_get_types_in_resources_outside_the_specification_only() -> (
    None
):
    tool, of_project = (page_xml([record("1", kind, lines="7")]) for kind in ("tool", "project"))
    assert parse_documents([("a", tool)]).frame["lines"].dtype == "Int64"
    assert parse_documents([("a", of_project)]).frame["lines"].dtype == "str"


def test_pages_without_records_before_the_first_record_do_no_harm() -> None:
    documents = [(str(n), page_xml([])) for n in range(CHUNK)] + [("z", page_xml([record("1")]))]
    assert list(parse_documents(documents).frame["id"]) == ["1"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (failed("No such project"), 'failure: "No such project"'),
        (b"<error><message>gone</message></error>", "gone"),
        (page_xml([record("1", "account")]), "<account>"),
        (b"<html>", "HTML"),
    ],
)
def test_a_document_that_is_no_page_is_refused_by_its_name(content: bytes, words: str) -> None:
    pages = [("one.xml", page_xml([record("1")])), ("two.xml", content)]
    with pytest.raises(UnreadableResponseError, match="two\\.xml") as caught:
        parse_documents(pages, PROJECT)
    assert words in str(caught.value)
    assert caught.value.source == "two.xml"


def test_a_document_may_not_be_longer_than_allowed() -> None:
    with pytest.raises(UnreadableResponseError, match="allowed"):
        parse_documents([("a", page_xml([record("1")]))], max_bytes=20)
