"""Charts of the contributors and users of projects."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dirframe import stats
from dirframe._display import counted, percent
from dirframe.plot import axes, text
from dirframe.plot.accounts import class_labels, size_classes
from dirframe.plot.canvas import Canvas
from dirframe.plot.colours import ACCENT, NEUTRAL, shades
from dirframe.stats.contributors import concentration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from dirframe.plot.canvas import Width

_NEEDED = "a valid contributor count"
_DOTS = 600  # more of them overlap
_CELLS = 8  # per decade


def contributor_distribution(
    projects: Any,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the distribution of contributors over projects.

    Parameters
    ----------
    projects
        As for `dirframe.stats.contributor_distribution`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        One dot for each number of contributors that occurs (people in twelve months), at the
        number of projects with it. Both axes are logarithmic, the x axis linear from 0 to 1, since
        many projects have none. The caption states the maximum of half, 90% and 99% of the
        projects, and how many have no valid number.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 0, 3]})
    >>> ax = contributor_distribution(projects)
    >>> ax.lines[0].get_ydata().tolist()
    [2.0, 1.0]
    """
    table = stats.contributor_distribution(projects)
    with Canvas(
        *(table, "contributor_distribution", ax, title, caption, width),
        needs=_NEEDED,
    ) as canvas:
        if not canvas.is_empty:
            axes.frequencies(canvas.ax, table["contributors"], table["projects"])
            unit = "Contributors of a project (people in twelve months), logarithmic"
            axes.units(canvas.ax, unit, "Projects, logarithmic")
            canvas.notes = [
                text.at_most(table["contributors"], table["share_at_most"]),
                _not_shown(canvas.counts),
            ]
    return canvas.ax


def team_size_classes(
    projects: Any,
    *,
    bounds: Sequence[int] = (0, 1, 2, 5, 10, 20, 50, 100),
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the number of projects by team size.

    Parameters
    ----------
    projects, bounds
        As for `dirframe.stats.team_size_classes`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per class, the smallest teams at the top, labelled with the number of projects and
        their share of those with a valid number of contributors.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 3, 4, 7]})
    >>> ax = team_size_classes(projects, bounds=[0, 1, 5])
    >>> [int(bar.get_width()) for bar in ax.patches]
    [1, 2, 1]
    """
    table = stats.team_size_classes(projects, bounds=bounds)
    with Canvas(
        *(table, "team_size_classes", ax, title, caption, width),
        needs=_NEEDED,
        is_empty=not table["projects"].sum(),
        rows=len(table),
    ) as canvas:
        if not canvas.is_empty:
            unit = "Projects (share of those with a valid count)"
            axes.bars(canvas.ax, table, "team_size", "projects", unit)
        canvas.notes = [
            "Size: people who contributed in twelve months.",
            _not_shown(canvas.counts),
        ]
    return canvas.ax


def lorenz(
    projects: Any,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw the Lorenz curve of contributors over projects.

    Parameters
    ----------
    projects
        As for `dirframe.stats.lorenz`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        The Lorenz curve: the cumulative share of contributors, from the projects with the fewest,
        beside the diagonal of equality. The Gini coefficient is in the chart. The caption states
        the share of the projects with the most contributors, and the coefficient of the projects
        with a contributor, as `dirframe.stats.contributor_concentration`.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [3, 1, 0, 0]})
    >>> lorenz(projects).texts[0].get_text()
    'Gini coefficient 0.62'
    """
    table = stats.lorenz(projects)
    with Canvas(
        *(table, "lorenz", ax, title, caption, width),
        needs="a contributor",
        rows=13,
        inches=4.6,
    ) as canvas:
        ax = canvas.ax
        # The caption starts at the left and uses the full width.
        ax.set(aspect="equal", anchor="SW")
        if not canvas.is_empty:
            x, y = (
                table[name].to_numpy(float) for name in ("projects_share", "contributors_share")
            )
            measures = concentration(x, y)
            ax.plot([0, 1], [0, 1], "--", color=NEUTRAL, linewidth=1, label="equality")
            ax.fill_between(x, x, y, color=ACCENT, alpha=0.15, linewidth=0)
            ax.plot(x, y, color=ACCENT, linewidth=1.8, label="lorenz", clip_on=False)
            size = text.size(ax, "small")
            ax.text(0.04, 0.95, f"Gini coefficient {measures['gini']:.2f}", va="top", fontsize=size)
            axes.share_axis(ax, "x")
            axes.share_axis(ax, "y")
            axes.units(ax, "Projects, those with the fewest first (share)", "Contributors (share)")
            top = percent(measures["top 10%"])
            canvas.pad = 4
            canvas.notes = [
                f"The tenth of the projects with the most has {top} of the contributors.",
                _without_any(x, y),
                _not_shown(canvas.counts),
            ]
    return canvas.ax


