"""Load collections as typed frames; their provenance is in ``frame.attrs["dirframe"]``."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import md5, sha1
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pandas as pd

from dirframe._display import suggests_options
from dirframe.client.collection import attach_load_provenance, load_query
from dirframe.client.directory import open_directory
from dirframe.client.many import identifier_of, load_many, names_of, query_of
from dirframe.client.page import check_records
from dirframe.client.paging import ids_of
from dirframe.client.query import Options, Query, query_at, record_path, sample_of
from dirframe.client.records import frame_of
from dirframe.errors import NotFoundError, ServiceError, UnreadableResponseError
from dirframe.schema import ACCOUNT, PROJECT
from dirframe.schema.extensions import (
    ACTIVITY_FACT,
    CONTRIBUTOR_FACT,
    SIZE_FACT,
    UNKNOWN,
    resource_named,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dirframe.client.directory import Directory
    from dirframe.client.http.session import FetchedPage
    from dirframe.client.many import Projects
    from dirframe.client.query import Incomplete, Policy, ProgressCallback
    from dirframe.schema import Resource


@suggests_options
def load_projects(
    directory: Directory | None = None,
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    details: bool = False,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = True,
) -> pd.DataFrame:
    """Load the projects of a directory.

    Parameters
    ----------
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    query : str, optional
        Only projects whose title, description or tags match; on the live service, with ``tag:``
        before a word, projects with this tag.
    sort : str, optional
        ``created_at``, ``id``, ``name``, ``updated_at`` or ``stack_count``, each also with the
        suffix ``_reverse``, or one of the live service: ``new``, ``users``, ``rating``,
        ``active_committers``, ``activity_level``, ``popularity``, ``project_name``,
        ``description`` or ``relevance``. Default: that of the directory, by the specification
        ``created_at_reverse``. Of the live service's orders only ``project_name`` holds over
        several pages: without `sort` and `max_items` these are read in it, for one request more.
    max_items : int, optional
        Maximum number of records, the first ones of the order. Default: all.
    sample : int, optional
        Number of records to draw instead: a simple random sample of positions, without
        replacement, in an order that the directory keeps. Only the pages that hold them are
        requested. Design, size, population and seed are in provenance and caption.
    seed : int, default 0
        The same seed draws the same positions of as many records.
    details : bool, default False
        Whether to fetch the own page of each project that came without its analysis, for one
        request each: the live service sends analyses only there.
    incomplete : {"raise", "warn"}, default "raise"
        What to do if the collection cannot be proven complete, or an own page cannot be fetched:
        raise, or warn and return what came, with the reason in its provenance.
    refresh : bool, default False
        Whether to fetch every page from the directory, even if it is cached.
    offline : bool, default False
        Whether to use only the cache.
    progress : bool or callable, default True
        Whether to show a progress bar in terminals and notebooks; or a callback that is called
        after each page with the number of records so far and the total, then likewise for own
        pages. It may raise StopIteration: the load ends with the error of an incomplete one.

    Returns
    -------
    pandas.DataFrame
        One row a project, in the order of the directory, with the columns of the specification:
        ``id``, ``name``, ``description`` (str), ``created_at``, ``updated_at``
        (datetime64[us, UTC]), ``stack_count`` (Int64, members), ``analysis_id`` (str), and those
        of the analysis as ``analysis_…``: ``analysis_twelve_month_contributor_count`` (Int64,
        people), ``analysis_total_code_lines`` (Int64, lines; it can be negative) and others that
        `fields` describes. Then all other columns that the directory sent, including lists such as
        ``tags`` (see `child_table`). ``attrs["dirframe"]`` holds the provenance.

    Raises
    ------
    ConfigurationError
        If no directory is given and the environment configures none.
    InvalidInputError
        If an argument is invalid, or a sample is drawn of a directory that does not count.
    QuotaExceededError
        If the daily quota is used up: the same call fetches only missing pages later. Also after
        the first page, if the load needs more days than pages stay fresh.
    RequestError
        If the directory cannot be reached or refuses; pages already fetched are in the cache.
    CacheError
        If `offline` is true and a page is not in the cache.
    IncompleteCollectionError
        If records or own pages are missing; it holds the partial frame and ``details_missing``.

    Warns
    -----
    AnalysesNotSentWarning
        If no analysis came and `details` is false: statistics that need one raise.
    QuotaWarning
        If the load needs more requests than are left today, with the number of days.
    SortIgnoredWarning
        If fewer than nine of ten neighbours are in the order of `sort`; provenance has no sort.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     projects = dirframe.load_projects(sample=30, seed=7, directory=directory)
    >>> len(projects), projects.attrs["dirframe"]["completeness"]
    (30, 'sample')
    """
    options = Options(incomplete=incomplete, refresh=refresh, offline=offline, progress=progress)
    asked = {"query": query, "sort": sort, "max_items": max_items, "details": details}
    return _load("projects", directory, options, sample=sample_of(sample, seed), **asked)


@suggests_options
def load_accounts(
    directory: Directory | None = None,
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = True,
) -> pd.DataFrame:
    """Load the accounts of a directory.

    Parameters
    ----------
    query : str, optional
        Only accounts whose name matches.
    sort : str, optional
        ``created_at``, ``id``, ``name`` or ``updated_at``, each also with the suffix
        ``_reverse``. Default: that of the directory, ``created_at_reverse``. The live service
        has an order of its own and ignores `sort`.
    directory, max_items, sample, seed, incomplete, refresh, offline, progress
        As in `load_projects`, and so are the errors.

    Returns
    -------
    pandas.DataFrame
        One row an account, in the order of the directory, with the columns of the specification:
        ``id``, ``name`` (str), ``created_at``, ``updated_at`` (datetime64[us, UTC]),
        ``homepage_url``, ``avatar_url``, ``email_sha1`` (str), ``posts_count`` (Int64),
        ``location``, ``country_code`` (str, as the directory has it: codes and names mixed),
        ``latitude``, ``longitude`` (Float64, degrees), ``kudo_score_kudo_rank`` and
        ``kudo_score_position`` (Int64). Then all other columns that the directory sent.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     accounts = dirframe.load_accounts(max_items=50, directory=directory)
    >>> len(accounts), accounts["created_at"].is_monotonic_decreasing
    (50, True)
    """
    options = Options(incomplete=incomplete, refresh=refresh, offline=offline, progress=progress)
    asked = {"query": query, "sort": sort, "max_items": max_items}
    return _load("accounts", directory, options, sample=sample_of(sample, seed), **asked)


@suggests_options
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
        ``"/projects/firefox/contributors.xml"``; it may contain query parameters. Or the name of
        a collection, such as ``"languages"``.
    query, sort, max_items, directory, incomplete, refresh, offline, progress
        As in `load_projects`; the valid values of `sort` depend on the address.

    Returns
    -------
    pandas.DataFrame
        One row a record, all pages combined; a response with a single record gives one row.
        Records known to `fields` have its columns and dtypes, even if there is none. Other columns
        are Int64, Float64 or datetime64[us, UTC] if all values are, without loss (no leading zero,
        no excess digits), else str, as are ``id``, ``…_id``, ``…_name``, ``…_url`` and the like.

    Raises
    ------
    InvalidInputError
        If the path leads to another host, does not end in ``.xml``, or has a key or a page number.
    NotFoundError, ServiceError
        If there is nothing at this address, or no analysis yet. Others as in `load_projects`.
    UnreadableResponseError
        If the response is not the interface's XML, or no list of records of one kind.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     frame = dirframe.load("/accounts.xml", max_items=50, directory=directory)
    >>> len(frame), str(frame["posts_count"].dtype)
    (50, 'Int64')
    """
    options = Options(incomplete=incomplete, refresh=refresh, offline=offline, progress=progress)
    return _load(path, directory, options, query=query, sort=sort, max_items=max_items)


