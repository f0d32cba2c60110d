"""Values by group, and what the tests share."""

from __future__ import annotations

import gc
import importlib
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from dirframe import stats
from dirframe.errors import InvalidInputError, MissingExtraError
from dirframe.stats.inference.samples import CORRECTIONS, check_confidence, corrected

PEOPLE, LINES = "analysis_twelve_month_contributor_count", "analysis_total_code_lines"


def projects(**columns: Any) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "analysis_main_language_name": ["C", "C", "Java", "Java", "Ada", None, "C"],
            PEOPLE: pd.array([1, 2, 3, 4, 5, 6, None], dtype="Int64"),
            LINES: [10, 20, 30, -40, 50, 60, 70],
        }
    )
    return frame.assign(**columns)


def test_each_record_is_counted_once_with_the_reason_why_it_is_left_out() -> None:
    table = stats.intervals(projects(), measure="ratio", column=PEOPLE, denominator=LINES, top=2)
    counted = table.attrs["dirframe"]["counted"]
    assert counted == {
        "projects": 7,
        "with_value": 3,
        "value_missing": 1,
        "value_negative": 1,
        "group_missing": 1,
        "in_other_groups": 1,
    }
    assert table["group"].tolist() == ["C", "Ada"]  # as many as Java has valid ones, by name


@pytest.mark.parametrize("method", CORRECTIONS)
@given(p_values=st.lists(st.one_of(st.floats(0, 1), st.just(float("nan"))), max_size=12))
def test_p_values_are_corrected_as_by_statsmodels_and_missing_ones_do_not_count(
    method: str, p_values: list[float]
) -> None:
    result = corrected(p_values, method)
    known = ~np.isnan(p_values)
    assert np.isnan(result[~known]).all()
    if known.any():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gc, "collect", lambda: 0)  # most of the time of this test
            expected = multipletests(np.array(p_values)[known], method=method)[1]
        np.testing.assert_allclose(result[known], expected, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("method", CORRECTIONS)
def test_a_correction_does_not_collect_the_garbage_of_the_process(method: str) -> None:
    gc.disable()  # what collects then is asked to
    try:
        before = [generation["collections"] for generation in gc.get_stats()]
        corrected([0.04, 0.01, 0.03], method)
        after = [generation["collections"] for generation in gc.get_stats()]
    finally:
        gc.enable()
    assert before == after


def test_a_latitude_may_be_negative() -> None:
    frame = pd.DataFrame({"latitude": [-33.0, 40.0, float("inf")], "country_name": ["A"] * 3})
    table = stats.intervals(frame, measure="mean", column="latitude", groups="country_name")
    assert table["value"].tolist() == [3.5]
    assert table.attrs["dirframe"]["counted"]["value_missing"] == 1


def test_years_and_sizes_ascend() -> None:
    table = stats.intervals(projects(), groups="team_size", column=LINES)
    assert table["group"].tolist() == ["1", "2–4", "5–9"]


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("intervals", {"measure": "mode"}, "measure is 'mode'"),
        ("intervals", {"measure": "ratio"}, "a ratio needs a denominator"),
        ("intervals", {"denominator": LINES}, "nothing else takes one"),
        ("intervals", {"measure": "share", "groups": None}, "groups="),
        ("intervals", {"confidence": 95}, "between 0 and 1"),
        ("intervals", {"resamples": 10}, "100 or more"),
        ("intervals", {"seed": -1}, "seed is -1"),
        ("intervals", {"top": 0}, "top is 0"),
        ("intervals", {"column": "nothing"}, "no column nothing"),
        ("intervals", {"column": "analysis_main_language_name"}, "must hold numbers"),
        ("intervals", {"groups": "nothing"}, "neither a column"),
        ("compare_groups", {"correction": "none"}, "correction is 'none'"),
        ("correlation", {"variables": [PEOPLE]}, "two or more columns, each once"),
        ("correlation", {"variables": [PEOPLE, PEOPLE]}, "two or more columns, each once"),
        ("distribution_fit", {"column": "analysis_main_language_name"}, "must hold whole numbers"),
        ("distribution_fit", {"resamples": -1}, "resamples is -1"),
    ],
)
def test_a_wrong_option_is_refused_with_what_came(
    name: str, options: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInputError, match=said):
        getattr(stats, name)(projects(), **options)


def test_without_the_extra_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    samples = importlib.import_module("dirframe.stats.inference.samples")

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(samples, "import_module", missing)
    with pytest.raises(MissingExtraError) as raised:
        stats.compare_groups(projects())
    assert raised.value.extra == "inference"
    assert raised.value.package == "scipy"
    assert len(stats.intervals(projects())) == 3  # needs none of it


def test_an_interval_lies_as_far_from_its_middle_as_the_normal_distribution_says() -> None:
    assert check_confidence(0.95) == pytest.approx(1.959964)
    assert check_confidence(0.5) == pytest.approx(0.674490)
