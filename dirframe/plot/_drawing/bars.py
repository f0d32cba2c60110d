"""Horizontal bars with count and share for each row of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.plot._description.chart import Axis, Chart, Marks
from dirframe.plot._description.options import current
from dirframe.plot._drawing import typography

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

_TWO_LINES = 1.3  # height of a row with two lines of text, in rows


def ranking(
    table: pd.DataFrame,
    names: str,
    numbers: str,
    *,
    title: str,
    unit: str,
    message: str,
    colours: Sequence[str] | None = None,
    pooled: int = 0,
    notes: Sequence[str] = (),
) -> Chart:
    """Chart one bar per row, labelled by name; without any number it shows the message.

    Without `colours` the bars are of one kind; the last is that of others if some are `pooled`.
    """
    rows = [str(name) for name in table[names]]
    has_two_lines = any("\n" in typography.name(name) for name in rows)
    bars = Marks(
        kind="rows",
        table=table,
        x=list(table[numbers]),
        y=range(len(table)),
        colours=colours or current().palette.bars(len(table), pooled=pooled),
        labels=typography.amounts([round(number) for number in table[numbers]], table["share"]),
    )
    return Chart(
        table=table,
        title=title,
        empty=message,
        marks=[bars] if table[numbers].sum() else [],
        notes=notes,
        x=Axis(label=unit),
        y=Axis(scale="rows", names=rows),
        rows=round((_TWO_LINES if has_two_lines else 1) * len(table)),
    )
