"""Chart of contributors relative to code size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import matplotlib as mpl
import numpy as np
from matplotlib.ticker import StrMethodFormatter

from dirframe import stats
from dirframe.plot._drawing import axes, typography
from dirframe.plot._drawing.options import current
from dirframe.plot._drawing.small_multiples import multiples
from dirframe.plot._drawing.tables import table_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from dirframe.plot._drawing.options import ChartOptions
    from dirframe.stats._core.backends import Frame

__all__ = ["contributors_per_thousand_lines"]


@multiples("x")
def contributors_per_thousand_lines(
    projects: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 20,
    **selection: Unpack[ChartOptions],
) -> Axes:
    """Draw the contributors per thousand lines of code by main language.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them;
        `dirframe.stats.contributors_per_thousand_lines` computes the ratios.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure, as high as the rows need.
    top : int or None, default 20
        Languages to show, those with the most projects; all others share one hatched bar.
        None shows all.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per language, the largest ratio at the top. Its length is the ratio of the sums,
        which is printed beside it with the number of projects; that of fewer than 10 projects is
        pale. A language without lines has no bar. The dot at the foot of the bar is the median of
        the projects' own ratios, the thick line through it the 95% confidence interval of the
        median, the thin line the interquartile range.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.contributors_per_thousand_lines`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C", "C"],
    ...     "analysis_twelve_month_contributor_count": [3, 1],
    ...     "analysis_total_code_lines": [7000, 1000],
    ... })
    >>> [float(bar.get_width()) for bar in contributors_per_thousand_lines(projects).patches]
    [0.5]
    """
    table = table_of(stats.contributors_per_thousand_lines, projects, top=top, **selection)
    counts = table.attrs["dirframe"]["counted"]
    ax = axes.axes(ax, len(table))
    title = "Contributors per thousand lines"
    if table.empty:
        requirement = "a main language, contributors and lines"
        reason = typography.empty_reason(counts["projects"], "project", requirement)
        return axes.empty(ax, table, title, reason)
    table = _by_ratio(table, pooled=bool(counts["languages_in_other"]))
    size = axes.name_rows(ax, list(table["language"]))
    # The title can be wider than the axes, so it is placed above the column titles.
    unit = "People in twelve months\nper thousand lines of code"
    axes.titles(ax, title, unit, pad=1.2 * size + 8)
    pooled = counts["languages_in_other"]
    colours = current().palette.languages(table["language"], pooled=pooled)
    ratios = table["contributors_per_thousand_lines"].astype("Float64")
    has_ratio = ratios.notna()
    cells = [
        f"{r:,.2g}" if available else "no lines"
        for r, available in zip(ratios, has_ratio, strict=True)
    ]
    # Numbers at the ends of the bars would overlap the quartile lines.
    container = axes.bars(ax, [float(ratio) for ratio in ratios.fillna(0)], [], colours, size)
    axes.fade(container, table["projects"])
    _quartiles(ax, table)
    projects_of_each = [f"{number:,}" for number in table["projects"]]
    axes.columns(ax, {"projects": projects_of_each, "ratio": cells}, size)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    reasons = {
        **axes.without_language(counts),
        "with a number missing or negative": counts["numbers_missing_or_negative"],
    }
    axes.caption(
        ax,
        table,
        "Bar: all contributors by all lines, so that one large project can decide it. Dot, thick "
        "and thin line: median of the projects' own ratios, its 95% confidence interval, quartiles.",
        axes.pale_note(table["projects"], "languages"),
        typography.not_shown("project", reasons),
    )
    return ax


def _by_ratio(table: pd.DataFrame, *, pooled: bool) -> pd.DataFrame:
    """Sort the rows by their ratio, with that of other languages last."""
    rows = table.iloc[:-1] if pooled else table
    rows = rows.sort_values("contributors_per_thousand_lines", ascending=False, kind="stable")
    return table.loc[[*rows.index, *table.index[len(rows) :]]].reset_index(drop=True)


def _quartiles(ax: Axes, table: pd.DataFrame) -> None:
    """Draw the median and quartiles of each row at the foot of its bar."""
    rows_with_median = table[table["median"].notna()]
    if rows_with_median.empty:
        return
    low, middle, high, *interval = (
        rows_with_median[name].to_numpy(float)
        for name in ("lower_quartile", "median", "upper_quartile", "median_low", "median_high")
    )
    rows = rows_with_median.index.to_numpy(float) + axes.thickness(len(table)) / 3
    line = mpl.rcParams["text.color"]
    right = max(ax.get_xlim()[1], 1.05 * np.nanmax([high, interval[1]]))
    ax.hlines(rows, low, high, colors=line, linewidth=0.9)
    ax.hlines(rows, interval[0], interval[1], colors=line, linewidth=2.2, gid="interval")
    ax.plot(middle, rows, "o", color=line, markersize=3, label="median", clip_on=False)
    ax.set_xlim(0, right)
