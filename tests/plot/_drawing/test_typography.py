"""Text in charts."""

from __future__ import annotations

import matplotlib as mpl
import pytest
from matplotlib.font_manager import fontManager

from dirframe.plot._drawing import typography


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
    assert typography.percent(share) == shown


@pytest.mark.parametrize(("value", "shown"), [(0, "0"), (2.5, "2.5"), (12345.0, "12,345")])
def test_numbers_have_no_needless_decimals(value: float, shown: str) -> None:
    assert typography.number(value) == shown


def test_nothing_left_out_is_not_mentioned() -> None:
    assert typography.not_shown("project", {"without a name": 0}) == ""
    said = typography.not_shown("project", {"without a name": 1, "without a date": 2000})
    assert said == "Not shown: 1 project without a name, 2,000 without a date."


def test_only_fonts_that_are_installed_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typography, "FONTS", ("No Such Font", "DejaVu Serif"))
    assert typography.plain_text_props()["fontfamily"] == [
        *mpl.rcParams["font.family"],
        "DejaVu Serif",
    ]
    assert "DejaVu Serif" in fontManager.get_font_names()
