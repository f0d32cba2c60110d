"""How far a harvest is, as it is printed."""

from __future__ import annotations

from pathlib import Path

from dirframe.archive.status import Status


def test_the_days_that_are_left_are_counted_from_the_pages() -> None:
    status = Status(
        path=Path("kept.archive"),
        resource="projects",
        pages=2_000,
        pages_expected=20_000,
        records=50_000,
        available=500_000,
        bytes=1,
        compressed_bytes=1,
        finished=False,
        complete=False,
        why=None,
        rounds=1,
        newest=None,
    )
    assert (status.share, status.days_remaining()) == (0.1, 18)
    assert "18 days to go" in str(status)
