"""Each control shows what the state has and changes it."""

import io

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from ipywidgets import HTML, Button
from lxml import html

from dirframe.errors import InvalidInputError
from dirframe.explorer import choices
from dirframe.explorer.chart_image import render_chart
from dirframe.explorer.state import State
from dirframe.explorer.widgets.page import HtmlTable
from tests.explorer.screen import Screen, every


def click_header(screen, column):
    """Click on the header of a column, as the page reports it."""
    screen["table"]._handle_custom_msg({"column": column}, [])


def headers(screen):
    return html.fromstring(screen["table"].value).xpath("//th")


def test_price_and_load_are_clicked_and_the_results_appear(directory):
    state = State(directory)
    screen = Screen(state)
    assert not screen.visible("results")
    assert screen["collection"].value == "projects"
    assert "1,000" in screen["quota"].value
    screen["cap"].value = 40
    screen["price"].click()
    state.join()
    assert {"40", "2"} <= set(html.fromstring(screen["said"].value).text_content().split())
    assert not screen.visible("results")
    screen["load"].click()
    state.join()
    assert screen.visible("results")
    assert screen["table"].value.count("<tr>") == 11
    assert "<img" in screen["chart"].value
    (bar,) = html.fromstring(screen["progress"].value).xpath("//progress")
    assert (bar.get("max"), bar.get("value")) == ("40", "40")
    state.sort = "no such sort"
    state.load()
    assert "alert" in html.fromstring(screen["said"].value).xpath("//@role")
    assert "no such sort" in screen["said"].value
    assert len(state.shown.frame) == 40
    assert directory.api_key.reveal() not in screen.contents()

    # While a load runs, only cancel can be pressed.
    state.busy = "load"
    names = ("price", "exact-price", "load", "cancel", "export")
    assert [screen[name].disabled for name in names] == [True, True, True, False, True]
    state.busy = ""
    assert [screen[name].disabled for name in names] == [False, True, False, True, False]
    screen["details"].value = True
    assert not screen["exact-price"].disabled
    assert "stack_count" in dict(screen["sort"].options).values()
    screen["sort"].value = "name"
    screen["collection"].value = "accounts"
    assert screen["exact-price"].disabled
    assert "stack_count" not in dict(screen["sort"].options).values()
    assert (screen["sort"].value, state.sort) == ("name", "name")


def test_every_control_has_a_label_and_every_button_a_tip(screen, directory):
    failures = []
    for widget in (*every(screen.view.widget), *every(Screen(State(directory)).view.widget)):
        if isinstance(widget, Button):
            is_named = widget.tooltip and widget.description
        else:
            is_shown = isinstance(widget, HTML | HtmlTable) or not hasattr(widget, "value")
            is_named = is_shown or widget.description
        if not is_named:
            failures.append(widget)
    assert not failures


def test_filter_acts_on_all_widgets_and_is_taken_back(screen):
    state = screen.state
    assert ("Java (253)", "Java") in screen["languages"].options
    assert "1,500" in screen["count"].value
    before = screen["chart"].value
    screen["languages"].value = ("Java",)
    assert "253 of 1,500" in screen["count"].value
    assert screen["chart"].value != before
    for name in ("code", "citation"):
        assert "Java" in screen[name].value
    screen["since"].value = 2012
    screen["until"].value = 2009  # before the first one: the two change places
    assert state.filters.years == (2009, 2012)
    assert (screen["since"].value, screen["until"].value) == (2009, 2012)
    screen["activity"].value = "active"
    screen["search"].value = "xyzzy-nothing"
    assert len(state.shown.frame) == 0
    assert "<tr" not in screen["table"].value
    screen["all"].click()
    assert (screen["languages"].value, screen["activity"].value, screen["search"].value) == (
        *((), "all", ""),
    )
    assert (screen["since"].value, screen["until"].value) == (2006, 2013)
    assert "1,500" in screen["count"].value
    assert screen["chart"].value == before
    state.languages, state.order_by = ("C",), "id"
    assert (screen["languages"].value, screen["order"].value) == (("C",), "id")
    screen["style"].value = "bibtex"
    assert "@misc" in screen["citation"].value


def test_filters_that_the_records_lack_are_hidden(screen, accounts):
    names = ("languages", "countries", "activity", "since", "until")
    other = Screen(State(accounts[accounts["created_at"].dt.year == 2010]))
    assert [name for name in names if screen.visible(name)] == [
        *("languages", "activity", "since", "until"),
    ]
    assert [name for name in names if other.visible(name)] == ["countries"]


