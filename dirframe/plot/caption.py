"""Captions of charts: how many records they show, and why others are not shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox, IdentityTransform

from dirframe import provenance
from dirframe._display import quantity
from dirframe.charts import STATISTICS
from dirframe.plot import fonts
from dirframe.schema import resource_named
from dirframe.stats.result import REASONS, left_out

#: The gid of a caption.
CAPTION = "caption"

_SIZE = 7.0  # points
_MARGIN = 0.012  # beside the caption of a figure, as a share of its width
#: Factor from the width of axes that are alone in a figure to that of axes and names.
_WIDER = 1.17
_NARROWER = 0.97  # beside other axes, whose text it must not reach
#: Nouns of records where charts have a shorter one than messages.
_NOUNS = {"activity_fact": ("month", "months")}


def write_caption(ax: Axes, table: pd.DataFrame, notes: Sequence[str], own: str | None) -> None:
    """Write the caption of a chart below axes of another figure.

    `own` is the text of a person, in place of the notes.
    """
    write_note(ax, caption_text(table, notes, own))


def write_note(ax: Axes, words: str) -> None:
    """Write a text below axes, wrapped to their width."""
    note = _Below(ax)
    room = fonts.axes_width(ax) * (_WIDER if _is_alone(ax) else _NARROWER)
    note.set_text(fonts.wrapped(words, float(note.get_fontsize()), room))


def write_figure_caption(figure: Any, words: str) -> None:
    """Write a caption below a whole figure; Matplotlib wraps it to the width of the figure."""
    # The last two words stay together, so that no line is a single word.
    lines = ["\u00a0".join(line.rsplit(" ", 1)) for line in words.split("\n")]
    label = figure.supxlabel(
        "\n".join(lines),
        x=_MARGIN,
        ha="left",
        wrap=True,
        fontsize=_SIZE,
        linespacing=1.35,
        alpha=0.75,
        gid=CAPTION,
        **fonts.literal(),
    )
    # Matplotlib wraps to the very edge of the figure, and a little beyond. There is no public way to
    # a narrower line that follows a figure whose size is changed. Where a Matplotlib has no such
    # method, the attribute is without effect, and the lines end at the edge.
    label._get_wrap_line_width = partial(_line_width, figure)


def _line_width(figure: Any) -> float:
    """Return the width of a caption below a figure, in pixels."""
    return float(figure.bbox.width * (1 - 2 * _MARGIN))


def caption_text(table: pd.DataFrame, notes: Sequence[str], own: str | None = None) -> str:
    """Return the caption of a chart: the number of records, notes or a text, and the source."""
    size = size_sentence(table)
    words = [own, size] if own else [size, *notes]
    return f"{' '.join(words)}\n{provenance.origin_note(table)}"


def size_sentence(table: pd.DataFrame) -> str:
    """Return how many records the figures are based on: "11 of 12 projects have a main language."."""
    size = provenance.size_of(table)
    record = provenance.get_provenance(table)
    singular, plural = _nouns(record["resource"])
    noun = singular if size.whole == 1 else plural
    chart = STATISTICS.get(record["statistic"].get("name", ""))
    clause = ""
    if chart is not None and (record["base"] or size.records < size.rows):
        is_of_one = size.records == 1 or size.rows == 1
        clause = chart.has if is_of_one else chart.have
    if size.records < size.rows:
        sentence = f"{size.records:,} of {size.rows:,} {noun} {clause}"
    elif size.records < size.whole:
        sentence = f"{size.records:,} of the {size.whole:,} {noun} that were loaded"
    elif size.records > 1 and clause:
        sentence = f"All {size.records:,} {noun} {clause}"
    else:
        sentence = f"{size.records:,} {noun} {clause if size.records else ''}"
    if size.change:
        sentence = f"{sentence.rstrip()} ({size.change})"
    return f"{sentence.rstrip()}."


def not_shown(
    table: pd.DataFrame, reasons: Collection[str] = REASONS, what: str = "Not shown"
) -> list[str]:
    """Return a note with the number of records for each of the reasons; none if there are none."""
    parts: list[str] = []
    for name, count in left_out(counts_of(table)).items():
        if name in reasons:
            number = f"{count:,}"
            if not parts:
                number = quantity(count, *nouns_of(table))
            parts.append(f"{number} {REASONS[name]}")
    return [f"{what}: {', '.join(parts)}."] if parts else []


def not_over(table: pd.DataFrame) -> str:
    """Return what is to be said of a last period that was not over, as far as is known."""
    is_dated = bool(provenance.get_provenance(table)["retrieved_oldest"])
    return "not yet over" if is_dated else "possibly not over"


def counts_of(table: pd.DataFrame) -> dict[str, int]:
    """Return the counts of a statistic, that of all records first."""
    return dict(provenance.get_provenance(table)["counted"])


def collection_of(table: pd.DataFrame) -> str:
    """Return what the records of a statistic are called, in the plural."""
    return str(provenance.get_provenance(table)["base"]["collection"])


def nouns_of(table: pd.DataFrame) -> tuple[str, str]:
    """Return what a record of a statistic is called, and several."""
    return _nouns(provenance.get_provenance(table)["resource"])


def _nouns(resource: str) -> tuple[str, str]:
    return _NOUNS.get(resource) or resource_named(resource).words


def read_words(ax: Axes) -> tuple[str, str]:
    """Return the title and the caption of a chart, without line breaks."""
    figure: Any = ax.get_figure(root=True)
    captions = [text.get_text() for text in ax.texts if text.get_gid() == CAPTION]
    title = ax.get_title("left") or figure.get_suptitle()
    words = captions[0] if captions else figure.get_supxlabel()
    return " ".join(title.split()), " ".join(words.split())


class _Below(Annotation):
    """A text below axes and what belongs to them, wherever the layout puts them."""

    def __init__(self, ax: Axes) -> None:
        super().__init__(
            "",
            (0, 0),
            (0, -4),
            xycoords=lambda renderer: _surroundings(ax, renderer),
            textcoords="offset points",
            va="top",
            fontsize=min(fonts.font_size(ax, "x-small"), _SIZE),
            alpha=0.75,
            linespacing=1.35,
            gid=CAPTION,
            clip_on=False,
            **fonts.literal(),
        )
        self.set_transform(IdentityTransform())
        ax.add_artist(self)


def _is_alone(ax: Axes) -> bool:
    figure: Any = ax.get_figure(root=True)
    return len(figure.axes) == 1


def _surroundings(ax: Axes, renderer: RendererBase) -> Bbox:
    """Return the bounding box of the axes with axis labels and legend."""
    # Only of these: matplotlib's own for a whole axis measures each tick three times.
    box = ax.get_window_extent(renderer)
    below: list[Any] = _texts(ax.xaxis)
    legend = ax.get_legend()
    if legend is not None:
        below.append(legend)
    beside: list[Any] = []
    for axes in (ax, *ax.child_axes):
        beside += _texts(axes.yaxis)
    bottom = min([box.y0, *(part.get_window_extent(renderer).y0 for part in below)])
    left = min([box.x0, *(part.get_window_extent(renderer).x0 for part in beside)])
    return Bbox.from_extents(left, bottom, box.x1, box.y1)


def _texts(axis: Any) -> list[Text]:
    return [part for part in (axis.label, *axis.get_ticklabels()) if part.get_text()]
