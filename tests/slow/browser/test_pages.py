"""Pages of the documentation, the service and a report: axe-core finds nothing; a person finds all."""

import re
from pathlib import Path

import pytest

import dirframe
from tests.slow.browser.conftest import violations

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

BUILT = Path(__file__).resolve().parents[3] / "docs" / "_build" / "html"
_LONG = 200_000  # bytes of a page; the contrast of each of its texts would take a minute
_WIDER = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def test_documentation_breaks_no_rule(page):
    files = sorted(BUILT.glob("**/*.html"))
    if not files:
        pytest.skip("the documentation is not built: make docs")
    page.emulate_media(color_scheme="light")
    broken = {}
    for file in files:
        page.goto(file.as_uri())
        if found := violations(page, contrast=file.stat().st_size < _LONG):
            broken[file.name] = found
    assert broken == {}


@pytest.mark.parametrize("width", [390, 1600])
def test_service_pages_break_no_rule(width, page):
    page.set_viewport_size({"width": width, "height": 900})
    broken = {}
    with dirframe.serve() as service:
        url, records = service.url, []
        for collection in ("projects", "accounts"):
            page.goto(f"{url}/{collection}")
            records.append(page.locator("ol.records h2 a").first.get_attribute("href"))
        for path in (
            "/",
            "/projects",
            "/projects?query=server",
            "/projects?query=zzzzzz",
            "/accounts",
            "/projects?page=x",
            "/nothing",
            *records,
        ):
            page.goto(f"{url}{path}")
            if found := violations(page):
                broken[path] = found
    assert broken == {}


@pytest.mark.parametrize("width", [390, 1600])
def test_service_pages_are_searched_turned_and_opened(width, page):
    failures = []
    page.on("console", lambda said: failures.append(said.text) if said.type == "error" else None)
    page.set_viewport_size({"width": width, "height": 900})
    with dirframe.serve() as service:
        url = service.url
        page.goto(f"{url}/accounts")
        page.keyboard.press("Tab")  # the keyboard comes to the content first
        assert page.evaluate("document.activeElement.innerText") == "Skip to the content"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "content"
        page.goto(url)
        assert "Synthetic data." in page.inner_text("body")
        page.get_by_label("Search projects").fill("server")
        page.get_by_role("button", name="Search").click()
        page.get_by_role("link", name="Next", exact=True).click()
        assert re.match(
            r"26 to \d+ of \d+ projects matching", page.get_by_role("status").inner_text()
        )
        page.get_by_label("Order").select_option("name")
        page.get_by_role("button", name="Show").click()
        project = page.locator("ol.records h2 a").first
        name = project.inner_text()
        assert not page.evaluate(_WIDER)
        project.click()
        assert page.get_by_role("heading", level=1).inner_text() == name
        assert not page.evaluate(_WIDER)
    assert failures == []


def test_report_breaks_no_rule_and_fetches_nothing(
    page, sample_projects, sample_accounts, tmp_path
):
    frames = [sample_projects.head(200), sample_accounts.head(200)]
    address = dirframe.report(frames, tmp_path / "report.html").as_uri()
    requested, errors = [], []
    page.on("request", lambda request: requested.append(request.url))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    found = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(address)
        page.locator("img.page").last.scroll_into_view_if_needed()
        found[scheme] = violations(page)
    assert found == {"light": [], "dark": []}
    hidden = "images => images.filter(one => !one.complete || !one.naturalWidth).length"
    assert page.locator("img").evaluate_all(hidden) == 0
    assert {url for url in requested if not url.startswith("data:")} == {address}
    assert [text for text in errors if "Content Security Policy" in text] == []
