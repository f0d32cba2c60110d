"""Columns that were taken away, of every source and for every function."""

import pytest

from tests.stats.test_absent import (
    SOURCES,
    differences,
    functions_of,
    loaded,  # noqa: F401  # a fixture
)


@pytest.mark.parametrize("source", SOURCES)
def test_a_column_that_was_taken_away_is_named_or_done_without(source, loaded):  # noqa: F811  # the fixture
    if source not in loaded:
        pytest.skip("recorded documents are not beside this checkout (../shared)")
    kind, frame = loaded[source]
    assert not differences(frame, functions_of(kind))
