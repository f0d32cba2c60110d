"""The charts of languages, checked by what is drawn."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from dirframe import plot, provenance, stats
from dirframe.errors import InvalidInputError, MissingGlyphsWarning
from tests.plot import charts

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    Chart = Callable[..., Axes]

BOTH = pytest.mark.parametrize("chart", [plot.language_share, plot.contributors_by_language])


def projects(*rows: tuple[str | None, int | None], **facts: object) -> pd.DataFrame:
    """Make projects of (main language, contributors in twelve months)."""
    frame = pd.DataFrame(
        {
            "analysis_main_language_name": pd.Series([r[0] for r in rows], dtype="str"),
            "analysis_total_code_lines": pd.Series([100] * len(rows), dtype="Int64"),
            "analysis_twelve_month_contributor_count": pd.Series(
                [r[1] for r in rows], dtype="Int64"
            ),
        }
    )
    return provenance.set_provenance(frame, **facts) if facts else frame


FEW = projects(("C", 0), ("C", 4), ("C", 9), ("Java", 2), ("Java", 3), ("Lua", 1), (None, None))
MANY = projects(*((f"Language {n}", n) for n in range(30) for _ in range(30 - n)))
NAMES = [
    "<script>alert(1)</script>",
    "$x^2$ & C#_%",
    "Язык программирования",
    "Γλώσσα",
    "A very long language name that goes on and on, from the Institute of Endless Names",
    "Averylonglanguagenamewithoutasingleblankinit" * 3,
]
ODD = projects(*((name, 1) for name in NAMES), source="A $directory$ <of> names" * 3)


def names(ax: Axes) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def bars(ax: Axes) -> list[Rectangle]:
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def caption(ax: Axes) -> str:
    (text,) = (t.get_text() for t in ax.texts if t.get_gid() == "caption")
    return " ".join(text.split())


def labels(ax: Axes) -> list[str]:
    return [t.get_text() for t in ax.texts if t.get_gid() != "caption"]


def shown_texts(ax: Axes) -> list[Text]:
    """Return the texts that are drawn; an axis has ticks beyond its limits that are not."""
    left, right = ax.get_xlim()
    unseen = {
        id(label) for label in ax.get_xticklabels() if not left <= label.get_position()[0] <= right
    }
    assert ax.figure is not None
    texts: list[Any] = ax.figure.findobj(Text)
    return [t for t in texts if t.get_visible() and t.get_text() and id(t) not in unseen]


def test_the_bars_are_the_counts_from_the_most_to_the_least() -> None:
    ax = plot.language_share(FEW)
    assert names(ax) == ["C", "Java", "Lua"]
    assert [bar.get_width() for bar in bars(ax)] == [3, 2, 1]
    assert [bar.get_y() + bar.get_height() / 2 for bar in bars(ax)] == pytest.approx([0, 1, 2])
    bottom, top = ax.get_ylim()
    assert bottom > top
    assert labels(ax) == ["3 (50.0%)", "2 (33.3%)", "1 (16.7%)"]


def test_the_quartiles_the_median_and_the_maximum_are_those_of_the_statistic() -> None:
    ax = plot.contributors_by_language(FEW)
    table = stats.contributors_by_language(FEW)
    assert names(ax) == table["language"].tolist() == ["C", "Java", "Lua"]
    edges = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars(ax)]
    assert edges == list(zip(table["lower_quartile"], table["upper_quartile"], strict=True))
    (median,) = (line for line in ax.lines if line.get_label() == "median")
    assert np.asarray(median.get_xdata()).tolist() == table["median"].tolist() == [4, 2.5, 1]
    assert np.asarray(median.get_ydata()).tolist() == [0, 1, 2]
    (maximum,) = (line for line in ax.lines if line.get_label() != "median")
    assert np.asarray(maximum.get_xdata()).tolist() == [9, 3, 1]
    assert ax.get_xscale() == "symlog"
    left, right = ax.get_xlim()
    assert left < 0
    assert right > 9


def test_few_projects_are_pale_and_a_median_has_its_interval_where_there_is_one() -> None:
    people = [("C", number) for number in range(12)] + [("Lua", 3)] * 6 + [("Ada", 9)] * 5
    frame = pd.DataFrame(
        {
            "analysis_main_language_name": [name for name, _ in people],
            "analysis_twelve_month_contributor_count": [number for _, number in people],
            "analysis_total_code_lines": [1000] * len(people),
        }
    )
    for chart in (plot.contributors_by_language, plot.contributors_per_thousand_lines):
        ax = chart(frame)
        table = getattr(stats, chart.__name__)(frame).set_index("language")
        alphas = {name: bar.get_alpha() for name, bar in zip(names(ax), bars(ax), strict=True)}
        assert alphas == {"C": None, "Lua": 0.3, "Ada": 0.3}
        assert "Pale: languages with fewer than 10 projects." in caption(ax)
        (intervals,) = (c for c in ax.collections if c.get_gid() == "interval")
        ends = [np.asarray(path.vertices)[:, 0].tolist() for path in intervals.get_paths()]
        drawn = {
            name: pair for name, pair in zip(names(ax), ends, strict=True) if pair[0] == pair[0]
        }
        low, high = (table[name].to_dict() for name in ("median_low", "median_high"))
        assert drawn == {name: [low[name], high[name]] for name in ("C", "Lua")}
        assert drawn["C"] == [2, 9]
        assert "95% confidence interval" in caption(ax)


def test_the_names_of_all_rows_have_one_size() -> None:
    frame = charts.projects()
    for chart in (plot.licenses, plot.tags, plot.life_span):
        labels_of_rows = chart(frame).get_yticklabels()
        assert any("\n" in label.get_text() for label in labels_of_rows)
        assert len({label.get_fontsize() for label in labels_of_rows}) == 1


def test_the_columns_beside_the_rows_hold_median_sum_and_number() -> None:
    ax = plot.contributors_by_language(FEW)
    assert labels(ax)[:4] == ["median", "4", "2.5", "1"]
    assert labels(ax)[4:8] == ["people", "13", "5", "1"]
    assert labels(ax)[8:] == ["projects", "3", "2", "1"]


def test_narrow_axes_get_fewer_columns() -> None:
    _, ax = plt.subplots(figsize=(2, 3))
    assert "median" not in labels(plot.contributors_by_language(FEW, ax=ax))
    assert "projects" in labels(ax)


@BOTH
def test_the_unit_stands_on_the_axis_and_the_title_says_what_is_shown(chart: Chart) -> None:
    ax = chart(FEW)
    unit = {
        plot.language_share: "Projects (share",
        plot.contributors_by_language: "People per project",
    }
    assert unit[chart] in ax.get_xlabel()
    assert "main language" in ax.get_title()


@BOTH
def test_the_others_are_one_hatched_row_at_the_bottom(chart: Chart) -> None:
    ax = chart(MANY, top=5)
    assert len(names(ax)) == 6
    assert names(ax)[-1] == "other (25 languages)"
    assert [bool(bar.get_hatch()) for bar in bars(ax)] == [False] * 5 + [True]


@BOTH
def test_all_languages_are_shown_when_asked_for(chart: Chart) -> None:
    assert len(names(chart(MANY, top=None))) == 30


@BOTH
def test_twenty_languages_are_shown_when_nothing_is_said(chart: Chart) -> None:
    assert len(names(chart(MANY))) == 21


@BOTH
def test_a_language_has_the_same_colour_in_every_chart(chart: Chart) -> None:
    ax = chart(FEW)
    colours = dict(zip(names(ax), (to_hex(bar.get_facecolor()) for bar in bars(ax)), strict=True))
    assert colours == {name: plot.language_colour(name).lower() for name in ("C", "Java", "Lua")}


def test_what_is_left_out_stands_in_the_caption() -> None:
    assert "Not shown: 1 project without a main language." in caption(plot.language_share(FEW))
    frame = projects(("C", 1), ("C", -3), ("D", None), (None, 5), (None, None))
    assert (
        "Not shown: 2 projects without a main language, 2 without a valid contributor count."
        in caption(plot.contributors_by_language(frame))
    )
    assert "Not shown" not in caption(plot.language_share(projects(("C", 1))))


@BOTH
def test_size_source_day_and_kind_of_data_stand_in_the_caption(chart: Chart) -> None:
    frame = projects(
        *[("C", 1)] * 1500,
        source="A directory",
        resource="project",
        items_loaded=1500,
        items_available=12360,
        complete=False,
        synthetic=True,
        retrieved_oldest="2026-11-21T09:00:00Z",
    )
    assert caption(chart(frame)).endswith(
        "n = 1,500 projects · Source: A directory, retrieved 2026-11-21 · "
        "synthetic sample data · incomplete: 1,500 of 12,360 loaded"
    )


def test_thousands_are_separated_on_bars_and_axis() -> None:
    ax = plot.language_share(projects(*[("C", 1)] * 2000, ("D", 1)))
    ax.figure.canvas.figure.draw_without_rendering()
    assert labels(ax) == ["2,000 (>99.9%)", "1 (<0.1%)"]
    ticks = {tick.get_text() for tick in ax.get_xticklabels()}
    assert {"0", "1,000", "2,000"} <= ticks


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "No projects"),
        ([(None, None)], "None of 1 project has a main language"),
        ([(None, 1)] * 3, "None of 3 projects has a main language"),
    ],
)
@BOTH
def test_a_chart_of_nothing_says_so(chart: Chart, rows: list[Any], said: str) -> None:
    ax = chart(projects(*rows))
    ax.figure.canvas.figure.draw_without_rendering()
    assert labels(ax) == [said]
    assert ax.get_title()
    size = f"0 of {len(rows)}" if rows else "0"
    assert caption(ax).startswith(f"n = {size} project")
    assert not bars(ax)


def test_a_chart_without_any_contributor_count_says_so() -> None:
    ax = plot.contributors_by_language(projects(("C", None), ("D", -1)))
    assert labels(ax) == ["None of 2 projects has a valid contributor count"]


def test_a_language_without_a_count_keeps_its_row_and_has_no_mark() -> None:
    ax = plot.contributors_by_language(projects(("C", 1), ("C", 2), ("D", None)))
    assert names(ax) == ["C", "D"]
    assert len(bars(ax)) == 1
    assert labels(ax).count("–") == 2


@BOTH
def test_one_project_makes_a_chart(chart: Chart) -> None:
    ax = chart(projects(("C", 0)))
    ax.figure.canvas.figure.draw_without_rendering()
    assert names(ax) == ["C"]


@BOTH
def test_names_are_shown_as_they_are(chart: Chart) -> None:
    ax = chart(ODD, top=None)
    ax.figure.canvas.figure.draw_without_rendering()
    for name in NAMES[:4]:
        assert name in names(ax)
    assert all(not t.get_parse_math() and not t.get_usetex() for t in ax.get_yticklabels())
    assert "A $directory$ <of> names" in caption(ax)
    long = next(name for name in names(ax) if name.startswith("A very long"))
    assert long == "A very long language name that\ngoes on and on, from the…"


@pytest.mark.parametrize("frame", [MANY, ODD, FEW], ids=["many", "odd", "few"])
@pytest.mark.parametrize("size", [(3.4, 3.6), (6.4, 4.8), (10, 7)], ids=str)
@BOTH
def test_no_text_is_cut_off_and_no_two_names_overlap(
    chart: Chart, size: tuple[float, float], frame: pd.DataFrame
) -> None:
    figure, ax = plt.subplots(figsize=size)
    chart(frame, ax=ax, top=12)
    figure.draw_without_rendering()
    inside = figure.bbox.padded(1)
    for text in shown_texts(ax):
        box = text.get_window_extent()
        assert inside.x0 <= box.x0 <= box.x1 <= inside.x1, text
        assert inside.y0 <= box.y0 <= box.y1 <= inside.y1, text
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    for upper, lower in pairwise(boxes):
        assert upper.y0 >= lower.y1 - 0.35 * lower.height


@BOTH
def test_a_new_figure_grows_with_its_rows_and_shows_all_texts(chart: Chart) -> None:
    ax = chart(MANY, top=None)
    figure = ax.figure
    figure.canvas.figure.draw_without_rendering()
    assert figure.bbox.height > chart(FEW).figure.bbox.height * 2
    for text in shown_texts(ax):
        box = text.get_window_extent()
        assert -1 <= box.x0 <= box.x1 <= figure.bbox.x1 + 1, text


@BOTH
def test_a_script_without_a_font_is_a_warning_and_no_error(chart: Chart) -> None:
    with pytest.warns(MissingGlyphsWarning, match="No installed font has 1 character"):
        chart(projects(("𒀀", 1))).figure.canvas.draw()  # cuneiform: no usual font has it


@BOTH
def test_bad_input_is_refused_as_the_statistic_refuses_it(chart: Chart) -> None:
    with pytest.raises(InvalidInputError, match="load_projects"):
        chart(pd.DataFrame({"id": ["1"]}))
    with pytest.raises(InvalidInputError, match="top is 0"):
        chart(FEW, top=0)
    assert plt.get_fignums() == []


def test_the_colours_of_languages_differ_in_greyscale_from_the_page() -> None:
    named = ["Java", "C", "C++", "Python", "PHP", "JavaScript", "C#", "Perl", "Ruby", "Lua"]
    colours = [mpl.colors.to_rgb(plot.language_colour(name)) for name in named]
    assert len(set(colours)) == len(named)
    for red, green, blue in colours:
        assert 0.299 * red + 0.587 * green + 0.114 * blue < 0.82
