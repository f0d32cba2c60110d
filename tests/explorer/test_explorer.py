"""The front door: what it takes, what it refuses, how it shows itself."""

from __future__ import annotations

import builtins
import sys
from typing import TYPE_CHECKING, Any

import pytest
from IPython.core import display_functions

import dirframe
from dirframe.errors import ConfigurationError, InvalidInputError, MissingExtraError

if TYPE_CHECKING:
    import pandas as pd


def test_it_opens_on_a_frame_and_gives_what_is_shown(projects: pd.DataFrame) -> None:
    explorer = dirframe.Explorer(projects)
    assert explorer.frame is projects
    explorer.state.languages = ("Java",)
    assert repr(explorer) == "<Explorer: 253 of 1,500 projects>"
    assert "Java" in explorer.code


def test_it_opens_on_a_directory_and_asks_nothing_of_it() -> None:
    with dirframe.sample_directory(cache=False) as place:
        explorer = dirframe.Explorer(place)
        assert explorer.frame is None
        assert "Nothing is loaded yet" in repr(explorer)
        assert explorer.state.quota_left == 1000


def test_without_anything_it_opens_on_the_directory_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(ConfigurationError, match="No directory is given"):
        dirframe.Explorer()
    with dirframe.sample_directory() as place:
        monkeypatch.setenv("DIRFRAME_BASE_URL", place.settings.base_url)
        monkeypatch.setenv("DIRFRAME_API_KEY", place.settings.api_key.reveal())
        place.session.get("/projects.xml", {})
        explorer = dirframe.Explorer()
        explorer.state.max_items = 10
        explorer.state.load()
        assert explorer.frame is not None
        assert place.settings.api_key.reveal() not in explorer.code + repr(explorer)
        assert explorer.state.directory is not None
        explorer.state.directory.close()


@pytest.mark.parametrize("wrong", ["https://directory.example", 7, ["1"]])
def test_what_is_neither_directory_nor_frame_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"takes a dirframe\.Directory"):
        dirframe.Explorer(wrong)


def test_without_ipywidgets_the_extra_is_named(
    projects: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(sys.modules):
        if name.startswith(("ipywidgets", "dirframe.explorer.")) and name.split(".")[-1] not in {
            "explorer"
        }:
            monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name == "ipywidgets":
            raise ModuleNotFoundError("No module named 'ipywidgets'", name="ipywidgets")
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r'pip install "dirframe\[explorer\]"'):
        dirframe.Explorer(projects)


def test_a_saved_notebook_has_text_table_and_picture(projects: pd.DataFrame) -> None:
    bundle = dirframe.Explorer(projects)._repr_mimebundle_()
    assert bundle["text/plain"] == "<Explorer: 1,500 projects>"
    assert "<table" in bundle["text/html"]
    assert bundle["image/png"].startswith(b"\x89PNG")


def test_the_picture_of_what_is_shown_is_kept_up_to_date(
    projects: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[dict[str, Any]] = []

    def publish(data: dict[str, Any], **options: Any) -> None:
        published.append({"data": data, **options})

    monkeypatch.setattr(display_functions, "publish_display_data", publish)
    monkeypatch.setattr("IPython.core.interactiveshell.InteractiveShell.initialized", lambda: True)
    explorer = dirframe.Explorer(projects)
    explorer._ipython_display_()
    assert "1,500 projects" in published[0]["data"]["text/html"]
    published.clear()
    explorer.state.languages = ("Java",)
    assert published
    assert all(one["update"] for one in published)
    assert "253 of 1,500 projects" in published[-1]["data"]["text/html"]


def test_the_code_begins_with_the_variable_of_the_frame(projects: pd.DataFrame) -> None:
    def opened(mine: pd.DataFrame) -> dirframe.Explorer:
        return dirframe.Explorer(mine)

    assert "projects = mine\n" in opened(projects).code
    code = dirframe.Explorer(projects).code
    assert "projects =" not in code
    assert "handed to the explorer" not in code


def test_the_advice_for_a_frame_of_another_library_keeps_its_provenance(
    projects: pd.DataFrame,
) -> None:
    for kind in ("polars", "arrow"):
        table: Any = dirframe.convert_frame(projects, kind)
        with pytest.raises(InvalidInputError, match="convert_frame") as refused:
            dirframe.Explorer(table)
        assert 'dirframe.convert_frame(frame, "pandas")' in str(refused.value)
        frame = dirframe.convert_frame(table, "pandas")
        assert frame.attrs == projects.attrs
        assert dirframe.Explorer(frame).frame is frame
