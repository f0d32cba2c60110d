"""Store a whole collection in a file, over as many days as the quota needs."""

# The walk is that of a load. Pages are stored by the thread that receives them, so that an error or
# a kill costs at most the requests in flight.

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dirframe.archive.archive import Archive
from dirframe.archive.status import Index
from dirframe.archive.store import Store
from dirframe.client.collection import Refused, fetch_own_page
from dirframe.client.directory import open_directory
from dirframe.client.paging import Walk, fetch_ahead, ids_of
from dirframe.client.query import Policy, Query, find_order, sample_of
from dirframe.errors import InvalidInputError, NotFoundError
from dirframe.schema import RESOURCES

if TYPE_CHECKING:
    from dirframe.archive.store import PageRow
    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage
    from dirframe.client.paging import Received


_MAX_REFETCHED = 5  # more pages that do not fit together are no accident: the order does not hold


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
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    query : str, optional
        Only records that match.
    sort : str, optional
        The sort order. Default: by id, or projects by project_name, whichever the first page shows
        to be kept; otherwise the order of the directory.
    sample, seed : int, optional
        Draw so many records at random instead, as in `load_projects`.
    details : bool, default False
        Whether to store the own page of each project that the collection returns without its
        analysis: one request each. Today's live service sends analyses only there.

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
    asked = Query(
        resource=resources[collection],
        query=query,
        sort=sort,
        sample=sample_of(sample, seed),
        details=details,
    )
    with open_directory(directory) as client:
        client.session.address(asked.path, asked.params(1))  # raises before a file exists
        facts = {
            "source": client.name,
            "identity": client.identity,
            "base_url": client.base_url,
            "resource": asked.resource.name,
            "query": query,
            "sort": sort,
            "sample": sample,
            "seed": None if sample is None else seed,
        }
        with Store.open_writer(Path(path), **facts) as store:
            run = _Harvest(store, client, asked)
            run.read_pages()
            if details:
                run.read_own_pages()
    return Archive(Path(path), daily_quota=client.daily_quota)


class _Harvest:
    """One call of `harvest`."""

    def __init__(self, store: Store, client: Directory, query: Query) -> None:
        self._store, self._session = store, client.session
        self._index = Index(store)
        self._pages = self._index.pages
        self._query = replace(query, sort=self._index.sort or query.sort)
        self._first: FetchedPage | None = None  # fetched, but not stored yet
        self._policy: Policy = {"store": False}
        workers = client.workers
        self._walk = Walk(self._pages, self._fetch, self._receive, workers)

    def read_pages(self) -> None:
        """Fetch the missing pages of the collection, or of the sample."""
        index, pages, walk = self._index, self._pages, self._walk
        stored = {row.number for row in index.rows if row.number}
        if stored and not index.missing():
            return
        if not stored:
            self._choose_order()
            walk.read([1])
        elif index.sample is None:  # records may have moved forward since
            walk.read(sorted(n for n in stored if n + 1 not in stored), refresh=True)
        if index.sample is not None:
            walk.read(index.sample.missing(pages))
            return
        walk.read_missing()
        unfit = pages.unfit()
        if len(unfit) <= _MAX_REFETCHED and len(pages.days()) == 1:
            walk.read(unfit, refresh=True)
            walk.read_missing()

    def _choose_order(self) -> None:
        """Find an order that the directory keeps; pages in others are stored, too."""

        def first_page(query: Query) -> FetchedPage:
            return query.get(self._session, 1, self._policy)

        def reject(sort: str, page: FetchedPage | None) -> None:
            if page is None:
                row = self._store.add_refusal("refused", number=0, sort=sort)
            else:
                row = self._add(page, 0, sort)
            self._index.add(row)

        tried = [row.sort for row in self._index.rows if row.sort]  # of a call that was killed
        self._query, self._first = find_order(self._query, first_page, tried, reject)

    def _fetch(self, number: int, *, refresh: bool) -> PageRow:
        """Fetch a page and store it; in a thread."""
        sort = self._query.sort
        if self._first is not None and number == 1 and not refresh:
            fetched, self._first = self._first, None
            return self._add(fetched, number, sort)
        policy: Policy = {**self._policy, "refresh": refresh}
        try:
            fetched = self._query.get(self._session, number, policy)
        except NotFoundError:
            if self._pages.is_behind_the_last([number]):  # there is no further page
                self._store.add_refusal("no such page", number=number, sort=sort)
            raise
        return self._add(fetched, number, sort)

    def _add(self, fetched: FetchedPage, number: int, sort: str | None) -> PageRow:
        page, resource = fetched.page, self._query.resource
        ids, signs = ids_of(page, resource), page.signs()
        return self._store.add(fetched, ids, signs, number=number, sort=sort)

    def _receive(self, _number: int, row: PageRow) -> Received:
        return self._index.received(row)

    def read_own_pages(self) -> None:
        """Fetch the own pages that are needed and not stored yet."""
        session, resource, store = self._session, self._query.resource, self._store

        def fetch(identifier: str) -> PageRow:
            page = fetch_own_page(session, resource, identifier, self._policy)
            if isinstance(page, Refused):
                return store.add_refusal(page.why, page.requests, record=identifier)
            return store.add(page, [identifier], record=identifier)

        index = Index(store)
        needed = [key for key in index.needed() if key not in index.own_pages]
        for _ in fetch_ahead(fetch, needed, self._walk.workers):
            pass
