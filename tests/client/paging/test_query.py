"""What one asks of a collection is checked before anything is sent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dirframe.client.addresses import Address
from dirframe.client.paging.query import CollectionQuery
from dirframe.errors import InvalidInputError
from dirframe.schema import ACCOUNT, PROJECT


def test_what_is_not_asked_is_not_sent() -> None:
    question = CollectionQuery(resource=PROJECT)
    assert question.path == "/projects.xml"
    assert question.params(1) == {"page": "1"}
    assert question.to_provenance() == {}


def test_what_is_asked_is_sent_and_noted() -> None:
    question = CollectionQuery(resource=ACCOUNT, query="ada & co", sort="name_reverse", max_items=7)
    assert question.params(3) == {"query": "ada & co", "sort": "name_reverse", "page": "3"}
    assert question.to_provenance() == {"query": "ada & co", "sort": "name_reverse", "max_items": 7}


def test_an_address_is_noted_by_its_facts_or_else_by_its_path() -> None:
    address = Address("/projects/7/contributors.xml", {"kind": "all"})
    question = CollectionQuery(resource=PROJECT, address=address)
    assert question.to_provenance() == {"path": address.path, "kind": "all"}
    known = CollectionQuery(resource=PROJECT, address=replace(address, facts={"project": "7"}))
    assert known.to_provenance() == {"project": "7", "kind": "all"}


@pytest.mark.parametrize("resource", [ACCOUNT, PROJECT], ids=lambda r: r.name)
def test_every_sort_of_the_resource_is_allowed_and_no_other(resource: Any) -> None:
    for sort in (*resource.sorts, *resource.other_sorts):
        assert CollectionQuery(resource=resource, sort=sort).params(1)["sort"] == sort
    for sort in ("", "NAME", "id desc", "random"):
        with pytest.raises(InvalidInputError, match="created_at_reverse"):
            CollectionQuery(resource=resource, sort=sort)


def test_accounts_have_no_stacks_to_sort_by() -> None:
    with pytest.raises(InvalidInputError, match="accounts"):
        CollectionQuery(resource=ACCOUNT, sort="stack_count")


@pytest.mark.parametrize("count", [0, -1, 2.0, True, "5", 1.5])
def test_a_cap_that_is_no_whole_number_from_one_is_refused(count: Any) -> None:
    with pytest.raises(InvalidInputError, match="max_items"):
        CollectionQuery(resource=PROJECT, max_items=count)
