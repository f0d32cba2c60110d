"""Rows, bars, scales and legends of the charts."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.dates import (
    DAILY,
    MONTHLY,
    YEARLY,
    AutoDateLocator,
    ConciseDateFormatter,
    date2num,
)
from matplotlib.ticker import (
    FuncFormatter,
    MaxNLocator,
    StrMethodFormatter,
    SymmetricalLogLocator,
)
from matplotlib.transforms import ScaledTranslation

from dirframe.plot import text
from dirframe.plot.colours import ACCENT, NEUTRAL, OTHER, OTHER_HATCH

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.container import BarContainer
    from matplotlib.patches import Patch
    from numpy.typing import NDArray

#: Records of a row or year; what describes fewer is pale.
FEW = 10
#: Of the width beside the names, at most, for columns of numbers.
COLUMNS_SHARE = 0.6

_OWN_SHARE = 0.775  # of a figure or grid cell that axes take before the layout, at least
_TWO_LINES = 0.76  # size of text in rows of which one has two lines
_TICK_WIDTH, _TICK_HEIGHT = 4.5, 2.5  # ems per tick of a horizontal and of a vertical axis


# Named rows


def rows(ax: Axes, names: Sequence[str]) -> float:
    """Label the rows from top to bottom; return the text size that fits a row, in points."""
    row = text.height(ax) / max(len(names), 1)
    size = max(min(text.size(ax, mpl.rcParams["ytick.labelsize"]), 0.6 * row), text.SMALLEST)
    # The layout uses some of the height; low rows have one line of text.
    is_low = 0.75 * row < 2.2 * text.SMALLEST
    labels = [text.short(name) if is_low else text.name(name) for name in names]
    if any("\n" in label for label in labels):  # two lines have to fit into one row
        size = max(size * _TWO_LINES, text.SMALLEST)
    ax.set_yticks(range(len(names)), labels, fontsize=size, linespacing=1.0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(visible=True, axis="x", linewidth=0.6, alpha=0.5)
    ax.set_axisbelow(True)
    return size


def thickness(rows: int) -> float:
    """Return the height of a bar as a share of its row; a few rows get thinner bars."""
    return 0.74 * min(rows / 4, 1.0)


def height_of(names: pd.Series[str]) -> int:
    """Return the height of a chart of named rows, in rows: those of two lines take more."""
    return round(len(names) * (1.3 if any("\n" in text.name(name) for name in names) else 1))


def bars(
    ax: Axes,
    table: pd.DataFrame,
    name: str,
    number: str,
    unit: str,
    *,
    colours: Sequence[str] | None = None,
    is_pooled: bool = False,
) -> None:
    """Draw one bar per row, named and labelled with its number and share.

    The columns are `name`, `number` and ``share``; the last row is that of others if pooled.
    """
    names, numbers = [str(value) for value in table[name]], table[number].round().astype(int)
    size = rows(ax, names)
    colours = list(colours or [ACCENT] * len(names))
    colours[len(names) - is_pooled :] = [OTHER] * is_pooled
    drawn = ax.barh(range(len(names)), numbers, height=thickness(len(names)), color=colours)
    hatch_other(drawn, colours)
    labels = text.amounts(numbers, table["share"])
    ax.bar_label(drawn, labels, padding=3, fontsize=size)  # the layout makes room for them
    most = max(numbers)
    ax.set_xlim(0, most)
    tick_size = _tick_size(ax, "x")
    room = _inner_width(ax) - text.widest(labels, size)
    ticks = int(room / (2 * text.widest([f"{most:,.0f}"], tick_size)))
    nbins = min(max(ticks, 1), 6)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=nbins, integer=True, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    units(ax, unit)


def hatch_other(drawn: BarContainer, colours: Sequence[str]) -> None:
    """Hatch the bar of others."""
    for bar, colour in zip(drawn, colours, strict=True):
        if colour == OTHER:
            bar.set(hatch=OTHER_HATCH, edgecolor=NEUTRAL, linewidth=0.6)


def fade(drawn: BarContainer, records: Iterable[int]) -> None:
    """Draw the bars pale that describe few records."""
    for bar, number in zip(drawn, records, strict=True):
        bar.set_alpha(0.3 if number < FEW else None)


def pale_note(records: Iterable[int], what: str) -> str:
    """Return a note on the rows that `fade` has made pale; empty if there are none."""
    return f"Pale: {what} with fewer than {FEW} projects." if min(records) < FEW else ""


def columns(ax: Axes, table: Mapping[str, Sequence[str]], size: float) -> float:
    """Write titled columns of numbers to the right of the axes; narrow axes get fewer.

    Returns the distance in points that keeps the title of the chart above theirs.
    """
    widths = {
        title: text.widest((title, *cells), size) + 1.3 * size for title, cells in table.items()
    }
    room = COLUMNS_SHARE * _inner_width(ax)
    while len(widths) > 1 and sum(widths.values()) > room:
        widths.pop(next(iter(widths)))
    right = 0.0
    look: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "fontsize": size}
    for title, width in widths.items():
        right += width
        ax.annotate(title, (1, 1), (right, 3), xycoords="axes fraction", va="bottom", **look)
        for row, cell in enumerate(table[title]):
            place = ("axes fraction", "data")
            ax.annotate(cell, (1, row), (right, 0), xycoords=place, va="center", **look)
    return 1.2 * size + 8


def _inner_width(ax: Axes) -> float:
    """Estimate the width beside the names of the rows that the layout will leave, in points."""
    labels = ax.get_yticklabels()
    size = float(labels[0].get_fontsize()) if labels else text.SMALLEST
    names = text.widest((line for label in labels for line in label.get_text().split("\n")), size)
    return max(text.width(ax) / _OWN_SHARE - names - 2 * size, size)


# Scales


def units(ax: Axes, x: str, y: str = "") -> None:
    """Set the labels of the axes, wrapped to what the layout will leave; without rows a grid."""
    size = text.size(ax, mpl.rcParams["axes.labelsize"])
    room = min(0.8 * text.width(ax), 0.9 * _inner_width(ax))
    ax.set_xlabel(text.wrapped(x, size, room), fontsize=size)
    if y:
        ax.set_ylabel(text.wrapped(y, size, 0.7 * text.height(ax)), fontsize=size)
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(visible=True, linewidth=0.6, alpha=0.5)
        ax.set_axisbelow(True)


def dot(ax: Axes) -> float:
    """Return the diameter of a dot in points, scaled to the axes."""
    return text.size(ax, "small") * 0.7


def frequencies(ax: Axes, numbers: pd.Series[Any], records: pd.Series[Any]) -> None:
    """Draw a dot for each number that occurs, at the records with it, on logarithmic scales."""
    x, y = numbers.to_numpy(float), records.to_numpy(float)
    paper = ax.get_facecolor()  # dots overlap
    ax.plot(
        *(x, y, "o"),
        color=ACCENT,
        markersize=dot(ax),
        markeredgecolor=paper,
        markeredgewidth=0.4,
        clip_on=False,
    )
    log_axis(ax, "x", x.max())
    log_axis(ax, "y", y.max(), least=0.7)


def count_axis(ax: Axes, most: float) -> None:
    """Set a linear y axis from 0 to `most` with whole numbers."""
    ax.set_ylim(0, max(most, 1) * 1.05)
    nbins = _ticks(ax, "y")
    ax.yaxis.set_major_locator(MaxNLocator(nbins=nbins, integer=True, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def share_axis(ax: Axes, which: str) -> None:
    """Set a scale from 0% to 100%."""
    ax.set(**{f"{which}lim": (0, 1)})
    axis = _axis(ax, which)
    ticks = _ticks(ax, which)
    axis.set_ticks(np.linspace(0, 1, 6 if ticks >= 5 else 3 if ticks >= 2 else 2))
    axis.set_major_formatter(FuncFormatter(_percent))


def _percent(value: float, _place: int | None = None) -> str:
    return f"{100 * value:g}%"


def log_axis(ax: Axes, which: str, most: float, *, least: float = -0.5) -> None:
    """Set a scale from `least` to `most`: linear from 0 to 1, then logarithmic."""
    symmetric_log(ax, which, most, _ticks(ax, which))
    ax.set(**{f"{which}lim": (least, max(most, 1) * 1.4)})


def spread_axis(ax: Axes, most: float) -> None:
    """Set a logarithmic x axis of rows, which includes zero, beside columns of numbers."""
    tick = 1.5 * text.widest([f"{most:,.0f}"], _tick_size(ax, "x"))
    symmetric_log(ax, "x", most, int((1 - COLUMNS_SHARE) * _inner_width(ax) / tick))
    ax.set_xlim(-0.15, max(most, 1) * 1.15)


def symmetric_log(ax: Axes, which: str, most: float, ticks: int) -> None:
    """Set a scale that is linear from 0 to 1, then logarithmic, with some ticks up to `most`."""
    getattr(ax, f"set_{which}scale")("symlog", linthresh=1, linscale=0.5)
    subs = [1.0] if most >= 50 else [1.0, 2.0, 5.0]
    locator = SymmetricalLogLocator(base=10, linthresh=1, subs=subs)
    locator.set_params(numticks=max(ticks, 2))
    axis = _axis(ax, which)
    axis.set_major_locator(locator)
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))  # replaced by the scale


def year_axis(ax: Axes, first: int, last: int) -> None:
    """Set an x axis of years, with as many ticks as fit."""
    ticks = _ticks(ax, "x")
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    step = next(step for step in steps if (last - first) / step < ticks)
    ax.set_xticks(range(-(-first // step) * step, last + 1, step))
    ax.set_xlim(first - 0.5, last + 0.5)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))


def date_axis(ax: Axes) -> None:
    """Set an x axis of dates, with as many ticks as fit."""
    ax.xaxis_date()
    room = text.width(ax) / _tick_size(ax, "x")
    most = {YEARLY: room / 4.5, MONTHLY: room / 6, DAILY: room / 8}
    locator = AutoDateLocator(minticks=2, maxticks={k: max(int(n), 2) for k, n in most.items()})
    ax.xaxis.set_major_locator(locator)
    formats = {
        "formats": ["%Y", "%Y-%m", "%Y-%m-%d", "%H:%M", "%H:%M", "%S.%f"],
        "zero_formats": ["", "%Y", "%Y-%m", "%Y-%m-%d", "%H:%M", "%H:%M"],
    }
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator, show_offset=False, **formats))


def days(moments: Any) -> NDArray[np.float64]:
    """Convert dates to positions on an axis: days since 1970."""
    return np.asarray(date2num(moments), dtype=np.float64)


def _axis(ax: Axes, which: str) -> Axis:
    axis: Axis = getattr(ax, f"{which}axis")
    return axis


def _tick_size(ax: Axes, which: str) -> float:
    """Set and return the size of the tick labels in points."""
    usual = mpl.rcParams["xtick.labelsize" if which == "x" else "ytick.labelsize"]
    size = text.size(ax, usual)
    ax.tick_params(axis=which, labelsize=size)  # type: ignore[arg-type]  # x or y
    return size


def _ticks(ax: Axes, which: str) -> int:
    """Return how many ticks fit on an axis."""
    size = _tick_size(ax, which)
    room = text.width(ax) / _TICK_WIDTH if which == "x" else text.height(ax) / _TICK_HEIGHT
    return max(min(int(room / size), 7), 1)


# Steps and periods


def steps(
    ax: Axes,
    edges: NDArray[np.float64],
    heights: NDArray[np.float64],
    unfinished: NDArray[np.bool_],
    *,
    colour: str,
    opacity: float = 0.25,
) -> None:
    """Draw a step for each period between its edges; those that were not over are hatched."""
    finished = np.where(unfinished, np.nan, heights)
    filled = np.nan_to_num(heights)
    ax.stairs(filled, edges, fill=True, color=colour, alpha=opacity, linewidth=0)
    ax.stairs(finished, edges, color=colour, linewidth=1.5, baseline=None)
    hatch_unfinished(ax, edges[:-1], np.diff(edges), heights, unfinished, colour=colour)


def hatch_unfinished(
    ax: Axes,
    starts: NDArray[np.float64],
    widths: NDArray[np.float64],
    heights: NDArray[np.float64],
    unfinished: NDArray[np.bool_],
    *,
    colour: str,
    bottom: float = 0,
) -> None:
    """Hatch the periods that were not over; one without a height is left out."""
    for index in np.flatnonzero(unfinished & ~np.isnan(heights)):
        ax.bar(
            starts[index],
            heights[index],
            widths[index],
            bottom,
            align="edge",
            facecolor="none",
            edgecolor=colour,
            hatch="//////",
            linewidth=0.8,
            gid="unfinished",
        )


# Legends


def legend(ax: Axes, handles: Sequence[Artist], title: str = "") -> None:
    """Draw a legend below the axes, in as many columns as fit."""
    size = text.size(ax, "small")
    # A handle and its gaps take 4.5 ems. One line if it fits, else columns of the widest entry.
    widths = [text.widest([str(handle.get_label())], size) + 4.5 * size for handle in handles]
    room = text.width(ax)
    fits = sum(widths) <= room
    figure: Any = ax.get_figure(root=True)
    down = ScaledTranslation(0, -_below(ax) / 72, figure.dpi_scale_trans)
    ax.legend(
        handles=list(handles),
        title=title,
        title_fontsize=size,
        fontsize=size,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=ax.transAxes + down,
        ncols=len(handles) if fits else max(int(room / max(widths)), 1),
        frameon=False,
        columnspacing=1.2,
        handlelength=1.6,
    )


def legend_beside(ax: Axes, handles: Sequence[Patch]) -> None:
    """Draw a legend beside the axes, in stacking order."""
    room = 0.7 * text.height(ax)  # the layout uses some of the height
    size = max(min(text.size(ax, "small"), room / (1.5 * len(handles))), text.SMALLEST)
    for handle in handles:
        handle.set_label(text.name(str(handle.get_label())))
    ax.legend(
        handles=handles,
        loc="center left",
        bbox_to_anchor=(1, 0.5),
        reverse=True,
        frameon=False,
        fontsize=size,
        handlelength=1.2,
        handleheight=1.0,
    )


def _below(ax: Axes) -> float:
    """Estimate the height of the tick labels and the unit below the axes, in points."""
    ticks = ax.xaxis.get_ticklabels()
    numbers = 1.3 * float(ticks[0].get_fontsize()) + 9 if ticks else 0.0
    unit = ax.xaxis.get_label()
    lines = unit.get_text().count("\n") + 1 if unit.get_text() else 0
    return float(numbers + 1.3 * lines * float(unit.get_fontsize()))
