"""What did not come is not missing: statistics and charts say so, on each engine that can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import dirframe
from dirframe import provenance
from dirframe.client.details import ANALYSIS_COLUMNS
from dirframe.errors import AnalysesNotSentWarning, ColumnsNotSentError
from tests.today import KEY, TodayService

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pandas as pd

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
