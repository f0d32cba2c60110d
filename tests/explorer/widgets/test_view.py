"""The widgets show the state and change it, and do nothing else: no kernel is needed here."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import ipywidgets as w

from dirframe.explorer.state import State
from dirframe.explorer.widgets.page import HtmlTable
from dirframe.explorer.widgets.view import View, in_this_thread
from tests.explorer.screen import Screen, every

if TYPE_CHECKING:
    import pandas as pd

    import dirframe


def test_before_a_load_there_is_a_question_and_no_result(directory: dirframe.Directory) -> None:
    screen = Screen(State(directory))
    assert screen["collection"].value == "projects"
    assert not screen.visible("results")
    assert screen["cancel"].disabled
    assert "requests left today" in screen["quota"].value


def test_an_error_is_a_sentence_in_the_widget(directory: dirframe.Directory) -> None:
    state = State(directory)
    screen = Screen(state)
    state.sort = "no such sort"
    state.load()
    assert "cannot be sorted by" in screen["said"].value
    assert 'role="alert"' in screen["said"].value
    assert "Traceback" not in screen["said"].value


def test_citation_and_code_follow(of_projects: tuple[State, Screen]) -> None:
    _state, screen = of_projects
    screen["style"].value = "bibtex"
    assert "@misc" in screen["citation"].value
    screen["languages"].value = ("Perl",)
    assert "Perl" in screen["code"].value
    assert "only main language Perl" in screen["citation"].value


def test_a_chart_without_its_columns_is_a_sentence_in_its_place(projects: pd.DataFrame) -> None:
    state = State(projects[["id", "name", "created_at", "stack_count"]])
    screen = Screen(state)
    assert "analysis_main_language_name" in screen["chart"].value
    assert "<img" not in screen["chart"].value
    screen["chart-choice"].value = "growth"
    assert "<img" in screen["chart"].value


def test_every_control_has_a_label_and_every_button_a_tip(directory: dirframe.Directory) -> None:
    state = State(directory)
    state.max_items = 30
    state.load()
    for widget in every(View(state).widget):
        if isinstance(widget, w.Button):
            assert widget.tooltip
            assert widget.description
        elif hasattr(widget, "value") and not isinstance(widget, w.HTML | HtmlTable):
            assert widget.description, widget


def test_no_widget_holds_the_key(directory: dirframe.Directory) -> None:
    state = State(directory)
    state.max_items = 30
    state.load()
    key = directory.settings.api_key.reveal()
    for widget in every(View(state).widget):
        assert key not in repr(widget.get_state())


def test_without_an_event_loop_things_are_done_at_once_and_else_by_the_loop() -> None:
    done: list[str] = []
    in_this_thread()(lambda: done.append("at once"))
    assert done == ["at once"]

    async def with_a_loop() -> None:
        hand_over = in_this_thread()
        await asyncio.to_thread(hand_over, lambda: done.append("by the loop"))
        await asyncio.sleep(0)
        assert done == ["at once", "by the loop"]

    asyncio.run(with_a_loop())
