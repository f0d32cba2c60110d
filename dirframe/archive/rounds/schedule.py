"""Run the rounds of a harvest or an update, one after another, until nothing is left to fetch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.archive.model import Doubt, Reason, RoundKind
from dirframe.archive.rounds.changes import NEWEST_FIRST, ChangeScan, first_changes
from dirframe.archive.rounds.details import abandon_details
from dirframe.archive.rounds.full import run_round, start_round
from dirframe.archive.rounds.removals import find_removed
from dirframe.client.paging.completeness import MAX_REFETCHES

if TYPE_CHECKING:
    from dirframe.archive.model import Round
    from dirframe.archive.writer import ArchiveWriter


def run_rounds(writer: ArchiveWriter, *, full: bool = False) -> None:
    """Continue the unfinished round, or start one, and run those that follow from it."""
    last = writer.rounds[-1]
    if last.outcome is None and last.kind is RoundKind.DETAILS:
        abandon_details(writer, last)
    elif last.outcome is None and last.kind is not RoundKind.FULL and full:
        writer.abandon_round(last, Doubt(Reason.REPLACED_BY_FULL))
    elif last.outcome is None and last.kind is RoundKind.REMOVALS:
        find_removed(writer, last)
    if last.outcome is not None:
        last = _start(writer, full=full)
    is_check = last.kind is RoundKind.FULL
    if is_check:
        run_round(writer, last, check=True)
        last = writer.rounds[-1]
    if last.outcome is None:
        _run_changes(writer, last, is_check=is_check)


def _run_changes(writer: ArchiveWriter, last: Round, *, is_check: bool) -> None:
    """Fetch changes until all are stored; fetch everything if they cannot be, but not to check."""
    attempts = 0
    while last.kind is not RoundKind.FULL:
        outcome, attempts = ChangeScan(writer, last).run(), attempts + 1
        if outcome == "removed" and not find_removed(writer):
            outcome = "behind"
        if (
            outcome in {"known", "removed"}
            or (outcome == "behind" and attempts == MAX_REFETCHES)
            or (outcome == "unsorted" and is_check)
        ):
            return
        last = _start(writer, full=outcome == "unsorted")
    run_round(writer, last)


def _start(writer: ArchiveWriter, *, full: bool) -> Round:
    """Start a round of changes, if the first page shows that the directory sorts by change."""
    first = None if full else first_changes(writer)
    if first is not None:
        return writer.start_round(RoundKind.CHANGES, NEWEST_FIRST, first)
    base = [round_ for round_ in writer.rounds if round_.kind is RoundKind.FULL][-1]
    return start_round(writer, list(dict.fromkeys([base.sort, "id", "created_at", None])))
