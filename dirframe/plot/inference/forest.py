"""A dot and an interval for each named row, with the figures beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from dirframe._display.values import percent
from dirframe.plot._description.chart import Axis, Chart, Marks
from dirframe.plot._drawing import typography

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

_REASONS = {
    "value_missing": "without a value",
    "value_negative": "with a negative one",
    "group_missing": "without a group",
    "in_other_groups": "in other groups",
}


def forest(
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
) -> Chart:
    """Describe a dot and its interval for each row, with the figures beside them."""
    x, low, high = (table[name].to_numpy(float, na_value=np.nan) for name in (value, "low", "high"))
    columns: dict[str, Sequence[str]] = {}
    if "records" in table:
        columns["n"] = [f"{number:,}" for number in table["records"]]
    columns["estimate"] = [_figure(number, share=share) for number in x]
    if "p_corrected" in table:
        p_values = table["p_corrected"].to_numpy(float, na_value=np.nan)
        columns["p"] = [_p(number) for number in p_values]
    known = np.isfinite(x)
    dots = Marks(
        kind="dots",
        table=table[known],
        x=x[known],
        y=np.flatnonzero(known),
        ranges=[(low[known], high[known], 1.6)],
        name="estimate",
    )
    record = table.attrs["dirframe"]
    nothing = typography.empty_reason(record["counted"], needed)
    scale: Literal["number", "share"] = "share" if share else "number"
    if logarithmic:
        limits = _ratio_limits([*x, *low, *high])
    return Chart(
        table=table,
        title=title,
        empty=lacking if record["base"].get("records", 0) else nothing,
        marks=[dots] if known.any() else [],
        notes=notes,
        x=Axis(
            label=unit,
            scale="ratio" if logarithmic else scale,
            limits=limits or _limits([*x, *low, *high]),
        ),
        y=Axis(scale="rows", names=[str(name) for name in names]),
        rows=len(table),
        columns=columns,
        reference=reference,
    )


def _ratio_limits(numbers: Sequence[float]) -> tuple[float, float]:
    """Return the limits of ratios; ends may be far out, where a group has few events."""
    low, high = np.nanmin([*numbers, 0.5]) / 1.2, np.nanmax([*numbers, 2]) * 1.2
    return max(float(low), 2.0**-8), min(float(high), 2.0**8)


def _limits(numbers: Sequence[float]) -> tuple[float, float]:
    return min(0.0, float(np.nanmin([*numbers, 0])) * 1.05), float(
        np.nanmax([*numbers, 0]) * 1.05
    ) or 1.0


def _figure(number: float, *, share: bool) -> str:
    if np.isnan(number):
        return "–"
    if share:
        return percent(number)
    return typography.number(number) if abs(number) >= 100 else f"{number:.3g}"


def _p(number: float) -> str:
    if np.isnan(number):
        return "–"
    return "<0.001" if number < 0.001 else f"{number:.3f}"


def p_note(test: str, p_value: float) -> str:
    """Return a note on the p-value of a test."""
    shown = _p(p_value)
    return f"{test}: p {shown if shown.startswith('<') else f'= {shown}'}."


def not_shown(counts: Mapping[str, int]) -> str:
    """Return a note on the records without a value or a group."""
    reasons = {why: counts.get(reason, 0) for reason, why in _REASONS.items()}
    return typography.not_shown(counts, reasons)
