"""What every chart promises, whatever it shows; its n is that of the figures it draws."""

import re
from functools import cache

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

import dirframe
from dirframe import plot, provenance, stats
from dirframe.charts import CHARTS as TITLES
from dirframe.errors import ColumnsNotSentError, InvalidInputError
from tests import charts, frames
from tests.cases import slow_except
from tests.charts import CHARTS, caption, draw, labels, lay_out, noun, words
from tests.frames import FETCHED, FIRST, LANGUAGE, LAST, LINES, PEOPLE, projects, with_provenance

NAMED = ["accounts_map", "growth", "language_share", "languages_by_year", "life_span", "lorenz"]
#: A map, steps, bars, and axes whose aspect is fixed.
FOUR = ["accounts_map", "growth", "language_share", "lorenz"]
EVERY = pytest.mark.parametrize("name", slow_except(CHARTS, FOUR))
#: A map, a line and bars, for what a figure is asked in several ways.
SOME = pytest.mark.parametrize(
    "name", slow_except(NAMED, ["accounts_map", "growth", "language_share"])
)


@cache
def drawn(name):
    """Draw each chart once, in its usual size."""
    return lay_out(draw(name))


def marks(ax):
    return [m for a in (ax, *ax.child_axes) for m in (*a.patches, *a.lines, *a.collections)]


def test_chart_has_the_name_of_its_statistic():
    others = {"panels", "style"}
    assert set(CHARTS) == set(plot.__all__) - others
    assert set(CHARTS) - set(stats.__all__) == {"accounts_map"}  # a second one of the same


@EVERY
def test_chart_on_given_axes_changes_nothing_else(name):
    _, (ax, other) = plt.subplots(1, 2, figsize=(9, 5))
    plt.sca(other)

    def state():
        artists = len(other.get_children()), len(charts.figure(ax).axes)
        return dict(mpl.rcParams), plt.get_fignums(), plt.gca(), artists

    formula = ax.text(0.5, 0.5, "$x^2$", transform=ax.transAxes)
    frame, before = CHARTS[name](), state()
    copy = frame.copy(deep=True)
    assert draw(name, frame, ax=ax) is ax
    assert state() == before
    assert formula.get_parse_math()
    pd.testing.assert_frame_equal(frame, copy)


@SOME
def test_chart_on_given_axes_has_all_texts_whole(name):
    """The slow tests have every chart, in several sizes."""
    _, (ax, _) = plt.subplots(1, 2, figsize=(9, 5))
    assert charts.cut_off(lay_out(draw(name, ax=ax))) == []


@EVERY
def test_chart_says_title_unit_scale_and_source(name):
    ax = drawn(name)
    # The heading of a list of charts is that of the chart; some add of what it is.
    assert charts.title(ax).startswith(TITLES[name].title)
    has_scale = ax.get_xlabel() or ax.get_legend()
    assert has_scale or all(charts.labels(ax))  # else numbers stand beside the bars
    assert "Source: A $directory$ of <names>" in caption(ax)
    axes = (ax.xaxis, ax.yaxis)
    is_log = [axis.get_scale() in {"log", "symlog"} for axis in axes]
    assert ["logarithmic" in axis.get_label_text() for axis in axes] == is_log
    # Nothing is read as mathematics or markup.
    texts = charts.shown_texts(ax)
    assert [text.get_text() for text in texts if text.get_usetex()] == []
    formulas = [text.get_text() for text in texts if text.get_parse_math()]
    assert [formula for formula in formulas if "$" in formula] == []


@SOME
def test_chart_has_all_texts_whole_at_the_width_of_a_column(name):
    """The slow tests have every chart."""
    check_width_of_a_column(name)


def check_width_of_a_column(name):
    ax = lay_out(draw(name, width="column"))
    assert charts.figure(ax).get_figwidth() == 3.3
    assert charts.cut_off(ax) == []
    assert charts.cut_off(drawn(name)) == []
    assert charts.covered(ax) == []
    assert charts.words_of(ax) == charts.words_of(drawn(name))


@pytest.mark.parametrize("name", slow_except(CHARTS, [*FOUR, "life_span"]))
def test_chart_of_nothing_says_why_and_one_record_is_shown(name):
    one = draw(name, CHARTS[name]().iloc[[9]], width="column")
    assert marks(one)
    assert size_in(caption(one)) == (1, 1)
    if name in NAMED:  # the slow tests have every chart
        assert charts.cut_off(lay_out(one)) == []
    frame = CHARTS[name](3)
    empty = draw(name, frame.iloc[:0])
    assert charts.title(empty)
    assert labels(empty) == [f"No {noun(name)}"]
    assert caption(empty).startswith(f"0 {noun(name)}. ")
    assert not marks(empty)
    for column in frame.columns.drop(["id", "country_code", "contributor_id"], errors="ignore"):
        frame[column] = pd.Series([None] * 3, dtype=frame[column].dtype)
    missing = draw(name, frame)
    assert charts.title(missing)
    if name in {"activity", "license_families"}:  # what is not known is a bar of its own
        assert charts.bars(missing)[-1].get_width() == 3
    else:
        assert f"Of 3 {noun(name)}, none " in words(labels(missing)[0])
        assert not marks(missing)


