"""The n of a caption is the number of records that the drawn figures were computed from."""

import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from dirframe import plot, stats
from dirframe.errors import ColumnsNotSentError, MissingColumnsError
from tests.charts import CHARTS, EIGHT, caption, draw, looks, noun
from tests.frames import LANGUAGE, LINES, PEOPLE, projects, with_provenance

SOME = pytest.mark.parametrize("name", EIGHT)


def summed(column):
    return lambda table, _: int(table[column].sum())


def with_valid(column):
    return lambda _, frame: int((frame[column] >= 0).sum())


def with_entries(column):
    return lambda _, frame: int(frame[column].notna().sum())


def of_known_activity(table, _):
    return int(table["projects"][table["activity"].isin(["active", "dormant"])].sum())


def with_breakdown(_, frame):
    return int((frame["analysis_languages"].notna() & frame[LINES].ge(0)).sum())


#: How many records stand in what a chart draws, by its table or by the frame: not by its record.
COMPUTED_FROM = {
    "accounts_by_country": summed("accounts"),
    "accounts_by_kudo_rank": summed("accounts"),
    "accounts_map": summed("accounts"),
    "activity": of_known_activity,
    "commits_by_contributor": with_valid("commits"),
    "contributor_distribution": summed("projects"),
    "contributors_by_language": summed("projects_counted"),
    "growth": summed("new"),
    "language_breakdown": with_breakdown,
    "language_share": summed("projects"),
    "languages_by_year": summed("projects"),
    "license_families": lambda _, frame: len(frame),
    "licenses": with_entries("licenses"),
    "life_span": lambda table, _: len(table),
    "lorenz": with_valid(PEOPLE),
    "monthly_activity": with_entries("month"),
    "posts_distribution": summed("accounts"),
    "survival": lambda table, _: int((table["ended"] + table["censored"]).sum()),
    "tags": with_entries("tags"),
    "team_size_classes": summed("projects"),
    "users_against_contributors": summed("projects"),
}


#: Their shares are of lines, or of the projects of a year.
OF_OTHERS = {"language_breakdown", "languages_by_year"}


def with_gaps(name):
    """Make a frame in which each column lacks other values, so that each n is one of its own."""
    frame = CHARTS[name](60)
    together = {"country_code", "country_alpha_2", "country_name"}
    for place, column in enumerate(frame.columns.drop("id", errors="ignore"), 5):
        # What is one fact in several columns is missing at once.
        step = 5 if column in together else place
        frame[column] = frame[column].astype(frame[column].dtype).mask(frame.index % step == 1)
    return frame


def table_of(name, frame):
    return getattr(stats, "accounts_by_country" if name == "accounts_map" else name)(frame)


def computed(name, frame):
    return COMPUTED_FROM[name](table_of(name, frame), frame)


def size_in(text):
    """Read how many records a caption or title says that there are, and of how many."""
    count, of = re.search(r"n = ([\d,]+)(?: of ([\d,]+))?", text).groups()
    count, of = (int(number.replace(",", "")) for number in (count, of or count))
    return count, of


@pytest.mark.parametrize("name", CHARTS)
def test_caption_says_n_of_the_figures_and_where_the_records_are_from(name):
    frame = with_gaps(name)
    facts = {
        "items_loaded": 60,
        "items_available": 12_360,
        "complete": False,
        "synthetic": True,
        "retrieved_oldest": "2026-11-21T09:00:00Z",
    }
    said = caption(draw(name, with_provenance(frame, **facts)))
    expected = computed(name, frame)
    if name == "license_families":  # none is a bar of its own
        assert expected == 60
    else:
        assert 0 < expected < 60
        assert f"of 60 {noun(name)}" in said
    assert size_in(said) == (expected, 60)
    _, _, origin = said.partition("Source: A $directory$ of <names>")
    for fact in ("2026-11-21", "synthetic", "incomplete", "60 of 12,360"):
        assert fact in origin
    table = table_of(name, frame)
    if {"share", noun(name)} <= {*table} and name not in OF_OTHERS:
        known = table[table["share"] > 0]
        assert (known[noun(name)] / known["share"]).round().eq(expected).all()


