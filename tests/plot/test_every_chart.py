"""What every chart promises, whatever it shows."""

from __future__ import annotations

import inspect
import pickle
import re
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pyarrow as pa
import pytest

from dirframe import plot, provenance, stats
from dirframe.charts import base_of
from dirframe.errors import InvalidInputError
from tests.plot.charts import CHARTS, bars, caption, draw, nouns, shown_texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EVERY = pytest.mark.parametrize("name", CHARTS)
SIZES = pytest.mark.parametrize("size", [(3.3, 3.6), (7, 5)], ids=str)

#: Those that one record says nothing of.
OF_SEVERAL = {"compare_groups", "compare_survival", "correlation"}


def halved(name: str) -> pd.DataFrame:
    frame = CHARTS[name]()
    frame["half"] = ["left", "right"] * 20
    return frame


@cache
def drawn(name: str, by: str | None = None) -> Axes:
    """Draw a chart once, for tests that only read it."""
    return draw(name, CHARTS[name]()) if by is None else draw(name, halved(name), by=by)


def test_each_chart_has_the_name_of_its_statistic() -> None:
    assert set(CHARTS) - set(stats.__all__) == {"accounts_map"}  # a second one of the same


@EVERY
def test_a_chart_takes_its_frame_and_everything_else_by_name(name: str) -> None:
    first, *others = inspect.signature(getattr(plot, name)).parameters.values()
    assert first.name in {"accounts", "projects", "frame"}
    assert {other.kind for other in others} == {inspect.Parameter.KEYWORD_ONLY}
    assert {"ax", "backend"} <= {other.name for other in others}


@EVERY
def test_axes_and_strata_of_a_wrong_type_are_refused(name: str) -> None:
    _, several = plt.subplots(1, 2)
    for wrong, kind in ((several, "ndarray"), (5, "int"), (several[0].figure, "Figure")):
        with pytest.raises(InvalidInputError, match=f"ax must be one Axes.*got a {kind}"):
            draw(name, CHARTS[name](), ax=wrong)
    frame = halved(name)
    with pytest.raises(InvalidInputError, match=r"by takes names of columns.*got a Series"):
        draw(name, frame, by=frame["half"])


@SIZES
@EVERY
def test_no_text_is_cut_off_or_covered(name: str, size: tuple[float, float]) -> None:
    figure, ax = plt.subplots(figsize=size)
    draw(name, CHARTS[name](), ax=ax)
    figure.draw_without_rendering()  # all of it is laid out
    check_that_all_is_inside(ax)
    (note,) = (text for text in ax.texts if text.get_gid() == "caption")
    parts = [ax.title, ax.xaxis.label, ax.yaxis.label, note, ax.get_legend()]
    boxes = [part.get_window_extent() for part in parts if part]
    for one, other in combinations((box for box in boxes if box.width), 2):
        assert not one.shrunk(0.98, 0.98).overlaps(other.shrunk(0.98, 0.98))


@EVERY
def test_a_new_figure_shows_all_texts_in_the_style_of_a_paper_too(name: str) -> None:
    with plot.style():
        ax = draw(name, CHARTS[name]())
        ax.figure.canvas.figure.draw_without_rendering()
    check_that_all_is_inside(ax)


@pytest.mark.parametrize(
    "options",
    [{"width": "column"}, {"width": "column", "by": "half"}, {"width": "page", "by": "half"}],
    ids=str,
)
@EVERY
def test_no_text_is_cut_off_or_covered_at_the_width_of_a_column(
    name: str, options: dict[str, Any]
) -> None:
    ax = draw(name, halved(name), **options)
    figure = ax.get_figure(root=True)
    assert figure is not None
    assert figure.get_figwidth() == (3.3 if options["width"] == "column" else 6.85)
    figure.draw_without_rendering()
    check_that_all_is_inside(ax)
    boxes = {text: text.get_window_extent().shrunk(0.9, 0.8) for text in shown_texts(ax)}
    for one, other in combinations(boxes, 2):
        assert not boxes[one].overlaps(boxes[other]), (one, other)
    assert words_of(ax) == words_of(drawn(name, options.get("by")))


