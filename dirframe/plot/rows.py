"""Charts of rows: their names, bars, intervals, and the numbers beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.transforms import offset_copy

from dirframe import provenance
from dirframe._display import percent, quantity
from dirframe.charts import STATISTICS
from dirframe.plot import fonts
from dirframe.plot.caption import collection_of, counts_of, nouns_of
from dirframe.plot.colours import ACCENT, NEUTRAL, OTHER, OTHER_HATCH
from dirframe.plot.figure import HEADER, NothingToDrawError
from dirframe.plot.scales import compact

#: Records of a row or year; what describes fewer is pale.
FEW = 10
PALE = 0.3

#: Said of the thin lines at the ends of bars, or of a chart that has no room for them.
INTERVALS = "Thin lines: the interval of each share."
NOT_DRAWN = "Intervals are not drawn: they are in the table of dirframe.stats."

_IN_OTHER = "_in_other"  # the end of the name of a count of groups that share a row
_TWO_LINES = 0.76  # by which text is smaller, so that two lines of a name fit into a row
_COLUMN = 110  # points of axes that have room for a column beside them
_PRECISE = 1_000_000  # numbers from here on have three digits


def share_bars(
    ax: Axes,
    table: pd.DataFrame,
    *,
    names: Sequence[str] | None = None,
    colours: Sequence[str] = (),
    others: str = "in {} other groups",
    other_bar: bool = True,
) -> list[str]:
    """Draw a bar for each row of a statistic, with its number and share; return notes.

    By default, the names are in the first column, and the numbers are those of records. Where the
    table has the columns ``low`` and ``high``, a thin line shows this interval of the share. The row
    of other groups is told in a note, with the words of `others`, if it would be the longest, or if
    `other_bar` is False.
    """
    numbers = [float(value) for value in table[collection_of(table)]]
    labels = [str(name) for name in (table.iloc[:, 0] if names is None else names)]
    shares = table["share"]
    low, high = intervals_of(table)
    notes = []
    if STATISTICS[provenance.get_provenance(table)["statistic"]["name"]].have:
        notes.append(f"Percentages are of these {collection_of(table)}.")
    drawn = len(table)
    has_others = has_other_row(table)
    if has_others and (not other_bar or numbers[-1] > max(numbers[:-1], default=0.0)):
        notes.append(_other_note(table, numbers[-1], others))
        drawn -= 1
        has_others = False
    fills = list(colours) or [ACCENT] * drawn
    if has_others:
        fills[-1] = OTHER
    texts = []
    for value, share in zip(numbers, shares, strict=True):
        text = count_text(value)
        texts.append(text if pd.isna(share) else f"{text} ({percent(share)})")
    draw_bars(
        ax,
        labels[:drawn],
        numbers[:drawn],
        texts[:drawn],
        colours=fills,
        low=None if low is None else low[:drawn],
        high=None if high is None else high[:drawn],
    )
    if high is not None:
        notes.append(INTERVALS)
    return notes


def draw_bars(
    ax: Axes,
    names: Sequence[str],
    lengths: Any,
    texts: Sequence[str],
    *,
    colours: Sequence[str],
    low: Any = None,
    high: Any = None,
) -> None:
    """Draw a bar for each row, with a text beside it, and a thin line from `low` to `high`."""
    lengths = np.asarray(lengths, dtype=float)
    if not np.nansum(lengths):
        raise NothingToDrawError("")
    size = label_rows(ax, names)
    rows = range(len(names))
    bars = ax.barh(rows, lengths, thickness(len(names)), color=list(colours))
    for bar, colour in zip(bars, colours, strict=True):
        if colour == OTHER:
            bar.set(hatch=OTHER_HATCH, edgecolor=NEUTRAL, linewidth=0.6)
    ends = lengths
    if high is not None:
        draw_intervals(ax, rows, low, high)
        ends = np.fmax(lengths, high)
    hide_number_axis(ax)
    ax.set_xlim(0, np.nanmax(ends))
    # The layout makes room for the texts. As annotations they would take several times as long.
    beside = offset_copy(ax.transData, ax.get_figure(root=True), 3, 0, "points")
    for row, (end, text) in enumerate(zip(ends, texts, strict=True)):
        ax.text(end, row, text, va="center", fontsize=size, transform=beside)


def draw_intervals(ax: Axes, rows: Any, low: Any, high: Any) -> None:
    """Draw a thin line for each row from the lower to the upper end of its interval."""
    ink = mpl.rcParams["text.color"]
    ax.hlines(rows, low, high, colors=ink, linewidth=0.9, gid="interval")


def has_intervals(table: pd.DataFrame) -> bool:
    """Return whether the shares of a statistic have intervals: of a random sample they do."""
    return {"low", "high"} <= set(table.columns)


def intervals_of(table: pd.DataFrame) -> tuple[Any, Any]:
    """Return the ends of the intervals of shares as numbers of records; None if there are none."""
    if not has_intervals(table) or table["high"].isna().all():
        return None, None
    records = provenance.get_provenance(table)["base"]["records"]
    ends = table[["low", "high"]].astype("Float64").to_numpy(float) * records
    return ends[:, 0], ends[:, 1]


def has_other_row(table: pd.DataFrame) -> bool:
    """Return whether the last row of a statistic is that of other groups."""
    return any(count for name, count in counts_of(table).items() if name.endswith(_IN_OTHER))


def count_text(number: float) -> str:
    """Format a number of records; a large one with three digits."""
    return compact(number) if number >= _PRECISE else f"{number:,.0f}"


def _other_note(table: pd.DataFrame, number: float, others: str) -> str:
    """Return a note on the row of other groups."""
    records = quantity(int(number), *nouns_of(table))
    groups = 0
    for name, count in counts_of(table).items():
        if name.endswith(_IN_OTHER):
            groups += count
    where = others.format(f"{groups:,}")
    return f"Not drawn: {records} {where}."


# Names


def label_rows(ax: Axes, names: Sequence[str]) -> float:
    """Label the rows from top to bottom; return the text size that fits a row, in points."""
    row = fonts.axes_height(ax) / max(len(names), 1)
    usual = fonts.font_size(ax, mpl.rcParams["ytick.labelsize"])
    size = max(min(usual, 0.6 * row), fonts.SMALLEST)
    # The layout uses some of the height; low rows have one line of text.
    is_low = 0.75 * row < 2.2 * fonts.SMALLEST
    labels = [fonts.short_name(name) if is_low else fonts.two_lines(name) for name in names]
    if any("\n" in label for label in labels):  # two lines have to fit into one row
        size = max(size * _TWO_LINES, fonts.SMALLEST)
    ax.tick_params(axis="y", length=0, left=False)
    ax.set_yticks(range(len(names)), labels, fontsize=size, linespacing=1.0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.spines[["left", "top", "right"]].set_visible(False)
    return size


def height_of(names: Sequence[str]) -> float:
    """Return the height of rows with these names: those of two lines take more."""
    has_two_lines = any("\n" in fonts.two_lines(str(name)) for name in names)
    return len(names) * (1.3 if has_two_lines else 1.0)


def hide_number_axis(ax: Axes) -> None:
    """Hide the x axis, where the bars carry their numbers."""
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    ax.grid(visible=False)


def thickness(rows: int) -> float:
    """Return the height of a bar as a share of its row; a few rows get thinner bars."""
    return 0.74 * min(rows / 2.5, 1.0)


def write_columns(ax: Axes, table: Mapping[str, Sequence[str]], size: float) -> float:
    """Write titled columns of texts to the right of the axes; narrow axes get fewer.

    Returns their width in points.
    """
    figure: Any = ax.get_figure(root=True)
    fitting = max(int(fonts.axes_width(ax) / _COLUMN), 1)
    right = 0.0
    style: Any = {"ha": "right", "fontsize": size}
    for title, cells in list(table.items())[-fitting:]:
        letters = max(len(cell) for cell in (title, *cells))
        right += (fonts.LETTER * letters + 1.3) * size
        above = offset_copy(ax.transAxes, figure, right, 2, "points")
        ax.text(1, 1, title, va="bottom", transform=above, gid=HEADER, **style)
        place = offset_copy(ax.get_yaxis_transform(), figure, right, 0, "points")
        for row, cell in enumerate(cells):
            ax.text(1, row, cell, va="center", transform=place, **style)
    return right
