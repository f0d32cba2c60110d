"""Which pages are missing, and what proves that none is; `test_paginator` has it over HTTP."""

from __future__ import annotations

import pytest

from dirframe.client.paging.completeness import PagePosition, PageSequence


def page(
    number: int, *ids: str | None, available: int | None, first: int | None = None
) -> PagePosition:
    return PagePosition(number, available, first, ids, number, (float(number), number))


def sequence(*pages: PagePosition, max_items: int | None = None) -> PageSequence:
    pages_so_far = PageSequence(max_items)
    for one in pages:
        pages_so_far.add(one)
    return pages_so_far


AB = page(1, "a", "b", available=5, first=0)
CD = page(2, "c", "d", available=5, first=2)
E = page(3, "e", available=5, first=4)


def test_what_is_missing_follows_from_the_first_page_and_the_count() -> None:
    positions = PageSequence()
    positions.add(PagePosition(1, 25, 0, tuple(map(str, range(10))), 0, (0.0, 0)))
    assert positions.missing_pages() == range(2, 4)
    assert positions.incomplete_reason(10, 0, 0) == "10 different records were received of 25"


def test_all_pages_of_one_state_prove_it_complete() -> None:
    whole = sequence(E, AB, CD)  # in whatever order they came
    assert whole.contiguous_pages() == [AB, CD, E]
    assert list(whole.missing_pages()) == []
    assert whole.inconsistent_pages() == []
    assert whole.incomplete_reason(5, 0, 0) is None


def test_a_gap_is_asked_for_up_to_the_next_page_that_is_there() -> None:
    assert list(sequence(AB, E).missing_pages()) == [2]
    assert sequence(AB, E).contiguous_pages() == [AB]


@pytest.mark.parametrize("repeated", [AB, CD])
def test_a_page_that_repeats_the_first_or_the_last_is_the_end(repeated: PagePosition) -> None:
    again = page(3, *repeated.ids, available=None)
    both = [page(one.number, *one.ids, available=None) for one in (AB, CD)]
    pages = sequence(*both, again)
    assert pages.is_the_end(3)
    assert not pages.is_the_end(2)
    assert list(pages.missing_pages()) == []
    assert pages.contiguous_pages() == both


def test_a_page_that_shares_some_records_with_the_first_is_not_the_end() -> None:
    pages = sequence(AB, CD, page(3, "a", "e", available=5, first=4))
    assert not pages.is_the_end(3)
    assert len(pages.contiguous_pages()) == 3
    assert pages.inconsistent_pages() == [1, 3]  # both hold a


def test_only_the_page_after_a_complete_run_is_behind_the_last() -> None:
    whole = sequence(AB, CD, E)
    assert whole.is_behind_the_last([4])
    assert not whole.is_behind_the_last([5])
    assert not whole.is_behind_the_last([4, 5])
    assert not sequence(AB, CD).is_behind_the_last([3])  # it holds a record that is expected
    assert not sequence().is_behind_the_last([1])
    assert not sequence(page(1, "a", available=None)).is_behind_the_last([2])


def test_a_page_of_another_count_or_another_place_is_inconsistent() -> None:
    counted = page(2, "c", "d", available=6, first=2)
    assert sequence(AB, counted, E).inconsistent_pages() == [2]
    moved = page(2, "c", "d", available=5, first=3)
    assert sequence(AB, moved, E).inconsistent_pages() == [1, 2]


def test_more_records_than_the_count_are_inconsistent() -> None:
    more = page(3, "e", "f", available=5, first=4)
    assert sequence(AB, CD, more).inconsistent_pages() == [3]


def test_a_page_without_a_count_is_at_fault_where_others_have_one() -> None:
    silent = page(3, "e", available=None)
    assert sequence(AB, CD, silent).inconsistent_pages() == [3]
    alone = sequence(page(1, "a", available=None), page(2, "b", available=None))
    assert alone.inconsistent_pages() == []


def test_pages_that_count_differently_are_named_with_their_counts() -> None:
    changed = sequence(AB, CD, page(3, "e", available=6, first=4), page(4, "f", available=6))
    reason = changed.incomplete_reason(6, 0, 0)
    assert reason is not None
    assert "5 and 6" in reason


def test_records_without_an_id_or_repeated_ones_are_counted_in_the_reason() -> None:
    assert "2 records" in str(sequence(AB, CD, E).incomplete_reason(5, 2, 0))
    assert "1 repeated" in str(sequence(AB, CD, E).incomplete_reason(4, 0, 1))


def test_a_limit_ends_it_at_the_page_that_reaches_it() -> None:
    capped = sequence(AB, CD, max_items=3)
    assert list(capped.missing_pages()) == []
    assert capped.expected_records() == 3
    assert sequence(AB, CD, max_items=2).contiguous_pages() == [AB]
    assert capped.incomplete_reason(3, 0, 0) is None


def test_without_a_count_only_a_limit_that_was_reached_proves_anything() -> None:
    silent = page(1, "a", "b", available=None)
    assert list(sequence(silent).missing_pages()) == [2]
    assert "items_available" in str(sequence(silent).incomplete_reason(2, 0, 0))
    assert sequence(silent, max_items=2).incomplete_reason(2, 0, 0) is None
    assert list(sequence(silent, max_items=2).missing_pages()) == []


def test_an_empty_first_page_needs_no_other() -> None:
    empty = sequence(page(1, available=0))
    assert list(empty.missing_pages()) == []
    assert empty.is_the_end(1)
    assert empty.incomplete_reason(0, 0, 0) is None
