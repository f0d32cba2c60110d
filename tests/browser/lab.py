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
_IDLE = "document.querySelector('#jp-main-statusbar')?.innerText.includes('| Idle')"
_CLOSE_ALL = """() => {
    for (const widget of [...jupyterapp.shell.widgets('main')]) {
        if (widget.context) widget.context.model.dirty = false;
        widget.close();
    }
    jupyterapp.shell.expandLeft();
}"""


def write_notebook(code: str, path: Path) -> None:
    content = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    content.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(content, path)


def open_notebook(page: Page, name: str) -> None:
    page.evaluate("path => jupyterapp.commands.execute('docmanager:open', {path})", name)


def end_kernels(page: Page) -> None:
    page.evaluate("jupyterapp.serviceManager.sessions.shutdownAll()")


def close_all(page: Page) -> None:
    """End kernels and close notebooks, without saving them; show the file browser again."""
    end_kernels(page)
    page.evaluate(_CLOSE_ALL)


def run_all(page: Page) -> Locator:
    """Run the notebook that is open; give its first explorer."""
    page.wait_for_selector(".jp-Notebook")
    page.wait_for_function(_IDLE)
    page.click("#jp-MainMenu >> text=Run")
    page.click(".lm-Menu-itemLabel >> text='Run All Cells'")
    explorer = page.locator(".dirframe-explorer").first
    explorer.wait_for()
    return explorer


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
