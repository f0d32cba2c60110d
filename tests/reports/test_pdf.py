"""A PDF where there is a Chromium, and a way out in words where there is none."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pandas as pd
import pytest

import dirframe
from dirframe import reports
from dirframe.errors import ConfigurationError
from dirframe.reports.pdf import browser, pdf

STYLE = Path(reports.__file__).parent / "page" / "page.css"


@pytest.fixture
def program() -> str:
    try:
        return browser()
    except ConfigurationError:
        pytest.skip("no Chromium on this machine")


def pages(printed: bytes) -> int:
    """Count the pages of a PDF by the size of its tree of them."""
    assert printed.startswith(b"%PDF-")
    assert printed.rstrip().endswith(b"%%EOF")
    return max(map(int, re.findall(rb"/Count (\d+)", printed)))


def page(*parts: str) -> str:
    style = STYLE.read_text(encoding="utf-8")
    return f"<!DOCTYPE html><title>T</title><style>{style}</style><main>{''.join(parts)}</main>"


def test_a_page_is_printed(program: str) -> None:
    assert pages(pdf("<!DOCTYPE html><title>T</title><p>x", program)) == 1


def test_no_figure_or_short_table_is_cut_by_the_end_of_a_page(program: str) -> None:
    # Three of six tenths of a page each: cut, they would need two pages.
    tall = {
        "table": "<table style='height:160mm'><tr><td>a</td></tr><tr><td>b</td></tr></table>",
        "figure": "<figure><div style='height:160mm'></div><div>caption</div></figure>",
    }
    for name, part in tall.items():
        assert pages(pdf(page(part), program)) == 1, name
        assert pages(pdf(page(*[f"<section>{part}</section>"] * 3), program)) == 3, name


def test_a_long_table_or_listing_goes_on_where_the_last_one_ended(program: str) -> None:
    # Three of six tenths of a page each: whole, they would leave a part of each page empty.
    cells = "<tr style='height:5mm'><td>a</td></tr>" * 30
    long = {
        "table": f"<table><thead><tr><th>a</th></tr></thead><tbody>{cells}</tbody></table>",
        "listing": "<pre>" + "line\n" * 38 + "</pre>",
    }
    for name, part in long.items():
        assert pages(pdf(page(part), program)) == 1, name
        assert pages(pdf(page(*[f"<section>{part}</section>"] * 3), program)) == 2, name


def test_two_figures_fit_on_a_page_with_their_captions(program: str) -> None:
    picture = "<svg xmlns='http://www.w3.org/2000/svg' width='640' height='900'/>"
    caption = "<figcaption><p>Figure</p><p>n = 3</p></figcaption>"
    figure = f"<figure><img src=\"data:image/svg+xml,{picture}\" alt='x'>{caption}</figure>"
    assert pages(pdf(page(*[f"<section>{figure}</section>"] * 4), program)) == 2


def test_a_table_longer_than_a_page_is_printed_whole(program: str) -> None:
    rows = "<tr><td>a</td></tr>" * 200
    assert pages(pdf(page(f"<table><tbody>{rows}</tbody></table>"), program)) >= 3


def test_a_report_is_printed(program: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": ["1", "2"], "name": ["a", "<script>"]})
    frame.attrs["dirframe"] = {"resource": "project"}
    file = dirframe.report(frame, tmp_path / "report.pdf")
    assert pages(file.read_bytes()) >= 1


def test_without_a_browser_the_other_formats_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ConfigurationError, match=r"\.html .*\.md"):
        browser()


def test_a_program_that_prints_nothing_is_reported() -> None:
    with pytest.raises(ConfigurationError, match="did not print"):
        pdf("<p>x", sys.executable)