@suggests_options
def load_languages(
    directory: Directory | None = None,
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = True,
) -> pd.DataFrame:
    """Load the programming languages of a directory, with their totals.

    Not part of the specification; offered by services of its kind.

    Parameters
    ----------
    query : str, optional
        Only languages that match.
    sort : str, optional
        ``name``, ``total``, ``code``, ``projects``, ``comment_ratio``, ``contributors`` or
        ``commits``. Default: that of the directory, the name.
    directory, max_items, incomplete, refresh, offline, progress
        As in `load_projects`, and so are the errors.

    Returns
    -------
    pandas.DataFrame
        One row a language: ``id``, ``name``, ``nice_name`` (str), ``category`` (str:
        ``code``, ``markup`` or ``build``), ``code``, ``comments``, ``blanks`` (Int64, lines
        in all projects), ``comment_ratio`` (Float64, share from 0 to 1 of comments in
        comments and code), ``projects`` (Int64, projects), ``contributors`` (Int64, people)
        and ``commits`` (Int64, commits).

    Examples
    --------
    >>> import dirframe
    >>> dirframe.fields("language").query("unit == 'people'")["name"].item()
    'contributors'
    """
    options = Options(incomplete=incomplete, refresh=refresh, offline=offline, progress=progress)
    return _load("languages", directory, options, query=query, sort=sort, max_items=max_items)


