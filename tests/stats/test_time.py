"""Cases at the edge: what was active when, how long it lived, and what there is in a period."""

from datetime import UTC, date, datetime

import pandas as pd
import pytest

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError
from tests import oracle
from tests.oracle import FETCHED, FIRST, LAST


def month(number):
    """Give a month since January 2000."""
    return datetime(2000 + number // 12, number % 12 + 1, 1, tzinfo=UTC)


def project(first, last, fetched=60):
    months = {FIRST: first, LAST: last, FETCHED[0]: fetched}
    return {name: month(n) for name, n in months.items() if n is not None}


def projects(*records, loaded=None):
    return oracle.frame("projects", records, loaded)


def counted(table):
    return table.attrs["dirframe"]["counted"]


# Activity, life spans and survival


SOUND = [project(0, 59), project(0, 10), project(0, 58)]


def test_activity_is_that_of_the_newest_month():
    assert stats.activity(projects(*SOUND))["projects"].tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (project(0, 12 * 400), "months_after_fetch"),
        (project(0, 12 * 400, None), "months_after_fetch"),
        (project(0, 59, 12 * 500), "fetch_impossible"),
        (project(0, 12, 12), "not_fetched_since"),
    ],
)
def test_activity_is_not_moved_by_a_single_wrong_month_or_date(wrong, why):
    table = stats.activity(projects(*SOUND, wrong))
    assert table["projects"].tolist() == [2, 1, 1]
    assert counted(table)[why] == 1
    assert set(table["as_of"]) == {pd.Timestamp(month(60))}


@pytest.mark.parametrize(
    ("loaded", "impossible"), [(datetime(2005, 1, 20, tzinfo=UTC), 1), (None, 0)]
)
def test_code_that_was_fetched_after_the_load_cannot_be(loaded, impossible):
    some = projects(project(0, 59, 60), project(0, 59, 61), loaded=loaded)
    assert counted(stats.activity(some))["fetch_impossible"] == impossible


def test_code_that_was_fetched_after_today_cannot_be():
    future = projects(project(1, 5, 12 * 500), loaded=datetime(2600, 1, 1, tzinfo=UTC))
    assert stats.life_span(future)["ended"].isna().tolist() == [True]


@pytest.mark.parametrize(
    ("day", "numbers"),
    [
        ("2002-12-31", [1, 0, 0]),
        ("2002-12", [1, 0, 0]),
        (date(2002, 12, 5), [1, 0, 0]),
        (datetime(2002, 12, 5), [1, 0, 0]),  # noqa: DTZ001  # a date without a zone is UTC
        (pd.Timestamp("2003-01-01 00:30", tz="Europe/Berlin"), [1, 0, 0]),
        ("2003-01-01", [0, 1, 0]),
    ],
)
def test_activity_as_of_a_day_is_that_of_its_month(day, numbers):
    table = stats.activity(projects(project(0, 24)), as_of=day)
    assert table["projects"].tolist() == numbers


@pytest.mark.parametrize(
    "as_of",
    [
        "soon",
        "2013-31-31",
        2013,
        "2013",
        "2013-07-31x",
        "03/04/2013",
        1374364800,
        True,
        2013.5,
        pd.NaT,
        "",
    ],
)
def test_activity_as_of_what_is_no_day_or_month_is_refused(as_of):
    with pytest.raises(InvalidInputError, match="as_of"):
        stats.activity(projects(), as_of=as_of)


@pytest.mark.parametrize("window", [0, 25, -1, 1.5, "12", True, None])
@pytest.mark.parametrize("name", ["activity", "life_span", "survival"])
def test_survival_window_has_bounds(name, window):
    with pytest.raises(InvalidInputError, match="window"):
        getattr(stats, name)(projects(), window=window)


@pytest.mark.parametrize("confidence", [0, 1, 95, "0.95", None])
def test_survival_confidence_has_bounds(confidence):
    with pytest.raises(InvalidInputError, match="confidence"):
        stats.survival(projects(), confidence=confidence)


def test_lives_that_tie_are_by_name_and_id_and_missing_ones_are_first():
    facts = [("b", None), ("a", "2"), ("a", "10"), ("a", None), (None, "1")]
    some = projects(*[project(0, 9) | {"name": name, "id": id_} for name, id_ in facts])
    ids = [*stats.life_span(some)["id"].fillna("")]
    assert ids == ["1", "", "10", "2", ""]
    assert [*stats.life_span(some, top=3)["id"].fillna("")] == ids[:3]


