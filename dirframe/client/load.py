"""Load any address below a directory's base URL as a typed frame."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dirframe.client.addresses import address_of, known_resource
from dirframe.client.collection_loader import LoadOptions, load_collection_query, load_single
from dirframe.client.directory import open_directory
from dirframe.client.paging.query import CollectionQuery
from dirframe.errors import Hint, InvalidInputError, UnreadableResponseError
from dirframe.schema.extensions import UNKNOWN, resource_named

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.client.collection_loader import Incomplete
    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage
    from dirframe.client.paging.progress import ProgressCallback


@dataclass(frozen=True, kw_only=True)
class First:
    """The first page at an address, and its resource."""

    query: CollectionQuery
    fetched: FetchedPage

    @property
    def is_single(self) -> bool:
        """Whether it is a single record and not a page of a collection."""
        address, page = self.query.address, self.fetched.page
        counted = page.items_available is not None or page.items_returned is not None
        can_be = address is not None and address.single is not False
        return can_be and len(page.records) == 1 and not counted


def load(
    path: str,
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = True,
) -> pd.DataFrame:
    """Load any address below a directory's base URL.

    Parameters
    ----------
    path : str
        The path below the base URL, which ends in ``.xml``: ``"/languages.xml"``,
        ``"/projects/firefox/contributors.xml"``, ``"/accounts/1/kudos.xml"``. It may contain
        query parameters.
    query, sort, max_items, directory, incomplete
        As in `load_projects`; the valid values of `sort` depend on the address.
    refresh, offline, progress
        As in `load_projects`.

    Returns
    -------
    pandas.DataFrame
        One row a record, all pages combined; a response with a single record gives one row.
        The element name of the records determines the resource. Resources known to `fields` have
        its columns and dtypes, even if there is no record. The dtype of any other column is
        inferred from all its values: whole numbers are Int64, other numbers Float64, times, days
        and months datetime64[us, UTC], each only if the conversion is lossless (no leading zero,
        no excess digits); everything else is str, and so are columns called ``id``, ``…_id``,
        ``…_name``, ``…_url`` and the like. Accounts and projects are as in `load_accounts` and
        `load_projects`. ``attrs["dirframe"]`` holds the provenance.

    Raises
    ------
    InvalidInputError
        If the path leads to another host, does not end in ``.xml``, or contains a key or a
        page number.
    NotFoundError
        If there is nothing at this address.
    ServiceError
        If the directory reports a failure, for example that there is no analysis yet.
    UnreadableResponseError
        If the response is not the interface's XML, holds records of several kinds, or its
        number of records differs from the number it reports.
    IncompleteCollectionError
        If the collection cannot be proven complete.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     frame = dirframe.load("/accounts.xml", max_items=50, directory=directory)
    >>> len(frame), str(frame["posts_count"].dtype)
    (50, 'Int64')
    """
    parameters: dict[str, Any] = {"query": query, "sort": sort, "max_items": max_items}
    policy = {"refresh": refresh, "offline": offline}
    options = LoadOptions(policy=policy, incomplete=incomplete, progress=progress)
    with open_directory(directory) as client:
        return load_at(query_at(path, client, **parameters), client, options)


def query_at(path: str, client: Directory, **options: Any) -> CollectionQuery:
    """Return the query to an address given by the user."""
    address = address_of(path, client.base_url, key=client.api_key)
    for name in ("query", "sort"):
        if options.get(name) is not None and name in address.parameters:
            raise InvalidInputError(
                f"{name} stands in the path {path!r} and is given beside it, too.",
                hint=Hint(f"Leave {name}= out.", shell=f"Leave --{name} out."),
            )
    resource, _ = known_resource(address.path)
    return CollectionQuery(resource=resource or UNKNOWN, address=address, **options)


def fetch_first(query: CollectionQuery, client: Directory, policy: dict[str, bool]) -> First:
    """Fetch the first page of an address and determine its resource.

    Raises
    ------
    UnreadableResponseError
        If the records are not those expected at the path, or their number differs from the
        reported one: then the document is not a list of records.
    """
    fetched = client.session.get(query.path, query.params(1), **policy)
    page = fetched.page
    resource = resource_named(page.record_name) if page.record_name else query.resource
    if query.resource is not UNKNOWN and resource.name != query.resource.name:
        raise UnreadableResponseError(
            f"{fetched.url} should hold <{query.resource.name}> records, but it holds "
            f"<{resource.name}>.",
            found=f"<{resource.name}>",
            source=fetched.url,
        )
    if page.items_returned not in {None, len(page.records)}:
        message = f"{len(page.records):,} <{resource.name}> where {page.items_returned:,} are said"
        raise UnreadableResponseError(
            f"{fetched.url} says that it returns {page.items_returned:,} items, but its result "
            f"holds {len(page.records):,} <{resource.name}>: that is not a list of records.",
            found=message,
            source=fetched.url,
        )
    if page.record_name is not None and not resource.fields:
        ids = page.values("id")
        are_distinct = None not in ids and len(set(ids)) == len(ids)
        resource = replace(resource, key="id" if are_distinct else "")
    return First(query=replace(query, resource=resource), fetched=fetched)


def load_at(query: CollectionQuery, client: Directory, options: LoadOptions) -> pd.DataFrame:
    """Load a query to an address; see `load`."""
    first = fetch_first(query, client, options.policy)
    resource = first.query.resource
    if first.is_single:
        query_facts = first.query.to_provenance()
        return load_single(first.fetched, resource, client, query_facts)
    return load_collection_query(first.query, client, options, first=first.fetched)
