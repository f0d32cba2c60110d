"""A cell shows a table or a described chart, and a missing column is a line, not a failure."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.figure import Figure

from dirframe import plot, provenance, stats, summary
from dirframe.errors import InvalidInputError
from dirframe.plot._drawing.axes import PANEL, detach_words, words
from dirframe.reports.cells import Chart, Table, show, with_countries
from dirframe.reports.passages import Passage

PROJECTS = pd.DataFrame(
    {
        "id": ["1", "2"],
        "analysis_main_language_name": ["C", "<b>"],
        "analysis_total_code_lines": [10, 20],
    }
)


def test_a_chart_is_the_same_bytes_each_time_and_its_text_is_its_caption() -> None:
    once, again = (show(plot.language_share, PROJECTS) for _ in range(2))
    assert isinstance(once, Chart)
    assert isinstance(again, Chart)
    assert once.svg == again.svg
    assert "<dc:date>" not in once.svg
    assert "<text" not in once.svg
    assert once.caption == "Projects by main language"
    assert once.note.startswith("plot.language_share. n = 2 projects")
    assert plt.get_fignums() == []


def test_the_text_that_became_a_caption_is_not_in_the_picture() -> None:
    with_contributors = PROJECTS.assign(analysis_twelve_month_contributor_count=1)
    for figure in (
        plot.language_share(PROJECTS).figure,
        plot.team_size_classes(with_contributors, by="language").figure,
    ):
        assert isinstance(figure, Figure)
        panels = [ax.get_title() for ax in figure.axes if ax.get_gid() == PANEL]
        before = words(figure)
        title, notes = detach_words(figure)
        assert [title, *panels, *notes] == before
        assert words(figure) == panels
        plt.close(figure)


def test_tables_and_figures_are_numbered_in_the_order_of_their_display() -> None:
    shown = [show(make, PROJECTS) for make in (plot.language_share, stats.language_share) * 2]
    figures = [chart.number for chart in shown if isinstance(chart, Chart)]
    numbers = [table.captions for table in reversed(shown) if isinstance(table, Table)]
    assert figures[1] == figures[0] + 1
    # These two were displayed the other way round.
    assert int(numbers[0][0].split()[1][:-1]) + 1 == int(numbers[1][0].split()[1][:-1])
    table = Table({"Mine": PROJECTS})
    (caption,) = table.captions
    assert repr(table).splitlines()[0] == caption
    assert f"{caption}</caption>" in table._repr_html_()
    assert f"**{caption}**" in table._repr_markdown_()


def test_a_table_escapes_what_is_in_it() -> None:
    table = show(stats.language_share, PROJECTS)
    assert isinstance(table, Table)
    assert "&lt;b&gt;" in table._repr_html_()
    assert r"| \<b\> | 1 | 50.0% | 20 |" in table._repr_markdown_()
    assert "stats.language_share. n = 2 projects" in repr(table)


def test_a_summary_has_two_numbered_tables() -> None:
    table = show(summary, PROJECTS)
    assert isinstance(table, Table)
    columns, reasons = table.captions
    assert columns.endswith(". Columns of the projects")
    assert reasons.endswith(". Reasons to beware of the projects")


@pytest.mark.parametrize("make", [stats.language_share, plot.language_share])
def test_a_missing_column_is_said_in_its_place(make: object) -> None:
    assert callable(make)
    note = show(make, PROJECTS[["id"]])
    assert isinstance(note, Passage)
    assert "is not shown: The frame has no column analysis_main_language_name" in str(note)


@pytest.mark.parametrize("make", [stats.language_share, plot.language_share])
def test_a_column_that_the_directory_did_not_send_is_said_in_its_place(make: object) -> None:
    assert callable(make)
    frame = pd.DataFrame(
        {"id": ["1"], "analysis_main_language_name": pd.Series([None], dtype="str")}
    )
    sent = {"resource": "project", "not_sent": ["analysis_main_language_name"]}
    note = show(make, provenance.set_provenance(frame, **sent))
    assert isinstance(note, Passage)
    assert "is not shown: " in str(note)


@pytest.mark.parametrize(
    "make", [stats.language_share, plot.language_share, stats.contributor_quantiles]
)
def test_what_no_record_has_is_a_line_and_no_empty_table_or_figure(make: object) -> None:
    assert callable(make)
    frame = pd.DataFrame(
        {
            "id": ["1"],
            "analysis_main_language_name": pd.Series([None], dtype="str"),
            "analysis_twelve_month_contributor_count": pd.Series([None], dtype="Int64"),
        }
    )
    note = show(make, frame)
    assert isinstance(note, Passage)
    assert "is not shown: " in str(note)
    assert plt.get_fignums() == []


def test_quantiles_close_to_one_another_stay_different() -> None:
    projects = pd.DataFrame({"id": ["1"], "analysis_twelve_month_contributor_count": [3]})
    shown = repr(show(stats.contributor_quantiles, projects))
    assert " 0.95 " in shown
    assert " 0.99 " in shown


def test_a_wrong_option_is_still_an_error() -> None:
    with pytest.raises(InvalidInputError):
        show(stats.language_share, PROJECTS, top=-1)


def test_countries_are_unified_once_and_only_where_there_are_any() -> None:
    once = with_countries(pd.DataFrame({"country_code": ["DE"]}))
    assert with_countries(once) is once
    assert list(with_countries(PROJECTS)) == list(PROJECTS)


@pytest.mark.filterwarnings("default")
def test_a_warning_is_shown_without_the_folder_of_the_package(
    capsys: pytest.CaptureFixture[str],
) -> None:
    frame = pd.DataFrame({"analysis_main_language_name": ["𒀀"], "analysis_total_code_lines": [1]})
    show(plot.language_share, frame)
    said = capsys.readouterr().err
    assert said.startswith("MissingGlyphsWarning: No installed font has 1 character")
    assert said.count("\n") == 1
    assert ".py" not in said
