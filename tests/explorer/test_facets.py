"""Counts are those of the records that the other filters let pass, whatever the column is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import dirframe
from dirframe import stats
from dirframe.explorer.facets import Facets
from dirframe.filters.conditions import MISSING

LANGUAGE, LINES = "analysis_main_language_name", "analysis_total_code_lines"
FILTERS: dict[str, Any] = {
    "languages": ("C", None),
    "licenses": ("gpl",),
    "ranges": {LINES: (1_000, 1_000_000)},
}


@pytest.mark.parametrize(
    ("column", "own"),
    [
        (LANGUAGE, {"languages": ()}),
        ("licenses", {"licenses": ()}),
        ("tags", {}),
        ("created_at", {}),
        ("stack_count", {}),
        (LINES, {"ranges": {}}),
    ],
)
def test_each_bar_counts_what_a_click_on_it_would_show(
    column: str, own: dict[str, Any], projects: pd.DataFrame
) -> None:
    filter_of = {LANGUAGE: "languages", "created_at": "years"}.get(column, column)
    bars = Facets(projects).bars(column, FILTERS)
    assert len(bars) > 5
    for bar in bars:
        chosen = bar.value if isinstance(bar.value, tuple) else [bar.value]
        ranges = {**FILTERS["ranges"], **own.get("ranges", {}), column: bar.value}
        is_range = column in {"stack_count", LINES}
        wanted: dict[str, Any] = {"ranges": ranges} if is_range else {filter_of: chosen}
        assert len(dirframe.select(projects, **{**FILTERS, **own, **wanted})) == bar.count, bar


def test_without_filters_the_counts_are_those_of_the_statistics(projects: pd.DataFrame) -> None:
    facets = Facets(projects)
    for name, label, table in (
        ("tags", "tag", stats.tags(projects)),
        ("licenses", "license", stats.licenses(projects)),
    ):
        bars = facets.bars(name, {})
        counted = dict(zip(table[label], table["projects"], strict=True))
        assert {bar.value: bar.count for bar in bars if not bar.is_missing} == counted
        without = table.attrs["dirframe"]["counted"][f"without_{label}"]
        assert bars[-1].is_missing
        assert bars[-1].count == without > 0
        counts = [bar.count for bar in bars[:-1]]
        assert counts == sorted(counts, reverse=True)


def test_missing_values_have_a_bar_where_there_are_some(projects: pd.DataFrame) -> None:
    facets = Facets(projects)
    assert not facets.bars("stack_count", {})[-1].is_missing
    assert facets.bars("average_rating", {})[-1].value == MISSING
    assert facets.bars(LANGUAGE, {})[-1].value is None


NUMBERS = st.lists(
    st.integers(-(10**9), 10**9)
    | st.floats(-1e12, 1e12)
    | st.floats(0, 1e-3)
    | st.sampled_from([0.0, np.inf, -np.inf])
    | st.none(),
    max_size=40,
)


@given(values=NUMBERS)
@example(values=[1, 0.0078125, 1.2e-60])  # ranges of ten times the one before, to the most itself
def test_every_number_is_in_one_range_that_filters_what_it_counts(values: list[Any]) -> None:
    frame = pd.DataFrame({"x": pd.Series(values, dtype="Float64")})
    facets = Facets(frame)
    bars, missing = facets.profile("x", np.ones(len(frame), dtype=bool))
    present = frame["x"].dropna()
    finite = int(np.isfinite(present.to_numpy(dtype=float)).sum())
    if not finite:
        return
    assert sum(bar.count for bar in bars) == len(present)
    assert missing == pytest.approx(frame["x"].isna().mean())
    assert all(bar.value[0] < bar.value[1] for bar in bars)
    if len(present) == finite:
        for bar in bars:
            assert len(dirframe.select(frame, ranges={"x": bar.value})) == bar.count


def test_the_profile_of_a_column_is_of_the_records_given(projects: pd.DataFrame) -> None:
    facets = Facets(projects)
    mask = (projects[LANGUAGE] == "C").to_numpy(dtype=bool)
    bars, missing = facets.profile(LANGUAGE, mask)
    assert missing == 0
    assert [(bar.title, bar.count) for bar in bars if bar.count] == [("C", int(mask.sum()))]
    assert facets.profile("name", mask) == ([], 0.0)
    assert facets.profile("tags", mask)[1] == pytest.approx(projects["tags"][mask].isna().mean())
    years, _ = facets.profile("created_at", mask)
    assert [bar.title for bar in years] == [str(year) for year in range(2006, 2014)]
