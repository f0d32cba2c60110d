"""Loaders for collections outside the specification; see `dirframe.schema.extensions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dirframe.client.addresses import Address, identifier_of, path_of
from dirframe.client.collection_loader import LoadOptions
from dirframe.client.directory import open_directory
from dirframe.client.load import load_at
from dirframe.client.paging.query import CollectionQuery
from dirframe.schema.extensions import ACTIVITY_FACT, CONTRIBUTOR_FACT, LANGUAGE, SIZE_FACT

if TYPE_CHECKING:
    import pandas as pd

    from dirframe.client.collection_loader import Incomplete
    from dirframe.client.directory import Directory
    from dirframe.client.paging.progress import ProgressCallback
    from dirframe.schema import Resource


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
    directory : Directory, optional
        The directory to query. Default: the one configured by the environment.
    query : str, optional
        Only languages that match.
    sort : str, optional
        ``name``, ``total``, ``code``, ``projects``, ``comment_ratio``, ``contributors`` or
        ``commits``. Default: that of the directory, the name.
    max_items, incomplete, refresh, offline, progress
        As in `load_projects`.

    Returns
    -------
    pandas.DataFrame
        One row a language: ``id``, ``name``, ``nice_name`` (str), ``category`` (str:
        ``code``, ``markup`` or ``build``), ``code``, ``comments``, ``blanks`` (Int64, lines
        in all projects), ``comment_ratio`` (Float64, share from 0 to 1 of comments in
        comments and code), ``projects`` (Int64, projects), ``contributors`` (Int64, people)
        and ``commits`` (Int64, commits).

    Raises
    ------
    InvalidInputError
        If `sort` or `max_items` is invalid.
    RequestError
        If the directory cannot be reached, refuses, or has no languages.
    IncompleteCollectionError
        If the collection cannot be proven complete.

    Examples
    --------
    >>> import dirframe
    >>> dirframe.fields("language").query("unit == 'people'")["name"].item()
    'contributors'
    """
    policy = {"refresh": refresh, "offline": offline}
    options = LoadOptions(policy=policy, incomplete=incomplete, progress=progress)
    return _load(LANGUAGE, directory, options, query=query, sort=sort, max_items=max_items)


def load_contributors(
    project: str | int,
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
    """Load the people who committed to a project.

    Not part of the specification; offered by services of its kind.

    Parameters
    ----------
    project : str or int
        The project's id, or its short name in addresses.
    query : str, optional
        Only contributors whose name in the commits matches.
    sort : str, optional
        ``commits_12_mo``, ``commits``, ``name``, ``kudo_position``, ``language``,
        ``latest_commit``, ``newest`` or ``oldest``. Left out: the directory's default,
        ``commits_12_mo``.
    max_items, directory, incomplete, refresh, offline, progress
        As in `load_projects`.

    Returns
    -------
    pandas.DataFrame
        One row a contributor: ``contributor_id`` (str, unique within the project),
        ``account_id``, ``account_name`` (str, of the account that claimed the
        contributions, if any), ``analysis_id`` (str), ``contributor_name`` (str, as in the
        commits), ``primary_language_id``, ``primary_language_nice_name`` (str),
        ``comment_ratio`` (Float64, share from 0 to 1), ``first_commit_time``,
        ``last_commit_time`` (datetime64[us, UTC]), ``man_months`` (Int64, months with a
        commit) and ``commits`` (Int64, commits in all).

    Raises
    ------
    InvalidInputError
        If `project` is empty, or neither text nor a whole number, or `sort` or `max_items` is
        invalid.
    NotFoundError
        If there is no such project.
    ServiceError
        If the project has no analysis yet.
    IncompleteCollectionError
        If the collection cannot be proven complete.

    Examples
    --------
    >>> import dirframe
    >>> dirframe.fields("contributor_fact")["name"].head(2).tolist()
    ['contributor_id', 'account_id']
    """
    policy = {"refresh": refresh, "offline": offline}
    options = LoadOptions(policy=policy, incomplete=incomplete, progress=progress)
    parameters = {"project": project, "query": query, "sort": sort, "max_items": max_items}
    return _load(CONTRIBUTOR_FACT, directory, options, **parameters)


def load_activity(
    project: str | int,
    *,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
) -> pd.DataFrame:
    """Load what happened in the source code of a project, month by month.

    Not part of the specification; offered by services of its kind. One request.

    Parameters
    ----------
    project : str or int
        The project's id, or its short name in addresses.
    directory, incomplete, refresh, offline
        As in `load_projects`.

    Returns
    -------
    pandas.DataFrame
        One row a month of the latest analysis: ``month`` (datetime64[us, UTC], its first
        day), ``code_added``, ``code_removed``, ``comments_added``, ``comments_removed``,
        ``blanks_added``, ``blanks_removed`` (Int64, lines), ``commits`` (Int64, commits) and
        ``contributors`` (Int64, people who committed in the month). The last month is that
        of the answer, and not over yet; months after the analysis can hold zeros.

    Raises
    ------
    InvalidInputError
        If `project` is empty, or neither text nor a whole number.
    NotFoundError
        If there is no such project.
    ServiceError
        If the project has no analysis yet.
    IncompleteCollectionError
        If the number of months in the response differs from the number it reports.

    Examples
    --------
    >>> import dirframe
    >>> dirframe.fields("activity_fact").query("unit == 'people'")["name"].item()
    'contributors'
    """
    policy = {"refresh": refresh, "offline": offline}
    options = LoadOptions(policy=policy, incomplete=incomplete)
    return _load(ACTIVITY_FACT, directory, options, project=project)


def load_size(
    project: str | int,
    *,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
) -> pd.DataFrame:
    """Load how large the source code of a project was, month by month.

    Not part of the specification; offered by services of its kind. One request.

    Parameters
    ----------
    project : str or int
        The project's id, or its short name in addresses.
    directory, incomplete, refresh, offline
        As in `load_projects`.

    Returns
    -------
    pandas.DataFrame
        One row a month of the latest analysis: ``month`` (datetime64[us, UTC], its first
        day), and as of its end ``code``, ``comments``, ``blanks`` (Int64, lines),
        ``comment_ratio`` (Float64, share from 0 to 1 of comments in comments and code),
        ``commits`` (Int64, all commits so far) and ``man_months`` (Int64, months in which
        each contributor committed, summed).

    Raises
    ------
    InvalidInputError
        If `project` is empty, or neither text nor a whole number.
    NotFoundError
        If there is no such project.
    ServiceError
        If the project has no analysis yet.
    IncompleteCollectionError
        If the number of months in the response differs from the number it reports.

    Examples
    --------
    >>> import dirframe
    >>> dirframe.fields("size_fact")["name"].head(2).tolist()
    ['month', 'code']
    """
    policy = {"refresh": refresh, "offline": offline}
    options = LoadOptions(policy=policy, incomplete=incomplete)
    return _load(SIZE_FACT, directory, options, project=project)


def _load(
    resource: Resource, directory: Directory | None, options: LoadOptions, **parameters: Any
) -> pd.DataFrame:
    facts = {}
    if "project" in parameters:
        facts["project"] = identifier_of(parameters.pop("project"), "project")
    path = path_of(resource.paths[0], analysis="latest", **facts)
    address = Address(path, paged=resource.paged, single=False, facts=facts)
    query = CollectionQuery(resource=resource, address=address, **parameters)
    with open_directory(directory) as client:
        return load_at(query, client, options)
