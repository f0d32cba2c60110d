"""Reproducible random values: the same record for the same seed and index, on any platform."""

# Only `random.Random.seed` with an integer, `random` and `getrandbits` are used: their sequences
# are guaranteed to stay the same in later versions of Python; those of `choices`, `shuffle`,
# `gauss` and of NumPy's generators are not.

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate, pairwise
from math import erf, expm1, log1p, sqrt
from random import Random
from statistics import NormalDist
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


T = TypeVar("T")

_STREAMS = 8
_HALF = 10
_BLOCK = 1 << (2 * _HALF)
_LEAST = 2.0**-54
_STANDARD = NormalDist()


def seed_record(rng: Random, seed: int, stream: int, index: int) -> None:
    """Seed the random sequence of one record."""
    rng.seed(((seed * _STREAMS + stream) << 64) | index)


def normal(share: float) -> float:
    """Return the standard normal deviate with `share` of the distribution below it."""
    return _STANDARD.inv_cdf(share or _LEAST)


def normal_cdf(deviate: float) -> float:
    """Return the share of the standard normal distribution below a deviate."""
    return 0.5 + 0.5 * erf(deviate / sqrt(2.0))


class WeightedChoice(Generic[T]):
    """Values drawn in proportion to their weights."""

    __slots__ = ("_bounds", "_values")

    def __init__(self, weights: Mapping[T, float]) -> None:
        total = sum(weights.values())
        self._values = tuple(weights)
        self._bounds = [bound / total for bound in accumulate(weights.values())][:-1]

    def at(self, share: float) -> T:
        """Return the value at a share of the whole, 0 up to but not including 1."""
        return self._values[bisect_right(self._bounds, share)]


class QuantileCurve:
    """A distribution given by quantiles, with linear interpolation.

    With `log` the interpolation is linear in log(value + 1), which suits counts from zero to
    millions.
    """

    __slots__ = ("_back", "_shares", "_slopes", "_values")

    def __init__(
        self, shares: Sequence[float], values: Sequence[float], *, log: bool = False
    ) -> None:
        self._back: Callable[[float], float] = expm1 if log else float
        self._shares = tuple(shares)
        self._values = tuple(log1p(v) if log else float(v) for v in values)
        self._slopes = tuple(
            (high - low) / (end - start)
            for (start, end), (low, high) in zip(
                pairwise(self._shares), pairwise(self._values), strict=True
            )
        )

    def at(self, share: float) -> float:
        """Return the value with `share` of the distribution below it, 0 <= share < 1."""
        piece = bisect_right(self._shares, share) - 1
        if piece == len(self._slopes):  # rounding can give a share of exactly one
            return self._back(self._values[-1])
        return self._back(self._values[piece] + (share - self._shares[piece]) * self._slopes[piece])


@lru_cache(maxsize=8)
def _rounds(seed: int) -> tuple[tuple[int, ...], ...]:
    rng = Random()
    seed_record(rng, seed, _STREAMS - 1, 0)
    return tuple(tuple(rng.getrandbits(_HALF) for _ in range(1 << _HALF)) for _ in range(4))


def permute(seed: int, index: int) -> int:
    """Return a unique position, from 1, for an index.

    A Feistel network with four rounds, which is a permutation of the numbers below 2**20. Higher
    indices follow in blocks.
    """
    block, number = divmod(index, _BLOCK)
    high, low = divmod(number, 1 << _HALF)
    for table in _rounds(seed):
        high, low = low, high ^ table[low]
    return block * _BLOCK + (high << _HALF) + low + 1
