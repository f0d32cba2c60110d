"""Every statistic gives, cell for cell, what its docstring makes of plain records."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dirframe import provenance, stats
from tests.stats import recomputed, recomputed_entries, recomputed_lives

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypothesis.strategies import DrawFn, SearchStrategy

    from tests.stats.recomputed import Found, Record

    Recompute = Callable[[list[Record]], Found]

#: When the frames of projects were loaded; some of the dates are after it.
RETRIEVED = datetime(2004, 3, 17, tzinfo=UTC)
BY_2004 = recomputed_lives.month(RETRIEVED)
PEOPLE = "analysis_twelve_month_contributor_count"

counts = st.integers(-2, 12) | st.integers(0, 3)
days = st.datetimes(datetime(2001, 1, 1), datetime(2005, 1, 9)).map(  # noqa: DTZ001  # UTC is added
    lambda day: day.replace(tzinfo=UTC)
)
first_days = days.map(lambda day: day.replace(day=1, hour=0, minute=0, second=0, microsecond=0))
words = st.sampled_from(["C", "c", "Java", "Perl", "R", "ß", " ", ""])
blanks = st.sampled_from(["", " "])
padded = st.builds("{}{}{}".format, blanks, st.sampled_from(["a", "b", "B", "ä", ""]), blanks)


def some(**columns: SearchStrategy[Any]) -> SearchStrategy[Record]:
    """Make records that have some of these fields, and not the others."""
    return st.fixed_dictionaries({}, optional=columns)


licences = some(name=padded, nice_name=padded, vanity_url=padded)
parts = some(
    language=padded | st.sampled_from(["C", "2 Other", "1 Others", "2 Other C"]),
    percentage=st.sampled_from(["0", "1", "33", "100", "<1"] * 3 + ["-1", "101", "", "?"]),
    id=st.sampled_from(["", " ", "7"]),
)
ids = st.sampled_from(["1", "2", "10"])
project = some(
    id=ids,
    name=words,
    analysis_id=ids,
    analysis_main_language_name=words,
    analysis_total_code_lines=counts | st.integers(0, 10**6),
    analysis_twelve_month_contributor_count=counts,
    stack_count=counts,
    user_count=counts,
    analysis_min_month=first_days,
    analysis_max_month=first_days,
    analysis_logged_at=days,
    analysis_oldest_code_set_time=days,
    created_at=days,
    updated_at=days,
    tags=st.lists(padded, max_size=4),
    licenses=st.lists(licences, max_size=3),
    analysis_languages=st.lists(parts, max_size=4),
)
account = some(
    email_sha1=ids,
    kudo_score_kudo_rank=st.integers(-1, 12),
    posts_count=counts,
    country_code=words,
    country_alpha_2=ids,
    country_name=words,
    created_at=days,
    updated_at=days,
)
DTYPES = {
    **dict.fromkeys(("stack_count", "user_count", "kudo_score_kudo_rank", "posts_count"), "Int64"),
    **dict.fromkeys(("analysis_total_code_lines", PEOPLE, "commits", "contributors"), "Int64"),
    **dict.fromkeys(("code_added", "code_removed"), "Int64"),
    **dict.fromkeys(("tags", "licenses", "analysis_languages"), "object"),
    **dict.fromkeys(("created_at", "month", "analysis_min_month"), "datetime64[us, UTC]"),
    **dict.fromkeys(("analysis_max_month", "analysis_logged_at"), "datetime64[us, UTC]"),
    **dict.fromkeys(("analysis_oldest_code_set_time", "updated_at"), "datetime64[us, UTC]"),
}
PROJECT = (
    *("id", "name", "analysis_id", "analysis_main_language_name", "analysis_total_code_lines"),
    *(PEOPLE, "stack_count", "user_count", "analysis_min_month", "analysis_max_month"),
    *("analysis_logged_at", "analysis_oldest_code_set_time", "created_at", "tags", "licenses"),
    *("analysis_languages", "updated_at"),
)
ACCOUNT = (
    *("email_sha1", "kudo_score_kudo_rank", "posts_count", "country_code"),
    *("country_alpha_2", "country_name", "created_at", "updated_at"),
)


def frame(records: list[Record], columns: tuple[str, ...], loaded: datetime | None) -> pd.DataFrame:
    data = {
        name: pd.Series([record.get(name) for record in records], dtype=DTYPES.get(name, "str"))
        for name in columns
    }
    when = loaded.isoformat() if loaded else None
    return provenance.set_provenance(pd.DataFrame(data), retrieved_newest=when)


def cells(table: pd.DataFrame) -> list[tuple[Any, ...]]:
    columns = [
        [None if pd.isna(value) else value for value in table[name].tolist()] for name in table
    ]
    return list(zip(*columns, strict=True)) if len(table) else []


def compare(table: pd.DataFrame, expected: Found) -> None:
    rows, counted = expected
    found = cells(table)
    assert len(found) == len(rows)
    for own, row in zip(found, rows, strict=True):
        assert len(own) == len(row)
        for cell, value in zip(own, row, strict=True):
            is_number = isinstance(value, float)
            assert cell == (pytest.approx(value, rel=1e-9, abs=1e-9) if is_number else value)
    assert table.attrs["dirframe"]["counted"] == counted


#: Each example is a few calls of pandas.
FEW = settings(max_examples=40)

tops = st.none() | st.integers(1, 3)
periods = st.sampled_from(["D", "W", "W-TUE", "MS", "ME", "QS", "QE", "YS", "YE"])


@st.composite
def of_accounts(draw: DrawFn) -> tuple[str, dict[str, Any], Recompute]:
    name = draw(st.sampled_from(["accounts_by_kudo_rank", "posts_distribution", "growth"]))
    if name == "growth":
        freq = draw(periods)
        work = partial(recomputed_entries.growth, freq=freq, collection="accounts")
        return name, {"freq": freq}, work
    return name, {}, getattr(recomputed, name)


@FEW
@given(st.lists(account, max_size=12), of_accounts())
def test_accounts(records: list[Record], case: tuple[str, dict[str, Any], Recompute]) -> None:
    name, options, recompute = case
    table = getattr(stats, name)(frame(records, ACCOUNT, RETRIEVED), **options)
    compare(table, recompute(records))


@FEW
@given(st.lists(account, max_size=14), tops)
def test_countries(records: list[Record], top: int | None) -> None:
    table = stats.accounts_by_country(frame(records, ACCOUNT, RETRIEVED), top=top)
    compare(table, recomputed.accounts_by_country(records, top))


#: Those with `top` alone, and without an option.
WITH_TOP = {
    **dict.fromkeys(
        ("language_share", "contributors_by_language", "contributors_per_thousand_lines"),
        recomputed,
    ),
    **dict.fromkeys(("tags", "licenses", "language_breakdown"), recomputed_entries),
}
PLAIN = (
    *("contributor_distribution", "contributor_concentration", "lorenz"),
    "users_against_contributors",
)


@pytest.mark.parametrize("name", WITH_TOP)
@FEW
@given(records=st.lists(project, max_size=14), top=tops)
def test_projects_with_the_rest_as_other(name: str, records: list[Record], top: int | None) -> None:
    table = getattr(stats, name)(frame(records, PROJECT, RETRIEVED), top=top)
    compare(table, getattr(WITH_TOP[name], name)(records, top))


@pytest.mark.parametrize("name", PLAIN)
@FEW
@given(records=st.lists(project, max_size=14))
def test_projects(name: str, records: list[Record]) -> None:
    table = getattr(stats, name)(frame(records, PROJECT, RETRIEVED))
    compare(table, getattr(recomputed, name)(records))


@FEW
@given(
    st.lists(project, max_size=14),
    st.lists(st.floats(0, 1), max_size=4),
    st.sets(st.integers(1, 2000), max_size=4),
)
def test_quantiles_and_classes(
    records: list[Record], quantiles: list[float], others: set[int]
) -> None:
    projects = frame(records, PROJECT, RETRIEVED)
    table = stats.contributor_quantiles(projects, quantiles=quantiles)
    compare(table, recomputed.contributor_quantiles(records, quantiles))
    bounds = [0, *sorted(others)]
    table = stats.team_size_classes(projects, bounds=bounds)
    compare(table, recomputed.team_size_classes(records, bounds))


@FEW
@given(
    st.lists(project, max_size=14),
    tops,
    st.sampled_from(["analysis_min_month", "created_at"]),
    periods,
)
def test_projects_over_time(records: list[Record], top: int | None, date: Any, freq: str) -> None:
    projects = frame(records, PROJECT, RETRIEVED)
    for least in (1, 3):
        table = stats.languages_by_year(projects, top=top, date=date, min_projects=least)
        compare(table, recomputed_entries.languages_by_year(records, top, date, least))
    table = stats.growth(projects, freq=freq)
    compare(table, recomputed_entries.growth(records, freq, "projects"))


@FEW
@given(st.lists(project, max_size=14), st.none() | days, st.integers(1, 24), tops)
def test_lives(records: list[Record], day: datetime | None, window: int, top: int | None) -> None:
    assert BY_2004 is not None
    projects, retrieved = frame(records, PROJECT, RETRIEVED), BY_2004
    as_of = recomputed_lives.month(day)
    table = stats.activity(projects, as_of=day, window=window)
    compare(table, recomputed_lives.activity(records, as_of, window, retrieved))
    table = stats.project_age(projects, as_of=day)
    compare(table, recomputed_lives.project_age(records, as_of, retrieved))
    table = stats.life_span(projects, top=top, window=window)
    compare(table, recomputed_lives.life_span(records, top, window, retrieved))


contributor = some(contributor_name=words, commits=st.integers(-1, 9) | st.integers(0, 10**6))


@FEW
@given(st.lists(contributor, max_size=12), st.integers(0, 12))
def test_the_contributors_of_a_project(records: list[Record], with_id: int) -> None:
    for place, record in enumerate(records[:with_id]):
        record["contributor_id"] = str(place)
    contributors = frame(records, ("contributor_id", "contributor_name", "commits"), None)
    for name in ("commits_by_contributor", "commit_concentration"):
        compare(getattr(stats, name)(contributors), getattr(recomputed_lives, name)(records))


fact = some(month=first_days, commits=counts, contributors=counts, code_added=counts)
facts = st.lists(fact, max_size=8, unique_by=lambda one: one.get("month", object()))


@FEW
@given(facts, st.none() | days)
def test_the_months_of_a_project(records: list[Record], loaded: datetime | None) -> None:
    columns = ("month", "commits", "contributors", "code_added", "code_removed")
    table = stats.monthly_activity(frame(records, columns, loaded))
    compare(table, recomputed_lives.monthly_activity(records, loaded))


def test_every_statistic_is_recomputed() -> None:
    modules = (recomputed, recomputed_entries, recomputed_lives)
    found = {name for module in modules for name in vars(module)}
    # Those of inference are compared with other libraries and published examples, in their tests.
    assert {n for n in stats.__all__ if ".inference." not in getattr(stats, n).__module__} <= found


def test_the_others_have_a_comma_between_thousands() -> None:
    records = [{"tags": [str(n) for n in range(1003)]}, {"tags": ["0"]}]
    table = stats.tags(frame(records, PROJECT, None), top=2)
    assert table["tag"].tolist() == ["0", "1", "other (1,001 tags)"]
    compare(table, recomputed_entries.tags(records, 2))
