"""Widgets with a script of their own, for what those of ipywidgets cannot do in the page."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets as tr

__all__ = ["HtmlTable", "Page"]

_HERE = Path(__file__).parent


class Page(anywidget.AnyWidget):
    """Keep the keys that are pressed in the explorer from the shortcuts of the notebook."""

    _esm = _HERE / "page.js"


class HtmlTable(anywidget.AnyWidget):
    """Show an HTML table; a click on a header sends ``{"column": name}``."""

    _esm = _HERE / "table.js"
    value = tr.Unicode().tag(sync=True)
