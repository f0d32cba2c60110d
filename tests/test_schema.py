"""The tables of the interface say what the specification says, and where the rest is from."""

import inspect
import re

import pytest

import dirframe
from dirframe import schema, stats
from dirframe.schema import (
    ACCOUNT,
    ALL_RESOURCES,
    PROJECT,
    STATISTIC_COLUMNS,
    Dialect,
    Kind,
    detect_resource,
)

#: Written down from the specification's text by hand, not from the schema.
ACCOUNT_FIELDS = [
    "id", "name", "created_at", "updated_at", "homepage_url", "avatar_url", "email_sha1",
    "posts_count", "location", "country_code", "latitude", "longitude",
]  # fmt: skip
PROJECT_FIELDS = [
    "id", "name", "created_at", "updated_at", "description", "homepage_url", "download_url",
    "irc_url", "stack_count", "analysis_id",
]  # fmt: skip
ANALYSIS_FIELDS = [
    "id", "project_id", "updated_at", "logged_at", "min_month", "max_month",
    "twelve_month_contributor_count", "total_code_lines", "main_language_id",
    "main_language_name",
]  # fmt: skip
OPTIONAL = {"homepage_url", "location", "country_code", "latitude", "longitude"}


def test_fields_are_those_of_the_specification_in_its_order():
    account = [(name,) for name in ACCOUNT_FIELDS]
    account += [("kudo_score", "kudo_rank"), ("kudo_score", "position")]
    assert [field.path for field in ACCOUNT.specified] == account
    project = [(name,) for name in PROJECT_FIELDS]
    project += [("analysis", name) for name in ANALYSIS_FIELDS]
    assert [field.path for field in PROJECT.specified] == project
    assert not any(resource.specified for resource in schema.EXTENSIONS.values())
    required = {field.column for field in ACCOUNT.fields if field.required}
    assert required == set(ACCOUNT_FIELDS) - OPTIONAL


def test_sorts_are_the_specified_ones():
    fields = ("created_at", "id", "name", "updated_at")
    sorts = {name + reverse for name in fields for reverse in ("", "_reverse")}
    assert set(ACCOUNT.sorts) == sorts
    assert set(PROJECT.sorts) == sorts | {"stack_count", "stack_count_reverse"}
    assert ACCOUNT.default_sort == "created_at_reverse"


@pytest.mark.parametrize("resource", ALL_RESOURCES.values(), ids=ALL_RESOURCES)
def test_fields_have_a_column_each(resource):
    assert list(resource.by_column) == [field.column for field in resource.fields]
    assert resource.fields[: len(resource.core)] == resource.core


FIELDS = [
    (resource.name, field) for resource in ALL_RESOURCES.values() for field in resource.fields
]


def test_fields_have_a_meaning():
    assert [(name, field.column) for name, field in FIELDS if not field.meaning] == []


def test_fields_with_entries_name_their_element():
    assert [
        (name, field.column)
        for name, field in FIELDS
        if bool(field.tag) != (field.kind is Kind.ITEMS)
    ] == []


def test_fields_of_numbers_and_times_have_a_unit():
    measured = {Kind.INTEGER, Kind.TIMESTAMP}
    assert [
        (name, field.column) for name, field in FIELDS if field.kind in measured and not field.unit
    ] == []


def test_fields_that_are_required_are_specified():
    assert [
        (name, field.column)
        for name, field in FIELDS
        if field.required and field.dialect is not Dialect.SPECIFIED
    ] == []


def test_columns_tell_what_the_records_are():
    detected = {
        name: detect_resource(field.column for field in resource.core)
        for name, resource in ALL_RESOURCES.items()
    }
    assert detected == ALL_RESOURCES
    assert detect_resource(["posts_count", "stack_count", "location"]) is ACCOUNT


@pytest.mark.parametrize(
    "columns", [["id", "name", "created_at"], ["weight", 7], ["posts_count", "stack_count"]]
)
def test_columns_of_several_records_or_none_tell_nothing(columns):
    assert detect_resource(columns) is None


#: Kinds by the dtypes that docstrings name.
DTYPES = {
    "str": {"text", "identifier"},
    "Int64": {"integer"},
    "int64": {"integer"},
    "Float64": {"number"},
    "boolean": {"boolean"},
    "datetime64[us, UTC]": {"timestamp"},
}
#: Columns in one group of a docstring: their names, and their dtype and unit in parentheses.
GROUP = re.compile(
    r"((?:``\w+``(?:,| and)?\s+)+)\((str|Int64|int64|Float64|boolean|datetime64\[us, UTC\])"
    r"(?:, ([^)]*))?\)"
)


def result_of(name):
    """Return the section of the docstring that says what a function returns."""
    function = getattr(stats, name, None) or getattr(dirframe, name)
    text = inspect.getdoc(function).partition("Returns\n-------\n")[2]
    return re.split(r"\n\w+\n-+\n", text)[0]


@pytest.mark.parametrize("name", STATISTIC_COLUMNS)
def test_columns_of_a_statistic_are_described_as_in_its_docstring(name):
    text = result_of(name)
    fields = STATISTIC_COLUMNS[name]
    named = re.findall(r"``(\w+)``", text)
    assert all(field.meaning for field in fields.values())
    assert [c for c in fields if c not in named and not c.endswith("_without_zeros")] == []
    described, documented = {}, {}
    for names, dtype, unit in GROUP.findall(text):
        for column in re.findall(r"\w+", names.replace(" and", "")):
            if column not in fields:
                continue
            field = fields[column]
            kinds = DTYPES[dtype]
            described[column] = (field.kind.value if field.kind.value in kinds else kinds,)
            documented[column] = (field.kind.value,)
            if unit:
                described[column] += (" ".join(unit.split()),)
                documented[column] += (field.unit.removeprefix("share, "),)
    assert documented == described
    assert named


def test_records_are_called_what_they_are():
    assert PROJECT.words == ("project", "projects")
    assert schema.CONTRIBUTOR_FACT.words == ("contributor", "contributors")
    assert schema.EXTENSIONS["activity_fact"].words == ("activity fact", "activity facts")
    assert ALL_RESOURCES["analysis"].words == ("analysis", "analyses")
