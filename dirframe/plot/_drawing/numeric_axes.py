"""Scales, labels and ticks for charts with two numeric axes."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Literal

import matplotlib as mpl
from matplotlib.ticker import (
    MaxNLocator,
    PercentFormatter,
    StrMethodFormatter,
    SymmetricalLogLocator,
)

from dirframe.plot._drawing import axes, typography

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


def counts(ax: Axes, which: Which, most: float) -> None:
    """Set a linear scale from 0 to `most` with integer ticks."""
    axis, ticks = _axis(ax, which)
    _limit(ax, which, 0, max(most, 1) * 1.05)
    axis.set_major_locator(MaxNLocator(nbins=ticks, integer=True, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def whole(ax: Axes, first: int, last: int) -> None:
    """Set an x axis of integers, such as years, with as many ticks as fit."""
    _, ticks = _axis(ax, "x")
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if (last - first) / step < ticks)
    ax.set_xticks(range(-(-first // step) * step, last + 1, step))
    ax.set_xlim(first - 0.5, last + 0.5)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))


def logarithmic(ax: Axes, which: Which, most: float, *, least: float = 0) -> None:
    """Set a scale up to `most`: linear from 0 to 1, then logarithmic."""
    _, ticks = _axis(ax, which)
    symmetric_log(ax, which, most, ticks)
    _limit(ax, which, -0.5 if least == 0 else 0.7 * least, max(most, 1) * 1.4)


def symmetric_log(ax: Axes, which: Which, most: float, ticks: int) -> None:
    """Set a scale that is linear from 0 to 1, then logarithmic, with some ticks up to `most`."""
    getattr(ax, f"set_{which}scale")("symlog", linthresh=1, linscale=0.5)
    subs = [1.0] if most >= 50 else [1.0, 2.0, 5.0]
    locator = SymmetricalLogLocator(base=10, linthresh=1, subs=subs)
    locator.set_params(numticks=max(ticks, 2))
    axis = getattr(ax, f"{which}axis")
    axis.set_major_locator(locator)
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))  # replaced by the scale


def shares(ax: Axes, which: Which) -> None:
    """Set a scale from 0% to 100%."""
    axis, ticks = _axis(ax, which)
    _limit(ax, which, 0, 1)
    axis.set_major_locator(MaxNLocator(nbins=min(ticks, 5), steps=[2, 5, 10]))
    axis.set_major_formatter(PercentFormatter(1, decimals=0))


def _axis(ax: Axes, which: Which) -> tuple[mpl.axis.Axis, int]:
    """Return an axis with fitting tick labels, and the number of ticks that fit."""
    default_size = mpl.rcParams["xtick.labelsize" if which == "x" else "ytick.labelsize"]
    size = typography.size(ax, default_size)
    ax.tick_params(axis=which, labelsize=size)
    room = typography.width(ax) / _TICK_WIDTH
    if which == "y":
        room = typography.height(ax) / _TICK_HEIGHT
    return getattr(ax, f"{which}axis"), max(min(int(room / size), 7), 1)


def _limit(ax: Axes, which: Which, low: float, high: float) -> None:
    ax.set(**{f"{which}lim": (low, high)})
