"""Every chart in the explorer, and the code of every screen after every load."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from pandas.testing import assert_frame_equal

from dirframe.explorer.chart_image import render_chart
from dirframe.explorer.state import State
from dirframe.provenance import get_provenance

# A machine may lack the fonts of some names.
pytestmark = pytest.mark.filterwarnings("ignore::dirframe.errors.MissingGlyphsWarning")

_FIGURES = []  # figures of pyplot


def test_every_chart_becomes_a_picture(sample_projects, sample_accounts, subtests):
    for frame in (sample_projects.head(300), sample_accounts.head(300)):
        for chart in State(frame).charts:
            with subtests.test(chart):
                before = plt.get_fignums()
                image = render_chart(frame, chart, {})
                assert image.png.startswith(b"\x89PNG")
                assert 250 < image.width < 900
                assert "n = " in image.words
                assert plt.get_fignums() == before
    assert render_chart(frame.iloc[:0], "accounts_map", {}).png


def test_pyplot_never_knows_the_figure_that_is_drawn(sample_accounts):
    """A kernel shows pyplot's figures after each message, drawn or not, in whatever thread."""
    _FIGURES.clear()
    with mpl.rc_context({"figure.hooks": [f"{__name__}:_FIGURES.append"]}):
        plt.close(plt.figure())
        assert len(_FIGURES) == 1
        for by in (None, "country_code"):
            render_chart(sample_accounts, "accounts_by_kudo_rank", {"by": by})
    assert len(_FIGURES) == 1


QUESTIONS = {
    "everything": {},
    "a question": {"query": 'a "b" \\', "sort": "name_reverse"},
    "a cap": {"sort": "stack_count_reverse", "max_items": 130},
    "accounts": {"collection": "accounts", "sort": "id", "max_items": 400},
}
SCREENS = {
    "as it comes": {},
    "words": {"search": "Data  base", "order_by": "name", "descending": True},
    "one filter": {"languages": ("C++", "Java"), "chart": "activity"},
    "all filters": {
        "languages": ("C", "Java", "Python"),
        "years": (2006, 2009),
        "activity": "active",
        "chart": "team_size_classes",
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
    "panels": {"by": "team_size", "chart": "life_span", "exclude": ("stale_analysis",)},
    "one country": {"countries": ("Germany", "Côte d'Ivoire"), "chart": "accounts_map"},
}
OF_ACCOUNTS = ("as it comes", "words", "ordered", "by id", "one country")


# Not every question finds records with the values of every screen.
@pytest.mark.filterwarnings("ignore::dirframe.errors.UnknownValueWarning")
@pytest.mark.parametrize("question", QUESTIONS)
def test_code_gives_what_is_on_every_screen(question, sample, capsys):
    state = State(sample)
    for name, value in QUESTIONS[question].items():
        state.set_trait(name, value)
    state.load()
    assert state.severity == "success", state.message
    usual = {name: getattr(state, name) for name in ("columns", "chart", "measure")}
    usual |= {"page": 1, "page_size": 10, "style": "text", "exclude": (), "by": ""}
    usual |= {"order_by": "", "descending": False}
    for screen in OF_ACCOUNTS if question == "accounts" else list(SCREENS)[:-1]:
        if (question, screen) == ("a question", "lists and numbers"):
            continue  # what that question finds has no tags
        state.show_all()
        for name, value in (usual | SCREENS[screen]).items():
            state.set_trait(name, value)
        names = {}
        exec(state.code, names)
        assert_frame_equal(names["shown"], state.shown.frame)
        assert_frame_equal(names["table"], state.rows)
        ours, theirs = get_provenance(state.shown.frame), get_provenance(names["shown"])
        assert (theirs["steps"], theirs["query"]) == (ours["steps"], ours["query"])
        assert capsys.readouterr().out.strip() == state.citation.strip()
        plt.close("all")
