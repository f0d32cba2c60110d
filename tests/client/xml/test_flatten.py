"""The rule: every text and attribute of a record has one place."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lxml import etree

from dirframe.client.xml.parser import PageParser
from dirframe.schema import PROJECT
from tests.client.xml.trees import (
    PAGES,
    RECORDS,
    STYLES,
    Tree,
    around,
    counted,
    document,
    read,
    same,
    texts_in,
    texts_of,
)


@settings(max_examples=100)
@given(pages=PAGES, style=STYLES)
def test_each_text_and_attribute_is_found_again(pages: list[list[list[Tree]]], style: str) -> None:
    documents = [document(page, style) for page in (*pages, *pages)]
    everything: Counter[str] = Counter()
    for one in documents:
        for record in etree.fromstring(one, PageParser()._parser).iterfind("result/project"):
            everything += counted(texts_of(record))
    assert counted(texts_in(list(read(documents).values().values()))) == everything


@given(record=RECORDS, seed=st.integers(0, 999))
def test_the_order_of_different_elements_changes_no_value(record: list[Tree], seed: int) -> None:
    names = [name for name, *_ in record]
    assume(len(set(names)) == len(names))
    shuffled = random.Random(seed).sample(record, len(record))
    assert same(read([document([shuffled])]), read([document([record])]))


def test_an_element_that_one_record_has_becomes_a_column() -> None:
    many = "".join(f"<project><id>{n}</id></project>" for n in range(500))
    last = "<project><id>x</id><rare>here</rare></project>"
    columns = read([around(many), around(many + last), around(many)])
    assert columns.values()[("rare",)].count("here") == 1
    assert len(columns.values()[("rare",)]) == columns.rows == 1501


def test_a_similar_project_is_no_record() -> None:
    columns = read(
        [
            around(
                "<project><id>1</id><similar_projects>"
                "<project><id>7</id><name>other</name></project>"
                "<project><id>8</id></project></similar_projects></project>"
            )
        ]
    )
    assert columns.rows == 1
    assert columns.values()[("id",)] == ["1"]
    assert columns.values()[("similar_projects",)] == [[{"id": "7", "name": "other"}, {"id": "8"}]]


def test_an_attribute_counts_as_a_child() -> None:
    columns = read([around('<project id="1"><name lang="en">a</name></project>')])
    assert columns.values() == {("id",): ["1"], ("name", "lang"): ["en"], ("name",): ["a"]}


def test_two_values_of_one_name_become_a_list() -> None:
    columns = read([around('<project id="1"><id>2</id><a>x</a><a>y</a></project>')])
    assert columns.values() == {("id",): [["1", "2"]], ("a",): [["x", "y"]]}


def test_an_empty_element_is_a_missing_one_and_makes_no_column() -> None:
    page = around("<project><id>1</id><a/><b> </b><c></c><d><e/></d></project>")
    assert read([page]).values() == {("id",): ["1"]}


def test_an_entry_with_attributes_keeps_its_text_under_its_own_tag() -> None:
    page = around(
        '<project><analysis><languages graph_url="u"><language color="0" percentage="&lt;1">\n  C\n'
        "</language><language>D</language></languages></analysis></project>"
    )
    assert read([page]).values() == {
        ("analysis", "languages", "graph_url"): ["u"],
        ("analysis", "languages"): [[{"color": "0", "percentage": "<1", "language": "C"}, "D"]],
    }


def test_repeated_empty_elements_are_missing_unless_the_schema_knows_the_list() -> None:
    page = around("<project><id>1</id><a><b/><b/></a><tags><tag/></tags></project>")
    assert read([page], PROJECT).values() == {("id",): ["1"], ("tags",): [[None]]}
