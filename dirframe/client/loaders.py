"""Load collections as typed frames; their provenance is in ``frame.attrs["dirframe"]``."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dirframe._display import suggests_options
from dirframe.client.directory import Directory, connection_of, open_directory
from dirframe.client.load import Incomplete, Options, load_query
from dirframe.client.lookup import load_record
from dirframe.client.many import Owners, check_is_unowned, load_of
from dirframe.client.named import check_named, load_named
from dirframe.client.organization_projects import load_projects_of
from dirframe.client.paging.fetch import CacheUse
from dirframe.client.paging.query import query_at
from dirframe.client.progress import ProgressCallback
from dirframe.schema import ACCOUNT, PROJECT


@suggests_options
def load_projects(
    directory: Directory | None = None,
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    organization: str | None = None,
    details: bool = False,
    projects: Owners | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = True,
) -> pd.DataFrame:
    """Load the projects of a directory: all, a query of them, a sample, or named ones.

    Parameters
    ----------
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    query : str, optional
        Only projects whose title, description or tags match; the live service takes ``tag:word``.
    sort : str, optional
        ``created_at``, ``id``, ``name``, ``updated_at`` or ``stack_count``, each also with the
        suffix ``_reverse`` (default: ``created_at_reverse``); or a sort of the live service. There
        only ``project_name`` is stable over several pages, so a query without `sort` and
        `max_items` is read in that order, and a load of all projects is returned in the order of
        ids.
    max_items : int, optional
        Maximum number of records, the first ones of the order. Default: all.
    sample, seed : int, optional
        Size and seed of a simple random sample without replacement. On the live service ids are
        drawn, and the rows are in the order drawn. On other directories, and for a query, positions
        in a stable order are drawn, and the pages that hold them are read. A sample of 600 with the
        same seed contains the sample of 400, so only the difference is requested: with `details`
        200 own pages. If ids are drawn, this is also true on another day, except for projects that
        were deleted since and for places that newer projects take; if positions are drawn, only
        while the number of records stays the same.
    organization : str, optional
        Only the projects of an organization, by its short name (see `load_organizations`), in the
        order of `load_portfolio`. The directory gives only their names, so the own page at the name
        as a short name is requested, and otherwise a query for the name: one or two requests for
        each project. If no project has the name any more, it is listed in ``failures``. Not with
        `query`, `sort`, `max_items`, `sample` and `projects`.
    details : bool, default False
        Whether to request the own page of each project that was sent without its analysis: the live
        service sends analyses only there.
    projects : str, int, list, pandas.Series or pandas.DataFrame, optional
        Load only these projects, by their ids or their short names in addresses; of a frame, by its
        column ``id``. Rows are in this order, and a project that is named twice has one row. The
        live service sends 25 projects a request by id; a short name, and each project on another
        directory, takes one request. Not with `query`, `sort`, `max_items` and `sample`.
    incomplete : {"raise", "warn"}, default "raise"
        Whether to raise if records or own pages are missing, or to warn and return the records
        received.
    refresh, offline : bool, default False
        Whether to fetch every page, even if it is cached; whether to use only the cache.
    progress : bool or callable, default True
        Whether to show a progress bar; or a callback that receives the numbers of records so far and
        in all after each page, and may raise StopIteration to end the load.

    Returns
    -------
    pandas.DataFrame
        One row a project, with the columns and units of ``fields("project")``, such as
        ``analysis_total_code_lines`` (Int64, lines; it can be negative), then any other columns
        that the directory sent, such as lists (see `child_table`). ``attrs["dirframe"]`` holds the
        provenance.

    Raises
    ------
    ConfigurationError, InvalidInputError
        If no directory is given or configured, or an argument is invalid.
    RequestError, CacheError
        If the directory cannot be reached or refuses; offline, if a page is not in the cache.
    QuotaExceededError
        If the quota is used up (run the same call later: only missing pages are requested), or
        pages would expire before the load is complete.
    IncompleteCollectionError
        If records or own pages are missing; it holds the partial frame. Of named projects,
        ``failures`` in the provenance says why.

    Warns
    -----
    AnalysesNotSentWarning, OverQuotaWarning, SortIgnoredWarning, ServiceChangedWarning
        If projects were sent without their analyses and `details` is False; if the load needs more
        requests than are left today; if fewer than nine of ten neighbours are in the order of
        `sort`; if the live service stops sending 25 projects a request.

    Examples
    --------
    >>> with dirframe.sample_directory() as directory:
    ...     projects = dirframe.load_projects(sample=30, seed=7, directory=directory)
    >>> len(projects), projects.attrs["dirframe"]["completeness"]
    (30, 'sample')
    """
    use = CacheUse.of(refresh=refresh, offline=offline)
    options = Options(incomplete=incomplete, cache=use, progress=progress)
    if organization is not None:
        check_named(
            "organization",
            query=query,
            sort=sort,
            max_items=max_items,
            sample=sample,
            projects=projects,
        )
        with open_directory(directory) as client:
            return load_projects_of(organization, client, options, details=details)
    asked = {"query": query, "sort": sort, "max_items": max_items, "details": details}
    if projects is not None:
        check_named("projects", query=query, sort=sort, max_items=max_items, sample=sample)
        with open_directory(directory) as client:
            return load_named(projects, client, options, details=details)
    return _load("projects", directory, options, sample=sample, seed=seed, **asked)


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
    query, sort : str, optional
        Only accounts whose name matches, in the order of ``created_at``, ``id``, ``name`` or
        ``updated_at``, each also with the suffix ``_reverse`` (default: ``created_at_reverse``).
        The live service ignores `sort`, except ``kudo_position``, which is the default there.
    directory, max_items, sample, seed, incomplete, refresh, offline, progress
        As in `load_projects`, and so are the errors.

    Returns
    -------
    pandas.DataFrame
        One row an account, with the columns of ``fields("account")``, such as ``country_code`` (str,
        codes and names mixed) and ``latitude`` (Float64, degrees).

    Examples
    --------
    >>> with dirframe.sample_directory() as directory:
    ...     accounts = dirframe.load_accounts(max_items=50, directory=directory)
    >>> len(accounts), accounts["created_at"].is_monotonic_decreasing
    (50, True)
    """
    use = CacheUse.of(refresh=refresh, offline=offline)
    options = Options(incomplete=incomplete, cache=use, progress=progress)
    asked = {"query": query, "sort": sort, "max_items": max_items}
    return _load("accounts", directory, options, sample=sample, seed=seed, **asked)