@EVERY
def test_chart_refuses_wrong_records_and_options_without_leaving_a_figure(name):
    with pytest.raises(InvalidInputError):
        draw(name, [1])
    with pytest.raises(TypeError, match=r"'titel'\. Did you mean 'title'\?"):
        draw(name, titel="Our title")
    assert plt.get_fignums() == []


#: What makes an object that a chart cannot be drawn on.
WRONG_AXES = {
    "two axes": lambda: plt.subplots(1, 2)[1],
    "a number": lambda: 5,
    "a figure": plt.figure,
}


@SOME
@pytest.mark.parametrize("wrong", WRONG_AXES)
def test_chart_refuses_wrong_axes_without_a_new_figure(name, wrong):
    axes = WRONG_AXES[wrong]()
    before = plt.get_fignums()
    with pytest.raises(InvalidInputError):
        draw(name, ax=axes)
    assert plt.get_fignums() == before


def test_chart_names_the_option_that_was_meant():
    with pytest.raises(TypeError, match=r"^tags\(\).*'limit'\. Did you mean 'top'\?"):
        plot.tags(projects(), limit=3)
    with pytest.raises(TypeError, match="Did you mean 'cumulative'"):  # of the chart alone
        plot.growth(projects(), cumulativ=True)
    with pytest.raises(TypeError, match=r"^accounts_map\(\).*'top'\.$"):  # of its statistic alone
        plot.accounts_map(frames.accounts(), top=3)


# The number of records

#: The columns that a record needs to be in the figures of a chart.
NEEDED = {
    "accounts_by_country": ["country_code"],
    "accounts_by_kudo_rank": ["kudo_score_kudo_rank"],
    "accounts_map": ["country_code"],
    "activity": [FIRST, LAST, FETCHED],
    "commits_by_contributor": ["commits"],
    "contributor_distribution": [PEOPLE],
    "contributors_by_language": [LANGUAGE, PEOPLE],
    "growth": ["created_at"],
    "language_breakdown": ["analysis_languages", LINES],
    "language_share": [LANGUAGE],
    "languages_by_year": [LANGUAGE, FIRST],
    "license_families": [],  # none is a bar of its own
    "licenses": ["licenses"],
    "life_span": [FIRST, LAST],
    "lorenz": [PEOPLE],
    "monthly_activity": ["month"],
    "posts_distribution": ["posts_count"],
    "survival": [FIRST, LAST, FETCHED],
    "tags": ["tags"],
    "team_size_classes": [PEOPLE],
    "users_against_contributors": ["stack_count", PEOPLE],
}
#: Their captions name more than the records that are not shown, or some of them twice.
NAME_MORE = {"license_families", "life_span", "monthly_activity", "users_against_contributors"}


def shown(name, frame):
    """Count the records in the figures of a chart, in plain pandas."""
    return int(frame[NEEDED[name]].notna().all(axis=1).sum())


def with_gaps(name):
    """Make a frame in which each column lacks other values, so that each n is one of its own."""
    frame = CHARTS[name](60)
    together = {"country_code", "country_alpha_2", "country_name"}
    for place, column in enumerate(frame.columns.drop("id", errors="ignore"), 5):
        # What is one fact in several columns is missing at once.
        step = 5 if column in together else place
        frame[column] = frame[column].mask(frame.index % step == 1)
    return frame


def size_in(text):
    """Read how many records a caption or title says that there are, and of how many."""
    count, of = re.search(r"(?:n = |^|All )([\d,]+)(?: of ([\d,]+))?", text).groups()
    count, of = (int(number.replace(",", "")) for number in (count, of or count))
    return count, of


@EVERY
def test_caption_says_n_of_the_figures_and_where_the_records_are_from(name):
    frame = with_gaps(name)
    with_provenance(frame, items_loaded=60, items_available=12_360, complete=False, synthetic=True)
    said = caption(draw(name, frame))
    assert "Source: A $directory$ of <names>" in said
    assert "synthetic" in said
    assert "incomplete: 60 of 12,360" in said
    assert size_in(said) == (shown(name, frame), 60)
    if name not in NAME_MORE:
        gone = re.search("(Not shown|Unknown): (.*?)[.]", said)[2]
        assert sum(map(int, re.findall(r"\d+", gone))) == 60 - shown(name, frame)


