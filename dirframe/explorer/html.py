"""Render the explorer's tables, gauges, messages and static view as escaped HTML."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._display.html import Column, table_parts
from dirframe._display.values import entries, entry, is_number
from dirframe.explorer.choices import PAGE_SIZES, heading

if TYPE_CHECKING:
    from dirframe.explorer.chart_image import ChartImage
    from dirframe.explorer.state import State, VisibleRecords

__all__ = [
    "STATIC",
    "bar",
    "gauge",
    "image",
    "kinds",
    "message",
    "part",
    "preformatted",
    "rows",
    "static",
    "style",
    "table",
    "texts",
    "title",
    "words",
]

#: CSS class of the static view.
STATIC = "dirframe-static"

#: A live explorer hides its static view. Without the widget, the static view replaces JupyterLab's
#: message that the widget was not found.
_HIDING = f"""
.jp-OutputArea-child:has(.{STATIC}):has(~ .jp-OutputArea-child .dirframe-explorer) {{
  display: none;
}}
.jp-OutputArea-child:has(.{STATIC}) ~ .jp-OutputArea-child
    .jp-OutputArea-output.jupyter-widgets:not(:has(*)) {{
  display: none;
}}
"""
_LARGER = 1.35  # a screen is read from further away than paper
_WIDE, _DAY = 1.6, 1.25  # width of text and date columns, relative to number columns
_LONGEST = 200  # characters of a cell; about forty are visible


@cache
def style() -> str:
    """Return the explorer's style sheet as a ``style`` element."""
    sheet = files("dirframe.explorer").joinpath("explorer.css").read_text(encoding="utf-8")
    return f"<style>{sheet}{_HIDING}</style>"


def message(text: str, severity: str) -> str:
    """Return a message; screen readers announce errors immediately."""
    if not text:
        return ""
    role = "alert" if severity == "error" else "status"
    return f'<div class="df-message {severity}" role="{role}">{escape(text)}</div>'


def bar(came: int, total: int, *, running: bool) -> str:
    """Return the progress bar of a load."""
    if not total:
        label = "Asking for the first page …" if running else ""
        progress = "<progress aria-label='Records loaded'></progress>" if running else ""
    else:
        label = f"{came:,} of {total:,} records"
        progress = (
            f'<progress aria-label="Records loaded" max="{total}" value="{came}">{label}</progress>'
        )
    return f'<div class="df-bar">{progress}<span class="df-quiet">{label}</span></div>'


def gauge(left: int | None, quota: int) -> str:
    """Return a gauge of the remaining daily quota."""
    if left is None:
        return ""
    label = f"{left:,} of {quota:,} requests left today"
    return (
        f'<div class="df-gauge"><span class="df-quiet">Quota</span>'
        f'<meter aria-label="Quota" min="0" max="{quota}" low="{quota // 10}" '
        f'value="{left}">{label}</meter><span class="df-quiet">{label}</span></div>'
    )


def preformatted(text: str, label: str) -> str:
    """Return preformatted text that can be focused and selected with the keyboard."""
    return f'<pre tabindex="0" aria-label="{escape(label)}">{escape(text)}</pre>'


def image(picture: ChartImage) -> str:
    """Return the image of a chart with alternative text."""
    alt, width = escape(picture.words), _LARGER * picture.width
    return f'<img src="{picture.address}" alt="{alt}" style="width:{width:.0f}px">'


def table(
    rows: pd.DataFrame, shown: VisibleRecords, *, order_by: str = "", descending: bool = False
) -> str:
    """Return a page of the table; long texts are truncated, with the full text as title."""
    if not len(shown.frame):
        return "<p>No record passes the filters.</p>"
    columns = []
    for name in rows:
        ordered = ("descending" if descending else "ascending") if name == order_by else ""
        mark = {"descending": " ▾", "ascending": " ▴"}.get(ordered, "")
        columns.append(
            Column(
                head=heading(str(name), shown.resource) + mark,
                cells=[_text(value) for value in rows[name].astype(object)],
                number=is_number(rows[name].dtype),
                sorting=ordered,
                title=str(name),
            )
        )
    shares = [_share(rows[name]) for name in rows]
    widths = "".join(f'<col style="width:{100 * share / sum(shares):.2f}%">' for share in shares)
    looks = {"number": 'class="df-number"', "attributes": ' class="df"'}
    begin = f"<colgroup>{widths}</colgroup>"
    return "".join(table_parts(columns, **looks, begin=begin, titles_from=16))


