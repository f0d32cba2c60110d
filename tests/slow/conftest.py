"""Every test of this folder is slow."""

from pathlib import Path

import pytest

_FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(_FOLDER):
            item.add_marker(pytest.mark.slow)
