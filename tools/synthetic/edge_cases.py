"""Edge cases that generated collections contain on purpose, to test programs."""

# The texts are in `tables/peculiar.toml`.

from __future__ import annotations

from dataclasses import dataclass

from tools.synthetic.tables import read_table

#: One record in this many takes its texts from the list, in turn.
EDGE_CASE_PERIOD = 50
_FIRST = 16


@dataclass(frozen=True)
class EdgeCase:
    """An edge case: its description, and the texts of the record."""

    what: str
    texts: dict[str, str]


def _read(kind: str) -> tuple[EdgeCase, ...]:
    return tuple(EdgeCase(entry.pop("what"), entry) for entry in read_table("peculiar.toml")[kind])


ACCOUNTS = _read("account")
PROJECTS = _read("project")


def texts(choice: tuple[EdgeCase, ...], index: int) -> dict[str, str]:
    """Return the edge-case texts of the record at an index; empty for most."""
    turn, rest = divmod(index, EDGE_CASE_PERIOD)
    return choice[turn % len(choice)].texts if rest == _FIRST else {}
