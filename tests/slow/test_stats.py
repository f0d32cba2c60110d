"""Statistics more often than in the fast tests, and all of them of each example."""

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests import oracle


# A seed has no simpler form, and to look for one takes a minute.
@pytest.mark.parametrize("kind", oracle.STATISTICS)
@settings(phases=[Phase.generate])
@given(seed=st.integers(0, 2**32), size=st.integers(0, 60))
def test_statistics_are_what_plain_python_counts(kind, seed, size):
    assert not oracle.failures(kind, seed, size, oracle.STATISTICS[kind])
