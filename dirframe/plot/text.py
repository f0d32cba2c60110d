"""Text in charts: its size, its lines, and the phrases of captions."""

from __future__ import annotations

import textwrap
from collections.abc import Container, Iterable
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.textpath import text_to_path

from dirframe._display import quantity
from dirframe.stats.result import REASONS

#: Fonts for scripts that matplotlib's own font lacks, in order of preference.
_FONTS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR"),
    *("Source Han Sans SC", "PingFang SC", "Hiragino Sans", "Apple SD Gothic Neo"),
    *("Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "WenQuanYi Micro Hei"),
    *("WenQuanYi Zen Hei", "IPAexGothic", "Droid Sans Fallback", "Noto Sans Arabic"),
    *("Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Bengali", "Noto Sans Tamil"),
    *("Noto Sans Thai", "Noto Sans Armenian", "Noto Sans Georgian", "Noto Sans Symbols2"),
    "Arial Unicode MS",
)
#: Points: the smallest text that is legible in print.
SMALLEST = 5.0

_NAME_WIDTH = 30  # letters in a line of a name, which has two lines at most
_FULL_WIDTH = 300.0  # points; text is smaller in narrower axes, down to `_REDUCED`
_REDUCED = 6.0
_FEWEST_LETTERS = 12  # in a line


def literal() -> dict[str, Any]:
    """Return the properties of text that is no markup, in any script with an installed font."""
    installed = {*fontManager.get_font_names()}
    family = [*mpl.rcParams["font.family"], *(font for font in _FONTS if font in installed)]
    return {"parse_math": False, "usetex": False, "fontfamily": family}


def width(ax: Axes) -> float:
    """Return the current width of the axes in points."""
    return float(ax.get_window_extent().width * 72 / ax.figure.dpi)


def height(ax: Axes) -> float:
    """Return the current height of the axes in points."""
    return float(ax.get_window_extent().height * 72 / ax.figure.dpi)


def size(ax: Axes, usual: float | str) -> float:
    """Return a font size such as "small" in points, reduced in narrow axes."""
    points = float(FontProperties(size=usual).get_size_in_points())
    return max(points * min(1.0, width(ax) / _FULL_WIDTH), min(points, _REDUCED))


def widest(texts: Iterable[str], size: float) -> float:
    """Return the width of the widest text in points."""
    font = FontProperties(family=mpl.rcParams["font.family"], size=size)
    # The font may lack other scripts, of which matplotlib would warn; their letters are wide.
    latin = (
        "".join(c if c < "\u0530" or "\u2000" <= c < "\u2070" else "M" for c in t) for t in texts
    )
    measured = (text_to_path.get_text_width_height_descent(t, font, False) for t in latin)
    return max((float(width) for width, _, _ in measured), default=0.0)


def wrapped(text: str, size: float, width: float) -> str:
    """Wrap each line of a text to a width in points, without a last line of a word or two."""
    return "\n".join(line for part in text.split("\n") for line in _lines(part, size, width))


def _lines(text: str, size: float, width: float) -> list[str]:
    if not text or (whole := widest([text], size)) <= width:
        return [text]
    lines: list[str] = []
    most = max(int(len(text) * width / whole), _FEWEST_LETTERS)
    for letters in range(most, _FEWEST_LETTERS - 1, -1):
        shorter = textwrap.wrap(text, letters)
        if lines and len(shorter) > len(lines):
            break
        if lines or widest(shorter, size) <= width:
            lines = shorter
            if len(lines[-1]) >= letters / 2:
                break
    return lines or shorter


def name(text: str) -> str:
    """Wrap a long name to two lines; shorten a longer one at its end."""
    lines = textwrap.wrap(" ".join(text.split()), _NAME_WIDTH, break_on_hyphens=False)
    if len(lines) > 2:
        lines[1:] = [lines[1][: _NAME_WIDTH - 1].rstrip() + "…"]
    return "\n".join(lines)


def short(text: str) -> str:
    """Shorten a name to one line, keeping both ends: similar names often differ at the end."""
    line, half = " ".join(text.split()), _NAME_WIDTH // 2
    if len(line) <= _NAME_WIDTH:
        return line
    return f"{line[:half].rstrip()}…{line[1 - half :].lstrip()}"


def counts_of(table: pd.DataFrame) -> dict[str, int]:
    """Return the counts of a statistic, that of all records first."""
    return dict(table.attrs["dirframe"]["counted"])


def collection_of(table: pd.DataFrame) -> str:
    """Return what the records of a statistic are called, in the plural."""
    collection: str = table.attrs["dirframe"]["base"]["collection"]
    return collection


def noun_and_count(table: pd.DataFrame) -> tuple[str, int]:
    """Return what a record of a statistic is called, and how many there are in all."""
    name = collection_of(table)
    return name.removesuffix("s").replace("_", " "), counts_of(table)[name]


def not_shown(
    table: pd.DataFrame, reasons: Container[str] = REASONS, what: str = "Not shown"
) -> str:
    """Return a note with the number of records for each of the reasons; empty if there are none."""
    counts = counts_of(table)
    if "without_analysis" in counts:  # they are without a language, for that reason
        counts["without_language"] -= counts["without_analysis"]
    given = [
        (counts[name], why) for name, why in REASONS.items() if counts.get(name) and name in reasons
    ]
    if not given:
        return ""
    noun, _ = noun_and_count(table)
    (first, reason), *others = given
    rest = "".join(f", {number:,} {why}" for number, why in others)
    return f"{what}: {quantity(first, noun)} {reason}{rest}."
