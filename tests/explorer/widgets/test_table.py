"""The table sorts by a click on a header, has every column within reach, and is never markup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from lxml import html as parser

from dirframe.explorer import choices
from dirframe.explorer.state import State
from tests.explorer.screen import Screen

if TYPE_CHECKING:
    import pytest

EVIL = '<script>alert("1")</script> & <b>bold</b>'


def click(screen: Screen, column: str) -> None:
    """Click on a header, as the page says it."""
    screen["table"]._handle_custom_msg({"column": column}, [])


def cells(screen: Screen) -> list[list[Any]]:
    tree = parser.fromstring(screen["table"].value)
    return [row.xpath("./td") for row in tree.xpath("//tbody/tr")]  # type: ignore[union-attr]  # elements


def test_a_click_on_a_header_orders_a_second_turns_it_and_a_third_takes_it_back(
    of_projects: tuple[State, Screen], projects: pd.DataFrame
) -> None:
    state, screen = of_projects
    orders = []
    for _ in range(3):
        click(screen, "stack_count")
        orders.append((state.order_by, state.descending, screen["order"].value))
    assert orders == [
        ("stack_count", False, "stack_count"),
        ("stack_count", True, "stack_count"),
        ("", False, ""),
    ]
    click(screen, "stack_count")
    click(screen, "stack_count")
    assert cells(screen)[0][2].text == f"{projects['stack_count'].max():,}"
    assert 'aria-sort="descending"' in screen["table"].value


def test_a_header_orders_the_records_and_leaves_the_chart(
    of_projects: tuple[State, Screen], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, screen = of_projects
    drawn: list[Any] = []
    monkeypatch.setattr("dirframe.explorer.widgets.view.render_chart", drawn.append)
    told: list[str] = []
    screen.view.when_changed(lambda: told.append(state.order_by))
    click(screen, "name")
    assert drawn == []
    assert told == ["name"]


def test_a_list_has_no_header_to_click(of_projects: tuple[State, Screen]) -> None:
    state, screen = of_projects
    state.columns = ("name", "tags")
    tree = parser.fromstring(screen["table"].value)
    assert tree.xpath("//th/button/@data-column") == ["name"]


def test_text_is_escaped_links_are_links_and_what_is_missing_has_one_sign() -> None:
    frame = pd.DataFrame(
        {
            "id": ["1", "2"],
            "name": [EVIL, None],
            "homepage_url": ["https://example.org/?a=1&b=2", "javascript:alert(1)"],
            "stack_count": pd.Series([1234567, None], dtype="Int64"),
            "created_at": pd.to_datetime(["2012-03-04T23:30Z", ""], utc=True),
            "tags": [["a", "b"], None],
            "licenses": [[{"name": "mit", "nice_name": "MIT licence"}, {"name": "x"}], []],
            "from_parquet": [np.array(["c", "d"]), {"name": "e"}],
            "share": [1e-7, None],
            "alive": [True, False],
            EVIL: ['with "quotes"\tand\nlines', "y" * 5000],
        }
    )
    state = State(frame)
    screen = Screen(state)
    state.columns = tuple(frame)
    first, second = ([cell.text_content() for cell in row] for row in cells(screen))
    there = dict(zip(state.columns, zip(first, second, strict=True), strict=True))
    for name in ("name", "stack_count", "created_at", "tags", "share"):
        assert there[name][1] == "–"
    assert there["name"][0] == EVIL
    assert there["stack_count"][0] == "1,234,567"
    assert there["created_at"][0] == "2012-03-04"
    assert there["licenses"][0] == "MIT licence, x"
    assert there["from_parquet"] == ("c, d", "e")
    assert there["alive"] == ("True", "False")
    assert there[EVIL] == ('with "quotes" and lines', "y" * 5000)
    tree = parser.fromstring(screen["table"].value)
    assert tree.xpath("//a/@href") == ["https://example.org/?a=1&b=2"]
    assert not tree.xpath("//script | //b")
    assert EVIL in tree.xpath("//button/@data-column")
    assert tree.xpath("//tbody/tr[2]/td[11]/@title") == ["y" * 5000]


def test_the_name_is_frozen_and_the_rest_is_reached_by_keyboard(
    of_projects: tuple[State, Screen],
) -> None:
    state, screen = of_projects
    assert state.shown is not None
    state.columns = choices.columns(state.shown.loaded)
    tree = parser.fromstring(screen["table"].value)
    frozen = {cell.text_content() for cell in tree.xpath("//*[@class='df-frozen']")}  # type: ignore[union-attr]  # elements
    assert frozen == {"name", *state.rows["name"]}  # type: ignore[index]  # a frame is shown
    assert tree.xpath("@tabindex") == ["0"]


def test_the_search_among_the_columns_offers_some_and_keeps_the_chosen(
    of_projects: tuple[State, Screen],
) -> None:
    state, screen = of_projects
    before = state.columns
    screen["column-search"].value = "MONTH min"
    assert [name for _, name in screen["columns"].options] == ["analysis_min_month"]
    assert screen["columns"].value == ()
    assert state.columns == before
    screen["columns"].value = ("analysis_min_month",)
    assert set(state.columns) == {*before, "analysis_min_month"}
    screen["columns"].value = ()
    assert set(state.columns) == set(before)
    screen["column-search"].value = ""
    assert set(screen["columns"].value) == set(before)


def test_while_a_choice_is_applied_the_page_says_so(of_projects: tuple[State, Screen]) -> None:
    state, screen = of_projects
    seen: list[bool] = []
    state.observe(lambda _: seen.append("Working" in screen["working"].value), "shown")
    screen["languages"].value = ("Java",)
    click(screen, "name")
    screen["all"].click()
    assert seen == [True, True, True]
    assert screen["working"].value == ""


def test_no_record_and_no_column_are_shown_as_such(of_projects: tuple[State, Screen]) -> None:
    state, screen = of_projects
    state.columns = ()
    assert cells(screen) == []
    state.columns = ("name",)
    assert len(cells(screen)) == 10
    screen["search"].value = "xyzzy-nothing"
    assert screen["table"].value == "<p>No record passes the filters.</p>"
