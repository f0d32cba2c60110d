"""The n of a caption is the number of records that the drawn figures were computed from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import dirframe
from dirframe import plot, provenance, stats
from dirframe.errors import ColumnsNotSentError, InvalidInputError
from tests.plot.charts import CHARTS, caption, draw, nouns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.axes import Axes

    Count = Callable[[pd.DataFrame, pd.DataFrame], int]

LINES, PEOPLE = "analysis_total_code_lines", "analysis_twelve_month_contributor_count"
EVERY = pytest.mark.parametrize("name", CHARTS)
OF_ONE_PROJECT = {"commits_by_contributor", "growth_curve", "monthly_activity"}
SELECTABLE = pytest.mark.parametrize("name", sorted(set(CHARTS) - OF_ONE_PROJECT))
STRATIFIED = EVERY


def summed(column: str) -> Count:
    return lambda table, _: int(table[column].sum())


def with_valid(column: str) -> Count:
    return lambda _, frame: int((frame[column] >= 0).sum())


def of_known_activity(table: pd.DataFrame, _: pd.DataFrame) -> int:
    return int(table["projects"][table["activity"].isin(["active", "dormant"])].sum())


def with_entries(column: str) -> Count:
    return lambda _, frame: int(frame[column].notna().sum())


def with_breakdown(_: pd.DataFrame, frame: pd.DataFrame) -> int:
    there = frame["analysis_languages"].notna() & frame["analysis_total_code_lines"].ge(0)
    return int(there.sum())


def first_row(column: str) -> Count:
    return lambda table, _: int(table[column].iloc[0])


def with_all_ranked(_: pd.DataFrame, frame: pd.DataFrame) -> int:
    months = frame["analysis_min_month"].notna()
    lines, people = (frame[n].ge(0).fillna(value=False) for n in (LINES, PEOPLE))
    return int((months & lines & people).sum())


#: How many records stand in what a chart draws, by its table or by the frame: not by its record.
COMPUTED_FROM: dict[str, Count] = {
    "accounts_by_country": summed("accounts"),
    "accounts_by_kudo_rank": summed("accounts"),
    "accounts_per_capita": summed("accounts"),
    "accounts_map": summed("accounts"),
    "activity": of_known_activity,
    "commits_by_contributor": with_valid("commits"),
    "compare_groups": first_row("first_records"),
    "compare_survival": first_row("projects"),
    "contributor_distribution": summed("projects"),
    "contributors_by_language": summed("projects_counted"),
    "contributors_per_thousand_lines": summed("projects"),
    "correlation": with_all_ranked,
    "distribution_tail": with_valid(PEOPLE),
    "growth": summed("new"),
    "growth_curve": with_entries("month"),
    "intervals": summed("records"),
    "language_breakdown": with_breakdown,
    "language_share": summed("projects"),
    "languages_by_year": summed("projects"),
    "licenses": with_entries("licenses"),
    "life_span": lambda table, _: len(table),
    "lorenz": with_valid("analysis_twelve_month_contributor_count"),
    "monthly_activity": with_entries("month"),
    "posts_distribution": summed("accounts"),
    "project_age": summed("projects"),
    "survival": lambda table, _: int((table["ended"] + table["censored"]).sum()),
    "tags": with_entries("tags"),
    "team_size_classes": summed("projects"),
    "users_against_contributors": summed("projects"),
}


def with_gaps(name: str) -> pd.DataFrame:
    """Make a frame in which each column lacks other values, so that each n is one of its own."""
    frame = CHARTS[name](60)
    together = {"country_code", "country_alpha_2", "country_name"}
    for place, column in enumerate(frame.columns.drop("id", errors="ignore"), 5):
        # What is one fact in several columns is missing at once.
        step = 5 if column in together else place
        gone = frame.index % step == 1
        frame[column] = frame[column].astype(frame[column].dtype).mask(gone)
    return frame


def computed(name: str, frame: pd.DataFrame, **options: Any) -> int:
    statistic = getattr(stats, "accounts_by_country" if name == "accounts_map" else name)
    return COMPUTED_FROM[name](statistic(frame, **options), frame)


def size_in(text: str) -> tuple[int, int]:
    """Read how many records a caption or title says that there are, and of how many."""
    found = re.search(r"n = ([\d,]+)(?: of ([\d,]+))?", text)
    assert found, text
    count, of = (int(number.replace(",", "")) if number else None for number in found.groups())
    assert count is not None
    return count, count if of is None else of


def figure_of(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    return figure


@EVERY
def test_the_n_is_that_of_the_records_in_the_figures_beside_those_of_the_frame(name: str) -> None:
    frame = with_gaps(name)
    expected = computed(name, frame)
    assert 0 < expected < 60
    assert size_in(caption(draw(name, frame))) == (expected, 60)


@SELECTABLE
def test_records_that_were_excluded_are_in_no_n_and_are_said(name: str) -> None:
    frame = with_gaps(name)
    wrong = {"created_at": "2013-06-01", "updated_at": "2013-05-01"}
    frame["updated_at"] = frame["created_at"] + pd.Timedelta(days=1)
    for column, day in wrong.items():
        frame.loc[[4, 6, 9], column] = pd.Timestamp(day, tz="UTC")
    left = frame.drop([4, 6, 9])
    said = caption(draw(name, frame, exclude=["updated_before_created", "duplicate_id"]))
    assert size_in(said) == (computed(name, left), 57)
    noun = nouns(CHARTS[name])
    assert f"Excluded: 3 {noun} (updated_before_created 3; none by duplicate_id)." in said


@SELECTABLE
def test_where_no_record_was_excluded_the_caption_says_so(name: str) -> None:
    said = caption(draw(name, CHARTS[name](), exclude=["duplicate_id"]))
    assert f"Excluded: no {nouns(CHARTS[name])[:-1]} (duplicate_id)." in said


@STRATIFIED
def test_each_panel_has_its_own_n_and_the_figure_their_sum(name: str) -> None:
    frame = with_gaps(name)
    frame["part"] = ["left"] * 40 + ["right"] * 20
    parts = [frame[frame["part"] == part] for part in ("left", "right")]
    first = draw(name, frame, by="part")
    titles = [ax.get_title() for ax in figure_of(first).axes if ax.get_gid() == "panel"]
    numbers = [computed(name, part) for part in parts]
    expected = [(number, len(part)) for number, part in zip(numbers, parts, strict=True)]
    assert [size_in(title) for title in titles] == expected
    said = " ".join(figure_of(first).get_supxlabel().split())
    assert size_in(said) == (sum(numbers), 60)
    assert f" of 60 {nouns(CHARTS[name])} " in said


@STRATIFIED
def test_panels_of_a_frame_without_provenance_know_what_its_records_are(name: str) -> None:
    frame = CHARTS[name]()
    frame.attrs = {}
    if name == "growth":  # either will do: only the provenance could tell
        frame = frame.rename(columns={"email_sha1": "email"})
    frame["half"] = ["left", "right"] * 20
    said = figure_of(draw(name, frame, by="half")).get_supxlabel()
    assert nouns(CHARTS[name]) in said
    assert "record" not in said.replace("not recorded", "")


@pytest.fixture(scope="module")
def directory() -> Iterator[dirframe.Directory]:
    with dirframe.sample_directory() as opened:
        yield opened


def looks(ax: Axes) -> list[Any]:
    """Collect what is drawn: places, colours and texts, but for the caption's source."""
    shapes = [
        (np.asarray(patch.get_path().vertices).tolist(), patch.get_facecolor(), patch.get_hatch())
        for patch in ax.patches
    ]
    lines = [(np.asarray(line.get_xydata()).tolist(), line.get_color()) for line in ax.lines]
    marks = [np.asarray(c.get_facecolor()).tolist() for c in ax.collections]
    texts = [text.get_text() for text in (*ax.texts, *ax.get_yticklabels())]
    return [shapes, lines, marks, texts]


