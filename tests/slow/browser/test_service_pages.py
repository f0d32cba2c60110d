"""The service's pages in a browser: search, turn the page, open a project."""

import re

import pytest

import dirframe

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

_WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.mark.parametrize("width", [400, 1600])
def test_service_pages_are_searched_turned_and_opened(width, page):
    failures = []
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


def test_keyboard_comes_to_the_content_of_a_service_page_first(page):
    with dirframe.serve() as url:
        page.goto(f"{url}/accounts")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.innerText") == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"
