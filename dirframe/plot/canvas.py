"""Canvas of a chart: its axes, title and caption, and the reason if it shows nothing."""

from __future__ import annotations

from collections.abc import Container, Mapping
from inspect import getfullargspec
from typing import Any, Literal, TypedDict

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backend_bases import RendererBase
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox, IdentityTransform

from dirframe import provenance
from dirframe._display import did_you_mean, quantity
from dirframe.charts import CHARTS
from dirframe.errors import InvalidInputError
from dirframe.plot import text
from dirframe.stats.records import Frame, origin, read
from dirframe.stats.result import REASONS

#: Width of a new figure in inches: 84 and 174 mm, one and two columns of most journals.
INCHES: dict[str | None, float] = {"column": 3.3, "page": 6.85}
USUAL_WIDTH = 6.4
#: Factor from the width of the axes before the layout to that of axes and tick labels after it.
WIDER = 1.17
#: The gid of the caption, and that of the message in empty axes.
CAPTION, EMPTY = "caption", "empty"

_ROWS, _FEWEST_ROWS = 11, 4  # height of a chart without named rows, and the least, in rows
_ROW_HEIGHT, _LINES_HEIGHT = 0.25, 1.3  # inches
_LOWEST_ROW, _MOST_LINES = 0.72, 1.5  # bounds in a narrow figure, as multiples of the usual


class Look(TypedDict, total=False):
    """Options that all charts have besides ``ax``; `dirframe.plot` describes them."""

    title: str | bool | None
    caption: str | bool | None
    width: Literal["column", "page"] | None


class Caption(Annotation):
    """Text below a chart, with the parts of which `panels` makes the texts of the whole figure."""

    def __init__(
        self, ax: Axes, table: pd.DataFrame, notes: list[str], heading: str, pad: float | None
    ) -> None:
        self.table, self.notes, self.heading, self.pad = table, notes, heading, pad
        # It can extend below the labels beside the axes, but must not reach the text of others.
        self._room = text.width(ax) * (WIDER if len(_figure(ax).axes) == 1 else 0.97)
        super().__init__(
            "",
            (0, 0),
            (0, -4),
            xycoords=lambda renderer: _surroundings(ax, renderer),
            textcoords="offset points",
            va="top",
            fontsize=text.size(ax, "x-small"),
            alpha=0.75,
            linespacing=1.35,
            gid=CAPTION,
            clip_on=False,
            **text.literal(),
        )
        self.set_transform(IdentityTransform())
        ax.add_artist(self)

    def write(self, words: str) -> None:
        """Set the text, wrapped."""
        self.set_text(text.wrapped(words.strip(), float(self.get_fontsize()), self._room))


class Canvas:
    """Axes to draw a chart of a table on; `finish` adds the title and the caption.

    A chart is empty if the figures of its table are based on no records; `needs` says what a record
    must have to be drawn, by default in the words of the statistic's base. `chart` is the name of
    the function that draws, by default that of the statistic. The title is its `heading` followed by
    the `subject`, both of which can be set, or that of the user.
    """

    subject = ""

    def __init__(
        self,
        table: pd.DataFrame,
        ax: Axes | None,
        look: Look,
        *,
        chart: str = "",
        needs: str = "",
        is_empty: bool | None = None,
        rows: float = _ROWS,
        inches: float = USUAL_WIDTH,
    ) -> None:
        record = provenance.get_provenance(table)
        chart, self.base = chart or record["statistic"]["name"], record["base"]["which"]
        for wrong in look.keys() - Look.__annotations__.keys():
            question = did_you_mean(wrong, _options_of(chart))
            raise TypeError(f"{chart}() got an unexpected keyword argument {wrong!r}.{question}")
        self._title, self._caption, width = checked(look)
        if not isinstance(ax, Axes | None):  # most often the array of plt.subplots
            raise InvalidInputError(
                f"ax must be one Axes, such as axes[0] of several; got a {type(ax).__name__}."
            )
        if width is not None and ax is not None:
            raise InvalidInputError("width= is that of a new figure: leave out ax, or width.")
        self.table, self.heading = table, CHARTS[chart].title
        is_counted = not table.empty and record["base"]["records"]
        self.is_empty = not is_counted if is_empty is None else is_empty
        self._needs = needs or self.base
        self.ax = ax = ax or _new_axes(rows, INCHES.get(width, inches))
        self._others = {*ax.texts}  # of the user, who may mean mathematics
        for axis in (ax.xaxis, ax.yaxis):
            axis.label.set_fontsize(text.size(ax, mpl.rcParams["axes.labelsize"]))
        ax.tick_params("x", labelsize=text.size(ax, mpl.rcParams["xtick.labelsize"]))
        ax.tick_params("y", labelsize=text.size(ax, mpl.rcParams["ytick.labelsize"]))
        if (figure := _figure(ax)).get_layout_engine() is None:
            figure.set_layout_engine("constrained")  # without one, long names are cut off

    def finish(
        self, *notes: str | bool, pad: float | None = None, reasons: Container[str] = REASONS
    ) -> Axes:
        """Add the title, and a caption of the notes, and of the reasons why records are not shown."""
        ax, unshown = self.ax, text.not_shown(self.table, () if self.is_empty else reasons)
        if self.is_empty:
            noun, count = text.noun_and_count(self.table)
            why = f"Of {quantity(count, noun)}, none {self._needs}" if count else f"No {noun}s"
            ax.set(xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1), xlabel="", ylabel="")
            ax.spines[:].set_visible(False)
            size = text.size(ax, "large")
            why = text.wrapped(why, size, text.width(ax))
            ax.text(0.5, 0.5, why, ha="center", va="center", fontsize=size, gid=EMPTY)
        title = self.heading + self.subject if self._title in {None, True} else self._title
        set_title(ax, title or "", mpl.rcParams["axes.titlesize"], pad)
        if self._caption is not False:
            shown = [str(note) for note in (*notes, unshown) if note]
            words = self._caption if isinstance(self._caption, str) else " ".join(shown)
            caption = Caption(ax, self.table, shown, self.heading, pad)
            caption.write(f"{words}\n{provenance.caption(self.table)}")
        legend, literal = ax.get_legend(), text.literal()
        named = [ax.xaxis.label, ax.yaxis.label, *ax.get_yticklabels()]
        written = [*{*ax.texts} - self._others, *(legend.get_texts() if legend else [])]
        for part in [*named, *written]:
            part.set(**literal)
        return ax


