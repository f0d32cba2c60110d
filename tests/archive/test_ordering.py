"""What values of a sort are ordered by."""

from __future__ import annotations

from dirframe.archive.ordering import keys


def test_numbers_and_times_are_ordered_as_such_and_anything_else_as_text() -> None:
    assert keys(["9", "10"]) == [9, 10]
    early, late = keys(["2026-01-01T12:00:00+02:00", "2026-01-01T11:00:00Z"])
    assert early < late
    assert keys(["b", "a"]) == ["b", "a"]
