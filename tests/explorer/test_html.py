"""What is shown as HTML is escaped, labelled, and whole without a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from lxml import html as parser

from dirframe.explorer import html
from dirframe.explorer.chart_image import render_chart
from dirframe.explorer.state import State

if TYPE_CHECKING:
    import dirframe

EVIL = '<script>alert("1")</script> & <b>bold</b>'


def parsed(text: str) -> Any:
    """Read markup; what XPath gives is typed too widely to be of use."""
    return parser.fromstring(text)


def evil() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": ["1", "2"],
            "name": [EVIL, None],
            "analysis_main_language_name": [EVIL, "C"],
            "stack_count": pd.Series([1234567, None], dtype="Int64"),
            "created_at": pd.to_datetime(["2012-03-04", ""], utc=True),
            EVIL: [1.23456789e9, 0.1],
        }
    )


def test_no_value_and_no_name_of_a_column_becomes_markup() -> None:
    state = State(evil())
    state.columns = tuple(evil())
    for text in (
        html.rows(state),
        html.message(EVIL, "error"),
        html.preformatted(EVIL, EVIL),
        html.static(state, None).replace(html.style(), ""),
    ):
        tree = parsed(f"<div>{text}</div>")
        assert tree.xpath("//script") == []
        assert EVIL in tree.text_content()


def test_numbers_are_grouped_days_are_days_and_what_is_missing_is_a_dash() -> None:
    state = State(evil())
    state.columns = ("name", "stack_count", "created_at")
    tree = parsed(html.rows(state))
    cells = [[cell.text_content() for cell in row] for row in tree.xpath("//tbody/tr")]
    assert cells == [[EVIL, "1,234,567", "2012-03-04"], ["–", "–", "–"]]
    assert tree.xpath("//tbody/tr[1]/td[1]/@title") == [EVIL]


def test_a_table_says_by_which_column_it_is_ordered(projects: pd.DataFrame) -> None:
    state = State(projects)
    state.order_by, state.descending = "stack_count", True
    tree = parsed(html.rows(state))
    assert tree.xpath("//th[@aria-sort]/@title") == ["stack_count"]
    assert tree.xpath("//th/@aria-sort") == ["descending"]
    assert len(tree.xpath("//tbody/tr")) == 10


def test_a_long_text_is_whole_but_megabytes_are_cut() -> None:
    state = State(pd.DataFrame({"id": ["1"], "stack_count": [1], "name": ["x" * 5000]}))
    assert parsed(html.rows(state)).xpath("//td/@title") == ["x" * 5000]
    huge = pd.DataFrame({"id": ["1"], "stack_count": [1], "name": ["x" * 5_000_000]})
    assert len(html.rows(State(huge))) < 50_000


def test_an_error_is_announced_at_once_and_nothing_where_nothing_is_said() -> None:
    assert 'role="alert"' in html.message("It failed.", "error")
    assert 'role="status"' in html.message("Done.", "success")
    assert html.message("", "info") == ""


def test_bars_have_names_limits_and_the_same_in_words() -> None:
    running = parsed(html.bar(250, 1500, running=True))
    (bar,) = running.xpath("//progress")
    assert (bar.get("max"), bar.get("value"), bar.get("aria-label")) == (
        "1500",
        "250",
        "Records loaded",
    )
    assert "250 of 1,500 records" in running.text_content()
    assert parsed(html.bar(0, 0, running=True)).xpath("//progress[not(@value)]")
    assert not parsed(html.bar(0, 0, running=False)).xpath("//progress")
    (meter,) = parsed(html.gauge(40, 1000)).xpath("//meter")
    assert (meter.get("value"), meter.get("low"), meter.get("max")) == ("40", "100", "1000")
    assert html.gauge(None, 0) == ""


def test_the_static_picture_has_records_chart_and_source(projects: pd.DataFrame) -> None:
    state = State(projects)
    state.languages = ("Java",)
    assert state.shown is not None
    drawn = render_chart(state.shown.frame, state.chart, {})
    tree = parsed(html.static(state, drawn))
    assert len(tree.xpath("//tbody/tr")) == 10
    (shown,) = tree.xpath("//img")
    assert shown.get("src").startswith("data:image/png;base64,")
    assert "Source: dirframe sample directory" in shown.get("alt")
    assert "253 of 1,500 projects" in tree.text_content()
    assert "Source: dirframe sample" in html.static(state, None)
    assert not tree.xpath("//@href | //script | //link")  # it needs no network


def test_before_a_load_the_picture_says_what_to_do(directory: dirframe.Directory) -> None:
    assert "Press Load" in html.static(State(directory), None)


def test_a_filter_that_nothing_passes_is_said(projects: pd.DataFrame) -> None:
    state = State(projects)
    state.languages = ("No such language",)
    assert html.rows(state) == "<p>No record passes the filters.</p>"


def test_the_title_names_the_directory_and_no_key(
    directory: dirframe.Directory, projects: pd.DataFrame
) -> None:
    title = html.title(State(directory))
    assert "dirframe sample directory" in title
    assert directory.settings.api_key.reveal() not in title
    assert html.title(State(projects)) == "dirframe explorer"