def words_of(ax: Axes) -> set[str]:
    """Collect titles, units, legends and captions, without their line breaks."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    texts = [figure.get_suptitle(), figure.get_supxlabel()]
    for panel in figure.axes:
        legend = panel.get_legend()
        notes = [text for text in panel.texts if text.get_gid() == "caption"]
        parts = [panel.title, panel.xaxis.label, panel.yaxis.label, *notes]
        texts += [text.get_text() for text in [*parts, *(legend.get_texts() if legend else [])]]
    return {" ".join(text.split()) for text in texts} - {""}  # inner panels have no unit


def check_that_all_is_inside(ax: Axes) -> None:
    figure = ax.get_figure(root=True)
    assert figure is not None
    inside = figure.bbox.padded(1)
    for text in shown_texts(ax):
        box = text.get_window_extent()
        assert inside.x0 <= box.x0 <= box.x1 <= inside.x1, text
        assert inside.y0 <= box.y0 <= box.y1 <= inside.y1, text


@EVERY
def test_the_caption_says_how_many_records_of_which_source(name: str) -> None:
    said = caption(drawn(name))
    # Of the records of the frame, those that the figures are of.
    size = (
        rf"n = (\d+ of )?40 {nouns(CHARTS[name])}( (with|whose) [a-z ,]+)?"
        r" · Source: A \$directory\$ of <names>"
    )
    assert re.search(size, said)


@EVERY
def test_the_shares_in_the_caption_are_of_the_records_that_were_counted(name: str) -> None:
    make = CHARTS[name]
    table = getattr(stats, name)(make()) if hasattr(stats, name) else None
    if table is None:  # the map draws the same statistic as the bars
        table = stats.accounts_by_country(make())
    record = provenance.get_provenance(table)
    counted, base = record["counted"], record["base"]
    assert base["records"] == counted[base_of(record["steps"][-1])[0]]
    if name in {"language_breakdown", "languages_by_year"}:  # of lines, and of a year's
        return
    if "share" in table and make.__name__ in table:
        shared = table[make.__name__] / table["share"]
        assert (shared[table["share"] > 0].round() == base["records"]).all()


@EVERY
def test_the_unit_stands_on_the_axis_or_the_key(name: str) -> None:
    ax = drawn(name)
    legend = ax.get_legend()
    units = {ax.get_xlabel(), legend.get_title().get_text() if legend else ""} - {""}
    assert units
    assert ax.get_title()


@EVERY
def test_an_axis_says_whether_it_is_logarithmic(name: str) -> None:
    ax = drawn(name)
    for scale, label in (
        (ax.get_xscale(), ax.get_xlabel()),
        (ax.get_yscale(), ax.get_ylabel()),
    ):
        assert (scale in {"log", "symlog"}) == ("logarithmic" in label)


@EVERY
def test_no_records_make_a_tidy_chart_that_says_so(name: str) -> None:
    make = CHARTS[name]
    ax = draw(name, make().iloc[:0])
    ax.figure.canvas.figure.draw_without_rendering()
    assert ax.texts[0].get_text() == f"No {nouns(make)}"
    assert f"n = 0 {nouns(make)}" in caption(ax)
    assert ax.get_title()
    assert not [*ax.patches, *ax.lines, *ax.collections]


@EVERY
def test_one_record_makes_a_chart(name: str) -> None:
    frame = CHARTS[name]().iloc[[9]]
    ax = draw(name, frame)
    ax.figure.canvas.figure.draw_without_rendering()
    if name in OF_SEVERAL:
        assert ax.texts[0].get_text().startswith(("Fewer than two groups", "Too few"))
    else:
        assert [*ax.patches, *ax.lines, *ax.collections]
        assert "n = 1 " in caption(ax)


@EVERY
def test_records_of_which_everything_is_missing_make_a_tidy_chart_that_says_so(name: str) -> None:
    make = CHARTS[name]
    frame = make(3)
    for column in frame.columns.drop(["id", "country_code", "contributor_id"], errors="ignore"):
        frame[column] = pd.Series([None] * 3, dtype=frame[column].dtype)
    ax = draw(name, frame)
    ax.figure.canvas.figure.draw_without_rendering()
    if name == "activity":  # what is not known is a bar of its own
        assert [bar.get_width() for bar in bars(ax)] == [0, 0, 3]
        assert "Unknown: 3 projects without both months." in " ".join(caption(ax).split())
        return
    assert f"None of 3 {nouns(make)} has" in " ".join(ax.texts[0].get_text().split())
    assert not [*ax.patches, *ax.lines, *ax.collections]


@EVERY
def test_negative_numbers_are_not_drawn_and_break_nothing(name: str) -> None:
    frame = CHARTS[name]()
    for column, values in frame.items():
        if isinstance(values.dtype, pd.Int64Dtype):
            frame[column] = values.mask(values.index < 7, -5)
    ax = draw(name, frame)
    ax.figure.canvas.figure.draw_without_rendering()
    assert ax.get_title()


@EVERY
def test_nothing_is_read_as_mathematics_or_markup(name: str) -> None:
    ax = drawn(name)
    legend = ax.get_legend()
    texts = [*ax.texts, ax.title, ax.xaxis.label, ax.yaxis.label, *ax.get_yticklabels()]
    for text in [*texts, *(legend.get_texts() if legend else [])]:
        assert not text.get_usetex()
        assert not text.get_parse_math() or "$" not in text.get_text()


@EVERY
def test_a_chart_draws_on_the_axes_it_is_given_and_changes_nothing_global(name: str) -> None:
    figure, (left, right) = plt.subplots(1, 2)
    plt.sca(left)
    before = dict(mpl.rcParams)
    frame = CHARTS[name]()
    copy = frame.copy(deep=True)
    assert draw(name, frame, ax=right) is right
    assert plt.gca() is left
    assert dict(mpl.rcParams) == before
    assert plt.get_fignums() == [figure.number]
    assert len(figure.axes) == 2
    assert not [*left.patches, *left.lines, *left.collections]
    pd.testing.assert_frame_equal(frame, copy)


@EVERY
def test_a_chart_can_be_pickled(name: str) -> None:
    ax = drawn(name)
    copy = pickle.loads(pickle.dumps(ax.figure))
    copy.canvas.draw()
    assert caption(copy.axes[0]) == caption(ax)


@EVERY
def test_a_frame_without_the_columns_is_refused_and_leaves_no_figure_behind(name: str) -> None:
    with pytest.raises(InvalidInputError, match=r"Pass a frame of dirframe|DataFrame"):
        draw(name, [1] if name in {"licenses", "tags"} else pd.DataFrame({"some": [1]}))  # type: ignore[arg-type]  # what is refused
    assert plt.get_fignums() == []


@EVERY
def test_a_chart_of_a_relation_shows_the_same(name: str) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is an extra")
    frame = CHARTS[name]()
    expected = draw(name, frame)  # a new one: ticks of one that was laid out can differ
    with duckdb.connect() as session:
        ax = draw(name, session.from_arrow(pa.Table.from_pandas(frame, preserve_index=False)))
    source = caption(expected)[caption(expected).index("Source") :]
    said = [text.get_text() for text in shown_texts(ax) if text.get_gid() != "caption"]
    shown = shown_texts(expected)
    assert said == [text.get_text() for text in shown if text.get_gid() != "caption"]
    assert caption(ax).replace("Source: not recorded", source) == caption(expected)
