"""A statistic with and without what is in doubt."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from dirframe import load_accounts, load_projects, sample_directory, sensitivity, stats
from dirframe.clean import unify_countries
from dirframe.errors import InvalidInputError

#: The others are of one project: the rules know neither its months nor its contributors.
SELECTABLE = sorted(
    {*stats.__all__} - {"commit_concentration", "commits_by_contributor", "monthly_activity"}
)


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    with sample_directory(cache=False) as directory:
        accounts = unify_countries(load_accounts(directory=directory))
        return {"accounts": accounts, "projects": load_projects(directory=directory)}


@pytest.mark.parametrize("name", SELECTABLE)
def test_it_takes_every_statistic_and_gives_its_rows(
    name: str, frames: dict[str, pd.DataFrame]
) -> None:
    collection = "accounts" if "accounts" in name or "posts" in name else "projects"
    rule = "updated_before_created"
    statistic = getattr(stats, name)
    found = sensitivity(statistic, frames[collection], rules=[rule])
    assert found["exclusion"].unique().tolist() == ["none", rule, "all"]
    for exclusion, exclude in (("none", []), (rule, [rule]), ("all", [rule])):
        rows = found[found["exclusion"] == exclusion].drop(columns=["exclusion", "removed"])
        expected = statistic(frames[collection], exclude=exclude)
        pd.testing.assert_frame_equal(rows.reset_index(drop=True), expected)


def test_left_out_rules_are_all_that_apply_and_each_says_what_it_removes(
    frames: dict[str, pd.DataFrame],
) -> None:
    found = sensitivity(stats.activity, frames["projects"], max_age="2y")
    removed = found.drop_duplicates("exclusion").set_index("exclusion")["removed"]
    assert "negative_posts" not in removed
    assert removed["none"] == 0
    assert removed["negative_lines"] == int(
        (frames["projects"]["analysis_total_code_lines"] < 0).sum()
    )
    assert removed["all"] == len(frames["projects"]) - int(
        stats.activity(
            frames["projects"], exclude=[*removed.index.drop(["none", "all"])], max_age="2y"
        ).attrs["dirframe"]["counted"]["projects"]
    )


@pytest.mark.parametrize("wrong", [len, 3, pd.DataFrame()])
def test_what_is_no_statistic_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"function of dirframe\.stats"):
        sensitivity(wrong, pd.DataFrame({"id": ["1"]}))


def test_exclusions_are_given_as_rules() -> None:
    with pytest.raises(InvalidInputError, match="rules="):
        sensitivity(stats.tags, pd.DataFrame({"id": ["1"]}), exclude=["duplicate_id"])