def test_table_is_turned_by_buttons_and_number(screen):
    state = screen.state
    assert screen["back"].disabled
    screen["on"].click()
    assert (state.page, screen["page"].value) == (2, 2)
    screen["page"].value = 9999
    assert (state.page, screen["on"].disabled) == (150, True)
    screen["size"].value = 100
    assert (state.page, screen["page"].max) == (1, 15)


def test_table_is_ordered_by_choice_or_header_and_the_chart_stays(screen, projects):
    state, picture = screen.state, screen.view.picture
    screen["order"].value = "stack_count"
    screen["down"].value = True
    assert (state.order_by, state.descending) == ("stack_count", True)
    for expected in (("", False), ("stack_count", False), ("stack_count", True)):
        click_header(screen, "stack_count")
        assert (state.order_by, state.descending, screen["order"].value) == (*expected, expected[0])
    assert f"{projects['stack_count'].max():,}" in screen["table"].value
    (sorted_by,) = [head for head in headers(screen) if head.get("aria-sort")]
    assert (sorted_by.get("aria-sort"), sorted_by.get("title")) == ("descending", "stack_count")
    assert screen.view.picture is picture
    screen["columns"].value = ("name", "tags")
    assert state.order_by == "stack_count"  # also without its column
    assert [head.xpath("./button/@data-column") for head in headers(screen)] == [["name"], []]


def test_columns_are_searched_and_all_can_be_read(screen):
    before = screen.state.columns
    screen["column-search"].value = "MONTH min"
    assert [name for _, name in screen["columns"].options] == ["analysis_min_month"]
    assert (screen["columns"].value, screen.state.columns) == ((), before)
    screen["columns"].value = ("analysis_min_month",)
    assert set(screen.state.columns) == {*before, "analysis_min_month"}
    screen["columns"].value = ()
    screen["column-search"].value = ""
    assert set(screen["columns"].value) == set(before)
    screen.state.columns = choices.columns(screen.state.shown.loaded)
    tree = html.fromstring(screen["table"].value)
    assert len({head.text_content() for head in headers(screen)}) == len(screen.state.columns)
    assert tree.xpath("@tabindex") == ["0"]
    frozen = {cell.text_content() for cell in tree.xpath("//td[contains(@class, 'df-frozen')]")}
    assert frozen == set(screen.state.rows["name"])


def test_chart_is_chosen_and_says_what_is_left_out(screen):
    def alternative():
        return html.fromstring(screen["chart"].value).get("alt")

    assert "growth" in dict(screen["chart-choice"].options).values()
    screen["chart-choice"].value = "growth"
    assert alternative().startswith("Growth of projects")
    screen["exclude"].value = ("stale_analysis", "duplicate_id")
    assert screen.state.exclude == ("stale_analysis", "duplicate_id")
    assert "stale_analysis" in alternative()
    assert "exclude=[" in screen["code"].value
    assert "team_size" in dict(screen["by"].options).values()


def test_chart_without_its_columns_is_a_message_in_its_place(projects):
    screen = Screen(State(projects[["id", "name", "created_at", "stack_count"]]))
    assert "analysis_main_language_name" in screen["chart"].value
    assert "<img" not in screen["chart"].value
    screen["chart-choice"].value = "growth"
    assert "<img" in screen["chart"].value


def test_chart_is_light_on_dark_in_a_dark_page_and_leaves_no_figure_open(projects):
    before = plt.get_fignums()
    corners = {}
    for is_dark in (False, True):
        png = render_chart(projects.head(50), "language_share", {}, is_dark=is_dark).png
        corners[is_dark] = plt.imread(io.BytesIO(png))[:, :, :3]
    assert corners[False][0, 0].min() == 1.0
    assert corners[True][0, 0].max() < 0.1
    assert corners[True].max() > 0.85  # its text
    with pytest.raises(InvalidInputError):
        render_chart(pd.DataFrame({"id": ["1"]}), "language_share", {})
    assert plt.get_fignums() == before


def test_page_says_that_it_works_while_a_choice_is_applied(screen):
    seen = []

    def look(change):
        seen.append(bool(screen["working"].value))

    screen.state.observe(look, "shown")
    screen["languages"].value = ("Java",)
    click_header(screen, "name")
    screen["all"].click()
    screen.state.unobserve(look, "shown")
    assert seen == [True, True, True]
    assert screen["working"].value == ""
