"""Samples are uniform: many of them, as a test of distribution."""

from tests.client.test_sample import chi_square


def test_a_thousand_small_samples_are_uniform():
    assert 20 < chi_square(1_000, 3) < 72.1  # nor is it too even: the 0.5 % and 99.9 % quantiles
