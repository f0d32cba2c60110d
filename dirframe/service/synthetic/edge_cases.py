"""What generated collections contain on purpose, so that programs meet it before people do.

The texts stand in `tables/peculiar.toml`.
"""

from __future__ import annotations

from dataclasses import dataclass

from dirframe.service.synthetic.descriptions import read_table

__all__ = ["ACCOUNTS", "EDGE_CASE_PERIOD", "PROJECTS", "EdgeCase", "texts"]

#: One record in so many takes its texts from the list, in turn.
EDGE_CASE_PERIOD = 50
_FIRST = 16


@dataclass(frozen=True)
class EdgeCase:
    """What is peculiar, in words, and the texts that a record takes from it."""

    what: str
    texts: dict[str, str]


def _read(kind: str) -> tuple[EdgeCase, ...]:
    return tuple(EdgeCase(entry.pop("what"), entry) for entry in read_table("peculiar.toml")[kind])


ACCOUNTS = _read("account")
PROJECTS = _read("project")


def texts(choice: tuple[EdgeCase, ...], index: int) -> dict[str, str]:
    """Return the peculiar texts of the record at an index: none for most."""
    turn, rest = divmod(index, EDGE_CASE_PERIOD)
    return choice[turn % len(choice)].texts if rest == _FIRST else {}
