"""Chart of the tags of projects."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from dirframe import stats
from dirframe._display import suggests_options
from dirframe.plot import rows
from dirframe.plot.caption import not_shown
from dirframe.plot.figure import Width, show
from dirframe.stats.records import Frame


@suggests_options
def tags(
    frame: Frame,
    *,
    ax: Axes | None = None,
    top: int | None = 20,
    confidence: float = 0.95,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw a bar for each tag: its projects, and their share of those with one.

    A bar for other tags would dwarf the rest: the caption states their number.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.tags` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    top : int or None, default 20
        Number of tags with bars; None for all.
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
    >>> projects = pd.DataFrame({"tags": [["xml", "web"], ["xml"]]})
    >>> [int(bar.get_width()) for bar in tags(projects).patches]
    [2, 1]
    """
    table = stats.tags(frame, top=top, confidence=confidence)
    return show(
        draw_tags,
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=len(table),
    )


def draw_tags(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a bar for each tag."""
    notes = rows.share_bars(ax, table, others="with any of {} other tags", other_bar=False)
    return [*notes, "A project can have several tags.", *not_shown(table)]
