"""A widget and a trait follow one another, whichever thread a click comes in."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Any

import ipywidgets as w
import pytest

from dirframe.errors import InvalidInputError
from dirframe.explorer.state import State
from dirframe.explorer.widgets.bindings import button, html_output, labelled_widget, select_widget

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd


class Kernel:
    """Does what other threads hand over when this one comes to it, as an event loop does."""

    def __init__(self) -> None:
        self.waiting: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def __call__(self, act: Callable[[], None]) -> None:
        self.waiting.put(act)

    def goes_on(self) -> None:
        while not self.waiting.empty():
            self.waiting.get()()


def elsewhere(act: Callable[[], Any]) -> None:
    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


def test_a_click_changes_the_state_where_the_state_lives(projects: pd.DataFrame) -> None:
    kernel = Kernel()
    state = State(projects, kernel)
    text = labelled_widget(w.Text, "File", state, "path")
    threads: list[int] = []
    state.observe(lambda _: threads.append(threading.get_ident()), "path")
    elsewhere(lambda: setattr(text, "value", "mine.csv"))
    assert state.path == "projects.csv"
    kernel.goes_on()
    assert state.path == "mine.csv"
    assert threads == [threading.get_ident()]


def test_a_click_while_a_change_is_shown_is_not_lost(projects: pd.DataFrame) -> None:
    kernel = Kernel()
    state = State(projects, kernel)
    options = [("all", "all"), ("active", "active"), ("dormant", "dormant")]
    made = select_widget(
        *(w.Dropdown, "Activity", state, "activity"),
        options=lambda: options,
        when=["shown"],
    )

    def chosen_meanwhile(_: object) -> None:
        elsewhere(lambda: setattr(made, "value", "dormant"))

    state.observe(chosen_meanwhile, "shown")
    state.languages = ("C",)
    state.unobserve(chosen_meanwhile, "shown")
    kernel.goes_on()
    assert state.activity == "dormant"
    assert state.shown is not None
    assert 0 < len(state.shown.frame) < 250


def test_what_the_state_shows_meanwhile_does_not_take_a_choice_back(
    projects: pd.DataFrame,
) -> None:
    kernel = Kernel()
    state = State(projects, kernel)
    widgets: list[Any] = []

    def chosen_before_it_is_shown(change: Any) -> None:
        if change["new"] == "name":
            elsewhere(lambda: setattr(widgets[0], "value", "stack_count"))

    state.observe(chosen_before_it_is_shown, "order_by")
    columns = ["name", "stack_count"]
    widgets.append(
        select_widget(
            *(w.Dropdown, "Order by", state, "order_by"),
            options=lambda: [("as loaded", ""), *((name, name) for name in columns)],
            when=["columns"],
        )
    )
    widgets[0].value = "name"
    kernel.goes_on()
    assert (state.order_by, widgets[0].value) == ("stack_count", "stack_count")


def test_what_cannot_be_chosen_leaves_the_widget_as_it_was(projects: pd.DataFrame) -> None:
    state = State(projects)
    text = labelled_widget(w.Text, "Order by", state, "order_by")
    with pytest.raises(InvalidInputError):
        text.value = "nope"
    assert (text.value, state.order_by) == ("", "")


def test_of_several_changes_the_last_holds_and_none_is_taken_back(projects: pd.DataFrame) -> None:
    kernel = Kernel()
    state = State(projects, kernel)
    text = labelled_widget(w.Text, "File", state, "path")
    seen: list[str] = []
    text.observe(lambda change: seen.append(change["new"]), "value")
    for typed in ("a", "ab", "abc"):
        text.value = typed
    kernel.goes_on()
    assert state.path == "abc"
    assert seen == ["a", "ab", "abc"]


def test_new_entries_choose_nothing_by_themselves(projects: pd.DataFrame) -> None:
    state = State(projects)
    entries = [("name", "name"), ("id", "id")]
    made = select_widget(
        *(w.Dropdown, "Order by", state, "order_by"),
        options=lambda: entries,
        when=["columns"],
    )
    assert made.value is None
    made.value = "id"
    assert state.order_by == "id"
    entries[:] = [("created", "created_at"), ("id", "id")]
    state.columns = ("created_at", "id")
    assert (made.value, state.order_by) == ("id", "id")
    entries[:] = [("created", "created_at")]
    state.columns = ("created_at",)
    assert (made.value, state.order_by) == (None, "id")


def test_a_button_waits_for_the_kernel_but_for_what_has_to_be_at_once(
    projects: pd.DataFrame,
) -> None:
    kernel = Kernel()
    state = State(projects, kernel)
    done: list[str] = []
    later = button("df-a", "A", state, lambda: done.append("later"), tip="Later")
    now = button(
        "df-b", "B", state, lambda: done.append("at once"), tip="At once", is_immediate=True
    )
    elsewhere(later.click)
    elsewhere(now.click)
    assert done == ["at once"]
    kernel.goes_on()
    assert done == ["at once", "later"]


def test_a_text_is_written_anew_when_a_trait_changes(projects: pd.DataFrame) -> None:
    state = State(projects)
    made = html_output("df-said", state, ["path"], lambda: f"to {state.path}")
    assert made.value == "to projects.csv"
    state.path = "x.csv"
    assert made.value == "to x.csv"
