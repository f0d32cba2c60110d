"""What the tests of archives share."""

import pytest

import dirframe
from tests.rig.server import Rig


@pytest.fixture
def rig():
    """Serve 55 projects on six pages of ten."""
    with Rig(55) as rig:
        yield rig


@pytest.fixture
def archive(rig, tmp_path):
    """Harvest everything, and forget that it was requested."""
    archive = dirframe.harvest("projects", tmp_path / "a", directory=rig.directory())
    assert archive.status().complete
    rig.forget()
    return archive
