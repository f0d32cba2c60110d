"""Store a whole collection in a file, over as many days as the quota needs."""

# The walk is that of a load, from the pages that are stored. The thread that receives a page stores it,
# so that an error or a kill costs at most the requests in flight.

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dirframe.archive.archive import Archive
from dirframe.archive.store import Store
from dirframe.client.collection import Walk
from dirframe.client.directory import open_directory
from dirframe.client.query import Options, Query
from dirframe.errors import InvalidInputError
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from dirframe.client.directory import Directory


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

    Nothing that is stored is asked for again, but the last page once in each further call: records
    move forward when others are removed. Fresh pages of the cache are taken from there.

    Parameters
    ----------
    collection : {"accounts", "projects"}
        The collection to store.
    path : str or pathlib.Path
        The archive, one file.
    directory, query, sample, seed, details
        As in `load_projects`; the own pages of projects are stored, too.
    sort : str, optional
        The sort order. Default: by id, or projects by project_name, whichever the first page shows
        to be kept; otherwise the order of the directory.

    Returns
    -------
    Archive
        The archive; its ``status()`` tells whether it is finished, and what is proven.

    Raises
    ------
    QuotaExceededError
        If the daily quota is used up; ``resets_at`` is when to call again.
    RequestError
        If the directory cannot be reached or refuses; all pages received are stored.
    ArchiveError
        If the file is not an archive of this directory, collection and query, is damaged, another
        process is writing to it, or the disk is full.
    InvalidInputError
        If an argument is invalid, or the archive has another order than `sort`.

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
    drawn: dict[str, Any] = {"sample": sample, "seed": seed}
    asked = Query(resource=resources[collection], query=query, sort=sort, details=details, **drawn)
    with open_directory(directory) as client:
        client.session.address(asked.path, asked.params())  # raises before a file exists
        with Store.open_writer(Path(path), client, asked) as store:
            pages = store.pages()
            order = pages.query.sort
            if sort not in {None, order} and (pages.latest or order):
                raise InvalidInputError(
                    f"{path} is in the order {order!r}, not {sort!r}. Leave sort out, or name "
                    "another file."
                )
            # Begun with own pages, it ends with them.
            pages.query = replace(asked, sort=order or sort, details=details or pages.query.details)
            walk = Walk(pages, client, Options(store=False), keep=store.add)
            if pages.missing():
                if not pages.latest:
                    walk.begin()
                elif sample is None:  # records may have moved forward since
                    walk.read([n for n in pages.latest if n + 1 not in pages.latest], refresh=True)
                walk.read_all()
            walk.read_own_pages()
    return Archive(Path(path))
