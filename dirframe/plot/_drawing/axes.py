"""Axes, named rows, bars, number columns, legends and captions of the charts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.transforms import Bbox, ScaledTranslation

from dirframe import provenance
from dirframe.plot._description.colours import NEUTRAL, OTHER, grey
from dirframe.plot._description.options import current
from dirframe.plot._drawing import typography
from dirframe.plot._drawing.figures import new_figure
from dirframe.schema.extensions import ALL_RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
    from matplotlib.text import Text

_FIGURE_WIDTH = 6.4  # inches, matplotlib's default; two columns of a page
#: The gid of axes that are one of several panels.
PANEL = "panel"
_ROW_HEIGHT, _HEIGHT_OF_LINES = 0.25, 1.3  # inches
_LOWEST_ROW, _MOST_LINES = 0.72, 1.5  # of the usual: smaller text, which takes more lines
#: The gid of a message in empty axes.
EMPTY = "empty"
_ROWS_AT_LEAST = 4
_SMALLEST_TEXT = 5.0  # points
_TWO_LINES = 0.76  # size of text in rows of which one has two lines
COLUMNS_SHARE = 0.6  # of the width beside the names, at most, for columns of numbers
_OWN_SHARE = 0.775  # of a figure or grid cell that axes take before the layout, at least


#: Records of a row or year; what describes fewer is pale.
FEW = 10


def axes(ax: Axes | None, rows: int, *, width: float = _FIGURE_WIDTH) -> Axes:
    """Return the given axes, or those of a new figure with room for the rows."""
    if ax is not None:
        figure = ax.get_figure(root=True)
        if figure is not None and figure.get_layout_engine() is None:
            # Without a layout engine, names longer than the margin are cut off.
            figure.set_layout_engine("constrained")
        return ax
    inches = current().inches or width
    # Titles, units and captions take more lines in a narrow figure.
    lines = _HEIGHT_OF_LINES * min(_FIGURE_WIDTH / inches, _MOST_LINES)
    row = _ROW_HEIGHT * max(min(inches / _FIGURE_WIDTH, 1), _LOWEST_ROW)
    height = lines + row * max(rows, _ROWS_AT_LEAST)
    return new_figure(figsize=(inches, height), layout="constrained").subplots()


def name_rows(ax: Axes, names: Sequence[str]) -> float:
    """Label the rows from top to bottom; return the text size that fits a row, in points."""
    default_size = typography.size(ax, mpl.rcParams["ytick.labelsize"])
    size = max(min(default_size, typography.height(ax) / max(len(names), 1) * 0.6), _SMALLEST_TEXT)
    # The layout uses some of the height; low rows have one line of text.
    low = 0.75 * typography.height(ax) / max(len(names), 1) < 2.2 * _SMALLEST_TEXT
    labels = [typography.short(name) if low else typography.name(name) for name in names]
    if any("\n" in text for text in labels):  # two lines have to fit into one row
        size = max(size * _TWO_LINES, _SMALLEST_TEXT)
    ax.set_yticks(range(len(names)), labels, fontsize=size, **typography.plain_text_props())
    for label in ax.get_yticklabels():
        label.set_linespacing(1.0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.grid(visible=True, axis="x", linewidth=0.6, alpha=0.5)
    ax.set_axisbelow(True)
    return size


def fade(container: BarContainer, records: Iterable[int]) -> None:
    """Draw the bars pale that describe few records."""
    for bar, number in zip(container, records, strict=True):
        bar.set_alpha(0.3 if number < FEW else None)


def pale_note(records: Iterable[int], rows: str) -> str:
    """Return a note on the rows that `fade` has made pale; empty if there are none."""
    return f"Pale: {rows} with fewer than {FEW} projects." if min(records) < FEW else ""


def columns(ax: Axes, table: Mapping[str, Sequence[str]], size: float) -> None:
    """Write titled columns of numbers to the right of the axes; narrow axes get fewer."""
    widths = {
        title: typography.widest((title, *cells), size) + 1.3 * size
        for title, cells in table.items()
    }
    room = COLUMNS_SHARE * inner_width(ax)
    while len(widths) > 1 and sum(widths.values()) > room:
        widths.pop(next(iter(widths)))
    right = 0.0
    for title, width in widths.items():
        right += width
        text_props = {
            "textcoords": "offset points",
            "ha": "right",
            "fontsize": size,
            **typography.plain_text_props(),
        }
        ax.annotate(title, (1, 1), (right, 3), xycoords="axes fraction", va="bottom", **text_props)
        coordinates = ("axes fraction", "data")
        for row, cell in enumerate(table[title]):
            ax.annotate(cell, (1, row), (right, 0), xycoords=coordinates, va="center", **text_props)


def titles(ax: Axes, title: str, unit: str = "", *, pad: float | None = None) -> None:
    """Set the title, `pad` points above the axes, and the unit below them."""
    size = typography.size(ax, mpl.rcParams["axes.titlesize"])
    own = current().title
    text = typography.wrapped(title if own is None else own, size, typography.width(ax))
    ax.set_title(text, fontsize=size, pad=pad, **typography.plain_text_props())
    size = typography.size(ax, mpl.rcParams["axes.labelsize"])
    # The layout will reduce the width for long names.
    room = min(0.8 * typography.width(ax), 0.9 * inner_width(ax))
    ax.set_xlabel(
        typography.wrapped(unit, size, room),
        fontsize=size,
        **typography.plain_text_props(),
    )


def caption_text(statistic: pd.DataFrame, notes: Sequence[str]) -> str:
    """Return a caption of the notes, or of the text in their place, and the source."""
    own = current().caption
    if own is False:
        return ""
    text = (
        own if isinstance(own, str) else " ".join(filter(None, [*notes, exclusion_note(statistic)]))
    )
    return "\n".join([text, provenance.caption(statistic)]).strip()


def note_below(ax: Axes, text: str) -> None:
    """Write small text below the axes and their labels, from the left edge."""
    size = typography.size(ax, "x-small")
    # The text can extend below the row names, but must not reach the text of other axes.
    wider = 1.2 if len(_figure(ax).axes) == 1 else 1.05
    ax.annotate(
        typography.wrapped(text.strip(), size, wider * typography.width(ax)),
        (0, 0),
        (0, -4),
        xycoords=partial(_surroundings, ax),
        textcoords="offset points",
        va="top",
        fontsize=size,
        alpha=0.75,
        linespacing=1.35,
        gid="caption",
        **typography.plain_text_props(),
    )


def words(figure: Figure) -> list[str]:
    """Return the titles and captions of a figure and its panels as alternative text."""
    titles = [figure.get_suptitle(), *(ax.get_title() for ax in figure.axes)]
    captions = [*(note.get_text() for note in _notes(figure.axes)), figure.get_supxlabel()]
    return _in_one_line([*titles, *captions])


def _notes(panels: Iterable[Axes]) -> list[Text]:
    return [text for ax in panels for text in ax.texts if text.get_gid() == "caption"]


def _in_one_line(texts: Iterable[str]) -> list[str]:
    """Return the texts that are not blank, without line breaks."""
    return [" ".join(text.split()) for text in texts if text.strip()]


def detach_words(figure: Figure) -> tuple[str, list[str]]:
    """Remove the title and the captions of a figure, and return them; panels keep theirs."""
    title = figure.get_suptitle() or figure.axes[0].get_title()
    if figure.get_suptitle():
        figure.suptitle("")
    else:
        figure.axes[0].set_title("")
    notes = _notes(ax for ax in figure.axes if ax.get_gid() != PANEL)
    texts = [*(note.get_text() for note in notes), figure.get_supxlabel()]
    for note in notes:
        note.remove()
    figure.supxlabel("")
    return " ".join(title.split()), _in_one_line(texts)


def empty_reasons(figure: Figure) -> list[str]:
    """Return why a figure has nothing to show, if that holds for each of its panels."""
    by_axes = [[text for text in ax.texts if text.get_gid() == EMPTY] for ax in figure.axes]
    reasons = [" ".join(text.get_text().split()) for texts in by_axes for text in texts]
    return list(dict.fromkeys(reasons)) if all(by_axes) else []


def without_language(counts: Mapping[str, int]) -> dict[str, int]:
    """Return how many projects have no main language, by reason."""
    without_analysis = counts.get("without_analysis", 0)
    return {
        "without an analysis": without_analysis,
        "without a main language": counts["without_language"] - without_analysis,
    }


def exclusion_note(statistic: pd.DataFrame) -> str:
    """Return a note on the records excluded from a statistic, by rule."""
    record = provenance.get_provenance(statistic)
    counts = record["counted"]
    if "excluded" not in counts:
        return ""
    prefix = "excluded_"
    rules = {n.removeprefix(prefix): k for n, k in counts.items() if n.startswith(prefix)}
    resource = ALL_RESOURCES.get(record["resource"])
    singular, plural = resource.words if resource else ("record", "records")
    count = counts["excluded"]
    if not count:
        return f"Excluded: no {singular} ({', '.join(rules)})."
    nonzero = ", ".join(f"{name} {number:,}" for name, number in rules.items() if number)
    zero = ", ".join(name for name, number in rules.items() if not number)
    listed = f"{nonzero}; none by {zero}" if zero else nonzero
    return f"Excluded: {count:,} {singular if count == 1 else plural} ({listed})."


def legend(ax: Axes, handles: Sequence[Artist], title: str = "") -> None:
    """Draw a legend below the axes, in as many columns as fit."""
    size = typography.size(ax, "small")
    # A handle and its gaps take 4.5 ems. One line if it fits, else columns of the widest entry.
    widths = [typography.widest([str(handle.get_label())], size) + 4.5 * size for handle in handles]
    room = typography.width(ax)
    fits = sum(widths) <= room
    legend = ax.legend(
        handles=list(handles),
        title=title,
        title_fontsize=size,
        fontsize=size,
        loc="upper center",
        bbox_to_anchor=(0.5, 0),
        bbox_transform=ax.transAxes + _down(ax, _below(ax)),
        ncols=len(handles) if fits else max(int(room / max(widths)), 1),
        frameon=False,
        columnspacing=1.2,
        handlelength=1.6,
    )
    for text in (legend.get_title(), *legend.get_texts()):
        text.set(**typography.plain_text_props())


def legend_beside(ax: Axes, handles: Sequence[Patch]) -> None:
    """Draw a legend beside the axes, in stacking order."""
    room = 0.7 * typography.height(ax)  # the layout uses some of the height
    size = max(min(typography.size(ax, "small"), room / (1.5 * len(handles))), _SMALLEST_TEXT)
    for handle in handles:
        handle.set_label(typography.name(str(handle.get_label())))
    legend = ax.legend(
        handles=handles,
        loc="center left",
        bbox_to_anchor=(1, 0.5),
        reverse=True,
        frameon=False,
        fontsize=size,
        handlelength=1.2,
        handleheight=1.0,
    )
    for text in legend.get_texts():
        text.set(**typography.plain_text_props())


def empty_message(ax: Axes, text: str) -> None:
    """Show a message in the middle of empty axes."""
    ax.set(xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1))
    ax.spines[:].set_visible(False)
    size = typography.size(ax, "large")
    wrapped = typography.wrapped(text, size, typography.width(ax))
    ax.text(
        0.5,
        0.5,
        wrapped,
        ha="center",
        va="center",
        fontsize=size,
        gid=EMPTY,
        **typography.plain_text_props(),
    )


def inner_width(ax: Axes) -> float:
    """Estimate the width beside the row names that the layout will leave, in points."""
    labels = ax.get_yticklabels()
    size = float(labels[0].get_fontsize()) if labels else _SMALLEST_TEXT
    names = typography.widest(
        (line for label in labels for line in label.get_text().split("\n")), size
    )
    return max(typography.width(ax) / _OWN_SHARE - names - 2 * size, size)


def _below(ax: Axes) -> float:
    """Estimate the height of the tick labels and the unit below the axes, in points."""
    ticks = ax.xaxis.get_ticklabels()
    numbers = 1.3 * float(ticks[0].get_fontsize()) + 9 if ticks else 0.0
    unit = ax.xaxis.get_label()
    lines = unit.get_text().count("\n") + 1 if unit.get_text() else 0
    return float(numbers + 1.3 * lines * float(unit.get_fontsize()))


def _down(ax: Axes, points: float) -> ScaledTranslation:
    return ScaledTranslation(0, -points / 72, _figure(ax).dpi_scale_trans)


def _figure(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None  # noqa: S101  # axes in use have a figure
    return figure


def thickness(rows: int) -> float:
    """Return the height of a bar as a share of its row; a few rows get thinner bars."""
    return 0.74 * min(rows / _ROWS_AT_LEAST, 1.0)


def fill(colour: str, hatch: str) -> dict[str, Any]:
    """Return the properties of a bar or legend entry; the hatch contrasts with the colour."""
    light = grey(colour) > 0.5
    return {"facecolor": colour, "hatch": hatch, "edgecolor": "#4A5058" if light else "white"}


def hatch_other(bars: BarContainer, colours: Sequence[str]) -> None:
    for bar, colour in zip(bars, colours, strict=True):
        if colour == OTHER:
            bar.set(hatch="/////", edgecolor=NEUTRAL, linewidth=0.6)


def _surroundings(ax: Axes, renderer: RendererBase) -> Bbox:
    """Return the bounding box of the axes with axis labels and legend."""
    parts = [part for part in (ax.xaxis, ax.yaxis, ax.get_legend()) if part]
    boxes = [part.get_tightbbox(renderer) for part in parts]
    return Bbox.union([ax.get_window_extent(renderer), *(box for box in boxes if box)])
