"""Text in charts."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.font_manager import fontManager

from dirframe import plot
from dirframe._display.values import percent
from dirframe.errors import MissingGlyphsWarning
from dirframe.plot._drawing import typography

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("C", "C"),
        ("  spread \n over\tlines ", "spread over lines"),
        ("Korea, Democratic People's Republic of", "Korea, Democratic People's\nRepublic of"),
        ("x" * 31, "x" * 30 + "\nx"),
        ("x" * 61, "x" * 30 + "\n" + "x" * 29 + "…"),
    ],
)
def test_a_name_takes_two_lines_at_most(name: str, shown: str) -> None:
    assert typography.name(name) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0.0%"), (0.0001, "<0.1%"), (0.0005, "0.1%"), (0.12345, "12.3%"), (1, "100.0%")],
)
def test_a_share_that_is_not_nothing_never_looks_like_nothing(share: float, shown: str) -> None:
    assert percent(share) == shown


@pytest.mark.parametrize(("value", "shown"), [(0, "0"), (2.5, "2.5"), (12345.0, "12,345")])
def test_numbers_have_no_needless_decimals(value: float, shown: str) -> None:
    assert typography.number(value) == shown


def test_nothing_left_out_is_not_mentioned() -> None:
    assert typography.not_shown({"projects": 1}, {"without a name": 0}) == ""
    reasons = {"without a name": 1, "without a date": 2000}
    said = typography.not_shown({"projects": 3000}, reasons)
    assert said == "Not shown: 1 project without a name, 2,000 without a date."


def test_only_fonts_that_are_installed_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typography, "FONTS", ("No Such Font", "DejaVu Serif"))
    assert typography.plain_text_props()["fontfamily"] == [
        *mpl.rcParams["font.family"],
        "DejaVu Serif",
    ]
    assert "DejaVu Serif" in fontManager.get_font_names()


NAMES = ["中文语言", "日本語", "Язык", "C"]


def in_scripts_without_a_font() -> pd.DataFrame:
    lines = pd.Series([1] * len(NAMES), dtype="Int64")
    return pd.DataFrame({"analysis_main_language_name": NAMES, "analysis_total_code_lines": lines})


def test_characters_that_no_font_has_are_warned_of_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(typography, "FONTS", ())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for chart in (plot.language_share, plot.language_share):
            figure = chart(in_scripts_without_a_font(), title="한국어").get_figure(root=True)
            assert figure is not None
            for name in ("chart.png", "chart.svg", "chart.png"):
                figure.savefig(tmp_path / name)
    assert [warning.category for warning in caught] == [MissingGlyphsWarning] * 2  # one a chart
    message = caught[0].message
    assert isinstance(message, MissingGlyphsWarning)
    assert message.characters == "".join(sorted({*"中文语言日本語한국어"}))
    assert caught[0].filename == __file__


def test_a_text_that_the_fonts_have_is_not_warned_of() -> None:
    assert not typography.missing_glyphs(["Язык – \u00a0…", "a\nb"])
