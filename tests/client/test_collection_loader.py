"""Loading what a question asks for: what an incomplete collection comes to."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from dirframe.client.collection_loader import (
    LoadOptions,
    attach_load_provenance,
    load_collection_query,
)
from dirframe.client.http.client import CachePolicy
from dirframe.client.paging.query import CollectionQuery
from dirframe.errors import IncompleteCollectionError, IncompleteWarning, InvalidInputError
from dirframe.provenance import get_provenance
from dirframe.schema import PROJECT
from dirframe.settings import ApiKey, Settings
from tests.client import Asked, Server, fetched, page_xml, record

if TYPE_CHECKING:
    from collections.abc import Callable

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


def test_times_and_costs_are_those_of_the_documents() -> None:
    settings = Settings(base_url="http://127.0.0.1:1", api_key=ApiKey("secret"), name="Here")
    early, late = datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 3, tzinfo=UTC)
    answers = [
        fetched(page_xml([]), "http://127.0.0.1:1/projects.xml", late, attempts=2),
        fetched(page_xml([]), "http://127.0.0.1:1/projects.xml", early, attempts=0),
    ]
    frame = attach_load_provenance(
        pd.DataFrame({"id": ["1"]}), settings, PROJECT, answers, complete=True
    )
    facts = get_provenance(frame)
    assert facts["retrieved_oldest"].startswith("2026-01-01")
    assert facts["retrieved_newest"].startswith("2026-01-03")
    assert (facts["requests_made"], facts["requests_cached"]) == (2, 1)
    assert (facts["source"], facts["resource"], facts["items_loaded"]) == ("Here", "project", 1)
    assert "secret" not in str(frame.attrs)