@suggests_options
def load(
    path: str,
    *,
    of: Owners | None = None,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = True,
) -> pd.DataFrame:
    """Load any address below a directory's base URL, or a collection of each of many owners.

    Parameters
    ----------
    path : str
        The path below the base URL, such as ``"/projects/firefox/contributors.xml"``, or the name
        of a collection, such as ``"languages"``.
    of : str, int, list, pandas.Series or pandas.DataFrame, optional
        The owner of the collection, by id or short name, or many owners; of a frame its column
        ``id`` (of organizations ``url_name``, else ``vanity_url``). `path` is then the name of a
        collection: of projects ``contributors``, ``activity_facts``, ``size_facts``,
        ``enlistments``, ``factoids`` or ``stacks``; of accounts ``positions``, ``kudos``,
        ``kudos_sent`` or ``managed_projects``; of organizations ``portfolio_projects``,
        ``outside_projects``, ``affiliated_committers`` or ``outside_committers``. `query`, `sort`
        and `max_items` apply to each.
    query, sort, max_items, directory, incomplete, refresh, offline, progress
        As in `load_projects`; the valid values of `sort` depend on the address.

    Returns
    -------
    pandas.DataFrame
        One row a record. With `of`, the first column is its owner as you named it: ``project_id``,
        ``account_id`` or ``organization`` (str; if the records have a field of that name, it
        becomes ``project_id_sent``). Records known to `fields` have its columns and dtypes, even if
        there are no records. Other columns are Int64, Float64 or datetime64[us, UTC] if all values
        are, without loss, else str, as are ids, names and URLs.

    Raises
    ------
    InvalidInputError
        If the path leads to another host, does not end in ``.xml``, or has a key or a page number;
        if `of` is empty, or missing where it is needed, or given where it is not.
    IncompleteCollectionError
        If one of many is not there, or not whole: ``failures`` in the provenance says why, and also
        names those without an analysis.
    NotFoundError, ServiceError, UnreadableResponseError
        If there is nothing at the path, the project has no analysis yet, or the response is not a
        list of records of one kind in the interface's XML. Others as in `load_projects`.

    Examples
    --------
    >>> with dirframe.sample_directory() as directory:
    ...     frame = dirframe.load("/accounts.xml", max_items=50, directory=directory)
    >>> len(frame), str(frame["posts_count"].dtype)
    (50, 'Int64')
    """
    use = CacheUse.of(refresh=refresh, offline=offline)
    options = Options(incomplete=incomplete, cache=use, progress=progress)
    if of is not None:
        asked = {"query": query, "sort": sort, "max_items": max_items}
        return load_of(path, of, directory, options, **asked)
    check_is_unowned(path)
    return _load(path, directory, options, query=query, sort=sort, max_items=max_items)


def load_languages(directory: Directory | None = None, **options: Any) -> pd.DataFrame:
    """Load the languages of a directory with their totals, an addition to the specification.

    Parameters
    ----------
    directory, **options
        As in `load`, and so are the errors. Sorts are ``name`` (the default), ``total``, ``code``,
        ``projects``, ``comment_ratio``, ``contributors`` and ``commits``.

    Returns
    -------
    pandas.DataFrame
        One row a language, with the columns of ``fields("language")``, such as ``category`` (str:
        ``code``, ``markup`` or ``build``) and ``code`` (Int64, lines in all projects).

    Examples
    --------
    >>> with dirframe.sample_directory() as directory:
    ...     dirframe.load_languages(directory)["category"].unique().tolist()
    ['code', 'build', 'markup']
    """
    return load("languages", directory=directory, **options)


