"""No page of the documentation, of the service or of a report breaks a rule of axe-core."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

import dirframe
from tests.browser.axe import violations, violations_of_a_long_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

BUILT = Path(__file__).resolve().parent.parent.parent / "docs" / "_build" / "html"


@pytest.mark.parametrize(
    ("scheme", "pages"),
    [
        pytest.param("light", "**/*.html", id="all pages in the light"),
        pytest.param("dark", "guide/quick_start.html", id="a notebook in the dark"),
        pytest.param("dark", "api/overview.html", id="reference in the dark"),
    ],
)
def test_no_page_of_the_documentation_breaks_a_rule(
    scheme: Literal["light", "dark"], pages: str, page: Page, served: Callable[[Path], str]
) -> None:
    files = [file.relative_to(BUILT) for file in sorted(BUILT.glob(pages))]
    if not files:
        pytest.skip("the documentation is not built: make docs")
    page.emulate_media(color_scheme=scheme)
    address, broken = served(BUILT), {}
    for file in files:
        page.goto(f"{address}/{file.as_posix()}")
        if found := violations_of_a_long_page(page):
            broken[str(file)] = found
    assert broken == {}


def test_in_a_long_page_each_appearance_of_text_is_looked_at(page: Page) -> None:
    striped = "tr:nth-child(even) { background: #ccc } .pale { opacity: 0.4 }"
    rows = "".join(f"<tr><td>{number}</td></tr>" for number in range(300))
    page.set_content(
        f"<html lang=en><title>Rows</title><style>td {{ color: #777 }} {striped}</style><main>"
        f"<h1>Rows</h1><table>{rows}</table><p>Good<p class=pale>Pale<p style='color: #bbb'>Bad"
        "<div><p>Good</div><div style='background: #333'><p>Dark</div></main>"
    )
    assert len(violations(page)) > 290
    texts = [re.findall(r">(\w+)</", text)[0] for text in violations_of_a_long_page(page)]
    assert texts == ["10", "11", "12", "13", "14", "15", "Pale", "Bad", "Dark"]


@pytest.mark.parametrize("width", [390, 1600])
def test_no_page_of_the_service_breaks_a_rule(width: int, page: Page) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    broken = {}
    with dirframe.serve() as url:
        page.goto(f"{url}/projects")
        project = page.locator("ol.records h2 a").first.get_attribute("href")
        page.goto(f"{url}/accounts")
        account = page.locator("ol.records h2 a").first.get_attribute("href")
        for path in (
            *("/", "/projects", "/projects?query=server", "/projects?query=zzzzzz", "/accounts"),
            *("/projects?page=x", "/nothing", project or "", account or ""),
        ):
            page.goto(f"{url}{path}")
            if found := violations(page):
                broken[path] = found
    assert broken == {}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with dirframe.sample_directory() as directory:
        projects = dirframe.load_projects(directory, max_items=200, progress=False)
        accounts = dirframe.load_accounts(directory, max_items=200, progress=False)
    target = tmp_path_factory.mktemp("report") / "report.html"
    return dirframe.report([projects, dirframe.unify_countries(accounts)], target)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_part_of_a_report_breaks_a_rule(
    scheme: Literal["light", "dark"], page: Page, served: Callable[[Path], str], report: Path
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{served(report.parent)}/report.html")
    assert violations(page) == []
