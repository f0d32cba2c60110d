"""Who did the work on one project: ranks, shares and what hangs on few."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import stats
from dirframe.errors import InvalidInputError


def people(*commits: int | None) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "contributor_id": [str(number) for number in range(1, len(commits) + 1)],
            "contributor_name": [f"name {number}" for number in range(1, len(commits) + 1)],
            "commits": pd.array(commits, dtype="Int64"),
        }
    )


def measures(frame: pd.DataFrame) -> dict[str, float]:
    table = stats.commit_concentration(frame)
    return dict(zip(table["measure"], table["value"], strict=True))


def test_contributors_stand_by_commits_then_by_id() -> None:
    table = stats.commits_by_contributor(people(5, 20, 5, 70))
    assert table["contributor_id"].tolist() == ["4", "2", "1", "3"]
    assert table["rank"].tolist() == [1, 2, 3, 4]
    assert table["share"].tolist() == pytest.approx([0.7, 0.2, 0.05, 0.05])
    assert table["cumulative_share"].tolist() == pytest.approx([0.7, 0.9, 0.95, 1.0])


def test_a_single_commit_is_all_of_them() -> None:
    table = stats.commits_by_contributor(people(1, 0))
    assert table["cumulative_share"].tolist() == [1.0, 1.0]


def test_the_bus_factor_is_the_smallest_number_with_half_of_the_commits() -> None:
    assert measures(people(50, 50))["bus factor"] == 1  # a half is enough
    assert measures(people(49, 49, 3))["bus factor"] == 2
    assert measures(people(1, 1, 1))["bus factor"] == 2
    assert measures(people(*[1] * 9, 0))["bus factor"] == 5


def test_the_top_shares_are_of_all_commits() -> None:
    found = measures(people(40, 10, 10, 10, 10, 10, 10))
    assert (found["top 1"], found["top 5"]) == pytest.approx((0.4, 0.8))
    assert measures(people(3))["top 5"] == 1.0


def test_gini_is_nothing_where_all_have_the_same_and_the_rest_where_one_has_everything() -> None:
    assert measures(people(7, 7, 7))["gini"] == pytest.approx(0)
    assert measures(people(0, 0, 0, 9))["gini"] == pytest.approx(3 / 4)


def test_a_missing_or_negative_number_is_in_no_row_and_counted() -> None:
    table = stats.commits_by_contributor(people(5, None, -1))
    assert table["contributor_id"].tolist() == ["1"]
    assert table.attrs["dirframe"]["counted"] == {
        "contributors": 3,
        "with_commits": 1,
        "commits_missing": 1,
        "commits_negative": 1,
    }


@pytest.mark.parametrize("frame", [people(), people(None), people(0, 0)])
def test_where_nobody_committed_there_is_no_measure(frame: pd.DataFrame) -> None:
    table = stats.commit_concentration(frame)
    assert table["measure"].tolist()[:4] == ["top 1", "top 5", "gini", "bus factor"]
    assert table["value"].isna().all()
    ranked = stats.commits_by_contributor(frame)
    assert ranked["share"].eq(0).all()
    assert ranked["cumulative_share"].eq(0).all()
    assert ranked.dtypes.equals(stats.commits_by_contributor(people(3)).dtypes)


def test_contributors_of_several_projects_are_refused() -> None:
    twice = pd.concat([people(3), people(4)])
    with pytest.raises(InvalidInputError, match="'1' is in the frame more than once"):
        stats.commits_by_contributor(twice)


def test_a_sum_beyond_64_bits_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="beyond 64 bits"):
        stats.commits_by_contributor(people(2**62, 2**62))


def test_a_half_of_many_commits_is_exact() -> None:
    most = 2**60
    assert measures(people(most, most + 1, 0))["bus factor"] == 1
    assert measures(people(most - 1, most - 1, 3))["bus factor"] == 2


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=40).filter(any))
def test_the_bus_factor_is_that_of_counting_by_hand(commits: list[int]) -> None:
    so_far, number = 0, 0
    for one in sorted(commits, reverse=True):
        if 2 * so_far >= sum(commits):
            break
        so_far, number = so_far + one, number + 1
    found = measures(people(*commits))
    assert found["bus factor"] == number
    assert 0 <= found["gini"] < 1
    assert found["top 1"] <= found["top 5"] <= 1


def test_who_of_the_bus_factor_is_still_active_is_told_by_the_newest_commit() -> None:
    last = pd.to_datetime(["2010-01-01", "2013-06-01", "2012-05-01", "2013-07-01"], utc=True)
    frame = people(50, 40, 40, 1).assign(last_commit_time=last)

    def measures(window: int) -> dict[str, float]:
        table = stats.commit_concentration(frame, window=window)
        return dict(zip(table["measure"], table["value"], strict=True))

    found = measures(12)
    assert found["bus factor"] == 2
    assert found["bus factor still active"] == 1
    assert found["effective contributors"] == pytest.approx(131**2 / (50**2 + 2 * 40**2 + 1))
    assert measures(1)["bus factor still active"] == 0
    frame.loc[0, "last_commit_time"] = pd.NaT
    assert pd.isna(measures(12)["bus factor still active"])
