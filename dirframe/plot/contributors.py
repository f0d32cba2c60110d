"""Charts of the contributors and users of projects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D

from dirframe import stats
from dirframe._display import counted, percent
from dirframe.plot import axes, text
from dirframe.plot.canvas import Canvas, bar_chart
from dirframe.plot.colours import ACCENT, NEUTRAL, Classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from dirframe.plot.canvas import Width

_NEEDED = "a valid contributor count"
_UNCOUNTED = {
    "contributors_missing": "without a contributor count",
    "contributors_negative": "with a negative one",
}
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
    projects, ax, title, caption, width
        As `dirframe.stats.contributor_distribution` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One dot for each number of contributors that occurs, at the number of projects with it. Both
        axes are logarithmic, the x axis linear from 0 to 1, since many projects have none. The
        caption states what half, 90% and 99% of the projects have at most.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 0, 3]})
    >>> contributor_distribution(projects).lines[0].get_ydata().tolist()
    [2.0, 1.0]
    """
    table = stats.contributor_distribution(projects)
    with Canvas(
        *(table, "contributor_distribution", (ax, title, caption, width)), needs=_NEEDED
    ) as canvas:
        if not canvas.is_empty:
            axes.frequencies(canvas.ax, table["contributors"], table["projects"])
            unit = "Contributors of a project (people in twelve months), logarithmic"
            axes.units(canvas.ax, unit, "Projects, logarithmic")
            canvas.notes = [
                text.at_most(table["contributors"], table["share_at_most"]),
                text.not_shown(canvas.counts, **_UNCOUNTED),
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
    projects, bounds, ax, title, caption, width
        As `dirframe.stats.team_size_classes` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One bar per class, the smallest teams at the top, with the number of projects and their share
        of those with a valid number of contributors.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 3, 4, 7]})
    >>> [int(bar.get_width()) for bar in team_size_classes(projects, bounds=[0, 1, 5]).patches]
    [1, 2, 1]
    """
    table = stats.team_size_classes(projects, bounds=bounds)
    return bar_chart(
        *(table, "team_size_classes", (ax, title, caption, width)),
        name="team_size",
        unit="Projects (share of those with a valid count)",
        needs=_NEEDED,
        notes=[
            "Size: people who contributed in twelve months.",
            text.not_shown(text.counts_of(table), **_UNCOUNTED),
        ],
    )


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
    projects, ax, title, caption, width
        As `dirframe.stats.lorenz` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        The cumulative share of contributors, from the projects with the fewest, beside the diagonal
        of equality, with the Gini coefficient. The caption states the share of the top tenth, and
        the coefficient without the projects that have none.

    Examples
    --------
    >>> import pandas as pd
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [3, 1, 0, 0]})
    >>> lorenz(projects).texts[0].get_text()
    'Gini coefficient 0.62'
    """
    table = stats.lorenz(projects)
    with Canvas(
        *(table, "lorenz", (ax, title, caption, width)),
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
            measures = stats.contributor_concentration(projects)
            (gini, _, tenth, *_), (without_zeros, *_) = (
                measures[name].to_numpy(float) for name in ("value", "value_without_zeros")
            )
            ax.plot([0, 1], [0, 1], "--", color=NEUTRAL, linewidth=1, label="equality")
            ax.fill_between(x, x, y, color=ACCENT, alpha=0.15, linewidth=0)
            ax.plot(x, y, color=ACCENT, linewidth=1.8, label="lorenz", clip_on=False)
            size = text.size(ax, "small")
            ax.text(0.04, 0.95, f"Gini coefficient {gini:.2f}", va="top", fontsize=size)
            axes.share_axis(ax, "x")
            axes.share_axis(ax, "y")
            axes.units(ax, "Projects, those with the fewest first (share)", "Contributors (share)")
            none = percent(float(x[y == 0].max()))
            canvas.pad = 4
            canvas.notes = [
                f"The tenth of the projects with the most has {percent(tenth)} of the contributors.",
                f"Without the {none} that have none, the coefficient is {without_zeros:.2f}."
                if (y == 0).sum() > 1
                else "",
                text.not_shown(canvas.counts, **_UNCOUNTED),
            ]
    return canvas.ax


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
    projects, ax, title, caption, width
        As `dirframe.stats.users_against_contributors` and `dirframe.plot` describe them.

    Returns
    -------
    matplotlib.axes.Axes
        One dot for each pair of users (members) and contributors (people in twelve months), larger
        and darker with the number of projects; for more than 600 pairs, cells that are darker with
        it. Both axes are logarithmic, and linear from 0 to 1, since many projects have none.

    Examples
    --------
    >>> import pandas as pd
    >>> people = "analysis_twelve_month_contributor_count"
    >>> projects = pd.DataFrame({"stack_count": [7, 0, 0], people: [2, 1, 1]})
    >>> users_against_contributors(projects).collections[0].get_offsets().tolist()
    [[0.0, 1.0], [7.0, 2.0]]
    """
    table = stats.users_against_contributors(projects)
    with Canvas(
        *(table, "users_against_contributors", (ax, title, caption, width)),
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
    classes = Classes(int(numbers.max()))
    places = [classes.place_of(number) for number in numbers]
    diameters = [0.7 * axes.dot(ax) * (1 + 0.6 * n) ** 0.5 for n in range(len(classes.lowest))]
    ax.scatter(
        *(x, y),
        s=[diameters[place] ** 2 for place in places],
        c=[classes.shades[place] for place in places],
        edgecolors=NEUTRAL,
        linewidths=0.4,
        clip_on=False,
        zorder=3,
    )
    dots = zip(classes.labels, classes.shades, diameters, strict=True)
    handles: list[Artist] = [
        Line2D([], [], marker="o", ls="", color=shade, mec=NEUTRAL, mew=0.4, ms=size, label=label)
        for label, shade, size in dots
    ]
    axes.legend(ax, handles, "Projects")


def _draw_cells(ax: Axes, x: Any, y: Any, numbers: Any) -> None:
    columns, lines = _edges(int(x.max())), _edges(int(y.max()))
    density, _, _ = np.histogram2d(x, y, bins=(columns, lines), weights=numbers)
    classes = Classes(int(density.max()))
    cells = np.zeros((*density.T.shape, 4))
    for line, column in zip(*np.nonzero(density.T), strict=True):
        cells[line, column] = to_rgba(classes.shade_of(density[column, line]))
    ax.pcolormesh(columns, lines, cells, zorder=2, rasterized=True)
    axes.legend(ax, classes.patches(), "Projects in a cell")


def _edges(most: int) -> NDArray[np.float64]:
    """Return integer-aligned bin edges from 0 to `most`, evenly spaced on a log axis."""
    powers = np.arange(0, _CELLS * (np.log10(max(most, 1)) + 1) + 1) / _CELLS
    starts = np.unique(np.append(0, np.round(10**powers)))
    return np.append(starts[starts <= most], starts[starts > most][0]) - 0.5


def _without_both(counts: dict[str, int]) -> str:
    """Return a note on projects with missing numbers, which can lack both."""
    hidden = counts["projects"] - counts["with_both"]
    words = {
        "users_missing": "without users",
        "users_negative": "with negative users",
        "contributors_missing": "without contributors",
        "contributors_negative": "with negative contributors",
    }
    if sum(counts[name] for name in words) == hidden:
        return text.not_shown(counts, **words)
    phrases = ", ".join(f"{counts[name]:,} {why}" for name, why in words.items() if counts[name])
    return f"Not shown: {counted(hidden, 'project')} ({phrases}; some for two reasons)."
