"""The elements of scanned pages, the attributes in their tags, the references in their texts."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lxml import etree

from dirframe.client.xml.fast.elements import (
    FallbackToTree,
    attributes_of,
    concat_scans,
    resolve_references,
)
from dirframe.client.xml.fast.scan import scan_tags
from tests.client.xml.trees import around


def test_the_elements_of_some_documents_stand_one_behind_the_other() -> None:
    first = scan_tags(around("<p><n>a</n><t><i/></t></p>"))
    second = scan_tags(around("<p> <n b='1'>ü</n></p>\n<p></p>"))
    assert first is not None
    assert second is not None
    pages = concat_scans([first, second])
    strings = pages.strings.to_pylist()
    assert [strings[index] for index in pages.tag] == [
        *["<p>", "<n>", "<t>", "<i/>", "<p>", "<n b='1'>", "<p>"]
    ]
    assert [strings[index] if index >= 0 else None for index in pages.text] == [
        *["", "a", "", None, " ", "ü", ""]
    ]
    assert pages.depth.tolist() == [0, 1, 1, 2, 0, 1, 0]
    assert pages.filled.tolist() == [True, False, True, False, True, False, False]


VALUES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=5)


@settings(max_examples=300)
@given(
    values=st.dictionaries(
        st.sampled_from(["a", "b-c", "d.e"]),
        st.tuples(
            VALUES | st.sampled_from(["a='1' b=2", '="', "='", '"', "'", '="="', "'>"]),
            st.sampled_from("'\""),
        ),
    ),
    blank=st.sampled_from([" ", "\n", "  ", "\t"]),
    end=st.sampled_from([">", "/>", " >", " />"]),
)
def test_attributes_are_read_as_a_parser_reads_them(
    values: dict[str, tuple[str, str]], blank: str, end: str
) -> None:
    tag = "<p"
    for name, (value, quote) in values.items():
        escaped = {"&": "&amp;", "<": "&lt;", ">": "&gt;", quote: f"&#{ord(quote)};"}
        text = "".join(escaped.get(sign, sign) for sign in value)
        tag += f"{blank}{name}={quote}{text}{quote}"
    assume("xmlns" not in tag)  # is left to the tree, whatever it is
    element = etree.fromstring(f"{tag}/>")
    assert attributes_of(tag + end) == {str(k): str(v) for k, v in element.items()}


@pytest.mark.parametrize("tag", ["<p xmlns='u'>", "<p xmlns:a='u'/>", "<p a:b='1'>"])
def test_a_tag_that_has_to_do_with_namespaces_is_left_to_the_tree(tag: str) -> None:
    with pytest.raises(FallbackToTree):
        attributes_of(tag)


def test_references_are_resolved_wherever_they_stand() -> None:
    assert resolve_references(["a", "&lt;b&gt;", "", "&amp;amp;", "&#233;"]) == [
        "a",
        "<b>",
        "",
        "&amp;",
        "é",
    ]
    assert resolve_references([]) == []
