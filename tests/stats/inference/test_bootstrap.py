"""Bootstrap intervals against scipy's, and what they promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from dirframe import stats

PEOPLE, LINES = "analysis_twelve_month_contributor_count", "analysis_total_code_lines"


def frame(people: Any, lines: Any = None, languages: Any = "C") -> pd.DataFrame:
    return pd.DataFrame(
        {
            "analysis_main_language_name": languages,
            PEOPLE: people,
            LINES: people if lines is None else lines,
        }
    )


def gini(values: Any) -> float:
    """Give the mean difference of all pairs, by twice the mean."""
    values = np.asarray(values, float)
    return float(np.abs(values[:, None] - values).mean() / 2 / values.mean())


def estimated(table: pd.DataFrame) -> list[float]:
    return table[["value", "low", "high"]].iloc[0].astype(float).tolist()


@pytest.mark.parametrize(
    ("measure", "function"), [("mean", np.mean), ("median", np.median), ("gini", gini)]
)
def test_an_interval_is_that_of_scipy(measure: str, function: Any) -> None:
    values = np.random.default_rng(5).lognormal(2, 1, 80).round().astype(int)
    table = stats.intervals(frame(values), measure=measure, resamples=6000)  # type: ignore[arg-type]  # parametrized
    value, *ends = estimated(table)
    assert value == pytest.approx(function(values))
    other = scipy_stats.bootstrap(
        (values,), function, n_resamples=6000, method="percentile", rng=7, vectorized=False
    ).confidence_interval
    width = other.high - other.low
    assert ends == pytest.approx([other.low, other.high], abs=0.06 * width)


def test_a_ratio_keeps_its_pairs_together() -> None:
    generator = np.random.default_rng(3)
    lines = generator.integers(100, 9000, 60)
    people = lines // 100  # each pair has the same ratio: nothing can vary but by rounding
    table = stats.intervals(frame(people, lines), measure="ratio", denominator=LINES)
    value, low, high = estimated(table)
    assert value == people.sum() / lines.sum()
    assert 0.0098 < low <= value <= high <= 0.01


def test_a_share_has_the_binomial_interval() -> None:
    languages = ["C"] * 300 + ["Java"] * 700
    table = stats.intervals(frame([1] * 1000, languages=languages), measure="share", resamples=9000)
    rows: Any = table.set_index("group")
    assert rows["value"].tolist() == [0.7, 0.3]
    exact = scipy_stats.binom(1000, 0.3).ppf([0.025, 0.975]) / 1000
    assert rows.loc["C", ["low", "high"]].astype(float).tolist() == pytest.approx(
        [*exact], abs=2e-3
    )
    few = stats.intervals(frame([1] * 1000, languages=languages), measure="share", top=1)
    assert few["value"].tolist() == [0.7]  # of all groups, those without a row too


def test_intervals_of_95_per_cent_hold_the_true_mean_about_so_often() -> None:
    generator = np.random.default_rng(11)
    many = frame(generator.poisson(9, 150 * 60), languages=np.repeat([*map(str, range(150))], 60))
    table = stats.intervals(many, measure="mean", resamples=400, top=None)
    assert len(table) == 150
    held = (table["low"] <= 9) & (table["high"] >= 9)
    assert 0.88 <= held.mean() <= 0.99


def test_one_record_has_no_interval_and_zeros_no_coefficient() -> None:
    table = stats.intervals(frame([4, 0, 0], languages=["C", "Java", "Java"]), measure="gini")
    rows: Any = table.set_index("group")
    assert rows.loc["C", "value"] == 0
    assert rows.loc["C", ["low", "high"]].isna().all()
    assert rows.loc["Java", ["value", "low", "high"]].isna().all()


@settings(max_examples=20)
@given(st.lists(st.integers(0, 50), min_size=2, max_size=30), st.randoms())
def test_the_order_of_records_and_other_groups_change_nothing(
    values: list[int], random: Any
) -> None:
    shuffled = random.sample(values, len(values))
    one: Any = stats.intervals(frame(values), resamples=100, seed=4)
    pd.testing.assert_frame_equal(one, stats.intervals(frame(shuffled), resamples=100, seed=4))
    more = frame([*values, 7, 8], languages=["C"] * len(values) + ["Ada"] * 2)
    other: Any = stats.intervals(more, resamples=100, seed=4).set_index("group")
    assert other.loc["C"].tolist() == one.set_index("group").loc["C"].tolist()
    low, value, high = (float(one[name].iloc[0]) for name in ("low", "value", "high"))
    assert min(values) <= low <= high <= max(values)
    assert min(values) <= value <= max(values)
