"""Charts of active and dormant projects."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from dirframe import provenance, stats
from dirframe._display import suggests_options
from dirframe.plot import rows
from dirframe.plot.caption import counts_of, not_shown
from dirframe.plot.colours import ACCENT, NEUTRAL, OTHER
from dirframe.plot.figure import NothingToDrawError, Width, show
from dirframe.stats.records import Frame
from dirframe.stats.result import REASONS

_LATER = "begun_after_as_of"
_ROOM = 0.12  # share of a bar that has room for its number inside


@suggests_options
def activity(
    frame: Frame,
    *,
    ax: Axes | None = None,
    as_of: date | str | None = None,
    window: int = 12,
    confidence: float = 0.95,
    title: str | bool | None = None,
    caption: str | bool | None = None,
    width: Width | None = None,
) -> Axes:
    """Draw a bar each for active, dormant and unknown projects, with their share of the known ones.

    `panels` draws one bar of the known projects for each group instead.

    Parameters
    ----------
    frame : pandas.DataFrame, or a table or file of another engine
        Projects, as `dirframe.stats.activity` takes them.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    as_of : datetime.date or str, optional
        The month, or a day in it; by default that of the fetch of the median project.
    window : int, default 12
        Length of the window in months, up to the month of `as_of`: 1 to 24.
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
    >>> projects = pd.DataFrame({"analysis_min_month": pd.to_datetime(["2008-02-01", "2009-01-01"]),
    ...     "analysis_max_month": pd.to_datetime(["2013-07-01", "2010-01-01"]),
    ...     "analysis_logged_at": pd.to_datetime(["2013-07-30", "2013-07-02"])})
    >>> [int(bar.get_width()) for bar in activity(projects).patches]
    [1, 1, 0]
    """
    table = stats.activity(frame, as_of=as_of, window=window, confidence=confidence)
    return show(
        draw_activity,
        table,
        ax=ax,
        title=title,
        caption=caption,
        width=width,
        rows=len(table),
    )


def draw_activity(ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a bar each for active, dormant and unknown projects."""
    if not table["projects"].sum():
        raise NothingToDrawError("have begun yet")
    notes = rows.share_bars(ax, table, colours=[ACCENT, NEUTRAL, OTHER])
    return [*notes, *_notes(table), *not_shown(table, [_LATER])]


def draw_activity_by(
    ax: Axes, tables: Mapping[str, pd.DataFrame], *, in_order: bool = False
) -> list[str]:
    """Draw a bar of 100% for each group: active and dormant projects, of those that are known.

    The group with the largest share of active projects is first, unless groups are `in_order`.
    """
    shares: dict[str, float] = {}
    for name, table in tables.items():
        share = table["share"].iloc[0]
        if pd.notna(share):
            shares[name] = float(share)
    if not shares:
        raise NothingToDrawError("")
    names = list(shares)
    if not in_order:
        names.sort(key=lambda name: -shares[name])
    size = rows.label_rows(ax, names)
    active = np.array([shares[name] for name in names])
    places, height = range(len(names)), rows.thickness(len(names))
    ax.barh(places, active, height, color=ACCENT, label="active")
    ax.barh(places, 1 - active, height, active, color=OTHER, label="dormant")
    for row, share in enumerate(active):
        is_inside = share > _ROOM
        ax.text(
            share - 0.01 if is_inside else share + 0.01,
            row,
            f"{share:.0%}",
            ha="right" if is_inside else "left",
            va="center",
            fontsize=size,
            color="white" if is_inside else mpl.rcParams["text.color"],
        )
    first = next(iter(tables.values()))
    notes = []
    if rows.has_intervals(first):
        ends = [tables[name].iloc[0] for name in names]
        rows.draw_intervals(ax, places, [row["low"] for row in ends], [row["high"] for row in ends])
        notes.append(rows.INTERVALS)
    known = [provenance.get_provenance(tables[name])["base"]["records"] for name in names]
    rows.write_columns(ax, {"projects": [f"{number:,}" for number in known]}, size)
    rows.hide_number_axis(ax)
    ax.set_xlim(0, 1)
    return [*notes, "Bars: the active share of the projects that are known.", *_notes(first)[:1]]


def _notes(table: pd.DataFrame) -> list[str]:
    """Return what active means in a table, and which projects are unknown."""
    notes = []
    counts = counts_of(table)
    month = table["as_of"].iloc[0]
    if "window" not in counts:
        notes.append(
            "By the class that the directory gives each project (project_activity_index), since no "
            "analysis was sent. Dormant: inactive. Active: all others, also new projects."
        )
    elif pd.notna(month):
        window = counts["window"]
        period = "the month of" if window == 1 else f"the {window} months up to"
        notes.append(
            f"Active: the last month of activity is in {period} {month:%Y-%m}, or later; known where "
            "the code was fetched in that month or later."
        )
    return [*notes, *not_shown(table, REASONS.keys() - {_LATER}, "Unknown")]
