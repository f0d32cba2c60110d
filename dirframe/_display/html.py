"""A table as HTML: every text escaped, numbers at the right."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Column", "table_parts"]


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column: the text of its head, its cells, and how it looks.

    Parameters
    ----------
    head : str
        The text of the head.
    cells : sequence of str
        The text of each row.
    number : bool, default False
        Whether it stands at the right.
    sorting : str
        The direction in which the table is ordered by it, if it is.
    title : str
        What the head shows on request.
    """

    head: str
    cells: Sequence[str]
    number: bool = False
    sorting: str = ""
    title: str = ""


def table_parts(
    columns: Sequence[Column],
    *,
    number: str,
    attributes: str = "",
    begin: str = "",
    titles_from: int | None = None,
) -> Iterator[str]:
    """Write a table, a row at a time.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    number : str
        The attribute of what stands at the right, such as ``class="n"``.
    attributes : str
        Those of the table, as HTML.
    begin : str
        Caption or widths, as HTML.
    titles_from : int or None
        From this length on a cell that is cut off shows all of its text on request.

    Yields
    ------
    str
        HTML.

    Examples
    --------
    >>> column = Column(head="stars", cells=["<5>"], number=True)
    >>> print("".join(table_parts([column], number='class="n"')))
    <table><thead><tr><th scope="col" class="n">stars</th></tr></thead>
    <tbody>
    <tr><td class="n">&lt;5&gt;</td></tr>
    </tbody></table>
    """
    kinds = [f" {number}" if column.number else "" for column in columns]
    heads = (
        f'<th scope="col"{kind}'
        + (f' aria-sort="{column.sorting}"' if column.sorting else "")
        + (f' title="{escape(column.title)}"' if column.title else "")
        + f">{escape(column.head)}</th>"
        for column, kind in zip(columns, kinds, strict=True)
    )
    yield f"<table{attributes}>{begin}<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>\n"
    for row in zip(*(column.cells for column in columns), strict=True):
        cells = []
        for text, kind in zip(row, kinds, strict=True):
            shown = escape(text)
            title = titles_from is not None and len(text) > titles_from
            cells.append(f"<td{kind}" + (f' title="{shown}"' if title else "") + f">{shown}</td>")
        yield f"<tr>{''.join(cells)}</tr>\n"
    yield "</tbody></table>"