@suggests_options
def load_contributors(
    project: Projects,
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
    """Load the people who committed to a project, or to each of many.

    Not part of the specification; offered by services of its kind.

    Parameters
    ----------
    project : str, int, list, pandas.Series or pandas.DataFrame
        The project's id, or its short name in addresses; or many of them, of a frame those in
        its column ``id``. ``dirframe.plan("contributors", projects=...)`` gives the price.
    query : str, optional
        Only contributors whose name in the commits matches.
    sort : str, optional
        ``commits_12_mo`` (the default of the directory), ``commits``, ``name``,
        ``kudo_position``, ``language``, ``latest_commit``, ``newest`` or ``oldest``.
    max_items, directory, incomplete, refresh, offline, progress
        As in `load_projects`; `max_items` is the maximum of each project.

    Returns
    -------
    pandas.DataFrame
        One row a contributor: ``contributor_id`` (str, unique within the project),
        ``account_id``, ``account_name`` (str, of the account that claimed the
        contributions, if any), ``analysis_id`` (str), ``contributor_name`` (str, as in the
        commits), ``primary_language_id``, ``primary_language_nice_name`` (str),
        ``comment_ratio`` (Float64, share from 0 to 1), ``first_commit_time``,
        ``last_commit_time`` (datetime64[us, UTC]), ``man_months`` (Int64, months with a
        commit) and ``commits`` (Int64, commits in all). Of many projects, ``project_id`` (str,
        as it was given) is the first column.

    Raises
    ------
    NotFoundError, ServiceError
        If the one project is not there, or has no analysis yet. Others as in `load_projects`.
    IncompleteCollectionError
        If records are missing, or one of many projects; it is in the provenance by name, as
        ``failures`` with the reason, as are those that have no analysis.

    Examples
    --------
    >>> import dirframe
    >>> dirframe.fields("contributor_fact")["name"].head(2).tolist()
    ['contributor_id', 'account_id']
    """
    options = Options(incomplete=incomplete, refresh=refresh, offline=offline, progress=progress)
    asked = {"query": query, "sort": sort, "max_items": max_items}
    return _load_of(CONTRIBUTOR_FACT, project, directory, options, **asked)


@suggests_options
def load_activity(
    project: Projects,
    *,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = False,
) -> pd.DataFrame:
    """Load what happened in the source code of a project, or of many, month by month.

    Not part of the specification; offered by services of its kind. One request a project.

    Parameters
    ----------
    project, directory, incomplete, refresh, offline, progress
        As in `load_contributors`, and so are the errors.

    Returns
    -------
    pandas.DataFrame
        One row a month of the latest analysis: ``month`` (datetime64[us, UTC], its first
        day), ``code_added``, ``code_removed``, ``comments_added``, ``comments_removed``,
        ``blanks_added``, ``blanks_removed`` (Int64, lines), ``commits`` (Int64, commits) and
        ``contributors`` (Int64, people who committed in the month). The last month is not over;
        months after the analysis can hold zeros. Of many projects, ``project_id`` comes first.

    Examples
    --------
    >>> import dirframe
    >>> dirframe.fields("activity_fact")["name"].head(2).tolist()
    ['month', 'code_added']
    """
    options = Options(incomplete=incomplete, refresh=refresh, offline=offline, progress=progress)
    return _load_of(ACTIVITY_FACT, project, directory, options)


@suggests_options
def load_size(
    project: Projects,
    *,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = False,
) -> pd.DataFrame:
    """Load how large the source code of a project was, or of many, month by month.

    Parameters
    ----------
    project, directory, incomplete, refresh, offline, progress
        As in `load_activity`, and so are the errors.

    Returns
    -------
    pandas.DataFrame
        One row a month of the latest analysis: ``month`` (datetime64[us, UTC], its first
        day), and as of its end ``code``, ``comments``, ``blanks`` (Int64, lines),
        ``comment_ratio`` (Float64, share from 0 to 1 of comments in comments and code),
        ``commits`` (Int64, all commits so far) and ``man_months`` (Int64, months in which
        each contributor committed, summed). Of many projects, ``project_id`` comes first.

    Examples
    --------
    >>> import dirframe
    >>> dirframe.fields("size_fact")["name"].head(2).tolist()
    ['month', 'code']
    """
    options = Options(incomplete=incomplete, refresh=refresh, offline=offline, progress=progress)
    return _load_of(SIZE_FACT, project, directory, options)


@suggests_options
def load_project(
    project: str | int,
    *,
    directory: Directory | None = None,
    refresh: bool = False,
    offline: bool = False,
) -> pd.DataFrame:
    """Load one project by its id or its short name.

    Parameters
    ----------
    project : str or int
        The id; or, if the directory resolves names, the short name from its addresses, such
        as ``"firefox"``; the returned record is checked by them, ignoring case. Today's live
        service finds a project without an analysis by its name alone, for one request more.
    directory, refresh, offline
        As in `load_projects`.

    Returns
    -------
    pandas.DataFrame
        One row with the columns of `load_projects`.

    Raises
    ------
    NotFoundError
        If there is none, or the directory returns another one. Others as in `load_projects`.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     one = dirframe.load_project("1", directory=directory)
    >>> one["id"].item()
    '1'
    """
    return _load_record(PROJECT, project, directory, Options(refresh=refresh, offline=offline))


@suggests_options
def load_account(
    account: str | int,
    *,
    directory: Directory | None = None,
    refresh: bool = False,
    offline: bool = False,
) -> pd.DataFrame:
    """Load one account by its id, its login or its e-mail address.

    Parameters
    ----------
    account : str or int
        The id; an e-mail address, of which only the MD5 digest is sent; or, if the directory
        resolves names, a login such as ``"fst"``. The returned record is checked by them.
    directory, refresh, offline
        As in `load_projects`.

    Returns
    -------
    pandas.DataFrame
        One row with the columns of `load_accounts`; the errors are those of `load_project`.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     one = dirframe.load_account("ada@example.org", directory=directory)
    >>> len(one)
    1
    """
    return _load_record(ACCOUNT, account, directory, Options(refresh=refresh, offline=offline))


def _load(path: str, directory: Directory | None, options: Options, **asked: Any) -> pd.DataFrame:
    """Load a collection by its name, or a path."""
    with open_directory(directory) as client:
        query = query_at(path, client, **asked)
        if query.is_single is False:
            return load_query(query, client, options)
        query, first = fetch_first(query, lambda q: q.get(client.session, 1, options.policy()))
        if not is_single(query, first):
            return load_query(query, client, options, first)
        return _frame_of_one(first, query.resource, client, query.to_provenance())


def _load_of(
    resource: Resource,
    project: Projects,
    directory: Directory | None,
    options: Options,
    **asked: Any,
) -> pd.DataFrame:
    """Load a collection of one project, or of each of many."""
    are_many = pd.api.types.is_list_like(project)
    names = names_of(project if are_many else [project])
    queries = {name: query_of(resource, name, **asked) for name in names}
    with open_directory(directory) as client:
        if are_many:
            return load_many(queries, client, options)
        return load_query(queries[names[0]], client, options)


def fetch_first(query: Query, fetch: Callable[[Query], FetchedPage]) -> tuple[Query, FetchedPage]:
    """Fetch the first page of a query to a path, and determine its resource.

    `UnreadableResponseError` if the records are not those expected at the path, or their number
    differs from the reported one: then the document is not a list of records.
    """
    fetched = fetch(query)
    page, resource = fetched.page, query.resource
    if resource is not UNKNOWN:
        check_records(page, resource.name)
    elif page.record_name:
        resource = resource_named(page.record_name)
    if page.items_returned not in {None, len(page.records)}:
        found = f"{len(page.records):,} <{resource.name}>"
        raise UnreadableResponseError(
            f"{fetched.url} says that it returns {page.items_returned:,} items, but its result "
            f"holds {found}: that is not a list of records.",
            found=found,
            source=fetched.url,
        )
    if page.record_name and not resource.fields:
        ids = ids_of(page, replace(resource, key="id"))
        are_distinct = None not in ids and len(set(ids)) == len(ids)
        resource = replace(resource, key="id" if are_distinct else "")
    return replace(query, resource=resource), fetched


def is_single(query: Query, first: FetchedPage) -> bool:
    """Return whether the first page is a single record, and not a page of a collection."""
    page = first.page
    counted = page.items_available is not None or page.items_returned is not None
    return query.is_single is not False and len(page.records) == 1 and not counted


# -- single records ----------------------------------------------------------------------------


def _load_record(
    resource: Resource, value: object, directory: Directory | None, options: Options
) -> pd.DataFrame:
    """Load one record by what identifies it, and check that it is the one."""
    name, policy = identifier_of(value, resource.name), options.policy()
    with open_directory(directory) as client:
        if resource is ACCOUNT and "@" in name:
            return _load_by_email(name, client, policy)
        try:
            fetched = client.session.get(record_path(resource, name), None, **policy)
        except ServiceError as error:
            has_no_analysis = error.status == 200 and error.reported is None
            if resource is PROJECT and has_no_analysis and not name.isdigit():
                frame = _load_listed(name, client, policy)
                if frame is not None:
                    return frame
            raise
        frame = _frame_of_one(fetched, resource, client, {"id": name})
        if len(frame) != 1 or not _matches(frame, name):
            what = resource.name if len(frame) == 1 else resource.collection
            names = ", ".join(filter(None, map(_describe, frame.head(3).to_dict("records"))))
            raise NotFoundError(
                f"{fetched.url} returned {len(frame):,} {what}{names and f': {names}'}, "
                f"not with the one {resource.name} that was asked for by the id or name {name!r}.",
                url=fetched.url,
                status=200,
            )
        return frame


def _frame_of_one(
    fetched: FetchedPage, resource: Resource, client: Directory, query: dict[str, Any]
) -> pd.DataFrame:
    """Return the record of its own page as a frame of one row, with its provenance."""
    client.session.warn_if_stale([fetched])
    facts: dict[str, Any] = {"query": query, "items_available": 1, "completeness": "proven"}
    frame = frame_of([fetched.page], resource)
    return attach_load_provenance(frame, client, resource, [fetched], **facts)


def _load_by_email(address: str, client: Directory, policy: Policy) -> pd.DataFrame:
    # The specification hashes the address, the live service the address in lower case.
    spellings = list(dict.fromkeys([address.lower(), address]))
    texts = [prefix + spelling for spelling in spellings for prefix in ("", "mailto:")]
    digests = [sha1(text.encode(), usedforsecurity=False).hexdigest() for text in texts]
    for spelling in spellings:
        digest = md5(spelling.encode(), usedforsecurity=False).hexdigest()
        try:
            fetched = client.session.get(record_path(ACCOUNT, digest), None, **policy)
        except NotFoundError as error:
            missing = error
            continue
        frame = _frame_of_one(fetched, ACCOUNT, client, {"id": digest})
        # An unknown digest that begins with digits is taken for an id by the live service.
        if len(frame) == 1 and frame["email_sha1"].str.lower().isin(digests).all():
            return frame
        missing = NotFoundError(
            f"{fetched.url} returned an account of another e-mail address; there is no account of "
            "the one that was asked for.",
            url=fetched.url,
            status=200,
        )
    raise missing


def _load_listed(name: str, client: Directory, policy: Policy) -> pd.DataFrame | None:
    """Return a project from the collection: today's service has no own page of one without analysis.

    None if the first page of a query for the name does not have it; an id cannot be queried.
    """
    fetched = Query(resource=PROJECT, query=name).get(client.session, 1, policy)
    frame = frame_of([fetched.page], PROJECT)
    rows = [row for row in range(len(frame)) if _matches(frame.iloc[[row]], name)]
    if len(rows) != 1:
        return None
    client.session.warn_if_stale([fetched])
    facts: dict[str, Any] = {"query": {"id": name}, "items_available": 1, "completeness": "proven"}
    found = frame.iloc[rows].reset_index(drop=True)
    return attach_load_provenance(found, client, PROJECT, [fetched], more_requests=1, **facts)


def _matches(frame: pd.DataFrame, identifier: str) -> bool:
    """Return whether the record matches an id, a name or the digest of an address."""
    [row] = frame.to_dict("records")
    if identifier == row["id"]:
        return True
    if identifier.isdigit():
        return False
    if re.fullmatch(r"[0-9a-fA-F]{32}", identifier):
        # Today's live service takes an unknown digest that begins with digits for an id.
        return not re.match(rf"{re.escape(str(row['id']))}(?!\d)", identifier)
    return identifier.casefold() in {name.casefold() for name in _names(row)}


def _describe(row: dict[Any, Any]) -> str:
    names = ", ".join(dict.fromkeys(_names(row)))
    return f"{row['id']} ({names})" if names else str(row["id"])


def _names(row: dict[Any, Any]) -> Iterator[str]:
    """Yield the names of a record, its title, and the names in its addresses."""
    for column in ("url_name", "vanity_url", "login", "name"):
        if isinstance(name := row.get(column), str):
            yield name
    for column in ("url", "html_url"):
        if isinstance(address := row.get(column), str):
            yield unquote(urlsplit(address).path.rpartition("/")[2].removesuffix(".xml"))
