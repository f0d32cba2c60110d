"""Each control shows what the state has and changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import dirframe
from dirframe.explorer.state import State
from tests.explorer.screen import Screen
from tests.today import KEY, TodayService

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def test_a_click_on_price_says_it_and_a_click_on_load_loads(
    directory: dirframe.Directory,
) -> None:
    state = State(directory)
    screen = Screen(state)
    screen["cap"].value = 40
    screen["price"].click()
    state.join()
    assert "40 projects on 2 pages" in screen["said"].value
    screen["load"].click()
    state.join()
    assert "40 projects loaded." in screen["said"].value
    assert screen.visible("results")
    assert "40 of 40 records" in screen["progress"].value
    assert screen["table"].value.count("<tr>") == 11
    assert "<img" in screen["chart"].value


def test_while_a_load_runs_only_cancel_can_be_pressed(directory: dirframe.Directory) -> None:
    state = State(directory)
    screen = Screen(state)
    state.busy = "load"
    assert screen["load"].disabled
    assert screen["price"].disabled
    assert not screen["cancel"].disabled
    screen["cancel"].click()
    assert "Stopping" in screen["said"].value
    state.busy = ""
    assert screen["cancel"].disabled


def test_the_exact_price_is_offered_for_own_pages_and_is_what_the_load_then_pays(
    tmp_path: Path,
) -> None:
    with (
        TodayService() as today,
        dirframe.Directory(today.url, KEY, cache_dir=tmp_path, name="today") as directory,
    ):
        state = State(directory)
        screen = Screen(state)
        screen["sort"].value, screen["cap"].value = "id", 30
        exact = screen["exact-price"]
        assert exact.disabled  # without own pages every price is exact
        screen["details"].value = True
        screen["price"].click()
        state.join()
        assert "at most 30 own pages" in screen["said"].value
        exact.click()
        state.join()
        before = len(today.asked)
        options: dict[str, Any] = {"sort": "id", "max_items": 30, "details": True}
        to_pay = dirframe.plan("projects", directory=directory, **options).requests_needed
        assert to_pay
        assert f", {to_pay} requests to pay" in screen["said"].value
        screen["load"].click()
        state.join()
        assert len(today.asked) - before == to_pay
        screen["collection"].value = "accounts"
        assert exact.disabled


def test_the_sorts_are_those_of_the_collection(directory: dirframe.Directory) -> None:
    state = State(directory)
    screen = Screen(state)
    assert "stack_count" in dict(screen["sort"].options).values()
    screen["sort"].value = "name"
    screen["collection"].value = "accounts"
    assert "stack_count" not in dict(screen["sort"].options).values()
    assert (screen["sort"].value, state.sort) == ("name", "name")


def test_a_filter_is_chosen_in_a_list_and_acts_on_table_and_chart(
    of_projects: tuple[State, Screen],
) -> None:
    state, screen = of_projects
    before = screen["chart"].value
    assert ("Java (253)", "Java") in screen["languages"].options
    screen["languages"].value = ("Java",)
    assert state.languages == ("Java",)
    assert "253 of 1,500 projects" in screen["count"].value
    assert screen["chart"].value != before
    screen["since"].value = 2008
    screen["until"].value = 2009
    assert state.filters.years == (2008, 2009)
    screen["activity"].value = "active"
    assert state.activity == "active"
    screen["all"].click()
    assert screen["languages"].value == ()
    assert (screen["since"].value, screen["until"].value) == (2006, 2013)
    assert screen["activity"].value == "all"
    assert "1,500 projects" in screen["count"].value


def test_what_is_set_in_the_state_is_seen_in_the_widgets(
    of_projects: tuple[State, Screen],
) -> None:
    state, screen = of_projects
    state.languages, state.years, state.order_by = ("C",), (2007, 2010), "id"
    assert screen["languages"].value == ("C",)
    assert (screen["since"].value, screen["until"].value) == (2007, 2010)
    screen["since"].value = 2012  # after the last one: the two change places
    assert state.years == (2010, 2012)
    assert (screen["since"].value, screen["until"].value) == (2010, 2012)
    assert screen["order"].value == "id"
    state.columns = ("id", "name")
    assert screen["columns"].value == ("id", "name")
    assert screen["table"].value.count("<th ") == 2


def test_the_table_is_turned_by_buttons_and_by_number(of_projects: tuple[State, Screen]) -> None:
    state, screen = of_projects
    assert screen["back"].disabled
    screen["on"].click()
    assert (state.page, screen["page"].value) == (2, 2)
    screen["page"].value = 150
    assert screen["on"].disabled
    screen["page"].value = 9999
    assert state.page == 150
    screen["size"].value = 100
    assert screen["page"].description == "Page (of 15)"
    assert state.page == 1


def test_the_table_is_ordered_by_a_choice(of_projects: tuple[State, Screen]) -> None:
    state, screen = of_projects
    screen["order"].value = "stack_count"
    screen["down"].value = True
    assert (state.order_by, state.descending) == ("stack_count", True)
    assert 'aria-sort="descending"' in screen["table"].value
    screen["columns"].value = ("name",)
    assert state.order_by == "stack_count"  # also without its column


def test_only_filters_that_the_records_can_have_are_seen(
    of_projects: tuple[State, Screen], accounts: pd.DataFrame
) -> None:
    _, screen = of_projects
    assert [name for name in ("languages", "countries", "activity") if screen.visible(name)] == [
        "languages",
        "activity",
    ]
    other = Screen(State(accounts))
    assert [name for name in ("languages", "countries", "activity") if other.visible(name)] == [
        "countries"
    ]
    one_year = Screen(State(accounts[accounts["created_at"].dt.year == 2010]))
    assert not one_year.visible("since")
    assert not one_year.visible("until")


def test_rules_and_strata_are_chosen_beside_the_chart_and_the_chart_says_so(
    of_projects: tuple[State, Screen],
) -> None:
    state, screen = of_projects
    before = screen["chart"].value
    screen["exclude"].value = ("stale_analysis", "duplicate_id")
    assert state.exclude == ("stale_analysis", "duplicate_id")
    assert screen["chart"].value != before
    assert "Excluded: " in screen["chart"].value
    assert "stale_analysis" in screen["chart"].value
    screen["by"].value = "team_size"
    assert "Projects by main language, by team size" in screen["chart"].value
    assert 'exclude=["stale_analysis", "duplicate_id"], by="team_size"' in screen[
        "code"
    ].value.replace("&quot;", '"')
    screen["chart-choice"].value = "life_span"
    assert "Life span of projects, by team size" in screen["chart"].value
    screen["by"].value = ""
    assert "by team size" not in screen["chart"].value
