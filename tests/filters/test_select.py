"""A filter keeps what it says, says what it kept, and leaves the frame alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from dirframe.client.frames.interchange import convert_frame
from dirframe.errors import InvalidInputError, UnknownValueWarning
from dirframe.filters.conditions import CREATED, LANGUAGE, activity_of
from dirframe.filters.select import Filters, select
from dirframe.provenance import get_provenance


def test_without_a_filter_the_frame_itself_is_shown(projects: pd.DataFrame) -> None:
    assert Filters().apply(projects) is projects
    assert Filters().steps() == []


def test_each_filter_keeps_the_records_that_it_names(
    projects: pd.DataFrame, accounts: pd.DataFrame
) -> None:
    java = Filters(languages=("Java", "C")).apply(projects)
    assert set(java[LANGUAGE]) == {"Java", "C"}
    assert len(java) == projects[LANGUAGE].isin(["Java", "C"]).sum() > 0
    some = Filters(years=(2008, 2009)).apply(projects)
    assert set(some[CREATED].dt.year) == {2008, 2009}
    german = Filters(countries=("Germany",)).apply(accounts)
    assert set(german["country_alpha_2"]) == {"DE"}


def test_filters_act_together_and_keep_the_order(projects: pd.DataFrame) -> None:
    shown = Filters(languages=("C",), years=(2006, 2010), activity="dormant").apply(projects)
    assert 0 < len(shown) < len(projects)
    assert shown.index.is_monotonic_increasing
    assert set(activity_of(projects)[shown.index]) == {"dormant"}


def test_a_record_without_the_value_is_in_no_filter_but_in_the_whole() -> None:
    frame = pd.DataFrame({LANGUAGE: ["C", None], CREATED: pd.to_datetime(["2008-01-01", ""])})
    assert len(Filters().apply(frame)) == 2
    assert len(Filters(languages=("C",)).apply(frame)) == 1
    assert len(Filters(years=(1900, 2100)).apply(frame)) == 1


def test_what_was_filtered_is_in_the_provenance_and_not_in_that_of_the_whole(
    projects: pd.DataFrame,
) -> None:
    before = get_provenance(projects)
    shown = Filters(languages=("A", "B", "C"), years=(2006, 2006), activity="active").apply(
        projects
    )
    assert get_provenance(shown)["steps"] == [
        "only main language A, B or C",
        "only created in 2006",
        "only active",
    ]
    assert get_provenance(projects) == before


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(InvalidInputError, match="no column country_name"):
        Filters(countries=("Germany",)).apply(pd.DataFrame({"id": ["1"]}))
    with pytest.raises(InvalidInputError, match="choose one of all, active, dormant"):
        # The type is wrong on purpose: it is what a person may write.
        Filters(activity="busy")  # type: ignore[arg-type]  # which is what is tested


def test_only_filters_with_their_columns_are_offered(
    projects: pd.DataFrame, accounts: pd.DataFrame
) -> None:
    assert Filters.offered(projects) == {
        *("search", "languages", "licenses", "tags", "years", "activity")
    }
    assert Filters.offered(accounts) == {"search", "countries", "years"}


def test_a_search_finds_every_word_in_name_description_tags_or_place(
    projects: pd.DataFrame, accounts: pd.DataFrame
) -> None:
    found = Filters(search="LINUX").apply(projects)
    text = projects["name"] + " " + projects["description"].fillna("")
    text += " " + projects["tags"].map(lambda tags: " ".join(tags or []))
    assert 0 < len(found) < len(projects)
    assert list(found["id"]) == list(projects["id"][text.str.contains("linux", case=False)])
    both = Filters(search="linux gui").apply(projects)
    assert 0 < len(both) < len(found)
    assert set(both["id"]) < set(found["id"])
    assert get_provenance(found)["steps"] == ["only matching LINUX"]
    german = Filters(search="germany").apply(accounts)
    assert {"DE"} <= set(german["country_alpha_2"].dropna())
    assert len(Filters(search="(?=x").apply(accounts)) == 0  # text, not a pattern


def test_a_search_for_a_word_that_means_no_filter_elsewhere_is_a_search() -> None:
    frame = pd.DataFrame({"name": ["Call me", "Nginx"]})
    found = select(frame, search="all")
    assert list(found["name"]) == ["Call me"]
    assert get_provenance(found)["steps"] == ["only matching all"]


def test_a_search_looks_in_categories_and_in_columns_without_values() -> None:
    frame = pd.DataFrame(
        {
            "name": pd.Categorical(["Call me", None, "Nginx"]),
            "description": [np.nan] * 3,
            "country_name": pd.Categorical(["Malta", "Peru", None]),
        }
    )
    assert list(select(frame, search="nginx").index) == [2]
    assert list(select(frame, search="peru").index) == [1]
    assert select(frame, search="nan").empty


def test_a_search_without_names_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="no column name"):
        Filters(search="x").apply(pd.DataFrame({"id": ["1"]}))


def test_records_are_selected_by_entries_of_lists_ranges_and_what_is_missing(
    projects: pd.DataFrame,
) -> None:
    tagged = select(projects, tags="linux", licenses=["gpl", None])
    assert 0 < len(tagged) < len(projects)
    assert all("linux" in tags for tags in tagged["tags"])
    codes = [{entry["name"] for entry in entries or ()} for entries in tagged["licenses"]]
    assert all("gpl" in names or not names for names in codes)
    assert any(codes)
    assert not all(codes)
    rated = select(projects, ranges={"average_rating": (None, None), "stack_count": (2, 10)})
    assert rated["average_rating"].isna().all()
    assert rated["stack_count"].between(2, 9).all()
    assert len(rated) > 1
    assert get_provenance(rated)["steps"] == [
        "only without average rating",
        "only stack count from 2 below 10",
    ]
    assert len(select(projects)) == len(projects)
    assert get_provenance(select(projects, tags=("linux", None)))["steps"] == [
        "only tag linux or (missing)"
    ]


def test_years_may_have_one_end_and_are_those_of_utc(projects: pd.DataFrame) -> None:
    year = projects[CREATED].dt.year
    for years, expected, step in (
        ((2008, None), year >= 2008, "only created in 2008 or later"),
        ((None, 2008), year <= 2008, "only created in 2008 or before"),
        ((None, None), year.isna(), "only without a date of creation"),
        ((year.min(), year.max()), year.notna(), f"only created in {year.min()} to {year.max()}"),
    ):
        selected = select(projects, years=years)
        assert list(selected.index) == list(projects.index[expected])
        assert get_provenance(selected)["steps"][-1] == step
    elsewhere = projects.assign(**{CREATED: projects[CREATED].dt.tz_convert("Asia/Tokyo")})
    for one in range(2006, 2010):
        here, there = (select(frame, years=(one, one)) for frame in (projects, elsewhere))
        assert list(there.index) == list(here.index)


def test_bounds_may_be_numbers_of_numpy_but_none_that_is_no_number(projects: pd.DataFrame) -> None:
    bounds: Any = (np.int64(2), np.float32(10))
    assert len(select(projects, ranges={"stack_count": bounds})) == len(
        select(projects, ranges={"stack_count": (2, 10)})
    )
    wrong: list[dict[str, Any]] = [
        {"ranges": {"stack_count": (float("nan"), None)}},
        {"ranges": {"stack_count": (1, float("nan"))}},
        {"years": (2008.0, 2009.5)},
        {"years": (True, None)},
    ]
    for options in wrong:
        with pytest.raises(InvalidInputError, match="; give the first and the"):
            select(projects, **options)


def test_a_range_that_is_none_is_refused(projects: pd.DataFrame) -> None:
    for ranges in ({"stack_count": 3}, {"stack_count": (1, "x")}, {"name": (1, 2)}, {"y": (1, 2)}):
        with pytest.raises(
            InvalidInputError, match=r"the one that values stay below|no column|no numbers"
        ):
            select(projects, ranges=ranges)  # type: ignore[arg-type]  # wrong on purpose


def test_ranges_that_name_no_columns_are_refused(projects: pd.DataFrame) -> None:
    for ranges in ((1, 100), [1], 5, "stack_count"):
        with pytest.raises(InvalidInputError, match="give a range by column"):
            select(projects, ranges=ranges)  # type: ignore[arg-type]  # wrong on purpose


def test_a_value_that_no_record_has_is_named_with_the_one_that_was_meant(
    projects: pd.DataFrame,
) -> None:
    with pytest.warns(UnknownValueWarning, match="main language 'java'.*'Java'") as caught:
        selected = select(projects, languages=["java", "C"])
    assert set(selected[LANGUAGE]) == {"C"}
    assert caught[0].filename == __file__
    with pytest.warns(UnknownValueWarning, match="tag 'linus'") as caught:
        assert select(projects, tags="linus").empty
    assert vars(caught[0].message)["values"] == ("linus",)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"years": (2010, 2008)}, "give the first and the last"),
        ({"ranges": {"stack_count": (5, 1)}}, "the one that values stay below"),
    ],
    ids=str,
)
def test_a_range_that_ends_before_it_begins_is_refused(
    wrong: dict[str, Any], said: str, projects: pd.DataFrame
) -> None:
    with pytest.raises(InvalidInputError, match=said):
        select(projects, **wrong)


def test_values_that_are_none_are_refused(projects: pd.DataFrame) -> None:
    for value in (None, 5):
        with pytest.raises(InvalidInputError, match=f"tags is {value}; give texts, or"):
            select(projects, tags=value)  # type: ignore[arg-type]  # wrong on purpose


def test_a_search_that_is_no_text_is_refused(projects: pd.DataFrame) -> None:
    with pytest.raises(InvalidInputError, match="search is 5; give a text"):
        select(projects, search=5)  # type: ignore[arg-type]  # wrong on purpose


def test_what_is_no_frame_is_refused_and_other_frames_are_taken(projects: pd.DataFrame) -> None:
    with pytest.raises(InvalidInputError, match="got a list"):
        select([1, 2])
    few = projects.head(20)
    for kind in ("polars", "arrow"):
        taken = select(convert_frame(few, kind), languages="Java")
        assert list(taken["id"]) == list(select(few, languages="Java")["id"])


def test_a_column_that_is_not_there_and_one_of_text_are_told_apart(
    accounts: pd.DataFrame, projects: pd.DataFrame
) -> None:
    with pytest.raises(InvalidInputError, match=f"no column {LANGUAGE}"):
        select(accounts, languages="C")
    with pytest.raises(InvalidInputError, match="values that are no dates"):
        select(projects.assign(created_at="2010"), years=(2008, 2010))
