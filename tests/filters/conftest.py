"""The sample of the explorer's tests."""

from tests.explorer.conftest import accounts, directory, projects

__all__ = ["accounts", "directory", "projects"]
