"""Widgets with a script of their own: what ipywidgets cannot do in the page."""

from __future__ import annotations

from pathlib import Path

import anywidget

__all__ = ["Page"]

_HERE = Path(__file__).parent


class Page(anywidget.AnyWidget):
    """Keep the keys that are pressed in the explorer from the shortcuts of the notebook."""

    _esm = _HERE / "page.js"
