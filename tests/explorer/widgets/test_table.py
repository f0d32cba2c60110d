"""Both tables show all records, in the order asked for, and no text in them becomes markup."""

from __future__ import annotations

import json
import sys
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import dirframe
from dirframe.explorer import choices
from dirframe.explorer.state import State
from dirframe.explorer.widgets import table
from tests.explorer.screen import Screen

if TYPE_CHECKING:
    from collections.abc import Callable

    Opened = Callable[[pd.DataFrame | dirframe.Directory], tuple[State, Screen]]

EVIL = '<script>alert("1")</script> & <b>bold</b>'


def in_the_library(source: pd.DataFrame | dirframe.Directory) -> tuple[State, Screen]:
    """Open an explorer with the table of itables, as `dirframe.Explorer` does."""
    pytest.importorskip("itables.widget", reason="itables is not installed")
    made_by = table.load_itables()
    assert made_by is not None
    state = State(source)
    state.page_size = choices.PART
    return state, Screen(state, partial(table.itable, made_by))


@pytest.fixture
def open_parts() -> Opened:
    return in_the_library


def told(screen: Screen) -> dict[str, Any]:
    """Give what itables is told."""
    options: dict[str, Any] = screen["table"]._dt_args
    return options


def cells(screen: Screen) -> list[list[str]]:
    """Give the texts that the browser gets."""
    records: list[list[str]] = json.loads(told(screen)["data_json"])
    return records


def test_every_record_reaches_the_browser_and_none_is_left_out_in_silence(
    open_parts: Opened, projects: pd.DataFrame
) -> None:
    many = pd.concat([projects] * 10, ignore_index=True)  # 64 KB are its limit, unless it is lifted
    _, screen = open_parts(many)
    assert [row[0] for row in cells(screen)] == [
        escape(" ".join(name.split()), quote=False) for name in many["name"]
    ]
    assert "downsampling_warning" not in told(screen)
    assert not screen.visible("tools")
    assert screen["part"].value == ""
    assert told(screen)["ordering"] is True
    assert told(screen)["layout"]["topEnd"] == "search"


def test_of_more_records_than_a_browser_likes_each_part_is_named_and_the_order_is_of_all(
    open_parts: Opened, projects: pd.DataFrame
) -> None:
    many = pd.concat([projects] * 18, ignore_index=True)
    state, screen = open_parts(many)
    assert screen.visible("tools")
    assert "Records 1 to 25,000 of 27,000 are in this table" in screen["part"].value
    # What the browser would order or search is a part, which nobody asks for.
    assert told(screen)["ordering"] is False
    assert told(screen)["layout"]["topEnd"] is None
    screen["order"].value = "stack_count"
    screen["on"].click()
    assert "Records 25,001 to 27,000 of 27,000" in screen["part"].value
    assert len(cells(screen)) == 2000
    most = f"{projects['stack_count'].max():,}"
    assert cells(screen)[-1][2] == most
    screen["down"].value = True
    assert cells(screen)[0][2] == most
    state.languages = ("Java",)
    assert len(cells(screen)) == 253 * 18
    assert not screen.visible("tools")
    assert told(screen)["ordering"] is True


def test_what_follows_from_one_choice_is_sent_once(
    open_parts: Opened, projects: pd.DataFrame
) -> None:
    state, screen = open_parts(projects)
    sent: list[Any] = []
    screen["table"].observe(sent.append, "_dt_args")
    state.languages = ("Java",)
    assert len(sent) == 1
    state.chart = "growth"
    assert len(sent) == 1


def test_text_and_headings_are_escaped_and_what_is_missing_is_seen(open_parts: Opened) -> None:
    frame = pd.DataFrame(
        {
            "id": ["1", "2"],
            "name": [EVIL, None],
            "stack_count": pd.Series([1234567, None], dtype="Int64"),
            "created_at": pd.to_datetime(["2012-03-04T23:30Z", ""], utc=True),
            "tags": [["a", "b"], None],
            "licenses": [[{"name": "mit", "nice_name": "MIT licence"}, {"name": "x"}], []],
            "from_parquet": [np.array(["c", "d"]), {"name": "e"}],
            "share": [1e-7, float("inf")],
            "alive": [True, False],
            EVIL: ['with "quotes"\tand\nlines', "y" * 5000],
        }
    )
    state, screen = open_parts(frame)
    state.columns = tuple(frame)
    first, second = cells(screen)
    assert [*first[:4], *first[7:9]] == [
        "1",
        '&lt;script&gt;alert("1")&lt;/script&gt; &amp; &lt;b&gt;bold&lt;/b&gt;',
        "1,234,567",
        "2012-03-04",
        "1e-07",
        "True",
    ]
    assert second[1:4] == ["–", "-", "–"]
    names = [choices.heading(name, state.shown.resource) for name in state.columns]  # type: ignore[union-attr]  # a frame is shown
    there = dict(zip(state.columns, zip(first, second, strict=True), strict=True))
    assert len(names) == len(first)
    assert there["tags"] == ("a, b", "–")
    assert there["licenses"][0] == "MIT licence, x"
    assert there["from_parquet"] == ("c, d", "e")
    assert there[EVIL][0] == 'with "quotes" and lines'
    assert len(there[EVIL][1]) < 300
    assert "<script" not in told(screen)["table_html"]
    kinds = {one["targets"]: one["type"] for one in told(screen)["columnDefs"]}
    numbers = [list(state.columns).index(name) for name in ("stack_count", "share")]
    assert [place for place, kind in kinds.items() if kind == "num-fmt"] == numbers


def test_two_columns_under_one_heading_are_both_shown(
    open_parts: Opened, projects: pd.DataFrame
) -> None:
    state, screen = open_parts(projects)
    state.columns = ("id", "analysis_id", "analysis__id")
    assert cells(screen)[0] == projects[list(state.columns)].iloc[0].fillna("–").tolist()


def test_no_record_and_no_column_are_shown_as_such(
    open_parts: Opened, directory: dirframe.Directory, projects: pd.DataFrame
) -> None:
    state, screen = open_parts(directory)
    assert cells(screen) == []
    state.query = "nothing has this in it"
    state.load()
    assert cells(screen) == []
    assert "No record passes the filters." in told(screen)["language"]["emptyTable"]
    state, screen = open_parts(projects)
    state.columns = ()
    assert cells(screen) in ([], [[]] * len(projects))
    state.columns = ("name",)
    assert len(cells(screen)) == len(projects)


def test_without_itables_there_is_the_plain_table(
    projects: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "itables.widget", None)
    assert table.load_itables() is None
    explorer = dirframe.Explorer(projects)
    assert explorer.state.page_size == 10
    assert "iloc[0:10]" in explorer.code


def test_with_itables_the_explorer_has_its_table(projects: pd.DataFrame) -> None:
    pytest.importorskip("itables.widget", reason="itables is not installed")
    explorer = dirframe.Explorer(projects)
    assert explorer.state.page_size == choices.PART
    assert "iloc" not in explorer.code
    static = explorer._repr_mimebundle_()["text/html"]
    assert static.count("<tr>") == 11
    assert "Records 1 to 10 of 1,500" in static
