"""Walking pages: complete, or said not to be; never short or doubled without a word."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dirframe.client.paging import completeness
from dirframe.client.paging.paginator import Paginator
from dirframe.errors import NotFoundError
from dirframe.schema import PROJECT
from tests.client import fetched, page_xml, record
from tests.client.paging.changing import BEGIN, Changing, ids, walk

if TYPE_CHECKING:
    from dirframe.client.http.client import FetchedPage


@pytest.mark.parametrize("past", ["empty", "page 1", "no result"])
@pytest.mark.parametrize("size", [1, 10, 25])
@pytest.mark.parametrize("count", [0, 1, 9, 10, 11, 24, 25, 26, 50, 75])
def test_a_quiet_collection_comes_whole_in_order_and_proven(
    count: int, size: int, past: str
) -> None:
    fetch = Changing(ids(count), size=size, past=past)
    found = walk(fetch)
    assert list(found.frame["id"]) == ids(count)
    assert found.complete
    assert found.duplicates == 0
    assert len(fetch.asked) <= -(-count // size) + 1
    assert not any(refresh for _, refresh in fetch.asked)


def test_pages_at_hand_are_taken_once_and_asked_for_anew_where_they_no_longer_fit() -> None:
    before, taken = Changing(ids(60)), Counter[int]()
    stored = {page: before(page) for page in (1, 2)}

    def get_cached(page: int) -> FetchedPage | None:
        taken[page] += 1
        return stored.get(page)

    same = Changing(ids(60))
    assert list(walk(same, get_cached=get_cached).frame["id"]) == ids(60)
    assert [page for page, _ in same.asked] == [3]
    taken.clear()
    changed = Changing(ids(60)[1:])  # all others moved up
    found = walk(changed, get_cached=get_cached)
    assert list(found.frame["id"]) == ids(60)[1:]
    assert found.complete
    assert {(1, True), (2, True)} <= {*changed.asked}
    assert set(taken.values()) == {1}


@pytest.mark.parametrize("cap", [1, 9, 10, 11, 20, 24, 25, 26, 49, 50, 51, 100])
@pytest.mark.parametrize("size", [10, 25])
def test_a_cap_gives_that_many_records_and_asks_for_no_page_more(cap: int, size: int) -> None:
    fetch = Changing(ids(50), size=size)
    found = walk(fetch, max_items=cap)
    assert list(found.frame["id"]) == ids(min(cap, 50))
    assert found.incomplete_reason is None
    assert found.capped == (cap < 50)
    assert found.complete == (cap >= 50)
    assert len(fetch.asked) <= -(-min(cap, 50) // size) + (cap > 50)


def test_a_cap_holds_even_if_the_directory_counts_too_few() -> None:
    found = walk(Changing(ids(30), size=30, count=lambda *_: 25), max_items=25)
    assert len(found.frame) == 25
    assert found.incomplete_reason is not None


def test_a_cap_that_was_reached_needs_no_count_of_the_directory() -> None:
    found = walk(Changing(ids(30), size=10, count=lambda *_: None), max_items=15)
    assert list(found.frame["id"]) == ids(15)
    assert found.incomplete_reason is None
    assert not found.complete


@pytest.mark.parametrize("past", ["empty", "page 1", "no result"])
def test_without_a_count_all_pages_come_but_are_not_said_to_be_complete(past: str) -> None:
    fetch = Changing(ids(47), size=10, past=past, count=lambda *_: None)
    found = walk(fetch)
    assert list(found.frame["id"]) == ids(47)
    assert not found.complete
    assert len(fetch.asked) <= 7


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_the_order_does_not_depend_on_the_number_of_workers(workers: int) -> None:
    class Slow(Changing):
        def __call__(self, page: int, *, refresh: bool = False) -> FetchedPage:
            time.sleep(0.003 * (page % 3))
            return super().__call__(page, refresh=refresh)

    found = walk(Slow(ids(333), size=10), workers=workers)
    assert list(found.frame["id"]) == ids(333)
    assert found.complete


def test_pages_are_asked_for_in_turn_unless_more_workers_are_allowed() -> None:
    class Together(Changing):
        def __call__(self, page: int, *, refresh: bool = False) -> FetchedPage:
            asking.add(threading.current_thread())
            return super().__call__(page, refresh=refresh)

    asking: set[threading.Thread] = set()
    walk(Together(ids(99), size=10))
    assert asking == {threading.current_thread()}


def test_pages_that_come_at_once_start_no_thread_and_slow_ones_do() -> None:
    class Slowing(Changing):
        def __call__(self, page: int, *, refresh: bool = False) -> FetchedPage:
            asking[page] = threading.current_thread()
            if page == 20:
                time.sleep(0.02)
            return super().__call__(page, refresh=refresh)

    asking: dict[int, threading.Thread] = {}
    found = walk(Slowing(ids(335), size=10), workers=4)
    assert list(found.frame["id"]) == ids(335)
    own = [page for page, thread in asking.items() if thread is threading.current_thread()]
    assert max(own) <= 20  # fewer on a machine that is busy
    assert asking[21] != threading.current_thread()


def test_all_workers_are_busy_up_to_the_last_page() -> None:
    class Together(Changing):
        def __call__(self, page: int, *, refresh: bool = False) -> FetchedPage:
            if page > 2:
                four.wait(20)
            time.sleep(0.005)  # threads begin with a page that has to be waited for
            return super().__call__(page, refresh=refresh)

    four = threading.Barrier(4)
    found = walk(Together(ids(335), size=10), workers=4)
    assert list(found.frame["id"]) == ids(335)


def test_an_error_of_any_page_is_raised_whatever_the_number_of_workers() -> None:
    class Failing(Changing):
        def __call__(self, page: int, *, refresh: bool = False) -> FetchedPage:
            if page == 7:
                raise ConnectionError("page 7")
            return super().__call__(page, refresh=refresh)

    for workers in (1, 4):
        with pytest.raises(ConnectionError, match="page 7"):
            walk(Failing(ids(333), size=10), workers=workers)


@pytest.mark.parametrize("past", ["empty", "page 1"])
def test_a_count_that_is_far_too_high_costs_a_bounded_number_of_requests(past: str) -> None:
    fetch = Changing(ids(47), size=10, past=past, count=lambda *_: 10**17)
    found = walk(fetch)
    assert list(found.frame["id"]) == ids(47)
    assert found.incomplete_reason is not None
    assert len(fetch.asked) < 5 + completeness.PAGES_PER_CHUNK + 5 * completeness.MAX_REFETCHES


@pytest.mark.parametrize("told", [0, 1, 46])
def test_a_count_that_is_too_low_is_noticed(told: int) -> None:
    found = walk(Changing(ids(50), size=25, count=lambda *_: told))
    assert not found.complete
    assert found.incomplete_reason is not None


def test_a_count_that_stops_at_a_full_page_is_noticed_by_the_page_behind_it() -> None:
    found = walk(Changing(ids(60), size=10, count=lambda *_: 30))
    assert found.incomplete_reason is not None


def test_a_count_that_changes_with_every_page_ends_in_a_doubt() -> None:
    fetch = Changing(ids(50), size=10, count=lambda reading, true: true + reading % 2)
    found = walk(fetch)
    assert found.incomplete_reason is not None
    assert len(fetch.asked) < 60


def test_a_record_that_was_added_in_front_while_paging_is_found_by_reading_again() -> None:
    def edit(reading: int, now: list[str]) -> list[str]:
        return ["new", *now] if reading == 3 else now

    found = walk(Changing(ids(60), size=10, edit=edit))
    assert found.complete
    assert list(found.frame["id"]) == ["new", *ids(60)]


def test_a_record_that_was_removed_while_paging_loses_no_other() -> None:
    def edit(reading: int, now: list[str]) -> list[str]:
        return now[1:] if reading == 3 else now

    found = walk(Changing(ids(60), size=10, edit=edit))
    assert found.complete
    assert list(found.frame["id"]) == ids(60)[1:]


def test_an_old_first_page_that_became_the_second_one_is_asked_for_again() -> None:
    state = [*map(str, range(100, 125)), *ids(25)]  # 25 came in front, 25 went at the end
    fresh = Changing(state, size=25)

    def fetch(page: int, *, refresh: bool = False) -> FetchedPage:
        if page == 1 and not refresh:
            old = page_xml(map(record, ids(25)), available=50, first=0)
            return fetched(old, "from the cache", BEGIN, 0)
        return fresh(page, refresh=refresh)

    found = walk(fetch)
    assert found.complete
    assert list(found.frame["id"]) == state


def test_a_collection_that_never_rests_is_given_up_with_a_reason() -> None:
    def edit(reading: int, now: list[str]) -> list[str]:
        return [f"new{reading}", *now]

    fetch = Changing(ids(50), size=10, edit=edit)
    found = walk(fetch)
    assert found.incomplete_reason is not None
    assert len(fetch.asked) < 60
    assert found.frame["id"].is_unique


def test_a_sort_without_a_tie_break_is_never_taken_for_complete() -> None:
    def edit(reading: int, now: list[str]) -> list[str]:
        return now[25:] + now[:25]

    found = walk(Changing(ids(75), size=25, edit=edit))
    assert len(found.frame) == 75 or found.incomplete_reason is not None


def test_records_that_the_directory_itself_has_twice_are_counted_and_doubted() -> None:
    fetch = Changing([*ids(31), "7"], size=10)
    found = walk(fetch)
    assert found.duplicates == 1
    assert len(found.frame) == 31
    assert found.incomplete_reason is not None
    assert len(fetch.asked) <= 30


def test_records_without_an_id_are_kept_and_doubted() -> None:
    content = page_xml(["<project><name>a</name></project>"] * 2, available=2, first=0)
    found = walk(lambda *_, **__: fetched(content, "u", BEGIN, 1))
    assert len(found.frame) == 2
    assert found.incomplete_reason is not None


@pytest.mark.parametrize("sizes", [[10, 10, 10, 3], [3, 10, 10, 10], [5, 1, 7, 20], [33]])
def test_pages_of_varying_length_come_whole_if_their_positions_fit(sizes: list[int]) -> None:
    everything = ids(sum(sizes))
    starts = [sum(sizes[:n]) for n in range(len(sizes))]

    def fetch(page: int, *, refresh: bool = False) -> FetchedPage:
        inside = page <= len(sizes)
        start = starts[page - 1] if inside else len(everything)
        shown = everything[start : start + sizes[page - 1]] if inside else []
        content = page_xml(map(record, shown), available=len(everything), first=start)
        return fetched(content, "u", BEGIN, 1)

    found = walk(fetch)
    assert found.complete
    assert list(found.frame["id"]) == everything


def test_overlapping_pages_are_doubted_even_if_all_records_came() -> None:
    shown = {1: ids(10), 2: ids(20)[8:18], 3: ids(20)[16:]}

    def fetch(page: int, *, refresh: bool = False) -> FetchedPage:
        content = page_xml(map(record, shown.get(page, [])), available=20, first=10 * page - 10)
        return fetched(content, "u", BEGIN, 1)

    found = walk(fetch)
    assert found.frame["id"].is_unique
    assert found.incomplete_reason is not None


def test_the_progress_is_told_of_each_page_and_of_the_whole() -> None:
    told: list[tuple[int, int]] = []
    walk(Changing(ids(26), size=10), progress=lambda count, total: told.append((count, total)))
    assert told == [(10, 26), (10, 26), (6, 26)]


_EDITS = st.dictionaries(
    st.integers(2, 14),
    st.tuples(st.sampled_from(["add", "remove", "move", "shuffle", "swap"]), st.integers(0, 99)),
    max_size=5,
)


@pytest.mark.parametrize("past", ["empty", "page 1", "no result"])
def test_a_count_that_lies_without_measure_costs_a_few_pages(past: str) -> None:
    collection = Changing([str(n) for n in range(60)], past=past, count=lambda *_: 10**17)
    walk = Paginator(collection, PROJECT, workers=4).run()
    assert walk.incomplete_reason is not None
    assert len(walk.frame) == 60
    first_round = [page for page, refresh in collection.asked if not refresh]
    assert max(first_round) <= 3 + 4 * 4


@settings(max_examples=200)
@given(
    count=st.integers(0, 45),
    size=st.sampled_from([1, 5, 10, 25]),
    past=st.sampled_from(["empty", "page 1", "no result"]),
    edits=_EDITS,
    lie=st.sampled_from([None, None, None, "minus", "plus"]),
    cap=st.one_of(st.none(), st.integers(1, 50)),
)
def test_whatever_happens_between_two_readings_the_outcome_is_a_state_in_number_or_a_doubt(
    count: int,
    size: int,
    past: str,
    edits: dict[int, tuple[str, int]],
    lie: str | None,
    cap: int | None,
) -> None:
    def edit(reading: int, now: list[str]) -> list[str]:
        kind, place = edits.get(reading, ("", 0))
        at = place % (len(now) + 1)
        if kind == "add":
            now.insert(at, f"new{reading}")
        elif kind == "remove" and now:
            del now[at - 1]
        elif kind == "move" and now:
            now.insert(at - 1, now.pop())
        elif kind == "swap" and now:  # one goes, one comes: the count stays
            del now[at - 1]
            now.insert(0, f"new{reading}")
        elif kind == "shuffle":
            now = now[at:] + now[:at]
        return now

    def told(reading: int, true: int) -> int:
        return max(true + {"minus": -1, "plus": 1, None: 0}[lie], 0)

    fetch = Changing(ids(count), size=size, past=past, edit=edit, count=told)
    found = walk(fetch, max_items=cap)
    assert found.frame["id"].is_unique
    assert cap is None or len(found.frame) <= cap
    longest = max(map(len, fetch.states)) + 1
    bound = (-(-longest // size) + 2) * (completeness.MAX_REFETCHES + 2)
    assert len(fetch.asked) <= bound, Counter(number for number, _ in fetch.asked)
    if found.incomplete_reason is None:
        lengths = {len(state) for state in fetch.states}
        if lie == "minus" and count and not edits and cap is None:
            # Only where a page is not full can a count that is too low by one be believed.
            assert len(found.frame) in lengths
        if lie is None:
            assert len(found.frame) in {
                length if cap is None else min(length, cap) for length in lengths
            }
        seen = set().union(*map(set, fetch.states))
        assert set(found.frame["id"]) <= seen


def test_a_directory_that_says_not_found_behind_its_last_page_is_complete() -> None:
    inner = Changing(ids(50), size=25)

    def fetch(page: int, *, refresh: bool = False) -> FetchedPage:
        if page > 2:
            raise NotFoundError("no such page", url=f"/projects.xml?page={page}", status=404)
        return inner(page, refresh=refresh)

    found = walk(fetch)
    assert found.complete
    assert len(found.frame) == 50


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize(("count", "pages"), [(47, 1), (47, 3), (50, 2), (50, 5)])
def test_a_walk_that_is_stopped_keeps_what_came_and_says_that_it_is_not_all(
    count: int, pages: int, workers: int
) -> None:
    told: list[int] = []

    def stop(records: int, total: int) -> None:
        told.append(records)
        if len(told) == pages:
            raise StopIteration

    found = walk(Changing(ids(count), size=10), workers=workers, progress=stop)
    assert list(found.frame["id"]) == ids(min(10 * pages, count))
    assert found.stopped
    assert not found.complete
    assert found.incomplete_reason == f"it was stopped after {10 * pages} of {count} records"


def test_a_walk_that_is_stopped_when_all_was_read_is_complete() -> None:
    def stop(records: int, total: int) -> None:
        if records == 7:
            raise StopIteration

    found = walk(Changing([*ids(17)], size=10), progress=stop)
    assert found.complete
