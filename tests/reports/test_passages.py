"""Lines are shown as they stand, whatever is in them."""

from __future__ import annotations

import pytest
from lxml import html
from nbconvert.filters import markdown2html

from dirframe.reports.passages import Block, Passage, listed

HOSTILE = "<script>alert(1)</script> [x](y) *z*\n# w"


def shown(passage: Passage) -> html.HtmlElement:
    return html.fromstring(f"<div>{markdown2html(passage._repr_markdown_())}</div>")


def test_nothing_in_a_line_becomes_a_tag() -> None:
    kinds = [kind for kind in Block if kind is not Block.LINK]
    page = shown(Passage(tuple((kind, HOSTILE) for kind in kinds)))
    assert not page.xpath('//script | //em | //a[not(@class="anchor-link")]')
    assert str(page.text_content()).count("<script>alert(1)</script>") == len(kinds)


def test_nothing_in_a_line_becomes_markdown() -> None:
    for kind in set(Block) - {Block.LINK, Block.CODE}:
        text = Passage(((kind, HOSTILE),))._repr_markdown_()
        assert r"\<script\>alert(1)\</script\> \[x\](y) \*z\* \# w" in text
        assert "\n" not in text


@pytest.mark.parametrize("text", [HOSTILE, "```\n<b>", "~~~\n<b>", "a\n\n````\n\n<b>"])
def test_nothing_ends_a_listing(text: str) -> None:
    page = shown(Passage(((Block.ITEM, "a"), (Block.CODE, text), (Block.TEXT, "b"))))
    assert [str(code.text_content()).strip() for code in page.xpath("//pre")] == [text]
    assert not page.xpath("//b | //script")


@pytest.mark.parametrize("text", ["- a", "+ a", "1. a", "2) a", "---", "-5", "# a", "> a"])
@pytest.mark.parametrize("kind", [Block.TEXT, Block.ITEM, Block.WARNING])
def test_no_line_begins_a_list_a_rule_or_a_heading(kind: Block, text: str) -> None:
    page = shown(Passage(((kind, text),)))
    lists = 1 if kind is Block.ITEM else 0
    assert len(page.xpath("//ul | //ol | //hr | //h1")) == lists
    assert len(page.xpath("//blockquote")) == (1 if kind is Block.WARNING else 0)
    assert str(page.text_content()).strip().endswith(text)


def test_neighbouring_items_are_one_list() -> None:
    page = shown(Passage(((Block.ITEM, "a"), (Block.ITEM, "b"))))
    assert [str(item.text_content()) for item in page.xpath("//ul/li")] == ["a", "b"]
    assert not page.xpath("//li/p")


def test_parts_of_a_sentence_are_joined() -> None:
    assert [listed("a"), listed("ab"), listed("abc")] == ["a", "a and b", "a, b and c"]
