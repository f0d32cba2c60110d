"""Labels of what is drawn: names at the ends of lines, and legends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from dirframe.plot import fonts

_LINE = 1.25  # height of a line of text, in ems
_LEFT = 0.7  # of the width of the axes, where names stand beside them
_LEFT_OF_HEIGHT = 0.65  # of the height of the axes
_MARK = 3.2  # ems of a line before a name: two of its dashes at least
_ROOMY = 6  # names, up to which each may have two lines
_WIDE = 320.0  # points, from which a legend below has one line
_ACROSS = 3  # entries in a line of a legend below narrower axes


def label_ends(
    ax: Axes, heights: Mapping[str, float], looks: Mapping[str, Mapping[str, Any]]
) -> None:
    """Write names at the right of the axes, at their heights (0 to 1) or as near as have room.

    Before each is a mark with the look of its series: of a line, or else of a bar.
    """
    size = fonts.font_size(ax, "small")
    # The layout uses some of the height for captions, titles and labels.
    gap = _LINE * size / (_LEFT_OF_HEIGHT * fonts.axes_height(ax))
    places = spread(list(heights.values()), gap)
    point = 1 / (_LEFT * fonts.axes_width(ax))
    start = 1 + 0.6 * size * point
    for name, place in zip(heights, places, strict=True):
        look = looks[name]
        where: Any = {"transform": ax.transAxes, "clip_on": False, "gid": "key"}
        if "linestyle" in look:
            width = _MARK * size * point
            ax.plot([start, start + width], [place, place], linewidth=1.8, **look, **where)
        else:
            width = size * point
            corner = (start, place - 0.4 * gap)
            ax.add_patch(Rectangle(corner, width, 0.8 * gap, **look, **where))
        ax.text(
            start + width + 0.5 * size * point,
            place,
            fonts.two_lines(name) if len(heights) <= _ROOMY else fonts.short_name(name),
            va="center",
            fontsize=size,
            linespacing=0.95,
            transform=ax.transAxes,
            gid="series",
        )


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Return heights that differ by at least a gap, as near to the given ones as it goes."""
    order = sorted(range(len(heights)), key=lambda number: heights[number])
    # Less the gaps below it, each is as high as the one below or higher: those that are not share
    # their mean.
    blocks: list[list[float]] = []
    for place, number in enumerate(order):
        blocks.append([heights[number] - gap * place])
        while len(blocks) > 1 and fmean(blocks[-2]) > fmean(blocks[-1]):
            upper = blocks.pop()
            blocks[-1] += upper
    moved: list[float] = []
    for block in blocks:
        moved += [fmean(block)] * len(block)
    result = [0.0] * len(heights)
    for place, number in enumerate(order):
        result[number] = moved[place] + gap * place
    return result


def legend_below(ax: Axes, handles: Sequence[Artist], title: str) -> None:
    """Draw a legend below axes without ticks."""
    size = fonts.font_size(ax, "small")
    ax.legend(
        handles=list(handles),
        title=title,
        title_fontsize=size,
        fontsize=size,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        ncols=len(handles) if fonts.axes_width(ax) >= _WIDE else _ACROSS,
        frameon=False,
        columnspacing=1.2,
        handlelength=1.6,
    )


def legend_beside(ax: Axes, handles: Sequence[Artist], title: str) -> None:
    """Draw a legend at the right of the axes, the last entry at the top."""
    size = fonts.font_size(ax, "small")
    ax.legend(
        handles=list(handles),
        title=title,
        title_fontsize=size,
        fontsize=size,
        loc="upper left",
        bbox_to_anchor=(1.01, 1),
        borderaxespad=0,
        frameon=False,
        handlelength=1.2,
        reverse=True,
        alignment="left",
    )
