from __future__ import annotations

from functools import cache
from hashlib import md5, sha1
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.schema import ACCOUNT
from dirframe.service.synthetic.accounts import account, address
from dirframe.service.synthetic.generate import generate_accounts

SIZE = 5_000
Account = dict[str, Any]


@cache
def accounts() -> list[Account]:
    return list(generate_accounts(SIZE, seed=7))


@given(st.integers(0, 2**63), st.integers(0, 2**40))
def test_an_account_agrees_with_itself(seed: int, index: int) -> None:
    found: Account = account(Random(), seed, index)
    assert found["id"] == str(index + 1)
    required = {field.path[0] for field in ACCOUNT.specified if field.required}
    assert all(found[name] for name in required)
    assert found["created_at"] <= found["updated_at"] < "2013-08-01"
    assert (found.get("latitude") is None) is (found.get("longitude") is None)
    if found.get("latitude") or found.get("country_code"):
        assert found["location"]
    assert found["avatar_url"].startswith("https://avatars.invalid/")


@given(st.integers(0, 2**63), st.integers(0, 2**40))
def test_digests_are_of_the_invented_address_which_is_not_written(seed: int, index: int) -> None:
    found = account(Random(), seed, index)
    mail = address(index).encode()
    assert found["email_sha1"] == sha1(mail).hexdigest()
    assert found["email_md5"] == md5(mail.lower()).hexdigest()
    assert "@" not in str(found)


@given(st.integers(0, 2**63), st.integers(0, 2**40))
def test_the_look_up_key_stands_in_no_other_field(seed: int, index: int) -> None:
    found = account(Random(), seed, index)
    key = found.pop("email_md5")
    assert str(key) not in str(found)


def test_positions_are_unique_and_ranks_follow_them() -> None:
    scores = [each["kudo_score"] for each in accounts() if each["kudo_score"]]
    by_position = sorted(scores, key=lambda score: int(score["position"]))
    assert len({score["position"] for score in scores}) == len(scores)
    ranks = [int(score["kudo_rank"]) for score in by_position]
    assert ranks == sorted(ranks, reverse=True)
    assert set(ranks) == set(range(1, 11))
    assert ranks.count(1) > len(ranks) / 2


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("kudo_score", 0.60, 0.70), ("country_code", 0.60, 0.65), ("location", 0.62, 0.72)],
)
def test_as_many_accounts_have_a_value_as_the_documentation_says(
    name: str, low: float, high: float
) -> None:
    assert low < sum(bool(each.get(name)) for each in accounts()) / SIZE < high


def test_most_members_never_wrote_a_post_and_a_few_wrote_hundreds() -> None:
    posts = sorted(int(each["posts_count"]) for each in accounts())
    assert posts[SIZE * 8 // 10] == 0
    assert posts[-1] > 200


def test_more_members_join_from_year_to_year() -> None:
    years = [
        sum(each["created_at"] < f"{year}" for each in accounts()) for year in range(2006, 2014)
    ]
    joined = [after - before for before, after in pairwise(years)]
    assert joined[0] < joined[2] < joined[-1]


def test_new_members_have_a_score_less_often() -> None:
    new = [bool(a["kudo_score"]) for a in accounts() if a["created_at"] >= "2012-10"]
    old = [bool(a["kudo_score"]) for a in accounts() if a["created_at"] < "2012-06"]
    assert sum(new) / len(new) < sum(old) / len(old) - 0.2


def test_country_codes_come_in_both_formats_with_some_beyond_hope() -> None:
    values = {each.get("country_code") for each in accounts()}
    assert {"US", "DE", "NA", "United Kingdom", "GB", "China", "Korea", None} <= values