@SOME
def test_records_that_were_excluded_are_in_no_n_and_are_said(name):
    left = with_provenance(with_gaps(name).drop([4, 6, 9]), excluded={"duplicate_id": 3})
    said = caption(draw(name, left))
    assert size_in(said) == (computed(name, left), 57)
    assert "3 excluded (duplicate_id" in said


@SOME
def test_each_panel_has_its_own_n_and_the_figure_their_sum(name):
    frame = with_provenance(with_gaps(name), excluded={"duplicate_id": 3})
    frame["part"] = ["left"] * 40 + ["right"] * 20
    parts = [frame[frame["part"] == part] for part in ("left", "right")]
    drawn = plot.panels(getattr(plot, name), frame, "part")
    panels = drawn.axes
    titles = [ax.get_title() for ax in panels]
    assert [title.split()[0] for title in titles] == ["left", "right"]
    expected = [(computed(name, part), len(part)) for part in parts]
    assert [size_in(title) for title in titles] == expected
    said = caption(panels[0])
    assert size_in(said) == (sum(count for count, _ in expected), 60)
    assert f"of 60 {noun(name)}" in said
    assert "3 excluded" in said
    assert "Source: A $directory$ of <names>" in said
    assert "by part" in drawn.get_suptitle()
    # All have the same axes.
    drawn.draw_without_rendering()
    assert len({(ax.get_xlim(), *ax.get_xticks()) for ax in panels}) == 1


def test_panels_of_a_frame_without_provenance_know_what_its_records_are():
    for name in ("language_share", "accounts_by_country", "monthly_activity"):
        frame = CHARTS[name]().assign(half=["left", "right"] * 20)
        frame.attrs = {}
        drawn = plot.panels(getattr(plot, name), frame, "half")
        assert f"n = 40 {noun(name)}" in re.sub(r"\d+ of ", "", caption(drawn.axes[0]))


# What was not loaded, or not sent, is never said to be missing


#: Of each way of reading a column: numbers, names, dates, lists, one of two, of other records.
READ = [
    *("accounts_by_country", "contributors_by_language", "language_breakdown", "language_share"),
    *("licenses", "life_span", "monthly_activity", "tags", "users_against_contributors"),
]


def refused(name, frame, whole):
    """Draw a frame that lacks a column; without a refusal it has to look as with the column."""
    try:
        ax = draw(name, frame)
    except (ColumnsNotSentError, MissingColumnsError) as error:
        assert plt.get_fignums() == []
        return set(error.columns)
    assert looks(ax) == whole
    plt.close()
    return set()


@pytest.mark.parametrize("name", READ)
def test_column_that_is_not_there_is_refused_by_its_name_or_not_drawn(name):
    frame = CHARTS[name](30)
    whole = looks(draw(name, frame))
    plt.close()
    needed = {c for c in frame if c in refused(name, frame.drop(columns=c), whole)}
    assert needed
    for column in needed:
        empty = frame.assign(**{column: pd.Series([None] * 30, dtype=frame[column].dtype)})
        assert column in refused(name, with_provenance(empty, not_sent=[column]), whole)


def test_panels_refuse_a_column_that_was_not_sent():
    frame = projects(part=["left", "right"] * 20)
    frame[PEOPLE] = frame[PEOPLE].mask(frame.index >= 0)
    with pytest.raises(ColumnsNotSentError) as caught:
        plot.panels(plot.lorenz, with_provenance(frame, not_sent=[PEOPLE]), "part")
    assert caught.value.columns == (PEOPLE,)
    assert plt.get_fignums() == []


def test_project_without_an_analysis_is_left_out_for_that_reason():
    frame = projects(analysis_id=["1"] * 38 + [None] * 2)
    frame.loc[frame.index[35:], LANGUAGE] = None
    without = int(frame[LANGUAGE].isna().sum()) - 2
    for name in ("contributors_by_language", "language_share", "languages_by_year"):
        said = f"2 projects without an analysis, {without} without a main language"
        assert said in caption(draw(name, frame))
