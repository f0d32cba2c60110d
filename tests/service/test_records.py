"""What a record is inside the service."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from dirframe.schema import PROJECT
from dirframe.service.dialects.xml_writer import record_xml
from dirframe.service.importing.importer import SourceRecord, normalize
from dirframe.service.records import fold, record_from_element, without_controls

LANGUAGES = (
    '<languages graph_url="g"><language percentage="79">Ruby</language></languages>'
    "<main_language_name>Ruby</main_language_name>"
)


def test_attributes_texts_and_repeated_elements_survive_being_read_and_written() -> None:
    document = (
        f"<project><id>1</id><name>a &amp; b</name><analysis>{LANGUAGES}</analysis>"
        "<tags><tag>c</tag><tag>xml</tag></tags></project>"
    )
    record = record_from_element(etree.fromstring(document))
    again = record_from_element(etree.fromstring(record_xml(PROJECT, record)))
    analysis, before = again["analysis"], record["analysis"]
    assert isinstance(analysis, dict)
    assert isinstance(before, dict)
    assert {name: analysis[name] for name in before} == before
    assert again["tags"] == record["tags"]
    assert again["name"] == "a & b"


@given(st.text())
def test_what_is_left_of_any_text_fits_into_xml(text: str) -> None:
    kept = without_controls(text)
    read = etree.fromstring(f"<a>{kept.translate(ESCAPED)}</a>".encode()).text or ""
    assert read == kept


ELEMENTS = st.lists(
    st.tuples(
        st.sampled_from(["name", "tag", "extra", "badge", "other"]), st.text("abc", min_size=1)
    ),
    max_size=12,
)


@given(ELEMENTS)
def test_elements_of_an_imported_record_stay_where_they_stood(
    elements: list[tuple[str, str]],
) -> None:
    inner = "".join(f"<{name}>{text}</{name}>" for name, text in [("id", "1"), *elements])
    element = etree.fromstring(f"<project>{inner}</project>")
    written = etree.fromstring(normalize(SourceRecord(PROJECT, element, "here", False))[0].xml)
    came = [(str(child.tag), child.text or "") for child in written]
    assert came[: len(elements) + 1] == [("id", "1"), *elements]


ESCAPED = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord("\r"): "&#13;"}


@given(st.text())
def test_folding_forgets_the_case(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold("STRASSE") == fold("straße")
    assert fold("Zoe\u0308") == fold("ZOË")
