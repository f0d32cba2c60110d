from __future__ import annotations

from random import Random
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from dirframe.service.synthetic.calibration import EXTRA_COUNTS_AT, EXTRA_COUNTS_EVERY
from dirframe.service.synthetic.projects import project

SEEDS = st.integers(0, 2**63)
INDEXES = st.integers(0, 2**40)


def analysed(seed: int, index: int) -> dict[str, Any] | None:
    analysis: Any = project(Random(), seed, index)["analysis"]
    return cast("dict[str, Any] | None", analysis)


def months(stamp: str) -> int:
    return int(stamp[:4]) * 12 + int(stamp[5:7])


@given(SEEDS, INDEXES)
def test_the_times_of_an_analysis_follow_one_another(seed: int, index: int) -> None:
    if found := analysed(seed, index):
        if found["logged_at"]:
            assert found["logged_at"] <= found["updated_at"]
        assert found["updated_at"] < "2013-08-01T00:00:00Z"
        assert (found["min_month"] is None) is (found["max_month"] is None)
        if found["min_month"]:
            assert found["min_month"] <= found["max_month"] <= found["updated_at"]
            assert found["min_month"].endswith("-01T00:00:00Z")
            assert found["max_month"].endswith("-01T00:00:00Z")


@given(SEEDS, INDEXES)
def test_people_are_counted_where_there_was_activity(seed: int, index: int) -> None:
    found = analysed(seed, index)
    if found and found["max_month"] and found["logged_at"]:
        idle = months(found["logged_at"]) - months(found["max_month"])
        assert (int(found["twelve_month_contributor_count"]) > 0) is (idle < 12)


@given(SEEDS, INDEXES)
def test_percentages_add_up_and_begin_with_the_main_language(seed: int, index: int) -> None:
    found = analysed(seed, index)
    if found and found["main_language_name"]:
        rows = found["languages"]
        assert rows[0]["#text"] == found["main_language_name"]
        assert rows[0]["@id"] == found["main_language_id"]
        shares = [0 if row["@percentage"] == "<1" else int(row["@percentage"]) for row in rows]
        assert sum(shares) == 100
        named = [share for row, share in zip(rows, shares, strict=True) if row["@id"]]
        assert named == sorted(named, reverse=True)
        assert len({row["#text"] for row in rows}) == len(rows)
        assert all(row["@id"] for row in rows) or rows[-1]["#text"].endswith(" Other")
    elif found:
        assert found["main_language_id"] is None
        assert "languages" not in found


@given(SEEDS, INDEXES)
def test_factoids_say_what_the_numbers_say(seed: int, index: int) -> None:
    found = analysed(seed, index)
    if found and "factoids" in found:
        kinds = {factoid["@type"] for factoid in found["factoids"]}
        people = int(found["twelve_month_contributor_count"])
        assert ("FactoidTeamSizeZero" in kinds) is (people == 0)
        assert ("FactoidTeamSizeOne" in kinds) is (people == 1)
        assert ("FactoidTeamSizeVeryLarge" in kinds) is (people > 26)
        if found["min_month"]:
            span = months(found["max_month"]) - months(found["min_month"])
            assert ("FactoidAgeYoung" in kinds) is (span < 12)
            assert ("FactoidAgeVeryOld" in kinds) is (span > 60)


def test_one_project_in_12360_has_counts_that_no_other_has() -> None:
    extra = ("total_contributor_count", "twelve_month_commit_count", "total_commit_count")
    with_extra = [
        index
        for index in range(2 * EXTRA_COUNTS_EVERY)
        if (found := analysed(2013, index)) and all(name in found for name in extra)
    ]
    assert with_extra == [EXTRA_COUNTS_AT, EXTRA_COUNTS_EVERY + EXTRA_COUNTS_AT]
