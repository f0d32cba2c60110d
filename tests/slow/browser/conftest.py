"""A headless Chromium and a JupyterLab on this machine, with nothing of a person's own; axe."""

import os
import shutil
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).resolve().parents[3]

#: Without a sandbox, for in containers there is none, and on its own initiative to no host.
FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]
NAMES = ("chromium", "chromium-browser", "google-chrome")
#: Seconds to wait for a part of a page, and for JupyterLab, on however busy a machine.
_PATIENCE = 300.0
_WINDOW = {"width": 1600, "height": 1000}

#: JupyterLab would ask whether it may fetch news.
_NO_NEWS = "lab/user-settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
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
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, path)


def end_kernels(page):
    page.evaluate("jupyterapp.serviceManager.sessions.shutdownAll()")


def expect(locator):
    from playwright.sync_api import expect as expecting

    expecting.set_options(timeout=60_000)
    return expecting(locator)


def save(page):
    """Save by keyboard, and again if what the kernel sent meanwhile is not saved."""
    for _ in range(6):
        page.keyboard.press("Control+s")
        with suppress(AssertionError):
            expect(page.locator(".jp-mod-dirty")).to_have_count(0, timeout=10_000)
            return
    pytest.fail("The notebook is not saved.")


@pytest.fixture(scope="package")
def browser():
    """Start Chromium; not for the whole session, for it keeps this thread's event loop."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("playwright is not installed")
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        absent("there is no Chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def page(browser):
    """Open a page that reaches this machine alone."""
    with _offline_page(browser) as opened:
        yield opened


@contextmanager
def _offline_page(browser):
    context = browser.new_context(viewport=_WINDOW)
    local = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "file:")
    context.route(lambda address: not address.startswith(local), lambda route: route.abort())
    opened = context.new_page()
    opened.set_default_timeout(_PATIENCE * 1000)
    yield opened
    context.close()


@pytest.fixture(scope="package")
def jupyter(tmp_path_factory):
    """Start JupyterLab; give its address and the folder that it shows."""
    if find_spec("jupyterlab") is None:
        absent("jupyterlab is not installed")
    folder = tmp_path_factory.mktemp("jupyter")
    shown = folder / "notebooks"
    shown.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.MonkeyPatch.context() as patch, (folder / "log").open("wb") as log:
        for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
            patch.setenv(name, str(folder / name.lower()))
        settings = folder / "jupyter_config_dir" / _NO_NEWS
        settings.parent.mkdir(parents=True)
        settings.write_text('{"fetchNews": "false"}', encoding="utf-8")
        patch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
        # The tests' own backend shows no charts.
        patch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
        command = [
            sys.executable,
            "-m",
            "jupyterlab",
            "--no-browser",
            "--allow-root",
            "--ServerApp.ip=127.0.0.1",
            f"--ServerApp.port={port}",
            "--ServerApp.port_retries=0",
            "--IdentityProvider.token=",
            f"--ServerApp.root_dir={shown}",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
            "--LabApp.expose_app_in_browser=True",
        ]
        server = subprocess.Popen(command, cwd=shown, stdout=log, stderr=subprocess.STDOUT)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/api/status", server, folder / "log")
        yield address, shown
    finally:
        server.terminate()
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:  # it sometimes waits for a thread that has no more to do
            server.kill()
            server.wait()


def _wait_for(address, server, log):
    ends = time.monotonic() + _PATIENCE
    while server.poll() is None and time.monotonic() < ends:
        with suppress(OSError), urlopen(address, timeout=2):
            return
        time.sleep(0.1)
    pytest.fail(f"JupyterLab does not start:\n{log.read_text(errors='replace')[-3000:]}")


@pytest.fixture(scope="package")
def lab(browser, jupyter):
    """Load JupyterLab, which takes as long as most tests in it, once for all of them."""
    with _offline_page(browser) as opened:
        opened.goto(f"{jupyter[0]}/lab")
        opened.wait_for_function("window.jupyterapp?.restored")
        opened.evaluate("jupyterapp.restored")
        yield opened


@pytest.fixture
def opened(lab):
    """Open a notebook and run it; give its first explorer."""

    def run(name):
        lab.evaluate("path => jupyterapp.commands.execute('docmanager:open', {path})", name)
        lab.wait_for_selector(".jp-Notebook")
        lab.wait_for_function(_IDLE)
        lab.click("#jp-MainMenu >> text=Run")
        lab.click(".lm-Menu-itemLabel >> text='Run All Cells'")
        explorer = lab.locator(".dirframe-explorer").first
        explorer.wait_for()
        return explorer

    yield run
    end_kernels(lab)
    lab.evaluate(_CLOSE_ALL)
    lab.set_viewport_size(_WINDOW)


def violations(page, part=None, *, contrast=True):
    """Name each rule of axe-core that is broken, with its elements, in a page or one part of it."""
    options = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": contrast}}}
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        absent("axe-playwright-python is not installed")
    result = Axe().run(page, context=part, options=options)
    return [
        f"{rule['id']}: {node['html'][:200]} ({node['failureSummary']})"
        for rule in result.response["violations"]
        for node in rule["nodes"]
    ]
