"""What is found in bytes is what the tree holds; what is not plain is left to the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dirframe
from dirframe.client.xml.fast.scan import scan_tags
from dirframe.client.xml.records import RecordReader
from tests.client.xml.trees import around, same

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
    ours, trees = RecordReader(), RecordReader()
    with patch.object(trees._parser, "_parse_usual", lambda *_: None):
        told = outcome(trees.read, contents)
        columns = trees.pop_columns()
    return outcome(ours.read, contents) == told and same(ours.pop_columns(), columns)


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
    assert scan_tags(content) is None
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
    scan = scan_tags(around(records))
    assert scan is not None
    assert scan.leaf("id") == texts
