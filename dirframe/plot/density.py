"""The chart of contributors against the size of the code.

What stays out: computing (`dirframe.stats.contributors_per_thousand_lines`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from matplotlib.ticker import StrMethodFormatter

from dirframe import stats
from dirframe.plot import _axes, _text
from dirframe.plot._colours import OTHER, language_colour
from dirframe.plot._multiples import multiples

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.stats._engines import Frame
    from dirframe.stats._selection import Selection

__all__ = ["contributors_per_thousand_lines"]


@multiples("x")
def contributors_per_thousand_lines(
    projects: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 20,
    **selection: Unpack[Selection],
) -> Axes:
    """Draw how many contributors a thousand lines of code have, by main language.

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
        A bar a language, the most projects on top, labelled with the ratio. A language
        without lines has no bar.

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
    table = stats.contributors_per_thousand_lines(projects, top=top, **selection)
    counted = table.attrs["dirframe"]["counted"]
    ax = _axes.axes(ax, len(table))
    title = "Contributors per thousand lines"
    if table.empty:
        _axes.titles(ax, title)
        what = "a main language, contributors and lines"
        _axes.nothing(ax, _text.none(counted["projects"], "project", what))
        _axes.caption(ax, table)
        return ax
    _axes.titles(ax, title, "People in twelve months per thousand lines of code")
    size = _axes.rows(ax, list(table["language"]))
    colours = [language_colour(language) for language in table["language"]]
    if counted["languages_in_other"]:
        colours[-1] = OTHER
    ratios = table["contributors_per_thousand_lines"].astype("Float64")
    known = ratios.notna()
    labels = [f"{r:,.2g}" if there else "no lines" for r, there in zip(ratios, known, strict=True)]
    _axes.bars(ax, [float(ratio) for ratio in ratios.fillna(0)], labels, colours, size)
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,g}"))
    reasons = {
        "without a main language": counted["without_language"],
        "with a number missing or negative": counted["numbers_missing_or_negative"],
    }
    _axes.caption(
        ax,
        table,
        "Most projects first; large projects weigh more.",
        _text.not_shown("project", reasons),
    )
    return ax