def test_caption_says_by_what_the_records_were_selected():
    found = with_provenance(projects(), query={"query": "linux $kernel$"})
    chosen = dirframe.select(dirframe.select(found, languages=["C", "Java"]), years=(2000, None))
    said = caption(plot.licenses(chosen))
    assert "“linux $kernel$”" in said
    assert "only main language C or Java" in said
    assert "only year of creation from 2000" in said
    own = with_provenance(projects(), selection=["iOS apps"])
    assert "Source: A $directory$ of <names> · iOS apps · " in caption(plot.licenses(own))
    panels = plot.panels(plot.licenses, chosen, "language")
    assert "only main language C or Java" in caption(panels.axes[0])
    assert "main language" not in caption(plot.licenses(found))


@pytest.mark.parametrize("name", slow_except(NAMED, ["growth", "language_share"]))
def test_panels_have_their_own_n_the_figure_their_sum_and_what_is_excluded(name):
    left = with_provenance(with_gaps(name).drop([4, 6, 9]), excluded={"duplicate_id": 3})
    said = caption(draw(name, left))
    assert size_in(said) == (shown(name, left), 57)
    assert "3 excluded (duplicate_id" in said
    frame = with_provenance(with_gaps(name), excluded={"duplicate_id": 3})
    frame["part"] = ["left"] * 40 + ["right"] * 20
    parts = [frame[frame["part"] == part] for part in ("left", "right")]
    figure = plot.panels(getattr(plot, name), frame, "part")
    titles = [ax.get_title("left") for ax in figure.axes]
    assert [title.split()[0] for title in titles] == ["left", "right"]
    expected = [(shown(name, part), len(part)) for part in parts]
    assert [size_in(title) for title in titles] == expected
    said = caption(figure.axes[0])
    assert size_in(said) == (sum(count for count, _ in expected), 60)
    assert f" 60 {noun(name)}" in said
    assert "3 excluded" in said
    assert "Source: A $directory$ of <names>" in said
    assert "by part" in figure.get_suptitle()
    # All have the same axes.
    figure.draw_without_rendering()
    assert len({(ax.get_xlim(), *ax.get_xticks()) for ax in figure.axes}) == 1


@pytest.mark.parametrize("name", slow_except(["tags", "languages_by_year", "survival"], ["tags"]))
@pytest.mark.parametrize("column", slow_except(["license", "license_family"], ["license"]))
def test_panels_that_share_records_say_so_and_count_each_once(name, column):
    licences = [[{"name": "gpl3"}, {"name": "mit"}], [{"name": "mit"}], None, [{"name": "gpl3"}]]
    frame = with_provenance(projects(licenses=licences * 10))
    figure = plot.panels(getattr(plot, name), frame, column)
    said = caption(figure.axes[0])
    assert size_in(said) == size_in(provenance.caption(getattr(stats, name)(frame)))
    assert "A record that belongs to several parts is in each of them." in said


@pytest.mark.parametrize(
    "name",
    slow_except(
        ["language_share", "accounts_by_country", "monthly_activity"],
        ["accounts_by_country", "monthly_activity"],
    ),
)
def test_panels_of_a_frame_without_provenance_know_what_its_records_are(name):
    frame = CHARTS[name]().assign(half=["left", "right"] * 20)
    frame.attrs = {}
    figure = plot.panels(getattr(plot, name), frame, "half")
    assert f"40 {noun(name)}" in caption(figure.axes[0])


def test_panels_refuse_a_column_that_was_not_sent():
    frame = projects(part=["left", "right"] * 20)
    frame[PEOPLE] = frame[PEOPLE].mask(frame.index >= 0)
    with pytest.raises(ColumnsNotSentError) as caught:
        plot.panels(plot.lorenz, with_provenance(frame, not_sent=[PEOPLE]), "part")
    assert caught.value.columns == (PEOPLE,)
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    "name",
    slow_except(
        ["contributors_by_language", "language_share", "languages_by_year"], ["language_share"]
    ),
)
def test_project_without_an_analysis_is_left_out_for_that_reason(name):
    frame = projects(analysis_id=["1"] * 38 + [None] * 2)
    frame.loc[frame.index[35:], LANGUAGE] = None
    without = int(frame[LANGUAGE].isna().sum()) - 2
    said = f"2 projects without an analysis, {without} without a main language"
    assert said in caption(draw(name, frame))
