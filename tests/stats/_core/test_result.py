"""What did not come is not missing: statistics and charts say so, on each engine that can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import dirframe
from dirframe import provenance
from dirframe.client.details import ANALYSIS_COLUMNS
from dirframe.errors import AnalysesNotSentWarning, ColumnsNotSentError, StrataOmittedWarning
from tests.today import KEY, TodayService

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OF_ANALYSES = [
    "activity",
    "contributor_distribution",
    "contributors_by_language",
    "contributors_per_thousand_lines",
    "language_breakdown",
    "language_share",
    "languages_by_year",
    "life_span",
    "lorenz",
    "project_age",
    "team_size_classes",
    "users_against_contributors",
]


@pytest.fixture(scope="module")
def unsent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pd.DataFrame]:
    """Load projects of a directory whose collections have no analysis."""
    folder: Path = tmp_path_factory.mktemp("today")
    with (
        TodayService() as today,
        dirframe.Directory(today.url, KEY, cache_dir=folder) as directory,
        pytest.warns(AnalysesNotSentWarning),
    ):
        yield dirframe.load_projects(max_items=30, directory=directory, progress=False)


@pytest.mark.parametrize("name", OF_ANALYSES)
@pytest.mark.parametrize("kind", ["stats", "plot"])
def test_what_was_not_sent_is_said_with_the_way_out(
    unsent: pd.DataFrame, name: str, kind: str
) -> None:
    with pytest.raises(ColumnsNotSentError, match=r"not sent.*details=True") as caught:
        getattr(getattr(dirframe, kind), name)(unsent)
    assert set(caught.value.columns) <= set(ANALYSIS_COLUMNS)


def test_what_came_besides_is_counted(unsent: pd.DataFrame) -> None:
    assert len(dirframe.stats.tags(unsent))
    assert dirframe.stats.growth(unsent)["total"].max() == 30


def test_dask_says_it_too(unsent: pd.DataFrame) -> None:
    frames = pytest.importorskip("dask.dataframe", reason="Dask is an extra")
    with pytest.raises(ColumnsNotSentError):
        dirframe.stats.language_share(frames.from_pandas(unsent, npartitions=2))


def test_values_that_were_put_in_later_count(unsent: pd.DataFrame) -> None:
    filled = unsent.assign(analysis_main_language_name="C", analysis_total_code_lines=10)
    provenance.copy_provenance(unsent, filled)
    assert list(dirframe.stats.language_share(filled)["language"]) == ["C"]


def test_columns_that_were_not_loaded_are_said() -> None:
    with dirframe.sample_directory() as directory:
        names = dirframe.load_projects(
            columns=["name"], max_items=25, directory=directory, progress=False
        )
    for statistic in (dirframe.stats.language_share, dirframe.stats.tags):
        with pytest.raises(ColumnsNotSentError, match="not loaded: only the columns name were"):
            statistic(names)
    with pytest.raises(ColumnsNotSentError):
        dirframe.child_table(names, "tags")


def test_an_overview_says_it(unsent: pd.DataFrame) -> None:
    overview: Any = dirframe.summary(unsent)
    assert "not sent by the directory" in overview.title
    reasons = list(overview.bias["reason"])
    assert "analysis not sent: load with details=True" in reasons
    assert "no main language" not in reasons


@pytest.fixture
def partly(unsent: pd.DataFrame) -> pd.DataFrame:
    """The numbers of contributors of 10 projects of 30 were put in later."""
    column = "analysis_twelve_month_contributor_count"
    frame = unsent.assign(half=["left"] * 10 + ["right"] * 20)
    frame.loc[frame["half"] == "left", column] = range(10)
    return provenance.copy_provenance(unsent, frame)


def test_the_other_strata_are_computed_and_the_record_names_what_is_not(
    partly: pd.DataFrame,
) -> None:
    statistic = dirframe.stats.contributor_distribution
    with pytest.warns(StrataOmittedWarning, match=r"right \(not sent: analysis_tw") as caught:
        found = statistic(partly, by="half")
    (warning,) = caught
    assert isinstance(warning.message, StrataOmittedWarning)
    assert warning.filename == __file__
    assert warning.message.strata == ("right",)
    assert warning.message.columns == ("analysis_twelve_month_contributor_count",)
    assert "details=True" in str(warning.message)
    assert set(found["half"]) == {"left"}
    alone = statistic(partly[partly["half"] == "left"])
    pd.testing.assert_frame_equal(found.drop(columns="half"), alone)
    record = provenance.get_provenance(found)
    assert record["counted"]["stratum_not_sent"] == 20
    assert record["counted"]["projects"] == 30
    assert record["base"]["records"] == 10
    assert "right (not sent: analysis_tw" in record["steps"][-1]


def test_the_other_panels_are_drawn_and_one_says_why_it_is_not(partly: pd.DataFrame) -> None:
    with pytest.warns(StrataOmittedWarning) as caught:
        first = dirframe.plot.lorenz(partly, by="half")
    assert caught[0].filename == __file__
    figure = first.get_figure(root=True)
    assert figure is not None
    titles = {ax.get_title(): " ".join(text.get_text() for text in ax.texts) for ax in figure.axes}
    assert [*titles] == ["right (n = 0 of 20)", "left (n = 10)"]
    assert "was not sent" in " ".join(titles["right (n = 0 of 20)"].split())
    assert "not sent" not in titles["left (n = 10)"]
    assert "n = 10 of 30 projects" in figure.get_supxlabel()


def test_strata_of_which_none_was_sent_are_refused_with_the_way_out(unsent: pd.DataFrame) -> None:
    halves = provenance.copy_provenance(unsent, unsent.assign(half=["left", "right"] * 15))
    for function in (dirframe.stats.lorenz, dirframe.plot.lorenz):
        with pytest.raises(ColumnsNotSentError, match="details=True"):
            function(halves, by="half")


@pytest.mark.parametrize("by", ["language", "team_size", "analysis_main_language_name"])
def test_strata_are_not_made_of_what_was_not_sent(unsent: pd.DataFrame, by: str) -> None:
    with pytest.raises(ColumnsNotSentError, match="details=True"):
        dirframe.stats.tags(unsent, by=by)


def test_years_are_those_of_the_creation_where_no_activity_was_sent(unsent: pd.DataFrame) -> None:
    years = dirframe.stats.tags(unsent, by="year")["year"]
    assert set(years) <= set(unsent["created_at"].dt.strftime("%Y"))
