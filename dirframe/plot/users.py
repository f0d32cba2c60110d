"""Chart of users against contributors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

import numpy as np
from matplotlib.colors import to_rgba

from dirframe import stats
from dirframe._display.values import counted
from dirframe.plot._backends import drawn
from dirframe.plot._description.bins import Bins
from dirframe.plot._description.chart import Axis, Chart, Marks
from dirframe.plot._description.tables import table_of
from dirframe.plot._drawing import axes, scales, typography

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from dirframe.plot._description.options import ChartOptions
    from dirframe.stats._options.selection import Frame

    Whole = NDArray[np.int64]

_DOTS = 600  # more of them overlap
_CELLS = 8  # per decade


def _most_projects(projects: Frame) -> int:
    table = stats.users_against_contributors(projects)
    if len(table) <= _DOTS:
        return int(table["projects"].max()) if len(table) else 1
    _, _, density = _density(*_numbers(table))
    return int(np.max(density))


@drawn("xy", highest=_most_projects)
def users_against_contributors(
    projects: Frame,
    **selection: Unpack[ChartOptions],
) -> Chart:
    """Draw users of projects against their contributors.

    Parameters
    ----------
    projects : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        Projects as `dirframe.load_projects` gives them, of either dialect;
        `dirframe.stats.users_against_contributors` counts them.

    Returns
    -------
    matplotlib.axes.Axes
        One dot for each pair of users (members who state that they use a project) and contributors
        (people in twelve months), larger and darker with the number of projects; for more than 600
        pairs, cells that are darker with the number of projects. Both axes are logarithmic, and
        linear from 0 to 1, since many projects have none.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.users_against_contributors`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({
    ...     "stack_count": [7, 0, 0],
    ...     "analysis_twelve_month_contributor_count": [2, 1, 1],
    ... })
    >>> ax = users_against_contributors(projects)
    >>> ax.collections[0].get_offsets().tolist()
    [[0.0, 1.0], [7.0, 2.0]]
    """
    table, counts = table_of(stats.users_against_contributors, projects, **selection)
    chart = partial(
        Chart,
        table=table,
        title="Users and contributors of projects",
        empty=typography.empty_reason(counts, "both users and contributors counted"),
        x=Axis(label="Users (members)", scale="log"),
        y=Axis(label="Contributors (people in twelve months)", scale="log"),
    )
    if table.empty:
        return chart()
    x, y, numbers = _numbers(table)
    classes = Bins.up_to(int(np.max(numbers)))
    shades = [classes.colour(int(number)) for number in numbers]
    pairs = Marks(
        kind="bubbles",
        table=table,
        x=x,
        y=y,
        colours=shades,
        sizes=[1 + 0.6 * classes.shades.index(shade) for shade in shades],
    )
    return chart(
        marks=[pairs],
        key="Projects",
        bins=classes,
        notes=[_not_shown(counts)],
        draw=None if len(table) <= _DOTS else _draw_cells,
    )


def _draw_cells(ax: Axes, chart: Chart) -> None:
    scales.labels(ax, chart)
    columns, lines, density = _density(*_numbers(chart.table))
    classes = Bins.up_to(int(np.max(density)))
    colours = np.zeros((*density.T.shape, 4))
    for line, column in zip(*np.nonzero(density.T), strict=True):
        colours[line, column] = to_rgba(classes.colour(int(density[column, line])))
    ax.pcolormesh(columns, lines, colours, zorder=2, rasterized=True)
    scales.set_x(ax, chart, 0)
    scales.set_y(ax, chart)
    axes.legend(ax, classes.handles(), f"{chart.key} in a cell")


def _not_shown(counts: dict[str, int]) -> str:
    """Return a note on projects with missing numbers; a project can be counted under several."""
    reasons = {
        "without users": counts["users_missing"],
        "with negative users": counts["users_negative"],
        "without contributors": counts["contributors_missing"],
        "with negative contributors": counts["contributors_negative"],
    }
    hidden = counts["projects"] - counts["with_both"]
    listed = ", ".join(f"{number:,} {reason}" for reason, number in reasons.items() if number)
    return f"Not shown: {counted(hidden, 'project')} ({listed})." if hidden else ""


def _numbers(table: pd.DataFrame) -> tuple[Whole, Whole, Whole]:
    x, y, projects = (
        table[name].to_numpy(np.int64) for name in ("users", "contributors", "projects")
    )
    return x, y, projects


def _density(
    x: Whole, y: Whole, projects: Whole
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Count the projects in each cell; return the edges too."""
    columns, lines = _edges(int(np.max(x))), _edges(int(np.max(y)))
    density, _, _ = np.histogram2d(x, y, bins=(columns, lines), weights=projects)
    return columns, lines, density


def _edges(maximum: int) -> NDArray[np.float64]:
    """Return integer-aligned bin edges from 0 to `maximum`, evenly spaced on a log axis."""
    powers = np.arange(0, _CELLS * (np.log10(max(maximum, 1)) + 1) + 1) / _CELLS
    starts = np.unique(np.append(0, np.round(10**powers)))
    return np.append(starts[starts <= maximum], starts[starts > maximum][0]) - 0.5
