"""Rows, bars, scales and legends of the charts."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import dates
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.container import BarContainer
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator, PercentFormatter, SymmetricalLogLocator
from matplotlib.transforms import offset_copy

from dirframe._display import percent
from dirframe.plot import text
from dirframe.plot.canvas import WIDER, Canvas, Look
from dirframe.plot.colours import ACCENT, NEUTRAL, OTHER, OTHER_HATCH, language_colour
from dirframe.stats.result import REASONS

#: Records of a row or year; what describes fewer is pale.
FEW = 10
_COLUMN = 60  # points of a column of numbers
_TWO_LINES = 0.76  # by which text is smaller, so that two lines of a name fit into a row


def bar_chart(
    table: pd.DataFrame,
    ax: Axes | None,
    look: Look,
    *notes: str | bool,
    name: str = "",
    number: str = "",
    unit: str = "",
    colours: Sequence[str] = (),
    needs: str = "",
    reasons: Container[str] = REASONS,
) -> Axes:
    """Draw a bar for each row of a statistic, with its number and share.

    By default, the names are in the first column, and the numbers are those of records. The notes
    and reasons are those of `Canvas.finish`.
    """
    noun = text.collection_of(table)
    numbers = table[number or noun].round().astype(int)
    names = [str(value) for value in table[name or table.columns[0]]]
    # Names of two lines take more height.
    height = len(names) * (1.3 if any("\n" in text.name(value) for value in names) else 1)
    canvas = Canvas(table, ax, look, rows=height, needs=needs, is_empty=not numbers.sum())
    if canvas.is_empty:
        return canvas.finish()
    ax, size, y = canvas.ax, rows(canvas.ax, names), range(len(names))
    bars = ax.barh(y, numbers, thickness(len(names)), color=colours or row_colours(table))
    hatch_other(bars)
    ax.set_xlim(0, max(numbers))
    # The layout makes room for the numbers. As annotations they would take several times as long.
    beside: Any = {"transform": offset_copy(ax.transData, ax.get_figure(root=True), 3, 0, "points")}
    for row, (length, share) in enumerate(zip(numbers, table["share"], strict=True)):
        label = f"{length:,}" if pd.isna(share) else f"{length:,} ({percent(share)})"
        ax.text(length, row, label, va="center", fontsize=size, **beside)
    number_axis(ax.xaxis)
    units(ax, unit or f"{noun.capitalize()} (share of those {canvas.base})")
    return canvas.finish(*notes, reasons=reasons)


def row_colours(table: pd.DataFrame) -> list[str]:
    """Return the colours of the rows: a language has its own; the last row can be that of others."""
    names, counts = table.iloc[:, 0], text.counts_of(table)
    colours = [language_colour(name) if names.name == "language" else ACCENT for name in names]
    has_others = any(count for key, count in counts.items() if key.endswith("_in_other"))
    return [*colours[:-1], OTHER] if has_others else colours


def distribution_chart(table: pd.DataFrame, ax: Axes | None, look: Look, *, unit: str) -> Axes:
    """Draw a dot for each number that occurs, at the records with it, on logarithmic scales."""
    canvas = Canvas(table, ax, look)
    if canvas.is_empty:
        return canvas.finish()
    ax = canvas.ax
    numbers, records = (table[name].astype(float) for name in table.columns[:2])
    (dots,) = ax.plot(numbers, records, "o", color=ACCENT, markersize=5, clip_on=False)
    dots.set(markeredgecolor=ax.get_facecolor(), markeredgewidth=0.4)  # dots overlap
    log_axis(ax, "x", numbers.max())
    log_axis(ax, "y", records.max(), least=0.7)
    units(ax, f"{unit}, logarithmic", f"{str(records.name).capitalize()}, logarithmic")
    grid(ax)
    bounds = [
        f"{part} have at most {at_most(table, share):,}"
        for part, share in {"Half": 0.5, "90%": 0.9, "99%": 0.99}.items()
    ]
    return canvas.finish(f"{', '.join(bounds)}; the most is {numbers.max():,.0f}.")


def at_most(table: pd.DataFrame, share: float) -> int:
    """Return the smallest number that a share of the records of a distribution does not exceed."""
    return int(table.iloc[:, 0][table["share_at_most"] >= share - 1e-12].min())


def rows(ax: Axes, names: Sequence[str]) -> float:
    """Label the rows from top to bottom; return the text size that fits a row, in points."""
    row = text.height(ax) / max(len(names), 1)
    size = max(min(text.size(ax, mpl.rcParams["ytick.labelsize"]), 0.6 * row), text.SMALLEST)
    # The layout uses some of the height; low rows have one line of text.
    is_low = 0.75 * row < 2.2 * text.SMALLEST
    labels = [text.short(name) if is_low else text.name(name) for name in names]
    if any("\n" in label for label in labels):  # two lines have to fit into one row
        size = max(size * _TWO_LINES, text.SMALLEST)
    ax.tick_params(axis="y", length=0, left=False)
    ax.set_yticks(range(len(names)), labels, fontsize=size, linespacing=1.0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.spines["left"].set_visible(False)
    grid(ax, "x")
    return size


def grid(ax: Axes, which: Any = "both") -> None:
    """Draw pale lines behind what is drawn, and no box around it."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(visible=True, axis=which, linewidth=0.6, alpha=0.5)
    ax.set_axisbelow(True)


