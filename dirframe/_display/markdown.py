"""Text and tables as Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dirframe._display.html import Column

_MARKUP = re.compile(r"([\\`*_\[\]<>#|~$&])")
#: What makes a list or a rule of the line that begins with it.
_BEGINNING = re.compile(r"^([-+](?=[-\s]|$)|\d+(?=[.)](?:\s|$)))", re.MULTILINE)


def escape_markdown(text: str) -> str:
    r"""Escape the markup of Markdown, HTML and TeX, so that text is shown literally.

    Examples
    --------
    >>> print(escape_markdown("a_b"))
    a\_b
    """
    return _BEGINNING.sub(_escape_beginning, _MARKUP.sub(r"\\\1", text))


def table_lines(columns: Sequence[Column]) -> Iterator[str]:
    r"""Render a GitHub Flavored Markdown table line by line (GFM, 4.10).

    Examples
    --------
    >>> from dirframe._display.html import Column
    >>> print("\n".join(table_lines([Column(head="stars", cells=["5"], number=True)])))
    | stars |
    | ---: |
    | 5 |
    """
    rule = ["---:" if column.number else "---" for column in columns]
    # No padding to the column width: one long text would widen every row.
    rows = zip(*([_cell(text) for text in column.cells] for column in columns), strict=True)
    for row in ([_cell(column.head) for column in columns], rule, *rows):
        yield f"| {' | '.join(row)} |"


def _cell(text: str) -> str:
    return "<br>".join(escape_markdown(text).splitlines())


def _escape_beginning(match: re.Match[str]) -> str:
    # Digits cannot be escaped, the point or bracket behind them can.
    return f"{match[0]}\\" if match[0].isdigit() else f"\\{match[0]}"
