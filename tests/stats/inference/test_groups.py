"""Groups compared, against scipy and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from dirframe import stats
from dirframe.stats.inference.groups import cliffs_delta

PEOPLE = "analysis_twelve_month_contributor_count"


def frame(groups: dict[str, list[int]]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "analysis_main_language_name": [n for n, values in groups.items() for _ in values],
            PEOPLE: [value for values in groups.values() for value in values],
        }
    )


values = st.lists(st.integers(0, 9), min_size=2, max_size=15)


@settings(max_examples=30)
@given(values, values)
def test_the_effect_is_the_dominance_of_all_pairs(x: list[int], y: list[int]) -> None:
    table = stats.compare_groups(frame({"A": x, "B": y}))
    pair = table.iloc[1]
    a, b = (x, y) if pair["first"] == "A" else (y, x)
    pairs = [(p > q) - (p < q) for p in a for q in b]
    assert float(pair["effect"]) == pytest.approx(np.mean(pairs))
    assert -1 <= pair["low"] <= pair["effect"] + 1e-12
    assert pair["effect"] - 1e-12 <= pair["high"] <= 1
    assert float(pair["statistic"]) == pytest.approx(
        sum((p > q) + (p == q) / 2 for p in a for q in b)
    )


def test_groups_without_any_overlap_have_the_whole_effect_and_no_interval_around_it() -> None:
    pair = stats.compare_groups(frame({"A": [1, 2, 3], "B": [7, 8, 9]})).iloc[1]
    whole = -1.0 if pair["first"] == "A" else 1.0
    assert [pair["effect"], pair["low"], pair["high"]] == [whole] * 3


def test_the_interval_is_that_of_the_variance_of_all_pairs() -> None:
    # Cliff, Psychological Bulletin 114 (1993), 494-509, equation 12 and the asymmetric interval.
    generator = np.random.default_rng(5)
    x, y = generator.integers(2, 30, 25), generator.integers(0, 30, 15)
    pair: Any = stats.compare_groups(frame({"A": x.tolist(), "B": y.tolist()})).iloc[1]
    pairs = np.sign(x[:, None] - y[None, :]).astype(float)
    (n, m), d = pairs.shape, pairs.mean()
    rows, columns = ((pairs.mean(axis=axis) - d) ** 2 for axis in (1, 0))
    s2 = m**2 * rows.sum() + n**2 * columns.sum() - ((pairs - d) ** 2).sum()
    s2 /= n * m * (n - 1) * (m - 1)
    assert s2 > (1 - d**2) / (n * m - 1)  # else that would be taken
    z = scipy_stats.norm.ppf(0.975)
    width = z * np.sqrt(s2 * ((1 - d**2) ** 2 + z**2 * s2))
    ends = (d - d**3 + sign * width for sign in (-1, 1))
    expected = [end / (1 - d**2 + z**2 * s2) for end in ends]
    assert [float(pair["low"]), float(pair["high"])] == pytest.approx(expected)


def test_strata_are_compared_each_by_itself() -> None:
    both = pd.concat([frame({"A": [1, 2, 3], "B": [2, 3, 4]}), frame({"A": [9], "B": [1]})])
    table = stats.compare_groups(both.assign(half=["x"] * 6 + ["y"] * 2), by="half")
    assert table["half"].tolist() == ["x", "x", "y", "y"]
    assert float(table["effect"].iloc[3]) == 1


def test_two_groups_turned_round_have_the_opposite_effect() -> None:
    x, y = [1, 5, 7, 9], [2, 2, 3]
    one = stats.compare_groups(frame({"A": x, "B": y})).iloc[1]
    other = stats.compare_groups(frame({"A": y, "B": [*x]})).iloc[1]  # B is larger: it is first
    assert (other["first"], other["second"]) == ("B", "A")
    assert other["effect"] == one["effect"]
    swapped = stats.compare_groups(frame({"A": [*y, 2], "B": x})).iloc[1]
    assert float(swapped["effect"]) < 0
    assert float(swapped["low"]) < float(swapped["effect"]) < float(swapped["high"])


def test_the_tests_are_those_of_scipy_and_holm_by_hand() -> None:
    generator = np.random.default_rng(2)
    groups = {
        name: generator.poisson(mean, 40).tolist()
        for name, mean in zip("ABC", (3, 4, 7), strict=True)
    }
    table = stats.compare_groups(frame(groups))
    h, p = scipy_stats.kruskal(*groups.values())
    assert table["test"].tolist() == ["Kruskal-Wallis"] + ["Mann-Whitney"] * 3
    first = table.iloc[0]
    assert (first["statistic"], first["p_value"]) == pytest.approx((h, p))
    assert float(first["effect"]) == pytest.approx(h / 119)
    pairs = table.iloc[1:]
    raw = [
        scipy_stats.mannwhitneyu(groups[a], groups[b], method="asymptotic").pvalue
        for a, b in zip(pairs["first"], pairs["second"], strict=True)
    ]
    assert pairs["p_value"].tolist() == pytest.approx(raw)
    ascending = np.argsort(raw)
    holm = np.maximum.accumulate(np.array(raw)[ascending] * [3, 2, 1]).clip(max=1)
    assert pairs["p_corrected"].to_numpy(float)[ascending] == pytest.approx(holm)


def test_the_interval_holds_the_true_effect_about_so_often() -> None:
    generator = np.random.default_rng(8)
    # Of a normal distribution and one half a deviation above: 2 Φ(0.5 / √2) - 1.
    true = 2 * scipy_stats.norm.cdf(0.5 / np.sqrt(2)) - 1
    z, held = scipy_stats.norm.ppf(0.975), 0
    for _ in range(200):
        x, y = generator.normal(100.5, 1, 40), generator.normal(100, 1, 30)
        _, low, high = cliffs_delta(np.sort(x), np.sort(y), z)
        held += low <= true <= high
    assert 0.9 <= held / 200 <= 0.99


def test_one_group_and_equal_values_have_no_test() -> None:
    assert stats.compare_groups(frame({"A": [1, 2]})).empty
    table = stats.compare_groups(frame({"A": [1, 1], "B": [1, 1]}))
    assert table["effect"].isna().tolist() == [True, False]
    assert table["p_value"].fillna(-1).tolist() == [-1, 1]
    assert table["p_corrected"].fillna(-1).tolist() == [-1, 1]
    assert table["effect"].iloc[1] == 0
