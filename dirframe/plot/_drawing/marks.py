"""The marks of a chart as artists of Matplotlib, with their scales, legend and texts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.patches import Patch

from dirframe.plot._description.colours import NEUTRAL
from dirframe.plot._drawing import axes, dates, scales, typography

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.plot._description.chart import Chart, Marks, Remark

_SQUARE_ROWS, _SQUARE_WIDTH = 13, 4.6  # rows, inches
_SMALLEST_DOT = 4.0  # points, in rows
#: How dashed lines are told apart without colours.
_DASHES: dict[str, Any] = {
    "solid": "-",
    "dash": "--",
    "dot": (0, (1, 1)),
    "dashdot": (0, (5, 1.5, 1, 1.5)),
}


def draw(chart: Chart, ax: Axes | None, *, is_captioned: bool = True) -> Axes:
    """Draw a chart on the given axes, or on those of a new figure."""
    if chart.is_square:
        ax = axes.axes(ax, _SQUARE_ROWS, width=_SQUARE_WIDTH)
        # The caption starts at the left and uses the full width.
        ax.set(aspect="equal", anchor="SW")
    else:
        ax = axes.axes(ax, chart.rows)
    if chart.marks:
        (chart.draw or draw_marks)(ax, chart)
    else:
        axes.titles(ax, chart.title)
        axes.empty_message(ax, chart.empty)
    if is_captioned and (text := axes.caption_text(chart.table, chart.shown_notes)):
        axes.note_below(ax, text)
    return ax


def draw_marks(ax: Axes, chart: Chart) -> None:
    """Draw the marks of a chart, with titles, scales, columns of numbers, legend and remark."""
    size = 0.0
    if chart.y.scale == "rows":
        size = axes.name_rows(ax, chart.y.names)
        # The title can be wider than the axes, so it is placed above the column titles.
        pad = 1.2 * size + 8 if chart.columns else None
        axes.titles(ax, chart.title, chart.x.text, pad=pad)
    else:
        scales.labels(ax, chart, pad=4 if chart.is_square else None)
    if chart.reference is not None:
        ax.axvline(chart.reference, color=NEUTRAL, linewidth=1, linestyle="--", zorder=1)
    for marks in chart.marks:
        _DRAW[marks.kind](ax, marks, size)
    if np.any(chart.marks[-1].unfinished):
        _hatch_unfinished(ax, chart.marks[-1])
    scales.set_x(ax, chart, size)
    scales.set_y(ax, chart)
    axes.columns(ax, chart.columns, size)
    if chart.key:
        _legend(ax, chart)
    if chart.remark:
        _remark(ax, chart.remark)


def _rows(ax: Axes, marks: Marks, size: float) -> None:
    """Draw horizontal bars, with labels at their ends."""
    height = axes.thickness(len(ax.get_yticks())) * (marks.width or 1)
    bars = ax.barh(marks.y, marks.x, left=marks.base, height=height, color=marks.colours)
    for bar, colour, hatch in zip(bars, marks.colours, marks.hatches, strict=False):
        bar.set(linewidth=0, **axes.fill(colour, hatch))
    axes.hatch_other(bars, marks.colours)
    if marks.records:
        axes.fade(bars, marks.records)
    if marks.labels:
        plain = typography.plain_text_props()
        ax.bar_label(bars, labels=marks.labels, padding=3, fontsize=size, **plain)


def _columns(ax: Axes, marks: Marks, _size: float) -> None:
    """Draw vertical bars; those between edges are steps."""
    (colour,) = marks.colours
    if marks.width is None:
        ax.stairs(marks.y, marks.x, fill=True, color=colour, alpha=0.25, linewidth=0)
        ax.stairs(marks.y, marks.x, color=colour, linewidth=1.5, baseline=None)
        return
    ax.grid(visible=False, axis="both" if marks.hatches else "x")
    look = axes.fill(colour, *marks.hatches) if marks.hatches else {"color": colour}
    bars = ax.bar(marks.x, marks.y, marks.width, marks.base, linewidth=0.5, **look)
    if marks.records:
        axes.fade(bars, marks.records)


def _hatch_unfinished(ax: Axes, top: Marks) -> None:
    """Hatch what was not over: steps in their colour, stacked bars as a whole."""
    if top.width is None:
        dates.hatch_unfinished(ax, top, top.y, colour=top.colours[0])
        return
    edges = np.append(top.x - top.width / 2, top.x[-1] + top.width[-1] / 2)
    ink = mpl.rcParams["text.color"]
    dates.hatch_unfinished(ax, replace(top, x=edges), top.base + top.y, colour=ink, hatch="///")


def _dots(ax: Axes, marks: Marks, size: float) -> None:
    """Draw dots; those without a colour are rings."""
    _ranges(ax, marks)
    diameter = max(size / 2, _SMALLEST_DOT) if size else scales.dot(ax)
    face = marks.colours[0] if marks.colours else ax.get_facecolor()
    edge, width = face if marks.colours else mpl.rcParams["text.color"], 1.0
    if not (size or marks.sizes):  # dots of a distribution overlap
        edge, width = ax.get_facecolor(), 0.4
    ax.plot(
        *(marks.x, marks.y),
        marks.symbol,
        color=face,
        markersize=diameter * (marks.sizes[0] if marks.sizes else 1),
        markeredgecolor=edge,
        markeredgewidth=width,
        label=marks.name,
        gid=marks.name,
        clip_on=False,
    )


def _bubbles(ax: Axes, marks: Marks, _size: float) -> None:
    area = (0.7 * scales.dot(ax)) ** 2
    ax.scatter(
        *(marks.x, marks.y),
        s=[area * size for size in marks.sizes],
        c=marks.colours,
        edgecolors=NEUTRAL,
        linewidths=0.4,
        clip_on=False,
        zorder=3,
    )


def _ranges(ax: Axes, marks: Marks) -> None:
    """Draw lines from low to high; the last are the intervals."""
    colours = marks.colours or mpl.rcParams["text.color"]
    for low, high, width in marks.ranges:
        ax.hlines(marks.y, low, high, colors=colours, linewidth=width)
    if marks.ranges:
        ax.collections[-1].set_gid("interval")


def _line(ax: Axes, marks: Marks, _size: float) -> None:
    (colour,) = marks.colours
    if marks.band:
        step: Literal["post"] | None = "post" if marks.is_stepped else None
        ax.fill_between(marks.x, *marks.band, step=step, color=colour, alpha=0.2, linewidth=0)
    if marks.is_filled:  # down to the diagonal
        ax.fill_between(marks.x, marks.x, marks.y, color=colour, alpha=0.15, linewidth=0)
    ax.plot(
        *(marks.x, marks.y),
        color=colour,
        linewidth=1.8 if marks.dash == "solid" else 1.0 if marks.table.empty else 1.3,
        linestyle=_DASHES[marks.dash],
        drawstyle="steps-post" if marks.is_stepped else "default",
        marker="o" if marks.sizes else "",
        markersize=0.6 * scales.dot(ax),
        label=marks.name,
        gid=marks.name,
        clip_on=not marks.is_filled,
    )


_DRAW = {"rows": _rows, "columns": _columns, "dots": _dots, "bubbles": _bubbles, "line": _line}


def _legend(ax: Axes, chart: Chart) -> None:
    """Draw a legend of classes, lines or kinds of bars."""
    kind = chart.marks[0].kind
    if chart.bins:
        axes.legend(ax, chart.bins.handles(), chart.key)
        return
    if kind == "dots":
        if ax.lines[1:]:
            axes.legend(ax, ax.lines)
        return
    width = 0.5 if kind == "columns" else 0
    handles = [
        Patch(label=marks.name, linewidth=width, **axes.fill(marks.colours[0], marks.hatches[0]))
        for marks in chart.marks
    ]
    if kind == "rows":
        axes.legend(ax, handles, chart.key)
    else:
        axes.legend_beside(ax, handles)


def _remark(ax: Axes, remark: Remark) -> None:
    """Write a text to the right of its place, or to the left and higher if it does not fit."""
    size = typography.size(ax, "small")
    x = ax.transAxes.inverted().transform(ax.transData.transform((remark.x, remark.y)))[0]
    on_right = typography.widest([remark.text], size) + 8 < (1 - x) * typography.width(ax)
    ax.annotate(
        remark.text,
        (remark.x, remark.y if on_right else remark.y_left),
        (4, 0) if on_right else (-4, 3),
        textcoords="offset points",
        ha="left" if on_right else "right",
        va="center" if on_right else "bottom",
        fontsize=size,
        **typography.plain_text_props(),
    )
