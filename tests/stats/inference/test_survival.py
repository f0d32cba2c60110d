"""Survival against a published example, other libraries, and brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from dirframe import stats

#: Weeks in remission of 42 patients, + where still in remission: Freireich et al., "The effect of
#: 6-mercaptopurine on the duration of steroid-induced remissions in acute leukemia", Blood 21
#: (1963), 699-716; the example of Cox (1972).
TREATED = "6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+"
CONTROL = "1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23"


def projects(lives: dict[str, list[tuple[int, bool]]]) -> pd.DataFrame:
    """Make projects that have so many months of life, and ended or not."""
    rows = [(name, *life) for name, all_lives in lives.items() for life in all_lives]
    begun = pd.Timestamp("2000-01-01")
    last = [begun + pd.DateOffset(months=months - 1) for _, months, _ in rows]
    return pd.DataFrame(
        {
            "analysis_main_language_name": [name for name, _, _ in rows],
            "analysis_min_month": [begun] * len(rows),
            "analysis_max_month": last,
            # Fetched a year later, or in the same month: the last twelve months say the end.
            "analysis_logged_at": [
                day + pd.DateOffset(months=12 if ended else 0)
                for day, (_, _, ended) in zip(last, rows, strict=True)
            ],
        }
    )


def read(text: str) -> list[tuple[int, bool]]:
    return [(int(one.strip("+")), not one.endswith("+")) for one in text.split()]


LEUKEMIA = {"control": read(CONTROL), "6-MP": read(TREATED)}


def test_the_published_curve_of_the_treated_is_found() -> None:
    table = stats.survival(projects({"6-MP": LEUKEMIA["6-MP"]})).set_index("months")
    ends = table[table["ended"] > 0]
    assert ends.index.tolist() == [6, 7, 10, 13, 16, 22, 23]
    assert ends["at_risk"].tolist() == [21, 17, 15, 12, 11, 7, 6]
    published = [0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448]
    assert ends["survival"].astype(float).round(3).tolist() == published
    assert table["censored"].sum() == 12


def test_the_published_tests_of_treated_and_control_are_found() -> None:
    table = stats.compare_survival(projects(LEUKEMIA))
    whole, cox = table.iloc[0], table.iloc[1]
    assert float(whole["statistic"]) == pytest.approx(16.79, abs=0.01)
    assert (whole["projects"], whole["ended"]) == (42, 30)
    # Equal numbers: the first by name is the reference. Cox (1972) and R with Efron's ties.
    assert (cox["group"], cox["reference"]) == ("control", "6-MP")
    assert (cox["projects"], cox["ended"]) == (21, 21)
    assert float(np.log(cox["hazard_ratio"])) == pytest.approx(1.57, abs=0.01)
    assert float(cox["low"]) == pytest.approx(np.exp(1.572 - 1.96 * 0.4124), rel=0.01)


lives = st.lists(st.tuples(st.integers(1, 15), st.booleans()), min_size=1, max_size=25)


@settings(max_examples=30)
@given(lives)
def test_the_estimate_and_its_interval_are_those_of_scipy(found: list[tuple[int, bool]]) -> None:
    table = stats.survival(projects({"C": found})).set_index("months")
    data = scipy_stats.CensoredData(
        uncensored=[months for months, ended in found if ended],
        right=[months for months, ended in found if not ended],
    )
    sf = scipy_stats.ecdf(data).sf
    expected = sf.evaluate(np.array(table.index, dtype=float))
    assert table["survival"].astype(float).tolist() == pytest.approx(expected.tolist())
    assert table["at_risk"].tolist() == [
        sum(months >= at for months, _ in found) for at in table.index
    ]
    inside = table.dropna(subset=["low"])
    assert (inside["low"] < inside["survival"]).all()
    assert (inside["survival"] < inside["high"]).all()


def test_the_interval_is_greenwood_s_on_the_scale_of_log_log() -> None:
    table = stats.survival(projects({"6-MP": LEUKEMIA["6-MP"]})).set_index("months")
    s, variance = 1.0, 0.0
    for n, d in ((21, 3), (17, 1)):
        s, variance = s * (1 - d / n), variance + d / n / (n - d)
    half = 1.959964 * np.sqrt(variance) / np.log(s)
    row = table.loc[7].astype(float)
    assert row["low"] == pytest.approx(s ** np.exp(-half))
    assert row["high"] == pytest.approx(s ** np.exp(half))


def test_a_model_is_fitted_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    stats.compare_survival(projects(LEUKEMIA))
    assert capsys.readouterr() == ("", "")


def test_the_naive_median_is_shorter_than_that_with_censoring() -> None:
    generator = np.random.default_rng(4)
    true, watched = generator.exponential(60, 500).astype(int) + 1, generator.integers(1, 120, 500)
    found = [(int(min(t, w)), bool(t <= w)) for t, w in zip(true, watched, strict=True)]
    table = stats.survival(projects({"C": found}))
    median = float(table["months"][table["survival"] <= 0.5].iloc[0])
    naive = float(np.median([months for months, _ in found]))
    assert naive < 35 < median
    assert median == pytest.approx(60 * np.log(2), rel=0.15)


def test_a_group_without_an_end_has_no_ratio_and_all_are_counted() -> None:
    frame = projects(
        {
            "C": [(3, True), (3, True), (12, True)],
            "Java": [(4, False)] * 2,
            "Ada": [(9, True)],
            "R": [(9, True)],
        }
    )
    frame.loc[len(frame)] = [None, *frame.iloc[0, 1:]]
    table = stats.compare_survival(frame, top=3)
    assert table["group"].dropna().tolist() == ["Java", "Ada"]
    assert table["hazard_ratio"].isna().tolist() == [True, True, False]
    apart = stats.compare_survival(projects({"C": [(3, True)] * 3, "Ada": [(9, True)] * 2}))
    assert apart["projects"].tolist() == [5, 2]
    assert apart["hazard_ratio"].isna().all()  # all ends of one are before those of the other
    counted: dict[str, Any] = table.attrs["dirframe"]["counted"]
    reasons = ("compared", "group_missing", "in_other_groups")
    assert [counted[name] for name in reasons] == [6, 1, 1]
    assert counted["with_known_end"] == 8
