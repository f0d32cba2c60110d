"""What browser tests have in common: notebooks in JupyterLab, and what is missing on a machine."""

import json
import os
from contextlib import suppress

import pytest

_IDLE = "document.querySelector('#jp-main-statusbar')?.innerText.includes('| Idle')"
_CLOSE_ALL = """() => {
    for (const widget of [...jupyterapp.shell.widgets('main')]) {
        if (widget.context) widget.context.model.dirty = false;
        widget.close();
    }
    jupyterapp.shell.expandLeft();
}"""


def absent(reason):
    """Skip what needs a browser, or fail where DIRFRAME_REQUIRE_BROWSER=1 says that there is one."""
    if os.environ.get("DIRFRAME_REQUIRE_BROWSER") == "1":
        pytest.fail(f"{reason}, and DIRFRAME_REQUIRE_BROWSER is 1")
    pytest.skip(reason)


def write_notebook(code, path):
    cell = {"cell_type": "code", "execution_count": None, "id": "code", "metadata": {}}
    notebook = {
        "cells": [cell | {"outputs": [], "source": code}],
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(notebook), encoding="utf-8")


def open_notebook(page, name):
    page.evaluate("path => jupyterapp.commands.execute('docmanager:open', {path})", name)


def end_kernels(page):
    page.evaluate("jupyterapp.serviceManager.sessions.shutdownAll()")


def close_all(page):
    """End kernels and close notebooks, without saving them; show the file browser again."""
    end_kernels(page)
    page.evaluate(_CLOSE_ALL)


def run_all(page):
    """Run the notebook that is open; give its first explorer."""
    page.wait_for_selector(".jp-Notebook")
    page.wait_for_function(_IDLE)
    page.click("#jp-MainMenu >> text=Run")
    page.click(".lm-Menu-itemLabel >> text='Run All Cells'")
    explorer = page.locator(".dirframe-explorer").first
    explorer.wait_for()
    return explorer


def expect(locator):
    from playwright.sync_api import expect as expecting

    expecting.set_options(timeout=30_000)
    return expecting(locator)


def save(page):
    """Save by keyboard, and again if what the kernel sent meanwhile is not saved."""
    for _ in range(6):
        page.keyboard.press("Control+s")
        with suppress(AssertionError):
            expect(page.locator(".jp-mod-dirty")).to_have_count(0, timeout=10_000)
            return
    pytest.fail("The notebook is not saved.")
