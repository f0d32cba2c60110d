"""Without a tie-break records that sort alike stand on two pages, and others on none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dirframe.schema import PROJECT
from dirframe.service.store.ties import page_without_tie_break
from tests.service.importing.test_importer import build, page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dirframe.service.store.store import Store

RECORDS = 60


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    projects = (
        f"<project><id>{n}</id><name>P {n:03}</name><stack_count>{n // 20}</stack_count></project>"
        for n in range(RECORDS)
    )
    with build(tmp_path, page(*projects)) as built:
        yield built


def pages(store: Store, sort: str) -> list[list[str]]:
    return [
        page_without_tie_break(
            store, PROJECT, query="", sort=sort, page=number, page_size=10
        ).fragments
        for number in range(1, RECORDS // 10 + 2)
    ]


@pytest.mark.parametrize("sort", ["users", "stack_count", "stack_count_reverse"])
def test_records_that_sort_alike_repeat_and_go_missing(store: Store, sort: str) -> None:
    came = pages(store, sort)
    assert [len(one) for one in came] == [10] * 6 + [0]
    every = [fragment for one in came for fragment in one]
    assert len(set(every)) < RECORDS
    assert all(len(set(one)) == 10 for one in came[:-1])
    assert pages(store, sort) == came


@pytest.mark.parametrize("sort", ["id", "name", "name_reverse"])
def test_an_order_without_ties_is_as_it_was(store: Store, sort: str) -> None:
    expected = [
        store.page(PROJECT, sort=sort, page=number, page_size=10).fragments
        for number in range(1, 8)
    ]
    assert pages(store, sort) == expected


def test_the_order_is_that_of_the_sort_all_the_same(store: Store) -> None:
    counts = [
        int(fragment.partition("<stack_count>")[2].partition("<")[0])
        for one in pages(store, "stack_count")
        for fragment in one
    ]
    assert counts == sorted(counts)
