"""Charts of the number of contributors of projects."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

from dirframe import stats
from dirframe._display.values import percent
from dirframe.plot._backends import drawn
from dirframe.plot._description.chart import Axis, Chart, Marks, Remark
from dirframe.plot._description.colours import NEUTRAL
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import typography
from dirframe.plot._drawing.bars import ranking
from dirframe.plot._drawing.histogram import distribution
from dirframe.stats._core.frequencies import concentration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame

_TWELVE_MONTHS = "in twelve months"
_NEEDED = "a valid contributor count"


@drawn("xy")
def contributor_distribution(
    projects: Frame,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the distribution of contributors over projects.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them;
        `dirframe.stats.contributor_distribution` counts them.

    Returns
    -------
    matplotlib.axes.Axes
        One dot for each number of contributors that occurs (people in twelve months), at the
        number of projects with it. Both axes are logarithmic, the x axis linear from 0 to 1, since
        many projects have none. The caption states the maximum of half, 90% and 99% of the
        projects, and how many have no valid number.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.contributor_distribution`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 0, 3]})
    >>> ax = contributor_distribution(projects)
    >>> ax.lines[0].get_ydata().tolist()
    [2.0, 1.0]
    """
    table, counts = table_of(stats.contributor_distribution, projects, **selection)
    return distribution(
        table,
        "contributors",
        "projects",
        title="Distribution of contributors over projects",
        units=(f"Contributors of a project (people {_TWELVE_MONTHS})", "Projects"),
        message=typography.empty_reason(counts, _NEEDED),
        note=_not_shown(counts),
    )


@drawn("xy")
def lorenz(
    projects: Frame,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the Lorenz curve of contributors over projects.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.lorenz` gives the
        curve, `dirframe.stats.contributor_concentration` its measures.

    Returns
    -------
    matplotlib.axes.Axes
        The Lorenz curve: the cumulative share of contributors, from the projects with the fewest,
        beside the diagonal of equality. The Gini coefficient is in the chart. The caption states
        the share of the projects with the most contributors, and the coefficient of the projects
        with a contributor.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.lorenz`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [3, 1, 0, 0]})
    >>> lorenz(projects).texts[0].get_text()
    'Gini coefficient 0.62'
    """
    table, counts = table_of(stats.lorenz, projects, **selection)
    chart = partial(
        Chart,
        table=table,
        title="Concentration of contributors",
        empty=typography.empty_reason(counts, "a contributor"),
        x=Axis(label="Projects, those with the fewest first (share)", scale="share"),
        y=Axis(label="Contributors (share)", scale="share"),
        is_square=True,
    )
    if table.empty:
        return chart()
    x, y = (table[name].to_numpy(float) for name in ("projects_share", "contributors_share"))
    measures = concentration(x, y)  # avoids a second count
    top = percent(measures["top 10%"])
    note = f"The tenth of the projects with the most has {top} of the contributors."
    without = float(x[y == 0].max())
    if without:  # the curve of the projects with a contributor
        with_contributors = x >= without
        gini = concentration(
            (x[with_contributors] - without) / (1 - without), y[with_contributors]
        )["gini"]
        note += f" Without the {percent(without)} that have none, the coefficient is {gini:.2f}."
    equality = Marks(
        kind="line",
        table=table.iloc[:0],
        x=[0, 1],
        y=[0, 1],
        colours=[NEUTRAL],
        name="equality",
        dash="dash",
    )
    curve = Marks(
        kind="line",
        table=table,
        x=x,
        y=y,
        name="lorenz",
        is_filled=True,
    )
    return chart(
        marks=[equality, curve],
        remark=Remark(
            text=f"Gini coefficient {measures['gini']:.2f}", x=0.025, y=0.925, y_left=0.925
        ),
        notes=[note, _not_shown(counts)],
    )


@drawn("x")
def team_size_classes(
    projects: Frame,
    *,
    bounds: Sequence[int] = (0, 1, 2, 5, 10, 20, 50, 100),
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw the number of projects by team size.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them; `dirframe.stats.team_size_classes`
        counts them.
    bounds : sequence of int, default (0, 1, 2, 5, 10, 20, 50, 100)
        The lower bound of each class, ascending, starting with 0.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per class, the smallest teams at the top, labelled with the number of projects and
        their share of those with a valid number of contributors.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.team_size_classes`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 3, 4, 7]})
    >>> ax = team_size_classes(projects, bounds=[0, 1, 5])
    >>> [int(bar.get_width()) for bar in ax.patches]
    [1, 2, 1]
    """
    table, counts = table_of(stats.team_size_classes, projects, bounds=bounds, **selection)
    return ranking(
        table,
        "team_size",
        "projects",
        title="Projects by size of their team",
        unit="Projects (share of those with a valid count)",
        message=typography.empty_reason(counts, _NEEDED),
        notes=[f"Size: people who contributed {_TWELVE_MONTHS}.", _not_shown(counts)],
    )


def _not_shown(counts: dict[str, int]) -> str:
    reasons = {
        "without a contributor count": counts["contributors_missing"],
        "with a negative one": counts["contributors_negative"],
    }
    return typography.not_shown(counts, reasons)
