"""Growth and languages over the years, recomputed by plain Python."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date, datetime, timedelta

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError

moments = st.datetimes(datetime(2006, 1, 1), datetime(2013, 12, 31)).map(  # noqa: DTZ001  # UTC is added
    lambda moment: moment.replace(tzinfo=UTC)
)


def created(days: list[datetime | None], **more: object) -> pd.DataFrame:
    return pd.DataFrame({"created_at": pd.Series(days, dtype="datetime64[us, UTC]"), **more})


@given(st.lists(st.none() | moments, max_size=20))
def test_months_hold_what_plain_python_counts(days: list[datetime | None]) -> None:
    table = stats.growth(created(days))
    known = Counter((day.year, day.month) for day in days if day is not None)
    months = zip(table["start"], table["new"], strict=True)
    found = {(start.year, start.month): new for start, new in months if new}
    assert found == known
    assert table["total"].tolist() == table["new"].cumsum().tolist()
    if known:
        (y0, m0), (y1, m1) = min(known), max(known)
        assert len(table) == 12 * (y1 - y0) + m1 - m0 + 1
        assert set(table["start"].dt.day) == {1}
    counted = provenance.get_provenance(table)["counted"]
    assert counted == {
        "projects": len(days),
        "with_created_at": sum(known.values()),
        "created_at_missing": days.count(None),
    }


DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
#: Every frequency that is accepted, alone.
UNITS = [
    *("D", "W", "MS", "ME", "QS", "QE", "YS", "YE"),
    *(f"W-{day}" for day in DAYS),
    *(f"{unit}-{month}" for unit in ("QS", "QE", "YS", "YE") for month in MONTHS),
]
#: First and last instants of days, weeks, months and years.
EDGES = [
    pd.Timestamp(day, tz="UTC").to_pydatetime() + timedelta(microseconds=shift)
    for day in ("2011-12-31", "2012-01-01", "2012-01-02", "2012-02-29", "2012-03-01", "2012-07-01")
    for shift in (-1, 0, 1)
]


def compare_with_pandas(days: list[datetime], freq: str) -> None:
    table = stats.growth(created(list(days)), freq=freq)
    by_pandas = created(list(days)).set_index("created_at").resample(freq).size()
    if by_pandas.iloc[-1] == 0:  # pandas ends with a period after the last record now and then
        by_pandas = by_pandas.iloc[:-1]
    assert table["new"].tolist() == by_pandas.tolist()
    assert table["total"].tolist() == by_pandas.cumsum().tolist()
    named_by_end = freq.lstrip("123").startswith(("W", "ME", "QE", "YE"))
    labels = by_pandas.index.tolist()
    after = timedelta(days=1)
    starts = [label + after for label in labels[:-1]] if named_by_end else labels[1:]
    assert table["start"].tolist()[1:] == starts
    ends = [*table["start"][1:], max(days) + timedelta(days=1)]
    for start, end, new in zip(table["start"], ends, table["new"], strict=True):
        assert new == sum(start <= day < end for day in days)


@pytest.mark.parametrize("unit", UNITS)
def test_each_frequency_gives_what_pandas_itself_resamples(unit: str) -> None:
    for times in ("", "2"):
        compare_with_pandas(EDGES, f"{times}{unit}")
    compare_with_pandas([EDGES[0], EDGES[-1]], unit)


@settings(deadline=None, max_examples=30)
@given(
    st.lists(moments | st.sampled_from(EDGES), min_size=1, max_size=12),
    st.sampled_from(UNITS),
    st.sampled_from(["", "2", "3"]),
)
def test_any_dates_are_counted_as_pandas_resamples_them(
    days: list[datetime], unit: str, times: str
) -> None:
    compare_with_pandas(days, f"{times}{unit}")


def test_a_week_begins_on_monday_and_a_month_is_the_same_by_either_name() -> None:
    sunday = datetime(2013, 3, 31, 23, 59, tzinfo=UTC)
    for freq, start in (("W", "2013-03-25"), ("ME", "2013-03-01"), ("MS", "2013-03-01")):
        assert stats.growth(created([sunday]), freq=freq)["start"].tolist() == [
            pd.Timestamp(start, tz="UTC")
        ]


def test_accounts_are_called_accounts() -> None:
    accounts = created([datetime(2013, 1, 1, tzinfo=UTC)], email_sha1=["x"])
    assert provenance.get_provenance(stats.growth(accounts))["counted"]["accounts"] == 1
    noted = provenance.set_provenance(created([None]), resource="account", source="A directory")
    record = provenance.get_provenance(stats.growth(noted))
    assert (record["source"], record["counted"]["accounts"]) == ("A directory", 1)


@pytest.mark.parametrize(
    "freq",
    ["h", "12h", "36h", "1.5D", "B", "WOM-2MON", "SME", "BME", "M", "d", "no", "", "-1D", "0D", 7],
)
def test_any_other_frequency_is_refused_and_told_which_there_are(freq: str) -> None:
    with pytest.raises(InvalidInputError, match=rf"freq is {freq!r}; .*'W'.*'ME'.*'YE'"):
        stats.growth(created([]), freq=freq)


def test_what_is_no_date_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="created_at must hold dates"):
        stats.growth(pd.DataFrame({"created_at": ["soon"]}))
    with pytest.raises(InvalidInputError, match="no column created_at"):
        stats.growth(pd.DataFrame({"id": []}))


def begun(projects: list[tuple[str | None, int | None]]) -> pd.DataFrame:
    months = [None if year is None else date(year, 5, 1).isoformat() for _, year in projects]
    return pd.DataFrame(
        {
            "analysis_main_language_name": pd.Series([name for name, _ in projects], dtype="str"),
            "analysis_min_month": pd.to_datetime(pd.Series(months, dtype="str"), utc=True),
        }
    )


names = st.none() | st.sampled_from(["C", "Java", "Perl", "$x$", "", " "])
projects_of_any_kind = st.lists(st.tuples(names, st.none() | st.integers(2000, 2005)), max_size=20)


@given(projects_of_any_kind)
def test_each_year_and_language_holds_what_plain_python_counts(
    projects: list[tuple[str | None, int | None]],
) -> None:
    table = stats.languages_by_year(begun(projects))
    both = [(year, name) for name, year in projects if name and name.strip() and year is not None]
    cells = Counter(both)
    years = [year for year, _ in both]
    order = sorted({n for _, n in both}, key=lambda n: (-sum(m == n for _, m in both), n))
    grid = [(y, n) for y in range(min(years), max(years) + 1) for n in order] if both else []
    assert list(zip(table["year"], table["language"], strict=True)) == grid
    assert table["projects"].tolist() == [cells[cell] for cell in grid]
    for (year, name), share in zip(grid, table["share"], strict=True):
        if year in years:
            assert share == pytest.approx(cells[year, name] / years.count(year))
        else:
            assert share is pd.NA
    counted = provenance.get_provenance(table)["counted"]
    assert counted["projects"] == len(projects)
    assert counted["with_language_and_date"] == len(both)
    assert counted["with_language_and_date"] + counted["without_language"] + counted[
        "date_missing"
    ] == len(projects)


def test_languages_beyond_the_top_are_summed_up_last() -> None:
    projects = [("C", 2001), ("C", 2002), ("D", 2001), ("E", 2002), ("F", 2002)]
    table = stats.languages_by_year(begun(list(projects)), top=1)
    assert table["language"].tolist() == ["C", "other (3 languages)"] * 2
    assert table["projects"].tolist() == [1, 1, 1, 2]
    assert provenance.get_provenance(table)["counted"]["languages_in_other"] == 3


def test_a_project_can_begin_when_the_directory_got_it() -> None:
    projects = begun([("C", 1999)]).assign(created_at=pd.Timestamp("2010-02-01", tz="UTC"))
    table = stats.languages_by_year(projects, date="created_at")
    assert table["year"].tolist() == [2010]


def test_years_of_few_projects_are_taken_together() -> None:
    years = [2001, 2003, 2004, 2004, 2004, 2006, *[2007] * 3, 2008]
    table = stats.languages_by_year(begun([("C", year) for year in years]), min_projects=3)
    spans = zip(table["from_year"], table["year"], table["projects"], strict=True)
    assert [*spans] == [(2001, 2004, 5), (2005, 2008, 5)]
    few = stats.languages_by_year(begun([*[("C", 2001)] * 3, ("C", 2003)]), min_projects=3)
    assert few[["from_year", "year", "projects"]].to_numpy().tolist() == [[2001, 2003, 4]]
    after = stats.languages_by_year(
        begun([("C", year) for year in (2001, 2001, 2003, 2004)]), min_projects=2
    )
    spans = zip(after["from_year"], after["year"], after["projects"], strict=True)
    assert [*spans] == [(2001, 2001, 2), (2002, 2004, 2)]
    with pytest.raises(InvalidInputError, match="min_projects is 0"):
        stats.languages_by_year(begun([]), min_projects=0)


def test_a_period_is_finished_only_if_a_date_in_the_records_shows_that_it_was_over() -> None:
    days = [datetime(2013, 1, 31, tzinfo=UTC), datetime(2013, 3, 1, tzinfo=UTC)]
    frame = created([*days])
    assert stats.growth(frame)["finished"].tolist() == [True, True, False]
    later = frame.assign(updated_at=pd.Timestamp("2013-04-01", tz="UTC"))
    assert stats.growth(later)["finished"].all()
    assert stats.growth(later, freq="YS")["finished"].tolist() == [False]
    projects = begun([("C", 2012), ("C", 2013)])
    assert stats.languages_by_year(projects)["finished"].tolist() == [True, False]
    projects["updated_at"] = pd.Timestamp("2014-01-01", tz="UTC")
    assert stats.languages_by_year(projects)["finished"].all()


@pytest.mark.parametrize("projects", [[], [("C", 2001)], [(None, None)], [("C", None)]])
def test_columns_and_dtypes_do_not_depend_on_what_comes(
    projects: list[tuple[str | None, int | None]],
) -> None:
    table = stats.languages_by_year(begun(projects))
    assert [str(d) for d in table.dtypes] == [
        *("Int64", "Int64", "str", "Int64", "Float64", "boolean"),
    ]
    months = stats.growth(created([None] * len(projects)))
    assert [str(d) for d in months.dtypes] == ["datetime64[us, UTC]", "Int64", "Int64", "boolean"]


def test_an_unknown_date_and_no_language_at_all_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="date is 'updated_at'"):
        stats.languages_by_year(begun([]), date="updated_at")  # type: ignore[arg-type]  # what must be refused
    with pytest.raises(InvalidInputError, match="top is 0"):
        stats.languages_by_year(begun([("C", 2001)]), top=0)


def test_years_at_the_ends_of_the_calendar_are_years_like_others() -> None:
    months = ["0001-01-01", "1969-12-01", "2263-01-01", "9999-12-01"]
    projects = pd.DataFrame(
        {
            "id": [str(number) for number in range(4)],
            "analysis_main_language_name": ["C"] * 4,
            "analysis_min_month": pd.to_datetime(months, format="ISO8601", utc=True),
        }
    )
    table = stats.languages_by_year(projects)
    counted = table[table["projects"] > 0]
    assert list(counted["year"]) == [1, 1969, 2263, 9999]
    assert list(counted["projects"]) == [1, 1, 1, 1]
