"""Records come page by page: those of the paginator, or the reason why they are not all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dirframe.client.paging.record_stream import RecordStream
from dirframe.schema import PROJECT
from tests.client import fetched, page_xml, record
from tests.client.paging.changing import BEGIN, Changing, ids, walk

if TYPE_CHECKING:
    from dirframe.client.http.client import FetchedPage


def stream(fetch: Changing, **options: Any) -> tuple[list[str], RecordStream]:
    opened = RecordStream(fetch, PROJECT, **options)
    return [record["id"] for record in opened.records()], opened


@given(
    count=st.integers(0, 80),
    size=st.sampled_from([1, 7, 10, 25]),
    past=st.sampled_from(["empty", "page 1", "no result"]),
    most=st.none() | st.integers(1, 90),
    workers=st.sampled_from([1, 3]),
)
def test_a_quiet_collection_comes_as_from_the_paginator(
    count: int, size: int, past: str, most: int | None, workers: int
) -> None:
    found, opened = stream(
        Changing(ids(count), size=size, past=past), max_items=most, workers=workers
    )
    expected = walk(Changing(ids(count), size=size, past=past), max_items=most)
    assert found == expected.frame["id"].tolist()
    result = opened.result()
    assert (result.incomplete_reason, result.capped, result.available) == (
        expected.incomplete_reason,
        expected.capped,
        expected.available,
    )
    assert result.complete is expected.complete
    assert len(result.fetched) <= 1  # one of all pages is kept


@pytest.mark.parametrize("edit", ["removed", "added", "moved"])
def test_a_collection_that_changes_meanwhile_is_not_called_complete(edit: str) -> None:
    def change(reading: int, held: list[str]) -> list[str]:
        if reading != 2:
            return held
        if edit == "removed":
            return held[1:]
        return ["new", *held] if edit == "added" else [held[-1], *held[:-1]]

    found, opened = stream(Changing(ids(60), edit=change))
    assert len(set(found)) == len(found)
    assert opened.result().incomplete_reason


def test_a_directory_that_does_not_count_is_not_called_complete() -> None:
    found, opened = stream(Changing(ids(30), count=lambda *_: None))
    assert len(found) == 30
    assert "items_available" in str(opened.result().incomplete_reason)


def test_the_progress_is_told_of_each_page_and_of_each_own_page() -> None:
    class Own:
        def get_cached(self, identifier: str) -> None:
            """Nothing is cached."""

        def fetch(self, identifier: str) -> FetchedPage:
            return fetched(page_xml([record(identifier)]), "u", BEGIN, 1)

    pages: list[tuple[int, int]] = []
    own: list[tuple[int, int]] = []
    _, opened = stream(
        Changing(ids(3), size=2),
        details=Own(),
        progress=lambda *counts: pages.append(counts),
        on_details=lambda *counts: own.append(counts),
    )
    assert pages == [(2, 3), (1, 3)]
    assert own == [(1, 2), (1, 2), (1, 1)]
    assert opened.result().details == 3