def _without_any(x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    """Return a note on the coefficient of the projects with a contributor."""
    without = float(x[y == 0].max())
    if not without:
        return ""
    rest = x >= without
    gini = concentration((x[rest] - without) / (1 - without), y[rest])["gini"]
    return f"Without the {percent(without)} that have none, the coefficient is {gini:.2f}."


def _not_shown(counts: dict[str, int]) -> str:
    reasons = {
        "without a contributor count": counts["contributors_missing"],
        "with a negative one": counts["contributors_negative"],
    }
    return text.not_shown(counts, reasons)


def users_against_contributors(
    projects: Any,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
) -> Axes:
    """Draw users of projects against their contributors.

    Parameters
    ----------
    projects
        As for `dirframe.stats.users_against_contributors`.
    ax, title, caption, width
        As `dirframe.plot` describes them.

    Returns
    -------
    matplotlib.axes.Axes
        One dot for each pair of users (members who state that they use a project) and contributors
        (people in twelve months), larger and darker with the number of projects; for more than 600
        pairs, cells that are darker with the number of projects. Both axes are logarithmic, and
        linear from 0 to 1, since many projects have none.

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
    table = stats.users_against_contributors(projects)
    with Canvas(
        *(table, "users_against_contributors", ax, title, caption, width),
        needs="both users and contributors counted",
    ) as canvas:
        if not canvas.is_empty:
            unit = "Contributors (people in twelve months), logarithmic"
            axes.units(canvas.ax, "Users (members), logarithmic", unit)
            x, y, numbers = (
                table[name].to_numpy(np.int64) for name in ("users", "contributors", "projects")
            )
            axes.log_axis(canvas.ax, "x", x.max())
            axes.log_axis(canvas.ax, "y", y.max())
            draw = _draw_dots if len(table) <= _DOTS else _draw_cells
            draw(canvas.ax, x, y, numbers)
            canvas.notes = [_without_both(canvas.counts)]
    return canvas.ax


def _draw_dots(ax: Axes, x: Any, y: Any, numbers: Any) -> None:
    lowest = size_classes(int(numbers.max()))
    colours = shades(len(lowest))
    classes = [bisect_right(lowest, number) - 1 for number in numbers]
    diameters = [0.7 * axes.dot(ax) * (1 + 0.6 * number) ** 0.5 for number in range(len(lowest))]
    ax.scatter(
        *(x, y),
        s=[diameters[number] ** 2 for number in classes],
        c=[colours[number] for number in classes],
        edgecolors=NEUTRAL,
        linewidths=0.4,
        clip_on=False,
        zorder=3,
    )
    handles: list[Artist] = [
        Line2D([], [], marker="o", ls="", color=colour, mec=NEUTRAL, mew=0.4, ms=size, label=label)
        for label, colour, size in zip(
            class_labels(lowest, int(numbers.max())), colours, diameters, strict=True
        )
    ]
    axes.legend(ax, handles, "Projects")


def _draw_cells(ax: Axes, x: Any, y: Any, numbers: Any) -> None:
    columns, lines = _edges(int(x.max())), _edges(int(y.max()))
    density, _, _ = np.histogram2d(x, y, bins=(columns, lines), weights=numbers)
    most = int(density.max())
    lowest = size_classes(most)
    colours = shades(len(lowest))
    cells = np.zeros((*density.T.shape, 4))
    for line, column in zip(*np.nonzero(density.T), strict=True):
        cells[line, column] = to_rgba(colours[bisect_right(lowest, density[column, line]) - 1])
    ax.pcolormesh(columns, lines, cells, zorder=2, rasterized=True)
    labels = class_labels(lowest, most)
    handles = [
        Patch(facecolor=colour, edgecolor=NEUTRAL, label=label)
        for label, colour in zip(labels, colours, strict=True)
    ]
    axes.legend(ax, handles, "Projects in a cell")


def _edges(most: int) -> NDArray[np.float64]:
    """Return integer-aligned bin edges from 0 to `most`, evenly spaced on a log axis."""
    powers = np.arange(0, _CELLS * (np.log10(max(most, 1)) + 1) + 1) / _CELLS
    starts = np.unique(np.append(0, np.round(10**powers)))
    return np.append(starts[starts <= most], starts[starts > most][0]) - 0.5


def _without_both(counts: dict[str, int]) -> str:
    """Return a note on projects with missing numbers, which can lack both."""
    hidden = counts["projects"] - counts["with_both"]
    reasons = {
        "without users": counts["users_missing"],
        "with negative users": counts["users_negative"],
        "without contributors": counts["contributors_missing"],
        "with negative contributors": counts["contributors_negative"],
    }
    if sum(reasons.values()) == hidden:
        return text.not_shown(counts, reasons)
    phrases = ", ".join(f"{number:,} {reason}" for reason, number in reasons.items() if number)
    return f"Not shown: {counted(hidden, 'project')} ({phrases}; some for two reasons)."
