"""What every chart promises, whatever it shows."""

import inspect
from functools import cache
from types import SimpleNamespace

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from dirframe import plot, stats
from dirframe.charts import CHARTS as TITLES
from dirframe.errors import InvalidInputError
from tests import charts
from tests.charts import CHARTS, caption, draw, labels, lay_out, noun

EVERY = pytest.mark.parametrize("name", CHARTS)


@cache
def drawn(name):
    """Draw each chart once, on given axes beside others, and keep what was before and after."""
    _, others = plt.subplots(1, 2)
    _, ax = plt.subplots(figsize=(7, 5))
    plt.sca(others[0])
    frame = CHARTS[name]()

    def state():
        artists = [len(other.get_children()) for other in others]
        return dict(mpl.rcParams), plt.get_fignums(), plt.gca(), artists

    before, copy = state(), frame.copy(deep=True)
    returned = draw(name, frame, ax=ax)
    after = state()
    lay_out(ax)
    return SimpleNamespace(
        ax=ax, returned=returned, before=before, after=after, frame=frame, copy=copy
    )


def marks(ax):
    return [m for a in (ax, *ax.child_axes) for m in (*a.patches, *a.lines, *a.collections)]


def test_each_chart_takes_a_frame_and_everything_else_by_name():
    failures, found = [], set()
    for name in set(plot.__all__) - {"FONTS", "STYLE", "language_colour", "panels", "style"}:
        first, *others = inspect.signature(getattr(plot, name)).parameters.values()
        found.add(name)
        if first.name not in {"accounts", "projects", "frame"}:
            failures.append(f"{name}: {first}")
        by_name = {first.KEYWORD_ONLY, first.VAR_KEYWORD}
        failures += [f"{name}: {other}" for other in others if other.kind not in by_name]
    assert not failures
    assert set(CHARTS) <= found
    assert set(CHARTS) - set(stats.__all__) == {"accounts_map"}  # a second one of the same


@EVERY
def test_chart_on_given_axes_changes_nothing_else(name):
    chart = drawn(name)
    assert chart.returned is chart.ax
    assert chart.before == chart.after
    pd.testing.assert_frame_equal(chart.frame, chart.copy)
    assert len(charts.figure(chart.ax).axes) == 1


@EVERY
def test_chart_says_title_unit_scale_and_source(name):
    ax = drawn(name).ax
    legend = ax.get_legend()
    # The heading of a list of charts is that of the chart; some add of what it is.
    assert ax.get_title().startswith(TITLES[name].title)
    assert ax.get_xlabel() or legend.get_title().get_text()
    assert "Source: A $directory$ of <names>" in caption(ax)
    for scale, label in (
        (ax.get_xscale(), ax.get_xlabel()),
        (ax.get_yscale(), ax.get_ylabel()),
    ):
        assert (scale in {"log", "symlog"}) == ("logarithmic" in label)
    # Nothing is read as mathematics or markup.
    for text in charts.shown_texts(ax):
        assert not text.get_usetex()
        assert not text.get_parse_math() or "$" not in text.get_text()


@EVERY
def test_chart_has_all_texts_whole_at_the_width_of_a_column(name):
    ax = lay_out(draw(name, width="column"))
    assert charts.figure(ax).get_figwidth() == 3.3
    for size in (ax, drawn(name).ax):
        assert charts.cut_off(size) == []
    assert charts.covered(ax) == []
    assert charts.words_of(ax) == charts.words_of(drawn(name).ax)


@EVERY
def test_chart_of_nothing_says_why(name):
    frame = CHARTS[name](3)
    empty = lay_out(draw(name, frame.iloc[:0]))
    assert labels(empty) == [f"No {noun(name)}"]
    assert f"n = 0 {noun(name)}" in caption(empty)
    for column in frame.columns.drop(["id", "country_code", "contributor_id"], errors="ignore"):
        frame[column] = pd.Series([None] * 3, dtype=frame[column].dtype)
    missing = draw(name, frame)
    if name == "activity":  # what is not known is a bar of its own
        assert charts.widths(missing) == [0, 0, 3]
        missing = empty
    else:
        assert f"Of 3 {noun(name)}, none " in charts.words(labels(missing)[0])
    for ax in (empty, missing):
        assert ax.get_title()
        assert not marks(ax)


@EVERY
def test_chart_of_one_record(name):
    ax = lay_out(draw(name, CHARTS[name]().iloc[[9]]))
    assert marks(ax)
    assert "n = 1 " in caption(ax)


@EVERY
def test_chart_refuses_other_frames_axes_and_options_without_leaving_a_figure(name):
    for wrong in (pd.DataFrame({"some": [1]}), [1]):
        with pytest.raises(InvalidInputError):
            draw(name, wrong)
    frame = CHARTS[name]()
    with pytest.raises(TypeError):
        draw(name, frame, colour="red")
    assert plt.get_fignums() == []
    _, several = plt.subplots(1, 2)
    for wrong in (several, 5, several[0].figure):
        with pytest.raises(InvalidInputError):
            draw(name, frame, ax=wrong)
    assert len(plt.get_fignums()) == 1
