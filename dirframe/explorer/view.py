"""The explorer's chart, table and texts as HTML, and the script that keeps its keys."""

from __future__ import annotations

import base64
import io
import warnings
from html import escape
from importlib.resources import files

import anywidget
import pandas as pd
from matplotlib.figure import Figure

from dirframe import plot
from dirframe._display import headings, html_table, leading_columns
from dirframe.plot.caption import read_words

_FOLDER = files("dirframe.explorer")
STYLE = f"<style>{(_FOLDER / 'explorer.css').read_text(encoding='utf-8')}</style>"
ROWS = 20  # of the table
_LONGEST = 100  # characters of a cell
_INCHES = (6.4, 4.0)  # of a chart: it stands beside the filters
_DPI = 144  # twice that of the screen


class Keys(anywidget.AnyWidget):
    """Keeps the keys pressed in the explorer from the notebook's shortcuts."""

    _esm = (_FOLDER / "keys.js").read_text(encoding="utf-8")


def chart(frame: pd.DataFrame, name: str) -> str:
    """Return a chart as an image with its title and caption as alternative text.

    Its figure is none of pyplot's, which a kernel would show.
    """
    figure = Figure(figsize=_INCHES, layout="constrained")
    stream = io.BytesIO()
    with plot.style(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fonts; those of the records were shown after the load
        ax = getattr(plot, name)(frame, ax=figure.add_subplot())
        figure.savefig(stream, format="png", dpi=_DPI)
    title, caption = read_words(ax)
    words = escape(f"{title}. {caption}".rstrip())
    data = base64.b64encode(stream.getvalue()).decode()
    return _scrolling(f'<img src="data:image/png;base64,{data}" alt="{words}">', "Picture")


def table(frame: pd.DataFrame) -> str:
    """Return the first records as a table that scrolls inside."""
    first = leading_columns(frame)
    head = frame.head(ROWS)[[*first, *(name for name in frame if name not in first)]]
    caption = f"The first {ROWS} of {len(frame):,} records" if len(frame) > ROWS else "Records"
    shown = html_table(head.rename(columns=headings(head)), caption, _LONGEST)
    return _scrolling(shown, "Records")


def sortable(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the columns to sort by, with their headings: no lists, ids, and names of the index."""
    kinds = {name: str(dtype) for name, dtype in frame.dtypes.items()}
    hidden = {"id", *frame.index.names, *(n for n, k in kinds.items() if k == "object" or "<" in k)}
    pairs = ((words, name) for name, words in headings(frame).items())
    return [(words, n) for words, n in pairs if n not in hidden and not n.endswith("_id")]


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
