"""The lines that are shown give what is on the screen: they are run, and compared."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import dirframe
from dirframe.explorer import saved_view
from dirframe.explorer.chart_image import render_chart
from dirframe.explorer.code import client_expression, repr_double_quoted
from dirframe.explorer.state import State
from dirframe.provenance import get_provenance
from dirframe.settings import ApiKey, Settings
from docs.names import themes

QUESTIONS: dict[str, dict[str, Any]] = {
    "everything": {},
    "a question": {"query": 'a "b" \\', "sort": "name_reverse"},
    "a cap": {"sort": "stack_count_reverse", "max_items": 130},
    "accounts": {"collection": "accounts", "sort": "id", "max_items": 400},
}
SCREENS: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "a search": {"search": 'linux "C" it\'s', "order_by": "stack_count"},
    "words": {"search": "Data  base", "order_by": "name", "descending": True},
    "one filter": {"languages": ("C++", "Java"), "chart": "activity"},
    "all filters": {
        "languages": ("C", "Java", "Python"),
        "years": (2006, 2009),
        "activity": "active",
        "chart": "project_age",
        "style": "bibtex",
    },
    "lists and numbers": {
        "tags": ("linux", "c", None),
        "licenses": ("gpl", "mit"),
        "ranges": {"stack_count": (1, None), "average_rating": (None, None)},
        "measure": "stack_count",
    },
    "dormant": {"activity": "dormant", "chart": "activity", "page_size": 25, "page": 2},
    "ordered": {"order_by": "name", "columns": ("name", "id"), "page": 3},
    "by id": {"order_by": "id", "descending": True, "columns": ("id",), "style": "csl"},
    "one country": {"countries": ("Germany", "Côte d'Ivoire"), "chart": "accounts_map"},
}
#: The names of the reference.
DOCUMENTED = {*chain.from_iterable(themes().values())}
#: Each question with each screen that its records have the columns for.
PAIRS = [
    *(
        (question, screen)
        for question in list(QUESTIONS)[:3]
        for screen in list(SCREENS)[:-1]
        # what that question finds has no tags
        if (question, screen) != ("a question", "lists and numbers")
    ),
    *(
        ("accounts", screen)
        for screen in ("as it comes", "words", "ordered", "by id", "one country")
    ),
]


def run(code: str, capsys: pytest.CaptureFixture[str], **given: Any) -> dict[str, Any]:
    namespace: dict[str, Any] = dict(given)
    for used in set(re.findall(r"\bdirframe\.[\w.]+", code)) | set(re.findall("import (.+)", code)):
        assert used == "dirframe" or used.removeprefix("dirframe.") in DOCUMENTED, used
    exec(code, namespace)
    namespace["printed"] = capsys.readouterr().out
    return namespace


def compare(state: State, namespace: dict[str, Any]) -> None:
    assert state.shown is not None
    assert state.rows is not None
    assert_frame_equal(namespace["shown"], state.shown.frame)
    assert_frame_equal(namespace["table"], state.rows)
    ours, theirs = get_provenance(state.shown.frame), get_provenance(namespace["shown"])
    assert theirs["steps"] == ours["steps"]
    assert theirs["query"] == ours["query"]
    words = render_chart(state.shown.frame, state.chart, state.chart_options).words
    assert words.startswith(" ".join(namespace["ax"].get_title().split()))
    assert namespace["printed"].strip() == state.citation.strip()
    plt.close("all")


# Not every question finds records with the values of every screen.
@pytest.mark.filterwarnings("ignore::dirframe.errors.UnknownValueWarning")
@pytest.mark.parametrize(("question", "screen"), PAIRS)
def test_the_code_gives_what_is_on_the_screen(
    question: str,
    screen: str,
    directory: dirframe.Directory,
    capsys: pytest.CaptureFixture[str],
) -> None:
    state = State(directory)
    for name, value in QUESTIONS[question].items():
        state.set_trait(name, value)
    state.load()
    assert state.severity == "success", state.message
    for name, value in SCREENS[screen].items():
        state.set_trait(name, value)
    compare(state, run(state.code, capsys))


@pytest.mark.parametrize("screen", ["as it comes", "all filters", "ordered"])
def test_the_code_for_a_frame_that_was_handed_over_begins_with_that_frame(
    screen: str, projects: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    state = State(projects)
    for name, value in SCREENS[screen].items():
        state.set_trait(name, value)
    assert "handed to the explorer" in state.code
    compare(state, run(state.code, capsys, projects=projects))


def test_the_code_for_a_frame_of_unknown_source_runs_and_cites_nothing(
    projects: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = pd.DataFrame(projects.to_dict("list"))
    state = State(plain)
    namespace = run(state.code, capsys, projects=plain)
    assert state.rows is not None
    assert_frame_equal(namespace["table"], state.rows)
    assert namespace["printed"] == ""
    assert "cannot be cited" in state.citation
    plt.close("all")


def test_ranges_of_numbers_of_numpy_and_without_an_end_are_in_the_code(
    projects: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    state = State(projects)
    state.ranges = {
        "stack_count": (np.int64(2), float("inf")),
        "average_rating": (projects["average_rating"].median(), None),
    }
    assert 0 < len(state.filters.apply(projects)) < len(projects)
    compare(state, run(state.code, capsys, projects=projects))
    again = State(projects)
    saved_view.restore(again, saved_view.parse(saved_view.dump(state)))
    assert again.code == state.code


@pytest.mark.parametrize("chart", ["activity", "project_age", "life_span"])
def test_the_code_is_that_of_a_chart_whose_dates_came_as_text(
    chart: str, projects: pd.DataFrame
) -> None:
    dates = ["analysis_min_month", "analysis_max_month", "analysis_logged_at"]
    state = State(projects.astype(dict.fromkeys(dates, "str")))
    state.chart = chart
    assert f"ax = dirframe.plot.{chart}(shown)" in state.code
    state.languages = ("Java",)
    assert '"Java"' in state.code


def test_countries_are_unified_in_the_code_where_the_explorer_did_it(
    directory: dirframe.Directory, accounts: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = dirframe.load_accounts(max_items=50, directory=directory, progress=False)
    state = State(raw)
    assert "unify_countries" in state.code
    compare(state, run(state.code, capsys, accounts=raw))
    assert "unify_countries" not in State(accounts).code


def test_a_load_that_was_stopped_is_said_to_be_more_in_the_code(
    directory: dirframe.Directory, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = State(directory)
    state.observe(lambda _: state.cancel(), "loaded")
    state.load()
    assert "# what was on the screen is not complete: The load of the projects" in state.code


def test_a_directory_is_opened_without_its_key() -> None:
    def settings(**options: Any) -> Settings:
        return Settings(api_key=ApiKey("k" * 20), **options)

    plain = settings(base_url="https://directory.example/api")
    assert client_expression(plain) == 'dirframe.Directory("https://directory.example/api")'
    named = settings(base_url="http://d.example", name="Our 'own'", allow_http=True)
    assert client_expression(named) == (
        'dirframe.Directory("http://d.example", name="Our \'own\'", allow_http=True)'
    )


@pytest.mark.parametrize(
    "text", ["plain", "", "it's", 'say "x"', "'\"", "a\\n\n\t", "größer 自", "\x7f"]
)
def test_a_quoted_text_is_read_back_as_it_was(text: str) -> None:
    assert eval(repr_double_quoted(text)) == text
