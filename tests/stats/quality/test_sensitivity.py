"""A statistic with and without what is in doubt."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
import pytest

from dirframe import load_accounts, load_projects, plot, sample_directory, sensitivity, stats
from dirframe.charts import STATISTICS
from dirframe.clean import unify_countries
from dirframe.errors import InvalidInputError
from tests.stats.every import FEW_SAMPLES, OF_RECORDS, collection_of


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    with sample_directory(cache=False) as directory:
        accounts = unify_countries(load_accounts(directory=directory))
        return {"accounts": accounts, "projects": load_projects(directory=directory)}


@pytest.mark.parametrize("name", OF_RECORDS)
def test_it_takes_every_statistic_and_gives_its_rows(
    name: str, frames: dict[str, pd.DataFrame]
) -> None:
    collection = collection_of(name)
    rule = "updated_before_created"
    statistic, few = getattr(stats, name), FEW_SAMPLES.get(name, {})
    found = sensitivity(statistic, frames[collection], rules=[rule], **few)
    assert found["exclusion"].unique().tolist() == ["none", rule, "all"]
    whole, without = (statistic(frames[collection], exclude=e, **few) for e in ([], [rule]))
    for exclusion, expected in (("none", whole), (rule, without), ("all", without)):
        rows = found[found["exclusion"] == exclusion].reset_index(drop=True)
        pd.testing.assert_frame_equal(rows[[*expected]], expected)


@pytest.mark.parametrize("name", OF_RECORDS)
def test_every_figure_has_its_difference_to_that_without_exclusion(
    name: str, frames: dict[str, pd.DataFrame]
) -> None:
    collection = collection_of(name)
    frame = frames[collection].head(200)
    rule = "impossible_kudo_rank" if collection == "accounts" else "lines_outlier"
    faulty = frame.copy()
    if collection == "accounts":
        faulty.loc[faulty.index[:20], "kudo_score_kudo_rank"] = 11
    else:
        faulty.loc[faulty.index[:20], "analysis_total_code_lines"] = 10**12
    few = FEW_SAMPLES.get(name, {})
    found = sensitivity(getattr(stats, name), faulty, rules=[rule], **few)
    keys = [*STATISTICS[name].keys]
    figures = [
        column.removesuffix("_difference") for column in map(str, found) if "_difference" in column
    ]
    numeric = found.drop(columns=["exclusion", "removed", *keys]).select_dtypes("number")
    assert figures == [column for column in map(str, numeric) if "_difference" not in column] != []
    without: dict[Any, list[Any]] = {}
    for row in found.to_dict("records"):
        key = tuple("missing" if pd.isna(row[one]) else row[one] for one in keys)
        if row["exclusion"] == "none":
            without.setdefault(key, []).append(row)
    seen: Counter[Any] = Counter()
    for row in found.to_dict("records"):
        key = tuple("missing" if pd.isna(row[one]) else row[one] for one in keys)
        place, rows = seen[row["exclusion"], key], without.get(key, [])
        seen[row["exclusion"], key] += 1
        for figure in figures:
            known = place < len(rows) and not pd.isna(rows[place][figure])
            difference = row[f"{figure}_difference"]
            if known and not pd.isna(row[figure]):
                assert difference == pytest.approx(row[figure] - rows[place][figure], abs=1e-12)
            else:
                assert pd.isna(difference)


def test_rows_of_strata_are_compared_within_their_stratum() -> None:
    frame = pd.DataFrame(
        {
            "analysis_twelve_month_contributor_count": [1, 1, 9, 2, 2],
            "analysis_total_code_lines": [1, 1, -1, 1, 1],
            "half": ["a", "a", "a", "b", None],
        }
    )
    found = sensitivity(
        stats.contributor_quantiles, frame, rules=["negative_lines"], by="half", quantiles=[1]
    )
    last = found[found["exclusion"] == "all"]
    assert last["half"].fillna("none").tolist() == ["a", "b", "none"]
    assert last["contributors_difference"].tolist() == [-8, 0, 0]


def test_a_row_that_is_not_there_without_exclusion_has_no_difference() -> None:
    languages = ["C"] * 3 + ["Java"] * 2 + ["Perl", "R"]
    frame = pd.DataFrame(
        {
            "analysis_main_language_name": languages,
            "analysis_total_code_lines": [1, 1, 1, 1, 1, 1, -1],
        }
    )
    found = sensitivity(stats.language_share, frame, rules=["negative_lines"], top=1)
    last = found[found["exclusion"] == "all"]
    assert last["language"].tolist() == ["C", "other (2 languages)"]
    assert last["projects_difference"].tolist() == [0, pd.NA]


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


@pytest.mark.parametrize("wrong", [len, 3, pd.DataFrame(), plot.activity])
def test_what_is_no_statistic_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"function of dirframe\.stats"):
        sensitivity(wrong, pd.DataFrame({"id": ["1"]}))


def test_exclusions_are_given_as_rules() -> None:
    with pytest.raises(InvalidInputError, match="rules="):
        sensitivity(stats.tags, pd.DataFrame({"id": ["1"]}), exclude=["duplicate_id"])


def test_the_keys_are_those_of_every_statistic() -> None:
    assert all(spec.keys for spec in STATISTICS.values())
