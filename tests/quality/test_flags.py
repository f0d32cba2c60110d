"""Known bad data is flagged and left out by rule: its records and no others."""

import numpy as np
import pandas as pd
import pytest

from dirframe import exclude, flags, provenance, stats
from dirframe.errors import InvalidInputError, MissingColumnsError
from tests import oracle
from tests.oracle import FETCHED, FIRST, LANGUAGE, LAST, LINES, PEOPLE


def days(*texts):
    return pd.to_datetime(pd.Series(texts, dtype="str"), utc=True, format="ISO8601")


@pytest.fixture(scope="module")
def flagged_projects():
    """Make a sound project (1), some for each rule, some just within, and an unknown one."""
    dates = {
        FIRST: "2005-01-01",
        LAST: "2013-06-01",
        FETCHED[0]: "2013-06-20",
        "created_at": "2006-01-01",
        "updated_at": "2013-06-21",
    }
    sound = {"name": "Sound", LANGUAGE: "Java", LINES: 1000, PEOPLE: 3, **dates}
    others = [
        {},
        {FIRST: "1969-12-31"},
        {FIRST: "1994-12-31"},
        {LAST: "2004-12-31"},
        {LAST: "2013-06-21"},
        {LINES: -1},
        {PEOPLE: -1},
        {FETCHED[0]: "2012-06-19", LAST: "2012-01-01"},
        {"updated_at": "2005-12-31"},
        {FIRST: "1970-01-01", LANGUAGE: "Assembly"},
        {FIRST: "1995-01-01", LAST: "1995-01-01"},
        {LAST: "2013-06-20", "updated_at": "2006-01-01", LINES: 0, PEOPLE: 0},
        {FETCHED[0]: "2012-06-20", LAST: "2012-01-01"},
    ]
    rows = [sound | {"id": str(place)} | other for place, other in enumerate(others, 1)]
    rows += [sound | {"id": "20"}, sound | {"id": "20"}, {"id": "30"}, {}, {}]
    frame = pd.DataFrame(rows)
    frame = frame.assign(**{name: days(*frame[name]) for name in dates})
    return frame.astype({LINES: "Int64", PEOPLE: "Int64"})


def test_flags_rule_tells_its_record_and_no_other(flagged_projects):
    found = flags(flagged_projects)
    expected = [
        ("began_before_1970", "2", "1969-12"),
        ("began_before_language", "2", "1995"),
        ("began_before_language", "3", "1994-12"),
        ("duplicate_id", "20", "20"),
        ("duplicate_id", "20", "20"),
        ("month_in_future", "5", "2013-06-20"),
        ("months_reversed", "4", "2004-12"),
        ("negative_contributors", "7", "-1"),
        ("negative_lines", "6", "-1"),
        ("stale_analysis", "8", "2012-06-19"),
        ("updated_before_created", "9", "2005-12-31"),
    ]
    rows = [*found[["rule", "id", "evidence"]].itertuples(index=False, name=None)]
    assert [(rule, id_) for rule, id_, _ in rows] == [(rule, id_) for rule, id_, _ in expected]
    evidence = [(text, fact) for (*_, text), (*_, fact) in zip(rows, expected, strict=True)]
    assert [(text, fact) for text, fact in evidence if fact not in text] == []
    assert set(found["name"]) == {"Sound"}
    counted = found.attrs["dirframe"]["counted"]
    assert counted["projects"] == len(flagged_projects)
    only = flags(flagged_projects, rules=["negative_lines"])
    pd.testing.assert_frame_equal(
        only, found[found["rule"] == "negative_lines"].reset_index(drop=True)
    )


def test_flags_outlier_is_beyond_the_modified_z_score_of_its_language():
    lines = [10**power for power in (2, 3, 4)] * 10
    bound = int(10 ** (3 + 3.5 / 0.6745))  # median 3 and MAD 1 of the logarithm
    frame = pd.DataFrame(
        {
            LANGUAGE: ["C"] * 31 + ["Java"] * 31 + ["Ada"] + ["Perl"] * 20,
            LINES: [*lines, bound + 1, *lines, bound, 10**9, *[5] * 19, 10**12],
            "id": [str(number) for number in range(83)],
        }
    )
    found = flags(frame, rules=["lines_outlier"])
    # Ada has too few of its own, and counts with all projects; those of Perl have no spread.
    assert found["id"].tolist() == ["30", "62"]
    assert f"{bound:,}" in found["evidence"][0]
    assert "C" in found["evidence"][0]
    assert flags(frame[frame[LANGUAGE] == "Perl"], rules=["lines_outlier"]).empty


def test_impossible_accounts_are_flagged():
    frame = pd.DataFrame(
        {
            "id": list("12345"),
            "login": ["a", "b", "c", "d", "e"],
            "email_sha1": list("vwxyz"),
            "posts_count": [0, -1, 1, 1, 1],
            "kudo_score_kudo_rank": [1, 10, 11, 0, None],
            "latitude": [90.0, -90, 91, np.nan, 0],
            "longitude": [180.0, -180, 0, -180.5, np.nan],
        }
    )
    found = flags(frame)
    assert (found["rule"] + " " + found["name"]).tolist() == [
        *("impossible_kudo_rank c", "impossible_kudo_rank d", "impossible_latitude c"),
        *("impossible_longitude d", "negative_posts b"),
    ]
    assert found.attrs["dirframe"]["counted"]["accounts"] == 5


