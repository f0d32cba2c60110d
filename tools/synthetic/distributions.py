"""Reproducible random values: the same record for the same index, on any platform."""

# Only `random.Random.seed` with an integer, `random` and `getrandbits` are used: their sequences
# are guaranteed to stay the same in later versions of Python; those of `choices`, `shuffle`,
# `gauss` and of NumPy's generators are not.

from __future__ import annotations

import tomllib
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from math import erf, expm1, log1p, sqrt
from pathlib import Path
from random import Random
from statistics import NormalDist
from typing import Any, Generic, TypeVar

from dirframe import _tables
from tools.synthetic._time import SNAPSHOT, month_start

T = TypeVar("T")
#: A random number, 0 up to but not including 1.
Draw = Callable[[], float]

_FOLDER = Path(__file__).parent / "tables"
#: Chosen among eleven so that rare values are as frequent in the sample as measured.
_SEED = 2006
_STREAMS = 8
_HALF = 10
_LEAST = 2.0**-54


def read_table(name: str) -> dict[str, Any]:
    """Read a TOML table."""
    return tomllib.loads((_FOLDER / name).read_text("utf-8"))


def read_rows(name: str) -> list[dict[str, str]]:
    """Read the rows of a CSV table."""
    return _tables.read_rows(_FOLDER / name)


_PECULIAR = read_table("peculiar.toml")


def record_random(stream: int, index: int) -> Random:
    """Return the random sequence of one record."""
    return Random(((_SEED * _STREAMS + stream) << 64) | index)


def pick(values: Sequence[T], draw: Draw) -> T:
    """Return one of the values, all equally likely."""
    return values[int(draw() * len(values))]


def normal(share: float) -> float:
    """Return the standard normal deviate with `share` of the distribution below it."""
    return NormalDist().inv_cdf(share or _LEAST)


def normal_cdf(deviate: float) -> float:
    """Return the share of the standard normal distribution below a deviate."""
    return 0.5 + 0.5 * erf(deviate / sqrt(2.0))


class WeightedChoice(Generic[T]):
    """Values drawn in proportion to their weights."""

    def __init__(self, weights: Mapping[T, float]) -> None:
        total = sum(weights.values())
        self._values = tuple(weights)
        self._bounds = [bound / total for bound in accumulate(weights.values())][:-1]

    def at(self, share: float) -> T:
        """Return the value at a share of the whole, 0 up to but not including 1."""
        return self._values[bisect_right(self._bounds, share)]


class QuantileCurve:
    """A distribution given by quantiles, with linear interpolation.

    With `log` it is linear in log(value + 1), which suits counts from zero to millions.
    """

    def __init__(
        self, shares: Sequence[float], values: Sequence[float], *, log: bool = False
    ) -> None:
        self._shares, self._log = shares, log
        self._values = [log1p(value) for value in values] if log else values

    def at(self, share: float) -> float:
        """Return the value with `share` of the distribution below it, 0 <= share <= 1."""
        end = min(bisect_right(self._shares, share), len(self._shares) - 1)
        start, low = self._shares[end - 1], self._values[end - 1]
        slope = (self._values[end] - low) / (self._shares[end] - start)
        value = low + (share - start) * slope
        return expm1(value) if self._log else value


def years_curve(weights: Mapping[str, float]) -> QuantileCurve:
    """Return a distribution of times from weights by the start of each period, in years.

    The last period ends at the snapshot.
    """
    total = sum(weights.values())
    bounds = [0.0]
    for weight in weights.values():
        bounds.append(bounds[-1] + weight / total)
    starts = [month_start(round((float(year) - 1970) * 12)) for year in weights]
    return QuantileCurve([*bounds[:-1], 1.0], [*starts, SNAPSHOT])


@cache
def _rounds() -> list[list[int]]:
    rng = record_random(_STREAMS - 1, 0)
    return [[rng.getrandbits(_HALF) for _ in range(1 << _HALF)] for _ in range(4)]


def permute(index: int) -> int:
    """Return a unique position, from 1, for an index.

    A Feistel network with four rounds, which is a permutation of the numbers below 2**20. Higher
    indices follow in blocks.
    """
    block, number = divmod(index, 1 << (2 * _HALF))
    high, low = divmod(number, 1 << _HALF)
    for table in _rounds():
        high, low = low, high ^ table[low]
    return (block << (2 * _HALF)) + (high << _HALF) + low + 1


def edge_cases(kind: str, index: int) -> dict[str, str]:
    """Return the texts of a record that is peculiar on purpose: one in fifty, in turn."""
    turn, rest = divmod(index, 50)
    cases = _PECULIAR[kind]
    texts = cases[turn % len(cases)] if rest == 16 else {}
    return {name: text for name, text in texts.items() if name != "what"}
