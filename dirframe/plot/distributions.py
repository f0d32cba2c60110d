"""Distributions of numbers over records, as the share of records that have at least a number."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dirframe import provenance
from dirframe.plot import fonts, rows, scales
from dirframe.plot.caption import not_shown
from dirframe.plot.colours import ACCENT
from dirframe.plot.figure import NothingToDrawError, require_figures
from dirframe.stats.distributions import at_most
from dirframe.stats.intervals import wilson

_APART = 2.0  # factor between shares whose texts are in different lines
_MARKED = (1, 10, 100)  # points of a curve with a label


def draw_distribution(ax: Axes, table: pd.DataFrame, unit: str) -> list[str]:
    """Draw the share of the records that have at least each number, on logarithmic scales.

    `unit` is what is counted, such as "post".
    """
    require_figures(table)
    numbers = table.iloc[:, 0].to_numpy(float)
    if not numbers.any():
        raise NothingToDrawError(f"have a {unit}")
    # Those that have at least a number are all but those with fewer.
    shares = np.append(1.0, 1 - table["share_at_most"].to_numpy(float)[:-1])
    is_positive = numbers > 0
    x, y = numbers[is_positive], shares[is_positive]
    none = 1 - y[0]
    most = float(numbers.max())
    least = float(shares.min())
    ax.step(x, y, where="pre", color=ACCENT, linewidth=1.8, label="distribution", clip_on=False)
    marked = _marked(x, y)
    ax.plot(list(marked), list(marked.values()), "o", color=ACCENT, markersize=5, label="marked")
    _label(ax, marked, most)
    ends = _intervals(table, list(marked.values()))
    if ends is not None:
        low, high = ends
        ink = mpl.rcParams["text.color"]
        ax.vlines(list(marked), low, high, colors=ink, linewidth=0.9, gid="interval")
        least = min(least, float(low.min()))
    scales.log_number_axis(ax, most)
    scales.log_share_axis(ax, least)
    scales.grid(ax)
    ax.set_xlabel(f"This many {unit}s or more, logarithmic")
    ax.set_ylabel(f"Share of {table.columns[1]}, logarithmic")
    notes = [_quantiles(table, most)]
    ends_of_none = _intervals(table, [none])
    if none > 0:
        words = _percent(none)
        if ends_of_none is not None:
            low, high = ends_of_none
            words += f" (interval {_percent(low[0])} to {_percent(high[0])})"
        notes.append(f"The {words} that have none are not on the logarithmic scale.")
    if ends_of_none is not None:
        notes.append(rows.INTERVALS)
    return [*notes, *not_shown(table)]


def _quantiles(table: pd.DataFrame, most: float) -> str:
    """Return what half and 90% of the records have at most."""
    half, nine_tenths = at_most(table, 0.5), at_most(table, 0.9)
    have_half = f"have at most {half:,}" if half else "have none"
    have_most = f"have at most {nine_tenths:,}" if nine_tenths else "have none"
    return f"Half of them {have_half}, 90% {have_most}; the most is {most:,.0f}."


def _intervals(table: pd.DataFrame, shares: list[float]) -> tuple[Any, Any] | None:
    """Return the ends of the intervals of shares in a random sample; None of other records."""
    record = provenance.get_provenance(table)
    confidence = record["interval"].get("confidence")
    if confidence is None:
        return None
    design, whole = record["sample"], record["base"]["records"]
    drawn = provenance.Drawn(design["size"], design["population"])
    return wilson(np.array(shares) * whole, whole, drawn, confidence)


def _label(ax: Axes, marked: dict[int, float], most: float) -> None:
    """Write the shares beside the marked points, where the text of the one before leaves room."""
    size = fonts.font_size(ax, "small")
    decade = 0.8 * fonts.axes_width(ax) / max(np.log10(most), 1)  # the layout uses some
    before = np.inf
    for number, share in marked.items():
        text = f"{_percent(share)} have {number:,} or more"
        is_below = share < before / _APART
        if is_below or decade > fonts.LETTER * size * len(text):
            ax.annotate(text, (number, share), (6, 4), textcoords="offset points", fontsize=size)
            before = share


def _marked(numbers: np.ndarray, shares: np.ndarray) -> dict[int, float]:
    """Return the share of the records that have at least each of the marked numbers."""
    marked: dict[int, float] = {}
    for number in _MARKED:
        if number <= numbers.max():
            marked[number] = float(shares[np.searchsorted(numbers, number)])
    return marked


def _percent(share: float) -> str:
    """Format a share with two digits at least: 62%, 5.4%, 0.13%."""
    if share >= 0.1:
        return f"{share:.0%}"
    return f"{100 * share:.2g}%"
