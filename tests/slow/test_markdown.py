"""Escaped text in Markdown, as notebooks render it, with formulas."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from dirframe._display.markdown import escape_markdown


@given(st.text("\\`*_[]<>#|~$&abc", min_size=1, max_size=20))
def test_markup_and_formulas_are_shown_literally_by_nbconvert(text):
    filters = pytest.importorskip("nbconvert.filters", reason="nbconvert renders the Markdown")
    rendered = filters.markdown2html(f"x{escape_markdown(text)}x")
    assert "".join(html.fromstring(f"<div>{rendered}</div>").itertext()).strip() == f"x{text}x"