def refusal(name: str, part: pd.DataFrame, whole: list[Any]) -> ColumnsNotSentError | None:
    """Draw a frame that lacks a column; without a refusal it has to look as with the column."""
    try:
        ax = draw(name, part)
    except ColumnsNotSentError as error:
        return error
    assert looks(ax) == whole
    return None


@EVERY
def test_a_column_that_was_not_loaded_is_refused_wherever_the_chart_shows_it(name: str) -> None:
    frame = CHARTS[name](30)
    whole = looks(draw(name, frame))
    refused = {}
    for column in frame:
        rest = [other for other in frame if other != column]
        part = provenance.set_provenance(frame[rest].copy(), columns=rest)
        refused[column] = refusal(name, part, whole)
    found = {column: error for column, error in refused.items() if error}
    assert found
    assert all(column in error.columns for column, error in found.items())
    assert all("not loaded" in str(error) for error in found.values())


@EVERY
def test_a_column_that_was_not_sent_is_refused_instead_of_none_of_the_records_having_it(
    name: str,
) -> None:
    frame = CHARTS[name](30)
    whole = looks(draw(name, frame))
    refused = {}
    for column in frame.columns.drop("id", errors="ignore"):
        empty = pd.Series([None] * len(frame), dtype=frame[column].dtype)
        part = provenance.set_provenance(frame.assign(**{column: empty}), not_sent=[column])
        refused[column] = refusal(name, part, whole)
    found = {column: error for column, error in refused.items() if error}
    assert found
    assert all(column in error.columns for column, error in found.items())


@STRATIFIED
def test_panels_refuse_a_column_that_was_not_sent(name: str) -> None:
    frame = CHARTS[name](30)
    frame["part"] = ["left", "right"] * 15
    data = [c for c in frame.columns if c not in {"id", "part", "name"}]
    empty = {column: pd.Series([None] * 30, dtype=frame[column].dtype) for column in data}
    part = provenance.set_provenance(frame.assign(**empty), not_sent=data)
    with pytest.raises(ColumnsNotSentError):
        draw(name, part, by="part")
    assert plt.get_fignums() == []


def test_a_load_of_some_columns_gives_no_chart_of_others(directory: dirframe.Directory) -> None:
    projects = dirframe.load_projects(
        columns=["id", "name", "analysis_main_language_name", "analysis_total_code_lines"],
        max_items=50,
        directory=directory,
        progress=False,
        incomplete="warn",
    )
    assert "n = " in caption(plot.language_share(projects))
    for name in sorted(set(CHARTS) - OF_ONE_PROJECT):
        if CHARTS[name].__name__ == "projects" and name != "language_share":
            with pytest.raises(ColumnsNotSentError, match="not loaded"):
                draw(name, projects)
        elif name != "language_share":
            with pytest.raises(InvalidInputError):
                draw(name, projects)


@pytest.mark.parametrize(
    "name",
    [
        "contributors_by_language",
        "contributors_per_thousand_lines",
        "language_share",
        "languages_by_year",
    ],
)
def test_a_project_without_an_analysis_is_left_out_for_that_reason(name: str) -> None:
    frame = CHARTS[name]()
    frame["analysis_id"] = ["1"] * 38 + [None] * 2
    frame.loc[frame.index[35:], "analysis_main_language_name"] = None
    without = int(frame["analysis_main_language_name"].isna().sum()) - 2
    said = f"Not shown: 2 projects without an analysis, {without} without a main language"
    assert said in caption(draw(name, frame))
