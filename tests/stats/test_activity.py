"""Activity, recomputed by plain Python."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import provenance, read_pages, stats
from dirframe.errors import InvalidInputError
from tests.stats.lives import Project, frame, lists, month, usual_month

if TYPE_CHECKING:
    from collections.abc import Callable

DTYPES = "str Int64 Float64 Float64 datetime64[us, UTC]"
REAL = Path(__file__).parents[3] / "shared" / "real" / "pages"


def state(project: Project, at: int | None, window: int) -> str:
    if project.problem:
        return project.problem
    first, last, fetched = project.first, project.last, project.fetched
    assert first is not None
    assert last is not None
    if at is not None and first > at:
        return "begun_after_as_of"
    if fetched is None:
        return "fetch_missing"
    assert at is not None, "a fetch is known, and so is the usual one"
    if fetched < at:
        return "not_fetched_since"
    return "active" if last > at - window else "dormant"


@given(lists, st.none() | st.integers(0, 60), st.integers(1, 24))
def test_activity_is_what_plain_python_counts(
    projects: list[Project], at: int | None, window: int
) -> None:
    as_of = None if at is None else month(at)
    table = stats.activity(frame(projects), as_of=as_of, window=window)
    now = usual_month(projects) if at is None else at
    states = Counter(state(project, now, window) for project in projects)
    active, dormant = states.pop("active", 0), states.pop("dormant", 0)
    begun_later = states["begun_after_as_of"]
    unknown = states.total() - begun_later
    assert table["activity"].tolist() == ["active", "dormant", "unknown"]
    assert table["projects"].tolist() == [active, dormant, unknown]
    known, everything = max(active + dormant, 1), max(active + dormant + unknown, 1)
    assert table["share"].tolist()[:2] == pytest.approx([active / known, dormant / known])
    assert table["share"].iloc[2] is pd.NA
    of_all = [active / everything, dormant / everything, unknown / everything]
    assert table["share_of_all"].tolist() == pytest.approx(of_all)
    counted = provenance.get_provenance(table)["counted"]
    for reason, number in states.items():
        assert counted[reason] == number
    assert counted["unknown"] == unknown
    assert counted["projects"] == len(projects) == active + dormant + unknown + begun_later
    assert counted["not_fetched_since_but_active"] == sum(
        state(p, now, window) == "not_fetched_since" and (p.last or 0) > (now or 0) - window
        for p in projects
    )
    looked_back = pd.NaT if now is None else pd.Timestamp(month(now), tz="UTC")
    assert table["as_of"].isna().all() if now is None else set(table["as_of"]) == {looked_back}


def test_later_activity_proves_that_a_project_was_alive() -> None:
    projects = frame([Project(0, 50), Project(0, 20), Project(30, 50)])
    table = stats.activity(projects, as_of=month(25), window=12)
    assert table["projects"].tolist() == [2, 0, 0]
    assert provenance.get_provenance(table)["counted"]["begun_after_as_of"] == 1
    assert stats.activity(projects, as_of=month(25), window=5)["projects"].tolist() == [1, 1, 0]


def test_no_single_wrong_month_or_date_moves_the_others() -> None:
    sound = [Project(0, 59), Project(0, 10), Project(0, 58)]
    expected = stats.activity(frame(sound))["projects"].tolist()
    assert expected == [2, 1, 0]
    for wrong, why in (
        (Project(0, 12 * 400), "months_after_fetch"),
        (Project(0, 12 * 400, None, None), "months_after_fetch"),
        (Project(0, 59, None, 12 * 500), "fetch_impossible"),
        (Project(0, 12, None, 12), "not_fetched_since"),
    ):
        table = stats.activity(frame([*sound, wrong]))
        assert table["projects"].tolist() == [2, 1, 1]
        assert provenance.get_provenance(table)["counted"][why] == 1
        assert set(table["as_of"]) == {pd.Timestamp(month(60), tz="UTC")}


def test_what_was_fetched_after_the_frame_was_retrieved_cannot_be() -> None:
    projects = frame([Project(0, 59, None, 60), Project(0, 59, None, 62)])
    noted = provenance.set_provenance(projects, retrieved_newest="2005-01-20T00:00:00+00:00")
    assert provenance.get_provenance(stats.activity(noted))["counted"]["fetch_impossible"] == 1


def test_the_newer_dialect_dates_the_fetch_too_and_without_a_date_there_is_an_error() -> None:
    projects = frame([Project(0, 59), Project(0, 10)])
    newer = projects.rename(columns={"analysis_logged_at": "analysis_oldest_code_set_time"})
    pd.testing.assert_frame_equal(stats.activity(newer), stats.activity(projects))
    for statistic in (stats.activity, stats.project_age, stats.life_span):
        with pytest.raises(InvalidInputError, match=r"analysis_logged_at.*load_projects"):
            statistic(projects.drop(columns="analysis_logged_at"))
    ages = stats.project_age(projects.drop(columns="analysis_logged_at"), as_of="2001-01")
    assert ages["projects"].tolist() == [0, 2]


@pytest.mark.parametrize(
    ("last", "people", "disagree"),
    [(60, 0, 1), (49, 0, 1), (48, 0, 0), (48, 2, 0), (47, 2, 1), (47, 0, 0), (47, None, 0)],
)
def test_an_analysis_that_counts_otherwise_than_its_months_is_a_disagreement_and_no_more(
    last: int, people: int | None, disagree: int
) -> None:
    table = stats.activity(frame([Project(0, last, people)]), as_of="2005-01")
    assert provenance.get_provenance(table)["counted"]["in_disagreement"] == disagree
    assert table["projects"].tolist() == ([1, 0, 0] if last > 48 else [0, 1, 0])


def test_a_day_within_the_month_is_as_good_as_its_first_and_as_the_month() -> None:
    projects = frame([Project(0, 24)])
    for day in (
        *("2002-12-31", "2002-12", "2002-12-31T23:59:00Z", date(2002, 12, 5)),
        *(datetime(2002, 12, 5), np.datetime64("2002-12-09")),  # noqa: DTZ001  # a date without a zone is UTC
        pd.Timestamp("2003-01-01 00:30", tz="Europe/Berlin"),
    ):
        as_of: Any = day
        assert stats.activity(projects, as_of=as_of)["projects"].tolist() == [1, 0, 0]
    assert stats.activity(projects, as_of="2003-01-01")["projects"].tolist() == [0, 1, 0]


@pytest.mark.parametrize("statistic", [stats.activity, stats.project_age])
@pytest.mark.parametrize(
    "as_of",
    ["soon", "2013-31-31", 2013, "2013", "03/04/2013", 1374364800, True, 2013.5, pd.NaT, ""],
)
def test_what_is_neither_a_day_nor_a_month_is_refused(
    statistic: Callable[..., pd.DataFrame], as_of: Any
) -> None:
    with pytest.raises(InvalidInputError, match=r"as_of must be a day .* or a month .* got"):
        statistic(frame([]), as_of=as_of)


@pytest.mark.parametrize("window", [0, 25, -1, 1.5, "12", True, None])
@pytest.mark.parametrize("statistic", [stats.activity, stats.life_span])
def test_a_window_is_a_month_to_two_years(
    statistic: Callable[..., pd.DataFrame], window: Any
) -> None:
    with pytest.raises(InvalidInputError, match=r"window is .* whole number from 1 to 24"):
        statistic(frame([]), window=window)


@pytest.mark.parametrize("projects", [[], [Project()], [Project(1, 5, 2)], [Project(5, 1, 2)]])
def test_columns_and_dtypes_do_not_depend_on_what_comes(projects: list[Project]) -> None:
    table = stats.activity(frame(projects))
    assert " ".join(map(str, table.dtypes)) == DTYPES
    assert list(table.index) == [0, 1, 2]


def test_the_provenance_is_carried_on_and_a_missing_column_named() -> None:
    projects = provenance.set_provenance(frame([Project(1, 2, 3)]), source="A directory")
    before = projects.copy(deep=True)
    record = provenance.get_provenance(stats.activity(projects))
    assert (record["source"], record["steps"]) == ("A directory", ["activity"])
    pd.testing.assert_frame_equal(projects, before)
    with pytest.raises(InvalidInputError, match=r"analysis_min_month.*load_projects"):
        stats.activity(pd.DataFrame({"x": []}))


def test_recorded_projects_are_told_for_every_month_and_do_not_die_by_looking_back() -> None:
    if not REAL.is_dir():
        pytest.skip("needs the recorded projects, which are not part of the repository")
    projects = read_pages(sorted(REAL.glob("*.xml")))
    now = stats.activity(projects)
    assert set(now["as_of"]) == {pd.Timestamp("2013-07-01", tz="UTC")}
    active = [
        stats.activity(projects, as_of=day)["share"].iloc[0]
        for day in ("2011-12-31", "2012-12-31", "2013-07-31")
    ]
    assert active == sorted(active, reverse=True)
    assert 0.55 < active[2] < 0.6 < active[1] < 0.68 < active[0]
