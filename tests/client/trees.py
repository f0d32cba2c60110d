"""Records as trees of any form, written as XML, and the texts that must be found again."""

from collections import Counter
from itertools import count
from xml.sax.saxutils import escape, quoteattr

import pandas as pd
from hypothesis import strategies as st
from lxml import etree

from tests.rig.server import page_xml

NAMES = ["name", "analysis", "languages", "language", "tags", "tag", "links", "link", "x"]
TEXTS = st.one_of(
    st.sampled_from(["", " ", "\n  a \n", "1,935", "<b> & 'c' \"d\"", 'a="1" b', "]]>", "=", '="']),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=6),
)
ATTRIBUTES = st.just({}) | st.dictionaries(
    st.sampled_from(["id", "color", "xml:lang", "name", "tag"]), TEXTS, max_size=2
)
TREES = st.recursive(
    st.tuples(st.sampled_from(NAMES), ATTRIBUTES, TEXTS),
    lambda inner: st.tuples(
        st.sampled_from([*NAMES, "id"]), ATTRIBUTES, st.lists(inner, max_size=4)
    ),
    max_leaves=8,
).filter(lambda tree: tree[0] != "id")
#: The children of a record.
RECORDS = st.lists(TREES, min_size=1, max_size=6)
PAGES = st.lists(st.lists(RECORDS, min_size=1, max_size=3), min_size=1, max_size=4)
STYLES = st.sampled_from(["plain", "spaced", "cdata", "comment", "instruction", "quotes"])


def written(tree, style="plain"):
    """Write a tree as XML, in one of many ways that mean the same."""
    name, attributes, inside = tree
    equals = " =\n " if style == "spaced" else "="
    quoted = [
        f" {key}{equals}"
        + (f"'{escape(text, {chr(39): '&apos;'})}'" if style == "quotes" else quoteattr(text))
        for key, text in attributes.items()
    ]
    if isinstance(inside, list):
        between = {"comment": "<!-- <x>no</x> -->", "instruction": "<?note a='b' ?>"}
        inner = between.get(style, "").join(written(child, style) for child in inside)
    elif style == "cdata" and inside and "]]>" not in inside:
        inner = f"<![CDATA[{inside}]]>"
    else:
        inner = escape(inside)
    start = f"<{name}{''.join(quoted)}"
    return f"{start}/>" if not inner and style == "spaced" else f"{start}>{inner}</{name}>"


def documents(pages, style="plain"):
    """Write pages of projects; each gets an id of its own."""
    numbers = count(1)
    return [
        page_xml(
            written(("project", {}, [("id", {}, f"r{next(numbers)}"), *one]), style) for one in page
        )
        for page in pages
    ]


def texts_of(document):
    """Count all texts and attributes of the records of a document, as a person would find them."""
    found = Counter()
    for one in etree.fromstring(document).find("result"):
        for element in one.iter(etree.Element):
            found.update(str(value).strip() for value in element.attrib.values())
            if not any(True for _ in element.iterchildren(etree.Element)):
                found["".join(element.itertext(etree.Element)).strip()] += 1
    del found[""]
    return found


def texts_in(values):
    """Count the texts in a frame, a list or a record of a list."""
    if isinstance(values, pd.DataFrame):
        return sum((texts_in(values[name].tolist()) for name in values), Counter())
    if isinstance(values, dict):
        return texts_in(list(values.values()))
    if isinstance(values, list):
        return sum(map(texts_in, values), Counter())
    return Counter([values.strip()] if isinstance(values, str) and values.strip() else [])
