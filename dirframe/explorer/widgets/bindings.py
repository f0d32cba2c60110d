"""Two-way bindings between widgets and traits of the state.

A kernel can deliver a change in any thread; the state is updated in its own
(`LoadController.dispatch`). Until then the widget keeps the chosen value.
"""

from __future__ import annotations

from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any

import ipywidgets as w

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dirframe.explorer.state import State

#: The CSS grid sets the width of widgets.
AUTO_WIDTH = {"width": "auto"}


def boxed(names: str, children: Sequence[Any], kind: type = w.Box) -> Any:
    """Return a box of widgets with CSS classes."""
    box = kind(children)
    for name in names.split():
        box.add_class(name)
    return box


def with_class(widget: Any, name: str) -> Any:
    """Add a CSS class to a widget and return it."""
    widget.add_class(name)
    return widget


def button(
    name: str,
    label: str,
    state: State,
    action: Callable[[], None],
    *,
    tip: str,
    kind: str = "",
    is_immediate: bool = False,
) -> Any:
    """Return a button; an immediate action runs directly in the thread of the click."""
    widget = w.Button(description=label, tooltip=tip, button_style=kind, layout=AUTO_WIDTH)
    widget.on_click(lambda _: action() if is_immediate else apply(state, action))
    return with_class(widget, name)


def apply(state: State, action: Callable[[], None]) -> None:
    """Run an action of the user in the thread of the state."""
    state.dispatch(lambda: run_busy(state, action))


def run_busy(state: State, action: Callable[[], None]) -> None:
    """Change the state, with a sign in the page while that lasts."""
    outer = state.is_working
    state.is_working = True
    try:
        action()
    finally:
        state.is_working = outer


def update_on(state: State, traits: Sequence[str], update: Callable[[], None]) -> None:
    """Call a function now, and whenever one of the traits changes."""
    update()
    state.observe(lambda _: update(), list(traits))


def bind_trait(
    widgets: Sequence[Any],
    state: State,
    trait: str,
    *,
    follow: Callable[[], None],
    value: Callable[[Any], Any],
    when: Sequence[str] = (),
) -> None:
    """Bind a trait to one or more widgets in both directions.

    Parameters
    ----------
    widgets
        The widgets that the user changes.
    state, trait
        The trait that they show and set.
    follow
        Updates the widgets from the trait.
    value
        Converts the new value of a widget to a value of the trait.
    when
        Other traits that the widgets depend on.
    """
    following = 0  # thread that is updating the widgets: its changes are not user input
    pending: list[Any] = []  # user choices that the state has not received yet

    def show() -> None:
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
        state.dispatch(partial(receive, chosen))

    def receive(chosen: Any) -> None:
        pending.pop(0)
        try:
            run_busy(state, lambda: setattr(state, trait, chosen))
        finally:
            show()

    update_on(state, [*when, trait], show)
    for widget in widgets:
        widget.observe(choose, "value")


def labelled_widget(
    kind: type, label: str, state: State, trait: str, *, name: str = "", **options: Any
) -> Any:
    """Return a labelled control bound to a trait; `name` is its CSS class if that differs."""
    widget = kind(description=label, layout=AUTO_WIDTH, **options)

    def follow() -> None:
        widget.value = getattr(state, trait)

    bind_trait([widget], state, trait, follow=follow, value=_itself)
    return with_class(widget, name or _css_class(trait))


def _css_class(trait: str) -> str:
    return f"df-{trait.replace('_', '-')}"


def _itself(chosen: Any) -> Any:
    return chosen


def select_widget(
    kind: type,
    label: str,
    state: State,
    trait: str,
    *,
    name: str = "",
    options: Callable[[], Sequence[tuple[str, Any]]],
    when: Sequence[str],
    convert: Callable[[Any], Any] = _itself,
    **fixed: Any,
) -> Any:
    """Return a selection whose options depend on the state.

    Parameters
    ----------
    kind
        A selection class of ipywidgets.
    label
        Its label.
    state, trait
        The trait that it shows and sets.
    name
        Its CSS class, if that is not made of the name of the trait.
    options
        Returns the options as pairs of label and value.
    when
        The traits that the options depend on.
    convert
        Converts the chosen value to a value of the trait.
    **fixed
        Other arguments of the widget.
    """
    widget = kind(description=label, layout=AUTO_WIDTH, **fixed)

    def follow() -> None:
        # With new options the widget selects the first, which is not user input.
        entries = tuple(options())
        values = {value for _, value in entries}
        value = getattr(state, trait)
        if tuple(widget.options) != entries:
            if isinstance(value, tuple):
                widget.value = ()  # the browser would look up the old values in the new options
            widget.options = entries
        if isinstance(value, tuple):
            widget.value = tuple(entry for entry in value if entry in values)
        else:
            widget.value = value if value in values else None

    bind_trait([widget], state, trait, follow=follow, value=convert, when=when)
    return with_class(widget, name or _css_class(trait))


def html_output(name: str, state: State, traits: Sequence[str], text: Callable[[], str]) -> Any:
    """Return an HTML widget that is updated when one of the traits changes."""
    widget = w.HTML(layout=AUTO_WIDTH | {"margin": "0"})

    def write() -> None:
        widget.value = text()

    update_on(state, traits, write)
    return with_class(widget, name)
