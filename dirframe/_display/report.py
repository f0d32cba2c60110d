"""Text and HTML representation of overviews."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dirframe._display.html import Column, table_parts
from dirframe._display.text import align
from dirframe._display.values import is_number, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

_WIDEST = 60


class ReportMixin:
    """Mixin for objects that are displayed as a heading, tables and notes."""

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


def _columns(table: pd.DataFrame) -> list[list[str]]:
    """Format values: thousands separators, shares as percentages, missing values empty."""
    return [[_text(value, name) for value in table[name]] for name in table]


def _text(value: object, name: object) -> str:
    if pd.isna(value):  # type: ignore[call-overload]  # a cell is a scalar
        return ""
    if isinstance(value, float | np.floating):
        if str(name).endswith("share"):
            return f"{value:.1%}"
        # With one decimal, the quantiles 0.95 and 0.99 would equal their neighbours.
        return f"{value:.3g}" if 0 < abs(float(value)) < 1 else f"{value:,.1f}"
    if isinstance(value, int | np.integer):
        return f"{value:,}"
    words = printable(str(value))
    return words if len(words) <= _WIDEST else f"{words[: _WIDEST - 1]}…"


def _head(table: pd.DataFrame) -> list[str]:
    return [str(name).replace("_", " ") for name in table]


def _aligned(table: pd.DataFrame) -> list[str]:
    columns = (
        align([head, *texts], right=is_number(dtype))
        for head, texts, dtype in zip(_head(table), _columns(table), table.dtypes, strict=True)
    )
    return ["  " + "  ".join(row).rstrip() for row in zip(*columns, strict=True)]


def _html(table: pd.DataFrame) -> str:
    columns = [
        Column(head=head, cells=texts, number=is_number(dtype))
        for head, texts, dtype in zip(_head(table), _columns(table), table.dtypes, strict=True)
    ]
    return "".join(table_parts(columns, number='style="text-align:right"'))
