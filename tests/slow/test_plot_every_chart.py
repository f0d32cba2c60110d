"""What every chart promises, in more sizes and styles, in panels, after a pickle, of a relation."""

import pickle
from itertools import combinations

import matplotlib.pyplot as plt
import pandas as pd
import pyarrow as pa
import pytest

from dirframe import plot
from tests.charts import (
    CHARTS,
    bars,
    caption,
    covered,
    cut_off,
    draw,
    labels,
    lay_out,
    looks,
    shown_texts,
    words_of,
)

EVERY = pytest.mark.parametrize("name", CHARTS)


def parts_that_meet(ax):
    """Return pairs of title, labels, legend and caption of which one covers the other."""
    notes = [text for text in ax.texts if text.get_gid() == "caption"]
    parts = [ax.title, ax.xaxis.label, ax.yaxis.label, *notes, ax.get_legend()]
    boxes = [(part, part.get_window_extent().shrunk(0.98, 0.98)) for part in parts if part]
    shown = [(part, box) for part, box in boxes if box.width]
    return [(a, b) for (a, one), (b, other) in combinations(shown, 2) if one.overlaps(other)]


@pytest.mark.parametrize("size", [(3.3, 3.6), (12, 4)], ids=str)
@EVERY
def test_chart_has_all_texts_whole_in_axes_of_any_size(name, size):
    _, ax = plt.subplots(figsize=size)
    lay_out(draw(name, ax=ax))
    assert cut_off(ax) == []
    assert parts_that_meet(ax) == []


@pytest.mark.parametrize("style", [plot.STYLE, "dark_background"])
@EVERY
def test_chart_has_all_texts_whole_in_any_style(name, style):
    with plt.style.context(style):
        ax = lay_out(draw(name))
    assert cut_off(ax) == []
    assert parts_that_meet(ax) == []


@pytest.mark.parametrize("width", ["column", "page"])
@EVERY
def test_panels_have_all_texts_whole_in_print(name, width):
    frame = CHARTS[name]().assign(half=["left", "right"] * 20)
    chart = getattr(plot, name)
    drawn = plot.panels(chart, frame, "half", width=width)
    ax = lay_out(drawn.axes[0])
    assert drawn.get_figwidth() == {"column": 3.3, "page": 6.85}[width]
    assert cut_off(ax) == []
    assert covered(ax) == []
    assert words_of(ax) == words_of(plot.panels(chart, frame, "half").axes[0])


@EVERY
def test_negative_numbers_are_not_drawn_and_break_nothing(name):
    frame = CHARTS[name]()
    for column, values in frame.items():
        if isinstance(values.dtype, pd.Int64Dtype):
            frame[column] = values.mask(values.index < 7, -5)
    ax = lay_out(draw(name, frame))
    assert "n = " in caption(ax)
    assert all(bar.get_width() >= 0 and bar.get_height() >= 0 for bar in bars(ax))


@EVERY
def test_chart_can_be_pickled(name):
    ax = draw(name)
    copy = pickle.loads(pickle.dumps(ax.figure))
    copy.canvas.draw()
    assert caption(copy.axes[0]) == caption(ax)
    assert looks(copy.axes[0]) == looks(ax)


@EVERY
def test_chart_of_a_relation_shows_the_same(name):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
    frame = CHARTS[name]()
    expected = draw(name, frame)
    with duckdb.connect() as session:
        ax = draw(name, session.from_arrow(pa.Table.from_pandas(frame, preserve_index=False)))
    said = [text.get_text() for text in shown_texts(ax) if text.get_gid() != "caption"]
    shown = [text.get_text() for text in shown_texts(expected) if text.get_gid() != "caption"]
    assert said == shown
    assert labels(ax) == labels(expected)
    assert caption(ax).partition("Source")[0] == caption(expected).partition("Source")[0]
