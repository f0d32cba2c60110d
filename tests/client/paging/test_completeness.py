"""Which pages are missing; the proof itself is tested with the walk (test_pages)."""

from __future__ import annotations

from dirframe.client.paging.completeness import Page, PageSequence


def test_what_is_missing_follows_from_the_first_page_and_the_count() -> None:
    positions = PageSequence()
    positions.add(Page(1, 25, 0, tuple(map(str, range(10))), 0, (0.0, 0)))
    assert positions.missing_pages() == range(2, 4)
    assert positions.incomplete_reason(10, 0, 0) == "10 different records came of 25"
