"""Fonts of charts: sizes, scripts, and the lines of text in Axes that are not alone in a figure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.textpath import text_to_path

from dirframe._printable import printable

# Fonts for scripts that matplotlib's own font lacks, in order of preference.
_FONTS = [
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Noto Sans JP",
    "Noto Sans KR",
    "Source Han Sans SC",
    "PingFang SC",
    "Hiragino Sans",
    "Apple SD Gothic Neo",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "IPAexGothic",
    "Droid Sans Fallback",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Noto Sans Bengali",
    "Noto Sans Tamil",
    "Noto Sans Thai",
    "Noto Sans Armenian",
    "Noto Sans Georgian",
    "Noto Sans Symbols2",
    "Arial Unicode MS",
]
#: Points: the smallest text that is legible in print.
SMALLEST = 5.0
#: Width of a digit or an average letter, in ems.
LETTER = 0.62

_FULL_WIDTH = 230.0  # points; text is smaller in narrower axes, down to `_REDUCED`
_REDUCED = 6.0
_FEWEST_LETTERS = 12  # in a line
_NAME_WIDTH = 30  # letters in a line of a name, which has two lines at most


def literal() -> dict[str, Any]:
    """Return the properties of text that is no markup, in any script with an installed font."""
    installed = set(fontManager.get_font_names())
    others = [font for font in _FONTS if font in installed]
    family = [*mpl.rcParams["font.family"], *others]
    return {"parse_math": False, "usetex": False, "fontfamily": family}


def axes_width(ax: Axes) -> float:
    """Return the current width of the axes in points."""
    return float(ax.get_window_extent().width * 72 / ax.figure.dpi)


def axes_height(ax: Axes) -> float:
    """Return the current height of the axes in points."""
    return float(ax.get_window_extent().height * 72 / ax.figure.dpi)


def font_size(ax: Axes, usual: float | str) -> float:
    """Return a font size such as "small" in points, reduced in narrow axes."""
    points = float(FontProperties(size=usual).get_size_in_points())
    reduced = points * min(1.0, axes_width(ax) / _FULL_WIDTH)
    return max(reduced, min(points, _REDUCED))


def wrapped(text: str, size: float, width: float) -> str:
    """Wrap each line of a text to a width in points, without a last line of a word or two."""
    lines: list[str] = []
    for part in text.split("\n"):
        lines += _lines(part, size, width)
    return "\n".join(lines)


def _lines(text: str, size: float, width: float) -> list[str]:
    whole = _widest([text], size) if text else 0.0
    if whole <= width:
        return [text]
    lines: list[str] = []
    most = max(int(len(text) * width / whole), _FEWEST_LETTERS)
    for letters in range(most, _FEWEST_LETTERS - 1, -1):
        shorter = textwrap.wrap(text, letters)
        if lines and len(shorter) > len(lines):
            return lines
        if lines or _widest(shorter, size) <= width:
            lines = shorter
            if len(lines[-1]) >= letters / 2:
                return lines
    return lines or textwrap.wrap(text, _FEWEST_LETTERS)


def _widest(texts: Iterable[str], size: float) -> float:
    """Return the width of the widest text in points."""
    font = FontProperties(family=mpl.rcParams["font.family"], size=size)
    widths = [0.0]
    for text in texts:
        # The font may lack other scripts, of which matplotlib would warn; their letters are wide.
        latin = [c if c < "\u0530" or "\u2000" <= c < "\u2070" else "M" for c in text]
        width, _height, _descent = text_to_path.get_text_width_height_descent(
            "".join(latin), font, False
        )
        widths.append(float(width))
    return max(widths)


def two_lines(text: str) -> str:
    """Wrap a long name to two lines; shorten a longer one at its end."""
    lines = textwrap.wrap(" ".join(printable(text).split()), _NAME_WIDTH, break_on_hyphens=False)
    if len(lines) > 2:
        lines[1:] = [lines[1][: _NAME_WIDTH - 1].rstrip() + "…"]
    return "\n".join(lines)


def short_name(text: str) -> str:
    """Shorten a name to one line, keeping both ends: similar names often differ at the end."""
    line, half = " ".join(printable(text).split()), _NAME_WIDTH // 2
    if len(line) <= _NAME_WIDTH:
        return line
    return f"{line[:half].rstrip()}…{line[1 - half :].lstrip()}"