def test_recorded_projects_do_not_die_by_looking_back(recorded):
    now = stats.activity(recorded)
    assert set(now["as_of"]) == {pd.Timestamp("2013-07-01", tz="UTC")}
    active = [
        stats.activity(recorded, as_of=day)["share"].iloc[0]
        for day in ("2011-12-31", "2012-12-31", "2013-07-31")
    ]
    assert active == sorted(active, reverse=True)
    assert 0.55 < active[2] < 0.6 < active[1] < 0.68 < active[0]


def test_survival_is_the_published_curve():
    """Of 21 patients in remission, some still then.

    Freireich et al., "The effect of 6-mercaptopurine on the duration of steroid-induced remissions
    in acute leukemia", Blood 21 (1963), 699-716; the example of Cox (1972).
    """
    # Fetched a year later, or in the same month: the last twelve months say the end.
    ended, seen = [6, 6, 6, 7, 10, 13, 16, 22, 23], [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]
    treated = [project(0, n - 1, n + 11) for n in ended] + [project(0, n - 1, n - 1) for n in seen]
    table = stats.survival(projects(*treated)).set_index("months")
    ends = table[table["ended"] > 0]
    assert ends.index.tolist() == [6, 7, 10, 13, 16, 22, 23]
    assert ends["at_risk"].tolist() == [21, 17, 15, 12, 11, 7, 6]
    published = [0.857, 0.807, 0.753, 0.690, 0.627, 0.538, 0.448]
    assert ends["survival"].astype(float).round(3).tolist() == published
    assert table["censored"].sum() == 12


# Periods


def created(*days, **columns):
    return pd.DataFrame({"created_at": pd.Series(days, dtype="datetime64[us, UTC]"), **columns})


@pytest.mark.parametrize("freq", ["h", "2W", "W-TUE", "ME", "d", "no", "", 7, None])
def test_growth_of_an_unknown_frequency_is_refused(freq):
    with pytest.raises(InvalidInputError, match="freq"):
        stats.growth(created(), freq=freq)


@pytest.mark.parametrize("column", ["updated_at", ["created_at"], None])
def test_languages_by_year_of_an_unknown_date_are_refused(column):
    with pytest.raises(InvalidInputError, match="date"):
        stats.languages_by_year(projects(), date=column)


def test_growth_counts_accounts_as_accounts():
    accounts = created(month(144), email_sha1=["x"])
    assert counted(stats.growth(accounts))["accounts"] == 1
    noted = provenance.set_provenance(created(None), resource="account")  # no column tells it
    assert counted(stats.growth(noted))["accounts"] == 1
    unknown = stats.growth(created(month(144)))
    assert counted(unknown)["records"] == 1
    assert provenance.caption(unknown).startswith("n = 1 record ")


def months(*days, commits=(3, 5), loaded=None):
    frame = pd.DataFrame({"month": pd.to_datetime(days, utc=True), "commits": commits})
    frame["contributors"] = 1
    return provenance.set_provenance(frame, resource="activity_fact", retrieved_newest=loaded)


def test_months_in_any_order_with_days_inside_the_month_give_the_same():
    table = stats.monthly_activity(months("2012-11-01", "2013-01-01"))
    mixed = months("2013-01-24", "2012-11-30", commits=(5, 3))
    pd.testing.assert_frame_equal(stats.monthly_activity(mixed), table)
    assert table["commits"].tolist() == [3, 0, 5]
    with pytest.raises(InvalidInputError, match="2012-11"):
        stats.monthly_activity(months("2012-11-01", "2012-11-09"))


@pytest.mark.parametrize(
    ("loaded", "finished"),
    [
        ("2012-12-31T23:59:59+00:00", [True, False]),
        ("2013-01-01T00:00:00+00:00", [True, True]),
        ("2012-11-30T00:00:00+00:00", [False, False]),
        (None, [True, pd.NA]),
    ],
)
def test_month_is_finished_if_the_load_came_after_it(loaded, finished):
    frame = months("2012-11-01", "2012-12-01", loaded=loaded)
    assert stats.monthly_activity(frame)["finished"].tolist() == finished
