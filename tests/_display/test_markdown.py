"""Text in Markdown is shown as it is, whatever marks it holds."""

from __future__ import annotations

import nbconvert.filters
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from dirframe._display.markdown import escape_markdown

MARKS = "\\`*_[]<>#|~$&abc"


def shown(text: str) -> str:
    """Return what a reader sees of a paragraph of Markdown."""
    rendered = html.fromstring(f"<div>{nbconvert.filters.markdown2html(text)}</div>")
    return "".join(map(str, rendered.itertext())).strip()


@pytest.mark.parametrize("text", ["a_b_c", "*x*", "[a](b)", "<b>x</b>", "&amp;", "`x`", "~~x~~"])
def test_markup_is_shown_literally(text: str) -> None:
    assert shown(escape_markdown(text)) == text


@given(st.text(MARKS, min_size=1, max_size=20))
def test_any_mixture_of_marks_is_shown_literally(text: str) -> None:
    assert shown(f"x{escape_markdown(text)}x") == f"x{text}x"
