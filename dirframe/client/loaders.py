"""Whole collections: a question goes in, a typed frame comes out.

Every frame says in ``frame.attrs["dirframe"]`` what it was made from; see
`dirframe.provenance`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dirframe.client.collection_loader import load_collection_query
from dirframe.client.http.client import CachePolicy
from dirframe.client.paging.query import CollectionQuery
from dirframe.schema import ACCOUNT, PROJECT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from dirframe.client.collection_loader import Incomplete
    from dirframe.client.directory import Directory
    from dirframe.client.paging.progress import ProgressCallback

__all__ = ["load_accounts", "load_projects"]


def load_accounts(
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    columns: Sequence[str] | None = None,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    stale: bool = False,
    wait: float = 0.0,
    progress: bool | ProgressCallback = True,
) -> pd.DataFrame:
    """Load the accounts of a directory.

    Parameters
    ----------
    query : str, optional
        Only accounts whose name matches.
    sort : str, optional
        ``created_at``, ``id``, ``name`` or ``updated_at``, each also with ``_reverse``
        behind it. Left out: the directory's default, ``created_at_reverse``, also where a
        query is given. The live service has an order of its own and ignores `sort`.
    max_items : int, optional
        Cap on the number of accounts; the frame says that it was capped. Left out: all.
    columns : sequence of str, optional
        Names of the columns to read; ``id`` is always among them. The fewer, the faster.
        Left out: everything there is.
    directory : Directory, optional
        Where to ask. Left out: the directory that the environment names.
    incomplete : {"raise", "warn"}, default "raise"
        What to do when the collection cannot be proven complete: raise, or hand it over
        with a warning and with the reason in its provenance.
    refresh : bool, default False
        Whether to ask the directory for every page, whatever the cache has.
    offline : bool, default False
        Whether to ask the cache alone.
    stale : bool, default False
        Whether cached pages may be of any age; a warning names it.
    wait : float, default 0
        Seconds that the load may sleep until the daily quota comes back.
    progress : bool or callable, default True
        Whether to show a progress bar where someone can see it; or a function that is told
        after each page how many records came and how many should. If it raises StopIteration
        the load stops there, with the error of an incomplete collection.

    Returns
    -------
    pandas.DataFrame
        One row an account, in the order of the directory, with the columns of the
        specification: ``id``, ``name`` (str), ``created_at``, ``updated_at``
        (datetime64[us, UTC]), ``homepage_url``, ``avatar_url``, ``email_sha1`` (str),
        ``posts_count`` (Int64), ``location``, ``country_code`` (str, as the directory has
        it: codes and names mixed), ``latitude``, ``longitude`` (Float64, degrees),
        ``kudo_score_kudo_rank`` and ``kudo_score_position`` (Int64). Then whatever else the
        directory sent. ``attrs["dirframe"]`` holds the provenance.

    Raises
    ------
    ConfigurationError
        If no directory is given and the environment names none.
    InvalidInputError
        If `sort` or `max_items` cannot be meant.
    QuotaExceededError
        If the daily quota ends; the same line pays only for the rest later.
    RequestError
        If the directory cannot be reached or refuses; what was loaded is in the cache.
    CacheError
        If `offline` is true and a page is not in the cache.
    IncompleteCollectionError
        If the collection cannot be proven complete; it carries the frame so far.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     accounts = dirframe.load_accounts(max_items=50, directory=directory)
    >>> len(accounts), accounts["created_at"].is_monotonic_decreasing
    (50, True)
    """
    question = CollectionQuery(resource=ACCOUNT, query=query, sort=sort, max_items=max_items)
    manner = CachePolicy(refresh=refresh, offline=offline, stale=stale, wait=wait)
    return load_collection_query(
        question,
        directory,
        incomplete,
        manner,
        columns=columns,
        details=False,
        progress=progress,
    )


def load_projects(
    *,
    query: str | None = None,
    sort: str | None = None,
    max_items: int | None = None,
    columns: Sequence[str] | None = None,
    details: bool = False,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    stale: bool = False,
    wait: float = 0.0,
    progress: bool | ProgressCallback = True,
) -> pd.DataFrame:
    """Load the projects of a directory.

    Parameters
    ----------
    query : str, optional
        Only projects whose title, description or tags match. The live service also takes
        ``tag:`` before a word, for projects that have this tag.
    sort : str, optional
        ``created_at``, ``id``, ``name``, ``updated_at`` or ``stack_count``, each also with
        ``_reverse`` behind it, or a value of the live service: ``new``, ``users``, ``rating``,
        ``active_committers``, ``activity_level``, ``popularity``, ``project_name``,
        ``description`` or ``relevance``. Left out: the directory's default. That of the
        specification is ``created_at_reverse``, also where a query is given; the live service
        sorts the answer to a query by relevance.
    max_items : int, optional
        Cap on the number of projects; the frame says that it was capped. Left out: all.
    columns : sequence of str, optional
        Names of the columns to read; ``id`` is always among them. The fewer, the faster.
        Left out: everything there is.
    details : bool, default False
        Whether to ask for the own page of each project that the collection gives without its
        analysis: one request each, cached as pages are. Today's live service sends analyses
        there alone. `columns` without a column of the analysis need no details.
    directory : Directory, optional
        Where to ask. Left out: the directory that the environment names.
    incomplete : {"raise", "warn"}, default "raise"
        What to do when the collection cannot be proven complete, or an own page does not
        come: raise, or hand it over with a warning and with the reason in its provenance. A
        project without its own page keeps the row that the collection gave.
    refresh : bool, default False
        Whether to ask the directory for every page, whatever the cache has.
    offline : bool, default False
        Whether to ask the cache alone.
    stale : bool, default False
        Whether cached pages may be of any age; a warning names it.
    wait : float, default 0
        Seconds that the load may sleep until the daily quota comes back.
    progress : bool or callable, default True
        Whether to show a progress bar where someone can see it; or a function that is told
        after each page how many records came and how many should, and then the same of own
        pages. If it raises StopIteration the load stops there, with the error of an incomplete
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
        the analysis, beside the project's own ``analysis_id``. Then whatever else the
        directory sent, lists such as ``tags`` included (see `child_table`).
        ``attrs["dirframe"]`` holds the provenance.

    Raises
    ------
    ConfigurationError
        If no directory is given and the environment names none.
    InvalidInputError
        If `sort` or `max_items` cannot be meant.
    QuotaExceededError
        If the daily quota ends; the same line pays only for the rest later.
    RequestError
        If the directory cannot be reached or refuses; what was loaded is in the cache.
    CacheError
        If `offline` is true and a page is not in the cache.
    IncompleteCollectionError
        If the collection cannot be proven complete, or own pages did not come; it carries the
        frame so far, and the ids without an own page as ``details_missing``.

    Warns
    -----
    AnalysesNotSentWarning
        If projects came with the ids of their analyses and none with an analysis, and `details`
        is false. Provenance lists the columns as ``not_sent``; statistics that need one refuse to
        take them for missing.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     projects = dirframe.load_projects(sort="stack_count_reverse", max_items=5,
    ...                                       directory=directory)
    >>> projects["stack_count"].is_monotonic_decreasing
    True
    """
    question = CollectionQuery(resource=PROJECT, query=query, sort=sort, max_items=max_items)
    manner = CachePolicy(refresh=refresh, offline=offline, stale=stale, wait=wait)
    return load_collection_query(
        question,
        directory,
        incomplete,
        manner,
        columns=columns,
        details=details,
        progress=progress,
    )
