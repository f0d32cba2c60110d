"""A PDF where there is a Chromium, and a way out in words where there is none."""

from __future__ import annotations

import shutil
import sys

import pytest

from dirframe.errors import ConfigurationError
from dirframe.reporting.printing import browser, pdf


def test_a_page_is_printed() -> None:
    if not (program := shutil.which("chromium")):
        pytest.skip("no Chromium on this machine")
    printed = pdf("<!DOCTYPE html><title>T</title><p>x", program)
    assert printed.startswith(b"%PDF-")
    assert printed.rstrip().endswith(b"%%EOF")


def test_without_a_browser_the_other_formats_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigurationError, match=r"\.html .*\.md"):
        browser()


def test_a_program_that_prints_nothing_is_reported() -> None:
    with pytest.raises(ConfigurationError, match="did not print"):
        pdf("<p>x", sys.executable)
