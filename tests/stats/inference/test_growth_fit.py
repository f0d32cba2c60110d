"""Growth curves are found again in months made by them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError


def months(numbers: list[int], **columns: list[int]) -> pd.DataFrame:
    span = pd.date_range("2010-01-01", periods=len(numbers), freq="MS", tz="UTC")
    return pd.DataFrame({"month": span, "commits": numbers, **columns})


T = np.arange(48)
CURVES = {
    "linear": 500 + 120.0 * T,
    "exponential": 300 * np.exp(0.06 * T),
    "logistic": 9000 / (1 + np.exp(-0.2 * (T - 20))),
}


@pytest.mark.parametrize("name", CURVES)
def test_the_curve_that_made_the_months_is_found_with_its_parameters(name: str) -> None:
    noise = np.random.default_rng(3).normal(0, 25, 48)
    frame = months((CURVES[name] + noise).round().astype(int).clip(0).tolist())
    table: Any = stats.growth_fit(frame, cumulative=False).set_index("model").astype(float)
    models: Any = table.drop("observed")
    assert models["aicc"].idxmin() == name
    assert models["weight"].sum() == pytest.approx(1)
    assert models.loc[name, "weight"] > 0.9
    assert models.loc[name, "r_squared"] > 0.99
    rate = {"linear": 120, "exponential": 0.06, "logistic": 0.2}[name]
    assert models.loc[name, "rate"] == pytest.approx(rate, rel=0.03)
    assert models.loc["exponential", "doubling_months"] == pytest.approx(
        np.log(2) / models.loc["exponential", "rate"]
    )
    assert models["limit"].dropna().index.tolist() == ["logistic"]
    if name == "logistic":
        assert models.loc[name, "limit"] == pytest.approx(9000, rel=0.02)


def test_a_line_is_that_of_numpy_and_the_growth_rate_that_of_the_definition() -> None:
    numbers = [3, 9, 4, 8, 2, 7, 30, 1, 5, 2, 4, 8, 16]
    table: Any = stats.growth_fit(months(numbers)).set_index("model").astype(float)
    total = np.cumsum(numbers)
    slope, start = np.polyfit(np.arange(13), total, 1)
    assert table.loc["linear", ["start", "rate"]].tolist() == pytest.approx([start, slope])
    rest = ((start + slope * np.arange(13) - total) ** 2).sum()
    assert table.loc["linear", "rmse"] == pytest.approx(np.sqrt(rest / 13))
    aicc = 13 * np.log(rest / 13) + 2 * 3 + 2 * 3 * 4 / (13 - 3 - 1)
    assert table.loc["linear", "aicc"] == pytest.approx(aicc)
    assert table.loc["observed", "cagr"] == pytest.approx(99 / 3 - 1)  # twelve months later


def test_the_curves_are_drawn_of_the_same_fits() -> None:
    frame = months([3, 9, 4, 8, 2, 7, 30, 1, 5, 2])
    fits: Any = stats.growth_fit(frame).set_index("model")
    curve = stats.growth_curve(frame)
    for name in ("linear", "exponential", "logistic"):
        assert curve[name].iloc[0] == fits.loc[name, "start"]
        rest = np.sqrt(((curve[name] - curve["observed"]) ** 2).mean())
        assert float(rest) == pytest.approx(float(fits.loc[name, "rmse"]))
    assert curve["observed"].tolist() == np.cumsum(frame["commits"]).tolist()


def test_code_is_what_was_added_less_what_was_removed() -> None:
    frame = months([1, 1, 1], code_added=[100, 50, 0], code_removed=[0, 20, 70])
    assert stats.growth_curve(frame, column="code")["observed"].tolist() == [100, 130, 60]
    with pytest.raises(InvalidInputError, match="no column code_added"):
        stats.growth_fit(months([1]), column="code")


def test_the_criterion_of_a_curve_without_any_residual_has_a_floor() -> None:
    lines = stats.growth_fit(months([5] * 9)).set_index("model")
    n, parameters, squares = 9, 3, 25 * 60
    floor = n * math.log(1e-12 * squares / n) + 2 * parameters * n / (n - parameters - 1)
    assert lines.loc["linear", "aicc"] == pytest.approx(floor)


def test_few_or_equal_months_are_not_fitted_and_an_unfinished_one_is_left_out() -> None:
    few: Any = stats.growth_fit(months([1, 2, 3])).set_index("model")
    assert few.loc[["linear", "exponential", "logistic"]].isna().all(axis=None)
    equal: Any = stats.growth_fit(months([5] * 9), cumulative=False).set_index("model")
    assert equal.drop("observed").isna().all(axis=None)
    frame = provenance.set_provenance(
        months([1, 2, 3]), retrieved_newest="2010-03-15T00:00:00+00:00"
    )
    table = stats.growth_curve(frame)
    assert table["observed"].tolist() == [1, 3]
    assert table.attrs["dirframe"]["counted"]["months_fitted"] == 2
