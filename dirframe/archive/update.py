"""Update an archive with few requests, and keep its earlier states."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dirframe.archive.archive import Archive, open_archive
from dirframe.archive.model import RoundKind
from dirframe.archive.rounds.details import run_details
from dirframe.archive.rounds.schedule import run_rounds
from dirframe.archive.status import has_details
from dirframe.archive.writer import Budget, open_writer
from dirframe.client.paging.query import CollectionQuery
from dirframe.errors import ArchiveError

if TYPE_CHECKING:
    from datetime import datetime

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
            run_rounds(writer, full=full)
        if details:
            run_details(writer)
    return Archive(file)