def thickness(rows: int) -> float:
    """Return the height of a bar as a share of its row; a few rows get thinner bars."""
    return 0.74 * min(rows / 4, 1.0)


def hatch_other(drawn: BarContainer) -> None:
    """Hatch the bar of others."""
    for bar in drawn:
        if mpl.colors.same_color(bar.get_facecolor(), OTHER):
            bar.set(hatch=OTHER_HATCH, edgecolor=NEUTRAL, linewidth=0.6)


def fade(drawn: BarContainer, projects: Sequence[int], what: str) -> str:
    """Draw the bars pale that describe few projects; return a note on them, if there are any."""
    for bar, number in zip(drawn, projects, strict=True):
        bar.set_alpha(0.3 if number < FEW else None)
    return f"Pale: {what} with fewer than {FEW} projects." if min(projects) < FEW else ""


def columns(ax: Axes, table: Mapping[str, Sequence[str]], size: float) -> tuple[float, float]:
    """Write titled columns of numbers to the right of the axes; narrow axes get fewer.

    Returns their width, and the distance that keeps the title of the chart above theirs, in points.
    """
    right, fitting = 0.0, max(int(text.width(ax) / _COLUMN), 1)
    figure = ax.get_figure(root=True)
    style: Any = {"ha": "right", "fontsize": size}
    for title, cells in [*table.items()][-fitting:]:
        right += text.widest((title, *cells), size) + 1.3 * size
        above = offset_copy(ax.transAxes, figure, right, 2, "points")
        ax.text(1, 1, title, va="bottom", transform=above, **style)
        place = offset_copy(ax.get_yaxis_transform(), figure, right, 0, "points")
        for row, cell in enumerate(cells):
            ax.text(1, row, cell, va="center", transform=place, **style)
    return right, 1.2 * size + 8


def units(ax: Axes, x: str, y: str = "", *, right: float = 0) -> None:
    """Set the labels of the axes, wrapped to what the layout will leave beside columns.

    The label of the x axis is at its middle, and can extend below the names and the columns.
    """
    size, labels = float(ax.xaxis.label.get_fontsize()), ax.get_yticklabels()
    names = [line for label in labels for line in label.get_text().split("\n")]
    beside = text.widest(names, float(labels[0].get_fontsize())) if labels else 0
    room = WIDER * text.width(ax) - abs(beside - right) - (5 if y else 2) * size
    ax.set_xlabel(text.wrapped(x, size, room))
    if y:
        ax.set_ylabel(text.wrapped(y, size, 0.7 * text.height(ax)))


def number_axis(axis: Axis, least: int = 2) -> None:
    """Set ticks at whole numbers, at least so many, and as many as have room."""
    locator = MaxNLocator("auto", integer=True, min_n_ticks=least, steps=[1, 2, 5, 10])

    def label(number: float, _place: int | None = None) -> str:
        # "auto" reckons with labels of five letters.
        is_long = number and max(axis.get_view_interval()) >= 1e5
        return f"{number / 1e6:,g}M" if is_long else f"{number:,.0f}"

    axis.set(major_locator=locator, major_formatter=label)


