"""Standing and posts of accounts, recomputed by plain Python."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe import provenance, stats
from dirframe.errors import InvalidInputError

counts = st.none() | st.integers(-3, 15)


def ranked(ranks: list[int | None]) -> pd.DataFrame:
    return pd.DataFrame({"kudo_score_kudo_rank": pd.Series(ranks, dtype="Int64")})


def posting(posts: list[int | None]) -> pd.DataFrame:
    return pd.DataFrame({"posts_count": pd.Series(posts, dtype="Int64")})


@given(st.lists(counts))
def test_each_rank_from_1_to_10_has_its_accounts(ranks: list[int | None]) -> None:
    table = stats.accounts_by_kudo_rank(ranked(ranks))
    assert table["kudo_rank"].tolist() == list(range(1, 11))
    assert table["accounts"].tolist() == [ranks.count(rank) for rank in range(1, 11)]
    valid = int(table["accounts"].sum())
    assert table["share"].sum() == pytest.approx(1 if valid else 0)
    assert provenance.get_provenance(table)["counted"] == {
        "accounts": len(ranks),
        "with_kudo_rank": valid,
        "kudo_rank_missing": ranks.count(None),
        "kudo_rank_impossible": len(ranks) - valid - ranks.count(None),
    }


@given(st.lists(counts))
def test_posts_are_what_plain_python_counts(posts: list[int | None]) -> None:
    table = stats.posts_distribution(posting(posts))
    valid = Counter(n for n in posts if n is not None and n >= 0)
    expected = sorted(valid.items())
    assert list(zip(table["posts"], table["accounts"], strict=True)) == expected
    counted = provenance.get_provenance(table)["counted"]
    assert counted["posts_negative"] == sum(n is not None and n < 0 for n in posts)
    assert counted["with_posts"] == sum(valid.values())


@pytest.mark.parametrize("values", [[], [1], [None]])
def test_columns_and_dtypes_do_not_depend_on_what_comes(values: list[int | None]) -> None:
    ranks = stats.accounts_by_kudo_rank(ranked(values))
    assert [str(d) for d in ranks.dtypes] == ["Int64", "Int64", "Float64"]
    posts = stats.posts_distribution(posting(values))
    assert [str(d) for d in posts.dtypes] == ["Int64", "Int64", "Float64", "Float64"]


def test_the_provenance_is_carried_on() -> None:
    accounts = provenance.set_provenance(posting([1]), source="A directory")
    record = provenance.get_provenance(stats.posts_distribution(accounts))
    assert (record["source"], record["resource"]) == ("A directory", "account")
    assert record["steps"] == ["posts_distribution"]


def test_a_missing_column_is_named() -> None:
    with pytest.raises(InvalidInputError, match=r"kudo_score_kudo_rank.*load_accounts"):
        stats.accounts_by_kudo_rank(posting([1]))
    with pytest.raises(InvalidInputError, match=r"posts_count.*load_accounts"):
        stats.posts_distribution(ranked([1]))
