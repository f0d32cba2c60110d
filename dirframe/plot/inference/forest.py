"""A dot and an interval for each named row, with the figures beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator, StrMethodFormatter

from dirframe.plot._drawing import axes, numeric_axes, typography
from dirframe.plot._drawing.colours import NEUTRAL
from dirframe.plot._drawing.options import current

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

_NOUNS = {"accounts": "account", "projects": "project"}
_REASONS = {
    "value_missing": "without a value",
    "value_negative": "with a negative one",
    "group_missing": "without a group",
    "in_other_groups": "in other groups",
}


def forest(
    ax: Axes | None,
    table: pd.DataFrame,
    names: Sequence[str] | pd.Series[str],
    value: str,
    *,
    title: str,
    unit: str,
    needed: str,
    lacking: str,
    notes: Sequence[str],
    reference: float | None = None,
    limits: tuple[float, float] | None = None,
    logarithmic: bool = False,
    share: bool = False,
) -> Axes:
    """Draw a dot and its interval for each row, with the figures beside them."""
    ax = axes.axes(ax, len(table))
    x, low, high = (table[name].to_numpy(float, na_value=np.nan) for name in (value, "low", "high"))
    if not np.isfinite(x).any():
        records = table.attrs["dirframe"]
        base = records["base"].get("records", 0)
        collection = next(name for name in _NOUNS if name in records["counted"])
        reason = typography.empty_reason(records["counted"][collection], _NOUNS[collection], needed)
        return axes.empty(ax, table, title, lacking if base else reason)
    size = axes.name_rows(ax, [str(name) for name in names])
    axes.titles(ax, title, unit + numeric_axes.LOGARITHMIC * logarithmic, pad=2.4 * size)
    rows, colour = np.arange(len(table)), current().palette.accent
    if reference is not None:
        ax.axvline(reference, color=NEUTRAL, linewidth=1, linestyle="--", zorder=1)
    known, between = np.isfinite(x), np.isfinite(low) & np.isfinite(high)
    spans = (rows[between], low[between], high[between])
    ax.hlines(*spans, colors=colour, linewidth=1.6, gid="interval")
    ax.plot(x[known], rows[known], "o", color=colour, markersize=5, gid="estimate", clip_on=False)
    columns: dict[str, Sequence[str]] = {}
    if "records" in table:
        columns["n"] = [f"{number:,}" for number in table["records"]]
    columns["estimate"] = [_figure(number, share=share) for number in x]
    if "p_corrected" in table:
        columns["p"] = [_p(p) for p in table["p_corrected"].to_numpy(float, na_value=np.nan)]
    axes.columns(ax, columns, size)
    _scale(ax, np.concatenate([x, low, high]), limits, logarithmic=logarithmic, share=share)
    axes.caption(ax, table, *notes)
    return ax


def _scale(
    ax: Axes,
    numbers: Any,
    limits: tuple[float, float] | None,
    *,
    logarithmic: bool,
    share: bool,
) -> None:
    """Set the scale of the x axis."""
    axes.label_ticks(ax)
    known = numbers[np.isfinite(numbers)]
    if logarithmic:
        # Ends may be far out, where a group has few events.
        ax.set_xscale("log", base=2)
        ax.set_xlim(
            max(min(known.min(), 0.5) / 1.2, 2.0**-8), min(max(known.max(), 2) * 1.2, 2.0**8)
        )
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        return
    ax.set_xlim(*(limits or (min(0, known.min() * 1.05), known.max() * 1.05 or 1)))
    ax.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 2.5, 5, 10]))
    ax.xaxis.set_major_formatter(
        FuncFormatter(_share_tick) if share else StrMethodFormatter("{x:,g}")
    )


def _share_tick(value: float, _place: int | None = None) -> str:
    return f"{value:.3g}" if value == 0 else f"{100 * value:g}%"


def _figure(number: float, *, share: bool) -> str:
    if np.isnan(number):
        return "–"
    if share:
        return typography.percent(number)
    return typography.number(number) if abs(number) >= 100 else f"{number:.3g}"


def _p(number: float) -> str:
    if np.isnan(number):
        return "–"
    return "<0.001" if number < 0.001 else f"{number:.3f}"


def p_note(test: str, p_value: float) -> str:
    """Return a note on the p-value of a test."""
    shown = _p(p_value)
    return f"{test}: p {shown if shown.startswith('<') else f'= {shown}'}."


def not_shown(table: pd.DataFrame) -> str:
    """Return a note on the records without a value or a group."""
    counts = table.attrs["dirframe"]["counted"]
    noun = next(noun for name, noun in _NOUNS.items() if name in counts)
    return typography.not_shown(
        noun, {why: counts.get(reason, 0) for reason, why in _REASONS.items()}
    )
