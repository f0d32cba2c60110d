"""The front door: what it takes and refuses, how it shows itself, and the code that it shows."""

import sys

import numpy as np
import pandas as pd
import pytest
from IPython.core import display_functions
from ipywidgets import HTML
from lxml import html
from pandas.testing import assert_frame_equal

import dirframe
from dirframe.errors import InvalidInputError, MissingExtraError
from dirframe.explorer.chart_image import render_chart
from dirframe.explorer.state import State
from dirframe.explorer.widgets.page import HtmlTable
from dirframe.provenance import get_provenance
from tests.explorer.screen import every
from tests.rig.server import KEY, MARK, Rig

EVIL = '<script>alert("1")</script> & <b>bold</b>'


def test_explorer_of_a_frame_gives_what_is_shown(projects):
    explorer = dirframe.Explorer(projects)
    assert explorer.frame is projects
    explorer.state.languages = ("Java",)
    assert len(explorer.frame) == 253
    assert "253" in repr(explorer)
    assert "1,500" in repr(explorer)
    assert '"Java"' in explorer.code


def test_other_source_is_refused(projects):
    for wrong in ("https://directory.example", 7, ["1"], pd.DataFrame({"x": [1]})):
        with pytest.raises(InvalidInputError):
            dirframe.Explorer(wrong)


