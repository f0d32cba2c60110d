"""Columns that were taken away, of every source and for every function and chart."""

import pytest

from dirframe.charts import CHARTS
from tests.stats.test_absent import (
    SOURCES,
    check_chart_without_a_column,
    differences,
    functions_of,
    loaded,  # noqa: F401  # a fixture
)


@pytest.mark.parametrize("source", SOURCES)
def test_absent_column_is_named_or_done_without(source, loaded):  # noqa: F811  # the fixture
    kind, frame = loaded[source]
    assert not differences(frame, functions_of(kind))


def test_absent_column_of_recorded_projects_is_named_or_done_without(recorded):
    assert not differences(recorded.head(60), functions_of("projects"))


@pytest.mark.parametrize("name", CHARTS)
def test_absent_column_changes_no_chart_that_does_without(name, loaded):  # noqa: F811  # the fixture
    check_chart_without_a_column(name, loaded)
