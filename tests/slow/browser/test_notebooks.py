"""The quick start in JupyterLab, from the first cell to the explorer at its end."""

import shutil

import pytest

from tests.slow.browser.conftest import ROOT, expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

_ERRORS = '[data-mime-type="application/vnd.jupyter.stderr"], [data-mime-type*="jupyter.error"]'
_PROMPTS = """() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')]
    .map(prompt => prompt.innerText)"""


def test_quick_start_runs_in_jupyterlab_to_its_explorer_without_a_warning(lab, jupyter, opened):
    shutil.copy(ROOT / "notebooks" / "quick_start.ipynb", jupyter[1])
    explorer = opened("quick_start.ipynb")
    expect(explorer.locator(".df-at-count")).to_have_text("204 of 1,500 projects")
    expect(explorer.locator(".df-at-picture img")).to_be_visible()
    lab.wait_for_function(f"!({_PROMPTS})().some(prompt => prompt.includes('*'))")
    expect(lab.locator(_ERRORS)).to_have_count(0)
    expect(lab.get_by_text("Error displaying widget")).to_have_count(0)
    expect(lab.locator(".jp-OutputArea a", has_text="report.html")).to_have_count(1)
