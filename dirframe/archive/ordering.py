"""What values of a sort are ordered by.

What stays out: which sort is asked for (`dirframe.archive.harvest`).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

__all__ = ["keys"]


def keys(texts: list[str]) -> list[Any]:
    """Give numbers or times if all texts are some, or else the texts."""
    if all(text.isdigit() for text in texts):
        return [int(text) for text in texts]
    try:
        times = [datetime.fromisoformat(text) for text in texts]
    except ValueError:
        return list(texts)
    return [time if time.tzinfo else time.replace(tzinfo=UTC) for time in times]
