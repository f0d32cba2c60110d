"""Text, HTML and Markdown representation of overviews."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from dirframe._display.cells import align, cell_texts, cut
from dirframe._display.html import Column, literal, table_parts
from dirframe._display.markdown import escape_markdown, table_lines
from dirframe._display.values import is_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

_WIDEST = 60
_CAPTION = '<caption style="text-align:left;caption-side:top;font-weight:bold">{}</caption>'


class ReportMixin:
    """Mixin for objects that are displayed as a heading, tables and notes."""

    def _heading(self) -> str:
        raise NotImplementedError

    def _sections(self) -> Iterable[tuple[str, pd.DataFrame]]:
        """Yield the caption of each table, and the table."""
        raise NotImplementedError

    def _notes(self) -> Iterable[str]:
        raise NotImplementedError

    def __repr__(self) -> str:
        heading = self._heading()
        parts = [heading] if heading else []
        for title, table in self._sections():
            parts += [*([""] if parts else []), title, *(_aligned(table) or ["  none"])]
        notes = list(self._notes())
        return "\n".join([*parts, *([""] if notes else []), *notes])

    def _repr_html_(self) -> str:
        heading = self._heading()
        parts = [f"<p><strong>{escape(heading)}</strong></p>"] if heading else []
        for title, table in self._sections():
            if table.empty:
                parts.append(f"<p><strong>{escape(title)}</strong>: none</p>")
                continue
            caption = _CAPTION.format(escape(title))
            parts += table_parts(_columns(table), number='style="text-align:right"', begin=caption)
        parts += [f"<p><small>{escape(note)}</small></p>" for note in self._notes()]
        return literal("".join(parts))

    def _repr_markdown_(self) -> str:
        heading = self._heading()
        blocks = [f"**{escape_markdown(heading)}**"] if heading else []
        for title, table in self._sections():
            lines = list(table_lines(_columns(table)))
            blocks += [f"**{escape_markdown(title)}**", "\n".join(lines) if len(table) else "none"]
        return "\n\n".join([*blocks, *(escape_markdown(note) for note in self._notes())])


def _columns(table: pd.DataFrame) -> list[Column]:
    return [
        Column(
            head=str(name).replace("_", " "),
            cells=cell_texts(table[name], str(name)),
            number=is_number(table[name].dtype),
        )
        for name in table
    ]


def _aligned(table: pd.DataFrame) -> list[str]:
    if table.empty:
        return []
    columns = (
        align([column.head, *(cut(text, _WIDEST) for text in column.cells)], right=column.number)
        for column in _columns(table)
    )
    return ["  " + "  ".join(row).rstrip() for row in zip(*columns, strict=True)]
