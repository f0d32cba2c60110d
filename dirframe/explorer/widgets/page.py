"""Widgets with a script of their own, for what those of ipywidgets cannot do in the page."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets as tr

_HERE = Path(__file__).parent


class Page(anywidget.AnyWidget):
    """Keep the keys pressed in the explorer from the notebook's shortcuts; tell its theme, width and address."""

    _esm = _HERE / "page.js"
    is_dark = tr.Bool(default_value=False).tag(sync=True)
    width = tr.Int(0).tag(sync=True)
    link = tr.Unicode().tag(sync=True)  # the end of the page's address, if it is a saved view


class HtmlTable(anywidget.AnyWidget):
    """Show an HTML table; a click on a header sends ``{"column": name}``."""

    _esm = _HERE / "table.js"
    value = tr.Unicode().tag(sync=True)
