"""Text in charts: literal, in any script with an installed font, and wrapped to fit."""

from __future__ import annotations

import textwrap
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pandas as pd
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.textpath import text_to_path

from dirframe._display.values import counted, label, percent
from dirframe.errors import Hint, MissingGlyphsWarning, warn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from matplotlib.axes import Axes
    from pandas.api.typing import NAType

#: Fallback fonts for scripts that matplotlib's fonts lack, in order of preference.
FONTS = tuple(Path(__file__).with_name("fonts.txt").read_text(encoding="utf-8").splitlines())

_NAME_WIDTH = 30
_NAME_LINES = 2
# Mean character width as a share of the font size, measured on DejaVu Sans, which is wide;
# narrower fonts leave more room.
_TEXT_EM = 0.52
# Axes narrower than this many points get smaller text, down to a legible minimum.
FULL_WIDTH = 300.0
_SMALLEST = 6.0


def plain_text_props() -> dict[str, Any]:
    """Return the properties of literal text in any script."""
    # Matplotlib would warn for each text about fonts that are not installed.
    installed = set(fontManager.get_font_names())
    family = [*mpl.rcParams["font.family"], *(font for font in FONTS if font in installed)]
    return {"parse_math": False, "usetex": False, "fontfamily": family}


def size(ax: Axes, usual: float | str) -> float:
    """Return a font size such as "small" in points, reduced for narrow axes."""
    points = float(FontProperties(size=usual).get_size_in_points())
    return max(points * min(1.0, width(ax) / FULL_WIDTH), min(points, _SMALLEST))


def width(ax: Axes) -> float:
    """Return the current width of the axes in points."""
    return float(ax.get_window_extent().width * 72 / ax.figure.dpi)


def height(ax: Axes) -> float:
    """Return the current height of the axes in points."""
    return float(ax.get_window_extent().height * 72 / ax.figure.dpi)


def column_label(column: str) -> str:
    """Return the name of a column in words, without that of the part it belongs to."""
    return label(column.removeprefix("analysis_"))


def name(text: str) -> str:
    """Wrap a long name; truncate a very long one with an ellipsis."""
    lines = textwrap.wrap(" ".join(text.split()), _NAME_WIDTH, break_on_hyphens=False)
    if len(lines) > _NAME_LINES:
        last = lines[_NAME_LINES - 1][: _NAME_WIDTH - 1].rstrip()
        lines[_NAME_LINES - 1 :] = [f"{last}…"]
    return "\n".join(lines)


def short(text: str) -> str:
    """Shorten a name to one line, keeping both ends: similar names often differ at the end."""
    line = " ".join(text.split())
    half = _NAME_WIDTH // 2
    return (
        line if len(line) <= _NAME_WIDTH else f"{line[:half].rstrip()}…{line[1 - half :].lstrip()}"
    )


def wrapped(text: str, size: float, width: float) -> str:
    """Wrap text to a width; size and width are in points."""
    letters = max(int(width / (size * _TEXT_EM)), 12)
    return "\n".join(line for part in text.split("\n") for line in textwrap.wrap(part, letters))


def widest(texts: Iterable[str], size: float) -> float:
    """Return the width of the widest text, in points."""
    font = FontProperties(family=mpl.rcParams["font.family"], size=size)
    distinct = set(texts)
    # The box that stands for a missing character is about as wide as an M.
    boxes = dict.fromkeys(map(ord, missing_glyphs(distinct)), "M")
    measured = (
        text_to_path.get_text_width_height_descent(text.translate(boxes), font, False)
        for text in distinct
    )
    return max((float(width) for width, _, _ in measured), default=0.0)


def listed(what: str, noun: str, reasons: Mapping[str, int]) -> str:
    """Return a note with the number of records for each reason; empty if there are none."""
    nonzero = [(count, reason) for reason, count in reasons.items() if count]
    if not nonzero:
        return ""
    (count, reason), *other = nonzero
    phrases = [f"{counted(count, noun)} {reason}", *(f"{n:,} {why}" for n, why in other)]
    return f"{what}: {', '.join(phrases)}."


def noun_of(counts: Mapping[str, int]) -> str:
    """Return what the records of a statistic are called: its first count is that of all."""
    return next(iter(counts)).removesuffix("s").replace("_", " ")


def not_shown(counts: Mapping[str, int], reasons: Mapping[str, int]) -> str:
    """Return a note on records missing from a chart and why; empty if it shows all."""
    return listed("Not shown", noun_of(counts), reasons)


def empty_reason(counts: Mapping[str, int], what: str) -> str:
    """Return why a chart is empty: no records, or none with the required values."""
    noun, count = noun_of(counts), next(iter(counts.values()))
    return f"None of {counted(count, noun)} has {what}" if count else f"No {noun}s"


def number(value: float | NAType) -> str:
    """Format a number with thousands separators and at most one decimal, or as missing."""
    return "–" if pd.isna(value) else f"{value:,.1f}".removesuffix(".0")


def amounts(counts: Iterable[int], shares: Iterable[float | NAType]) -> list[str]:
    """Format counts with their shares: ``1,500 (12.3%)``, or alone if the share is missing."""
    pairs = zip(counts, shares, strict=True)
    return [f"{n:,}" if pd.isna(share) else f"{n:,} ({percent(share)})" for n, share in pairs]


def missing_glyphs(texts: Iterable[str]) -> str:
    """Return the characters, in order, that none of the fonts has."""
    families = tuple(plain_text_props()["fontfamily"])
    characters = {character for text in texts for character in text if ord(character) > 126}
    return "".join(sorted(c for c in characters if c.isprintable() and _is_missing(c, families)))


@cache
def _is_missing(character: str, families: tuple[str, ...]) -> bool:
    files = (findfont(FontProperties(family=[family])) for family in families)
    return not any(get_font(file).get_char_index(ord(character)) for file in files)


def warn_of_missing_glyphs(texts: Iterable[str]) -> None:
    """Warn once of characters that no font has, in place of matplotlib's warning for each."""
    missing = missing_glyphs(texts)
    if not missing:
        return
    codes = "|".join(str(ord(character)) for character in missing)
    warnings.filterwarnings("ignore", rf"Glyph ({codes}) ", UserWarning)
    shown = missing[:10] + ("…" if len(missing) > 10 else "")
    warn(
        MissingGlyphsWarning(
            f"No installed font has {counted(len(missing), 'character')} of this chart ({shown}); "
            "boxes are drawn instead.",
            characters=missing,
            hint=Hint(
                "Install a font of dirframe.plot.FONTS that has them, such as Noto Sans CJK.",
                shell="Install a font that has them, such as Noto Sans CJK.",
            ),
        )
    )
