"""Harvests of more histories, orders, quotas and kills; samples as a test of distribution."""

import pytest

from tests.archive.conftest import harvests  # noqa: F401  # a fixture
from tests.archive.test_harvest import (
    RIGS,
    check_harvest_by_ids_over_days,
    check_harvest_over_days,
    check_killed_harvest,
    check_killed_harvest_by_ids,
    check_records_that_move_forward,
    test_harvest_calls_proven_only_what_there_is,  # noqa: F401  # run here with more examples
)
from tests.client.test_sample import chi_square, draw
from tests.rig.server import Rig
from tests.rig.today import Today


@pytest.mark.parametrize("daily", [30, 12, 5])
@pytest.mark.parametrize("order", RIGS)
def test_harvest_over_days_of_a_directory_that_lives(harvests, order, daily):  # noqa: F811  # the fixture
    check_harvest_over_days(harvests, order, daily, lives=True)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("lag", [0, 2])
def test_harvest_by_ids_over_days_has_all_that_was_there_throughout(harvests, seed, lag):  # noqa: F811  # the fixture
    check_harvest_by_ids_over_days(harvests, seed, lag)


@pytest.mark.parametrize("removed", ["15", "125"])
def test_records_that_move_forward_between_two_days_are_not_skipped(harvests, removed):  # noqa: F811  # the fixture
    check_records_that_move_forward(harvests, removed)


def test_harvest_that_is_killed_twice_goes_on_and_loses_what_was_in_flight(tmp_path):
    check_killed_harvest(tmp_path, lambda: Rig(305), pages=31, kills=[7, 9], details=[])


def test_harvest_by_ids_that_is_killed_three_times_loses_a_request_a_kill(tmp_path):
    check_killed_harvest_by_ids(tmp_path, kills=(6, 5, 5))


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
def test_samples_of_a_few_records_are_uniform():
    rig = Today([str(n) for n in range(1, 61) if n % 3])
    rig.moves = False
    with rig.in_process(), rig.directory() as directory:
        samples = [draw(directory, 3, seed=seed)["id"].tolist() for seed in range(1_000)]
    unevenness = chi_square(samples, rig)
    assert 20 < unevenness < 72.1  # nor is it too even: the 0.5 % and 99.9 % quantiles
