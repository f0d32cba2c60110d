"""Charts of how many people contribute to projects and use them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgba
from matplotlib.patches import Patch

from dirframe import provenance, stats
from dirframe._display import percent, quantity, suggests_options
from dirframe.plot import fonts, rows, scales
from dirframe.plot.caption import counts_of, not_shown
from dirframe.plot.colours import ACCENT, NEUTRAL, classes
from dirframe.plot.distributions import draw_distribution
from dirframe.plot.figure import Width, require_figures, show
from dirframe.plot.labels import legend_beside
from dirframe.stats.records import CONTRIBUTORS, NAME, OTHER_NAMES, USERS, Frame, fetch, read
from dirframe.stats.result import REASONS

#: Up to this many projects are drawn by their names.
HANDFUL = 12

_COUNTED = "Contributors are counted over twelve months."
_TENTHS = 10  # projects, of fewer of which the top 10% are less than one


@suggests_options
def contributor_distribution(
    frame: Frame,
    *,
    ax: Axes | None = None,
    confidence: float = 0.95,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw the share of the projects that have at least each number of contributors.

    Both axes are logarithmic: projects without contributors are off the scale, and the caption says
    their share, and what half and 90% have at most. A dozen projects or fewer that have names are
    drawn as bars, one for each.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.contributor_distribution` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.
    title, caption : str or bool, optional
        In place of the chart's own; False for none.
    width : {"column", "page"}, optional
        Width of the new figure, for print.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, as `dirframe.plot` describes them.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 1, 3, 3]})
    >>> contributor_distribution(projects).lines[0].get_ydata().tolist()
    [0.75, 0.5]
    """
    frame = fetch(frame, [CONTRIBUTORS, NAME])  # a stream can be read only once
    table = stats.contributor_distribution(frame, confidence=confidence)
    numbers = _named_numbers(frame, [CONTRIBUTORS])
    if numbers is None or not numbers[CONTRIBUTORS].sum():
        return show(
            draw_contributor_distribution,
            table,
            ax=ax,
            title=title,
            caption=caption,
            width=width,
        )
    return show(
        partial(_draw_contributors, numbers=numbers),
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=len(numbers),
    )


