"""Update an archive with few requests, and keep its earlier states."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dirframe.archive.archive import Archive, open_archive
from dirframe.archive.model import Doubt, Reason, RoundKind
from dirframe.archive.rounds.changes import NEWEST_FIRST, ChangeScan, first_changes
from dirframe.archive.rounds.details import abandon_details, run_details
from dirframe.archive.rounds.full import run_round, start_round
from dirframe.archive.rounds.removals import find_removed
from dirframe.archive.status import has_details
from dirframe.archive.writer import Budget, open_writer
from dirframe.client.paging.completeness import MAX_REFETCHES
from dirframe.client.paging.query import CollectionQuery
from dirframe.errors import ArchiveError

if TYPE_CHECKING:
    from datetime import datetime

    from dirframe.archive.model import Round
    from dirframe.archive.writer import ArchiveWriter
    from dirframe.client.directory import Directory


def update(
    path: str | Path,
    *,
    directory: Directory | None = None,
    full: bool = False,
    requests_per_day: int | None = None,
    stop_at: datetime | None = None,
) -> Archive:
    """Update an archive; its earlier states are kept.

    Fetches the records that changed since the last harvest or update if the directory can sort by
    change, and otherwise all records. If own pages were harvested (``details=True``), those of the
    fetched projects are fetched as well. If the directory counts fewer records than are stored, the
    removed ones are located, wherever in the order others were added. If it counts differently
    meanwhile, the changes are fetched again, three times at most; then ``status()`` says that the
    state is not proven complete.

    Parameters
    ----------
    path : str or pathlib.Path
        The file written by `harvest`; repeating the call continues an unfinished update.
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    full : bool, default False
        Whether to fetch everything again. Needed to see a record that changed without a later
        ``updated_at``, and to detect removed records if the directory has no stable order, or sorts
        by ``created_at`` and records were added with earlier times; otherwise each of these costs
        some ten requests.
    requests_per_day : int, optional
        Maximum number of requests within 24 hours for this archive. Default: the key's quota.
    stop_at : datetime.datetime, optional
        When to stop. Default: at the end.

    Returns
    -------
    Archive
        Its `frame` is the newest state; ``frame(as_of=...)`` is an earlier one. Its
        ``status()`` tells whether the newest is proven complete.

    Raises
    ------
    QuotaExceededError
        If the daily quota is used up; ``resets_at`` is the time of its reset. Repeating the
        call then fetches only missing pages.
    RequestError
        If the directory cannot be reached or refuses; pages already fetched are stored.
    ArchiveError
        If there is no archive, it is of another directory, another process is writing to it,
        or the disk is full.
    InvalidInputError
        If an argument is invalid.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     _ = dirframe.harvest("projects", "current.archive", directory=directory)
    ...     archive = dirframe.update("current.archive", directory=directory)
    >>> archive.status().rounds, archive.status().complete
    (2, True)
    """
    file = Path(path)
    archive = open_archive(file)
    if not archive.rounds:
        raise ArchiveError(f"{file} is empty: nothing was harvested yet. Harvest into it first.")
    collection, details = archive.collection, has_details(archive.rounds)
    query = CollectionQuery(resource=collection.resource, query=collection.query)
    budget = Budget(requests_per_day, stop_at)
    with open_writer(file, directory, query, budget, details=details) as writer:
        last = writer.rounds[-1]
        if full or last.kind is not RoundKind.DETAILS or last.outcome is not None:
            _update(writer, full=full)
        if details:
            run_details(writer)
    return Archive(file)


def _update(writer: ArchiveWriter, *, full: bool) -> None:
    """Continue the unfinished round, or start one."""
    last = writer.rounds[-1]
    if last.outcome is None and last.kind is RoundKind.DETAILS:
        abandon_details(writer, last)
    elif last.outcome is None and last.kind is not RoundKind.FULL and full:
        writer.abandon_round(last, Doubt(Reason.REPLACED_BY_FULL))
    elif last.outcome is None and last.kind is RoundKind.REMOVALS:
        find_removed(writer, last)
    if last.outcome is not None:
        last = _start(writer, full=full)
    attempts, outcome = 0, None
    while last.kind is not RoundKind.FULL:
        outcome, attempts = ChangeScan(writer, last).run(), attempts + 1
        if outcome == "removed" and not find_removed(writer):
            outcome = "behind"
        if outcome in {"known", "removed"} or (outcome == "behind" and attempts == MAX_REFETCHES):
            break
        last = _start(writer, full=outcome == "unsorted")
    if last.kind is RoundKind.FULL:
        run_round(writer, last)
        proven = last.outcome is not None and last.outcome.complete
        if outcome is None and proven and len(writer.counts(last)) > 1:
            _check_full(writer)


def _check_full(writer: ArchiveWriter) -> None:
    """Fetch what changed during a full round: ids may have been added between those already read."""
    first = first_changes(writer)
    if first is not None:
        writer.start_round(RoundKind.CHANGES, NEWEST_FIRST, first)
        _update(writer, full=False)


def _start(writer: ArchiveWriter, *, full: bool) -> Round:
    """Start a round of changes, if the first page shows that the directory sorts by change."""
    first = None if full else first_changes(writer)
    if first is not None:
        return writer.start_round(RoundKind.CHANGES, NEWEST_FIRST, first)
    base = [round_ for round_ in writer.rounds if round_.kind is RoundKind.FULL][-1]
    return start_round(writer, list(dict.fromkeys([base.sort, "id", "created_at", None])))
