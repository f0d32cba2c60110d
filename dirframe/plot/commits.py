"""Chart of the distribution of commits over the contributors of one project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from dirframe import provenance, stats
from dirframe.plot._drawing import axes, numeric_axes, typography
from dirframe.plot._drawing.colours import NEUTRAL
from dirframe.plot._drawing.options import current
from dirframe.plot._drawing.small_multiples import multiples
from dirframe.plot._drawing.tables import table_of
from dirframe.stats.commits import measures_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.plot._drawing.options import ChartOptions
    from dirframe.stats._core.backends import Frame

__all__ = ["commits_by_contributor"]

_DOTS = 60  # contributors; more dots would merge into a line


@multiples("xy")
def commits_by_contributor(
    frame: Frame,
    *,
    ax: Axes | None = None,
    **selection: Unpack[ChartOptions],
) -> Axes:
    """Draw the cumulative share of a project's commits by contributor.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        The contributors of one project as `dirframe.load_contributors` gives them, or with `by`
        those of several;
        `dirframe.stats.commits_by_contributor` ranks them, and
        `dirframe.stats.commit_concentration` computes the measures.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The cumulative share of commits (%), most active contributors first, over the number of
        contributors (logarithmic). Dashed lines mark half of the commits and the number of
        contributors who reach it, the bus factor, which is labelled. The caption states the shares
        of the first and of the first five.

    Raises
    ------
    InvalidInputError
        As `dirframe.stats.commits_by_contributor`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"contributor_id": ["1", "2", "3"], "commits": [10, 60, 30]})
    >>> commits_by_contributor(frame).lines[0].get_ydata().tolist()
    [0.6, 0.9, 1.0]
    """
    table = table_of(stats.commits_by_contributor, frame, **selection)
    counts = table.attrs["dirframe"]["counted"]
    project = provenance.get_provenance(table)["query"].get("project")
    title = "Commits by contributor" + (f": {project}" if project else "")
    ax = numeric_axes.panel(ax)
    measures = measures_of(table)  # avoids a second count
    bus_factor = measures["bus factor"]
    if bus_factor is None:
        reason = typography.empty_reason(counts["contributors"], "contributor", "a commit")
        return axes.empty(ax, table, title, reason)
    numeric_axes.labels(
        ax,
        title,
        "Contributors, most commits first (people)",
        "Commits of all these (share)",
        logarithmic="x",
    )
    ranks, cumulative = table["rank"].to_numpy(float), table["cumulative_share"].to_numpy(float)
    marker = "o" if len(table) <= _DOTS else ""
    size = typography.size(ax, "small")
    ax.plot(
        *(ranks, cumulative),
        color=current().palette.accent,
        marker=marker,
        markersize=0.6 * numeric_axes.dot(ax),
        linewidth=1.6,
    )
    ax.hlines(0.5, 0, bus_factor, color=NEUTRAL, linewidth=1, linestyle="--")
    ax.vlines(bus_factor, 0, 0.5, color=NEUTRAL, linewidth=1, linestyle="--")
    numeric_axes.logarithmic(ax, "x", ranks[-1], least=1)
    numeric_axes.shares(ax, "y")
    ax.set_ylim(0, 1.04)
    label = f"Bus factor {bus_factor:,.0f}"
    on_right = bus_factor < ranks[-1] ** 0.5 or len(ranks) == 1
    ax.annotate(
        label,
        (bus_factor, 0.25),
        (4 if on_right else -4, 0),
        textcoords="offset points",
        ha="left" if on_right else "right",
        va="center",
        fontsize=size,
        **typography.plain_text_props(),
    )
    first, five = (typography.percent(measures[name] or 0.0) for name in ("top 1", "top 5"))
    note = f"The first has {first} of the commits" + (
        f", the first five have {five}." if len(table) > 5 else "."
    )
    meaning = "Bus factor: so many have half of them together."
    reasons = {
        "without a number of commits": counts["commits_missing"],
        "with a negative one": counts["commits_negative"],
    }
    axes.caption(ax, table, note, meaning, typography.not_shown("contributor", reasons))
    return ax
