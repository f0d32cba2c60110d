"""No page of the documentation, of the service or of a report breaks a rule of axe-core."""

from pathlib import Path

import pytest

import dirframe
from tests.slow.browser.axe import violations, violations_of_a_long_page

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

BUILT = Path(__file__).resolve().parents[3] / "docs" / "_build" / "html"


def test_documentation_breaks_no_rule(page, served):
    files = [file.relative_to(BUILT) for file in sorted(BUILT.glob("**/*.html"))]
    if not files:
        pytest.skip("the documentation is not built: make docs")
    page.emulate_media(color_scheme="light")
    address, broken = served(BUILT), {}
    for file in files:
        page.goto(f"{address}/{file.as_posix()}")
        if found := violations_of_a_long_page(page):
            broken[str(file)] = found
    assert broken == {}


@pytest.mark.parametrize("width", [390, 1600])
def test_service_pages_break_no_rule(width, page):
    page.set_viewport_size({"width": width, "height": 900})
    broken = {}
    with dirframe.serve() as url:
        records = []
        for collection in ("projects", "accounts"):
            page.goto(f"{url}/{collection}")
            records.append(page.locator("ol.records h2 a").first.get_attribute("href"))
        for path in (
            *("/", "/projects", "/projects?query=server", "/projects?query=zzzzzz", "/accounts"),
            *("/projects?page=x", "/nothing", *records),
        ):
            page.goto(f"{url}{path}")
            if found := violations(page):
                broken[path] = found
    assert broken == {}


def test_report_breaks_no_rule_and_fetches_nothing(
    page, served, sample_projects, sample_accounts, tmp_path
):
    frames = [sample_projects.head(200), sample_accounts.head(200)]
    dirframe.report(frames, tmp_path / "report.html")
    requested, errors, address = [], [], served(tmp_path)
    page.on("request", lambda request: requested.append(request.url))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{address}/report.html")
        page.locator("img").last.scroll_into_view_if_needed()
        assert violations(page) == []
    hidden = "images => images.filter(one => !one.complete || !one.naturalWidth).length"
    assert page.locator("img").evaluate_all(hidden) == 0
    away = [url for url in requested if not url.startswith(("data:", f"{address}/report.html"))]
    assert {url for url in away if not url.endswith("/favicon.ico")} == set()
    assert [text for text in errors if "Content Security Policy" in text] == []
