"""Reports whose words are read."""

from tests.io.test_report import empty_pictures, no_charts  # noqa: F401  # fixtures
