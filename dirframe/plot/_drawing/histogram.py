"""Frequency of integers on logarithmic scales that include zero."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.plot._description.chart import Axis, Chart, Marks
from dirframe.plot._drawing import typography

if TYPE_CHECKING:
    import pandas as pd

_PARTS = {"Half": 0.5, "90%": 0.9, "99%": 0.99}


def distribution(
    table: pd.DataFrame,
    numbers: str,
    records: str,
    *,
    title: str,
    units: tuple[str, str],
    message: str,
    note: str,
) -> Chart:
    """Chart one dot for each number that occurs, at the number of records with it."""
    dots = Marks(
        kind="dots",
        table=table,
        x=table[numbers].to_numpy(float),
        y=table[records].to_numpy(float),
        name="distribution",
    )
    return Chart(
        table=table,
        title=title,
        empty=message,
        marks=[dots] if len(table) else [],
        notes=[_quantiles(table, numbers), note],
        x=Axis(label=units[0], scale="log"),
        y=Axis(label=units[1], scale="log", least=1),
    )


def _quantiles(table: pd.DataFrame, numbers: str) -> str:
    """Describe the quantiles of a frequency table."""
    bounds = {
        part: table[numbers][table["share_at_most"] >= share - 1e-12].min()
        for part, share in _PARTS.items()
    }
    label = [f"{part} have at most {typography.number(bound)}" for part, bound in bounds.items()]
    return f"{', '.join(label)}; the most is {typography.number(table[numbers].max())}."
