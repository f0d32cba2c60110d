"""The number of requests of loads of today's live service, of up to 20,000 projects."""

from random import Random

import pytest

import dirframe
from dirframe.provenance import get_provenance
from tests.rig.ids import SHAPES, spread
from tests.rig.today import Today

pytestmark = pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")


def make(count, gaps, shape):
    """Return a rig, and the largest of its ids."""
    existing = shape(count, round(count / (1 - gaps)), Random(f"{count} {gaps}"))
    return Today([str(number) for number in existing]), existing[-1]


@pytest.mark.parametrize("gaps", [0.0, 0.12, 0.6])
@pytest.mark.parametrize("shape", SHAPES)
def test_requests_of_a_whole_collection_are_those_of_its_records(shape, gaps):
    count = 1_500
    rig, bound = make(count, gaps, shape)
    with rig.in_process(), rig.directory() as directory:
        frame = dirframe.load_projects(directory, progress=False)
    assert (len(frame), get_provenance(frame)["completeness"]) == (count, "proven")
    assert len(rig.requests) <= count / 25 + bound / 400 + 5
    if shape is spread:
        assert len(rig.requests) <= 1.01 * count / 25 + 5


def test_requests_of_20_000_projects_are_those_of_their_records():
    count = 20_000
    rig, _ = make(count, 0.12, spread)
    with rig.in_process(), rig.directory() as directory:
        frame = dirframe.load_projects(directory, progress=False)
    assert (len(frame), get_provenance(frame)["completeness"]) == (count, "proven")
    assert len(rig.requests) <= 1.01 * count / 25 + 5


@pytest.mark.parametrize("gaps", [0.0, 0.12, 0.6])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [20, 500])
def test_requests_of_a_sample_are_those_of_its_records(shape, gaps, size):
    rig, _ = make(2_000, gaps, shape)
    with rig.in_process(), rig.directory() as directory:
        frame = dirframe.load_projects(directory, sample=size, seed=11, progress=False)
    assert (len(frame), get_provenance(frame)["completeness"]) == (size, "sample")
    assert len(rig.requests) <= 1.05 * size / 25 + 8


@pytest.mark.parametrize("size", [20, 100])
def test_requests_of_a_sample_with_analyses_are_those_of_its_own_pages(size):
    rig, bound = make(2_000, 0.12, spread)
    rig.bare = {str(number) for number in range(1, bound, 10)}
    with rig.in_process(), rig.directory() as directory:
        frame = dirframe.load_projects(directory, sample=size, seed=11, details=True)
    without = int(frame["analysis_id"].isna().sum())
    assert without > 0
    assert len(rig.requests) <= 1.05 * size + 8 - without


@pytest.mark.parametrize("details", [False, True])
@pytest.mark.parametrize("count", [40, 300])
def test_requests_of_named_projects_are_those_of_their_records(count, details):
    rig, _ = make(4_000, 0.12, spread)
    named = rig.ids[:: 4_000 // count][:count]
    with rig.in_process(), rig.directory() as directory:
        frame = dirframe.load_projects(directory, projects=named, details=details)
    assert frame["id"].tolist() == named
    assert len(rig.requests) <= 1.05 * count / (1 if details else 25) + 5


def test_requests_of_a_query_are_those_of_its_records():
    rig, _ = make(4_000, 0.12, spread)
    with rig.in_process(), rig.directory() as directory:
        frame = dirframe.load_projects(directory, query="project", progress=False)
    assert (len(frame), get_provenance(frame)["completeness"]) == (4_000, "proven")
    assert len(rig.requests) <= 4_000 / 25 + 5
