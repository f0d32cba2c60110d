"""What the tests of the explorer share: its widgets, found as in the page."""

import pytest
from lxml import html


def every(widget):
    """Walk through a widget and all in it."""
    yield widget
    for child in getattr(widget, "children", ()):
        yield from every(child)


@pytest.fixture
def press():
    """Press a button of an explorer by its words."""

    def pressed(explorer, label):
        buttons = [w for w in every(explorer) if type(w).__name__ == "Button"]
        (button,) = [button for button in buttons if button.description == label]
        assert not button.disabled
        button.click()

    return pressed


@pytest.fixture
def shown():
    """Parse an output of an explorer by its class."""

    def parsed(explorer, name):
        (widget,) = [
            w for w in every(explorer) if f"df-at-{name}" in getattr(w, "_dom_classes", ())
        ]
        return html.fromstring(f"<div>{widget.value}</div>")

    return parsed


@pytest.fixture
def sent():
    """Return all that an explorer sends to the page and leaves in a saved notebook."""

    def everything(explorer):
        state = [widget.get_state() for widget in every(explorer)]
        return repr((state, explorer, explorer.code, explorer._repr_mimebundle_()))

    return everything
