"""Activity, age and life span, recomputed by plain Python."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable

MOMENT = "datetime64[us, UTC]"
DTYPES = {
    stats.activity: f"str Int64 Float64 {MOMENT}",
    stats.project_age: "Int64 Int64 Float64 Float64",
    stats.life_span: f"str str str {MOMENT} {MOMENT} Int64 Int64",
}


class Project(NamedTuple):
    first: int | None = None  # months since January 2000
    last: int | None = None
    people: int | None = None


months = st.none() | st.integers(0, 60)
lists = st.lists(st.builds(Project, months, months, st.none() | st.integers(-2, 3)), max_size=20)


def month(number: int) -> str:
    return date(2000 + number // 12, number % 12 + 1, 1).isoformat()


def frame(projects: list[Project]) -> pd.DataFrame:
    def moments(numbers: list[int | None]) -> pd.Series[pd.Timestamp]:
        texts = [None if number is None else month(number) for number in numbers]
        return pd.to_datetime(pd.Series(texts, dtype="str"), utc=True)

    return pd.DataFrame(
        {
            "id": pd.Series(map(str, range(len(projects))), dtype="str"),
            "name": pd.Series(["Same name"] * len(projects), dtype="str"),
            "analysis_main_language_name": pd.Series([None] * len(projects), dtype="str"),
            "analysis_min_month": moments([p.first for p in projects]),
            "analysis_max_month": moments([p.last for p in projects]),
            "analysis_twelve_month_contributor_count": pd.Series(
                [p.people for p in projects], dtype="Int64"
            ),
        }
    )


def reversed_(project: Project) -> bool:
    return None not in project[:2] and project.last < project.first  # type: ignore[operator]  # neither is None


def latest(projects: list[Project]) -> int:
    return max((p.last for p in projects if p.last is not None and not reversed_(p)), default=-1)


@given(lists, st.none() | st.integers(0, 60))
def test_activity_is_what_plain_python_counts(projects: list[Project], at: int | None) -> None:
    table = stats.activity(frame(projects), as_of=None if at is None else month(at))
    now = latest(projects) if at is None else at
    told = [
        (p.last, p.people)
        for p in projects
        if not reversed_(p) and p.last is not None and p.last <= now
        if p.people is not None and p.people >= 0
    ]
    active = [last > now - 12 and people > 0 for last, people in told]
    assert table["projects"].tolist() == [sum(active), len(told) - sum(active)]
    counted = provenance.describe(table)["counted"]
    assert counted == {
        "projects": len(projects),
        "with_activity": len(told),
        "month_missing": sum(p.last is None for p in projects),
        "contributors_missing": sum(p.people is None for p in projects),
        "contributors_negative": sum(p.people is not None and p.people < 0 for p in projects),
        "months_reversed": sum(map(reversed_, projects)),
        "months_after_as_of": 0
        if now < 0
        else sum(p.last is not None and p.last > now for p in projects),
        "in_disagreement": sum((last > now - 12) != (people > 0) for last, people in told),
    }
    assert (
        table["as_of"].isna().all()
        if now < 0
        else set(table["as_of"]) == {pd.Timestamp(month(now), tz="UTC")}
    )


@given(lists, st.none() | st.integers(0, 60))
def test_ages_are_what_plain_python_counts(projects: list[Project], at: int | None) -> None:
    table = stats.project_age(frame(projects), as_of=None if at is None else month(at))
    months_there = [m for p in projects if not reversed_(p) for m in p[:2] if m is not None]
    now = max(months_there, default=-1) if at is None else at
    ages = [
        (now - p.first) // 12
        for p in projects
        if p.first is not None and not reversed_(p) and p.first <= now
    ]
    assert table["years"].tolist() == list(range(max(ages) + 1 if ages else 0))
    assert table["projects"].tolist() == [ages.count(years) for years in table["years"]]
    assert not ages or table["share_at_most"].iloc[-1] == pytest.approx(1)
    counted = provenance.describe(table)["counted"]
    left_out = ("month_missing", "months_reversed", "months_after_as_of")
    assert counted["with_age"] + sum(counted[name] for name in left_out) == len(projects)


@given(lists, st.integers(1, 5))
def test_life_spans_are_what_plain_python_counts(projects: list[Project], top: int) -> None:
    spans = sorted(
        (-(p.last - p.first + 1), p.first, str(number))
        for number, p in enumerate(projects)
        if p.first is not None and p.last is not None and p.last >= p.first
    )
    table = stats.life_span(frame(projects))
    assert list(zip(-table["months"], table["id"], strict=True)) == [(s[0], s[2]) for s in spans]
    pd.testing.assert_frame_equal(stats.life_span(frame(projects), top=top), table.head(top))
    shown = provenance.describe(stats.life_span(frame(projects), top=top))["counted"]
    assert shown["projects_not_shown"] == max(len(spans) - top, 0)
    left_out = shown["with_life_span"] + shown["month_missing"] + shown["months_reversed"]
    assert left_out == len(projects)


def test_a_negative_number_of_contributors_is_missing_in_a_life_span() -> None:
    assert stats.life_span(frame([Project(1, 2, -1)]))["contributors"].isna().tolist() == [True]


def test_a_day_within_the_month_is_as_good_as_its_first() -> None:
    projects = frame([Project(0, 24, 1)])
    for day in ("2002-12-31", date(2002, 12, 5), pd.Timestamp("2002-12-31 23:59", tz="UTC")):
        assert stats.activity(projects, as_of=day)["projects"].tolist() == [1, 0]
    assert stats.activity(projects, as_of="2003-01-01")["projects"].tolist() == [0, 1]


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
        projects = provenance.attach(frame([Project(1, 2, 3), Project()]), source="A directory")
        before = projects.copy(deep=True)
        record = provenance.describe(statistic(projects))
        assert (record["source"], record["steps"]) == ("A directory", [statistic.__name__])
        pd.testing.assert_frame_equal(projects, before)

    def test_a_missing_column_is_named(self, statistic: Callable[..., pd.DataFrame]) -> None:
        with pytest.raises(InvalidInputError, match=r"analysis_min_month.*load_projects"):
            statistic(pd.DataFrame({"x": []}))


@pytest.mark.parametrize("statistic", [stats.activity, stats.project_age])
@pytest.mark.parametrize("as_of", ["soon", "2013-31-31"])
def test_what_is_no_day_is_refused(statistic: Callable[..., pd.DataFrame], as_of: str) -> None:
    with pytest.raises(InvalidInputError, match=f"as_of must be a day.*'{as_of}' came"):
        statistic(frame([]), as_of=as_of)


def test_no_row_at_all_cannot_be_asked_for() -> None:
    with pytest.raises(InvalidInputError, match="top is 0"):
        stats.life_span(frame([]), top=0)
