"""The price of a load is said first, and it is the price that is then paid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import dirframe
from dirframe.provenance import get_provenance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[dirframe.Directory]:
    with dirframe.sample_directory(cache_dir=tmp_path) as sample:
        yield sample


@pytest.mark.parametrize(
    "question",
    [
        {"max_items": 60},
        {"max_items": 75},
        {"query": "parser"},
        {"query": "no such words anywhere"},
        {},
    ],
)
def test_the_price_said_is_the_price_paid(
    directory: dirframe.Directory, question: dict[str, Any]
) -> None:
    price = dirframe.plan("projects", directory=directory, **question)
    assert price.requests_used == 1
    assert price.pages_cached == 1
    frame = dirframe.load_projects(directory=directory, progress=False, **question)
    assert get_provenance(frame)["requests_made"] == price.requests_needed
    assert len(frame) == price.items


def test_a_plan_after_the_load_costs_nothing_and_says_so(directory: dirframe.Directory) -> None:
    dirframe.load_projects(max_items=60, directory=directory, progress=False)
    price = dirframe.plan("projects", max_items=60, directory=directory)
    assert (price.requests_used, price.requests_needed) == (0, 0)
    assert price.fits


def test_refreshing_costs_every_page_again(directory: dirframe.Directory) -> None:
    dirframe.load_projects(max_items=60, directory=directory, progress=False)
    price = dirframe.plan("projects", max_items=60, directory=directory, refresh=True)
    assert price.requests_needed == 3


def test_a_price_beyond_the_quota_does_not_fit(directory: dirframe.Directory) -> None:
    directory.session.quota.limit = 1_000
    for _ in range(950):
        directory.session.quota.acquire()
    price = dirframe.plan("accounts", directory=directory)
    assert price.quota_left == 49
    assert price.fits is False
    assert "NOT fit" in str(price)
    assert price.resets_at is not None


def test_a_collection_that_does_not_exist_is_refused(directory: dirframe.Directory) -> None:
    with pytest.raises(dirframe.InvalidInputError, match="accounts, projects"):
        dirframe.plan("people", directory=directory)
