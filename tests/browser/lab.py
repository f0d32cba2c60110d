"""What tests of the explorer in JupyterLab have in common."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import nbformat
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page

#: The sample, with negative lines of code in three of its projects.
WRONG = """
import dirframe

with dirframe.sample_directory() as directory:
    projects = dirframe.load_projects(directory=directory, progress=False)
projects = projects[~(projects["analysis_total_code_lines"] < 0).fillna(value=False)]
projects.iloc[:3, projects.columns.get_loc("analysis_total_code_lines")] = -1
dirframe.Explorer(projects)
"""
END_KERNELS = """async () => {
    const token = document.cookie.match(/_xsrf=([^;]*)/)[1];
    for (const one of await (await fetch('/api/sessions')).json())
        await fetch('/api/sessions/' + one.id,
                    {method: 'DELETE', headers: {'X-XSRFToken': token}});
}"""


def write_notebook(code: str, path: Path) -> None:
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    content.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(content, path)


def control(explorer: Locator, name: str, kind: str = "") -> Locator:
    return explorer.locator(f".df-{name} {kind}" if kind else f".df-{name}")


def expect(locator: Locator) -> Any:
    from playwright.sync_api import expect as expecting

    expecting.set_options(timeout=30_000)
    return expecting(locator)


def save(page: Page) -> None:
    """Save by keyboard, and again if what the kernel sent meanwhile is not saved."""
    for _ in range(6):
        page.keyboard.press("Control+s")
        with suppress(AssertionError):
            expect(page.locator(".jp-mod-dirty")).to_have_count(0, timeout=10_000)
            return
    pytest.fail("The notebook is not saved.")
