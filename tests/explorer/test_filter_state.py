"""A click on a bar filters, and another one on it undoes that; a drag takes what it touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.explorer.state import State
from dirframe.filters.conditions import MISSING

if TYPE_CHECKING:
    import pandas as pd

LANGUAGE = "analysis_main_language_name"


def count(state: State) -> int:
    assert state.shown is not None
    return len(state.shown.frame)


def test_a_value_is_added_by_a_click_and_taken_away_by_the_next(projects: pd.DataFrame) -> None:
    state = State(projects)
    state.toggle(LANGUAGE, "C")
    one = count(state)
    state.toggle(LANGUAGE, None)
    assert state.languages == ("C", None)
    assert count(state) == one + int(projects[LANGUAGE].isna().sum())
    state.toggle("tags", "linux")
    assert all("linux" in tags for tags in state.shown.frame["tags"])  # type: ignore[union-attr]  # there are some
    counted = {bar.value: bar.count for bar in state.bars("tags")}
    assert counted["linux"] == count(state)
    for column, value in ((LANGUAGE, "C"), (LANGUAGE, None), ("tags", "linux")):
        assert state.is_chosen(column, value)
        state.toggle(column, value)
        assert not state.is_chosen(column, value)
    assert count(state) == len(projects)


def test_a_range_reaches_from_the_first_to_the_last_bar_and_is_undone(
    projects: pd.DataFrame,
) -> None:
    state = State(projects)
    state.choose("stack_count", [(5, 10), (1, 2), MISSING])
    assert state.ranges == {"stack_count": (1, 10)}
    assert count(state) == int(projects["stack_count"].between(1, 9).sum())
    chosen = [
        bar.value for bar in state.bars("stack_count") if state.is_chosen("stack_count", bar.value)
    ]
    assert chosen == [(1, 2), (2, 5), (5, 10)]
    state.toggle("average_rating", MISSING)
    assert state.shown is not None
    assert state.shown.frame["average_rating"].isna().all()
    state.toggle("average_rating", MISSING)
    state.choose("stack_count", [(1, 10)])
    assert state.ranges == {}
    state.choose("created_at", [(2007, 2007), (2009, 2009)])
    assert state.years == (2007, 2009)
    chosen = [
        bar.value for bar in state.bars("created_at") if state.is_chosen("created_at", bar.value)
    ]
    assert chosen == [(2007, 2007), (2008, 2008), (2009, 2009)]
    state.toggle("created_at", (2010, 2010))
    assert state.years == (2010, 2010)
    state.toggle("created_at", (2010, 2010))
    assert count(state) == len(projects)
