"""A page becomes a PDF through Chromium, where there is one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from dirframe.errors import ConfigurationError

__all__ = ["browser", "pdf"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SECONDS = 120


def browser() -> str:
    """Find the program that prints.

    Returns
    -------
    str
        Its path.

    Raises
    ------
    ConfigurationError
        If there is none.
    """
    for name in _NAMES:
        if found := shutil.which(name):
            return found
    raise ConfigurationError(
        "A PDF is printed by Chromium or Chrome, and neither is found on this machine's PATH. "
        "Install one, or write the report as .html (print it from a browser) or as .md."
    )


def pdf(page: str, program: str) -> bytes:
    """Print a page.

    Parameters
    ----------
    page : str
        HTML that needs no network.
    program : str
        As `browser` gives it.

    Returns
    -------
    bytes
        The PDF. It states when it was printed.

    Raises
    ------
    ConfigurationError
        If the program prints nothing.
    """
    with tempfile.TemporaryDirectory(prefix="dirframe-print-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        source, target = folder / "report.html", folder / "report.pdf"
        source.write_text(page, encoding="utf-8")
        options = [
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--no-pdf-header-footer",
            f"--user-data-dir={folder / 'profile'}",
            f"--print-to-pdf={target}",
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--no-sandbox")  # it refuses to start otherwise
        try:
            # The program comes from PATH, its arguments from here.
            subprocess.run(  # noqa: S603  # no shell, no text from outside
                [program, *options, source.as_uri()],
                check=True,
                capture_output=True,
                timeout=_SECONDS,
            )
            return target.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            raise ConfigurationError(
                f"{program} did not print the report ({type(error).__name__}). Write it as "
                ".html and print it from a browser, or as .md."
            ) from None
