"""Harvests of more histories; samples as a test of distribution."""

import pytest

from tests.archive.test_harvest import (  # noqa: F401  # run here with more examples
    test_harvest_calls_proven_only_what_there_is,
)
from tests.client.test_sample import chi_square, draw
from tests.rig.today import Today


@pytest.mark.filterwarnings("ignore::dirframe.errors.AnalysesNotSentWarning")
def test_a_thousand_small_samples_are_uniform():
    rig = Today([str(n) for n in range(1, 61) if n % 3])
    rig.moves = False
    with rig.in_process(), rig.directory() as directory:
        samples = [draw(directory, 3, seed=seed)["id"].tolist() for seed in range(1_000)]
    unevenness = chi_square(samples, rig)
    assert 20 < unevenness < 72.1  # nor is it too even: the 0.5 % and 99.9 % quantiles
