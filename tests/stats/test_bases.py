"""Every statistic says which records its figures are of."""

from __future__ import annotations

from dirframe import stats
from dirframe.stats._bases import BASES


def test_every_statistic_names_the_records_that_its_figures_are_of() -> None:
    assert set(BASES) == set(stats.__all__)
