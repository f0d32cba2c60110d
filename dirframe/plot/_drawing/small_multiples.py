"""Small multiples: one panel per stratum with shared axes."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.dates import DateLocator
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import FixedLocator

from dirframe.plot._description.options import current
from dirframe.plot._drawing import axes, marks, typography
from dirframe.plot._drawing.figures import new_figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dirframe.plot._drawing.panels import Panels

_WIDTH, _NARROWEST = 3.7, 3.3  # inches
_CAPTION = 7  # points, as the caption of a small chart


def draw_panels(panels: Panels) -> Axes:
    """Draw the panels in a figure of their own, and return the first axes."""
    look = current()
    count = len(panels.panels)
    columns = min(count, max(int((look.inches or 3 * _WIDTH) / _NARROWEST), 1))
    lines = -(-count // columns)
    size = (look.inches or _WIDTH * columns, panels.height * lines + 0.8)
    figure = new_figure(figsize=size)
    grid = figure.subplots(lines, columns, squeeze=False)
    # With matplotlib's default padding, panel titles would touch the ticks above.
    figure.set_layout_engine("constrained", h_pad=0.08, w_pad=0.06)
    try:
        every = list(grid.flat)
        for ax in every[count:]:
            ax.remove()
        every = every[:count]
        for ax, panel in zip(every, panels.panels, strict=True):
            ax.set_gid(axes.PANEL)
            if panel.chart:
                marks.draw(panel.chart, ax, is_captioned=False)
            _title(ax, panel.title)
            if not panel.chart:
                axes.empty_message(ax, panel.message)
            if panel.notes and look.caption is True:
                axes.note_below(ax, panel.notes)
        _label_outer(every, columns)
        for which in panels.share:
            _same(every, which)
        _figure_title(figure, panels.title if look.title is None else look.title)
        _caption(figure, panels.table, panels.notes)
    except BaseException:
        plt.close(figure)
        raise
    first: Axes = every[0]
    return first


def _title(ax: Axes, title: str) -> None:
    """Set the title of a panel."""
    size = typography.size(ax, "medium")
    # The distance from the axes stays: some charts write above them.
    ax.title.set(
        text=typography.wrapped(title, size, typography.width(ax)),
        fontsize=size,
        **typography.plain_text_props(),
    )


def _figure_title(figure: Figure, title: str) -> None:
    """Set the title of all panels."""
    default_size = FontProperties(size=mpl.rcParams["figure.titlesize"]).get_size_in_points()
    width = 0.95 * figure.get_figwidth() * 72
    size = default_size * min(1, width / typography.FULL_WIDTH)
    text = typography.wrapped(title, size, width)
    figure.suptitle(text, fontsize=size, **typography.plain_text_props())


def _label_outer(panels: Sequence[Axes], columns: int) -> None:
    """Keep the labels of the outer panels alone, wrapped to what all leave for them."""
    for index, ax in enumerate(panels):
        if index + columns < len(panels):
            ax.set_xlabel("")
        if any(other.has_data() for other in panels[index - index % columns : index]):
            ax.set_ylabel("")
    room = min(axes.inner_width(ax) for ax in panels)  # the longest names are those of all
    for ax in panels:
        _wrap_unit(ax, min(room, typography.width(ax)))


def _wrap_unit(ax: Axes, room: float) -> None:
    """Wrap the unit below the axes to a width in points."""
    unit = ax.xaxis.label
    size = float(unit.get_fontsize())
    unit.set_text(typography.wrapped(" ".join(unit.get_text().split()), size, 0.9 * room))


def _same(panels: Sequence[Axes], which: str) -> None:
    """Set the limits and ticks of all panels to those of the widest."""
    filled = [ax for ax in panels if ax.has_data()]
    if not filled:
        return
    limits = [getattr(ax, f"get_{which}lim")() for ax in filled]
    low, high = min(low for low, _ in limits), max(high for _, high in limits)
    widest = max(filled, key=lambda ax: abs(getattr(ax, f"get_{which}lim")()[1]))
    ticks = getattr(widest, f"{which}axis").get_major_locator()
    for ax in filled:
        if isinstance(ticks, FixedLocator):
            getattr(ax, f"set_{which}ticks")([float(tick) for tick in ticks()])
        elif ax is not widest and not isinstance(ticks, DateLocator):
            # The number of ticks depends on the values; date ticks follow the limits.
            getattr(ax, f"{which}axis").set_major_locator(copy(ticks))
        getattr(ax, f"set_{which}lim")(low, high)


def _caption(figure: Any, statistic: pd.DataFrame, notes: Sequence[str]) -> None:
    if not (text := axes.caption_text(statistic, notes)):
        return
    wrapped = typography.wrapped(text, _CAPTION, 0.95 * figure.get_figwidth() * 72)
    figure.supxlabel(
        wrapped,
        x=0.01,
        ha="left",
        fontsize=_CAPTION,
        alpha=0.75,
        gid="caption",
        **typography.plain_text_props(),
    )
