"""Random loads and harvests of a collection that changes while it is read: 3,000 in all."""

import warnings
from tempfile import TemporaryDirectory

import pytest

import dirframe
from dirframe.errors import IncompleteCollectionError, IncompleteWarning
from tests.rig import histories


def load(rig, workers):
    try:
        return dirframe.load_projects(rig.directory(workers=workers), progress=False)
    except IncompleteCollectionError as error:
        return error.frame


def harvest(rig, workers):
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", IncompleteWarning)
        directory = rig.directory(workers=workers)
        return dirframe.harvest("projects", f"{folder}/a", directory=directory).frame()


@pytest.mark.parametrize("begin", [0, 250, 500])
@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("read", [load, harvest])
def test_completeness_in_random_histories_is_never_claimed_of_too_few_records(read, workers, begin):
    faults, claims = histories.run(range(begin, begin + 250), lambda rig: read(rig, workers))
    assert (faults, claims["proven"] > 50) == ({}, True)
