"""What every chart promises, in more sizes and styles, in panels, and of a relation."""

from contextlib import nullcontext
from functools import partial

import matplotlib.pyplot as plt
import pyarrow as pa
import pytest

from dirframe import plot
from tests.charts import CHARTS, covered, cut_off, draw, lay_out, looks, shown_texts, words_of
from tests.plot.test_every_chart import check_width_of_a_column

EVERY = pytest.mark.parametrize("name", CHARTS)


@pytest.mark.parametrize(
    ("size", "style"),
    [
        ((3.3, 3.6), nullcontext),
        ((12, 4), nullcontext),
        (None, plot.style),
        (None, partial(plt.style.context, "dark_background")),
    ],
    ids=["small", "wide", "publications", "dark"],
)
@EVERY
def test_chart_has_all_texts_whole_in_any_size_and_style(name, size, style):
    with style():
        ax = lay_out(draw(name, ax=plt.figure(figsize=size).subplots() if size else None))
    assert cut_off(ax) == []
    assert covered(ax) == []


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
def test_chart_of_a_relation_shows_the_same(name):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
    frame = CHARTS[name]()
    with duckdb.connect() as session:
        ax = draw(name, session.from_arrow(pa.Table.from_pandas(frame, preserve_index=False)))
    both = [shown_texts(one) for one in (ax, draw(name, frame))]
    said, shown = ([t.get_text() for t in texts if t.get_gid() != "caption"] for texts in both)
    assert said == shown


@EVERY
def test_chart_of_a_stream_that_can_be_read_once_shows_the_same(name):
    frame = CHARTS[name]()
    table = pa.Table.from_pandas(frame, preserve_index=False)
    assert looks(draw(name, table.to_reader())) == looks(draw(name, frame))


@EVERY
def test_chart_has_all_texts_whole_at_the_width_of_a_column(name):
    check_width_of_a_column(name)
    one = lay_out(draw(name, CHARTS[name]().iloc[[9]], width="column"))
    assert cut_off(one) == []
