"""The fast way through a page gives what the rule gives, whatever a page holds."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path as File

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from dirframe.client.xml import records as records_module
from dirframe.client.xml.records import RecordReader
from dirframe.schema import ACCOUNT, PROJECT
from tests.client.xml.trees import (
    PAGES,
    RECORDS,
    STYLES,
    Tree,
    around,
    by_rule,
    counted,
    document,
    read,
    same,
    texts_in,
    texts_of,
)

XML = File(__file__).parents[3] / "xml"


@settings(max_examples=100)
@given(
    pages=PAGES,
    style=STYLES,
    known=st.booleans(),
    head=st.sampled_from(["", "<?xml version='1.0'?>"]),
)
def test_the_fast_way_gives_what_the_rule_gives(
    pages: list[list[list[Tree]]], style: str, known: bool, head: str
) -> None:
    # Each page comes twice: what was unknown the first time is known the second.
    documents = [document(page, style, head) for page in (*pages, *pages)]
    assert same(read(documents, PROJECT if known else None), by_rule(documents, PROJECT))


@settings(max_examples=100)
@given(records=st.lists(RECORDS, min_size=1, max_size=6), cuts=st.sets(st.integers(1, 5)))
def test_pages_in_any_split_give_the_same_columns(
    records: list[list[Tree]], cuts: set[int]
) -> None:
    places = [0, *sorted(cut for cut in cuts if cut < len(records)), len(records)]
    split = [document(records[a:b]) for a, b in pairwise(places)]
    assert same(read(split, PROJECT), read([document(records)], PROJECT))


@pytest.mark.parametrize(
    "special",
    [
        "<kudo_score/>",
        "<kudo_score> text where children are usual </kudo_score>",
        '<kudo_score unit="x"/>',
        '<name xml:lang="en">a</name>',
        f'<name lang ={" " * 200}"en">a</name>',
        "<name>a<b>c</b></name>",
        "<name>1</name><name>2</name>",
        "<languages><language xml:lang='en' name='C'>C</language></languages>",
        "<languages><language><name>C<sub>d</sub></name></language></languages>",
        "<languages>C</languages>",
        "<languages><language\nxml:lang='en'>C</language></languages>",
        "<languages><language id='1'>C</language><language>D</language><language/></languages>",
        "<languages><language>D</language><language id='1'>C</language></languages>",
        "<languages><language><a>D</a></language><language/><language>C</language></languages>",
        "<languages><language><a>D</a></language><language/></languages>",
        "<languages><language id='1'><a>D</a></language><language><a>D</a></language></languages>",
        "<languages><language id='1' language='D'>C</language></languages>",
        "<languages><language lang='en' xml:lang='de'>C</language></languages>",
        "<kudo_score><x/><x/></kudo_score>",
        "<kudo_score/><kudo_score><kudo_rank>2</kudo_rank></kudo_score>",
        "<new/>",
        "<new>1</new>",
    ],
)
@pytest.mark.parametrize("behind", ["", "<?end of='it'?>"])
def test_an_unusual_record_between_usual_ones_is_read_by_the_rule(
    special: str, behind: str
) -> None:
    usual = (
        "<account><id>1</id><name>n</name><kudo_score><kudo_rank>1</kudo_rank></kudo_score>"
        "<languages><language><name>C</name></language></languages></account>"
    )
    odd = f"<account><id>2</id>{special}</account>"
    documents = [around(usual), around(usual + odd + usual) + behind.encode(), around(usual)]
    columns = read(documents, ACCOUNT)
    assert same(columns, by_rule(documents, ACCOUNT))
    record = etree.fromstring(f"<account><id>2</id>{special}</account>")
    row = {path: values[2] for path, values in columns.values().items()}
    assert counted(texts_in(list(row.values()))) == counted(texts_of(record))


def test_the_usual_page_goes_the_fast_way(monkeypatch: pytest.MonkeyPatch) -> None:
    content = (XML / "accounts-page.xml").read_bytes()
    reader = RecordReader()
    reader.read(content)

    def never(*_: object) -> None:
        raise AssertionError("a page of known elements was read by the rule")

    monkeypatch.setattr(records_module, "flatten_records", never)
    reader.read(content)
    assert reader.rows == 6


def test_a_record_of_very_many_different_elements_is_read_by_the_rule() -> None:
    many = "".join(f"<x{number}>{number}</x{number}>" for number in range(20_000))
    documents = [
        around(f"<project><id>1</id>{many}</project>"),
        around("<project><id>2</id></project>"),
    ]
    columns = read(documents)
    assert len(columns.by_path) == 20_001
    assert columns.values()["x19999",] == ["19999", None]
