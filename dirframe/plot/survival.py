"""Chart of survival, with the numbers at risk."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from matplotlib.ticker import FuncFormatter, MultipleLocator

from dirframe import stats
from dirframe._display.values import counted
from dirframe.plot._backends import drawn
from dirframe.plot._description.chart import Axis, Chart, Marks
from dirframe.plot._description.tables import is_whole, table_of
from dirframe.plot._drawing import typography
from dirframe.plot._drawing.marks import draw_marks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame

_TICK_WIDTH = 5.5  # ems of a tick with the number at risk


@drawn("xy")
def survival(
    projects: Frame,
    *,
    window: int = 12,
    confidence: float = 0.95,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the share of projects that live on, with the numbers at risk.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.survival` estimates.
    window : int, default 12
        Months without activity after which a life has ended: 1 to 24.
    confidence : float, default 0.95
        Level of the intervals.

    Returns
    -------
    matplotlib.axes.Axes
        The curve of Kaplan and Meier over months since the first activity, with its interval;
        below each tick the projects at risk. The caption states the median life and what counts
        as an end.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.survival`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_min_month": pd.to_datetime(["2010-01-01"] * 2),
    ...     "analysis_max_month": pd.to_datetime(["2010-03-01", "2013-07-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30"] * 2),
    ... })
    >>> survival(projects).lines[0].get_ydata().tolist()
    [1.0, 0.5, 0.5]
    """
    table, counts = table_of(
        stats.survival, projects, window=window, confidence=confidence, **selection
    )
    months, share, low, high = (
        table[name].to_numpy(float, na_value=np.nan)
        for name in ("months", "survival", "low", "high")
    )
    below = table["months"][table["survival"] <= 0.5]
    median = (
        f"Median life: {counted(int(below.iloc[0]), 'month')}."
        if len(below)
        else "More than half live on as long as any was seen."
    )
    reasons = {
        "whose end is not known": counts["end_unknown"],
        "without both months": counts["month_missing"],
        "that ended before they began": counts["months_reversed"],
        "with activity after the fetch": counts["months_after_fetch"],
    }
    curve = Marks(
        kind="line",
        table=table,
        x=months,
        y=share,
        name="survival",
        is_stepped=True,
        band=(low, high),
    )
    return Chart(
        table=table,
        title="Survival of projects",
        empty=typography.empty_reason(counts, "a life whose end is known"),
        marks=[curve] if len(table) else [],
        notes=[
            median if is_whole(table) else "",
            f"Ended: no activity in the last {window} months seen; {counts['not_ended']:,} had not ended.",
            f"Band: {confidence:.0%} interval of Kaplan and Meier's estimate.",
            typography.not_shown(counts, reasons),
        ],
        x=Axis(
            label="Months since the first activity",
            limits=(0, float(months[-1])) if len(table) else None,
        ),
        y=Axis(label="Projects that live on (share)", scale="share", limits=(0, 1.02)),
        draw=_draw_survival,
    )


def _draw_survival(ax: Axes, chart: Chart) -> None:
    (curve,) = chart.marks
    at_risk = replace(chart.x, label=f"{chart.x.label}; below: at risk")
    draw_marks(ax, replace(chart, x=at_risk))
    last = curve.x[-1]
    size = typography.size(ax, "small")
    fit = max(min(int(typography.width(ax) / (_TICK_WIDTH * size)), 8), 2)
    step = next((12 * n for n in (1, 2, 5, 10, 20, 50) if last / (12 * n) < fit), 1200)
    ax.tick_params(axis="x", labelsize=size)
    ax.xaxis.set_major_locator(MultipleLocator(step))
    numbers = curve.table["at_risk"].to_numpy(np.int64)
    ax.xaxis.set_major_formatter(FuncFormatter(partial(_at_risk, curve.x, numbers)))


def _at_risk(months: Any, at_risk: Any, value: float, _place: int | None = None) -> str:
    """Label a tick with its month and the projects at risk then."""
    row = int(np.searchsorted(months, value))
    number = at_risk[row] if row < len(at_risk) else 0
    return f"{value:,.0f}\n{number:,}"
