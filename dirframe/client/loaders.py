"""Load whole collections as typed frames."""

# The provenance of each frame is in ``frame.attrs["dirframe"]``; see `dirframe.provenance`.

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.client.collection_loader import LoadOptions, load_collection_query
from dirframe.client.paging.query import CollectionQuery
from dirframe.schema import ACCOUNT, PROJECT

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.client.collection_loader import Incomplete
    from dirframe.client.directory import Directory
    from dirframe.client.paging.progress import ProgressCallback


def load_accounts(
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
    """Load the accounts of a directory.

    Parameters
    ----------
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    query : str, optional
        Only accounts whose name matches.
    sort : str, optional
        ``created_at``, ``id``, ``name`` or ``updated_at``, each also with the suffix
        ``_reverse``. Default: that of the directory, ``created_at_reverse``, also with a
        query. The live service has an order of its own and ignores `sort`.
    max_items : int, optional
        Maximum number of accounts; provenance records the limit. Default: all.
    incomplete : {"raise", "warn"}, default "raise"
        What to do if the collection cannot be proven complete: raise, or return it with a
        warning and the reason in its provenance.
    refresh : bool, default False
        Whether to fetch every page from the directory, even if it is cached.
    offline : bool, default False
        Whether to use only the cache: pages of any age, with a warning that reports the age.
    progress : bool or callable, default True
        Whether to show a progress bar in terminals and notebooks; or a callback that is called
        after each page with the number of records so far and the total. If it raises
        StopIteration, the load stops with the error of an incomplete collection.

    Returns
    -------
    pandas.DataFrame
        One row an account, in the order of the directory, with the columns of the
        specification: ``id``, ``name`` (str), ``created_at``, ``updated_at``
        (datetime64[us, UTC]), ``homepage_url``, ``avatar_url``, ``email_sha1`` (str),
        ``posts_count`` (Int64), ``location``, ``country_code`` (str, as the directory has
        it: codes and names mixed), ``latitude``, ``longitude`` (Float64, degrees),
        ``kudo_score_kudo_rank`` and ``kudo_score_position`` (Int64). Then all other columns that
        the directory sent. ``attrs["dirframe"]`` holds the provenance.

    Raises
    ------
    ConfigurationError
        If no directory is given and the environment configures none.
    InvalidInputError
        If `sort` or `max_items` is invalid.
    QuotaExceededError
        If the daily quota is used up; repeating the call later fetches only missing pages.
    RequestError
        If the directory cannot be reached or refuses; pages already fetched are in the cache.
    CacheError
        If `offline` is true and a page is not in the cache.
    IncompleteCollectionError
        If the collection cannot be proven complete; the error holds the partial frame.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     accounts = dirframe.load_accounts(max_items=50, directory=directory)
    >>> len(accounts), accounts["created_at"].is_monotonic_decreasing
    (50, True)
    """
    collection_query = CollectionQuery(
        resource=ACCOUNT, query=query, sort=sort, max_items=max_items
    )
    policy = {"refresh": refresh, "offline": offline}
    options = LoadOptions(policy=policy, incomplete=incomplete, progress=progress)
    return load_collection_query(collection_query, directory, options)


def load_projects(
    directory: Directory | None = None,
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
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
        Only projects whose title, description or tags match. The live service also accepts
        ``tag:`` before a word, for projects with this tag.
    sort : str, optional
        ``created_at``, ``id``, ``name``, ``updated_at`` or ``stack_count``, each also with the
        suffix ``_reverse``, or a value of the live service: ``new``, ``users``, ``rating``,
        ``active_committers``, ``activity_level``, ``popularity``, ``project_name``,
        ``description`` or ``relevance``. Default: that of the directory. The specification's
        default is ``created_at_reverse``, also with a query; today's live service sorts the
        results of a query by relevance. Its orders do not hold over several pages, except
        ``project_name``: without `sort` and `max_items`, more than one page of it is read in
        that order, for one request more.
    max_items : int, optional
        Maximum number of projects; provenance records the limit. Default: all.
    details : bool, default False
        Whether to fetch the own page of each project that the collection returns without its
        analysis: one request each, cached like other pages. Today's live service sends analyses
        only there.
    incomplete : {"raise", "warn"}, default "raise"
        What to do if the collection cannot be proven complete, or an own page cannot be
        fetched: raise, or return the frame with a warning and the reason in its provenance. A
        project without its own page keeps its row from the collection.
    refresh : bool, default False
        Whether to fetch every page from the directory, even if it is cached.
    offline : bool, default False
        Whether to use only the cache: pages of any age, with a warning that reports the age.
    progress : bool or callable, default True
        Whether to show a progress bar in terminals and notebooks; or a callback that is called
        after each page with the number of records so far and the total, and then likewise for
        own pages. If it raises StopIteration, the load stops with the error of an incomplete
        collection.

    Returns
    -------
    pandas.DataFrame
        One row a project, in the order of the directory, with the columns of the
        specification: ``id``, ``name``, ``description``, the addresses (str),
        ``created_at``, ``updated_at`` (datetime64[us, UTC]), ``stack_count`` (Int64,
        members), ``analysis_id`` (str), and the fields of the analysis as ``analysis_…``:
        months (datetime64[us, UTC]), ``analysis_twelve_month_contributor_count`` (Int64,
        people), ``analysis_total_code_lines`` (Int64, lines; it can be negative),
        ``analysis_main_language_name`` (str) and so on. ``analysis__id`` is the id inside
        the analysis, distinct from the project's own ``analysis_id``. Then all other columns
        that the directory sent, including lists such as ``tags`` (see `child_table`).
        ``attrs["dirframe"]`` holds the provenance.

    Raises
    ------
    ConfigurationError
        If no directory is given and the environment configures none.
    InvalidInputError
        If `sort` or `max_items` is invalid.
    QuotaExceededError
        If the daily quota is used up; repeating the call later fetches only missing pages.
    RequestError
        If the directory cannot be reached or refuses; pages already fetched are in the cache.
    CacheError
        If `offline` is true and a page is not in the cache.
    IncompleteCollectionError
        If the collection cannot be proven complete, or own pages could not be fetched; the
        error holds the partial frame, and the ids without an own page as ``details_missing``.

    Warns
    -----
    AnalysesNotSentWarning
        If projects came with analysis ids but none with an analysis, and `details` is false.
        Provenance lists the columns as ``not_sent``; statistics that need one raise instead of
        treating them as missing values.
    SortIgnoredWarning
        If fewer than nine of ten neighbours are in the order of `sort`; provenance has no sort.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     projects = dirframe.load_projects(sort="stack_count_reverse", max_items=5,
    ...                                       directory=directory)
    >>> projects["stack_count"].is_monotonic_decreasing
    True
    """
    collection_query = CollectionQuery(
        resource=PROJECT, query=query, sort=sort, max_items=max_items
    )
    policy = {"refresh": refresh, "offline": offline}
    options = LoadOptions(
        policy=policy,
        details=details,
        incomplete=incomplete,
        progress=progress,
    )
    return load_collection_query(collection_query, directory, options)