@suggests_options
def load_contributors(
    project: Owners,
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
    """Load who committed to a project, or to each of many, an addition to the specification.

    Parameters
    ----------
    project : str, int, list, pandas.Series or pandas.DataFrame
        The project's id, or its short name in addresses (a project named by both has its records
        twice); or many projects: of a frame, its column ``id``.
    query, sort : str, optional
        Only contributors whose name in commits matches, in the order of ``commits_12_mo`` (the
        default), ``commits``, ``name``, ``kudo_position``, ``language``, ``latest_commit``,
        ``newest`` or ``oldest``.
    max_items, directory, incomplete, refresh, offline, progress
        As in `load_projects`; `max_items` is the maximum of each project.

    Returns
    -------
    pandas.DataFrame
        One row a contributor, with the columns of ``fields("contributor_fact")``, such as
        ``contributor_id`` (str, unique within the project) and ``man_months`` (Int64, months with a
        commit). ``project_id`` (str, as it was given) comes first.

    Raises
    ------
    NotFoundError, ServiceError
        If the one project is not there, or has no analysis yet. Others as in `load_projects`.
    IncompleteCollectionError
        If one of many is not there, or not whole: ``failures`` in the provenance says why, and also
        names those without an analysis.

    Notes
    -----
    Of the sample, twenty projects have contributors: `load_activity` names them.

    Examples
    --------
    >>> with dirframe.sample_directory() as directory:
    ...     people = dirframe.load_contributors(["633", "714"], directory=directory)
    >>> people["project_id"].unique().tolist()
    ['633', '714']
    """
    use = CacheUse.of(refresh=refresh, offline=offline)
    options = Options(incomplete=incomplete, cache=use, progress=progress)
    asked = {"query": query, "sort": sort, "max_items": max_items}
    return load_of("contributors", project, directory, options, **asked)


@suggests_options
def load_activity(
    project: Owners,
    *,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = True,
) -> pd.DataFrame:
    """Load the changes of the source code of a project, or of each of many, month by month.

    Parameters
    ----------
    project, directory, incomplete, refresh, offline, progress
        As in `load_contributors`, and so are the errors.

    Returns
    -------
    pandas.DataFrame
        One row a month of the latest analysis, with the columns of ``fields("activity_fact")``,
        such as ``month`` (datetime64[us, UTC], its first day) and ``commits`` (Int64). The last
        month may be incomplete, and months after the analysis can hold zeros.

    Notes
    -----
    Of the sample, twenty projects have contributors, activity and size: 17, 143, 464, 579, 633, 663,
    714, 779, 814, 864, 883, 885, 948, 959, 966, 983, 1005, 1051, 1253 and 1488.

    Examples
    --------
    >>> with dirframe.sample_directory() as directory:
    ...     dirframe.load_activity("633", directory=directory)["month"].is_monotonic_increasing
    True
    """
    use = CacheUse.of(refresh=refresh, offline=offline)
    options = Options(incomplete=incomplete, cache=use, progress=progress)
    return load_of("activity_facts", project, directory, options)


@suggests_options
def load_size(
    project: Owners,
    *,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = True,
) -> pd.DataFrame:
    """Load the size of the source code of a project, or of each of many, month by month.

    Parameters
    ----------
    project, directory, incomplete, refresh, offline, progress
        As in `load_contributors`, and so are the errors. `load_activity` names the projects of the
        sample.

    Returns
    -------
    pandas.DataFrame
        One row a month, as in `load_activity`, with the columns of ``fields("size_fact")`` as of
        its end, such as ``code`` (Int64, lines) and ``comment_ratio`` (Float64, 0 to 1).

    Examples
    --------
    >>> with dirframe.sample_directory() as directory:
    ...     dirframe.load_size("633", directory=directory)["commits"].is_monotonic_increasing
    True
    """
    use = CacheUse.of(refresh=refresh, offline=offline)
    options = Options(incomplete=incomplete, cache=use, progress=progress)
    return load_of("size_facts", project, directory, options)


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
        as ``"firefox"``.
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
    >>> with dirframe.sample_directory() as directory:
    ...     dirframe.load_project("1", directory=directory)["id"].item()
    '1'
    """
    options = Options(cache=CacheUse.of(refresh=refresh, offline=offline))
    return load_record(PROJECT, project, directory, options)


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
        resolves names, a login such as ``"fst"``.
    directory, refresh, offline
        As in `load_project`, and so are the errors.

    Returns
    -------
    pandas.DataFrame
        One row with the columns of `load_accounts`.

    Examples
    --------
    >>> with dirframe.sample_directory() as directory:
    ...     len(dirframe.load_account("ada@example.org", directory=directory))
    1
    """
    options = Options(cache=CacheUse.of(refresh=refresh, offline=offline))
    return load_record(ACCOUNT, account, directory, options)


def _load(path: str, directory: Directory | None, options: Options, **asked: Any) -> pd.DataFrame:
    """Load a collection by its name, or a path."""
    with open_directory(directory) as client:
        query = query_at(path, client.base_url, connection_of(client).key, **asked)
        return load_query(query, client, options)
