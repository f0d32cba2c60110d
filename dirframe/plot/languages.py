"""Charts of projects by their main language."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

from dirframe import stats
from dirframe.plot._backends import drawn
from dirframe.plot._description.chart import Axis, Chart, Marks
from dirframe.plot._description.options import current
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import axes, typography
from dirframe.plot._drawing.bars import ranking

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame


@drawn("x")
def language_share(
    projects: Frame,
    *,
    top: int | None = 20,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the number of projects by main language.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.language_share` counts
        them.
    top : int or None, default 20
        Languages to show; the others become one hatched bar. None shows all.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per language, the most projects at the top, labelled with their number and their
        share of the projects with a main language. The caption states how many have none.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.language_share`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C", "Java", "C"],
    ...     "analysis_total_code_lines": [1200, 800, 40],
    ... })
    >>> ax = language_share(projects)
    >>> [int(bar.get_width()) for bar in ax.patches]
    [2, 1]
    """
    table, counts = table_of(stats.language_share, projects, top=top, **selection)
    return ranking(
        table,
        "language",
        "projects",
        title="Projects by main language",
        unit="Projects (share of those with a main language)",
        colours=_colours(table),
        message=typography.empty_reason(counts, "a main language"),
        notes=[_not_shown(counts)],
    )


@drawn("x")
def contributors_by_language(
    projects: Frame,
    *,
    top: int | None = 20,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the contributors per project by main language.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them;
        `dirframe.stats.contributors_by_language` describes them.
    top : int or None, default 20
        Languages to show; the others share the last row. None shows all.

    Returns
    -------
    matplotlib.axes.Axes
        One row per language, the most contributors in total at the top: a bar from the lower to
        the upper quartile of contributors per project, a dot at the median with a thick line over
        its 95% confidence interval, a thin line to the maximum, and beside it the median, the sum
        and the number of projects. The bar of fewer than 10 projects is pale. The x axis is
        logarithmic from 1, and linear from 0 to 1, since many projects have none.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.contributors_by_language`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "analysis_main_language_name": ["C", "C", "C", "Java"],
    ...     "analysis_twelve_month_contributor_count": [0, 2, 10, 1],
    ... })
    >>> ax = contributors_by_language(projects)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['C', 'Java']
    """
    table, counts = table_of(stats.contributors_by_language, projects, top=top, **selection)
    described = table[table["projects_counted"] > 0]
    requirement = "a valid contributor count" if counts["with_language"] else "a main language"
    chart = partial(
        Chart,
        table=table,
        title="Contributors by main language",
        empty=typography.empty_reason(counts, requirement),
        x=Axis(label="People per project in twelve months", scale="log"),
        y=Axis(scale="rows", names=list(table["language"])),
        rows=len(table),
    )
    if described.empty:
        return chart()
    colours = _colours(table)
    low, high, maximum, middle, *interval = (
        described[name].to_numpy(float)
        for name in (
            *("lower_quartile", "upper_quartile", "maximum", "median"),
            *("median_low", "median_high"),
        )
    )
    quartiles = Marks(
        kind="rows",
        table=described,
        x=high - low,
        y=described.index.to_numpy(float),
        base=low,
        width=0.75,
        colours=[colours[row] for row in described.index],
        records=list(described["projects_counted"]),
    )
    medians = Marks(
        kind="dots",
        table=described,
        x=middle,
        y=quartiles.y,
        colours=[],
        ranges=[(high, maximum, 0.8), (interval[0], interval[1], 2.2)],
        name="median",
    )
    maxima = Marks(
        kind="dots",
        table=described.iloc[:0],
        x=maximum,
        y=quartiles.y,
        colours=[],
        symbol="|",
        name="maximum",
    )
    return chart(
        marks=[quartiles, maxima, medians],
        columns={
            "median": [typography.number(value) for value in table["median"]],
            "people": [typography.number(value) for value in table["contributors"]],
            "projects": [typography.number(value) for value in table["projects_counted"]],
        },
        notes=[
            (
                "Dot: median; bar: quartiles; thin line: to the maximum; thick line: 95% confidence "
                "interval of the median, from 6 projects on."
            ),
            axes.pale_note(described["projects_counted"], "languages"),
            "People: sum over the projects; who is in two of them counts twice.",
            _not_shown(counts),
        ],
    )


def _colours(table: pd.DataFrame) -> list[str]:
    pooled = table.attrs["dirframe"]["counted"]["languages_in_other"]
    return current().palette.languages(table["language"], pooled=pooled)


def _not_shown(counts: dict[str, int]) -> str:
    uncounted = counts.get("contributors_missing", 0) + counts.get("contributors_negative", 0)
    reasons = {
        **axes.without_language(counts),
        "without a valid contributor count": uncounted,
    }
    return typography.not_shown(counts, reasons)
