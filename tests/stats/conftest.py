"""Reports whose words are read."""

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def empty_pictures(monkeypatch):
    """Write a picture in the place of each that is drawn."""
    monkeypatch.setattr(Figure, "savefig", lambda _, stream, **options: stream.write("<svg/>"))
