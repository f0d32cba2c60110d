"""The writer alone, against pages that were written by hand from the specification."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from dirframe.schema import ACCOUNT, COLLECTION_COUNTS, PROJECT, SYNTHETIC_MARK
from dirframe.service.dialects.xml_writer import collection_xml, failed_xml, record_xml, single_xml
from dirframe.service.records import Value, record_from_element

XML = Path(__file__).parents[2] / "xml"

ADA: dict[str, Value] = {
    # Not in the specification's order, on purpose.
    "kudo_score": {"position": "390", "kudo_rank": "9"},
    "name": "Ada Example",
    "id": "11",
    "created_at": "2007-01-08T09:10:11Z",
    "updated_at": "2008-05-03T23:59:59Z",
    "homepage_url": "http://ada.example/blog?a=1&b=2",
    "avatar_url": "http://avatars.example/ada.png?size=80",
    "email_sha1": "8d54cb0b1a4ee0fb9a2d9bf1b4ae4e0d5b6aa2f1",
    "posts_count": 5,
    "location": "Nenthead, Cumbria, UK",
    "country_code": "United Kingdom",
    "latitude": "54.78673058121807",
    "longitude": "-2.3438644409179688",
}
ZOE: dict[str, Value] = {
    "id": "12",
    "name": "Zoë <b>Größe</b> 自己",
    "created_at": "2009-12-31T00:00:00Z",
    "updated_at": "2010-01-01T00:00:00Z",
    "homepage_url": None,
    "avatar_url": "http://avatars.example/zoe.png",
    "email_sha1": "0f1e2d3c4b5a69788796a5b4c3d2e1f001234567",
    "posts_count": 0,
    "location": "Windhoek",
    "country_code": "NA",
    "latitude": "-22.5609",
    "longitude": "17.0658",
    "kudo_score": None,
}
NEW: dict[str, Value] = {
    "id": "13",
    "name": "new member",
    "created_at": "2012-03-31T12:00:00Z",
    "updated_at": "2012-03-31T12:00:00Z",
    "avatar_url": "http://avatars.example/default.png",
    "email_sha1": "3633efc74fa00d716c004190b0134622b86182d9",
    "posts_count": 0,
    "kudo_score": {},
}
VERSION_CONTROL: dict[str, Value] = {
    "id": "1",
    "name": "Example Version Control",
    "created_at": "2006-10-10T15:51:31Z",
    "updated_at": "2007-08-22T17:31:17Z",
    "description": "Keeps every version of <everything> & more.",
    "homepage_url": "http://vc.example/",
    "download_url": "http://vc.example/download?os=any&v=1",
    "stack_count": "1096",
    "analysis": {
        "main_language_name": "C/C++",
        "main_language_id": "7",
        "total_code_lines": "319283",
        "twelve_month_contributor_count": "55",
        "max_month": "2007-07-01T00:00:00Z",
        "min_month": "2001-08-01T00:00:00Z",
        "logged_at": "2007-07-12T12:18:54Z",
        "updated_at": "2007-07-12T12:21:11Z",
        "project_id": "1",
        "id": "51898",
    },
    "analysis_id": "51898",
}
ETOILE: dict[str, Value] = {
    "id": "2",
    "name": "Étoilé 3Σ",
    "created_at": "2009-01-30T23:38:16Z",
    "updated_at": "2009-02-01T00:00:01Z",
    "description": "Two lines,\nin one text.",
    "irc_url": "irc://irc.example/etoile",
    "stack_count": 0,
    "analysis": None,
}


def canonical(document: bytes) -> bytes:
    parser = etree.XMLParser(remove_blank_text=True)
    return etree.tostring(etree.fromstring(document, parser), method="c14n")


def known(value: Value) -> Value:
    """Return a record without the elements that have no value."""
    if not isinstance(value, dict):
        return value
    return {name: known(part) for name, part in value.items() if part is not None}


def assert_is_page(document: bytes, name: str) -> None:
    assert canonical(document) == canonical((XML / name).read_bytes())


def test_a_page_of_accounts_is_what_a_person_wrote_from_the_specification() -> None:
    fragments = [record_xml(ACCOUNT, record) for record in (ADA, ZOE, NEW)]
    assert_is_page(collection_xml(fragments, available=53, first=50), "accounts-page.xml")


def test_a_page_of_projects_is_what_a_person_wrote_from_the_specification() -> None:
    fragments = [record_xml(PROJECT, record) for record in (VERSION_CONTROL, ETOILE)]
    assert_is_page(collection_xml(fragments, available=2, first=0), "projects-page.xml")


def test_single_records_are_what_a_person_wrote_from_the_specification() -> None:
    assert_is_page(single_xml(record_xml(ACCOUNT, ADA)), "account.xml")
    assert_is_page(single_xml(record_xml(PROJECT, VERSION_CONTROL)), "project.xml")


def test_a_failure_has_an_error_and_no_result() -> None:
    assert_is_page(failed_xml("A valid api_key is required to access this URL."), "failed.xml")


def test_the_envelope_keeps_its_order_when_the_collection_is_empty() -> None:
    root = etree.fromstring(collection_xml([], available=7, first=25))
    assert [child.tag for child in root] == ["status", *COLLECTION_COUNTS, "result"]
    assert [child.text for child in root][1:4] == ["0", "7", "25"]


def test_documents_are_utf_8_and_say_so() -> None:
    document = single_xml(record_xml(PROJECT, ETOILE))
    assert document.startswith(b'<?xml version="1.0" encoding="UTF-8"?>\n')
    assert "Étoilé 3Σ".encode() in document


@pytest.mark.parametrize("single", [True, False])
def test_generated_data_says_so_between_declaration_and_root(single: bool) -> None:
    fragment = record_xml(ACCOUNT, NEW)
    document = (
        single_xml(fragment, synthetic=True)
        if single
        else collection_xml([fragment], available=1, first=0, synthetic=True)
    )
    mark = etree.fromstring(document).getprevious()
    assert mark is not None
    assert isinstance(mark, etree._ProcessingInstruction)
    assert mark.target == SYNTHETIC_MARK
    assert SYNTHETIC_MARK.encode() not in single_xml(fragment)


def test_what_the_specification_does_not_know_follows_with_attributes_and_text() -> None:
    record: dict[str, Value] = {
        **VERSION_CONTROL,
        "tags": ["c", "x & y"],
        "licenses": [{"name": "mit", "nice_name": "MIT"}],
        "never_seen": {"@unit": 'a"b\n', "#text": "text", "inner": ["1", "2"]},
    }
    record["analysis"] = {
        "languages": {
            "@graph_url": "http://x.example/?a=1&b=2",
            "language": [{"@color": "A40011", "@percentage": "<1", "@id": "", "#text": "Ruby"}],
        }
    }
    element = etree.fromstring(record_xml(PROJECT, record))
    tags = [child.tag for child in element]
    specified = list(dict.fromkeys(field.path[0] for field in PROJECT.specified))
    assert tags == [*specified, "tags", "licenses", "never_seen"]
    ruby = element.find("analysis/languages/language")
    assert ruby is not None
    assert {str(name): ruby.get(name) for name in ruby.attrib} == {
        "color": "A40011",
        "percentage": "<1",
        "id": "",
    }
    assert ruby.text == "Ruby"
    back = record_from_element(element)
    assert back["tags"] == record["tags"]
    assert back["licenses"] == record["licenses"]
    assert back["never_seen"] == record["never_seen"]


TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
NAME = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)
NESTED = st.recursive(
    TEXT,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3),
        st.dictionaries(NAME, inner, min_size=1, max_size=3),
    ),
    max_leaves=8,
)


@given(st.dictionaries(NAME, NESTED, max_size=4))
def test_any_record_gives_a_well_formed_element(record: dict[str, Any]) -> None:
    element = etree.fromstring(record_xml(PROJECT, record))
    assert element.tag == "project"


@given(TEXT)
def test_any_text_comes_out_as_it_went_in_but_for_what_xml_cannot_hold(text: str) -> None:
    allowed = "".join(c for c in text if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff"))
    element = etree.fromstring(record_xml(ACCOUNT, {"id": "1", "name": text}))
    assert (element.findtext("name") or "") == allowed


@given(TEXT)
def test_any_attribute_comes_out_as_it_went_in(text: str) -> None:
    allowed = "".join(c for c in text if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff"))
    element = etree.fromstring(record_xml(PROJECT, {"x": {"@a": text}}))
    x = element.find("x")
    assert x is not None
    assert x.get("a") == allowed


def test_the_same_element_comes_back_from_every_real_record(shared: Path) -> None:
    records = 0
    for path in sorted((shared / "real" / "pages").glob("*.xml")):
        for element in etree.parse(path).getroot().iterfind("result/project"):
            record = record_from_element(element)
            again = record_from_element(etree.fromstring(record_xml(PROJECT, record)))
            assert known(again) == known(record)
            records += 1
    assert records == 313
