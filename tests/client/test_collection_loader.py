"""Loading what a question asks for: what an incomplete collection comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dirframe.client.collection_loader import LoadOptions, load_collection_query
from dirframe.client.http.client import CachePolicy
from dirframe.client.paging.query import CollectionQuery
from dirframe.errors import IncompleteCollectionError, IncompleteWarning, InvalidInputError
from dirframe.schema import PROJECT
from tests.client import Asked, Server, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from dirframe import Directory
    from dirframe.client.collection_loader import Incomplete


def short(asked: Asked) -> bytes:
    """Say that there are three records, and hand over two."""
    return page_xml([record("1"), record("2")] if asked.page == 1 else [], available=3, first=0)


def load(directory: Directory, incomplete: Incomplete) -> pd.DataFrame:
    options = LoadOptions(policy=CachePolicy(), incomplete=incomplete)
    return load_collection_query(CollectionQuery(resource=PROJECT), directory, options)


def test_what_came_of_an_incomplete_collection_is_in_the_error(
    at: Callable[..., Directory],
) -> None:
    with Server(short) as server, pytest.raises(IncompleteCollectionError) as it:
        load(at(server), "raise")
    assert list(it.value.frame["id"]) == ["1", "2"]


def test_what_came_is_handed_over_with_a_warning_where_that_was_asked_for(
    at: Callable[..., Directory],
) -> None:
    with Server(short) as server, pytest.warns(IncompleteWarning):
        assert list(load(at(server), "warn")["id"]) == ["1", "2"]


def test_another_word_is_refused_before_anything_is_sent(at: Callable[..., Directory]) -> None:
    with Server(short) as server:
        with pytest.raises(InvalidInputError, match="incomplete is 'ignore'"):
            load(at(server), "ignore")  # type: ignore[arg-type]  # what a typing error would be
        assert server.asked == []
