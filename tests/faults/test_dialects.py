"""What services of this kind do by design: page sizes, ends, counts, today's dialect."""

from __future__ import annotations

import re
from itertools import cycle
from typing import TYPE_CHECKING

import pytest

import dirframe
from dirframe.errors import IncompleteCollectionError, IncompleteWarning
from tests.faults import faults
from tests.faults.service import FaultyService, Shelf, numbered
from tests.faults.test_outcomes import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.faults.conftest import Ask
    from tests.faults.service import Exchange


def without_result_when_empty(exchange: Exchange) -> None:
    exchange.body = re.sub(rb"<result>\s*</result>", b"", exchange.body)
    exchange.answer()


def without(element: str) -> Callable[[bytes], bytes]:
    return lambda body: re.sub(rf"<{element}>\d+</{element}>".encode(), b"", body)


@pytest.mark.parametrize("past_is_first", [False, True], ids=["empty", "page 1"])
@pytest.mark.parametrize("size", [1, 10, 25, 100])
@pytest.mark.parametrize("count", [0, 1, 20, 50])
@pytest.mark.parametrize("workers", [1, 4])
def test_whatever_the_size_and_the_end_of_pages_everything_comes_once(
    count: int, size: int, past_is_first: bool, workers: int, ask: Ask
) -> None:
    shelf = Shelf(numbered(count), size=size)
    shelf.past_is_first = past_is_first
    with FaultyService(shelf) as service:
        service.always = without_result_when_empty
        assert load(ask(service, max_workers=workers)) == numbered(count)
        assert len(service.asked) <= -(-count // size) + 1


@pytest.mark.parametrize("told", [54, 56, 60, 10_000, 0])
def test_a_count_that_lies_is_never_believed(told: int, service: FaultyService, ask: Ask) -> None:
    service.shelf.told = lambda _: told
    with pytest.raises(IncompleteCollectionError) as caught:
        load(ask(service))
    assert caught.value.missing in str(caught.value)
    assert set(caught.value.frame["id"]) <= set(numbered(55))
    assert len(service.asked) < 120


# Of requests at the same time, those that count right may be those whose pages are kept.
@pytest.mark.parametrize(("workers", "told"), [(1, [0, 1]), (4, range(100))])
def test_a_count_that_changes_all_the_time_is_never_believed(
    workers: int, told: Iterable[int], service: FaultyService, ask: Ask
) -> None:
    more = cycle(told)
    service.shelf.told = lambda true: true + next(more)
    with pytest.raises(IncompleteCollectionError):
        load(ask(service, max_workers=workers))
    assert len(service.asked) < 60


def test_without_a_count_everything_comes_with_a_warning(service: FaultyService, ask: Ask) -> None:
    service.always = faults.rewrites(without("items_available"))
    with pytest.warns(IncompleteWarning, match="does not state the number"):
        frame = dirframe.load_projects(directory=ask(service), incomplete="warn", progress=False)
    assert list(frame["id"]) == numbered(55)
    assert frame.attrs["dirframe"]["complete"] is False
    assert "items_available" in frame.attrs["dirframe"]["incomplete_reason"]


def test_without_positions_the_count_alone_proves(service: FaultyService, ask: Ask) -> None:
    service.always = faults.rewrites(without("first_item_position"))
    assert load(ask(service)) == numbered(55)


def test_a_page_that_lost_a_record_on_its_way_is_noticed(service: FaultyService, ask: Ask) -> None:
    lose = faults.rewrites(lambda body: re.sub(rb"(?s)<project>.*?</project>", b"", body, count=1))
    service.on_page[3] = [lose]
    assert load(ask(service)) == numbered(55)  # read again
    assert service.pages.count(3) == 2


def test_a_page_that_keeps_losing_a_record_is_an_error(service: FaultyService, ask: Ask) -> None:
    lose = faults.rewrites(lambda body: re.sub(rb"(?s)<project>.*?</project>", b"", body, count=1))
    service.on_page[3] = [lose] * 99
    with pytest.raises(IncompleteCollectionError) as caught:
        load(ask(service))
    assert len(caught.value.frame) == 54
    assert len(service.asked) < 60


def test_records_without_an_id_are_never_said_to_be_complete(
    service: FaultyService, ask: Ask
) -> None:
    service.always = faults.rewrites(lambda body: body.replace(b"<id>7</id>", b"<id/>"))
    with pytest.raises(IncompleteCollectionError, match="have no id"):
        load(ask(service))


def test_a_stored_page_without_a_count_is_asked_for_again(service: FaultyService, ask: Ask) -> None:
    directory = ask(service)
    service.on_page[6] = [faults.rewrites(without("items_available"))] * 2
    service.on_page[3] = [faults.FAULTS["500"]] * 2
    for _ in range(3):
        try:
            assert load(directory) == numbered(55)
        except dirframe.DirframeError:
            continue
        break
    else:
        pytest.fail("the silent page is taken from the cache for ever")
