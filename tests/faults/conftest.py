"""What the tests of faults share."""

import pytest

from tests.rig.server import Rig


@pytest.fixture
def rig():
    """Serve 55 projects on six pages of ten."""
    with Rig(55) as rig:
        yield rig
