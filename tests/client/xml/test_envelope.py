"""The envelope says what a response is, in the words of every service of this kind."""

from __future__ import annotations

import pytest
from lxml import etree

from dirframe.client.xml.envelope import Envelope, find_result, read_envelope


def envelope(content: bytes, records: int = 0) -> Envelope:
    return read_envelope(etree.fromstring(content), content, records)


def test_the_counts_of_a_collection_are_numbers_or_missing() -> None:
    read = envelope(
        b"<response><status>success</status><items_returned>25</items_returned>"
        b"<items_available> 1,935 </items_available>"
        b"<first_item_position>many</first_item_position><result/></response>"
    )
    assert (read.items_returned, read.items_available) == (25, 1935)
    assert read.first_item_position is None
    assert read.succeeded


@pytest.mark.parametrize(
    ("content", "succeeded", "error"),
    [
        (b"<response><status>failed</status><error>no key</error></response>", False, "no key"),
        (b"<response><status>success</status></response>", True, None),
        (b"<error><message>gone</message></error>", False, "gone"),
        (b"<error> gone </error>", False, "gone"),
        (b"<result><project/></result>", True, None),
        (b"<response/>", False, None),
    ],
)
def test_a_response_says_whether_it_succeeded(
    content: bytes, succeeded: bool, error: str | None
) -> None:
    read = envelope(content)
    assert (read.succeeded, read.error) == (succeeded, error)


def test_the_result_is_the_root_or_right_below() -> None:
    for content, tag in ((b"<result/>", "result"), (b"<r><result/></r>", "result")):
        found = find_result(etree.fromstring(content))
        assert found is not None
        assert found.tag == tag
    assert find_result(etree.fromstring(b"<r><data><result/></data></r>")) is None