def set_title(ax: Axes, words: str, size: float | str, pad: float | None = None) -> None:
    """Set the title of axes, wrapped to their width, `pad` points above them."""
    points = text.size(ax, size)
    words = text.wrapped(words, points, text.width(ax))
    ax.set_title(words, fontsize=points, pad=pad, **text.literal())


def checked(look: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Return the title, the caption and the width; raise if one is invalid."""
    title, caption, width = map(look.get, Look.__annotations__)
    if width not in (None, *INCHES):
        raise InvalidInputError(f"width is {width!r}; it must be 'column' or 'page'.")
    for name, value in {"title": title, "caption": caption}.items():
        if not isinstance(value, str | bool | None):
            raise InvalidInputError(f"{name} is {value!r}; it must be text, or False for none.")
    return title, caption, width


def reason_if_empty(ax: Axes) -> str:
    """Return what an empty chart says; empty if it shows something."""
    return "".join(" ".join(t.get_text().split()) for t in ax.texts if t.get_gid() == EMPTY)


def detach_words(ax: Axes) -> tuple[str, str]:
    """Take the title and the caption off a chart, and return them without line breaks."""
    title, [caption] = ax.get_title(), [part for part in ax.texts if isinstance(part, Caption)]
    ax.set_title("")
    caption.remove()
    return " ".join(title.split()), " ".join(caption.get_text().split())


def of_project(frame: Frame) -> str:
    """Return the project that records are of, for a heading; empty if that is not known."""
    given = provenance.get_provenance(origin(frame))["query"].get("project")
    ids = [given] if given else read(frame, [], optional=["project_id"]).get("project_id", [])
    if len(names := {str(name) for name in ids}) != 1:
        return ""
    (project,) = names  # as it was asked for: by its id or by its name
    return f": {'project ' * project.isdigit()}{project}"


def _options_of(chart: str) -> list[str]:
    from dirframe import plot  # which imports this module

    return [*getfullargspec(getattr(plot, chart)).kwonlyargs, *Look.__annotations__]


def _new_axes(rows: float, inches: float) -> Axes:
    """Return the axes of a new figure with room for the rows."""
    # Titles, units and captions take more lines in a narrow figure.
    lines = _LINES_HEIGHT * min(USUAL_WIDTH / inches, _MOST_LINES)
    row = _ROW_HEIGHT * max(min(inches / USUAL_WIDTH, 1), _LOWEST_ROW)
    size = (inches, lines + row * max(rows, _FEWEST_ROWS))
    return plt.figure(figsize=size, layout="constrained").subplots()


def _figure(ax: Axes) -> Any:
    return ax.get_figure(root=True)


def _surroundings(ax: Axes, renderer: RendererBase) -> Bbox:
    """Return the bounding box of the axes with axis labels and legend."""
    # Only of these: matplotlib's own for a whole axis measures each tick three times.
    box, legend = ax.get_window_extent(renderer), ax.get_legend()
    below: list[Any] = [*([legend] if legend else []), *_texts(ax.xaxis)]
    beside = [part for axes in (ax, *ax.child_axes) for part in _texts(axes.yaxis)]
    bottom = min([box.y0, *(part.get_window_extent(renderer).y0 for part in below)])
    left = min([box.x0, *(part.get_window_extent(renderer).x0 for part in beside)])
    return Bbox.from_extents(left, bottom, box.x1, box.y1)


def _texts(axis: Axis) -> list[Text]:
    return [part for part in (axis.label, *axis.get_ticklabels()) if part.get_text()]
