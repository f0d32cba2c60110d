"""The explorer's widgets, found as in the page: by their class."""

from dirframe.explorer.widgets.view import View


def every(widget):
    """Walk through a widget and all in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from every(child)


class Screen:
    """The widgets of a state, by their class in the page."""

    def __init__(self, state):
        self.state, self.view = state, View(state)

    def __getitem__(self, name):
        (widget,) = [w for w in every(self.view.widget) if f"df-{name}" in w._dom_classes]
        return widget

    def visible(self, name):
        return self[name].layout.display != "none"

    def contents(self):
        """Return all that the widgets send to the page."""
        return repr([widget.get_state() for widget in every(self.view.widget)])
