"""How far a harvest is, as it is printed."""

from __future__ import annotations

from pathlib import Path

from dirframe.archive.model import Outcome, Round, RoundKind
from dirframe.archive.status import Status, rounds_as_of
from tests.archive.test_model import full
from tests.archive.test_snapshot import AT


def test_the_days_that_are_left_are_counted_from_the_pages() -> None:
    status = Status(
        path=Path("kept.archive"),
        resource="projects",
        pages=2_000,
        pages_expected=20_000,
        records=50_000,
        available=500_000,
        size_bytes=1,
        compressed_bytes=1,
        finished=False,
        complete=False,
        incomplete_reason=None,
        rounds=1,
        newest=None,
    )
    assert (status.share, status.days_remaining()) == (0.1, 18)
    assert "18 days to go" in str(status)


def test_a_full_round_that_runs_counts_only_where_there_is_no_other() -> None:
    ended = full(outcome=Outcome(at=AT, pages=1, available=1))
    running = Round(2, RoundKind.FULL, "id", AT)
    assert rounds_as_of([running], None) == [running]
    assert rounds_as_of([ended, running], None) == [ended]


def test_a_round_that_was_given_up_does_not_count() -> None:
    ended = full(outcome=Outcome(at=AT, pages=1, available=1))
    given_up = Outcome(at=AT, pages=1, available=1, reached=False)
    changes = Round(2, RoundKind.CHANGES, "id", AT, outcome=given_up)
    assert rounds_as_of([ended, changes], None) == [ended]
