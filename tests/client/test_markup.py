"""What is found in bytes is what the tree holds; what is not plain is left to the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lxml import etree

import dirframe
from dirframe.client.elements import UnusualPageError
from dirframe.client.markup import attributes_of, joined, resolved, sheet_of
from dirframe.client.reader import Reader
from tests.client.trees import around, same

if TYPE_CHECKING:
    from collections.abc import Callable

RECORD = "<project><id>1</id><name>a</name></project>"


def outcome(read: Callable[[bytes], Any], contents: list[bytes]) -> list[object]:
    """Return for each document what comes of it: an envelope, or the words of an error."""
    found: list[object] = []
    for content in contents:
        try:
            found.append(read(content))
        except dirframe.UnreadableResponseError as error:
            found.append(str(error))
    return found


def as_the_tree_has_it(contents: list[bytes]) -> bool:
    """Tell whether documents give what they give without the look at their bytes."""
    ours, trees = Reader(), Reader()
    with patch.object(trees, "_open_usual", lambda _: None):
        told = outcome(trees.read, contents)
        columns = trees.take()
    return outcome(ours.read, contents) == told and same(ours.take(), columns)


@pytest.mark.parametrize(
    "content",
    [
        "<response><!-- <result> --><result>{}</result></response>",
        "<response><result>{}</result><!-- </result> --></response>",
        "<response><!-- <result> <project/> </result> --></response>",
        "<response><result>{}<!-- </result><result> --></result></response>",
        "<?note <result> ?><response><result>{}</result></response>",
        "<response><result>{}</result><?note </result> ?></response>",
        "<response><![CDATA[<result>]]><result>{}</result></response>",
        "<response><status><![CDATA[<result><project/></result>]]></status></response>",
        "<response><result ><project><result>{}</result></project></result></response>",
        "<response><data><result>{}</result></data></response>",
        "<response><result/><data><result>{}</result></data></response>",
        "<response><result>{}</result><result>{}</result></response>",
        "<response><result>{}</result><result/></response>",
        "<response><result>{}</result ></response>",
        "<result>{}</result>",
        "<response><result>{}<account><id>2</id></account></result></response>",
        "<response><result>{}text{}</result></response>",
        "<response><result><project/></result></response>",
        "<response><result><project /></result></response>",
        "<response><result><project id='2'/></result></response>",
        "<response><result></result></response>",
        "<response><result> text </result></response>",
        "<response xmlns='u'><result>{}</result></response>",
        "<response xmlns:a='u'><result><a:project><id>1</id></a:project></result></response>",
        "<response xmlns:a='u'><result><project><a:id>1</a:id></project></result></response>",
        "<response xmlns:a='u'><result><project><id a:b='1'/></project></result></response>",
        "<response><result><a:project><id>1</id></a:project></result></response>",
        "<response><result><project><a:id>1</a:id></project></result></response>",
        "<response><result><project><id xmlns:a=''>1</id></project></result></response>",
        "<response><result>{}<project><:a>1</:a></project></result></response>",
        "<response><result>{}</project></result></response>",
        "<response><result>{}</response>",
        "<response><result>{}</result>",
        "<!DOCTYPE response [<!ENTITY e 'x'>]><response><result>{}</result></response>",
        "<response><result><project><name>a &e; b</name></project></result></response>",
        "<response><result><project><name>a > b</name></project></result></response>",
        "<response><result><project><name a='>'>b</name></project></result></response>",
        "<response><result>\r\n{}\r<project><name>a\r\nb</name></project></result></response>",
        "<response><result><project><name>&#13;&#10;</name></project></result></response>",
        "\ufeff<?xml version='1.0'?><response><result>{}</result></response>",
        "<?xml version='1.0' encoding='utf-8'?><response><result>{}é</result></response>",
        "<html><result>{}</result></html>",
    ],
)
def test_a_result_is_found_where_the_tree_has_it(content: str) -> None:
    contents = [content.format(RECORD, RECORD).encode(), around(RECORD)]
    assert as_the_tree_has_it(contents)
    assert as_the_tree_has_it(contents[::-1] * 2)


@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-16", "utf-16-le", "utf-32", "cp1252"])
def test_bytes_of_another_encoding_are_left_to_the_tree(encoding: str) -> None:
    text = f"<?xml version='1.0' encoding='{encoding}'?>" + around("<p><n>é</n></p>").decode()
    content = text.encode(encoding)
    assert sheet_of(content) is None
    assert as_the_tree_has_it([content, content])


ODD = st.sampled_from(
    ["", " ", "x", "&lt;", "&#233;", "<!-- <result> -->", "<?n </result>?>", "<![CDATA[<id>]]>"]
)
ELEMENTS: st.SearchStrategy[str] = st.recursive(
    ODD,
    lambda inner: st.builds(
        lambda name, inside, attribute: f"<{name}{attribute}>{''.join(inside)}</{name}>",
        st.sampled_from(["result", "project", "id", "tags", "tag"]),
        st.lists(inner, max_size=3),
        st.sampled_from(["", "", " ", " a='1'", ' xmlns="u"', " a = '>'"]),
    ),
    max_leaves=10,
)


@settings(max_examples=150)
@given(inside=st.lists(ELEMENTS, max_size=3), before=ELEMENTS, behind=ELEMENTS)
def test_whatever_stands_where_both_ways_give_the_same(
    inside: list[str], before: str, behind: str
) -> None:
    records = "".join(f"<project>{one}</project>" for one in inside)
    content = f"<response>{before}<result>{records}</result>{behind}</response>".encode()
    assert as_the_tree_has_it([content, around(RECORD), content])


@pytest.mark.parametrize(
    ("records", "texts"),
    [
        ("<p><id>1</id></p><p><n/><id> 2 </id></p>", ["1", " 2 "]),
        ("<p><id></id></p>", [""]),
        ("<p><idea>7</idea><id>1</id><x><id>8</id></x></p>", ["1"]),
        ("<p><n>1</n></p>", None),
        ("<p><id>1</id></p><p/>", None),
        ("<p/><p><id>1</id><id>2</id></p>", None),
        ("<p><id/></p>", None),
        ("<p><id a='1'>1</id></p>", None),
        ("<p><id\n>1</id></p>", None),
        ("<p><id>1</id><id a='1'>1</id></p>", None),
        ("<p><id>&lt;</id></p>", None),
        ("<p><id>1<b/></id></p>", None),
    ],
)
def test_a_leaf_of_each_record_is_read_at_once_only_where_it_is_plain(
    records: str, texts: list[str] | None
) -> None:
    sheet = sheet_of(around(records))
    assert sheet is not None
    assert sheet.leaf("id") == texts


def test_the_elements_of_some_documents_stand_one_behind_the_other() -> None:
    first = sheet_of(around("<p><n>a</n><t><i/></t></p>"))
    second = sheet_of(around("<p> <n b='1'>ü</n></p>\n<p></p>"))
    assert first is not None
    assert second is not None
    page = joined([first, second])
    strings = page.strings.to_pylist()
    assert [strings[place] for place in page.tag] == [
        *["<p>", "<n>", "<t>", "<i/>", "<p>", "<n b='1'>", "<p>"]
    ]
    assert [strings[place] if place >= 0 else None for place in page.text] == [
        *["", "a", "", None, " ", "ü", ""]
    ]
    assert page.depth.tolist() == [0, 1, 1, 2, 0, 1, 0]
    assert page.filled.tolist() == [True, False, True, False, True, False, False]


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
    with pytest.raises(UnusualPageError):
        attributes_of(tag)


def test_references_are_resolved_wherever_they_stand() -> None:
    assert resolved(["a", "&lt;b&gt;", "", "&amp;amp;", "&#233;"]) == ["a", "<b>", "", "&amp;", "é"]
    assert resolved([]) == []
