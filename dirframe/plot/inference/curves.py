"""Charts of curves: survival with the numbers at risk, growth and tails with fitted models."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pandas as pd
from matplotlib.ticker import FuncFormatter, MultipleLocator

from dirframe import provenance, stats
from dirframe.plot._drawing import axes, dates, numeric_axes, typography
from dirframe.plot._drawing.colours import NEUTRAL
from dirframe.plot._drawing.options import current
from dirframe.plot._drawing.small_multiples import multiples
from dirframe.plot._drawing.tables import table_of
from dirframe.plot._drawing.typography import column_label as label
from dirframe.stats._core.groupby import CONTRIBUTORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.plot._drawing.options import ChartOptions
    from dirframe.stats._core.backends import Frame

__all__ = ["distribution_tail", "growth_curve", "survival"]

#: How fitted curves are told apart without colours.
_LINES = ((0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)))
_TICK_WIDTH = 5.5  # ems of a tick with the number at risk


@multiples("xy")
def survival(
    projects: Frame,
    *,
    ax: Axes | None = None,
    window: int = 12,
    confidence: float = 0.95,
    **selection: Unpack[ChartOptions],
) -> Axes:
    """Draw the share of projects that live on, with the numbers at risk.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.survival` estimates.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure.
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
    table = table_of(stats.survival, projects, window=window, confidence=confidence, **selection)
    counts = table.attrs["dirframe"]["counted"]
    title = "Survival of projects"
    ax = numeric_axes.panel(ax)
    if table.empty:
        reason = typography.empty_reason(counts["projects"], "project", "a life whose end is known")
        return axes.empty(ax, table, title, reason)
    unit = "Months since the first activity; below: at risk"
    numeric_axes.labels(ax, title, unit, "Projects that live on (share)")
    months, share, low, high = (
        table[name].to_numpy(float, na_value=np.nan)
        for name in ("months", "survival", "low", "high")
    )
    colour = current().palette.accent
    ax.fill_between(months, low, high, step="post", color=colour, alpha=0.2, linewidth=0)
    ax.plot(months, share, drawstyle="steps-post", color=colour, linewidth=1.8, gid="survival")
    numeric_axes.shares(ax, "y")
    ax.set_ylim(0, 1.02)
    ax.set_xlim(0, months[-1])
    size = typography.size(ax, "small")
    fit = max(min(int(typography.width(ax) / (_TICK_WIDTH * size)), 8), 2)
    step = next((12 * n for n in (1, 2, 5, 10, 20, 50) if months[-1] / (12 * n) < fit), 1200)
    ax.tick_params(axis="x", labelsize=size)
    ax.xaxis.set_major_locator(MultipleLocator(step))
    at_risk = table["at_risk"].to_numpy(np.int64)
    ax.xaxis.set_major_formatter(FuncFormatter(partial(_at_risk, months, at_risk)))
    below = table["months"][table["survival"] <= 0.5]
    median = (
        f"Median life: {typography.counted(int(below.iloc[0]), 'month')}."
        if len(below)
        else "More than half live on as long as any was seen."
    )
    reasons = {
        "whose end is not known": counts["end_unknown"],
        "without both months": counts["month_missing"],
        "that ended before they began": counts["months_reversed"],
        "with activity after the fetch": counts["months_after_fetch"],
    }
    axes.caption(
        ax,
        table,
        median,
        f"Ended: no activity in the last {window} months seen; {counts['not_ended']:,} had not "
        f"ended. Band: {confidence:.0%} interval of Kaplan and Meier's estimate.",
        typography.not_shown("project", reasons),
    )
    return ax


def _at_risk(months: Any, at_risk: Any, value: float, _place: int | None = None) -> str:
    """Label a tick with its month and the projects at risk then."""
    place = int(np.searchsorted(months, value))
    number = at_risk[place] if place < len(at_risk) else 0
    return f"{value:,.0f}\n{number:,}"


@multiples("xy")
def distribution_tail(
    frame: Frame,
    *,
    ax: Axes | None = None,
    column: str = CONTRIBUTORS,
    **selection: Unpack[ChartOptions],
) -> Axes:
    """Draw how many records have a value or more, beside fitted distributions.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects or accounts as the loaders give them; `dirframe.stats.distribution_tail` fits.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure.
    column : str, default "analysis_twelve_month_contributor_count"
        Column of whole numbers.

    Returns
    -------
    matplotlib.axes.Axes
        A dot a value at the share of records that have it or more, both axes logarithmic, and
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
    table = table_of(stats.distribution_tail, frame, column=column, **selection)
    counts = table.attrs["dirframe"]["counted"]
    collection = next(iter(counts))
    noun = collection.removesuffix("s")
    title = f"Tail of {label(column)}"
    ax = numeric_axes.panel(ax)
    if table.empty:
        what = "a value" if not counts["with_value"] else "a value above 0"
        return axes.empty(ax, table, title, typography.empty_reason(counts[collection], noun, what))
    numeric_axes.labels(
        ax,
        title,
        label(column).capitalize(),
        f"{collection.capitalize()} with so many or more (share)",
        logarithmic="xy",
    )
    values, shares = (table[name].to_numpy(float) for name in ("value", "share_at_least"))
    ax.set_xscale("log")
    ax.set_yscale("log")
    colour = current().palette.accent
    ax.plot(
        values, shares, "o", color=colour, markersize=numeric_axes.dot(ax) * 0.8, label="observed"
    )
    for name, title_of, style in zip(
        ("power_law", "log_normal"), ("power law", "log-normal"), _LINES, strict=False
    ):
        fitted = table[name].to_numpy(float, na_value=np.nan)
        tail = np.isfinite(fitted)
        if tail.any():
            ax.plot(
                values[tail],
                fitted[tail],
                linestyle=style,
                color=NEUTRAL,
                linewidth=1.3,
                label=title_of,
            )
    ax.set_xlim(0.8, max(values[-1], 2) * 1.3)
    ax.set_ylim(min(shares[-1], 0.5) / 1.5, 1.3)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(FuncFormatter(_plain))
        axis.set_minor_formatter("")
    known = table["power_law"].dropna()
    note = "Too few values to fit."
    if len(known):
        smallest = int(table["value"][known.index[0]])
        records = int(table["records"][known.index[0] :].sum())
        note = f"Fitted from {smallest:,} on: {typography.counted(records, noun)}."
    if len(ax.lines) > 1:
        axes.legend(ax, ax.lines)
    reasons = {
        "with 0": counts["value_zero"],
        "without a value": counts["value_missing"],
        "with a negative one": counts["value_negative"],
    }
    axes.caption(ax, table, note, typography.not_shown(noun, reasons))
    return ax


@multiples("x")
def growth_curve(
    frame: Frame,
    *,
    ax: Axes | None = None,
    column: str = "commits",
    cumulative: bool = True,
    **selection: Unpack[ChartOptions],
) -> Axes:
    """Draw the growth of a project beside the curves fitted to it.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        The months of one project as `dirframe.load_activity` gives them;
        `dirframe.stats.growth_curve` fits.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure.
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
    table = table_of(stats.growth_curve, frame, column=column, cumulative=cumulative, **selection)
    counts = table.attrs["dirframe"]["counted"]
    project = provenance.get_provenance(table)["query"].get("project")
    title = f"Growth of {label(column)}" + (f": {project}" if project else "")
    ax = numeric_axes.panel(ax)
    if table.empty:
        what = "a month" + (" that was over" if counts["with_month"] else "")
        reason = typography.empty_reason(counts["activity_facts"], "activity fact", what)
        return axes.empty(ax, table, title, reason)
    year = dates.only_year(ax, table["month"].iloc[0], table["month"].iloc[-1])
    unit = label(column).capitalize() + (" so far" if cumulative else " in the month")
    numeric_axes.labels(ax, title, f"Month (UTC{year})", unit)
    x = dates.places([*table["month"]])
    observed = table["observed"].to_numpy(float)
    ax.plot(x, observed, "o", color=current().palette.accent, markersize=3, label="observed")
    highest = [observed.max()]
    for name, style in zip(("linear", "exponential", "logistic"), _LINES, strict=True):
        fitted = table[name].to_numpy(float, na_value=np.nan)
        if np.isfinite(fitted).all():
            ax.plot(x, fitted, linestyle=style, color=NEUTRAL, linewidth=1.3, label=name)
            highest.append(np.nanmax(fitted))
    dates.axis(ax)
    end = table["month"].iloc[-1] + pd.offsets.MonthBegin()
    ax.set_xlim(x[0] - 15, dates.places([end])[0])
    numeric_axes.counts(ax, "y", max(highest))
    ax.set_ylim(min(0.0, observed.min() * 1.05))
    if len(ax.lines) > 1:
        axes.legend(ax, ax.lines)
    fitted_months = typography.counted(counts["months_fitted"], "month")
    reasons = {"without a month": counts["month_missing"]}
    axes.caption(
        ax,
        table,
        f"Least squares over {fitted_months}." if len(ax.lines) > 1 else "Too few months to fit.",
        typography.not_shown("activity fact", reasons),
    )
    return ax


def _plain(value: float, _place: int | None = None) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"
