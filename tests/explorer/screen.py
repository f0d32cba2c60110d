"""The explorer's widgets, found as in the page: by their class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe.explorer.widgets.view import View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dirframe.explorer.state import State


def every(widget: Any) -> Iterator[Any]:
    """Walk through a widget and all in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from every(child)


class Screen:
    """The widgets by their class in the page."""

    def __init__(self, state: State) -> None:
        self.view = View(state)

    def __getitem__(self, name: str) -> Any:
        (found,) = [w for w in every(self.view.widget) if f"df-{name}" in w._dom_classes]
        return found

    def visible(self, name: str) -> bool:
        return bool(self[name].layout.display != "none")
