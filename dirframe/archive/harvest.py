"""Store a whole collection in a file, over as many days as the quota needs."""

# The walk is that of a load: `PageSequence` tells which pages are missing. Pages are stored by the
# thread that receives them, so that an error or a kill costs at most the requests in flight.

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dirframe.archive.archive import Archive
from dirframe.archive.status import read_index
from dirframe.archive.store import Store
from dirframe.client.details import Details, Refused, check_details, read_sent
from dirframe.client.directory import open_directory
from dirframe.client.page import check_records
from dirframe.client.paging.order import KEPT_TODAY, is_sorted
from dirframe.client.paging.prefetch import fetch_ahead
from dirframe.client.paging.query import CollectionQuery
from dirframe.errors import InvalidInputError, NotFoundError, ServiceError
from dirframe.schema import PROJECT, RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dirframe.archive.store import PageRow
    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage


_MAX_REFETCHED = 5  # more pages that do not fit together are no accident: the order does not hold


def harvest(
    collection: Literal["accounts", "projects"],
    path: str | Path,
    *,
    directory: Directory | None = None,
    query: str | None = None,
    sort: str | None = None,
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
    check_details(collection, details=details)
    asked = CollectionQuery(resource=resources[collection], query=query, sort=sort)
    with open_directory(directory) as client:
        client.session.address(asked.path, asked.params(1))  # raises before a file exists
        facts = {
            "source": client.name,
            "identity": client.identity,
            "base_url": client.base_url,
            "resource": asked.resource.name,
            "query": query,
            "sort": sort,
        }
        with Store.open_writer(Path(path), **facts) as store:
            walk = _Walk(store, client, asked)
            walk.read_pages()
            if details:
                walk.read_details()
    return Archive(Path(path), daily_quota=client.daily_quota)


class _Walk:
    """One call of `harvest`."""

    def __init__(self, store: Store, client: Directory, query: CollectionQuery) -> None:
        self._store, self._client, self._query = store, client, query
        self._workers = client.workers
        self._index = read_index(store)
        self._sequence, self._sort = self._index.sequence, self._index.sort

    def read_pages(self) -> None:
        """Fetch the missing pages of the collection."""
        stored = {row.number for row in self._index.rows if row.number}
        if stored and not self._sequence.missing_pages():
            return
        if stored:  # records may have moved forward since
            self._read(sorted(n for n in stored if n + 1 not in stored), refresh=True)
        else:
            self._read_first()
        self._read_missing()
        unfit = self._sequence.inconsistent_pages()
        if len(unfit) <= _MAX_REFETCHED and len(self._sequence.days()) == 1:
            self._read(unfit, refresh=True)
            self._read_missing()

    def _read_missing(self) -> None:
        while numbers := self._sequence.missing_pages():
            self._read(numbers)

    def _read_first(self) -> None:
        """Fetch the first page in the first order that it is in."""
        orders = [self._query.sort]
        if self._query.sort is None:
            orders = ["id", KEPT_TODAY] if self._query.resource is PROJECT else ["id"]
        vain = [row.sort for row in self._index.rows]  # of a call that was killed
        for sort in (order for order in orders if order not in vain):
            try:
                page = self._get(1, sort)
            except (NotFoundError, ServiceError) as error:
                if self._query.sort or (error.status or 0) >= 500:  # not about the order
                    raise
                self._store.add_refusal("refused", number=0, sort=sort)
                vain.append(sort)
                continue
            check_records(page.page, self._query.resource.name)
            available = page.page.items_available
            values = page.page.values("id" if sort == "id" else "name")
            is_whole = available is not None and available <= len(values)
            is_kept = self._query.sort is not None or is_sorted(values, is_id=sort == "id")
            # A second sort that is not kept is taken for ignored: its page is the directory's first.
            if is_kept or is_whole or vain:
                self._sort = sort if is_kept else None
                self._index.add_position(self._add(page, 1, self._sort))
                return
            self._add(page, 0, sort)
            vain.append(sort)
        self._read([1])

    def _read(self, numbers: Iterable[int], *, refresh: bool = False) -> None:
        """Fetch pages, up to one that shows that there are no more."""
        is_ended = False

        def fetch(number: int) -> PageRow | NotFoundError:
            try:
                page = self._get(number, self._sort, refresh=refresh)
            except NotFoundError as error:
                return error
            return self._add(page, number, self._sort)

        needed = takewhile(lambda _: not is_ended, numbers)
        for number, page in fetch_ahead(fetch, lambda _: None, needed, self._workers):
            if not isinstance(page, NotFoundError):
                row = page
            elif self._sequence.is_behind_the_last([number]):  # there is no further page
                row = self._store.add_refusal("no such page", number=number, sort=self._sort)
            else:
                raise page
            self._index.add_position(row)
            is_ended = self._sequence.ended or (not refresh and self._sequence.is_the_end(number))

    def read_details(self) -> None:
        """Fetch the own pages that are needed and not stored yet."""
        index = read_index(self._store)
        details = Details(self._client, self._query.resource, {}, store=False)

        def fetch(identifier: str) -> PageRow:
            page = details.get_cached(identifier) or details.fetch(identifier)
            if isinstance(page, Refused):
                return self._store.add_refusal(page.why, page.requests, record=identifier)
            check_records(page.page, self._query.resource.name)
            ids = page.page.values("id")
            if ids == (identifier,):
                return self._store.add(page, ids, record=identifier)
            names = ", ".join(map(str, ids[:3])) or "nothing"
            return self._store.add_refusal(f"returned {names}", page.attempts, record=identifier)

        needed = [key for key in index.needed() if key not in index.own_pages]
        for _ in fetch_ahead(fetch, lambda _: None, needed, self._workers):
            pass

    def _get(self, number: int, sort: str | None, *, refresh: bool = False) -> FetchedPage:
        query = replace(self._query, sort=sort)
        params = query.params(number)
        return self._client.session.get(query.path, params, refresh=refresh, store=False)

    def _add(self, page: FetchedPage, number: int, sort: str | None) -> PageRow:
        """Store a page of the collection."""
        ids, sent = read_sent([page.page], self._query.resource)
        signs = ""
        if self._query.resource is PROJECT:
            signs = "".join(map(str, sent.held + 2 * sent.named))
        return self._store.add(page, ids, signs, number=number, sort=sort)
