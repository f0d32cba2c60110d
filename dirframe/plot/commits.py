"""Chart of how the work on one project is spread over its contributors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe import provenance, stats
from dirframe.plot import _axes, _panel, _text
from dirframe.plot._colours import ACCENT, NEUTRAL
from dirframe.stats.commits import measures_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dirframe.stats._engines import Frame

__all__ = ["commits_by_contributor"]

_DOTS = 60  # contributors; more dots are a line


def commits_by_contributor(frame: Frame, *, ax: Axes | None = None) -> Axes:
    """Draw which share of a project's commits its most active contributors have.

    Parameters
    ----------
    frame : pandas.DataFrame, dask.dataframe.DataFrame or duckdb.DuckDBPyRelation
        The contributors of one project as `dirframe.load_contributors` gives them;
        `dirframe.stats.commits_by_contributor` ranks them, and
        `dirframe.stats.commit_concentration` measures.
    ax : matplotlib.axes.Axes, optional
        Where to draw. Left out: a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The share of all commits (%) that the first, the first two, the first three and so on
        have together, over their number (logarithmic). Dashed lines stand at half of the
        commits and at the number of contributors that reach it, the bus factor, which the
        chart names. The caption says what the first and the first five have.

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
    table = stats.commits_by_contributor(frame)
    counted = table.attrs["dirframe"]["counted"]
    project = provenance.describe(table)["question"].get("project")
    title = "Commits by contributor" + (f": {project}" if project else "")
    ax = _panel.panel(ax)
    measures = measures_of(table)  # not counted a second time
    bus = measures["bus factor"]
    if bus is None:
        why = _text.none(counted["contributors"], "contributor", "a commit")
        return _panel.empty(ax, table, title, why)
    _panel.labels(
        ax,
        title,
        "Contributors, most commits first (people)",
        "Commits of all these (share)",
    )
    ranks, reached = table["rank"].to_numpy(float), table["cumulative_share"].to_numpy(float)
    dots = "o" if len(table) <= _DOTS else ""
    size = _text.size(ax, "small")
    ax.plot(
        *(ranks, reached), color=ACCENT, marker=dots, markersize=0.6 * _panel.dot(ax), linewidth=1.6
    )
    ax.hlines(0.5, 0, bus, color=NEUTRAL, linewidth=1, linestyle="--")
    ax.vlines(bus, 0, 0.5, color=NEUTRAL, linewidth=1, linestyle="--")
    _panel.logarithmic(ax, "x", ranks[-1], least=1)
    _panel.shares(ax, "y")
    ax.set_ylim(0, 1.04)
    said = f"Bus factor {bus:,.0f}"
    beside = bus < ranks[-1] ** 0.5 or len(ranks) == 1
    ax.annotate(
        said,
        (bus, 0.25),
        (4 if beside else -4, 0),
        textcoords="offset points",
        ha="left" if beside else "right",
        va="center",
        fontsize=size,
        **_text.literal(),
    )
    first, five = (_text.percent(measures[name] or 0.0) for name in ("top 1", "top 5"))
    note = f"The first has {first} of the commits" + (
        f", the first five have {five}." if len(table) > 5 else "."
    )
    meaning = "Bus factor: so many have half of them together."
    reasons = {
        "without a number of commits": counted["commits_missing"],
        "with a negative one": counted["commits_negative"],
    }
    _axes.caption(ax, table, note, meaning, _text.not_shown("contributor", reasons))
    return ax
