"""Panels: a chart of each part of a frame."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.dates import DateLocator
from matplotlib.font_manager import FontProperties
from matplotlib.ticker import FixedLocator

from dirframe import provenance
from dirframe._display import counted
from dirframe.plot import text
from dirframe.plot.canvas import CAPTION, EMPTY, INCHES, Caption, check_options
from dirframe.stats.strata import divided

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dirframe.plot.canvas import Width

#: The gid of axes that are one of several panels.
PANEL = "panel"
_PANELS = 9  # more would be too small to compare
_WIDTH, _NARROWEST = 3.7, 3.3  # inches
#: Inches of a panel, where it is not 3.2.
_HEIGHTS = {"accounts_map": 2.6, "life_span": 5.0}
_CAPTION = 7  # points, as the caption of a small chart


def panels(
    chart: Callable[..., Axes],
    frame: pd.DataFrame,
    column: str,
    *,
    min_records: int = 1,
    title: str | None = None,
    caption: str | bool = True,
    width: Width | None = None,
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
        What divides them, as in `dirframe.stats.by`; small parts, and those beyond nine, share the
        last panel.
    title : str, optional
        Title of the figure, in place of its own; ``""`` for none.
    caption : str or bool, default True
        As `dirframe.plot` describes it.
    width : {"column", "page"}, optional
        Width of the figure; by default 3.7 inches a panel, up to three beside each other.
    **options
        Further options of the chart.

    Returns
    -------
    matplotlib.figure.Figure
        A panel for each part, with its name and number of records as title; notes that hold for all
        are below the figure. A panel that cannot show anything says why.

    Examples
    --------
    >>> import pandas as pd
    >>> from dirframe import plot
    >>> ranks = {"kudo_score_kudo_rank": [1, 2, 9], "country_name": ["Chad", "Chad", "Cuba"]}
    >>> figure = plot.panels(plot.accounts_by_kudo_rank, pd.DataFrame(ranks), "country")
    >>> [ax.get_title() for ax in figure.axes]
    ['Chad (n = 2)', 'Cuba (n = 1)']
    """
    check_options(title, caption, width)
    strata = divided(frame, column, min_records=min_records, most=_PANELS)
    if not strata:
        ax: Any = chart(frame, title=title, caption=caption, width=width, **options)
        return ax.get_figure(root=True)  # type: ignore[no-any-return]  # of any chart
    inches = INCHES.get(width)
    across = min(len(strata), max(int((inches or 3 * _WIDTH) / _NARROWEST), 1))
    down = -(-len(strata) // across)
    height = _HEIGHTS.get(chart.__name__, 3.2) * down + 0.8
    figure = plt.figure(figsize=(inches or _WIDTH * across, height))
    # With matplotlib's default padding, titles would touch the ticks above.
    figure.set_layout_engine("constrained", h_pad=0.08, w_pad=0.06)
    try:
        every = list(figure.subplots(down, across, squeeze=False).flat)
        for ax in every[len(strata) :]:
            ax.remove()
        every = every[: len(strata)]
        captions = []
        for ax, stratum in zip(every, strata, strict=True):
            chart(stratum.frame, ax=ax, **options)
            heading = " ".join(ax.get_title().split())
            [own_caption] = [part for part in ax.texts if isinstance(part, Caption)]
            own_caption.remove()
            captions.append(own_caption)
            ax.set_gid(PANEL)
            _set_title(ax, stratum.title, captions[-1].table, stratum.records)
        # Notes that all panels with notes have are shown once.
        first, *others = [part.notes for part in captions if part.notes] or [[]]
        common = [note for note in first if others and all(note in notes for notes in others)]
        for ax, part in zip(every, captions, strict=True):
            own = [note for note in part.notes if note not in common]
            if own and caption is True:
                Caption(ax, " ".join(own), part.table, own)
        _share_axes(every, across)
        own_title = f"{heading}, by {column.replace('_', ' ')}"
        _set_heading(figure, own_title if title is None else title or "")
        pooled = sum(stratum.pooled for stratum in strata)
        notes = common
        if pooled:
            notes = [*common, f"The last panel holds {counted(pooled, 'smaller group')} together."]
        if caption is not False:
            words = " ".join(notes) if caption is True else caption
            _set_caption(figure, words, frame, [part.table for part in captions])
        return figure
    except BaseException:
        plt.close(figure)
        raise


def _set_title(ax: Axes, name: str, table: pd.DataFrame, records: int) -> None:
    """Set the title of a panel, with the number of records that its figures are based on."""
    count = provenance.get_provenance(table)["base"]["records"]
    of = f" of {records:,}" if count < records else ""
    size = text.size(ax, "medium")
    words = text.wrapped(f"{text.short(name)} (n = {count:,}{of})", size, text.width(ax))
    ax.title.set(text=words, fontsize=size, **text.literal())


def _share_axes(panels: Sequence[Axes], across: int) -> None:
    """Give all panels the limits and ticks of the widest, and the labels to the outer ones."""
    filled = [ax for ax in panels if not any(part.get_gid() == EMPTY for part in ax.texts)]
    for which in "xy":
        # Rows have names of their own, and go downwards.
        shown = [ax for ax in filled if which == "x" or not ax.yaxis_inverted()]
        limits = [getattr(ax, f"get_{which}lim")() for ax in shown]
        if not limits:
            continue
        low, high = min(low for low, _ in limits), max(high for _, high in limits)
        widest = max(shown, key=lambda ax: abs(getattr(ax, f"get_{which}lim")()[1]))
        ticks = getattr(widest, f"{which}axis").get_major_locator()
        for ax in shown:
            if isinstance(ticks, FixedLocator):
                getattr(ax, f"set_{which}ticks")([float(tick) for tick in ticks()])
            elif ax is not widest and not isinstance(ticks, DateLocator):
                getattr(ax, f"{which}axis").set_major_locator(copy(ticks))
            getattr(ax, f"set_{which}lim")(low, high)
    for index, ax in enumerate(panels):
        if index + across < len(panels):
            ax.set_xlabel("")
        if any(other in filled for other in panels[index - index % across : index]):
            ax.set_ylabel("")


def _set_heading(figure: Figure, title: str) -> None:
    usual = FontProperties(size=mpl.rcParams["figure.titlesize"]).get_size_in_points()
    width = 0.95 * figure.get_figwidth() * 72
    size = usual * min(1, width / 300)
    figure.suptitle(text.wrapped(title, size, width), fontsize=size, **text.literal())


def _set_caption(
    figure: Figure, words: str, frame: pd.DataFrame, tables: Sequence[pd.DataFrame]
) -> None:
    """Write the notes below the panels, with the number of records in all of them."""
    record = provenance.get_provenance(tables[0])
    bases = [provenance.get_provenance(table)["base"] for table in tables]
    noun = next(iter(record["counted"]))
    total = provenance.copy_provenance(frame, pd.DataFrame(), records=False)
    provenance.set_provenance(
        total,
        resource=record["resource"],
        counted={noun: len(frame)},
        base=bases[0] | {"records": sum(base["records"] for base in bases)},
    )
    whole = f"{words}\n{provenance.caption(total)}".strip()
    figure.supxlabel(
        text.wrapped(whole, _CAPTION, 0.95 * figure.get_figwidth() * 72),
        x=0.01,
        ha="left",
        fontsize=_CAPTION,
        alpha=0.75,
        gid=CAPTION,
        **text.literal(),
    )
