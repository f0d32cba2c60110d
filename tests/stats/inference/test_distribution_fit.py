"""Heavy tails: known parameters are found again, and the published ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from dirframe import stats

PEOPLE = "analysis_twelve_month_contributor_count"


def frame(values: object) -> pd.DataFrame:
    return pd.DataFrame({PEOPLE: values})


POWER = scipy_stats.zipf(2.5).rvs(1500, random_state=4)
LOG_NORMAL = np.round(np.random.default_rng(6).lognormal(3, 0.6, 1500)).astype(int)


@pytest.mark.parametrize(
    "values", [[10] + [11] * 6 + [12] * 3, [97] * 22 + [99] * 14 + [101] * 8], ids=["10", "97"]
)
def test_values_close_together_have_no_fit(values: list[int]) -> None:
    table = stats.distribution_fit(frame(values), resamples=2)
    assert table["smallest"].isna().all()
    assert table["records"].tolist() == [0, 0]
    tail = stats.distribution_tail(frame(values))
    assert tail["power_law"].isna().all()
    assert tail["share_at_least"].iloc[0] == 1
    strata = pd.DataFrame({PEOPLE: [*values, *POWER], "of": ["a"] * len(values) + ["b"] * 1500})
    both = stats.distribution_fit(strata, by="of").set_index("of")["exponent"]
    assert both["a"].isna().all()
    assert both["b"].notna().any()


def test_a_power_law_is_found_and_not_ruled_out() -> None:
    table: Any = stats.distribution_fit(frame(POWER), resamples=20).set_index("distribution")
    row = table.loc["power law"]
    assert float(row["exponent"]) == pytest.approx(2.5, abs=0.12)
    assert row["p_value"] > 0.1
    assert row["records"] == (row["smallest"] <= POWER).sum()
    # The exponent is where the likelihood is largest.
    tail = POWER[row["smallest"] <= POWER]

    def likelihood(exponent: float) -> float:
        below = scipy_stats.zipf(exponent).cdf(row["smallest"] - 1)
        return float(scipy_stats.zipf(exponent).logpmf(tail).sum() - len(tail) * np.log(1 - below))

    found = float(row["exponent"])
    assert likelihood(found) >= max(likelihood(found + step) for step in (-0.01, 0.01))


def test_a_log_normal_is_nearer_to_its_own_values_and_rules_the_power_law_out() -> None:
    table: Any = stats.distribution_fit(frame(LOG_NORMAL), resamples=0).set_index("distribution")
    assert table["p_value"].isna().all()
    assert table.loc["log-normal", "ratio"] == -table.loc["power law", "ratio"]
    tail = stats.distribution_tail(frame(LOG_NORMAL)).dropna(subset=["power_law"])
    for name, column in (("power law", "power_law"), ("log-normal", "log_normal")):
        distances = (tail[column] - tail["share_at_least"]).abs() / tail["share_at_least"].iloc[0]
        assert float(distances.max()) == pytest.approx(float(table.loc[name, "ks_distance"]))


def test_the_tail_is_counted_and_zeros_belong_to_none() -> None:
    table = stats.distribution_tail(frame([0, 0, 1, 1, 3, -2, None]))
    assert table["value"].tolist() == [1, 3]
    assert table["share_at_least"].tolist() == [1, 1 / 3]
    assert table["power_law"].isna().all()  # too few
    counted = table.attrs["dirframe"]["counted"]
    assert counted == {
        "projects": 7,
        "with_value": 5,
        "value_missing": 1,
        "value_negative": 1,
        "value_zero": 2,
    }
    assert stats.distribution_fit(frame([3] * 50))["ks_distance"].isna().all()


def test_the_p_values_are_the_same_with_the_same_seed_and_in_any_order() -> None:
    values = POWER[:60]
    one = stats.distribution_fit(frame(values), resamples=10, seed=3)
    pd.testing.assert_frame_equal(
        one, stats.distribution_fit(frame(values[::-1]), resamples=10, seed=3)
    )
