"""A page without network or scripts, and Markdown whose pictures are files."""

from __future__ import annotations

from typing import Any

import nbformat

from dirframe.reports.render import html, markdown, notebook_text
from tests.reports.templates import notebook

HOSTILE = "</title><script>alert(1)</script>"


def shown(data: dict[str, str], **metadata: str) -> Any:
    result = notebook("# Heading", "secret_code()")
    output = {"output_type": "display_data", "data": data, "metadata": metadata}
    made = nbformat.from_dict(output)
    result.cells[1].outputs = [made]
    return result


def test_a_page_shows_results_and_text_but_no_code() -> None:
    page = html(shown({"text/plain": "a < b"}), "T")
    assert "<h1>Heading</h1>" in page or '<h1 id="Heading">Heading</h1>' in page
    assert "<pre>a &lt; b</pre>" in page
    assert "secret_code" not in page


def test_a_title_and_a_description_are_escaped() -> None:
    data = {"image/svg+xml": "<svg/>", "text/plain": "x"}
    page = html(shown(data, alt=f'"{HOSTILE}'), HOSTILE)
    assert "<script" not in page
    assert page.count("&lt;script&gt;") >= 1


def test_scripts_and_widgets_are_never_written() -> None:
    data = {"application/javascript": "alert(1)", "text/plain": "plain"}
    page = html(shown(data), "T")
    assert "alert" not in page
    assert "plain" in page


def test_the_page_forbids_scripts_and_the_network() -> None:
    page = html(shown({"text/html": "<p>x</p>"}), "T")
    assert "default-src 'none'; img-src data:; style-src 'unsafe-inline'" in page


def test_markdown_names_its_pictures_and_describes_them() -> None:
    text, files = markdown(shown({"image/svg+xml": "<svg/>"}, alt="A [b]\n<i>"), "my report_files")
    assert files == {"chart_1_0.svg": b"<svg/>"}
    assert "![A (b) &lt;i&gt;](my%20report_files/chart_1_0.svg)" in text
    assert "secret_code" not in text


def test_the_notebook_keeps_its_results() -> None:
    back = nbformat.reads(notebook_text(shown({"text/plain": "x"})), as_version=4)
    assert back.cells[1].outputs[0].data["text/plain"] == "x"
