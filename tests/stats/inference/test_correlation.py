"""Rank correlations against scipy's."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from dirframe import stats

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=4, max_size=25)


@settings(max_examples=30)
@given(pairs)
def test_the_correlation_is_that_of_scipy_with_ties(values: list[tuple[int, int]]) -> None:
    frame = pd.DataFrame(values, columns=["x", "y"])
    row = stats.correlation(frame, variables=["x", "y"], resamples=100).iloc[0]
    if len({*frame["x"]}) == 1 or len({*frame["y"]}) == 1:
        assert pd.isna(row["correlation"])
        assert pd.isna(row["p_value"])
        return
    expected = scipy_stats.spearmanr(frame["x"], frame["y"])
    assert float(row["correlation"]) == pytest.approx(expected.statistic)
    assert float(row["p_value"]) == pytest.approx(expected.pvalue, abs=1e-9)


def test_the_interval_is_that_of_a_bootstrap_by_scipy() -> None:
    generator = np.random.default_rng(1)
    x = generator.poisson(4, 70)
    y = x + generator.poisson(4, 70)
    row = stats.correlation(pd.DataFrame({"x": x, "y": y}), variables=["x", "y"], resamples=3000)
    other = scipy_stats.bootstrap(
        (x, y),
        lambda a, b: scipy_stats.spearmanr(a, b).statistic,
        paired=True,
        vectorized=False,
        n_resamples=1500,
        method="percentile",
        rng=2,
    ).confidence_interval
    ends = [float(row[name].iloc[0]) for name in ("low", "high")]
    assert ends == pytest.approx([other.low, other.high], abs=0.03)


def test_dates_are_ranked_and_pairs_need_both_values() -> None:
    days = pd.to_datetime(pd.Series(["1960-01-01", "2001-01-01", None, "2011-01-01", "2012-01-01"]))
    frame = pd.DataFrame({"n": [1, 2, 3, 4, -1], "m": [4, 3, 2, 1, 1], "day": days})
    table = stats.correlation(frame, variables=["n", "m", "day"])
    assert table[["first", "second"]].to_numpy().tolist() == [
        ["n", "m"],
        ["n", "day"],
        ["m", "day"],
    ]
    assert table["records"].tolist() == [4, 3, 4]
    assert table["correlation"].tolist()[:2] == [-1, 1]
    counted = table.attrs["dirframe"]["counted"]
    assert counted == {"projects": 5, "with_value": 3, "value_missing": 1, "value_negative": 1}
    holm = np.array(sorted(table["p_value"].to_numpy(float)))
    assert table["p_corrected"].min() == pytest.approx(min(3 * holm[0], 1))
