"""Iterate over collections record by record, in bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack, cast

from dirframe.client.collection_loader import (
    LoadOptions,
    analyses_not_sent,
    handle_incomplete,
    open_paginator,
)
from dirframe.client.paging.query import CollectionQuery
from dirframe.client.paging.record_stream import RecordStream
from dirframe.errors import warn
from dirframe.schema import ACCOUNT, PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dirframe.client.collection_loader import LoadKeywords, ProjectKeywords
    from dirframe.client.directory import Directory
    from dirframe.client.frames.record_types import AccountRecord, ProjectRecord
    from dirframe.schema import Resource

_POLICY = ("refresh", "offline")
_QUERY = ("query", "sort", "max_items")


def iter_accounts(
    directory: Directory | None = None, **options: Unpack[LoadKeywords]
) -> Iterator[AccountRecord]:
    """Iterate over the accounts of a directory, page by page, without a frame.

    Parameters
    ----------
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    **options
        As in `load_accounts`: ``query``, ``sort``, ``max_items``, ``columns``, ``incomplete``,
        ``refresh``, ``offline`` and ``progress``.

    Returns
    -------
    iterator of dict
        Each an account: the columns of `load_accounts` with values of Python (str, int, float,
        datetime in UTC, list), None where missing; for type checkers an ``AccountRecord``. It
        holds the columns of the specification and all that the directory has sent so far. In
        memory are the pages in flight, and of each record its id.

    Raises
    ------
    IncompleteCollectionError
        After the last record, if the collection cannot be proven complete. Records were handed
        out already, so that no page is asked for again as `load_accounts` does; the frame of
        the error is empty.
    Exception
        Otherwise as `load_accounts`, from the first record on; invalid options at once.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     posts = sum(one["posts_count"] or 0 for one in dirframe.iter_accounts(directory))
    >>> posts > 0
    True
    """
    return cast("Iterator[AccountRecord]", _iterate(ACCOUNT, directory, dict(options)))


def iter_projects(
    directory: Directory | None = None, **options: Unpack[ProjectKeywords]
) -> Iterator[ProjectRecord]:
    """Iterate over the projects of a directory, page by page, without a frame.

    Parameters
    ----------
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    **options
        As in `load_projects`: those of `iter_accounts` and ``details``. Where no project of the
        pages so far names an analysis, ``details`` asks for the own page of each.

    Returns
    -------
    iterator of dict
        Each a project, as `iter_accounts` yields accounts; for type checkers a ``ProjectRecord``.

    Raises
    ------
    IncompleteCollectionError
        As in `iter_accounts`.
    Exception
        Otherwise as `load_projects`, from the first record on; invalid options at once.

    Warns
    -----
    AnalysesNotSentWarning
        After the last record, as in `load_projects`.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     names = [one["name"] for one in dirframe.iter_projects(directory, max_items=30)]
    >>> len(names)
    30
    """
    return cast("Iterator[ProjectRecord]", _iterate(PROJECT, directory, dict(options)))


def _iterate(
    resource: Resource, directory: Directory | None, options: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    query_options = {name: options.pop(name) for name in _QUERY if name in options}
    policy = {name: options.pop(name) for name in _POLICY if name in options}
    query = CollectionQuery(resource=resource, **query_options)
    return _records(query, directory, LoadOptions(policy=policy, **{"progress": True} | options))


def _records(
    query: CollectionQuery, directory: Directory | None, options: LoadOptions
) -> Iterator[dict[str, Any]]:
    with open_paginator(RecordStream, query, directory, options) as (client, stream):
        yield from stream.records()
        result = stream.result()
        if result.fetched:
            client.session.warn_if_stale(result.fetched)
    if result.not_sent:
        warn(analyses_not_sent(stream.yielded, result.needed))
    if result.incomplete_reason:
        handle_incomplete(result, query, client, options, result.frame)
