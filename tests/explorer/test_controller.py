"""A load can be watched and cancelled, and one happens at a time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

import dirframe
from dirframe.errors import AnalysesNotSentWarning, ColumnsNotSentError
from dirframe.explorer.chart_image import render_chart
from dirframe.explorer.controller import LoadController
from dirframe.explorer.state import State
from tests.today import KEY, TodayService

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd


def seen(state: LoadController, *names: str) -> list[tuple[str, Any]]:
    """Note the changes of traits as they come."""
    changes: list[tuple[str, Any]] = []
    state.observe(lambda change: changes.append((change["name"], change["new"])), list(names))
    return changes


def test_a_load_says_that_it_is_busy_how_far_it_is_and_what_came(
    directory: dirframe.Directory,
) -> None:
    state = State(directory)
    state.max_items = 60
    changes = seen(state, "busy", "total", "message")
    state.load()
    assert changes == [
        ("busy", "load"),
        ("total", 60),
        ("message", "60 projects loaded."),
        ("busy", ""),
    ]
    assert state.loaded == 60


def test_the_price_is_said_before_anything_is_loaded(directory: dirframe.Directory) -> None:
    state = State(directory)
    state.show_price()
    assert state.message.startswith("1,500 projects on 61 pages")
    assert state.shown is None


def test_the_quota_that_is_left_is_that_of_the_directory() -> None:
    with dirframe.sample_directory(cache=False) as place:
        state = State(place)
        assert (state.quota_left, state.quota) == (1000, 1000)
        state.max_items = 50
        state.load()
        assert state.quota_left == 998


def test_a_load_in_a_thread_hands_its_result_over_and_the_caller_goes_on(
    directory: dirframe.Directory,
) -> None:
    handed: list[Callable[[], None]] = []
    state = State(directory, handed.append)
    state.max_items = 60
    state.start_load()
    state.join()
    before = state.trait_values()
    assert (before["busy"], before["shown"]) == ("load", None)
    for act in handed:
        act()
    assert state.busy == ""
    assert state.shown is not None
    assert len(state.shown.frame) == 60


def test_a_price_in_a_thread_comes_as_well(directory: dirframe.Directory) -> None:
    state = State(directory)
    state.start_price()
    state.join()
    assert state.message.startswith("1,500 projects")


def test_a_load_is_cancelled_from_another_thread_and_what_came_is_shown() -> None:
    with dirframe.sample_directory(cache=False, max_workers=1) as place:
        begun = threading.Event()

        def dispatch(act: Callable[[], None]) -> None:
            act()
            begun.set()
            if threading.current_thread() is not here:
                # Until this one has cancelled, no further page is asked for.
                cancelled.wait(20)

        cancelled, here = threading.Event(), threading.current_thread()
        state = State(place, dispatch)
        state.start_load()
        assert begun.wait(20)
        state.cancel()
        assert "Stopping" in state.message
        cancelled.set()
        state.join()
        assert state.shown is not None
        assert 25 <= len(state.shown.frame) < 200
        assert state.severity == "warning"
        assert f"stopped after {len(state.shown.frame)} of 1,500" in state.message
        assert (state.loaded, state.total) == (len(state.shown.frame), 1500)
        assert state.busy == ""


def test_one_thing_happens_at_a_time(directory: dirframe.Directory) -> None:
    handed: list[Callable[[], None]] = []
    state = State(directory, handed.append)
    state.start_price()
    state.join()
    state.load()  # the price has not arrived yet
    assert state.shown is None
    assert state.busy == "price"


def test_after_a_cancelled_load_the_next_one_is_whole(directory: dirframe.Directory) -> None:
    state = State(directory)
    state.cancel()
    state.max_items = 30
    state.load()
    assert state.shown is not None
    assert len(state.shown.frame) == 30


def test_a_failed_load_keeps_what_was_shown_and_says_so(directory: dirframe.Directory) -> None:
    state = State(directory)
    state.max_items = 30
    state.sort = "no such sort"
    state.load()
    assert "still shown" not in state.message  # there is nothing yet
    state.sort = ""
    state.load()
    before = state.shown
    state.query, state.sort = "x", "no such sort"
    state.load()
    assert state.severity == "error"
    assert "no such sort" in state.message
    assert state.message.endswith(" The 30 projects that were loaded before are still shown.")
    assert state.error is not None
    assert state.shown is before
    state.sort = ""
    state.load()
    assert state.error is None


def test_a_sort_of_the_other_collection_is_forgotten(directory: dirframe.Directory) -> None:
    state = State(directory)
    state.sort = "stack_count"
    state.collection = "accounts"
    assert state.sort == ""
    state.sort = "name"
    state.collection = "projects"
    assert state.sort == "name"


def test_without_a_directory_there_is_nothing_to_load(projects: pd.DataFrame) -> None:
    state = State(projects)
    state.load()
    assert state.message == ""
    assert (state.quota, state.quota_left) == (0, None)


def test_what_the_base_is_given_is_shown_by_the_whole_state() -> None:
    with pytest.raises(NotImplementedError):
        LoadController(None).show_frame(None, None)  # type: ignore[arg-type]  # what comes is not looked at
    with pytest.raises(NotImplementedError):
        LoadController(None).previous_records()


def test_own_pages_are_asked_for_where_that_is_chosen_and_their_price_is_said(
    tmp_path: Path,
) -> None:
    with TodayService() as today:
        place = dirframe.Directory(today.url, KEY, cache_dir=tmp_path, name="today")
        with place:
            state = State(place)
            state.max_items, state.sort = 20, "id"
            state.load()
            assert state.severity == "warning"
            assert "details=True" in state.message
            state.details = True
            state.show_price()
            assert "own pages" in state.message
            state.load()
            assert state.severity == "success"
            assert state.shown is not None
            assert state.shown.loaded["analysis_total_code_lines"].notna().any()
            assert "details=True" in state.code
            asked = len(today.own_pages)
            assert asked == state.shown.loaded["analysis_id"].notna().sum()
            state.collection = "accounts"
            state.sort = ""
            state.load()
            assert "details" not in state.code


def test_a_chart_of_what_was_not_sent_says_so(tmp_path: Path) -> None:
    with (
        TodayService() as today,
        dirframe.Directory(today.url, KEY, cache_dir=tmp_path) as place,
        pytest.warns(AnalysesNotSentWarning),
    ):
        frame = dirframe.load_projects(max_items=20, directory=place, progress=False)
    state = State(frame)
    with pytest.raises(ColumnsNotSentError, match="details=True"):
        render_chart(frame, state.chart, {})


def test_an_export_answers_at_once_and_writes_in_a_thread(
    projects: pd.DataFrame, tmp_path: Path
) -> None:
    handed: list[Callable[[], None]] = []
    state = State(projects, handed.append)
    state.path = str(tmp_path / "p.csv")
    state.start_export()
    assert (state.busy, state.message) == ("export", f"Writing {state.path} …")
    state.start_export()  # one thing happens at a time
    state.join()
    (arrived,) = handed
    arrived()
    assert (state.busy, state.severity) == ("", "success")
    assert "1,500 projects written to" in state.message
