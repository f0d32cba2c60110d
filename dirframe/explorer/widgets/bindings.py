"""How a widget and a trait of the state follow one another.

A widget is told of a click in a thread of the kernel's choice; the state hears of it where it
lives (`Asking.dispatch`). Until then the widget keeps what was chosen, whatever else the state
shows meanwhile.
"""

from __future__ import annotations

from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any

import ipywidgets as w

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dirframe.explorer.state import State

__all__ = [
    "bind_trait",
    "boxed",
    "button",
    "html_output",
    "labelled_widget",
    "select_widget",
    "with_class",
]

#: Widgets are as wide as the grid makes them.
_AUTO = {"width": "auto"}


def boxed(names: str, children: Sequence[Any], kind: type = w.Box) -> Any:
    """Put widgets into a box of some of the style sheet's classes."""
    box = kind(children)
    for name in names.split():
        box.add_class(name)
    return box


def with_class(widget: Any, name: str) -> Any:
    """Give a widget a class, by which it is found in the page."""
    widget.add_class(name)
    return widget


def button(
    name: str,
    label: str,
    state: State,
    act: Callable[[], None],
    *,
    tip: str,
    kind: str = "",
    at_once: bool = False,
) -> Any:
    """Make a button that does one thing; what is done at once may be done in any thread."""
    widget = w.Button(description=label, tooltip=tip, button_style=kind, layout=_AUTO)
    widget.on_click(lambda _: act() if at_once else state.dispatch(act))
    return with_class(widget, name)


def bind_trait(
    widgets: Sequence[Any],
    state: State,
    trait: str,
    *,
    follow: Callable[[], None],
    value: Callable[[Any], Any],
    when: Sequence[str] = (),
) -> None:
    """Let one widget, or several together, and a trait follow one another.

    Parameters
    ----------
    widgets
        What a person changes.
    state, trait
        What they show and set.
    follow
        Makes the widgets show the trait.
    value
        Gives what was chosen, for the trait, from the new value of one widget.
    when
        More traits that what they show depends on.
    """
    following = 0  # the thread in which the widgets are made to follow: nobody has chosen anything
    pending: list[Any] = []  # choices that the state has not heard of yet, so it shows older ones

    def show(_: Any = None) -> None:
        nonlocal following
        if pending:
            return
        following = get_ident()
        try:
            follow()
        finally:
            following = 0

    def choose(change: Any) -> None:
        if following == get_ident():
            return
        chosen = value(change["new"])
        pending.append(chosen)
        state.dispatch(partial(apply, chosen))

    def apply(chosen: Any) -> None:
        pending.pop(0)
        try:
            setattr(state, trait, chosen)
        finally:
            show()

    show()
    for widget in widgets:
        widget.observe(choose, "value")
    state.observe(show, [*when, trait])


def labelled_widget(
    kind: type, name: str, label: str, state: State, trait: str, **options: Any
) -> Any:
    """Make a control with a label that always has the value of a trait."""
    widget = kind(description=label, layout=_AUTO, **options)

    def follow() -> None:
        widget.value = getattr(state, trait)

    bind_trait([widget], state, trait, follow=follow, value=_itself)
    return with_class(widget, name)


def _itself(chosen: Any) -> Any:
    return chosen


def select_widget(
    kind: type,
    name: str,
    label: str,
    state: State,
    trait: str,
    *,
    options: Callable[[], Sequence[tuple[str, Any]]],
    when: Sequence[str],
    **fixed: Any,
) -> Any:
    """Make a list whose entries change with the state.

    Parameters
    ----------
    kind
        A selection of ipywidgets.
    name, label
        Its class and its label.
    state, trait
        What it shows and sets.
    options
        Gives the entries, with their labels.
    when
        The traits that the entries depend on.
    **fixed
        More options of the widget.
    """
    widget = kind(description=label, layout=_AUTO, **fixed)

    def follow() -> None:
        # New entries make the widget choose the first of them, which nobody has chosen.
        entries = tuple(options())
        values = {value for _, value in entries}
        value = getattr(state, trait)
        if tuple(widget.options) != entries:
            if isinstance(value, tuple):
                widget.value = ()  # the browser would look for them among the new entries
            widget.options = entries
        if isinstance(value, tuple):
            widget.value = tuple(entry for entry in value if entry in values)
        else:
            widget.value = value if value in values else None

    bind_trait([widget], state, trait, follow=follow, value=_itself, when=when)
    return with_class(widget, name)


def html_output(name: str, state: State, traits: Sequence[str], text: Callable[[], str]) -> Any:
    """Show a text that is written anew whenever one of some traits changes."""
    widget = w.HTML(text(), layout={"width": "auto", "margin": "0"})

    def write(_: Any) -> None:
        widget.value = text()

    state.observe(write, list(traits))
    return with_class(widget, name)
