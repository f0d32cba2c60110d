"""The service's pages in a browser: search, turn the page, open a project."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import dirframe

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

_WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.mark.parametrize("width", [400, 1600])
def test_a_person_searches_turns_the_page_and_opens_a_project(width: int, page: Page) -> None:
    failures: list[str] = []
    page.on("console", lambda said: failures.append(said.text) if said.type == "error" else None)
    page.set_viewport_size({"width": width, "height": 900})
    with dirframe.serve() as url:
        page.goto(str(url))
        assert "Synthetic data." in page.inner_text("body")
        page.get_by_label("Search projects").fill("server")
        page.get_by_role("button", name="Search").click()
        count = page.get_by_role("status").inner_text()
        found = re.match(r"1 to 25 of (\d+) projects matching", count)
        assert found, count
        first = page.locator("ol.records h2 a").first.inner_text()
        page.get_by_role("link", name="Next", exact=True).click()
        assert page.get_by_role("status").inner_text().startswith("26 to ")
        assert page.locator("ol.records h2 a").first.inner_text() != first
        page.get_by_label("Order").select_option("name")
        page.get_by_role("button", name="Show").click()
        project = page.locator("ol.records h2 a").first
        name = project.inner_text()
        assert not page.evaluate(_WIDER)
        project.click()
        assert page.get_by_role("heading", level=1).inner_text() == name
        assert not page.evaluate(_WIDER)
    assert failures == []


def test_the_keyboard_comes_to_the_content_first(page: Page) -> None:
    with dirframe.serve() as url:
        page.goto(f"{url}/accounts")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.innerText") == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"
