"""Tables for people: escaped, with source and citation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from lxml import html

from dirframe import export, provenance
from tests.io import rich

if TYPE_CHECKING:
    from pathlib import Path


def nasty() -> pd.DataFrame:
    frame = pd.DataFrame({"<b>": ["<script>alert(1)</script>", "a|b\nc"]})
    return provenance.set_provenance(frame, source="<i>", base_url="https://directory.example")


def test_html_is_escaped_and_cites(tmp_path: Path) -> None:
    page = html.parse(str(export(nasty(), tmp_path / "f.html")))
    assert page.xpath("//script | //b | //i") == []
    assert page.xpath("//td")[0].text == "<script>alert(1)</script>"
    assert "https://directory.example" in page.xpath("string(//caption)")


def test_markdown_keeps_its_cells_apart(tmp_path: Path) -> None:
    text = export(nasty(), tmp_path / "f.md").read_text(encoding="utf-8")
    assert r"a\|b<br>c" in text
    assert "<script" not in text.replace(r"\<script", "")
    assert "https://directory.example" in text


def test_markdown_is_a_table_of_the_form_of_github_without_padding(tmp_path: Path) -> None:
    frame = pd.DataFrame({"name": ["a" * 200, "b"], "n": [1, 20]})
    lines = export(frame, tmp_path / "f.md").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["| name | n |", "| --- | ---: |"]
    assert lines[3] == "| b | 20 |"


def test_every_row_is_shown(tmp_path: Path) -> None:
    page = html.parse(str(export(rich(), tmp_path / "f.html")))
    assert len(page.xpath("//tbody/tr")) == 3