def static(state: State, picture: ChartImage | None) -> str:
    """Return the static view for notebooks without a kernel: records, chart, citation."""
    shown = state.shown
    if shown is None:
        return f'{style()}<div class="{STATIC}"><p>{escape(words(state))}</p></div>'
    # The caption of a chart includes the source.
    source = image(picture) if picture else escape(provenance.caption(shown.frame))
    limit = state.page_size if state.page_size in PAGE_SIZES else PAGE_SIZES[0]
    return (
        f'{style()}<div class="{STATIC}"><p><b>{escape(words(state))}</b></p>'
        f"{rows(state, limit)}<p>{_span(state, limit)}</p><p>{source}</p></div>"
    )


def words(state: State) -> str:
    """Summarize in one line what the explorer shows."""
    if state.shown is None:
        return "Nothing is loaded yet. Press Load."
    count, of = len(state.shown.frame), len(state.shown.loaded)
    noun = state.shown.resource.collection
    return f"{count:,} {noun}" if count == of else f"{count:,} of {of:,} {noun}"


def title(state: State) -> str:
    """Return the title with the source of the records."""
    if state.directory is None:
        return "dirframe explorer"
    settings = state.directory.settings
    address = f" · {escape(settings.base_url)}" if settings.cache_namespace is None else ""
    return f"dirframe explorer <span class='df-quiet'>{escape(settings.name)}{address}</span>"


def rows(state: State, most: int | None = None) -> str:
    """Return the current page of the table, or its first records."""
    if state.shown is None or state.rows is None:
        return ""
    first = state.rows.iloc[:most]
    return table(first, state.shown, order_by=state.order_by, descending=state.descending)


def part(state: State) -> str:
    """Describe which part of the records the table holds; empty if all."""
    if state.pages == 1:
        return ""
    noun = state.shown.resource.collection if state.shown else "records"
    return (
        f"<p class='df-quiet'>{_span(state)} are in this table. Order by puts all {noun} in "
        "order, not only these.</p>"
    )


def texts(state: State) -> pd.DataFrame:
    """Return the records on the page as unescaped text under their headings.

    A missing number is a hyphen, which DataTables sorts below all numbers.
    """
    rows, shown = state.rows, state.shown
    if rows is None or shown is None:
        return pd.DataFrame({"": []})
    cells = {}
    for position, name in enumerate(rows):
        missing = "-" if is_number(rows[name].dtype) else "–"
        cells[position] = [_text(value, missing) for value in rows[name].astype(object)]
    frame = pd.DataFrame(cells, dtype="str")
    frame.columns = pd.Index([heading(str(name), shown.resource) for name in rows])
    return frame


def kinds(state: State) -> list[dict[str, Any]]:
    """Return the type and width of each column for DataTables.

    Without the type, DataTables would inspect every cell.
    """
    if state.rows is None:
        return []
    columns = [state.rows[name] for name in state.rows]
    total = sum(map(_share, columns))
    return [
        {
            "targets": position,
            "type": "num-fmt" if is_number(column.dtype) else "string",
            "width": f"{100 * _share(column) / total:.2f}%",
        }
        for position, column in enumerate(columns)
    ]


def _share(column: pd.Series[Any]) -> float:
    if column.dtype == "str":
        return _WIDE
    return _DAY if pd.api.types.is_datetime64_any_dtype(column) else 1.0


def _span(state: State, limit: int | None = None) -> str:
    if state.shown is None or state.rows is None or not len(state.rows):
        return ""
    count = len(state.rows.iloc[:limit])
    offset = (min(state.page, state.pages) - 1) * state.page_size
    return f"Records {offset + 1:,} to {offset + count:,} of {len(state.shown.frame):,}"


def _text(value: object, missing: str = "–") -> str:
    if isinstance(value, list | tuple | np.ndarray):  # Parquet returns lists as arrays
        value = entries(value)
    elif isinstance(value, dict):
        value = entry(value)
    if value is None or value is pd.NaT or value is pd.NA or value != value:  # noqa: PLR0124  # NaN is not equal to itself
        return missing
    if isinstance(value, pd.Timestamp):
        return f"{value:%Y-%m-%d}"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.6g}"
    text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
