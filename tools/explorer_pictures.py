"""Draw the pictures of docs/explorer.md, in JupyterLab: ``python -m tools.explorer_pictures``.

It needs Chromium and the dependency group ``slow``.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from urllib.request import urlopen

import nbformat
from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "_static"
CODE = """import dirframe

explorer = dirframe.Explorer(dirframe.sample_directory())
explorer.load()
explorer.licenses.value = ("gpl",)
explorer"""
#: Picture by the theme of JupyterLab.
THEMES = {"explorer-light.png": "JupyterLab Light", "explorer-dark.png": "JupyterLab Dark"}
#: The window, and the explorer from its first control to its table, in pixels.
SIZE = {"width": 900, "height": 876}
COLOURS = 64
_NO_NEWS = "lab/user-settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
_IDLE = "document.querySelector('#jp-main-statusbar')?.innerText.includes('| Idle')"


def start_jupyter(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """Start JupyterLab in a folder, with nothing of a person's own; return it and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        _, port = free.getsockname()
    address = f"http://127.0.0.1:{port}"
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        os.environ[name] = str(folder / name.lower())
    os.environ |= {"DIRFRAME_CACHE_DIR": str(folder), "DIRFRAME_DATA_DIR": str(folder)}
    os.environ["PYTHONPATH"] = str(ROOT)
    settings = folder / "jupyter_config_dir" / _NO_NEWS
    settings.parent.mkdir(parents=True)
    settings.write_text('{"fetchNews": "false"}', encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--log-level=ERROR",
        "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}",
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={folder}",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.expose_app_in_browser=True",
    ]
    server = subprocess.Popen(command, cwd=folder)  # noqa: S603  # our own command
    while server.poll() is None:
        with suppress(OSError), urlopen(f"{address}/api/status", timeout=2):  # noqa: S310  # http
            break
        time.sleep(0.2)
    return server, address


def draw(page: Page, address: str) -> None:
    """Run the notebook, and store a picture of its explorer in each theme."""
    page.set_default_timeout(300_000)
    page.goto(f"{address}/lab/tree/explorer.ipynb")
    page.wait_for_function("window.jupyterapp?.restored")
    page.wait_for_function(_IDLE)
    page.evaluate("jupyterapp.shell.collapseLeft()")
    page.click("#jp-MainMenu >> text=Run")
    page.click(".lm-Menu-itemLabel >> text='Run All Cells'")
    explorer = page.locator(".dirframe-explorer").first
    explorer.locator(".df-at-picture img").wait_for()
    for name, theme in THEMES.items():
        page.evaluate(
            "theme => jupyterapp.commands.execute('apputils:change-theme', {theme})", theme
        )
        time.sleep(3)  # the theme's style sheets are loaded
        explorer.scroll_into_view_if_needed()
        picture = Image.open(BytesIO(explorer.screenshot())).convert("RGB")
        picture = picture.crop((0, 0, picture.width, min(picture.height, SIZE["height"])))
        picture = picture.quantize(COLOURS, dither=Image.Dither.NONE)
        picture.save(PICTURES / name, optimize=True)


if __name__ == "__main__":
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        cell = nbformat.v4.new_code_cell(CODE)
        notebook = nbformat.v4.new_notebook(cells=[cell])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        nbformat.write(notebook, Path(temporary) / "explorer.ipynb")
        server, address = start_jupyter(Path(temporary))
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            draw(browser.new_page(viewport={"width": SIZE["width"] + 120, "height": 2400}), address)
            browser.close()
        finally:
            server.terminate()
            server.wait()
