"""Report text as plain text and as Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dirframe._display.markdown import escape_markdown

if TYPE_CHECKING:
    from collections.abc import Iterable


class Block(StrEnum):
    """Kind of a block of text: its Markdown."""

    TITLE = "# {}"
    HEADING = "### {}"
    WARNING = "> **Beware:** {}"
    TEXT = "{}"
    ITEM = "- {}"
    LINK = "<{}>"
    CODE = "{fence}\n{}\n{fence}"


@dataclass(frozen=True, repr=False)
class Passage:
    r"""Blocks of text; markup in them is escaped.

    Parameters
    ----------
    blocks : tuple of (Block, str)
        Kind and text of each block.

    Examples
    --------
    >>> print(Passage(((Block.TEXT, "<b>"),))._repr_markdown_())
    \<b\>
    """

    blocks: tuple[tuple[Block, str], ...]

    def __repr__(self) -> str:
        return "\n".join(text for _, text in self.blocks)

    def _repr_markdown_(self) -> str:
        parts: list[str] = []
        previous = None
        for block, text in self.blocks:
            # Items of one list are not paragraphs.
            gap = "\n" if block is previous is Block.ITEM else "\n\n"
            parts += [gap if parts else "", _markdown(block, text)]
            previous = block
        return "".join(parts)


def _markdown(block: Block, text: str) -> str:
    if block is Block.CODE:
        longest = max(map(len, re.findall("`+", text)), default=0)
        return block.value.format(
            text, fence="`" * max(longest + 1, 3)
        )  # longer than any in the text
    if block is Block.LINK:
        return block.value.format(text)
    # A new line could begin a list or a heading; an address becomes a link in a block of its own.
    line = escape_markdown(" ".join(text.split())).replace("://", r"\://")
    return block.value.format(line)


def listed(parts: Iterable[str]) -> str:
    """Join parts of a sentence: ``a, b and c``."""
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
