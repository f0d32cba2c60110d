"""Harvests of many histories, killed at any instant; samples as a test of distribution."""

import random
from datetime import timedelta

import pytest
import time_machine
from hypothesis import given

import dirframe
from tests import processes
from tests.archive.conftest import HISTORIES, LINE, START, Harvests, check_history
from tests.client.test_sample import chi_square
from tests.rig import faults
from tests.rig.server import Rig


@given(**HISTORIES)
def test_harvest_calls_proven_only_what_there_is(**history):
    check_history(**history)


@pytest.mark.parametrize("seed", range(3))
def test_harvest_over_days_and_kills_pays_for_little_twice(seed, tmp_path):
    chance = random.Random(seed)
    with Rig(1_005) as rig:
        harvest = Harvests(rig, tmp_path)
        rig.always = faults.late(0.01)
        line = (LINE, rig.url, rig.key, harvest.path, 2)
        for _ in range(3):
            number, pause = chance.randrange(2, 12), chance.random() * 0.02
            processes.kill_after_requests(rig, number, *line, pause=pause)
        # A new process reads the last page again, to compare; lost is what was on its way.
        paid, kept = len(rig.requests), dirframe.open_archive(harvest.path).status().pages
        assert paid - 3 * 3 <= kept <= paid
        rig.always = None
        for day in range(1, 20):
            with time_machine.travel(START + timedelta(days=365 + day)):
                try:
                    archive = harvest.run({"daily_quota": 20})
                except dirframe.QuotaExceededError:
                    continue
                break
        assert archive.status().completeness == "counted"
        assert harvest.frame()["id"].tolist() == rig.ids
        assert len(rig.requests) <= 101 + 3 * 3 + day + 2


def test_a_thousand_small_samples_are_uniform():
    assert 20 < chi_square(1_000, 3) < 72.1  # nor is it too even: the 0.5 % and 99.9 % quantiles
