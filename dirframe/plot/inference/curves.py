"""Charts of curves: survival with the numbers at risk, growth and tails with fitted models."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from matplotlib.ticker import FuncFormatter, MultipleLocator

from dirframe import provenance, stats
from dirframe._display.values import counted
from dirframe.plot._backends import drawn
from dirframe.plot._description.chart import Axis, Chart, Marks
from dirframe.plot._description.colours import NEUTRAL
from dirframe.plot._description.tables import is_whole, table_of
from dirframe.plot._drawing import dates, typography
from dirframe.plot._drawing.marks import draw_marks
from dirframe.plot._drawing.typography import column_label as label
from dirframe.stats._core.groupby import CONTRIBUTORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame

#: How fitted curves are told apart without colours.
_DASHES: Sequence[Literal["dash", "dot", "dashdot"]] = ("dash", "dot", "dashdot")
_KEY = "Fitted"
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


@drawn("xy")
def distribution_tail(
    frame: Frame,
    *,
    column: str = CONTRIBUTORS,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw how many records have a value or more, beside fitted distributions.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them; `dirframe.stats.distribution_tail` fits.
    column : str, default "analysis_twelve_month_contributor_count"
        Column of whole numbers.

    Returns
    -------
    matplotlib.axes.Axes
        One dot per value at the share of records that have it or more, both axes logarithmic, and
        the fitted power law and log-normal distribution from the value on from which they are
        fitted.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.distribution_tail`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 1, 1, 2, 5]})
    >>> distribution_tail(projects).lines[0].get_ydata().tolist()
    [1.0, 0.5, 0.25]
    """
    table, counts = table_of(stats.distribution_tail, frame, column=column, **selection)
    collection = next(iter(counts))
    noun = collection.removesuffix("s")
    values, shares = (table[name].to_numpy(float) for name in ("value", "share_at_least"))
    known = table["power_law"].dropna()
    note = "Not fitted: too few values, or too close together."
    if len(known):
        smallest = int(table["value"][known.index[0]])
        records = int(table["records"][known.index[0] :].sum())
        note = f"Fitted from {smallest:,} on: {counted(records, noun)}."
    reasons = {
        "with 0": counts["value_zero"],
        "without a value": counts["value_missing"],
        "with a negative one": counts["value_negative"],
    }
    what = "a value above 0" if counts["with_value"] else "a value"
    return Chart(
        table=table,
        title=f"Tail of {label(column)}",
        empty=typography.empty_reason(counts, what),
        marks=_observed_and_fitted(table, values, shares, ("power law", "log-normal")),
        notes=[note, typography.not_shown(counts, reasons)],
        x=Axis(
            label=label(column).capitalize(),
            scale="ratio",
            limits=(0.8, max([2, *values]) * 1.3),
        ),
        y=Axis(
            label=f"{collection.capitalize()} with so many or more (share)",
            scale="ratio",
            limits=(min([0.5, *shares]) / 1.5, 1.3),
        ),
        key=_KEY,
    )


@drawn("x")
def growth_curve(
    frame: Frame,
    *,
    column: str = "commits",
    cumulative: bool = True,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the growth of a project beside the curves fitted to it.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        The months of one project as `dirframe.load_activity` gives them;
        `dirframe.stats.growth_curve` fits.
    column : str, default "commits"
        Column of whole numbers, or ``"code"``: lines added less those removed.
    cumulative : bool, default True
        Draw and fit the sum so far. False: the numbers of each month.

    Returns
    -------
    matplotlib.axes.Axes
        The observed months, and a linear, an exponential and a logistic curve, each with its own
        kind of line.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.growth_curve`.

    Examples
    --------
    >>> import pandas as pd
    >>> months = pd.date_range("2013-01-01", periods=3, freq="MS", tz="UTC")
    >>> frame = pd.DataFrame({"month": months, "commits": [5, 0, 2]})
    >>> growth_curve(frame).lines[0].get_ydata().tolist()
    [5.0, 5.0, 7.0]
    """
    table, counts = table_of(
        stats.growth_curve, frame, column=column, cumulative=cumulative, **selection
    )
    project = provenance.get_provenance(table)["query"].get("project")
    of = f": {project}" if project else ""
    what = "a month" + (" that was over" if counts["with_month"] else "")
    x, observed = dates.positions([*table["month"]]), table["observed"].to_numpy(float)
    marks = _observed_and_fitted(table, x, observed, ("linear", "exponential", "logistic"))
    months = counted(counts["months_fitted"], "month")
    reasons = {"without a month": counts["month_missing"]}
    year = dates.only_year(table["month"])
    return Chart(
        table=table,
        title=f"Growth of {label(column)}{of}",
        empty=typography.empty_reason(counts, what),
        marks=marks,
        notes=[
            f"Least squares over {months}." if len(marks) > 1 else "Too few months to fit.",
            typography.not_shown(counts, reasons),
        ],
        x=Axis(
            label=f"Month (UTC{year})",
            scale="date",
            limits=(x[0] - 15, x[-1] + 31) if len(table) else None,
        ),
        y=Axis(label=label(column).capitalize() + (" so far" if cumulative else " in the month")),
        key=_KEY,
    )


def _observed_and_fitted(table: pd.DataFrame, x: Any, y: Any, names: Sequence[str]) -> list[Marks]:
    """Describe the observed values and the curves that were fitted; nothing without values."""
    if table.empty:
        return []
    marks = [Marks(kind="dots", table=table, x=x, y=y, name="observed", sizes=[0.7])]
    for name, dash in zip(names, _DASHES, strict=False):
        column = name.replace(" ", "_").replace("-", "_")
        fitted = table[column].to_numpy(float, na_value=np.nan)
        known = np.isfinite(fitted)
        if known.any():
            marks.append(
                Marks(
                    kind="line",
                    table=table[known],
                    x=x[known],
                    y=fitted[known],
                    colours=[NEUTRAL],
                    name=name,
                    dash=dash,
                )
            )
    return marks
