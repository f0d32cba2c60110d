"""The explorer's chart, table and texts as HTML, and the script of its page."""

from __future__ import annotations

import base64
import inspect
import io
import warnings
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import anywidget
import matplotlib as mpl
import pandas as pd
import traitlets
from matplotlib.figure import Figure

from dirframe._display import headings, html_table, leading_columns
from dirframe._files import atomic_write, check_writable, make_folder

_FOLDER = files("dirframe.explorer")
STYLE = f"<style>{(_FOLDER / 'explorer.css').read_text(encoding='utf-8')}</style>"
ROWS = 20  # of a page of the table
_LONGEST = 100  # characters of a cell
_PIXELS_PER_INCH = 96  # of a browser
_DPI = 192  # twice that of the screen
_HEIGHT = 300  # pixels of a chart: filters, chart and head of the table fit a screen
#: Of charts that are not readable in this height.
_HEIGHTS = {"languages_by_year": 340, "life_span": 340}
_HEIGHT_OF_A_MAP = 380  # at most: a map keeps its form
_ROWS_OF_A_CHART = 10
#: Text as large as that of the notebook: points are 4/3 pixels.
_TEXT = {
    "font.size": 10,
    "axes.titlesize": 12,
    "axes.labelsize": 10,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 10,
}
_LIGHT, _GREY, _BLACK = "#e6e8ea", "#9aa4ae", "#111111"
_DARK = {
    **dict.fromkeys(
        (
            "text.color",
            "axes.labelcolor",
            "axes.titlecolor",
            "xtick.labelcolor",
            "ytick.labelcolor",
        ),
        _LIGHT,
    ),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), _GREY),
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), _BLACK),
    **dict.fromkeys(("legend.facecolor", "patch.edgecolor", "hatch.color"), _BLACK),
    "grid.color": "#3a4048",
}


class Browser(anywidget.AnyWidget):
    """What the page of a browser tells: the room for the chart in pixels, and the theme."""

    _esm = (_FOLDER / "browser.js").read_text(encoding="utf-8")
    width = traitlets.Int(640).tag(sync=True)
    is_dark = traitlets.Bool(False).tag(sync=True)


def chart_options(name: str) -> dict[str, Any]:
    """Return the options of a chart on the page, which has room for some rows only."""
    from dirframe import plot

    parameter = inspect.signature(getattr(plot, name)).parameters.get("top")
    if parameter is None or parameter.default <= _ROWS_OF_A_CHART:
        return {}
    return {"top": _ROWS_OF_A_CHART}


def chart(frame: pd.DataFrame, name: str, *, width: int, is_dark: bool) -> str:
    """Return a chart as an image, with its caption below and in its alternative text.

    Its figure is none of pyplot's, which a kernel would show.
    """
    from dirframe import plot
    from dirframe.plot.caption import CAPTION, read_words
    from dirframe.plot.figure import set_figure_title

    height = _HEIGHTS.get(name, _HEIGHT)
    if name == "accounts_map":
        height = min(_HEIGHT_OF_A_MAP, round(0.65 * width))
    size = (width / _PIXELS_PER_INCH, height / _PIXELS_PER_INCH)
    look: dict[Any, Any] = dict(_TEXT)
    if is_dark:
        look |= _DARK
    stream = io.BytesIO()
    with plot.style(), mpl.rc_context(look), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fonts; those of the records were shown after the load
        figure = Figure(figsize=size, layout="constrained")
        ax = getattr(plot, name)(frame, ax=figure.add_subplot(), **chart_options(name))
        title, caption = read_words(ax)
        # At the left of the figure it has room for a long one, and the layout leaves it whole.
        ax.set_title("", loc="left")
        set_figure_title(figure, title)
        for part in list(ax.texts):
            if part.get_gid() == CAPTION:  # it stands below, as large as other text of the page
                part.remove()
        figure.savefig(stream, format="png", dpi=_DPI)
    words = escape(f"{title}. {caption}".rstrip())
    data = base64.b64encode(stream.getvalue()).decode()
    image = f'<img src="data:image/png;base64,{data}" alt="{words}" width="{width}">'
    return f'{_scrolling(image, "Picture")}<p class="df-caption">{escape(caption)}</p>'


def save_chart(frame: pd.DataFrame, name: str, path: Path, *, overwrite: bool) -> None:
    """Write a chart to a file, as large as a new figure is, with its caption."""
    from dirframe import plot

    check_writable(path, overwrite=overwrite, suffixes=[".png", ".svg", ".pdf"])
    with plot.style(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fonts, as on the page
        figure = Figure(layout="constrained")
        getattr(plot, name)(frame, ax=figure.add_subplot(), **chart_options(name))
        make_folder(path.parent)
        with atomic_write(path, overwrite=overwrite) as part:
            figure.savefig(part, format=path.suffix[1:].lower(), dpi=150)


def table(frame: pd.DataFrame, page: int) -> str:
    """Return a page of the records as a table that scrolls inside."""
    leading = leading_columns(frame)
    names = [*leading, *(name for name in frame if name not in leading)]
    first = (page - 1) * ROWS
    shown = frame.iloc[first : first + ROWS][names]
    caption = "Records"
    if len(frame) > ROWS:
        caption = f"Records {first + 1:,} to {first + len(shown):,} of {len(frame):,}"
    text = html_table(shown, caption, _LONGEST, heads=headings(shown))
    return _scrolling(text, "Records")


def pages(frame: pd.DataFrame) -> int:
    """Return the number of pages of the table."""
    return max(-(-len(frame) // ROWS), 1)


def sortable(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the columns to sort by, with their headings: no lists, ids, and names of the index."""
    options = []
    for name, heading in headings(frame).items():
        kind = str(frame.dtypes[name])
        is_list = kind == "object" or "<" in kind
        is_id = name == "id" or name.endswith("_id") or name in frame.index.names
        if not is_list and not is_id:
            options.append((heading, name))
    return options


def message(text: str, severity: str) -> str:
    """Return a message; a screen reader reads errors at once."""
    role = "alert" if severity == "error" else "status"
    tag = "pre" if "\n" in text else "div"  # an estimate is a table
    return (
        f'<{tag} class="df-message {severity}" role="{role}">{escape(text)}</{tag}>' if text else ""
    )


def code(text: str, label: str) -> str:
    """Return text as it is, which the keyboard can reach."""
    return f'<pre tabindex="0" aria-label="{label}">{escape(text)}</pre>'


def _scrolling(content: str, label: str) -> str:
    """Return what scrolls inside if it is wider than the page, also by keyboard."""
    return f'<div class="df-scroll" role="region" aria-label="{label}" tabindex="0">{content}</div>'
