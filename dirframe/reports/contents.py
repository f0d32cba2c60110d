"""Headings of a report's template and its table of contents."""

from __future__ import annotations

import re
from typing import Any

#: Tag of the cell with the table of contents.
CONTENTS = "contents"


def headings(cell: Any, *levels: int) -> list[str]:
    r"""Return the headings in a cell of Markdown.

    Parameters
    ----------
    cell : nbformat.NotebookNode
        A cell of any type.
    *levels : int
        Levels of headings; all if there are none.

    Returns
    -------
    list of str
        Their texts as Markdown.

    Examples
    --------
    >>> import nbformat
    >>> headings(nbformat.v4.new_markdown_cell("## Method\n\n```\n## code\n```"), 2)
    ['Method']
    """
    import mistune

    if cell.cell_type != "markdown":
        return []
    parsed: Any = mistune.create_markdown(renderer="ast")(cell.source)
    blocks = (block for block in parsed if block["type"] == "heading")
    return [_text(block) for block in blocks if not levels or block["attrs"]["level"] in levels]


def add_contents(notebook: Any) -> bool:
    """Insert links to the headings of the second level before the first of them.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
        The executed notebook; modified in place. Each cell with such a heading gets its anchor as
        ``metadata.anchor``.

    Returns
    -------
    bool
        Whether there are any.

    Examples
    --------
    >>> import nbformat
    >>> cell = nbformat.v4.new_markdown_cell("## My method")
    >>> notebook = nbformat.v4.new_notebook(cells=[cell])
    >>> add_contents(notebook)
    True
    >>> print(notebook.cells[0].source)
    ## Contents
    <BLANKLINE>
    - [My method](#my-method)
    """
    import nbformat

    named = [(cell, texts[0]) for cell in notebook.cells if (texts := headings(cell, 2))]
    if not named:
        return False
    items = []
    for cell, text in named:
        # The anchor that GitHub and GitLab derive from a heading.
        cell.metadata.anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        items.append(f"- [{text}](#{cell.metadata.anchor})")
    source = "\n".join(["## Contents", "", *items])
    contents = nbformat.v4.new_markdown_cell(source, metadata={"tags": [CONTENTS]}, id=CONTENTS)
    notebook.cells.insert(notebook.cells.index(named[0][0]), contents)
    return True


def _text(block: Any) -> str:
    return str(block.get("raw", "")) + "".join(map(_text, block.get("children", ())))
