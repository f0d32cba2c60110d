"""Escape text for Markdown."""

from __future__ import annotations

import re

__all__ = ["escape_markdown"]

_MARKUP = re.compile(r"([\\`*_\[\]<>#|~$&])")


def escape_markdown(text: str) -> str:
    r"""Escape the markup of Markdown, HTML and TeX, so that text is shown literally.

    Examples
    --------
    >>> print(escape_markdown("a_b"))
    a\_b
    """
    return _MARKUP.sub(r"\\\1", text)
