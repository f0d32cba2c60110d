"""A page is parsed into its envelope and its records, whichever way."""

from __future__ import annotations

import gc

import pytest
from lxml import etree

from dirframe.client.xml.fast.scan import TagScan
from dirframe.client.xml.flatten import flatten_records
from dirframe.client.xml.parser import PageParser
from dirframe.client.xml.records import RecordReader
from dirframe.errors import UnreadableResponseError
from tests.client import failed
from tests.client.xml.trees import around

USUAL = around("<project><id>1</id></project><project><id>2</id></project>")
WITH_COMMENT = around("<project><!-- c --><id>1</id></project><project><id>2</id></project>")


def test_a_usual_page_is_scanned_and_another_one_has_a_tree() -> None:
    usual, other = (PageParser().parse(content) for content in (USUAL, WITH_COMMENT))
    assert isinstance(usual.records, TagScan)
    assert isinstance(other.records, etree._Element)
    assert usual.envelope == other.envelope
    assert usual.record_name == other.record_name == "project"
    assert len(usual.records) == len(other.records) == 2


def test_the_tree_of_a_scan_holds_the_records_of_the_page() -> None:
    parser = PageParser()
    records = parser.parse(USUAL).records
    assert isinstance(records, TagScan)
    assert flatten_records(parser.tree(records), None) == (2, {("id",): ["1", "2"]})


@pytest.mark.parametrize("content", [USUAL, WITH_COMMENT])
def test_records_of_another_name_are_refused_with_what_came(content: bytes) -> None:
    with pytest.raises(UnreadableResponseError, match="page 7 should hold <account>") as caught:
        PageParser().parse(content, source="page 7", record_name="account")
    assert caught.value.found == "<project>"
    page = PageParser().parse(content, source="page 7")
    reader = RecordReader()
    reader.read(around("<account><id>1</id></account>"))
    with pytest.raises(UnreadableResponseError, match="page 7 should hold <account>"):
        reader.add(page)
    assert reader.rows == 1


def test_a_failure_has_no_records() -> None:
    page = PageParser().parse(failed("no"))
    assert (page.records, page.record_name, page.envelope.error) == (None, None, "no")
    assert RecordReader().add(page).succeeded is False


def test_a_page_may_be_added_to_several_readers() -> None:
    for content in (USUAL, WITH_COMMENT):
        page = PageParser().parse(content)
        for _ in range(2):
            reader = RecordReader()
            assert reader.add(page).records == 2
            assert reader.last_values("id") == ("1", "2")
            assert reader.pop_columns().values() == {("id",): ["1", "2"]}


def test_reading_leaves_the_garbage_collector_of_the_process_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never() -> None:
        raise AssertionError("the garbage collector was switched off")

    monkeypatch.setattr(gc, "disable", never)
    reader = RecordReader()
    reader.read(USUAL)
    assert reader.pop_columns().rows == 2
