"""Feather, SQLite, DuckDB, HTML and Markdown; workbooks and studies read back; changed files."""

import sqlite3
import warnings
from contextlib import closing

import pandas as pd
import pytest
from lxml import html

from dirframe import ExportWarning, InvalidInputError, export, provenance, read_export
from tests.frames import rich


def test_other_formats_keep_a_frame_cite_it_and_notice_damage(tmp_path):
    for library in ("duckdb", "openpyxl"):
        pytest.importorskip(library, reason="DuckDB and Excel are extras")
    for suffix in (".feather", ".sqlite", ".db", ".duckdb", ".xlsx", ".zip"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ExportWarning)  # a workbook's times have no zone
            file = export(rich(), tmp_path / f"f{suffix}")
            back = read_export(file)
        pd.testing.assert_frame_equal(back, rich(), check_exact=True)
        assert back.attrs == rich().attrs, suffix
    for suffix in (".feather", ".zip"):
        content = bytearray((tmp_path / f"f{suffix}").read_bytes())
        content[len(content) // 2] ^= 1
        (tmp_path / f"f{suffix}").write_bytes(content)
        with pytest.raises(InvalidInputError):
            read_export(tmp_path / f"f{suffix}")
    with closing(sqlite3.connect(tmp_path / "f.sqlite")) as base:
        assert base.execute("SELECT id, stack_count FROM f").fetchone() == ("1", 7)
        base.execute("UPDATE f SET name = 'changed' WHERE rowid = 1")
        base.commit()
    with pytest.warns(ExportWarning):
        assert read_export(tmp_path / "f.sqlite")["name"][0] == "changed"
    text = export(rich(), tmp_path / "f.csv")
    text.write_text(text.read_text("utf-8").replace("Größe", "Masse"), encoding="utf-8")
    with pytest.warns(ExportWarning):
        assert read_export(text)["name"][0].startswith("Masse")
    nasty = pd.DataFrame({"<b>": ["<script>alert(1)</script>", "a|b\nc"]})
    nasty = provenance.set_provenance(nasty, source="<i>", base_url="https://directory.example")
    page = html.parse(str(export(nasty, tmp_path / "f.html")))
    assert page.xpath("//script | //b | //i") == []
    assert page.xpath("//td")[0].text == "<script>alert(1)</script>"
    assert "https://directory.example" in page.xpath("string(//caption)")
    table = export(nasty, tmp_path / "f.md").read_text("utf-8")
    assert r"a\|b<br>c" in table
    assert "https://directory.example" in table
