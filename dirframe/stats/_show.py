"""How an overview shows itself: as text in a terminal, as HTML in a notebook.

What stays out: what is shown.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Iterable

_WIDEST = 60


class Shown:
    """An object that says in a heading, sections of rows and notes what it holds."""

    def _heading(self) -> str:
        raise NotImplementedError

    def _sections(self) -> Iterable[tuple[str, pd.DataFrame]]:
        raise NotImplementedError

    def _notes(self) -> Iterable[str]:
        raise NotImplementedError

    def __repr__(self) -> str:
        parts = [self._heading()]
        for title, table in self._sections():
            parts += ["", title, *(_aligned(table) if len(table) else ["  none"])]
        notes = list(self._notes())
        return "\n".join([*parts, *([""] if notes else []), *notes])

    def _repr_html_(self) -> str:
        parts = [f"<p><strong>{escape(self._heading())}</strong></p>"]
        for title, table in self._sections():
            parts.append(f"<p>{escape(title)}</p>")
            parts.append(_html(table) if len(table) else "<p>none</p>")
        parts += [f"<p><small>{escape(note)}</small></p>" for note in self._notes()]
        return "<div>" + "".join(parts) + "</div>"


def cells(table: pd.DataFrame) -> list[list[str]]:
    """Write each value for people: thousands separated, shares in percent, missing as blank."""
    columns = [[_text(value, name) for value in table[name]] for name in table]
    return [list(row) for row in zip(*columns, strict=True)]


def _text(value: object, name: object) -> str:
    if pd.isna(value):  # type: ignore[call-overload]  # a cell is a scalar
        return ""
    if isinstance(value, float | np.floating):
        if str(name).endswith("share"):
            return f"{value:.1%}"
        # One decimal would make the quantiles 0.95 and 0.99 the same as their neighbours.
        return f"{value:.3g}" if 0 < abs(float(value)) < 1 else f"{value:,.1f}"
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    words = "".join(sign if sign.isprintable() else " " for sign in str(value))
    return words if len(words) <= _WIDEST else f"{words[: _WIDEST - 1]}…"


def _head(table: pd.DataFrame) -> list[str]:
    return [str(name).replace("_", " ") for name in table]


def _numeric(table: pd.DataFrame) -> list[bool]:
    return [pd.api.types.is_numeric_dtype(dtype) for dtype in table.dtypes]


def _aligned(table: pd.DataFrame) -> list[str]:
    rows = [_head(table), *cells(table)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.columns))]
    right = _numeric(table)
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in rows
    ]


def _html(table: pd.DataFrame) -> str:
    sides = ["right" if number else "left" for number in _numeric(table)]

    def row(tag: str, texts: list[str]) -> str:
        inside = "".join(
            f'<{tag} style="text-align:{side}">{escape(text)}</{tag}>'
            for text, side in zip(texts, sides, strict=True)
        )
        return f"<tr>{inside}</tr>"

    body = "".join(row("td", texts) for texts in cells(table))
    return f"<table><thead>{row('th', _head(table))}</thead><tbody>{body}</tbody></table>"
