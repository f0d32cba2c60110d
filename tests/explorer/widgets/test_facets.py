"""The figure of facets shows the state and changes it, by the messages that a page sends."""

from __future__ import annotations

import builtins
import sys
from typing import TYPE_CHECKING, Any

import pytest

from dirframe.explorer.state import State
from tests.explorer.screen import Screen

if TYPE_CHECKING:
    import pandas as pd

pytest.importorskip("plotly.graph_objects", reason="plotly is not installed")


def figure(screen: Screen) -> Any:
    (chart,) = screen["facets"].children
    return chart


def click(chart: Any, column: str, title: str) -> None:
    """Send the click on a bar as the page does."""
    number = 2 * list(chart._facets).index(column)
    trace = chart.data[number]
    point = [data[0] for data in trace.customdata].index(title)
    points = {"xs": [0], "ys": [0], "point_indexes": [point], "trace_indexes": [number]}
    chart._js2py_pointsCallback = {"event_type": "plotly_click", "points": points}


def drag(chart: Any, column: str, begin: float, end: float) -> None:
    number = list(chart._facets).index(column) + 1
    box = {"xref": f"x{number if number > 1 else ''}", "x0": end, "x1": begin, "y0": 9, "y1": 1}
    chart._js2py_relayout = {"relayout_data": {"selections": [box]}, "source_view_id": None}


def test_clicks_and_drags_filter_and_the_figure_follows(
    of_projects: tuple[State, Screen],
) -> None:
    state, screen = of_projects
    chart = figure(screen)
    column = "analysis_main_language_name"
    click(chart, column, "C")
    assert state.languages == ("C",)
    assert screen["languages"].value == ("C",)
    colours = chart.data[1].marker.color
    assert len(set(colours)) == 2
    assert colours.count(colours[1]) == 1
    drag(chart, "created_at", 0.7, 2.6)
    assert state.years == (2007, 2009)
    assert chart.layout.selections == ()
    drag(chart, "stack_count", 1.8, 2.2)
    assert state.ranges == {"stack_count": (2, 5)}
    assert screen["range"].value == ((2, 5),)
    assert state.shown is not None
    assert set(state.shown.frame["stack_count"]) <= {2, 3, 4}
    licences = list(chart._facets).index("licenses")
    assert chart.data[2 * licences + 1].x[0] == state.bars("licenses")[0].count
    click(chart, column, "C")
    assert not state.languages


def test_a_page_that_is_late_begins_with_what_is_shown(of_projects: tuple[State, Screen]) -> None:
    state, screen = of_projects
    chart = figure(screen)
    state.languages, state.width = ("Java",), 390
    assert chart._widget_layout["width"] == 390
    assert list(chart._widget_data[1]["x"]) == list(chart.data[1].x)
    assert chart.layout.height > 1_500  # one below the other


def test_other_columns_have_another_figure(projects: pd.DataFrame, accounts: pd.DataFrame) -> None:
    state = State(projects)
    screen = Screen(state)
    first = figure(screen)
    state.show_frame(accounts, state._source)
    assert figure(screen) is not first
    assert list(figure(screen)._facets)[:2] == ["country_name", "created_at"]
    click(figure(screen), "country_name", "Germany")
    assert state.countries == ("Germany",)


def test_records_without_a_column_to_filter_by_are_shown_all_the_same(
    projects: pd.DataFrame,
) -> None:
    # As load_projects(columns=["name"]) gives them.
    state = State(projects[["id", "name"]])
    assert list(figure(Screen(state))._facets) == []
    assert state.shown is not None
    assert len(state.shown.frame) == len(projects)


def test_without_plotly_the_explorer_is_there_and_says_how_to_get_the_bars(
    projects: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "dirframe.explorer.widgets.facets", raising=False)
    there = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("plotly"):
            raise ModuleNotFoundError("No module named 'plotly'", name="plotly")
        return there(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    screen = Screen(State(projects))
    assert "dirframe[interactive]" in screen["plain"].value
    screen["tags"].value = ("linux",)
    assert "of 1,500 projects" in screen["count"].value
