"""The explorer's saved views, bars to click and drag, histograms, bindings and scripts."""

import queue
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html

import dirframe
from dirframe.errors import InvalidInputError
from dirframe.explorer import saved_view
from dirframe.explorer.facets import Facets
from dirframe.explorer.state import State


def test_view_is_restored_from_file_text_and_link_or_refused(sample_projects, tmp_path):
    state = State(sample_projects)
    state.languages, state.tags, state.years = ("C", None), ("linux", "gui"), (2006, 2010)
    state.ranges = {"stack_count": (np.int64(1), None)}
    state.columns, state.order_by, state.chart = ("id", "name"), "name", "growth"
    file = saved_view.save(state, tmp_path / "view.json")
    explorer = dirframe.Explorer(sample_projects, view=file)
    assert explorer.code.splitlines()[3:] == state.code.splitlines()[3:]
    assert explorer.frame.equals(state.shown.frame)
    other = State(sample_projects)
    for view in (str(file), saved_view.dump(state), f"http://x/y{saved_view.fragment(state)}"):
        other.show_all()
        other.restore_view(view)
        assert other.code == state.code
    for wrong in ("{", '{"dirframe_view": 1, "columns": ["nope"]}'):
        with pytest.raises(InvalidInputError):
            dirframe.Explorer(sample_projects, view=wrong)
        other.restore_view(wrong)
        assert (other.severity, other.code) == ("error", state.code)


def test_bars_are_clicked_and_dragged(sample_projects):
    pytest.importorskip("plotly", reason="plotly is an extra")
    from tests.explorer.screen import Screen

    state = State(sample_projects)
    (chart,) = Screen(state)["facets"].children
    trace = chart.data[0]
    point = [data[0] for data in trace.customdata].index("C")
    chart._js2py_pointsCallback = {
        "event_type": "plotly_click",
        "points": {"xs": [0], "ys": [0], "point_indexes": [point], "trace_indexes": [0]},
    }
    assert state.languages == ("C",)
    number = list(chart._facets).index("created_at") + 1
    box = {"xref": f"x{number}", "x0": 2.6, "x1": 0.7, "y0": 9, "y1": 1}
    chart._js2py_relayout = {"relayout_data": {"selections": [box]}, "source_view_id": None}
    assert state.years == (2007, 2009)
    assert set(state.shown.frame["analysis_main_language_name"]) == {"C"}


def test_explorer_without_plotly_has_no_bars(sample_projects, monkeypatch):
    from tests.explorer.screen import Screen

    monkeypatch.delitem(sys.modules, "dirframe.explorer.widgets.facets", raising=False)
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    assert "plotly" in Screen(State(sample_projects.head(20)))["plain"].value


NUMBERS = st.lists(
    st.integers(-(10**9), 10**9)
    | st.floats(-1e12, 1e12)
    | st.floats(0, 1e-3)
    | st.sampled_from([0.0, np.inf, -np.inf])
    | st.none(),
    max_size=40,
)


@given(values=NUMBERS)
@example(values=[1, 0.0078125, 1.2e-60])  # ranges of ten times the one before, to the most itself
def test_every_number_is_in_one_range_that_selects_what_it_counts(values):
    frame = pd.DataFrame({"x": pd.Series(values, dtype="Float64")})
    bars, missing = Facets(frame).profile("x", np.ones(len(frame), dtype=bool))
    present = frame["x"].dropna()
    finite = int(np.isfinite(present.to_numpy(dtype=float)).sum())
    if not finite:
        return
    assert sum(bar.count for bar in bars) == len(present)
    assert missing == pytest.approx(frame["x"].isna().mean())
    assert all(bar.value[0] < bar.value[1] for bar in bars)
    if len(present) == finite:
        for bar in bars:
            assert len(dirframe.select(frame, ranges={"x": bar.value})) == bar.count


def test_header_has_a_histogram(sample_projects):
    from tests.explorer.screen import Screen

    screen = Screen(State(sample_projects))
    screen.state.columns = ("stack_count",)
    (picture,) = html.fromstring(screen["table"].value).xpath("//th//*[local-name()='svg']")
    titles = picture.xpath(".//*[local-name()='title']/text()")
    counts = [int(title.rpartition(": ")[2].replace(",", "")) for title in titles]
    assert sum(counts) == sample_projects["stack_count"].notna().sum()


def test_click_in_another_thread_changes_the_state_in_its_own(sample_projects):
    import ipywidgets

    from dirframe.explorer.widgets.bindings import labelled_widget

    waiting = queue.SimpleQueue()
    state = State(sample_projects, waiting.put)
    text = labelled_widget(ipywidgets.Text, "File", state, "path")
    threads = []
    state.observe(lambda _: threads.append(threading.get_ident()), "path")
    click = threading.Thread(target=lambda: setattr(text, "value", "mine.csv"))
    click.start()
    click.join()
    assert (state.path, text.value) == ("projects.csv", "mine.csv")
    waiting.get()()
    assert (state.path, threads) == ("mine.csv", [threading.get_ident()])


def test_own_scripts_fetch_nothing():
    from dirframe.explorer.widgets import page

    for widget in (page.Page, page.HtmlTable):
        script = str(widget._esm)
        assert "export default" in script
        assert "http" not in script
        assert "import " not in script
