"""A view is restored as it was saved, or refused in a sentence that leaves everything as it is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import dirframe
from dirframe.errors import InvalidInputError
from dirframe.explorer import saved_view
from dirframe.explorer.state import State

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def filled(state: State) -> State:
    state.languages, state.tags, state.licenses = ("C", None), ("linux", "gui"), ("gpl",)
    state.years, state.ranges = (2006, 2010), {"stack_count": (1, None)}
    state.columns, state.order_by, state.descending = ("id", "name"), "name", True
    state.chart, state.style, state.page_size = "growth", "bibtex", 25
    return state


def test_a_view_is_restored_from_file_text_and_link(projects: pd.DataFrame, tmp_path: Path) -> None:
    explorer = dirframe.Explorer(projects)
    state = filled(explorer.state)
    assert explorer.frame is not None
    assert 0 < len(explorer.frame) < len(projects)
    file = explorer.save(tmp_path / "view.json")
    for view in (
        file,
        str(file),
        saved_view.dump(state),
        f"http://x/y{saved_view.fragment(state)}",
    ):
        other = dirframe.Explorer(projects, view=view)
        assert other.code.splitlines()[3:] == explorer.code.splitlines()[3:]
        assert other.frame is not None
        assert other.frame.equals(explorer.frame)
        assert other.state.citation == state.citation


def test_a_view_of_a_directory_is_restored_when_its_records_are_loaded(
    directory: dirframe.Directory,
) -> None:
    state = State(directory)
    state.max_items, state.query = 300, "a"
    state.load()
    state.languages, state.chart = ("C",), "activity"
    text = saved_view.dump(state)
    assert directory.settings.api_key.reveal() not in text
    other = dirframe.Explorer(directory, view=text).state
    assert (other.max_items, other.query, other.shown, other.languages) == (300, "a", None, ())
    other.load()
    assert (other.languages, other.chart, other.code) == (("C",), "activity", state.code)


@pytest.mark.parametrize(
    ("view", "said"),
    [
        ("{", "This is not a saved view"),
        ('{"x": 1}', "has no dirframe_view"),
        ('{"dirframe_view": 2, "dirframe_version": "9"}', "saved by dirframe 9 in another form"),
        ('{"dirframe_view": 1, "colour": "red"}', "it has colour"),
        ("no/such/file.json", "cannot be read"),
        ('{"dirframe_view": 1, "collection": "accounts"}', "one of accounts"),
        ('{"dirframe_view": 1, "columns": ["nope"]}', "columns has 'nope'"),
        ('{"dirframe_view": 1, "ranges": {"nope": [1, 2]}}', "no column nope"),
        ('{"dirframe_view": 1, "ranges": {"stack_count": 3}}', "values stay below"),
        ('{"dirframe_view": 1, "tags": [["x"]]}', "tags is"),
        ('{"dirframe_view": 1, "search": 5}', "'search' trait"),
        ('{"dirframe_view": 1, "chart": "accounts_map"}', "chart has 'accounts_map'"),
        ('{"dirframe_view": 1, "chart": ""}', "chart has ''"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(
    view: str, said: str, projects: pd.DataFrame
) -> None:
    with pytest.raises(InvalidInputError, match=said):
        dirframe.Explorer(projects, view=view)
    state = filled(State(projects))
    before = state.trait_values()
    state.restore_view(view)
    assert state.severity == "error"
    assert said in state.message
    unchanged = {name: value for name, value in state.trait_values().items() if name in before}
    for name in ("shown", "message", "severity"):
        del before[name], unchanged[name]
    assert unchanged == before


def test_the_buttons_save_and_restore_and_say_so(projects: pd.DataFrame, tmp_path: Path) -> None:
    state = filled(State(projects))
    state.view = str(tmp_path / "v.json")
    state.save_view()
    assert "The view is in" in state.message
    assert json.loads((tmp_path / "v.json").read_text(encoding="utf-8"))["languages"] == ["C", None]
    state.show_all()
    state.restore_view()
    assert state.languages == ("C", None)
    state.view = str(tmp_path / "no" / "such" / "folder.json")
    state.save_view()
    assert state.severity == "error"
