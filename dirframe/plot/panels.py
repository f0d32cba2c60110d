"""Panels: a chart of each part of a frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dirframe import provenance, stats
from dirframe._display import quantity
from dirframe.charts import CHARTS
from dirframe.plot import text
from dirframe.plot.canvas import CAPTION, INCHES, Caption, checked, reason_if_empty, set_title
from dirframe.stats.strata import describe, divided, in_several, require_own

_PANELS = 12  # more would be too small to compare
#: Inches of a panel: three are as wide as a notebook's cell, two as a page of most journals.
_WIDTH, _NARROWEST = 3.7, 3.3
_HEIGHT = 3.2
#: Heights of those that are wide, or have 20 rows.
_HEIGHTS = {"accounts_map": 2.6, "life_span": 5.0}
_CAPTION = 7  # points, as the caption of a small chart
#: The statistics of charts of another name.
_STATISTICS = {"accounts_map": "accounts_by_country"}


def panels(
    chart: Callable[..., Axes],
    frame: pd.DataFrame,
    column: str,
    *,
    min_records: int = 1,
    **options: Any,
) -> Figure:
    """Draw a chart of each part of a frame, on the same axes.

    Parameters
    ----------
    chart : callable
        A function of `dirframe.plot`.
    frame : pandas.DataFrame
        Records for the chart.
    column, min_records
        What divides them, as in `dirframe.stats.by`; small parts, and those beyond twelve, share the
        last panel.
    **options
        Those of the chart. ``title``, ``caption`` and ``width`` are those of the figure, by default
        3.7 inches a panel, up to three beside each other.

    Returns
    -------
    matplotlib.figure.Figure
        Each panel has its name and number of records as title; notes that hold for all are below
        the figure. A panel that cannot show anything says why.

    Examples
    --------
    >>> from dirframe import plot
    >>> ranks = {"kudo_score_kudo_rank": [1, 2, 9], "country_name": ["Chad", "Chad", "Cuba"]}
    >>> figure = plot.panels(plot.accounts_by_kudo_rank, pd.DataFrame(ranks), "country")
    >>> [ax.get_title() for ax in figure.axes]
    ['Chad (n = 2)', 'Cuba (n = 1)']
    """
    require_own(chart, "plot", CHARTS)
    look = {name: options.pop(name, None) for name in ("title", "caption", "width")}
    title, caption, width = checked(look)
    strata = divided(frame, column, min_records=min_records, most=_PANELS)
    if not strata:
        return chart(frame, **look, **options).get_figure(root=True)  # type: ignore[return-value]  # of any chart
    inches = INCHES.get(width)
    across = min(len(strata), max(int((inches or 3 * _WIDTH) / _NARROWEST), 1))
    down = -(-len(strata) // across)
    size = (inches or _WIDTH * across, _HEIGHTS.get(chart.__name__, _HEIGHT) * down + 0.8)
    figure = plt.figure(figsize=size)
    # With matplotlib's default padding, titles would touch the ticks above.
    figure.set_layout_engine("constrained", h_pad=0.08, w_pad=0.06)
    places = [figure.add_subplot(down, across, place + 1) for place in range(len(strata))]
    try:
        for ax, stratum in zip(places, strata, strict=True):
            chart(stratum.frame, ax=ax, **options)
    except BaseException:
        plt.close(figure)
        raise
    captions = [part for ax in places for part in ax.texts if isinstance(part, Caption)]
    # Notes that all panels with notes have are shown once.
    first, *others = [part.notes for part in captions if part.notes] or [[]]
    common = [note for note in first if others and all(note in notes for notes in others)]
    bases = [provenance.get_provenance(part.table)["base"] for part in captions]
    for ax, stratum, part, base in zip(places, strata, captions, bases, strict=True):
        count = base["records"]
        of = f" of {len(stratum.frame):,}" if count < len(stratum.frame) else ""
        name = text.short(stratum.label or "not known")
        set_title(ax, f"{name} (n = {count:,}{of})", "medium", part.pad)
        own = [note for note in part.notes if note not in common]
        if own and caption in {None, True}:
            part.write(" ".join(own))
        else:
            part.remove()
    _share_axes(places, across)
    if title in {None, True}:
        title = f"{captions[0].heading}, by {column.replace('_', ' ')}"
    room = 0.95 * size[0] * 72  # points
    points = min(12, room / 25)
    figure.suptitle(text.wrapped(title or "", points, room), fontsize=points, **text.literal())
    if pooled := sum(stratum.pooled for stratum in strata):
        common.append(f"The last panel holds {quantity(pooled, 'smaller group')} together.")
    share_records = in_several(strata, frame) > 0
    if share_records:
        common.append("A record with several values is in the panel of each.")
    if caption is not False:
        words = caption if isinstance(caption, str) else " ".join(common)
        tables = [part.table for part in captions]
        total = describe(
            frame,
            tables,
            pd.DataFrame(),
            step=f"by: {column}",
            numbers={},
            whole=_whole(chart, frame, options) if share_records else None,
        )
        whole = f"{words}\n{provenance.caption(total)}".strip()
        below: Any = {"x": 0.01, "ha": "left", "alpha": 0.75, "gid": CAPTION, **text.literal()}
        figure.supxlabel(text.wrapped(whole, _CAPTION, room), fontsize=_CAPTION, **below)
    return figure


def _whole(
    chart: Callable[..., Axes], frame: pd.DataFrame, options: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the statistic of a chart for the whole frame, with those of its options that are its."""
    statistic = getattr(stats, _STATISTICS.get(chart.__name__, chart.__name__))
    names = signature(statistic).parameters
    table: pd.DataFrame = statistic(
        frame, **{name: value for name, value in options.items() if name in names}
    )
    return table


def _share_axes(panels: Sequence[Axes], across: int) -> None:
    """Give all panels the limits and ticks of the widest, and the labels to the outer ones."""
    filled = [ax for ax in panels if not reason_if_empty(ax)]
    # Rows have names of their own, and go downwards; lanes, if there are any, have scales.
    upwards = [ax for ax in filled if not ax.yaxis_inverted()]
    lanes = zip(*(ax.child_axes for ax in filled), strict=False)
    for which, shown in [("x", filled), ("y", upwards), *(("y", lane) for lane in lanes)]:
        parts = [getattr(ax, f"{which}axis") for ax in shown]
        limits = [axis.get_view_interval() for axis in parts]
        if parts:
            low, high = min(low for low, _ in limits), max(high for _, high in limits)
            ticks = parts[[high for _, high in limits].index(high)].get_major_locator()
        for ax, axis in zip(shown, parts, strict=True):
            axis.set_major_locator(ticks)
            ax.set(**{f"{which}lim": (low, high)})
    for index, ax in enumerate(panels):
        if index + across < len(panels):
            ax.set_xlabel("")
        if any(other in filled for other in panels[index - index % across : index]):
            ax.set_ylabel("")
