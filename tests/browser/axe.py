"""What axe-core finds in a page that people with disabilities cannot use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page


def violations(page: Page, part: str | None = None) -> list[str]:
    """Name each broken rule with the elements that break it, in a page or one part of it."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    result = axe.Axe().run(page, context=part)
    return [
        f"{rule['id']}: {node['html'][:200]} ({node['failureSummary']})"
        for rule in result.response["violations"]
        for node in rule["nodes"]
    ]
