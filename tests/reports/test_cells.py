"""A cell shows a table or a described chart, and a missing column is a line, not a failure."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from dirframe import plot, stats
from dirframe.errors import InvalidInputError
from dirframe.reports.cells import Chart, Table, show, with_countries
from dirframe.reports.passages import Passage

PROJECTS = pd.DataFrame(
    {
        "id": ["1", "2"],
        "analysis_main_language_name": ["C", "<b>"],
        "analysis_total_code_lines": [10, 20],
    }
)


def test_a_chart_is_the_same_bytes_each_time_and_described() -> None:
    once, again = (show(plot.language_share, PROJECTS) for _ in range(2))
    assert isinstance(once, Chart)
    assert isinstance(again, Chart)
    assert once.svg == again.svg
    assert "<dc:date>" not in once.svg
    assert "<text" not in once.svg
    data, metadata = once._repr_mimebundle_()
    assert metadata["alt"] == data["text/plain"]
    assert metadata["alt"].startswith("Chart: Projects by main language. ")
    assert "n = 2 projects" in metadata["alt"]
    assert plt.get_fignums() == []


def test_a_table_escapes_what_is_in_it() -> None:
    table = show(stats.language_share, PROJECTS)
    assert isinstance(table, Table)
    assert "&lt;b&gt;" in table._repr_html_()
    assert "(stats.language_share)" in repr(table).splitlines()[0]


@pytest.mark.parametrize("make", [stats.language_share, plot.language_share])
def test_a_missing_column_is_said_in_its_place(make: object) -> None:
    assert callable(make)
    note = show(make, PROJECTS[["id"]])
    assert isinstance(note, Passage)
    assert "is not shown: The frame has no column analysis_main_language_name" in str(note)


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