def share_axis(axis: Axis) -> None:
    """Show shares in percent."""
    axis.set(major_locator=MaxNLocator(5), major_formatter=PercentFormatter(1, decimals=0))


def log_axis(
    ax: Axes, which: str, most: float, *, least: float = -0.5, margin: float = 1.4, ticks: int = 6
) -> None:
    """Set a scale from `least` to `margin` times `most`: linear from 0 to 1, then logarithmic.

    By default it leaves room for whole dots at 0 and at the most.
    """
    getattr(ax, f"set_{which}scale")("symlog", linthresh=1, linscale=0.5)
    locator = SymmetricalLogLocator(base=10, linthresh=1, subs=[1] if most >= 50 else [1, 2, 5])
    locator.set_params(numticks=max(ticks, 2))
    axis: Axis = getattr(ax, f"{which}axis")
    axis.set_major_locator(locator)
    axis.set_major_formatter("{x:,.0f}")  # replaced by the scale
    ax.set(**{f"{which}lim": (least, max(most, 1) * margin)})


def date_axis(ax: Axes) -> None:
    """Set an x axis of dates, with as many ticks as fit."""
    ax.xaxis_date()
    ems = text.width(ax) / text.size(ax, mpl.rcParams["xtick.labelsize"])
    widths = {dates.YEARLY: 4.5, dates.MONTHLY: 6, dates.DAILY: 8}
    most = {unit: max(int(ems / width), 2) for unit, width in widths.items()}
    locator = dates.AutoDateLocator(minticks=2, maxticks=most)
    formats = ["%Y", "%Y-%m", "%Y-%m-%d", "%H:%M", "%H:%M", "%S.%f"]
    at_zero = ["", *formats[:4], "%H:%M"]
    formatter = dates.ConciseDateFormatter(
        locator, formats=formats, zero_formats=at_zero, show_offset=False
    )
    ax.xaxis.set(major_locator=locator, major_formatter=formatter)


def steps(ax: Axes, edges: Any, heights: Any, unfinished: Any, colour: str) -> None:
    """Draw a step for each period between its edges; those that were not over are hatched."""
    finished = np.where(unfinished, np.nan, heights)
    ax.stairs(np.nan_to_num(heights), edges, fill=True, color=colour, alpha=0.3, linewidth=0)
    ax.stairs(finished, edges, color=colour, linewidth=1.5, baseline=None)
    shown = unfinished & ~np.isnan(heights)
    hatch_unfinished(ax, edges[:-1][shown], np.diff(edges)[shown], heights[shown], colour)


def hatch_unfinished(
    ax: Axes, starts: Any, widths: Any, heights: Any, colour: str, *, bottom: float = 0
) -> None:
    """Hatch periods that were not over."""
    line: Any = {"facecolor": "none", "edgecolor": colour, "hatch": "//////", "linewidth": 0.8}
    ax.bar(starts, heights, widths, bottom, align="edge", gid="unfinished", **line)


def legend(ax: Axes, handles: Sequence[Artist], title: str) -> None:
    """Draw a legend below the axes, in as many columns as fit."""
    size, room = text.size(ax, "small"), text.width(ax)
    # A handle and its gaps take 4.5 ems. One line if it fits, else columns of the widest entry.
    widths = [text.widest([str(handle.get_label())], size) + 4.5 * size for handle in handles]
    ticks, unit = ax.xaxis.get_ticklabels(), ax.xaxis.label
    below = 1.3 * float(ticks[0].get_fontsize()) + 9 if ticks else 0.0
    below += 1.3 * len(unit.get_text().splitlines()) * float(unit.get_fontsize())
    ax.legend(
        handles=list(handles),
        title=title,
        title_fontsize=size,
        fontsize=size,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        borderaxespad=below / size + mpl.rcParams["legend.borderaxespad"],
        ncols=len(handles) if sum(widths) <= room else max(int(room / max(widths)), 1),
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
    place: Any = {"loc": "center left", "bbox_to_anchor": (1, 0.5), "reverse": True}
    ax.legend(handles=handles, fontsize=size, frameon=False, handlelength=1.2, **place)