def test_missing_extra_is_named(projects, monkeypatch):
    for name in list(sys.modules):
        if name.startswith(("ipywidgets", "dirframe.explorer.widgets")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(MissingExtraError) as caught:
        dirframe.Explorer(projects)
    assert (caught.value.package, caught.value.extra) == ("ipywidgets", "explorer")


# What a saved notebook has


def test_static_view_has_records_chart_and_source_and_fetches_nothing(projects):
    explorer = dirframe.Explorer(projects)
    explorer.state.languages = ("Java",)
    bundle = explorer._repr_mimebundle_()
    assert bundle["text/plain"] == repr(explorer)
    assert bundle["image/png"].startswith(b"\x89PNG")
    tree = html.fromstring(bundle["text/html"])
    assert len(tree.xpath("//tbody/tr")) == 10
    assert "253 of 1,500" in tree.text_content()
    (picture,) = tree.xpath("//img")
    assert picture.get("src").startswith("data:image/png;base64,iVBORw0KGgo")
    assert "dirframe sample directory" in picture.get("alt")
    assert "n = 253" in picture.get("alt")
    assert not tree.xpath("//@href | //script | //link")


def test_static_view_without_a_chart_has_the_source_and_without_records_a_line(directory):
    frame = dirframe.load_projects(directory, max_items=10, progress=False)[["id", "name"]]
    bundle = dirframe.Explorer(frame)._repr_mimebundle_()
    assert "image/png" not in bundle
    assert "dirframe sample directory" in bundle["text/html"]
    bundle = dirframe.Explorer(directory)._repr_mimebundle_()
    assert not html.fromstring(bundle["text/html"]).xpath("//table | //img")
    assert directory.api_key.reveal() not in repr(bundle)


def test_static_view_follows_what_is_shown(projects, monkeypatch):
    published = []
    monkeypatch.setattr(
        display_functions,
        "publish_display_data",
        lambda data, **more: published.append((data, more)),
    )
    monkeypatch.setattr("IPython.core.interactiveshell.InteractiveShell.initialized", lambda: True)
    explorer = dirframe.Explorer(projects)
    explorer._ipython_display_()
    assert "1,500" in published[0][0]["text/html"]
    published.clear()
    explorer.state.languages = ("Java",)
    assert published
    assert all(more["update"] for _, more in published)
    assert "253 of 1,500" in published[-1][0]["text/html"]


def test_text_of_records_and_columns_is_never_markup():
    frame = pd.DataFrame(
        {
            "id": ["1", "2"],
            "name": [EVIL, None],
            "analysis_main_language_name": [EVIL, "C"],
            "homepage_url": ["https://example.org/?a=1&b=2", "javascript:alert(1)"],
            "stack_count": pd.Series([1234567, None], dtype="Int64"),
            "created_at": pd.to_datetime(["2012-03-04T23:30Z", ""], utc=True),
            "tags": [[EVIL, "b"], None],
            "licenses": [[{"name": "mit", "nice_name": EVIL}, {"name": "x"}], []],
            "from_parquet": [np.array(["c", "d"]), {"name": "e"}],
            EVIL: ['with "quotes"\tand\nlines', "y" * 5000],
            "huge": ["x" * 5_000_000, ""],
        }
    )
    explorer = dirframe.Explorer(frame)
    state = explorer.state
    state.columns = tuple(frame)
    state.languages, state.path = (EVIL, "C"), f"{EVIL}.nope"
    state.export()
    assert EVIL in state.message
    assert len(explorer._repr_mimebundle_()["text/html"]) < 100_000
    texts = [
        explorer._repr_mimebundle_()["text/html"],
        *(w.value for w in every(explorer._view.widget) if isinstance(w, (HTML, HtmlTable))),
    ]
    trees = [html.fromstring(f"<div>{text}</div>") for text in texts]
    assert sum(EVIL in tree.text_content() for tree in trees) >= 4  # table, message, code, static
    assert not [tree for tree in trees if tree.xpath("//script | //b[.='bold']")]
    table = next(tree for tree in trees if tree.xpath("//button[@data-column]"))
    assert table.xpath("//a/@href") == ["https://example.org/?a=1&b=2"]
    rows = [[c.text_content() for c in row.xpath("./td")] for row in table.xpath("//tbody/tr")]
    first, second = (dict(zip(frame, row, strict=True)) for row in rows)
    assert first["name"] == EVIL
    assert (first["stack_count"], first["created_at"]) == ("1,234,567", "2012-03-04")
    assert {second[name] for name in ("name", "stack_count", "created_at", "tags")} == {"–"}
    assert (first["from_parquet"], second["from_parquet"]) == ("c, d", "e")
    assert (first[EVIL], second[EVIL]) == ('with "quotes" and lines', "y" * 5000)


# The code


SCREENS = {
    "all filters": {
        "languages": ("C", "Java", "Python"),
        "years": (2006, 2009),
        "activity": "active",
        "chart": "activity",
        "style": "bibtex",
    },
    "lists and numbers": {
        "tags": ("linux", "c", None),
        "licenses": ("gpl", "mit"),
        "ranges": {"stack_count": (np.int64(1), float("inf")), "average_rating": (2.5, None)},
        "exclude": ("duplicate_id",),
    },
    "an order and a page": {
        "search": 'a "b" it\'s \\',
        "order_by": "name",
        "descending": True,
        "columns": ("name", "id"),
        "page_size": 25,
    },
}


def printed_and_names(code, capsys, **given):
    """Run code as in a new notebook; return what it prints and its variables."""
    names = dict(given)
    exec(code, names)
    return capsys.readouterr().out, names


def compare(state, printed, names):
    assert_frame_equal(names["shown"], state.shown.frame)
    assert_frame_equal(names["table"], state.rows)
    ours, theirs = get_provenance(state.shown.frame), get_provenance(names["shown"])
    assert (theirs["steps"], theirs["query"]) == (ours["steps"], ours["query"])
    drawn = render_chart(state.shown.frame, state.chart, state.chart_options)
    assert drawn.words.startswith(" ".join(names["ax"].get_title().split()))
    assert printed.strip() == state.citation.strip()


@pytest.mark.parametrize("screen", SCREENS)
def test_code_for_a_frame_gives_what_is_shown(screen, projects, capsys):
    if screen == "an order and a page":
        projects = projects.assign(name=projects["name"] + ' a "B" it\'s \\')
    state = State(projects)
    for name, value in SCREENS[screen].items():
        state.set_trait(name, value)
    assert len(state.shown.frame)
    state.page = min(2, state.pages)
    compare(state, *printed_and_names(state.code, capsys, projects=projects))


def test_code_for_a_load_gives_what_is_shown(directory, capsys):
    state = State(directory)
    state.collection, state.query, state.sort, state.max_items = "accounts", "a", "name", 60
    state.load()
    most, *_ = state.bars("country_name")
    state.countries, state.chart, state.style = (most.value, None), "accounts_map", "bibtex"
    state.order_by, state.descending = "id", True
    assert 0 < len(state.shown.frame) < 60
    compare(state, *printed_and_names(state.code, capsys))


def test_code_for_a_directory_has_no_key_and_runs_with_that_of_the_environment(
    tmp_path, capsys, monkeypatch
):
    with Rig(25) as rig, rig.directory(tmp_path, name="Our 'own' \"one\"") as directory:
        state = dirframe.Explorer(directory).state
        state.query, state.chart = 'a "b" \\', "tags"
        state.load()
        assert MARK not in state.code
        monkeypatch.setenv("DIRFRAME_API_KEY", KEY)
        load = state.code[: state.code.index("ax = ")]  # these records have no tags
        _, names = printed_and_names(load, capsys)
        assert list(names["shown"]["id"]) == rig.ids
        assert rig.requests[-1].query["query"] == 'a "b" \\'
        assert get_provenance(names["shown"])["source"] == "Our 'own' \"one\""


def test_code_begins_with_the_variable_of_the_frame(projects, capsys):
    few = projects.head(20)

    def opened(mine):
        return dirframe.Explorer(mine), {"mine": mine}

    for explorer, given in (opened(few), (dirframe.Explorer(few), {"few": few})):
        printed, names = printed_and_names(explorer.code, capsys, **given)
        assert_frame_equal(names["shown"], few)
        assert printed.strip() == explorer.state.citation.strip()


def test_code_unifies_countries_where_the_explorer_did(accounts, capsys):
    raw = accounts.drop(columns=[name for name in accounts if name not in ACCOUNT_COLUMNS])
    state = State(raw)
    state.countries = ("Germany",)
    assert "unify_countries" in state.code
    _, names = printed_and_names(state.code, capsys, accounts=raw)
    assert_frame_equal(names["shown"], state.shown.frame)
    assert "unify_countries" not in State(accounts).code


ACCOUNT_COLUMNS = {"id", "name", "created_at", "country_code", "location", "posts_count"}


def test_code_of_a_frame_of_unknown_source_runs(projects, capsys):
    plain = pd.DataFrame(projects.head(30).to_dict("list"))
    dates = ["analysis_min_month", "analysis_max_month", "analysis_logged_at"]
    plain = plain.astype(dict.fromkeys(dates, "str"))  # as pandas reads them from CSV
    state = State(plain)
    for chart in ("activity", "life_span"):
        state.chart = chart
        assert f"plot.{chart}(shown)" in state.code
    state.chart = "tags"
    printed, names = printed_and_names(state.code, capsys, projects=plain)
    assert_frame_equal(names["table"], state.rows)
    assert printed == ""
