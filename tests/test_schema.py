from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from dirframe.schema import (
    ACCOUNT,
    COLLECTION_COUNTS,
    PROJECT,
    RESOURCES,
    TIMESTAMP_FORMAT,
    Dialect,
    Kind,
    Resource,
)
from dirframe.schema.extensions import ALL_RESOURCES

if TYPE_CHECKING:
    from pathlib import Path

both = pytest.mark.parametrize("resource", RESOURCES.values(), ids=lambda resource: resource.name)
all_of_them = pytest.mark.parametrize(
    "resource", ALL_RESOURCES.values(), ids=lambda resource: resource.name
)

#: Written down from the specification's text by hand, not from the schema.
ACCOUNT_FIELDS = [
    "id",
    "name",
    "created_at",
    "updated_at",
    "homepage_url",
    "avatar_url",
    "email_sha1",
    "posts_count",
    "location",
    "country_code",
    "latitude",
    "longitude",
]
PROJECT_FIELDS = [
    "id",
    "name",
    "created_at",
    "updated_at",
    "description",
    "homepage_url",
    "download_url",
    "irc_url",
    "stack_count",
    "analysis_id",
]
ANALYSIS_FIELDS = [
    "id",
    "project_id",
    "updated_at",
    "logged_at",
    "min_month",
    "max_month",
    "twelve_month_contributor_count",
    "total_code_lines",
    "main_language_id",
    "main_language_name",
]


def test_the_account_has_the_specified_fields_in_their_order() -> None:
    expected: list[tuple[str, ...]] = [(name,) for name in ACCOUNT_FIELDS]
    expected += [("kudo_score", "kudo_rank"), ("kudo_score", "position")]
    assert [field.path for field in ACCOUNT.specified] == expected


def test_the_project_has_the_specified_fields_in_their_order() -> None:
    expected: list[tuple[str, ...]] = [(name,) for name in PROJECT_FIELDS]
    expected += [("analysis", name) for name in ANALYSIS_FIELDS]
    assert [field.path for field in PROJECT.specified] == expected


def test_the_fields_written_down_here_are_those_of_the_specification(shared: Path) -> None:
    text = (shared / "spec" / "directory-data-service.md").read_text(encoding="utf-8")
    account = re.findall(r"^\| (\w+) \| [^|]+ \| (?:yes|optional|only[^|]*) \|", text, re.MULTILINE)
    assert account == [*ACCOUNT_FIELDS, "kudo_score"]
    for element, expected in (("project", PROJECT_FIELDS), ("analysis", ANALYSIS_FIELDS)):
        found = re.search(rf"Element `{element}`[^:]*: (.*)", text)
        assert found is not None
        listed = re.sub(r" \([^)]*\)|,? and a nested.*|\.$", "", found[1])
        assert listed.split(", ") == expected


def test_required_are_exactly_the_fields_that_every_account_has() -> None:
    required = {field.column for field in ACCOUNT.fields if field.required}
    assert required == set(ACCOUNT_FIELDS) - {
        "homepage_url",
        "location",
        "country_code",
        "latitude",
        "longitude",
    }


def test_the_account_sorts_are_the_specified_ones() -> None:
    assert set(ACCOUNT.sorts) == {
        name + reverse
        for name in ("created_at", "id", "name", "updated_at")
        for reverse in ("", "_reverse")
    }
    assert ACCOUNT.default_sort == "created_at_reverse"


def test_projects_have_the_account_sorts_and_the_stack_count() -> None:
    assert set(PROJECT.sorts) == {*ACCOUNT.sorts, "stack_count", "stack_count_reverse"}


@all_of_them
def test_no_two_fields_share_a_column(resource: Resource) -> None:
    columns = [field.column for field in resource.fields]
    assert len(columns) == len(set(columns))
    assert list(resource.by_column) == columns


def test_nested_elements_become_parent_child_columns() -> None:
    assert {"analysis_total_code_lines", "analysis_main_language_name"} <= set(PROJECT.by_column)
    assert {"kudo_score_kudo_rank", "kudo_score_position"} <= set(ACCOUNT.by_column)


def test_the_nested_id_of_an_analysis_is_not_mistaken_for_the_analysis_id() -> None:
    assert PROJECT.by_column["analysis_id"].path == ("analysis_id",)
    assert PROJECT.by_column["analysis__id"].path == ("analysis", "id")


@all_of_them
def test_repeated_elements_and_only_they_describe_their_entries(resource: Resource) -> None:
    for field in resource.fields:
        assert (field.items is not None) == (field.kind is Kind.ITEMS), field.column


@all_of_them
def test_every_field_says_what_it_means_and_numbers_say_in_what_unit(resource: Resource) -> None:
    for field in resource.fields:
        assert field.meaning
        if field.kind in {Kind.INTEGER, Kind.TIMESTAMP}:
            assert field.unit, field.column


@all_of_them
def test_only_specified_fields_are_required(resource: Resource) -> None:
    assert all(f.dialect is Dialect.SPECIFIED for f in resource.fields if f.required)


def test_a_timestamp_has_the_specified_form() -> None:
    moment = datetime(2009, 4, 3, 2, 1, 0, tzinfo=UTC)
    assert moment.strftime(TIMESTAMP_FORMAT) == "2009-04-03T02:01:00Z"


def test_the_counts_of_a_collection_stand_in_the_envelope_s_order() -> None:
    assert COLLECTION_COUNTS == ("items_returned", "items_available", "first_item_position")


@both
def test_a_frame_of_the_specification_always_has_the_specified_fields(resource: Resource) -> None:
    assert resource.core == resource.specified
