"""Limits and ticks of the axes of Plotly's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dirframe.plot._drawing import typography, worldmap
from dirframe.plot._interactive.traces import coordinates, literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.plot._description.chart import Axis, Chart, Marks

# In pixels.
TEXT, SMALL = 12.0, 11.0
GRID = "#E3E6EA"


def limits_of(chart: Chart, which: str, values: list[float], room: float) -> dict[str, Any]:
    """Return the limits of an axis; its values take a share `room` of it beside their labels."""
    axis: Axis = getattr(chart, which)
    if axis.scale == "none":
        ends = worldmap.frame().get_extents().get_points()[:, "xy".index(which)]
        return {"visible": False, "range": ends.tolist()}
    most = max(values, default=1)
    if axis.limits:
        limits = coordinates(axis, axis.limits).tolist()
    elif axis.scale == "log":
        low = 0.8 * axis.least if axis.least else -0.25
        limits = coordinates(axis, [low, max(most, 1) * 1.4]).tolist()
    elif axis.scale == "date":
        limits = coordinates(axis, [min(values), most]).tolist()
    elif axis.scale == "rows":
        limits = [len(axis.names) - 0.4, -0.6]
    elif axis.scale == "number" and which == "x" and chart.y.scale != "rows":  # years
        limits = [min(values) - 0.6, most + 0.6]
    else:
        limits = [0, 1.04 if axis.scale == "share" else 1.04 * max(most, 1e-9) / room]
    return {"range": limits}


def ticks(axis: Axis, room: float, marks: Sequence[Marks], which: str) -> dict[str, Any]:
    """Return the ticks of an axis: as many as fit, and names for rows and logarithms."""
    if axis.scale == "rows":
        names = [literal(typography.short(name)) for name in axis.names]
        rows = list(range(len(names)))
        ticks = {"tickmode": "array", "tickvals": rows, "ticktext": names, "showgrid": False}
        return {**ticks, "tickfont": {"size": SMALL}}
    if axis.scale in {"date", "share"}:
        return {"date": {"type": "date"}, "share": {"tickformat": ".0%"}}[axis.scale]
    most = max((end for mark in marks for end in mark.ends(which)), default=1)
    if axis.scale == "log":
        return _logarithmic(axis, most)
    if axis.scale == "ratio":
        return _of_ratios(axis)
    if which == "x" and marks and marks[0].kind == "columns":  # years: no commas, and whole
        ends = [end for mark in marks for end in mark.ends(which)]
        steps = (digit * 10**power for power in range(4) for digit in (1, 2, 5))
        step = next(step for step in steps if (max(ends) - min(ends)) / step < 8)
        return {"tickformat": "d", "tick0": 0, "dtick": step}
    fit = int(room / (1.6 * typography.widest([f"{most:,.0f}"], TEXT))) if which == "x" else 7
    return {"tickformat": ",", "nticks": max(fit, 2)}


def _logarithmic(axis: Axis, most: float) -> dict[str, Any]:
    """Name powers of ten, and of small numbers 2 and 5; all other whole ticks are small."""
    powers = [10**power for power in range(len(f"{max(most, 1):.0f}"))]
    named = [digit * power for power in powers for digit in ((1,) if most >= 50 else (1, 2, 5))]
    named = ([] if axis.least else [0]) + named
    between = [digit * power for power in powers for digit in range(2, 10)]
    return _named_ticks(axis, named, between)


def _of_ratios(axis: Axis) -> dict[str, Any]:
    """Name powers of ten within the limits, and of few powers 2 and 5."""
    low, high = axis.limits or (0.1, 10.0)
    powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)))
    within = [
        number for power in powers for number in power * np.arange(1, 10) if low <= number <= high
    ]
    digits = "1" if high / low >= 50 else "125"
    return _named_ticks(axis, [number for number in within if f"{number:e}"[0] in digits], within)


def _named_ticks(axis: Axis, named: Sequence[float], between: Sequence[float]) -> dict[str, Any]:
    return {
        "tickmode": "array",
        "tickvals": coordinates(axis, named).tolist(),
        "ticktext": [f"{number:,.0f}" if number >= 1 else f"{number:g}" for number in named],
        "minor": {
            "tickmode": "array",
            "tickvals": coordinates(axis, between).tolist(),
            "ticks": "outside",
            "ticklen": 3,
            "tickcolor": GRID,
        },
    }
