"""Age and life span, recomputed by plain Python."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError
from tests.stats.lives import Project, frame, lists, month, usual_month

if TYPE_CHECKING:
    from collections.abc import Callable

MOMENT = "datetime64[us, UTC]"
DTYPES = {
    stats.project_age: "Int64 Int64 Float64 Float64",
    stats.life_span: f"str str str {MOMENT} {MOMENT} Int64 boolean Int64",
}


@given(lists, st.none() | st.integers(0, 60))
def test_ages_are_what_plain_python_counts(projects: list[Project], at: int | None) -> None:
    table = stats.project_age(frame(projects), as_of=None if at is None else month(at))
    now = usual_month(projects) if at is None else at
    reasons: Counter[str] = Counter()
    ages = []
    for p in projects:
        if p.first is None:
            reasons["month_missing"] += 1
        elif p.last is not None and p.last < p.first:
            reasons["months_reversed"] += 1
        elif p.fetched is not None and p.first > p.fetched:
            reasons["months_after_fetch"] += 1
        elif now is not None and p.first > now:
            reasons["begun_after_as_of"] += 1
        elif now is None:
            reasons["as_of_missing"] += 1
        else:
            ages.append((now - p.first) // 12)
    assert table["years"].tolist() == list(range(max(ages) + 1 if ages else 0))
    assert table["projects"].tolist() == [ages.count(years) for years in table["years"]]
    assert not ages or table["share_at_most"].iloc[-1] == pytest.approx(1)
    counted = provenance.get_provenance(table)["counted"]
    assert (counted.pop("projects"), counted.pop("with_age")) == (len(projects), len(ages))
    assert {name: n for name, n in counted.items() if n} == reasons


@given(lists, st.integers(1, 5), st.integers(1, 24))
def test_life_spans_are_what_plain_python_counts(
    projects: list[Project], top: int, window: int
) -> None:
    spans = sorted(
        (
            -(p.last - p.first + 1),
            p.first,
            str(number),
            None if p.fetched is None else p.last <= p.fetched - window,
        )
        for number, p in enumerate(projects)
        if p.first is not None and p.last is not None and not p.problem
    )
    records = frame(projects)
    table = stats.life_span(records, window=window)
    assert list(zip(-table["months"], table["id"], strict=True)) == [(s[0], s[2]) for s in spans]
    ended = [None if flag is pd.NA else flag for flag in table["ended"]]
    assert ended == [s[3] for s in spans]
    first = stats.life_span(records, top=top, window=window)
    pd.testing.assert_frame_equal(first, table.head(top))
    shown = provenance.get_provenance(first)["counted"]
    assert shown["projects_not_shown"] == max(len(spans) - top, 0)
    for name, flag in (("ended", True), ("not_ended", False), ("end_unknown", None)):
        assert shown[name] == ended.count(flag)
    for name in ("month_missing", "months_reversed", "months_after_fetch"):
        assert shown[name] == [p.problem for p in projects].count(name)
    assert shown["with_life_span"] == len(spans)


def test_a_date_of_the_fetch_after_today_ends_no_life() -> None:
    table = stats.life_span(frame([Project(1, 5, 1, 12 * 500)]))
    assert table["ended"].isna().tolist() == [True]


def test_a_negative_number_of_contributors_is_missing_in_a_life_span() -> None:
    assert stats.life_span(frame([Project(1, 2, -1)]))["contributors"].isna().tolist() == [True]


@pytest.mark.parametrize("projects", [[], [Project()], [Project(1, 5, 2)], [Project(5, 1, 2)]])
@pytest.mark.parametrize("statistic", DTYPES)
def test_columns_and_dtypes_do_not_depend_on_what_comes(
    statistic: Callable[..., pd.DataFrame], projects: list[Project]
) -> None:
    table = statistic(frame(projects))
    assert " ".join(map(str, table.dtypes)) == DTYPES[statistic]
    assert list(table.index) == list(range(len(table)))


@pytest.mark.parametrize("statistic", DTYPES)
class TestEveryStatistic:
    def test_the_provenance_is_carried_on_and_the_frame_stays(
        self, statistic: Callable[..., pd.DataFrame]
    ) -> None:
        projects = provenance.set_provenance(
            frame([Project(1, 2, 3), Project()]), source="A directory"
        )
        before = projects.copy(deep=True)
        record = provenance.get_provenance(statistic(projects))
        assert (record["source"], record["steps"]) == ("A directory", [statistic.__name__])
        pd.testing.assert_frame_equal(projects, before)

    def test_a_missing_column_is_named(self, statistic: Callable[..., pd.DataFrame]) -> None:
        with pytest.raises(InvalidInputError, match=r"analysis_min_month.*load_projects"):
            statistic(pd.DataFrame({"x": []}))


def test_no_row_at_all_cannot_be_asked_for() -> None:
    with pytest.raises(InvalidInputError, match="top is 0"):
        stats.life_span(frame([]), top=0)
