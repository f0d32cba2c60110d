"""A table as HTML that holds nothing but text."""

from __future__ import annotations

import pandas as pd
from lxml import html

import dirframe
from dirframe._display.html import Column, table_parts
from dirframe.explorer.html import static, style
from dirframe.explorer.state import State

EVIL = '<script>alert("1")</script>'


def test_no_text_becomes_markup_and_each_is_whole() -> None:
    columns = [
        Column(head=EVIL, cells=[EVIL, "short"], title=EVIL),
        Column(head="n", cells=["1", "2"], number=True, sorting="ascending"),
    ]
    text = "".join(table_parts(columns, number='class="n"', titles_from=10))
    table = html.fromstring(text)
    assert table.xpath("//script") == []
    assert table.xpath("//td/text()") == [EVIL, "1", "short", "2"]
    assert table.xpath("//td/@title") == [EVIL]
    assert table.xpath("//th[@scope='col']/text()") == [EVIL, "n"]
    assert table.xpath("//th/@title") == [EVIL]
    assert table.xpath("//*[@class='n']/text()") == ["n", "1", "2"]
    assert table.xpath("//th/@aria-sort") == ["ascending"]


def test_a_table_without_rows_has_its_head() -> None:
    text = "".join(table_parts([Column(head="id", cells=[])], number=""))
    assert html.fromstring(text).xpath("//th/text()") == ["id"]


def test_a_notebook_makes_no_formula_of_dollar_signs_in_a_text() -> None:
    frame = pd.DataFrame({"id": ["1"], "name": ["from $5 to $10"], "stack_count": [1]})
    dirframe.provenance.set_provenance(frame, source="A $x_1$ b")
    shown = (
        dirframe.summary(frame)._repr_html_(),
        dirframe.cache_info()._repr_html_(),
        static(State(frame), None).replace(style(), ""),
    )
    for text in shown:
        tree = html.fromstring(f"<body>{text}</body>")
        outside = tree.xpath("//text()[not(ancestor::*[@class='tex2jax_ignore mathjax_ignore'])]")
        assert outside == []
