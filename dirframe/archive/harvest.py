"""Store a whole collection in a file, over as many days as the quota needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

from dirframe.archive.archive import Archive
from dirframe.archive.store import Store
from dirframe.client.directory import Directory, open_directory, session_of
from dirframe.client.load import warn_if_changed
from dirframe.client.paging.fetch import CacheUse, Fetcher
from dirframe.client.paging.pages import Pages
from dirframe.client.paging.query import Query
from dirframe.client.paging.received import Arrival
from dirframe.client.paging.walk import Walk
from dirframe.errors import InvalidInputError
from dirframe.schema import RESOURCES
from dirframe.settings import check_path, shown_value


def harvest(
    collection: Literal["accounts", "projects"],
    path: str | Path,
    *,
    directory: Directory | None = None,
    query: str | None = None,
    sort: str | None = None,
    sample: int | None = None,
    seed: int = 0,
    details: bool = False,
) -> Archive:
    """Store a whole collection in a file, page by page; the same call again continues.

    Stored pages are not requested again. The exception is the last page of a harvest by page
    numbers, which each further call requests once, because records move forward when others are
    removed. All projects of the live service, and samples of them, are read by ids. Fresh pages in
    the cache are used.

    Parameters
    ----------
    collection : {"accounts", "projects"}
        The collection to store.
    path : str or pathlib.Path
        The archive, one file.
    directory, query, sample, seed, details
        As in `load_projects`; the own pages of projects are stored, too.
    sort : str, optional
        The sort order. Default: by id, or projects by project_name, whichever is stable on the
        first page; otherwise the order of the directory.

    Returns
    -------
    Archive
        The archive; its ``status()`` tells whether it is finished, and what is proven.

    Raises
    ------
    QuotaExceededError, RequestError
        If the daily quota is used up (``resets_at`` is when to call again); if the directory cannot
        be reached or refuses, or if own pages fail, after all others were read. All pages received
        are stored.
    ArchiveError, InvalidInputError
        If the file is not an archive of this directory, collection, query and order, is damaged, or
        another process writes to it; if the disk is full; if an argument is invalid.

    Warns
    -----
    ServiceChangedWarning
        If the directory stops sending 25 projects a request, so the harvest takes more requests.

    Examples
    --------
    >>> with dirframe.sample_directory() as directory:
    ...     archive = dirframe.harvest("projects", "kept.archive", directory=directory)
    >>> archive.status().pages, archive.status().complete
    (60, True)
    """
    resources = {resource.collection: resource for resource in RESOURCES.values()}
    if collection not in resources:
        raise InvalidInputError(
            f"There is no collection {shown_value(collection)}; choose one of {', '.join(resources)}."
        )
    check_path("path", path)
    query_asked = Query(
        resource=resources[collection],
        query=query,
        sort=sort,
        details=details,
        sample=sample,
        seed=seed,
    )
    # The walk is that of a load, from the pages that are stored. The thread that receives a page
    # stores it, so that an error or a kill costs at most the requests in flight.
    with open_directory(directory) as client:
        session_of(client).address(query_asked.path, query_asked.params())  # before a file exists
        with Store.open_writer(Path(path), client, query_asked) as store:
            received = store.read().received
            order = received.query.sort
            if sort not in {None, order} and (received.part.newest_versions() or order):
                raise InvalidInputError(
                    f"{path} is sorted by {order!r}, not by {shown_value(sort)}. Leave sort out, or name "
                    "another file."
                )
            # Begun with own pages, it ends with them.
            with_details = details or received.query.details
            in_order = replace(query_asked, sort=order or sort, details=with_details)
            received.restate(replace(in_order, per_page=received.query.per_page))
            fetcher = Fetcher(session_of(client), CacheUse(stores=False))
            walk = Walk(received, fetcher, client.workers, is_tolerant=True, keep=store.add)
            way = received.no_ids
            for _ in _read(walk):
                if received.no_ids is not way:  # the quota may end it before the last page
                    way = received.no_ids
                    warn_if_changed(way, f"{collection} of {client.name}")
            if received.failure is not None:
                raise received.failure.error  # the other own pages are stored
    return Archive(Path(path))


def _read(walk: Walk) -> Iterator[Arrival]:
    """Read what an archive lacks; and its last page again: records may have moved forward since."""
    part = walk.received.part
    if part.count_missing():
        if not part.newest_versions():
            yield from walk.begin()
        elif isinstance(part, Pages):
            last = [number for number in part.newest if number + 1 not in part.newest]
            yield from walk.read(last, walk.fetcher.refreshed())
        yield from walk.read_all()
    yield from walk.read_own_pages()
