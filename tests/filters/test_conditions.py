"""Which records pass which filter: as the statistics count them, and never by a guess."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import stats
from dirframe.errors import InvalidInputError
from dirframe.filters.conditions import CREATED, LANGUAGE, activity_of, month_shown, years
from dirframe.filters.select import Filters


@pytest.mark.parametrize("part", [slice(None), slice(0, 40), slice(0, 1), slice(0, 0)])
def test_activity_is_that_of_the_statistic(projects: pd.DataFrame, part: slice) -> None:
    some = projects.iloc[part]
    counted = stats.activity(some).set_index("activity")["projects"]
    told = activity_of(some)
    for name in ("active", "dormant"):
        assert (told == name).sum() == counted[name]


MONTHS = st.none() | st.dates(min_value=pd.Timestamp("2005-01-01").date()).map(
    lambda day: pd.Timestamp(day.replace(day=1, year=min(day.year, 2014)))
)


@given(rows=st.lists(st.tuples(MONTHS, MONTHS, MONTHS), max_size=12))
def test_activity_is_that_of_the_statistic_for_whatever_comes(rows: list[Any]) -> None:
    frame = pd.DataFrame(
        {
            "analysis_min_month": pd.Series([row[0] for row in rows], dtype="datetime64[us]"),
            "analysis_max_month": pd.Series([row[1] for row in rows], dtype="datetime64[us]"),
            "analysis_logged_at": pd.Series([row[2] for row in rows], dtype="datetime64[us]"),
        }
    )
    counted = stats.activity(frame).set_index("activity")["projects"]
    told = activity_of(frame)
    for name in ("active", "dormant"):
        assert (told == name).sum() == counted[name]


def test_the_date_of_the_fetch_may_be_that_of_the_newer_dialect(projects: pd.DataFrame) -> None:
    older = projects[projects["analysis_logged_at"].notna()]
    newer = older.rename(columns={"analysis_logged_at": "analysis_oldest_code_set_time"})
    assert "activity" in Filters.offered(newer)
    of_both = [Filters(activity="active").apply(frame)["id"] for frame in (older, newer)]
    assert list(of_both[0]) == list(of_both[1])
    with pytest.raises(InvalidInputError, match="no column analysis_logged_at"):
        Filters(activity="active").apply(older.drop(columns="analysis_logged_at"))


def test_years_and_months_of_nothing_are_none(projects: pd.DataFrame) -> None:
    assert years(projects) == (2006, 2013)
    assert years(projects.iloc[:0]) is None
    assert years(pd.DataFrame()) is None
    assert month_shown(projects.iloc[:0]) is None


def test_dates_that_came_as_text_are_no_filter() -> None:
    frame = pd.DataFrame({LANGUAGE: ["C", "Java"], CREATED: ["2008-01-01", "2009-01-01"]})
    assert years(frame) is None
    assert Filters.offered(frame) == {"languages"}
    with pytest.raises(InvalidInputError, match="values that are no dates"):
        Filters(years=(2008, 2009)).apply(frame)