def test_flags_stale_analysis_by_the_age_asked_for():
    frame = pd.DataFrame({FETCHED[0]: days("2012-06-19", "2013-06-19T00:00:01", None)})
    stale = {
        "365d": 1,
        "366d": 0,
        "12mo": 1,
        "13mo": 0,
        "1y": 1,
        "52w": 1,
        "53w": 0,
        "2 y": 0,
        None: 1,
    }
    found = {age: flags(frame, rules=["stale_analysis"], older_than=age) for age in stale}
    assert {age: len(table) for age, table in found.items()} == stale


def test_flags_age_is_counted_from_the_day_of_the_load_where_it_is_known():
    frame = pd.DataFrame({FETCHED[0]: days("2012-06-19", "2013-06-19")})
    provenance.set_provenance(frame, retrieved_newest="2020-01-01T00:00:00Z")
    assert len(flags(frame, older_than="2y")) == 2
    provenance.set_provenance(frame, synthetic=True)
    assert len(flags(frame, older_than="2y")) == 0


@pytest.mark.parametrize("age", ["2 m", "y", "", "-1d", 365])
def test_flags_refuse_what_is_no_age(age, flagged_projects):
    with pytest.raises(InvalidInputError, match=f"{age!r} is not an age"):
        flags(flagged_projects, older_than=age)


@pytest.mark.parametrize("rules", [["negative_line"], 3, [["negative_lines"]]])
def test_flags_refuse_what_is_no_rule(rules, flagged_projects):
    with pytest.raises(InvalidInputError, match="The rules are began_before_1970"):
        flags(flagged_projects, rules=rules)


def test_flags_refuse_a_rule_about_other_records(flagged_projects):
    with pytest.raises(InvalidInputError, match="posts_count"):
        flags(flagged_projects, rules=["negative_posts"])


@pytest.mark.parametrize("columns", [{"other": [1]}, {}])
def test_flags_of_a_frame_without_their_columns_are_refused(columns):
    with pytest.raises(MissingColumnsError):
        flags(pd.DataFrame(columns))


def test_flags_of_no_record_or_rule_have_the_same_columns(flagged_projects):
    expected = flags(flagged_projects).iloc[:0]
    nothing = oracle.frame("projects", [{}, {}])
    pd.testing.assert_frame_equal(flags(nothing), expected)
    pd.testing.assert_frame_equal(flags(flagged_projects.iloc[:0]), expected)
    pd.testing.assert_frame_equal(flags(pd.DataFrame({"other": [1]}), rules=[]), expected)


def test_recorded_projects_hold_what_is_known_of_them(recorded):
    counts = flags(recorded, older_than="2y")["rule"].value_counts().to_dict()
    assert counts["negative_lines"] == 2
    # Fetched more than two years before 11 July 2013, the day of the median one of 301.
    assert counts["stale_analysis"] == 20
    assert counts["month_in_future"] == 1


# What is left out


def test_exclude_leaves_out_the_records_that_a_rule_tells(sample_projects):
    bad = (sample_projects[LINES] < 0).fillna(value=False)
    sound = exclude(sample_projects, ["negative_lines"])
    pd.testing.assert_frame_equal(sound, sample_projects[~bad])
    record = provenance.get_provenance(sound)
    assert record["excluded"] == {"negative_lines": bad.sum()}
    assert record["steps"][-1] == f"exclude: negative_lines {bad.sum()}"
    table = stats.language_share(sound)
    assert provenance.get_provenance(table)["counted"]["projects"] == (~bad).sum()
    assert f"{bad.sum():,} excluded" in provenance.caption(table)
    assert exclude(sample_projects) is sample_projects


def test_exclude_counts_a_record_of_several_rules_once():
    projects = pd.DataFrame({"id": list("abcd"), LINES: [-1, -1, 5, 7], PEOPLE: [-1, 2, -3, 4]})
    sound = exclude(projects, ["negative_lines", "negative_contributors"])
    assert list(sound["id"]) == ["d"]
    excluded = provenance.get_provenance(sound)["excluded"]
    assert excluded == {"negative_contributors": 2, "negative_lines": 1}
    again = exclude(sound.assign(**{LINES: -2}), "negative_lines")
    assert provenance.get_provenance(again)["excluded"]["negative_lines"] == 2
    assert again.empty
    assert provenance.get_provenance(again)["steps"][-1] == "exclude: negative_lines 1"
    assert len(projects) == 4


def test_old_analyses_are_those_of_the_rule(sample_projects):
    young = exclude(sample_projects, older_than="6mo")
    assert provenance.get_provenance(young)["steps"][-1].endswith("older than 6mo")
    stale = flags(sample_projects, rules=["stale_analysis"], older_than="6mo")
    assert set(young["id"]) == set(sample_projects["id"]) - set(stale["id"])


@pytest.mark.parametrize(
    ("rules", "age", "named"),
    [
        (["negative_line"], None, "negative_line"),
        (None, None, "negative_line"),
        (3, None, "negative_line"),
        ([["negative_lines"]], None, "negative_line"),
        ([], "soon", "soon"),
        (["negative_posts"], None, "posts_count"),
        ([], "1y", FETCHED[0]),
    ],
)
def test_exclude_refuses_what_cannot_be_left_out(rules, age, named, kind_frames):
    frame = kind_frames["projects"].drop(columns=[*FETCHED])
    with pytest.raises(InvalidInputError, match=named):
        exclude(frame, rules, older_than=age)
