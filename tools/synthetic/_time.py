"""Timestamps of generated records, in seconds and in months since 1970, and their formats."""

from __future__ import annotations

from datetime import UTC, datetime

DAY = 86_400
#: Time of the snapshot: no timestamp of a generated record is later.
SNAPSHOT = int(datetime(2013, 8, 1, tzinfo=UTC).timestamp())


def stamp(moment: int) -> str:
    """Format seconds as a timestamp of the interface."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%dT%H:%M:%SZ}"


def month_of(moment: int) -> int:
    """Return the month of a time."""
    return parse_month(stamp(moment))


def month_start(month: int) -> int:
    """Return the first second of a month."""
    return int(datetime(1970 + month // 12, month % 12 + 1, 1, tzinfo=UTC).timestamp())


def parse_month(text: str) -> int:
    """Return the month of a timestamp."""
    return (int(text[:4]) - 1970) * 12 + int(text[5:7]) - 1
