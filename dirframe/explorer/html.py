"""Render the explorer's tables, gauges, messages and static view as escaped HTML."""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dirframe import provenance
from dirframe._display.html import Column, literal, table_parts
from dirframe._display.values import entries, entry, is_number, percent
from dirframe.explorer import choices, saved_view

if TYPE_CHECKING:
    from dirframe.explorer.chart_image import ChartImage
    from dirframe.explorer.facets import Bar
    from dirframe.explorer.state import State

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
_PROFILE = (72, 16)  # pixels of a histogram in a header
_TITLE = 80  # characters of a value on hover
_LARGER = 1.35  # a screen is read from further away than paper
_LONGEST = 10_000  # characters of a cell; a record can have megabytes


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


def busy(*, is_working: bool) -> str:
    """Return the sign that a choice is being applied."""
    return '<span class="df-busy" role="status">Working …</span>' if is_working else ""


def bar(loaded: int, total: int, *, running: bool) -> str:
    """Return the progress bar of a load."""
    if not total:
        label = "Asking for the first page …" if running else ""
        progress = "<progress aria-label='Records loaded'></progress>" if running else ""
    else:
        label = f"{loaded:,} of {total:,} records"
        progress = f'<progress aria-label="Records loaded" max="{total}" value="{loaded}">{label}</progress>'
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


def link(state: State) -> str:
    """Return a link to the view, as the end of the notebook's address, and its text."""
    if state.shown is None:
        return ""
    text = saved_view.dump(state)
    return (
        f'<a class="df-view-link" href="{escape(saved_view.fragment(state))}">Link to this view</a> '
        f"<details><summary>The view as text</summary>{preformatted(text, 'View')}</details>"
    )


def rows(state: State) -> str:
    """Return the page of the table; the style sheet clips long texts, the title has them whole.

    A header has a small histogram of its column, and the share of records without a value.
    """
    if state.shown is None or state.rows is None:
        return ""
    if not len(state.shown.frame):
        return "<p>No record passes the filters.</p>"
    sortable = choices.sortable(state.rows)
    columns = []
    for name in map(str, state.rows):
        values = state.rows[name]
        order = (
            ("descending" if state.descending else "ascending") if name == state.order_by else ""
        )
        mark = {"descending": " ▾", "ascending": " ▴"}.get(order, "")
        columns.append(
            Column(
                head=choices.heading(name, state.shown.resource) + mark,
                cells=[_text(value) for value in values.astype(object)],
                number=is_number(values.dtype),
                sorting=order,
                title=name,
                name=name if name in sortable else "",
                frozen=name == "name",
                below=_profile(*state.profile(name)),
            )
        )
    looks = {"number": 'class="df-number"', "attributes": ' class="df"'}
    parts = table_parts(columns, **looks, titles_from=16, links=True)
    return (
        f'<div class="df-scroll" role="region" aria-label="Records" tabindex="0">{"".join(parts)}'
        "</div>"
    )


def static(state: State, picture: ChartImage | None) -> str:
    """Return the static view for notebooks without a kernel: records, chart, citation."""
    shown = state.shown
    if shown is None:
        return f'{style()}<div class="{STATIC}"><p>{escape(words(state))}</p></div>'
    # The caption of a chart includes the source.
    source = image(picture) if picture else escape(provenance.caption(shown.frame))
    view = f"<p><b>{escape(words(state))}</b></p>{rows(state)}<p>{span(state)}</p><p>{source}</p>"
    return f'{style()}<div class="{STATIC}">{literal(view)}</div>'


def words(state: State) -> str:
    """Summarize in one line what the explorer shows."""
    if state.shown is None:
        return "Nothing is loaded yet. Press Load."
    count, total = len(state.shown.frame), len(state.shown.loaded)
    noun = state.shown.resource.collection
    return f"{count:,} {noun}" if count == total else f"{count:,} of {total:,} {noun}"


def title(state: State) -> str:
    """Return the title with the source of the records."""
    if state.directory is None:
        return "dirframe explorer"
    directory = state.directory
    address = f" · {escape(directory.base_url)}" if directory.identity == directory.base_url else ""
    return f"dirframe explorer <span class='df-quiet'>{escape(directory.name)}{address}</span>"


def span(state: State) -> str:
    """Return which records are on the page of the table."""
    if state.shown is None or state.rows is None or not len(state.rows):
        return ""
    offset = (min(state.page, state.pages) - 1) * state.page_size
    last = offset + len(state.rows)
    return f"Records {offset + 1:,} to {last:,} of {len(state.shown.frame):,}"


def _profile(bars: list[Bar], missing: float) -> str:
    """Return a histogram as SVG, each bar with its values on hover, and the missing share."""
    share = f"<span class='df-missing'>{percent(missing)} missing</span>" if missing else ""
    most = max((bar.count for bar in bars), default=0)
    if not most:
        return f"<div class='df-profile'>{share}</div>"
    width = _PROFILE[0] / len(bars)
    rects = []
    for number, bar in enumerate(bars):
        height = max(_PROFILE[1] * bar.count / most, 1 if bar.count else 0)
        rects.append(
            f"<g><title>{escape(bar.title[:_TITLE])}: {bar.count:,}</title>"
            f"<rect class='df-hit' x='{number * width:.1f}' y='0' width='{width:.1f}' "
            f"height='{_PROFILE[1]}'/><rect x='{number * width:.1f}' "
            f"y='{_PROFILE[1] - height:.1f}' width='{max(width - 0.5, 0.5):.1f}' "
            f"height='{height:.1f}'/></g>"
        )
    label = " … ".join(dict.fromkeys(bar.title[:_TITLE] for bar in (bars[0], bars[-1])))
    return (
        f"<div class='df-profile'><svg role='img' aria-label='Histogram: {escape(label)}' "
        f"width='{_PROFILE[0]}' height='{_PROFILE[1]}'>{''.join(rects)}</svg>{share}</div>"
    )


def _text(value: object) -> str:
    if isinstance(value, list | tuple | np.ndarray):  # Parquet returns lists as arrays
        value = entries(value)
    elif isinstance(value, dict):
        value = entry(value)
    if value is None or value is pd.NaT or value is pd.NA or value != value:  # noqa: PLR0124  # NaN is not equal to itself
        return "–"
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
