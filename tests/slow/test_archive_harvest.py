"""Harvests of more histories; samples as a test of distribution."""

from tests.archive.test_harvest import (  # noqa: F401  # run here with more examples
    test_harvest_calls_proven_only_what_there_is,
)
from tests.client.test_sample import chi_square


def test_a_thousand_small_samples_are_uniform():
    assert 20 < chi_square(1_000, 3) < 72.1  # nor is it too even: the 0.5 % and 99.9 % quantiles