def draw_contributor_distribution(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw the share of the projects that have at least each number of contributors."""
    return [*draw_distribution(ax, table, "contributor"), _COUNTED]


def _named_numbers(frame: pd.DataFrame, needed: list[str]) -> pd.DataFrame | None:
    """Return the numbers of a handful of projects with their names, the most first; else None."""
    if not 0 < len(frame) <= HANDFUL or NAME not in frame:
        return None
    columns = read(frame, [NAME, *needed])
    is_valid = (columns[needed] >= 0).fillna(value=False).all(axis=1)
    columns = columns[is_valid]
    if columns.empty or columns[NAME].isna().any():
        return None
    return columns.sort_values(needed, ascending=False, kind="stable")


def _draw_contributors(ax: Axes, table: pd.DataFrame, numbers: pd.DataFrame) -> list[str]:
    """Draw a bar for the contributors of each of a handful of projects."""
    people = numbers[CONTRIBUTORS].to_numpy(float)
    texts = [f"{number:,.0f}" for number in people]
    names = [str(name) for name in numbers[NAME]]
    rows.draw_bars(ax, names, people, texts, colours=[ACCENT] * len(names))
    return [_COUNTED, *not_shown(table)]


def _draw_users(ax: Axes, table: pd.DataFrame, numbers: pd.DataFrame) -> list[str]:
    """Draw a bar for the users of each of a handful of projects, and write its contributors."""
    texts = [
        f"{quantity(users, 'user')}, {quantity(people, 'contributor')}"
        for users, people in zip(numbers[USERS], numbers[CONTRIBUTORS], strict=True)
    ]
    names = [str(name) for name in numbers[NAME]]
    users = numbers[USERS].to_numpy(float)
    rows.draw_bars(ax, names, users, texts, colours=[ACCENT] * len(names))
    return ["Bars show users.", _COUNTED, *not_shown(table)]


@suggests_options
def team_size_classes(
    frame: Frame,
    *,
    ax: Axes | None = None,
    bounds: Sequence[int] = (0, 1, 2, 5, 10, 20, 50, 100),
    confidence: float = 0.95,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw a bar for each size of teams: its projects, and their share of those with a valid one.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.team_size_classes` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    bounds : sequence of int
        The smallest size of each class, ascending from 0.
    confidence : float, default 0.95
        Level of the interval of each share, of a random sample.
    title, caption : str or bool, optional
        In place of the chart's own; False for none.
    width : {"column", "page"}, optional
        Width of the new figure, for print.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, as `dirframe.plot` describes them.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [0, 3, 4, 7]})
    >>> [int(bar.get_width()) for bar in team_size_classes(projects, bounds=[0, 1, 5]).patches]
    [1, 2, 1]
    """
    table = stats.team_size_classes(frame, bounds=bounds, confidence=confidence)
    return show(
        draw_team_size_classes,
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=len(table),
    )


def draw_team_size_classes(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a bar for each size of teams."""
    notes = rows.share_bars(ax, table)
    return [*notes, "Team: the people who contributed in twelve months.", *not_shown(table)]


@suggests_options
def lorenz(
    frame: Frame,
    *,
    ax: Axes | None = None,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw the Lorenz curve of contributors over projects, with the Gini coefficient.

    The cumulative share of contributors, from the projects with the fewest, beside the diagonal of
    equality. The caption states the share of the top tenth, and the coefficient without the
    projects that have none.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.lorenz` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    title, caption : str or bool, optional
        In place of the chart's own; False for none.
    width : {"column", "page"}, optional
        Width of the new figure, for print.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, as `dirframe.plot` describes them.

    Examples
    --------
    >>> projects = pd.DataFrame({"analysis_twelve_month_contributor_count": [3, 1, 0, 0]})
    >>> lorenz(projects).texts[0].get_text()
    'Gini coefficient 0.62'
    """
    frame = fetch(frame, [CONTRIBUTORS])  # a stream can be read only once
    return show(
        partial(draw_lorenz, measures=stats.contributor_concentration(frame)),
        stats.lorenz(frame),
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=12.5 if width == "column" else 16,  # the curve is as high as wide
        inches=4.3,
    )


def draw_lorenz(ax: Axes, table: pd.DataFrame, measures: pd.DataFrame) -> list[str]:
    """Draw the Lorenz curve; `measures` are those of `dirframe.stats.contributor_concentration`."""
    ax.set(aspect="equal", anchor="SW")  # the caption starts at the left and uses the full width
    require_figures(table, "have a contributor")
    x = table["projects_share"].to_numpy(float)
    y = table["contributors_share"].to_numpy(float)
    ax.plot([0, 1], [0, 1], "--", color=NEUTRAL, linewidth=1, label="equality")
    ax.fill_between(x, x, y, color=ACCENT, alpha=0.15, linewidth=0)
    ax.plot(x, y, color=ACCENT, linewidth=1.8, label="lorenz", clip_on=False)
    figures = measures.iloc[0]
    size = fonts.font_size(ax, "small")
    ax.text(0.04, 0.95, f"Gini coefficient {figures['gini']:.2f}", va="top", fontsize=size)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    scales.share_axis(ax.xaxis)
    scales.share_axis(ax.yaxis)
    ax.set_xlabel("Projects, fewest contributors first")
    ax.set_ylabel("Share of all contributors")
    scales.grid(ax)
    notes = []
    if provenance.get_provenance(table)["base"]["records"] >= _TENTHS:
        top = percent(figures["top_10_percent_share"])
        notes.append(f"The top 10% of projects have {top} of all contributors.")
    none = x[y == 0]
    if len(none) > 1:
        positive = figures["gini_without_zeros"]
        notes.append(
            f"Without the {percent(float(none.max()))} of projects that have none, the coefficient "
            f"is {positive:.2f}."
        )
    return [*notes, *not_shown(table)]


@suggests_options
def users_against_contributors(
    frame: Frame,
    *,
    ax: Axes | None = None,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw cells of users and contributors, darker the more projects have such numbers.

    The bounds of the cells double: 0, 1, 2 to 3, 4 to 7, and so on.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.users_against_contributors` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    title, caption : str or bool, optional
        In place of the chart's own; False for none.
    width : {"column", "page"}, optional
        Width of the new figure, for print.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, as `dirframe.plot` describes them.

    Examples
    --------
    >>> people = "analysis_twelve_month_contributor_count"
    >>> projects = pd.DataFrame({"stack_count": [7, 0, 0], people: [2, 1, 1]})
    >>> ax = users_against_contributors(projects)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['2', '1']
    """
    frame = fetch(frame, [USERS, *OTHER_NAMES.values(), CONTRIBUTORS, NAME])  # a stream, only once
    table = stats.users_against_contributors(frame)
    numbers = _named_numbers(frame, [USERS, CONTRIBUTORS])
    if numbers is not None and numbers[USERS].sum():
        return show(
            partial(_draw_users, numbers=numbers),
            table,
            ax=ax,
            title=title,
            caption=caption,
            width=width,
            rows=len(numbers),
        )
    return show(
        draw_users_against_contributors,
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
    )


def draw_users_against_contributors(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw the number of projects in cells of users and contributors as shades."""
    require_figures(table)
    column = _doubling(table["users"])
    row = _doubling(table["contributors"])
    projects = np.zeros((row.max() + 1, column.max() + 1))
    np.add.at(projects, (row, column), table["projects"].to_numpy(float))
    is_filled = projects > 0
    places, present = classes(projects[is_filled])
    shades = np.zeros((*projects.shape, 4))  # transparent where no project is
    shades[is_filled] = [to_rgba(present[place][1]) for place in places]
    cells = ax.pcolormesh(projects, edgecolors=ax.get_facecolor(), linewidth=0.8)
    cells.set_facecolor([tuple(shade) for shade in shades.reshape(-1, 4).tolist()])
    cells.set_array(None)
    size = fonts.font_size(ax, mpl.rcParams["xtick.labelsize"])
    _label_bounds(ax.xaxis, projects.shape[1], fitting=fonts.axes_width(ax) / (5 * size))
    _label_bounds(ax.yaxis, projects.shape[0], fitting=fonts.axes_height(ax) / (2 * size))
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_xlabel("Users (members who stack the project)")
    ax.set_ylabel("Contributors in twelve months")
    key = [Patch(facecolor=shade, label=label) for label, shade in present.values()]
    legend_beside(ax, key, "Projects")
    counts = counts_of(table)
    not_drawn = counts["projects"] - counts["with_both"]
    reasons = sum(number for name, number in counts.items() if name in REASONS)
    what = "Not shown, some for two reasons" if reasons > not_drawn else "Not shown"
    return [
        "Cells begin at 0, 1, 2, 4, 8 and so on, and end below the next bound.",
        *not_shown(table, what=what),
    ]


def _label_bounds(axis: Axis, cells: int, *, fitting: float) -> None:
    """Label the bounds of the cells along an axis, as many as have room."""
    step = math.ceil((cells + 1) / max(int(fitting), 1))
    scales.labelled_ticks(axis, range(0, cells + 1, step), _bound)


def _bound(place: int) -> str:
    """Return the lower bound of a cell: 0, 1, 2, 4, 8, ..."""
    return f"{2 ** (place - 1):,}" if place > 0 else "0"


def _doubling(numbers: pd.Series[int]) -> np.ndarray:
    """Return the cell of each number: 0 for 0, 1 for 1, 2 for 2 to 3, 3 for 4 to 7, ..."""
    values = numbers.to_numpy(np.int64)
    cells: np.ndarray = np.zeros(len(values), dtype=int)
    positive = values > 0
    cells[positive] = np.floor(np.log2(values[positive])).astype(int) + 1
    return cells
