"""The collections outside the specification stand apart from it, and say where they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from dirframe.schema import ACCOUNT, RESOURCES
from dirframe.schema.extensions import ALL_RESOURCES, EXTENSIONS, detect_resource

if TYPE_CHECKING:
    from dirframe.schema import Resource

extensions = pytest.mark.parametrize(
    "resource", EXTENSIONS.values(), ids=lambda resource: resource.name
)


@extensions
def test_an_extension_claims_no_field_of_the_specification(resource: Resource) -> None:
    assert resource.specified == ()
    assert resource.name not in RESOURCES


@extensions
def test_an_extension_names_its_addresses_and_what_tells_its_records_apart(
    resource: Resource,
) -> None:
    assert resource.paths
    assert all(re.fullmatch(r"(/(\w+|\{\w+\}))+\.xml", path) for path in resource.paths)
    assert resource.key in {"", *(field.column for field in resource.core)}


def test_records_are_called_in_sentences_what_they_are() -> None:
    words = {name: resource.words for name, resource in ALL_RESOURCES.items()}
    assert words["project"] == ("project", "projects")
    assert words["contributor_fact"] == ("contributor", "contributors")
    assert words["activity_fact"] == ("activity fact", "activity facts")
    assert words["analysis"] == ("analysis", "analyses")


def test_all_resources_are_those_of_the_specification_and_the_others() -> None:
    assert list(ALL_RESOURCES) == [*RESOURCES, *EXTENSIONS]


@pytest.mark.parametrize("resource", ALL_RESOURCES.values(), ids=list(ALL_RESOURCES))
def test_the_columns_of_a_resource_tell_what_it_is(resource: Resource) -> None:
    assert detect_resource(field.column for field in resource.core) is resource


def test_what_both_have_or_neither_tells_nothing() -> None:
    assert detect_resource(["id", "name", "created_at"]) is None
    assert detect_resource(["weight", 7, None]) is None
    assert detect_resource(["posts_count", "stack_count"]) is None
    assert detect_resource(["posts_count", "stack_count", "location"]) is ACCOUNT
