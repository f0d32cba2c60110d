"""Chart of contributors relative to code size."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

from dirframe import stats
from dirframe.plot._backends import drawn
from dirframe.plot._description.chart import Axis, Chart, Marks
from dirframe.plot._description.options import current
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import axes, typography

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame


@drawn("x")
def contributors_per_thousand_lines(
    projects: Frame,
    *,
    top: int | None = 20,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the contributors per thousand lines of code by main language.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them;
        `dirframe.stats.contributors_per_thousand_lines` computes the ratios.
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
    table, counts = table_of(stats.contributors_per_thousand_lines, projects, top=top, **selection)
    pooled = counts["languages_in_other"]
    chart = partial(
        Chart,
        title="Contributors per thousand lines",
        empty=typography.empty_reason(counts, "a main language, contributors and lines"),
        x=Axis(label="People in twelve months\nper thousand lines of code"),
        rows=len(table),
    )
    if table.empty:
        return chart(table=table)
    table = _by_ratio(table, pooled=bool(pooled))
    ratios = table["contributors_per_thousand_lines"].astype("Float64")
    has_ratio = ratios.notna()
    cells = [
        f"{r:,.2g}" if available else "no lines"
        for r, available in zip(ratios, has_ratio, strict=True)
    ]
    bars = Marks(
        kind="rows",
        table=table,
        x=[float(ratio) for ratio in ratios.fillna(0)],
        y=range(len(table)),
        colours=current().palette.languages(table["language"], pooled=pooled),
        records=list(table["projects"]),
    )
    described = table[table["median"].notna()]
    low, middle, high, *interval = (
        described[name].to_numpy(float)
        for name in ("lower_quartile", "median", "upper_quartile", "median_low", "median_high")
    )
    medians = Marks(
        kind="dots",
        table=described,
        x=middle,
        y=described.index.to_numpy(float) + axes.thickness(len(table)) / 3,
        colours=[],
        sizes=[0.6],
        ranges=[(low, high, 0.9), (interval[0], interval[1], 2.2)],
        name="median",
    )
    reasons = {
        **axes.without_language(counts),
        "with a number missing or negative": counts["numbers_missing_or_negative"],
    }
    return chart(
        table=table,
        marks=[bars, medians],
        y=Axis(scale="rows", names=list(table["language"])),
        columns={"projects": [f"{number:,}" for number in table["projects"]], "ratio": cells},
        notes=[
            (
                "Bar: all contributors by all lines, so that one large project can decide it. Dot, "
                "thick and thin line: median of the projects' own ratios, its 95% confidence interval, "
                "quartiles."
            ),
            axes.pale_note(table["projects"], "languages"),
            typography.not_shown(counts, reasons),
        ],
    )


def _by_ratio(table: pd.DataFrame, *, pooled: bool) -> pd.DataFrame:
    """Sort the rows by their ratio, with that of other languages last."""
    rows = table.iloc[:-1] if pooled else table
    rows = rows.sort_values("contributors_per_thousand_lines", ascending=False, kind="stable")
    return table.loc[[*rows.index, *table.index[len(rows) :]]].reset_index(drop=True)
