"""Cases at the edge: what was active when, how long it lived, and what there is in a period."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError, MissingColumnsError
from tests import oracle
from tests.oracle import FETCHED, FIRST, LANGUAGE, LAST, PEOPLE


def month(number):
    """Give a month since January 2000."""
    return datetime(2000 + number // 12, number % 12 + 1, 1, tzinfo=UTC)


def project(first, last, fetched=60, **columns):
    months = {FIRST: first, LAST: last, FETCHED[0]: fetched}
    return {name: month(n) for name, n in months.items() if n is not None} | columns


def projects(*records, loaded=None):
    return oracle.frame("projects", records, loaded)


def numbers(table):
    return table["projects"].tolist()


def counted(table):
    return table.attrs["dirframe"]["counted"]


# Activity and life spans


def test_later_activity_proves_that_a_project_was_alive():
    some = projects(project(0, 50), project(0, 20), project(30, 50))
    table = stats.activity(some, as_of="2002-02", window=12)
    assert numbers(table) == [2, 0, 0]
    assert counted(table)["begun_after_as_of"] == 1
    assert numbers(stats.activity(some, as_of="2002-02", window=5)) == [1, 1, 0]


def test_no_single_wrong_month_or_date_moves_the_others():
    sound = [project(0, 59), project(0, 10), project(0, 58)]
    assert numbers(stats.activity(projects(*sound))) == [2, 1, 0]
    for wrong, why in (
        (project(0, 12 * 400), "months_after_fetch"),
        (project(0, 12 * 400, None), "months_after_fetch"),
        (project(0, 59, 12 * 500), "fetch_impossible"),
        (project(0, 12, 12), "not_fetched_since"),
    ):
        table = stats.activity(projects(*sound, wrong))
        assert numbers(table) == [2, 1, 1]
        assert counted(table)[why] == 1
        assert set(table["as_of"]) == {pd.Timestamp(month(60))}


def test_code_that_was_fetched_after_the_load_cannot_be():
    some = [project(0, 59, 60), project(0, 59, 62)]
    table = stats.activity(projects(*some, loaded=datetime(2005, 1, 20, tzinfo=UTC)))
    assert counted(table)["fetch_impossible"] == 1
    assert counted(stats.activity(projects(*some)))["fetch_impossible"] == 0
    future = projects(project(1, 5, 12 * 500), loaded=datetime(2600, 1, 1, tzinfo=UTC))
    assert stats.life_span(future)["ended"].isna().tolist() == [True]


def test_either_dialect_dates_the_fetch_and_without_a_date_there_is_an_error():
    some = projects(project(0, 59), project(0, 10)).drop(columns=FETCHED[1])
    newer = some.rename(columns={FETCHED[0]: FETCHED[1]})
    for statistic in (stats.activity, stats.life_span, stats.survival):
        pd.testing.assert_frame_equal(statistic(newer), statistic(some))
        with pytest.raises(MissingColumnsError) as caught:
            statistic(some.drop(columns=FETCHED[0]))
        assert caught.value.columns == FETCHED[:1]


def test_an_analysis_that_counts_otherwise_than_its_months_disagrees():
    for last, people, disagree in (
        *((60, 0, 1), (49, 0, 1), (48, 0, 0), (48, 2, 0), (47, 2, 1), (47, 0, 0)),
        (47, -1, 0),
        (47, None, 0),
    ):
        columns = {} if people is None else {PEOPLE: people}
        table = stats.activity(projects(project(0, last, **columns)), as_of="2005-01")
        assert counted(table)["in_disagreement"] == disagree, (last, people)
        assert numbers(table) == ([1, 0, 0] if last > 48 else [0, 1, 0])


def test_a_day_within_the_month_is_as_good_as_its_first_and_as_the_month():
    some = projects(project(0, 24))
    for day in (
        *("2002-12-31", "2002-12", " 2002-12 ", "2002-12-31T23:59:00Z", date(2002, 12, 5)),
        *(datetime(2002, 12, 5), np.datetime64("2002-12-09")),  # noqa: DTZ001  # a date without a zone is UTC
        pd.Timestamp("2003-01-01 00:30", tz="Europe/Berlin"),
    ):
        assert numbers(stats.activity(some, as_of=day)) == [1, 0, 0]
    assert numbers(stats.activity(some, as_of="2003-01-01")) == [0, 1, 0]


def test_what_is_neither_a_day_nor_a_month_is_refused():
    wrong = ["soon", "2013-31-31", 2013, "2013", "03/04/2013", 1374364800, True, 2013.5, pd.NaT, ""]
    for as_of in wrong:
        with pytest.raises(InvalidInputError, match="as_of"):
            stats.activity(projects(), as_of=as_of)


def test_a_window_is_a_month_to_two_years():
    for statistic in (stats.activity, stats.life_span, stats.survival):
        for window in (0, 25, -1, 1.5, "12", True, None):
            with pytest.raises(InvalidInputError, match="window"):
                statistic(projects(), window=window)
        assert counted(statistic(projects(), window=24))["window"] == 24


def test_recorded_projects_do_not_die_by_looking_back(recorded):
    now = stats.activity(recorded)
    assert set(now["as_of"]) == {pd.Timestamp("2013-07-01", tz="UTC")}
    active = [
        stats.activity(recorded, as_of=day)["share"].iloc[0]
        for day in ("2011-12-31", "2012-12-31", "2013-07-31")
    ]
    assert active == sorted(active, reverse=True)
    assert 0.55 < active[2] < 0.6 < active[1] < 0.68 < active[0]


# Survival


@pytest.fixture(scope="module")
def treated():
    """Make projects that live as long as 21 patients were in remission, some still then.

    Freireich et al., "The effect of 6-mercaptopurine on the duration of steroid-induced remissions
    in acute leukemia", Blood 21 (1963), 699-716; the example of Cox (1972).
    """
    weeks = [
        "6",
        "6",
        "6",
        "6+",
        "7",
        "9+",
        "10",
        "10+",
        "11+",
        "13",
        "16",
        "17+",
        "19+",
        "20+",
        "22",
        "23",
        "25+",
        "32+",
        "32+",
        "34+",
        "35+",
    ]
    lives = [(int(one.strip("+")), one.endswith("+")) for one in weeks]
    # Fetched a year later, or in the same month: the last twelve months say the end.
    return projects(*[project(0, n - 1, n - 1 if censored else n + 11) for n, censored in lives])


def test_survival_is_the_published_curve(treated):
    table = stats.survival(treated).set_index("months")
    ends = table[table["ended"] > 0]
    assert ends.index.tolist() == [6, 7, 10, 13, 16, 22, 23]
    assert ends["at_risk"].tolist() == [21, 17, 15, 12, 11, 7, 6]
    published = [0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448]
    assert ends["survival"].astype(float).round(3).tolist() == published
    assert table["censored"].sum() == 12
    assert table.iloc[0].isna().tolist() == [False] * 4 + [True] * 2
    assert table["at_risk"].iloc[0] == 21


def test_the_interval_of_survival_is_greenwood_s_on_the_scale_of_log_log(treated):
    s, variance = 1.0, 0.0
    for n, d in ((21, 3), (17, 1)):
        s, variance = s * (1 - d / n), variance + d / n / (n - d)
    for confidence, z in ((0.95, 1.959964), (0.5, 0.674490)):
        half = z * np.sqrt(variance) / np.log(s)
        row = stats.survival(treated, confidence=confidence).set_index("months").loc[7]
        assert row["low"] == pytest.approx(s ** np.exp(-half))
        assert row["high"] == pytest.approx(s ** np.exp(half))
    for wrong in (0, 1, 95, "0.95", None):
        with pytest.raises(InvalidInputError, match="confidence"):
            stats.survival(treated, confidence=wrong)


def test_survival_where_every_life_ended_or_none():
    for fetched, survival, ended in ((16, [1, 0.5, 0], [0, 1, 1]), (4, [1, 1, 1], [0, 0, 0])):
        table = stats.survival(projects(project(0, 2, fetched), project(0, 3, fetched)))
        assert table["survival"].tolist() == survival
        assert table["ended"].tolist() == ended
        assert table["censored"].tolist() == ([0, 0, 0] if ended[1] else [0, 1, 1])


def test_lives_that_have_not_ended_make_the_median_longer():
    generator = np.random.default_rng(4)
    true, watched = generator.exponential(60, 500).astype(int) + 1, generator.integers(1, 120, 500)
    ended, months = true <= watched, np.minimum(true, watched)
    table = stats.survival(
        projects(
            *[project(0, n - 1, n + 11 if e else n - 1) for n, e in zip(months, ended, strict=True)]
        )
    )
    median = table["months"][table["survival"] <= 0.5].iloc[0]
    assert np.median(months) < 35 < median
    assert median == pytest.approx(60 * np.log(2), rel=0.15)


# Growth, and languages by year


def created(*days, **columns):
    return pd.DataFrame({"created_at": pd.Series(days, dtype="datetime64[us, UTC]"), **columns})


#: First and last instants of days, weeks, months and years.
EDGES = [
    pd.Timestamp(day, tz="UTC").to_pydatetime() + timedelta(microseconds=shift)
    for day in ("2011-12-31", "2012-01-01", "2012-01-02", "2012-02-29", "2012-03-01", "2012-07-01")
    for shift in (-1, 0, 1)
]


def test_each_frequency_gives_what_pandas_itself_resamples():
    for freq in ("D", "W", "MS", "QS", "YS"):
        for days in (EDGES, [EDGES[0], EDGES[-1]]):
            table = stats.growth(created(*days), freq=freq)
            by_pandas = created(*days).set_index("created_at").resample(freq).size()
            assert table["new"].tolist() == by_pandas.tolist(), freq
            assert table["total"].tolist() == by_pandas.cumsum().tolist()
            ends = [*table["start"][1:], max(days) + timedelta(days=1)]
            for start, end, new in zip(table["start"], ends, table["new"], strict=True):
                assert new == sum(start <= day < end for day in days), freq


def test_a_week_begins_on_monday():
    sunday = datetime(2013, 3, 31, 23, 59, tzinfo=UTC)
    table = stats.growth(created(sunday), freq="W")
    assert table["start"].tolist() == [pd.Timestamp("2013-03-25", tz="UTC")]


def test_another_frequency_is_refused():
    for freq in ("h", "2W", "W-TUE", "ME", "M", "d", "no", "", 7, None):
        with pytest.raises(InvalidInputError, match="freq"):
            stats.growth(created(), freq=freq)


def test_growth_counts_accounts_as_accounts():
    accounts = created(EDGES[0], email_sha1=["x"])
    assert counted(stats.growth(accounts))["accounts"] == 1
    noted = provenance.set_provenance(created(None), resource="account")  # no column tells it
    assert counted(stats.growth(noted))["accounts"] == 1
    unknown = stats.growth(created(EDGES[0]))
    assert counted(unknown)["records"] == 1
    assert provenance.caption(unknown).startswith("n = 1 record ")


def test_a_period_is_finished_only_if_a_date_in_the_records_shows_that_it_was_over():
    frame = created(datetime(2013, 1, 31, tzinfo=UTC), datetime(2013, 3, 1, tzinfo=UTC))
    assert stats.growth(frame)["finished"].tolist() == [True, True, False]
    later = frame.assign(updated_at=pd.Timestamp("2013-04-01", tz="UTC"))
    assert stats.growth(later)["finished"].all()
    assert stats.growth(later, freq="YS")["finished"].tolist() == [False]
    begun = of_years(2012, 2013)
    assert stats.languages_by_year(begun)["finished"].tolist() == [True, False]
    begun["updated_at"] = pd.Timestamp("2014-01-01", tz="UTC")
    assert stats.languages_by_year(begun)["finished"].all()


def of_years(*years):
    return projects(*[{LANGUAGE: "C", FIRST: datetime(year, 5, 1, tzinfo=UTC)} for year in years])


def test_years_of_few_projects_are_taken_together():
    for years, least, expected in (
        ((2001, 2003, *[2004] * 3, 2006, *[2007] * 3, 2008), 3, [(2001, 2004, 5), (2005, 2008, 5)]),
        ((2001, 2001, 2001, 2003), 3, [(2001, 2003, 4)]),
        ((2001, 2001, 2003, 2004), 2, [(2001, 2001, 2), (2002, 2004, 2)]),
    ):
        table = stats.languages_by_year(of_years(*years), min_projects=least)
        spans = table[["from_year", "year", "projects"]].itertuples(index=False, name=None)
        assert [*spans] == expected


def test_a_date_and_a_least_number_that_cannot_be_are_refused():
    with pytest.raises(InvalidInputError, match="updated_at"):
        stats.languages_by_year(of_years(), date="updated_at")
    for least in (0, 1.5, "3", None):
        with pytest.raises(InvalidInputError, match="min_projects"):
            stats.languages_by_year(of_years(2001), min_projects=least)


# Months of one project


def months(*rows, loaded=None):
    frame = pd.DataFrame(
        {
            "month": pd.to_datetime([month for month, _, _ in rows], utc=True),
            "commits": pd.array([commits for _, commits, _ in rows], dtype="Int64"),
            "contributors": pd.array([people for _, _, people in rows], dtype="Int64"),
        }
    )
    return provenance.set_provenance(frame, resource="activity_fact", retrieved_newest=loaded)


def test_months_in_any_order_with_days_inside_the_month_give_the_same():
    in_order = months(("2012-11-01", 3, 2), ("2013-01-01", 5, 1))
    mixed = months(("2013-01-24", 5, 1), ("2012-11-30", 3, 2))
    table = stats.monthly_activity(in_order)
    pd.testing.assert_frame_equal(stats.monthly_activity(mixed), table)
    assert table["commits"].tolist() == [3, 0, 5]


def test_lines_that_the_frame_does_not_have_are_missing_in_gaps_too():
    frame = months(("2012-11-01", 3, 2), ("2013-01-01", 1, 1))
    added = stats.monthly_activity(frame.assign(code_added=[10, 20]))
    assert added["code_added"].tolist() == [10, 0, 20]
    assert added["code_removed"].isna().all()


def test_a_month_is_finished_if_the_load_came_after_it():
    for loaded, finished in (
        ("2012-12-31T23:59:59+00:00", [True, False]),
        ("2013-01-01T00:00:00+00:00", [True, True]),
        ("2012-11-30T00:00:00+00:00", [False, False]),
        (None, [True, pd.NA]),
    ):
        frame = months(("2012-11-01", 3, 2), ("2012-12-01", 5, 1), loaded=loaded)
        assert stats.monthly_activity(frame)["finished"].tolist() == finished


def test_months_of_several_projects_are_refused():
    for second in ("2012-11-01", "2012-11-09"):
        with pytest.raises(InvalidInputError, match="2012-11"):
            stats.monthly_activity(months(("2012-11-01", 3, 2), (second, 4, 2)))
