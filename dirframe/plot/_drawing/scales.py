"""Scales, labels and ticks of the axes."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.ticker import (
    Formatter,
    FuncFormatter,
    MaxNLocator,
    StrMethodFormatter,
    SymmetricalLogLocator,
)

from dirframe.plot._drawing import axes, dates, typography

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.plot._description.chart import Chart

    Which = Literal["x", "y"]

_TICK_WIDTH = 4.5  # ems per tick on a horizontal axis
_TICK_HEIGHT = 2.5  # and on a vertical axis


def dot(ax: Axes) -> float:
    """Return the diameter of a dot in points, scaled to the axes."""
    return typography.size(ax, "small") * 0.7


def labels(ax: Axes, chart: Chart, *, pad: float | None = None) -> None:
    """Set the title, `pad` points above the axes, and the label of each axis."""
    axes.titles(ax, chart.title, chart.x.text, pad=pad)
    size = typography.size(ax, mpl.rcParams["axes.labelsize"])
    # The layout uses some of the height.
    text = typography.wrapped(chart.y.text, size, 0.7 * typography.height(ax))
    ax.set_ylabel(text, fontsize=size, **typography.plain_text_props())
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(visible=True, linewidth=0.6, alpha=0.5)
    ax.set_axisbelow(True)


def set_x(ax: Axes, chart: Chart, size: float) -> None:
    """Set the scale of the x axis; `size` is that of the text in rows."""
    axis, is_rows = chart.x, chart.y.scale == "rows"
    ends = [end for marks in chart.marks for end in marks.ends("x")]
    first = chart.marks[0]
    if axis.scale == "date":
        dates.axis(ax)
        ax.margins(x=0.02)
        if not (is_rows or axis.limits):
            ax.set_xlim(min(ends), max(ends))
    elif axis.scale == "ratio":
        _ratios(ax, "x", base=2 if is_rows else 10)
    elif axis.scale == "log" and is_rows:
        _spreads(ax, max(ends))
    elif axis.scale == "log":
        _logarithmic(ax, "x", max(ends), least=axis.least)
    elif axis.limits and is_rows:
        _axis(ax, "x")
        ax.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10]))
        ax.xaxis.set_major_formatter(FuncFormatter(_share if axis.scale == "share" else _number))
    elif is_rows:
        labels = typography.widest((text for marks in chart.marks for text in marks.labels), size)
        _lengths(ax, max(ends) or 1, labels)
    elif axis.scale == "share":
        _shares(ax, "x")
    elif first.kind == "columns":
        _whole(ax, round(first.x[0]), round(first.x[-1] + np.ravel(first.width)[-1] / 2 - 0.46))
    if axis.limits:
        ax.set_xlim(axis.limits)


def set_y(ax: Axes, chart: Chart) -> None:
    """Set the scale of the y axis, except for rows."""
    axis = chart.y
    most = max(end for marks in chart.marks for end in marks.ends("y"))
    if axis.scale == "ratio":
        _ratios(ax, "y")
    elif axis.scale == "log":
        _logarithmic(ax, "y", most, least=axis.least)
    elif axis.scale == "share":
        _shares(ax, "y")
    elif axis.scale == "number":
        _counts(ax, 1.05 * min(chart.marks[0].ends("y")), most)
    if axis.limits:
        ax.set_ylim(axis.limits)


def _lengths(ax: Axes, most: float, labels: float) -> None:
    """Set a scale of bars up to `most`, with room for the longest label beside the longest bar."""
    _, _, tick_size = _axis(ax, "x")
    width = axes.inner_width(ax)
    room = min(max((labels + 5) / width, 0.05), 2 / 3)
    ax.set_xlim(0, most / (1 - room))
    ticks = int(width * (1 - room) / (2 * typography.widest([f"{most:,.0f}"], tick_size)))
    nbins = min(max(ticks, 1), 6)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=nbins, integer=True, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter(FuncFormatter(_number))


def _spreads(ax: Axes, most: float) -> None:
    """Set a logarithmic scale of rows, which includes zero, beside columns of numbers."""
    _, _, tick_size = _axis(ax, "x")
    room = (1 - axes.COLUMNS_SHARE) * axes.inner_width(ax)
    tick = 1.5 * typography.widest([f"{most:,.0f}"], tick_size)
    _symmetric_log(ax, "x", most, int(room / tick))
    ax.set_xlim(-0.15, max(most, 1) * 1.15)


def _counts(ax: Axes, low: float, most: float) -> None:
    """Set a linear y axis from 0, or `low` if it is lower, to `most` with integer ticks."""
    axis, ticks, _ = _axis(ax, "y")
    ax.set_ylim(min(low, 0), max(most, 1) * 1.05)
    axis.set_major_locator(MaxNLocator(nbins=ticks, integer=True, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _whole(ax: Axes, first: int, last: int) -> None:
    """Set an x axis of integers, such as years, with as many ticks as fit."""
    _, ticks, _ = _axis(ax, "x")
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if (last - first) / step < ticks)
    ax.set_xticks(range(-(-first // step) * step, last + 1, step))
    ax.set_xlim(first - 0.5, last + 0.5)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))


def _logarithmic(ax: Axes, which: Which, most: float, *, least: float) -> None:
    """Set a scale up to `most`: linear from 0 to 1, then logarithmic."""
    _, ticks, _ = _axis(ax, which)
    _symmetric_log(ax, which, most, ticks)
    limits = (0.7 * least if least else -0.5, max(most, 1) * 1.4)
    ax.set(**{f"{which}lim": limits})


def _ratios(ax: Axes, which: Which, *, base: int = 10) -> None:
    """Set a logarithmic scale of ratios and shares, which has no zero."""
    getattr(ax, f"set_{which}scale")("log", base=base)
    axis, _, _ = _axis(ax, which)
    axis.set_major_formatter(FuncFormatter(_number))
    axis.set_minor_formatter("")


def _symmetric_log(ax: Axes, which: Which, most: float, ticks: int) -> None:
    """Set a scale that is linear from 0 to 1, then logarithmic, with some ticks up to `most`."""
    getattr(ax, f"set_{which}scale")("symlog", linthresh=1, linscale=0.5)
    subs = [1.0] if most >= 50 else [1.0, 2.0, 5.0]
    locator = SymmetricalLogLocator(base=10, linthresh=1, subs=subs)
    locator.set_params(numticks=max(ticks, 2))
    axis = getattr(ax, f"{which}axis")
    axis.set_major_locator(locator)
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))  # replaced by the scale


def _shares(ax: Axes, which: Which) -> None:
    """Set a scale from 0% to 100%."""
    axis, ticks, _ = _axis(ax, which)
    ax.set(**{f"{which}lim": (0, 1)})
    axis.set_major_locator(MaxNLocator(nbins=min(ticks, 5), steps=[2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(_share))


def _share(value: float, _place: int | None = None) -> str:
    return f"{100 * value:g}%"


def _number(value: float, _place: int | None = None) -> str:
    return Formatter.fix_minus(f"{value:,.0f}" if value == round(value) else f"{value:g}")


def _axis(ax: Axes, which: Which) -> tuple[mpl.axis.Axis, int, float]:
    """Return an axis with fitting tick labels, the number of ticks that fit, and their size."""
    default_size = mpl.rcParams["xtick.labelsize" if which == "x" else "ytick.labelsize"]
    size = typography.size(ax, default_size)
    ax.tick_params(axis=which, labelsize=size)
    room = typography.width(ax) / _TICK_WIDTH
    if which == "y":
        room = typography.height(ax) / _TICK_HEIGHT
    return getattr(ax, f"{which}axis"), max(min(int(room / size), 7), 1), size
