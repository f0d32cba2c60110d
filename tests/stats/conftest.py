"""Reports whose words are read."""

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def empty_pictures(monkeypatch):
    """Write a picture in the place of each that is drawn."""

    def write_empty(_figure, stream, **_options):
        stream.write("<svg/>")

    monkeypatch.setattr(Figure, "savefig", write_empty)
