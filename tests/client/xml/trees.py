"""Record trees as one finds them, and how what was read is compared with them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from hypothesis import strategies as st
from lxml import etree

from dirframe.client.xml.columns import ColumnBuffer
from dirframe.client.xml.flatten import flatten_records
from dirframe.client.xml.parser import PageParser
from dirframe.client.xml.records import RecordReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dirframe.schema import Resource

NAMES = ["id", "name", "analysis", "languages", "language", "tags", "tag", "links", "link", "x"]
TEXTS = st.one_of(
    st.sampled_from(["", " ", "\n  a \n", "1,935", "<b> & 'c' \"d\"", 'a="1" b', "]]>", "=", '="']),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=6),
)
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["id", "color", "xml:lang", "name", "tag"]), TEXTS, max_size=2
)
Tree = tuple[str, dict[str, str], Any]
LEAVES = st.tuples(st.sampled_from(NAMES), st.just({}) | ATTRIBUTES, TEXTS)
TREES: st.SearchStrategy[Tree] = st.recursive(
    LEAVES,
    lambda inner: st.tuples(
        st.sampled_from(NAMES), st.just({}) | ATTRIBUTES, st.lists(inner, max_size=4)
    ),
    max_leaves=8,
)
RECORDS = st.lists(TREES, min_size=1, max_size=6)
PAGES = st.lists(st.lists(RECORDS, min_size=1, max_size=3), min_size=1, max_size=4)
STYLES = st.sampled_from(["plain", "spaced", "cdata", "comment", "pi", "quotes"])


def written(tree: Tree, style: str = "plain") -> str:
    name, attributes, inside = tree
    quoted = [
        (a, "'" + escape(v, {"'": "&apos;"}) + "'" if style == "quotes" else quoteattr(v))
        for a, v in attributes.items()
    ]
    equals = " =\n " if style == "spaced" else "="
    start = f"<{name}{''.join(f' {a}{equals}{v}' for a, v in quoted)}"
    if isinstance(inside, list):
        between = "<!-- <x>no</x> -->" if style == "comment" else ""
        between += "<?note a='b' ?>" if style == "pi" else ""
        inner = between.join(written(child, style) for child in inside)
    elif style == "cdata" and inside and "]]>" not in inside:
        inner = f"<![CDATA[{inside}]]>"
    else:
        inner = escape(inside)
    return f"{start}/>" if not inner and style == "spaced" else f"{start}>{inner}</{name}>"


def document(records: list[list[Tree]], style: str = "plain", head: str = "") -> bytes:
    whole = [written(("project", {}, record), style) for record in records]
    return around("".join(whole), head)


def around(records: str, head: str = "") -> bytes:
    return f"{head}<response><status>success</status><result>{records}</result></response>".encode()


def texts_of(element: etree._Element) -> Iterator[str]:
    """Yield every text and attribute below an element, as a person would look for them."""
    for child in element.iter():
        if child is not element:
            yield from map(str, child.attrib.values())
        if not len(child):
            yield child.text or ""
    yield from map(str, element.attrib.values())


def texts_in(values: object) -> Iterator[str]:
    if isinstance(values, str):
        yield values
    elif isinstance(values, dict):
        for value in values.values():
            yield from texts_in(value)
    elif isinstance(values, list):
        for value in values:
            yield from texts_in(value)


def counted(texts: Iterable[str]) -> Counter[str]:
    return Counter(text.strip() for text in texts if text.strip())


def by_rule(documents: list[bytes], resource: Resource | None) -> ColumnBuffer:
    columns = ColumnBuffer()
    for document in documents:
        parsed = etree.fromstring(document, PageParser()._parser)
        result = parsed.find("result")
        assert result is not None
        columns.append(*flatten_records(result, resource))
    return columns


def same(one: ColumnBuffer, other: ColumnBuffer) -> bool:
    """Compare columns; blanks around text are not the reader's business."""

    def bare(values: list[Any]) -> list[Any]:
        return [v.strip() or None if isinstance(v, str) else v for v in values]

    def known(columns: ColumnBuffer) -> dict[Any, list[Any]]:
        return {path: bare(values) for path, values in columns.values().items()}

    return one.rows == other.rows and known(one) == known(other)


def read(documents: Iterable[bytes], resource: Resource | None = None) -> ColumnBuffer:
    reader = RecordReader(resource)
    for document in documents:
        reader.read(document)
    return reader.pop_columns()
