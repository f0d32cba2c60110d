"""Options of loaders and what belongs to them: one test each, that the main thing works."""

import pytest

import dirframe
from dirframe.errors import (
    InvalidInputError,
)
from tests.rig.server import Rig
from tests.rig.today import Today


@pytest.fixture
def rig():
    with Rig(55).in_process() as opened:
        yield opened


def test_plan_exact_reads_the_pages_and_knows_the_price(tmp_path):
    question = {"sort": "project_name", "details": True}
    with Today(24).in_process() as today, today.directory(tmp_path) as directory:
        today.bare = {"4", "9"}
        price = dirframe.plan("projects", directory=directory, exact=True, **question)
        assert price.requests_used == len(today.requests) == 4
        assert price.requests_needed == price.requests_at_least == price.details == 22
        dirframe.load_projects(directory, progress=False, **question)
        assert len(today.requests) == 4 + 22
        with pytest.raises(InvalidInputError):
            dirframe.plan("projects", directory=directory, exact=True, refresh=True, **question)
