"""Statistics more often than in the fast tests."""

from tests.stats.test_every_statistic import (
    test_statistic_is_what_plain_python_counts as test_statistics,  # noqa: F401  # is collected
)
