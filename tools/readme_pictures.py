"""Make the pictures of the README, in docs/_static.

They are made with the fixtures of the browser tests, so it is pytest that runs this file::

    python -m pytest -p tests.slow.browser.conftest tools/readme_pictures.py
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import dirframe

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "_static"
IDLE = "document.querySelector('#jp-main-statusbar')?.innerText.includes('| Idle')"


def test_chart() -> None:
    """Draw the chart of the six lines."""
    with dirframe.sample_directory() as directory:
        projects = dirframe.load_projects(directory, progress=False)
    axes = dirframe.plot.language_share(projects, top=10)
    axes.figure.savefig(PICTURES / "language_share.png", dpi=150)


def test_explorer(page: Page, jupyter: tuple[str, Path]) -> None:
    """Take a picture of the explorer in JupyterLab."""
    address, folder = jupyter
    shutil.copy(ROOT / "notebooks" / "explorer.ipynb", folder)
    page.set_viewport_size({"width": 1500, "height": 1600})
    page.goto(f"{address}/lab/tree/explorer.ipynb?reset")
    page.wait_for_selector(".jp-Notebook")
    page.wait_for_function(IDLE)
    page.click("#jp-MainMenu >> text=Run")
    page.click(".lm-Menu-itemLabel >> text='Run All Cells'")
    explorer = page.locator(".dirframe-explorer").first
    explorer.get_by_text("ascending=False").wait_for()
    page.wait_for_function(IDLE)
    page.keyboard.press("Control+b")
    picture = explorer.locator(".df-at-picture img")
    picture.evaluate("image => image.decode()")
    explorer.screenshot(path=PICTURES / "explorer.png")
