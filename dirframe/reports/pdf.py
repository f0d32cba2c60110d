"""Print an HTML page to PDF with Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from dirframe.errors import ConfigurationError

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SECONDS = 120


def browser() -> str:
    """Find Chromium or Chrome on the PATH.

    Returns
    -------
    str
        Path of the program.

    Raises
    ------
    ConfigurationError
        If neither is installed.
    """
    for name in _NAMES:
        if path := shutil.which(name):
            return path
    raise ConfigurationError(
        "A PDF is printed by Chromium or Chrome, and neither is found on this machine's PATH. "
        "Install one, or write the report as .html (print it from a browser) or as .md."
    )


def pdf(page: str, program: str) -> bytes:
    """Print an HTML page to PDF.

    Parameters
    ----------
    page : str
        HTML that needs no network.
    program : str
        As returned by `browser`.

    Returns
    -------
    bytes
        The PDF, which contains its print date.

    Raises
    ------
    ConfigurationError
        If the program fails.
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
            "--generate-pdf-document-outline",
            f"--user-data-dir={folder / 'profile'}",
            f"--print-to-pdf={target}",
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium does not start as root otherwise
        try:
            # The program comes from the PATH, its arguments from this function.
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
