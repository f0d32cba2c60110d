"""Lines are shown as they stand, whatever is in them."""

from __future__ import annotations

from dirframe.reports.passages import Passage

HOSTILE = "<script>alert(1)</script> [x](y) *z*\n# w"
KINDS = ("title", "heading", "warning", "text", "item", "code")


def test_nothing_in_a_line_becomes_a_tag() -> None:
    html = Passage(tuple((kind, HOSTILE) for kind in KINDS))._repr_html_()
    assert html.count("&lt;script&gt;") == len(KINDS)
    assert "<script" not in html


def test_nothing_in_a_line_becomes_markdown() -> None:
    for kind in KINDS[:-1]:
        shown = Passage(((kind, HOSTILE),))._repr_markdown_()
        assert r"\<script\>alert(1)\</script\> \[x\](y) \*z\* \# w" in shown
        assert "\n" not in shown
    code = Passage((("code", HOSTILE),))._repr_markdown_()
    assert all(line.startswith("    ") for line in code.splitlines())


def test_neighbouring_items_are_one_list() -> None:
    assert Passage((("item", "a"), ("item", "b")))._repr_html_().count("<ul>") == 1
