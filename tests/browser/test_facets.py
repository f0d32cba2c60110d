"""The explorer's linked views in JupyterLab: clicked, dragged, undone, saved in a link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.axe import violations
from tests.browser.lab import WRONG, control, end_kernels, expect, run_all, write_notebook

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def _bar(explorer: Locator, facet: int, number: int) -> tuple[float, float]:
    """Return where a bar is clicked, in the facet of that number, from 1."""
    name = "xy" if facet == 1 else f"x{facet}y{facet}"
    bars = explorer.locator(f".df-facets .subplot.{name} .trace.bars").first
    box = bars.locator(".point").nth(number).bounding_box()
    assert box is not None
    return box["x"] + 0.9 * box["width"], box["y"] + 0.6 * box["height"]


def test_bars_filter_by_click_drag_and_key_and_a_link_restores_what_they_show(
    lab: Page, jupyter: tuple[str, Path], opened: Callable[[str], Locator]
) -> None:
    address, folder = jupyter
    write_notebook(WRONG, folder / "facets.ipynb")
    asked: list[str] = []
    lab.on("request", lambda request: asked.append(request.url))
    explorer = opened("facets.ipynb")
    count, code = control(explorer, "count"), control(explorer, "code", "pre")
    expect(explorer.locator(".df-facets .point").first).to_be_attached()
    everything = count.inner_text()
    licence = explorer.get_by_label("Licence").locator("option").first
    licences, picture = licence.inner_text(), control(explorer, "chart", "img").get_attribute("alt")
    lab.mouse.move(*_bar(explorer, 1, 1))
    expect(explorer.locator(".df-facets .hoverlayer")).to_contain_text(
        re.compile(r": \d+ projects")
    )

    lab.mouse.click(*_bar(explorer, 1, 1))
    expect(count).to_contain_text(" of ")
    expect(code).to_contain_text("dirframe.select(projects, languages=[")
    expect(licence).not_to_have_text(licences)  # the counts of other facets follow
    expect(control(explorer, "chart", "img")).not_to_have_attribute("alt", picture or "")
    expect(control(explorer, "citation", "pre")).to_contain_text("only main language")
    clicked = count.inner_text()

    first, last = _bar(explorer, 4, 1), _bar(explorer, 4, 3)
    lab.mouse.move(*first)
    lab.mouse.down()
    lab.mouse.move(last[0] - 9, last[1], steps=5)
    lab.mouse.move(last[0], last[1] + 9, steps=5)
    lab.mouse.up()
    expect(code).to_contain_text("years=(2007, 2009)")
    expect(explorer.get_by_label("Created from")).to_have_value("2007")
    shown, link = count.inner_text(), control(explorer, "view-link").get_attribute("href")
    assert shown != clicked
    histogram = control(explorer, "table", "th svg").first
    expect(histogram.locator("title").first).to_contain_text(":")
    assert violations(lab, ".dirframe-explorer") == []

    lab.mouse.click(*_bar(explorer, 1, 1))  # undone by another
    expect(code).not_to_contain_text("languages=")
    tags = explorer.get_by_label("Tag", exact=True)
    tags.focus()
    lab.keyboard.press("Home")
    expect(code).to_contain_text("tags=[")
    expect(tags).to_be_focused()
    control(explorer, "all").click()
    expect(count).to_have_text(everything)

    lab.evaluate("link => { location.hash = link }", link)
    expect(count).to_have_text(shown)
    end_kernels(lab)
    lab.goto("about:blank")
    lab.goto(f"{address}/lab/tree/facets.ipynb?reset{link}")
    run_all(lab)
    expect(count).to_have_text(shown)
    away = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:", "about:")
    assert [url for url in asked if not url.startswith(away)] == []
