"""Records are left out by rules, and what was left out is said."""

import pandas as pd
import pytest

from dirframe import exclude, flags, provenance, stats
from dirframe.errors import InvalidInputError, MissingColumnsError
from tests.oracle import FETCHED, LANGUAGE, LINES, PEOPLE


def test_what_is_left_out_are_the_records_that_a_rule_tells(sample_projects):
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


def test_a_record_that_several_rules_tell_is_counted_once():
    projects = pd.DataFrame({"id": list("abcd"), LINES: [-1, -1, 5, 7], PEOPLE: [-1, 2, -3, 4]})
    sound = exclude(projects, ["negative_lines", "negative_contributors"])
    assert list(sound["id"]) == ["d"]
    excluded = provenance.get_provenance(sound)["excluded"]
    assert excluded == {"negative_contributors": 2, "negative_lines": 1}
    again = exclude(sound.assign(**{LINES: -2}), "negative_lines")
    assert provenance.get_provenance(again)["excluded"]["negative_lines"] == 2
    assert again.empty
    assert len(projects) == 4


def test_old_analyses_are_those_of_the_rule(sample_projects):
    for age in ("6mo", "2y", 90):
        young = exclude(sample_projects, older_than=age)
        stale = flags(sample_projects, rules=["stale_analysis"], max_age=age)
        assert set(young["id"]) == set(sample_projects["id"]) - set(stale["id"])


def test_outliers_are_told_by_the_whole_frame_before_it_is_divided():
    lines = [10**power for power in (2, 3, 4)] * 10 + [10**12]
    frame = pd.DataFrame({LINES: lines, LANGUAGE: "C", "half": ["a"] * 30 + ["b"]})
    found = stats.by(stats.language_share, exclude(frame, ["lines_outlier"]), "half")
    assert found["half"].tolist() == ["a"]


def test_what_cannot_be_left_out_is_refused(frames):
    frame = frames["projects"]
    for rules, age, named in (
        (["negative_line"], None, "negative_line"),
        ([], "soon", "older_than"),
        ([], -1, "older_than"),
    ):
        with pytest.raises(InvalidInputError, match=named):
            exclude(frame, rules, older_than=age)
    for rules, age, column in (
        (["negative_posts"], None, "posts_count"),
        ([], "1y", FETCHED[0]),
    ):
        with pytest.raises(MissingColumnsError) as caught:
            exclude(frame.drop(columns=[*FETCHED]), rules, older_than=age)
        assert caught.value.columns == (column,)
