"""Harvest a collection over days: every page is stored as received, and paid only once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dirframe.archive.archive import Archive
from dirframe.archive.model import RoundKind
from dirframe.archive.rounds.details import run_details
from dirframe.archive.rounds.full import start_round
from dirframe.archive.rounds.schedule import run_rounds
from dirframe.archive.writer import Budget, open_writer
from dirframe.client.details import check_details
from dirframe.client.paging.query import CollectionQuery
from dirframe.errors import InvalidInputError
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from datetime import datetime

    from dirframe.client.directory import Directory


def harvest(
    collection: Literal["accounts", "projects"],
    path: str | Path,
    *,
    directory: Directory | None = None,
    query: str | None = None,
    sort: str | None = None,
    details: bool = False,
    requests_per_day: int | None = None,
    stop_at: datetime | None = None,
) -> Archive:
    """Store a whole collection in a file, page by page, over as many days as needed.

    After several days, the changes since the first are fetched too, if the directory can sort by
    change: records may have been added and removed meanwhile.

    Parameters
    ----------
    collection : {"accounts", "projects"}
        The collection to store.
    path : str or pathlib.Path
        The archive file; repeating the call continues an unfinished harvest.
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    query : str, optional
        Only records that match.
    sort : str, optional
        The sort order. Default: by id, or by created_at, if the directory's first page shows
        that it is applied; otherwise the directory's own order.
    details : bool, default False
        Whether to store the own page of each project that the collection returns without its
        analysis: one request each. Today's live service sends analyses only there. An `update`
        then does the same for the projects it fetches.
    requests_per_day : int, optional
        Maximum number of requests within 24 hours for this archive. Default: the key's quota.
    stop_at : datetime.datetime, optional
        When to stop. Default: at the end.

    Returns
    -------
    Archive
        The archive; its ``status()`` tells whether it is finished.

    Raises
    ------
    QuotaExceededError
        If the daily quota is used up; ``resets_at`` is the time of its reset. Repeating the
        call then fetches only missing pages.
    RequestError
        If the directory cannot be reached or refuses; pages already fetched are stored.
    ArchiveError
        If another process is writing to the file, it is damaged, the disk is full, or it
        contains another collection.
    InvalidInputError
        If an argument is invalid.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     archive = dirframe.harvest("projects", "kept.archive", directory=directory)
    >>> archive.status().pages, archive.status().complete
    (60, True)
    """
    resources = {resource.collection: resource for resource in RESOURCES.values()}
    if collection not in resources:
        raise InvalidInputError(
            f"There is no collection {collection!r}; choose one of {', '.join(resources)}."
        )
    check_details(collection, details=details)
    collection_query = CollectionQuery(resource=resources[collection], query=query, sort=sort)
    file = Path(path)
    budget = Budget(requests_per_day, stop_at)
    with open_writer(file, directory, collection_query, budget, details=details) as writer:
        rounds = writer.rounds
        if not rounds:
            start_round(writer, [sort] if sort else None)
        if rounds[-1].outcome is None and rounds[-1].kind is not RoundKind.DETAILS:
            run_rounds(writer)
        last = rounds[-1]
        if details and (last.kind is not RoundKind.DETAILS or last.outcome is None):
            run_details(writer)
    return Archive(file)
