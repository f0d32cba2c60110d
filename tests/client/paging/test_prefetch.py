"""Several pages at a time, in the order of their numbers."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dirframe.client.paging.prefetch import fetch_ahead


@settings(max_examples=30)
@given(st.integers(0, 30), st.integers(1, 8), st.sets(st.integers(1, 30)))
def test_the_order_is_that_of_the_numbers(count: int, workers: int, cached: set[int]) -> None:
    numbers = list(range(1, count + 1))

    def fetch(number: int) -> int:
        time.sleep(number % 3 / 2000)
        return number * 10

    found = list(fetch_ahead(fetch, lambda n: n * 10 if n in cached else None, numbers, workers))
    assert found == [(number, number * 10) for number in numbers]


def test_so_many_are_fetched_at_a_time_and_few_ahead() -> None:
    running, most, begun = 0, 0, 0
    lock = threading.Lock()

    def fetch(number: int) -> int:
        nonlocal running, most, begun
        with lock:
            running, begun = running + 1, begun + 1
            most = max(most, running)
        time.sleep(0.005)
        with lock:
            running -= 1
        return number

    pages = fetch_ahead(fetch, lambda _: None, list(range(100)), 4)
    next(pages)
    pages.close()  # type: ignore[attr-defined]  # it is a generator
    assert 1 < most <= 4
    assert begun <= 17


def test_pages_at_hand_start_no_thread() -> None:
    before = threading.active_count()
    for _ in fetch_ahead(lambda n: n, lambda n: n + 1, [1, 2, 3], 8):
        assert threading.active_count() == before


def test_a_failure_ends_the_walk_and_sends_nothing_more() -> None:
    asked: list[int] = []

    def fetch(number: int) -> int:
        asked.append(number)
        if number == 3:
            raise OSError("cut")
        time.sleep(0.005)
        return number

    with pytest.raises(OSError, match="cut"):
        list(fetch_ahead(fetch, lambda _: None, list(range(1, 1000)), 4))
    assert len(asked) < 40


def test_threads_begin_with_the_first_page_that_has_to_be_waited_for() -> None:
    by_thread: dict[int, str] = {}
    slow = False

    def fetch(number: int) -> int:
        nonlocal slow
        by_thread[number] = threading.current_thread().name
        slow = number >= 3
        return number

    own = threading.current_thread().name
    found = fetch_ahead(fetch, lambda _: None, list(range(1, 9)), 4, is_slow=lambda: slow)
    assert [number for number, _ in found] == list(range(1, 9))
    assert [number for number, name in by_thread.items() if name == own] == [1, 2, 3]
