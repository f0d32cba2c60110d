"""Figures of charts: the house style, new or given axes, title, caption, and why one is empty."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dirframe import provenance
from dirframe._arrow import as_text
from dirframe._display import quantity
from dirframe.charts import CHARTS, STATISTICS
from dirframe.errors import InvalidInputError
from dirframe.plot import fonts
from dirframe.plot.caption import (
    caption_text,
    nouns_of,
    write_caption,
    write_figure_caption,
)
from dirframe.stats.records import read

#: What draws a table of a statistic on axes and returns notes for the caption.
Draw: TypeAlias = Callable[[Axes, pd.DataFrame], list[str]]
Width: TypeAlias = Literal["column", "page"]

#: Width of a new figure in inches: 84 and 174 mm, one and two columns of most journals.
INCHES = {"column": 3.3, "page": 6.85}
USUAL_WIDTH = 6.4
#: The gid of the message in empty axes.
EMPTY = "empty"
#: The gid of the titles of columns beside rows, which stand above the axes.
HEADER = "header"

_ROWS, _FEWEST_ROWS = 11.0, 2.5  # height of a chart without named rows, and the least, in rows
_ROW_HEIGHT, _LINES_HEIGHT = 0.25, 1.15  # inches
_LOWEST_ROW, _MOST_LINES = 0.72, 1.5  # bounds in a narrow figure, as multiples of the usual
#: Settings of files and windows, which a person may change without having a style.
_FILE_SETTINGS = ("figure.", "savefig.", "pdf.", "ps.", "svg.")
#: Notes of the charts that a person's own function draws on a panel, by its axes.
_NOTES_OF_PANELS: dict[Axes, list[str]] = {}


class NothingToDrawError(Exception):
    """No record has what a chart needs: "have a contributor"."""

    def __init__(self, have: str) -> None:
        super().__init__(have)
        self.have = have


def require_figures(table: pd.DataFrame, have: str = "") -> None:
    """Raise unless the figures of a table are based on records; `have` is what these have."""
    if table.empty or not provenance.get_provenance(table)["base"]["records"]:
        raise NothingToDrawError(have)


def show(
    draw: Draw,
    table: pd.DataFrame,
    *,
    ax: Axes | None,
    title: str | bool | None,
    caption: str | bool | None,
    width: Width | None,
    chart: str = "",
    heading: str = "",
    subject: str = "",
    rows: float = _ROWS,
    inches: float = USUAL_WIDTH,
) -> Axes:
    """Draw a table on axes or in a new figure, with its title and its caption.

    `chart` is the name of the chart, by default that of the statistic; `heading` its title, by
    default that of its name, followed by the `subject`, the name of one project. `rows` is the
    height of a new figure, `inches` its usual width.
    """
    check_options(title, caption, width)
    if not isinstance(ax, Axes | None):  # most often the array of plt.subplots
        raise InvalidInputError(
            f"ax must be one Axes, such as axes[0] of several; got {type(ax).__name__}."
        )
    if ax is not None and ax.name != "rectilinear":
        raise InvalidInputError(f"ax must have an x and a y axis; got {ax.name} axes.")
    if ax is not None and width is not None:
        raise InvalidInputError("width= is that of a new figure: leave out ax, or width.")
    name = chart or provenance.get_provenance(table)["statistic"]["name"]
    words = title
    if title is None or title is True:
        words = heading or CHARTS[name].title
        if subject:
            words = f"{words}: {fonts.short_name(subject)}"
    own = caption if isinstance(caption, str) else None
    if ax is not None:
        notes = draw_or_explain(draw, ax, table)
        wrap_labels(ax)
        if words:
            set_title(ax, str(words), mpl.rcParams["axes.titlesize"])
        if ax in _NOTES_OF_PANELS and own is None:
            _NOTES_OF_PANELS[ax] += notes if caption is not False else []
        elif caption is not False:
            write_caption(ax, table, notes, own)
        figure: Any = ax.get_figure(root=True)
        if figure.get_layout_engine() is None:
            figure.set_layout_engine("constrained")  # without one, long names are cut off
        return ax
    with house_style():
        ax = _new_axes(rows, INCHES[width] if width else inches)
        notes = draw_or_explain(draw, ax, table)
        figure = ax.get_figure(root=True)
        if words:
            set_figure_title(figure, str(words))
        if caption is not False:
            write_figure_caption(figure, caption_text(table, notes, own))
    return ax


@contextmanager
def collected_notes(ax: Axes) -> Iterator[list[str]]:
    """Collect the notes of the charts that are drawn on a panel, whose figure has the caption."""
    notes = _NOTES_OF_PANELS[ax] = []
    try:
        yield notes
    finally:
        del _NOTES_OF_PANELS[ax]


def draw_or_explain(draw: Draw, ax: Axes, table: pd.DataFrame) -> list[str]:
    """Draw a table, or write into the axes why nothing is drawn; return the notes."""
    own = set(ax.texts)  # of the person, who may mean mathematics
    label_size = fonts.font_size(ax, mpl.rcParams["axes.labelsize"])
    ax.xaxis.label.set_fontsize(label_size)
    ax.yaxis.label.set_fontsize(label_size)
    ax.tick_params("x", labelsize=fonts.font_size(ax, mpl.rcParams["xtick.labelsize"]))
    ax.tick_params("y", labelsize=fonts.font_size(ax, mpl.rcParams["ytick.labelsize"]))
    try:
        notes = draw(ax, table)
    except NothingToDrawError as nothing:
        _explain(ax, table, nothing.have)
        notes = []
    literal = fonts.literal()
    legend = ax.get_legend()
    texts = [ax.xaxis.label, ax.yaxis.label, *ax.get_yticklabels()]
    texts += [text for text in ax.texts if text not in own]
    texts += legend.get_texts() if legend else []
    for text in texts:
        text.set(**literal)
    return notes


def _explain(ax: Axes, table: pd.DataFrame, have: str) -> None:
    """Write into empty axes that there are no records, or what none of them has."""
    singular, plural = nouns_of(table)
    count = provenance.size_of(table).rows
    words = f"No {plural}"
    if count:
        have = have or STATISTICS[provenance.get_provenance(table)["statistic"]["name"]].have
        words = f"Of {quantity(count, singular, plural)}, none {have}"
    ax.set(xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1), xlabel="", ylabel="")
    ax.spines[:].set_visible(False)
    size = fonts.font_size(ax, "large")
    words = fonts.wrapped(words, size, fonts.axes_width(ax))
    ax.text(0.5, 0.5, words, ha="center", va="center", fontsize=size, gid=EMPTY)


def reason_if_empty(ax: Axes) -> str:
    """Return what an empty chart says; empty if it shows something."""
    texts = [text.get_text() for text in ax.texts if text.get_gid() == EMPTY]
    return " ".join(" ".join(texts).split())


def set_title(ax: Axes, words: str, size: float | str) -> None:
    """Set the title of axes of a figure of several, wrapped to their width."""
    points = fonts.font_size(ax, size)
    room = fonts.axes_width(ax)
    pad = 4.0
    if any(text.get_gid() == HEADER for text in ax.texts):
        room *= 0.7  # long names and the columns beside the rows take their part of the axes
        pad = 1.2 * points + 6
    words = fonts.wrapped(words, points, room)
    ax.set_title(words, loc="left", fontsize=points, pad=pad, **fonts.literal())


def set_figure_title(figure: Figure, words: str) -> None:
    """Set the title of a figure, at its left; Matplotlib wraps it to the width of the figure."""
    figure.suptitle(
        words,
        x=0.012,
        ha="left",
        wrap=True,
        fontsize=mpl.rcParams["axes.titlesize"],
        fontweight=mpl.rcParams["axes.titleweight"],
        **fonts.literal(),
    )


def check_options(title: object, caption: object, width: object) -> None:
    """Raise if the title, the caption or the width is invalid."""
    if width is not None and (not isinstance(width, str) or width not in INCHES):
        raise InvalidInputError(f"width is {width!r}; it must be 'column' or 'page'.")
    for name, value in (("title", title), ("caption", caption)):
        if not isinstance(value, str | bool | None):
            raise InvalidInputError(f"{name} is {value!r}; it must be text, or False for none.")
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError as error:
                raise InvalidInputError(
                    f"{name} is {value!a}; it holds half a UTF-16 pair, which is no text."
                ) from error


def detach_words(ax: Axes) -> None:
    """Take the title and the caption off a chart, for who writes them beside it."""
    figure: Any = ax.get_figure(root=True)
    figure.suptitle("")
    figure.supxlabel("")


def of_project(frame: pd.DataFrame) -> str:
    """Return the project that records are of, for a title; empty if they are of several."""
    if "name" in frame and len(frame) == 1:
        name = as_text(frame["name"]).iloc[0]
        return "" if pd.isna(name) else str(name)
    columns = read(frame, [], optional=["project_id"])
    asked = provenance.get_provenance(frame)["query"].get("project")
    ids = {str(asked)} if asked else {str(name) for name in columns.get("project_id", [])}
    if len(ids) != 1:
        return ""
    project = ids.pop()  # as it was asked for: by its id or by its name
    return f"project {project}" if project.isdigit() else project


# Style


@contextmanager
def style() -> Iterator[None]:
    """Apply the style sheet for publications within a ``with`` block.

    Figures of `dirframe.plot` have it already, unless you have a style of your own; within the block
    your own charts have it too, and files are as journals ask for them.

    Examples
    --------
    >>> import matplotlib as mpl
    >>> with style():
    ...     print(mpl.rcParams["pdf.fonttype"])
    42
    >>> mpl.rcParams["pdf.fonttype"]
    3
    """
    with _settings(dict(_sheet())):
        yield


def house_style() -> AbstractContextManager[None]:
    """Apply the style sheet, unless a person has a style of their own."""
    settings: dict[Any, Any] = _sheet()
    now: Mapping[Any, Any] = mpl.rcParams
    default: Mapping[Any, Any] = mpl.rcParamsDefault
    changed = {name for name in settings if now[name] != default[name]}
    if any(not name.startswith(_FILE_SETTINGS) for name in changed):
        return nullcontext()
    return _settings({name: value for name, value in settings.items() if name not in changed})


@contextmanager
def _settings(settings: dict[Any, Any]) -> Iterator[None]:
    # A notebook's backend switches the interactive mode on when it is loaded. Loaded within the
    # block, it would be switched off again at the end, and no later chart would be displayed.
    plt.draw_if_interactive()
    with mpl.rc_context(settings):
        yield


@cache
def _sheet() -> dict[Any, Any]:
    """Return the settings of the style sheet by their names."""
    path = Path(__file__).with_name("dirframe.mplstyle")
    settings: Mapping[Any, Any] = mpl.rc_params_from_file(path, use_default_template=False)
    return dict(settings.items())


def _new_axes(rows: float, inches: float) -> Axes:
    """Return the axes of a new figure with room for the rows."""
    # Captions take more lines in a narrow figure.
    lines = _LINES_HEIGHT * min(USUAL_WIDTH / inches, _MOST_LINES)
    row = _ROW_HEIGHT * max(min(inches / USUAL_WIDTH, 1), _LOWEST_ROW)
    size = (inches, lines + row * max(rows, _FEWEST_ROWS))
    return plt.figure(figsize=size, layout="constrained").subplots()


def wrap_labels(ax: Axes) -> None:
    """Wrap the labels of the axes, beside which can be others."""
    size = float(ax.xaxis.label.get_fontsize())
    ax.xaxis.label.set_text(fonts.wrapped(ax.get_xlabel(), size, fonts.axes_width(ax)))
    ax.yaxis.label.set_text(fonts.wrapped(ax.get_ylabel(), size, 0.7 * fonts.axes_height(ax)))
