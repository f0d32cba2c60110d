from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.service.synthetic.distributions import (
    QuantileCurve,
    WeightedChoice,
    normal,
    normal_cdf,
    permute,
    seed_record,
)

SHARES = st.floats(0, 1, exclude_max=True)


def test_the_sequence_of_a_record_is_the_one_that_every_python_gives() -> None:
    rng = Random()
    seed_record(rng, 2013, 1, 5)
    # As Python 3.11 gives them; it promises that later versions give the same.
    assert [rng.random() for _ in range(3)] == [
        0.4751784622817481,
        0.550756835772955,
        0.3146136368646707,
    ]


@given(seed=st.integers(0, 2**70), index=st.integers(0, 2**40), other=st.integers(0, 2**40))
def test_two_records_never_share_a_sequence(seed: int, index: int, other: int) -> None:
    one, two = Random(), Random()
    seed_record(one, seed, 1, index)
    seed_record(two, seed, 1, other)
    assert (one.getstate() == two.getstate()) is (index == other)


@pytest.mark.parametrize("seed", [0, 2013])
def test_no_two_indexes_get_the_same_place(seed: int) -> None:
    places = {permute(seed, index) for index in range(2**20)}
    assert places == set(range(1, 2**20 + 1))


@given(seed=st.integers(0, 2**70), index=st.integers(0, 2**50))
def test_a_place_lies_in_the_block_of_its_index(seed: int, index: int) -> None:
    assert (permute(seed, index) - 1) // 2**20 == index // 2**20


def test_places_differ_from_seed_to_seed() -> None:
    assert [permute(1, i) for i in range(9)] != [permute(2, i) for i in range(9)]


@given(SHARES)
def test_a_weighted_value_is_found_at_its_share(share: float) -> None:
    value = WeightedChoice({"a": 1, "b": 2, "c": 1}).at(share)
    assert value == ("a" if share < 0.25 else "b" if share < 0.75 else "c")


@given(SHARES, SHARES, st.booleans())
def test_a_curve_rises_and_keeps_its_bounds(one: float, two: float, log: bool) -> None:
    curve = QuantileCurve((0, 0.2, 0.9, 1), (0, 5, 5, 7_000), log=log)
    low, high = sorted((one, two))
    assert -1e-9 <= curve.at(low) <= curve.at(high) + 1e-9 <= 7_000 + 1e-6


@pytest.mark.parametrize("log", [False, True])
def test_a_curve_goes_through_its_quantiles(log: bool) -> None:
    curve = QuantileCurve((0, 0.25, 0.5, 1), (0, 3, 80, 9_000), log=log)
    assert [curve.at(share) for share in (0, 0.25, 0.5, 1)] == pytest.approx([0, 3, 80, 9_000])


@given(st.floats(1e-12, 1 - 1e-12))
def test_deviate_and_share_are_inverses(share: float) -> None:
    assert normal_cdf(normal(share)) == pytest.approx(share, abs=1e-9)


def test_a_share_of_nothing_is_no_error() -> None:
    assert normal(0.0) < -8
