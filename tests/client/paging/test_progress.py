"""A progress bar where someone looks, and none elsewhere."""

from __future__ import annotations

import sys
import types

import pytest
import tqdm

from dirframe.client.paging.progress import Progress


def test_a_terminal_shows_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Progress("projects", shown=True) as bar:
        bar.advance(25, 60)
        bar.advance(35, 60)
    err = capsys.readouterr().err
    assert "60/60" in err
    assert "projects" in err


def test_a_total_may_change_on_the_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Progress("projects", shown=True) as bar:
        bar.advance(25, 0)
        bar.advance(25, 70)
        bar.advance(20, 70)
    assert "70/70" in capsys.readouterr().err


@pytest.mark.parametrize("shown", [True, False])
def test_a_pipe_gets_no_bar(shown: bool, capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("projects", shown=shown) as bar:
        bar.advance(25, 60)
    captured = capsys.readouterr()
    assert captured.err == captured.out == ""


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the process look like the kernel of a notebook."""
    ipython = types.SimpleNamespace(
        get_ipython=lambda: types.SimpleNamespace(config={"IPKernelApp": {}})
    )
    monkeypatch.setitem(sys.modules, "IPython", ipython)


@pytest.mark.usefixtures("notebook")
def test_a_notebook_gets_a_bar_although_it_has_no_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A bar of widgets would write to the notebook, which is none here.
    monkeypatch.setattr("dirframe.client.paging.progress.find_spec", lambda _: None)
    with Progress("projects", shown=True) as bar:
        bar.advance(60, 60)
    assert "60/60" in capsys.readouterr().err


@pytest.mark.usefixtures("notebook")
def test_a_notebook_with_widgets_gets_a_bar_of_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    class BarWithWidgets(tqdm.std.tqdm):  # type: ignore[type-arg]  # a stand-in for one
        made = 0

        def __init__(self, *args: object, **options: object) -> None:
            BarWithWidgets.made += 1
            super().__init__(*args, **options)  # type: ignore[call-overload]  # as they came

    monkeypatch.setattr("dirframe.client.paging.progress.find_spec", lambda _: "ipywidgets")
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=BarWithWidgets))
    with Progress("projects", shown=True) as bar:
        bar.advance(60, 60)
    assert BarWithWidgets.made == 1


def test_a_function_is_told_instead_how_many_came_and_of_how_many(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told: list[tuple[int, int]] = []
    with Progress("projects", shown=lambda *numbers: told.append(numbers)) as bar:
        bar.advance(25, 60)
        bar.advance(25, 61)
    assert told == [(25, 60), (50, 61)]
    assert capsys.readouterr().err == ""


def test_nothing_happens_where_nothing_came() -> None:
    with Progress("projects", shown=True):
        pass


def test_a_failure_in_between_closes_the_bar() -> None:
    def fail() -> None:
        with Progress("projects", shown=True) as bar:
            bar.advance(1, 2)
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()


def test_that_ipykernel_is_loaded_makes_no_notebook(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    with Progress("projects", shown=True) as bar:
        bar.advance(60, 60)
    assert capsys.readouterr().err == ""
