"""Tables as HTML: text is escaped, numbers are right-aligned."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    head : str
        Text of the header.
    cells : sequence of str
        Text of each cell.
    number : bool, default False
        Whether it is right-aligned.
    sorting : str
        Sort direction (value of ``aria-sort``), if the table is sorted by it.
    title : str
        Tooltip of the header.
    name : str
        Names the column in ``data-column`` of a button in the header; empty for no button.
    frozen : bool, default False
        Whether it is of class ``df-frozen``.
    below : str
        HTML below the header's text.
    """

    head: str
    cells: Sequence[str]
    number: bool = False
    sorting: str = ""
    title: str = ""
    name: str = ""
    frozen: bool = False
    below: str = ""


def table_parts(
    columns: Sequence[Column],
    *,
    number: str,
    attributes: str = "",
    begin: str = "",
    titles_from: int | None = None,
    links: bool = False,
) -> Iterator[str]:
    """Render a table row by row.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    number : str
        Attribute of right-aligned cells, such as ``class="n"``.
    attributes : str
        Attributes of the table, as HTML.
    begin : str
        Caption or column widths, as HTML.
    titles_from : int or None
        Cells with longer text get a tooltip with the full text.
    links : bool, default False
        Whether cells that are web addresses are links.

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
    attributes_by_column = [
        (f" {number}" if column.number else "") + (' class="df-frozen"' if column.frozen else "")
        for column in columns
    ]
    headers = (
        f'<th scope="col"{attribute}'
        + (f' aria-sort="{column.sorting}"' if column.sorting else "")
        + (f' title="{escape(column.title)}"' if column.title else "")
        + f">{_header(column)}{column.below}</th>"
        for column, attribute in zip(columns, attributes_by_column, strict=True)
    )
    yield f"<table{attributes}>{begin}<thead><tr>{''.join(headers)}</tr></thead>\n<tbody>\n"
    for row in zip(*(column.cells for column in columns), strict=True):
        cells = []
        for text, attribute in zip(row, attributes_by_column, strict=True):
            escaped = escape(text)
            title = titles_from is not None and len(text) > titles_from
            if links and text.startswith(("https://", "http://")):
                shown = (
                    f'<a href="{escaped}" target="_blank" rel="noopener noreferrer">{escaped}</a>'
                )
            else:
                shown = escaped
            cells.append(
                f"<td{attribute}" + (f' title="{escaped}"' if title else "") + f">{shown}</td>"
            )
        yield f"<tr>{''.join(cells)}</tr>\n"
    yield "</tbody></table>"


def literal(content: str) -> str:
    """Return HTML in which MathJax, 2 and 3, leaves dollar signs and backslashes as they are.

    Examples
    --------
    >>> print(literal("from $5 to $10"))
    <div class="tex2jax_ignore mathjax_ignore">from $5 to $10</div>
    """
    return f'<div class="tex2jax_ignore mathjax_ignore">{content}</div>'


def _header(column: Column) -> str:
    if not column.name:
        return escape(column.head)
    return (
        f'<button type="button" data-column="{escape(column.name)}">{escape(column.head)}</button>'
    )
