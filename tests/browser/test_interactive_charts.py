"""Interactive charts in Chromium: hover, zoom, download, and nothing from another host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

import dirframe
from dirframe import plot
from tests.browser.axe import violations
from tests.browser.lab import close_all, open_notebook
from tests.plot.charts import accounts, projects

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

pytest.importorskip("plotly", reason="plotly is an extra")
pytestmark = pytest.mark.browser
DRAWN = "div.js-plotly-plot .main-svg"


def watched(page: Page) -> tuple[list[str], list[str]]:
    """Collect the addresses that a page asks for, and its errors."""
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    return asked, errors


def abroad(asked: list[str]) -> list[str]:
    return [a for a in asked if not a.startswith(("http://127.0.0.1", "data:", "blob:"))]


def test_a_report_shows_values_zooms_and_gives_svg_offline(
    page: Page, served: Callable[[Path], str], tmp_path: Path
) -> None:
    frames = [projects(), accounts()]
    path = dirframe.report(frames, tmp_path / "report.html", interactive=True)
    text = path.read_text()
    assert text.count("plotly.js v") == 1  # the script's own header: it is in the file once
    asked, errors = watched(page)
    page.goto(f"{served(tmp_path)}/report.html")
    page.locator(DRAWN).first.wait_for()
    charts = page.locator("div.js-plotly-plot")
    assert charts.count() == page.locator("figure").count() >= 10
    assert violations(page) == []  # before Plotly's passing hint on how to zoom out
    chart = charts.first
    chart.scroll_into_view_if_needed()
    bar = chart.locator(".barlayer .point path").first
    bar.hover(force=True)
    hover = chart.locator(".hoverlayer")
    hover.locator("text").first.wait_for()
    assert "projects: 5" in (hover.text_content() or "")
    before = chart.evaluate("chart => chart.layout.xaxis.range.slice()")
    box = chart.locator(".nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2 + 60, steps=5)
    page.mouse.up()
    page.wait_for_function(
        "([chart, before]) => chart.layout.xaxis.range[1] < before[1]",
        arg=[chart.element_handle(), before],
    )
    with page.expect_download() as download:
        chart.locator(".modebar-btn[data-title^='Download plot']").click()
    assert download.value.suggested_filename.endswith(".svg")
    saved = tmp_path / "chart.svg"
    download.value.save_as(saved)
    assert ET.parse(saved).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert (abroad(asked), errors) == ([], [])


def test_a_chart_fits_in_a_page_of_its_own_at_the_width_of_a_telephone(
    page: Page, served: Callable[[Path], str], tmp_path: Path
) -> None:
    asked, errors = watched(page)
    page.set_viewport_size({"width": 390, "height": 800})
    figure: Any = plot.accounts_map(accounts(), backend="plotly")
    (tmp_path / "chart.html").write_text(figure.page(), encoding="utf-8")
    page.goto(f"{served(tmp_path)}/chart.html")
    page.locator(DRAWN).first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert violations(page) == []
    assert (abroad(asked), errors) == ([], [])


def test_a_notebook_shows_charts_in_jupyterlab_and_as_html_offline(
    page: Page, lab: Page, served: Callable[[Path], str], jupyter: tuple[str, Path], tmp_path: Path
) -> None:
    import nbformat
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    source = """\
    import pandas as pd
    from dirframe import plot
    frame = pd.DataFrame({"analysis_main_language_name": ["C", "Java", "C"],
                          "analysis_total_code_lines": [1, 2, 3]})
    plot.language_share(frame, backend="plotly")"""
    lines = "\n".join(line.strip() for line in source.splitlines())
    cells = [nbformat.v4.new_code_cell(lines), nbformat.v4.new_code_cell(lines)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=300).execute()
    first, second = (cell.outputs[0].data["text/html"] for cell in notebook.cells)
    assert len(first) > 1_000_000 > len(second)  # the script is there once
    (tmp_path / "notebook.html").write_text(
        HTMLExporter(require_js_url="", mathjax_url="").from_notebook_node(notebook)[0],
        encoding="utf-8",
    )
    asked, _ = watched(page)
    page.goto(f"{served(tmp_path)}/notebook.html")
    page.locator(DRAWN).nth(2).wait_for()
    assert page.locator("div.js-plotly-plot").count() == 2
    asked_in_lab, _ = watched(lab)
    nbformat.write(notebook, jupyter[1] / "charts.ipynb")
    open_notebook(lab, "charts.ipynb")
    lab.locator(f".jp-RenderedPlotly {DRAWN}, {DRAWN}").first.wait_for()
    close_all(lab)
    assert abroad(asked + asked_in_lab) == []
