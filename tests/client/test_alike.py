"""Records that are all alike are taken by columns, and only these."""

from __future__ import annotations

import pytest
from lxml import etree

from dirframe.client.alike import columns_alike
from dirframe.client.reader import Reader
from tests.client.trees import around, by_rule, read, same

RECORD = "<month><code>1</code><blanks>2</blanks></month>"
KNOWN = {"code", "blanks", "comments"}


def alike(content: bytes) -> dict[str, list[str | None]] | None:
    root = etree.fromstring(content, Reader()._parser)
    result = root.find("result")
    assert result is not None
    return columns_alike(root, result, content, KNOWN)


def test_the_texts_come_by_leaf_in_the_order_of_the_records() -> None:
    records = [f"<month><code>{n}</code><blanks>-{n} é</blanks></month>\n" for n in range(20)]
    assert alike(around("".join(records))) == {
        "code": [str(n) for n in range(20)],
        "blanks": [f"-{n} é" for n in range(20)],
    }


def test_a_leaf_without_text_is_missing() -> None:
    texts = alike(around(RECORD * 9 + "<month><code></code><blanks>2</blanks></month>"))
    assert texts is not None
    assert texts["code"] == ["1"] * 9 + [""]


@pytest.mark.parametrize(
    "other",
    [
        "<month><blanks>2</blanks><code>1</code></month>",
        "<month><code>1</code></month>",
        "<month><code>1</code><code>2</code></month>",
        "<month><code>1</code><blanks>2</blanks><comments>3</comments></month>",
        "<month><code>1<blanks>2</blanks></code></month>",
        "<month><code>1</code><blanks/></month>",
        '<month><code a="1">1</code><blanks>2</blanks></month>',
        '<month a="1"><code>1</code><blanks>2</blanks></month>',
        "<month ><code>1</code><blanks>2</blanks></month>",
        "<month><code>1</code><blankx>2</blankx></month>",
        "<month><code>1</code><?pi x?><blanks>2</blanks></month>",
        "<month><c>1</c><b>2</b></month>",
        "<month/>",
    ],
)
@pytest.mark.parametrize("place", [0, 5, 10])
def test_one_record_of_another_form_is_noticed_wherever_it_stands(other: str, place: int) -> None:
    content = around(RECORD * place + other + RECORD * (10 - place))
    found = alike(content)
    assert found is None
    assert same(read([content, content]), by_rule([content, content], None))


def test_a_result_with_something_behind_it_is_left_to_the_other_way() -> None:
    content = around(RECORD * 10).replace(b"</response>", b"<status>x</status></response>")
    assert alike(content) is None


def test_leaves_of_long_names_at_the_end_of_the_bytes_do_no_harm() -> None:
    long = "c" * 300
    content = around(f"<m><{long}>1</{long}></m>" + "<m><c>1</c></m>" * 9)
    assert same(read([content, content]), by_rule([content, content], None))


@pytest.mark.parametrize("text", ["&lt;", "a\r\nb", "&#233;"])
def test_texts_that_a_parser_reads_otherwise_are_left_to_it(text: str) -> None:
    content = around(RECORD * 9 + f"<month><code>{text}</code><blanks>2</blanks></month>")
    assert alike(content) is None
    assert same(read([content, content]), by_rule([content, content], None))


def test_bytes_of_another_encoding_are_left_to_the_parser() -> None:
    record = "<month><code>é</code></month>"
    text = f'<?xml version="1.0" encoding="iso-8859-1"?>{around(record * 9).decode()}'
    content = text.encode("iso-8859-1")
    assert set(read([content, content]).by_path[("code",)]) == {"é"}


def test_a_few_records_are_not_worth_the_proof() -> None:
    assert alike(around(RECORD * 2)) is None
