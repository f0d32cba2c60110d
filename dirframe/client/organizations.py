"""Load organizations, their projects, and the repositories of projects."""

from __future__ import annotations

from typing import Any

import pandas as pd

from dirframe import provenance
from dirframe._display import quantity, suggests_options
from dirframe.client import messages
from dirframe.client.addresses import Repository, canonical_repository
from dirframe.client.directory import Directory, open_directory
from dirframe.client.load import Incomplete, Options, load_query, raise_or_warn
from dirframe.client.many import Owners, load_of
from dirframe.client.paging.fetch import CacheUse
from dirframe.client.paging.query import Query
from dirframe.client.progress import ProgressCallback
from dirframe.schema import ALL_RESOURCES

#: The order of organizations without ties; that of the live service is by their projects.
_BY_NAME = "name"
#: Columns of repositories, by those of enlistments.
_OF_ENLISTMENTS = {
    "project_id": "project_id",
    "code_location_type": "type",
    "code_location_url": "url",
    "code_location_module_name": "branch",
    "code_location_commits": "commits",
    "code_location_logged_at": "fetched_at",
    "code_location_ohloh_job_status": "status",
}
_NO_ADDRESS = "a repository without an address"


@suggests_options
def load_organizations(
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
    """Load the organizations of a directory, an addition to the specification.

    Parameters
    ----------
    query, sort : str, optional
        Only organizations that match, in the order of ``name`` (the default), ``projects`` (the
        default with `max_items`, most projects first), ``newest`` or ``recent``.
    directory, max_items, incomplete, refresh, offline, progress
        As in `load_projects`, and so are the errors.

    Returns
    -------
    pandas.DataFrame
        One row an organization, with the columns of ``fields("org")``, such as ``url_name`` (str,
        the short name that `load_portfolio` takes), ``projects_count`` and
        ``affiliated_committers`` (Int64).

    Examples
    --------
    >>> with dirframe.sample_directory(analyses=False) as directory:
    ...     organizations = dirframe.load_organizations(directory)
    >>> organizations[["url_name", "projects_count"]].head(2).to_numpy().tolist()
    [['harbour', 7], ['lantern', 20]]
    """
    if sort is None and max_items is None:
        sort = _BY_NAME
    use = CacheUse.of(refresh=refresh, offline=offline)
    options = Options(incomplete=incomplete, cache=use, progress=progress)
    asked = Query(resource=ALL_RESOURCES["org"], query=query, sort=sort, max_items=max_items)
    with open_directory(directory) as client:
        return load_query(asked, client, options)


@suggests_options
def load_portfolio(
    organization: Owners,
    *,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = True,
) -> pd.DataFrame:
    """Load the projects of an organization, or of each of many, with their last twelve months.

    One request returns 20 projects, with names but without ids.

    Parameters
    ----------
    organization : str, list, pandas.Series or pandas.DataFrame
        The short name of the organization in addresses, or many; of a frame its column ``url_name``,
        or else ``vanity_url``.
    directory, incomplete, refresh, offline, progress
        As in `load_contributors`, and so are the errors.

    Returns
    -------
    pandas.DataFrame
        One row a project: ``organization`` (str, as it was given), and the columns of
        ``fields("portfolio_project")``, such as ``name``, ``primary_language`` (str) and
        ``twelve_mo_activity_and_year_on_year_change_commits`` (Int64). The order of the list has
        ties, so if there are several pages, ``completeness`` is at best ``"counted"``: the frame
        has as many different names as the directory states.

    Examples
    --------
    >>> with dirframe.sample_directory(analyses=False) as directory:
    ...     portfolio = dirframe.load_portfolio(["harbour", "vacant"], directory=directory)
    >>> portfolio["organization"].value_counts().to_dict()
    {'harbour': 7}
    """
    use = CacheUse.of(refresh=refresh, offline=offline)
    options = Options(incomplete=incomplete, cache=use, progress=progress)
    return load_of("portfolio_projects", organization, directory, options)


@suggests_options
def load_repositories(
    project: Owners,
    *,
    directory: Directory | None = None,
    incomplete: Incomplete = "raise",
    refresh: bool = False,
    offline: bool = False,
    progress: bool | ProgressCallback = True,
) -> pd.DataFrame:
    """Load the repositories of a project, or of each of many, with canonical addresses.

    One request returns ten repositories of a project. Logins are removed from addresses.

    Parameters
    ----------
    project, directory, incomplete, refresh, offline, progress
        As in `load_contributors`.

    Returns
    -------
    pandas.DataFrame
        One row a repository, with the columns of ``fields("repository")``: ``project_id``,
        ``type``, ``url`` (str, as it was sent), ``canonical_url`` (str, such as
        ``https://github.com/owner/name``, the same for all spellings; missing if the address cannot
        be parsed), its ``host``, ``owner`` and ``name``, ``branch`` (str), ``commits`` (Int64),
        ``fetched_at`` (datetime64[us, UTC]) and ``status`` (str).

    Raises
    ------
    IncompleteCollectionError
        If repositories are missing, or one has no address: the live service gets repositories from
        a second service, and when that one is down, it sends an empty address, status 404 or its
        home page. ``failures`` in the provenance names the projects; the same call requests them
        again.
    InvalidInputError, RequestError, CacheError
        As in `load_contributors`.

    Examples
    --------
    >>> with dirframe.sample_directory(analyses=False) as directory:
    ...     repositories = dirframe.load_repositories("464", directory=directory)
    >>> repositories["canonical_url"].tolist()
    ['https://github.com/geletclient-team/geletclient']
    """
    use = CacheUse.of(refresh=refresh, offline=offline)
    options = Options(incomplete=incomplete, cache=use, progress=progress)
    # Of one project too, so that what is missing is a failure by name.
    projects: Any = project if pd.api.types.is_list_like(project) else [project]
    enlistments = load_of("enlistments", projects, directory, options)
    repositories = _as_repositories(enlistments)
    _check_addresses(repositories, options)
    return repositories


def _as_repositories(enlistments: pd.DataFrame) -> pd.DataFrame:
    """Return the repositories of enlistments, with canonical addresses."""
    frame = enlistments[[*_OF_ENLISTMENTS]].rename(columns=_OF_ENLISTMENTS)
    addresses = [
        canonical_repository(url) if isinstance(url, str) else None for url in frame["url"]
    ]
    for index, column in enumerate(("canonical_url", *Repository._fields[1:])):
        values = [None if address is None else address[index] for address in addresses]
        frame[column] = pd.Series(values, index=frame.index, dtype="str")
    resource = ALL_RESOURCES["repository"]
    frame = frame[[*resource.by_column]]
    return provenance.set_provenance(frame, resource=resource.name)


def _check_addresses(repositories: pd.DataFrame, options: Options) -> None:
    """Raise or warn if a repository has no address, which its service did not send."""
    without = repositories["project_id"][repositories["url"].isna()]
    if without.empty:
        return
    lost = dict.fromkeys(without, _NO_ADDRESS)
    record = provenance.get_provenance(repositories)
    reason = f"{messages.list_named(lost)} could not be loaded"
    if record["incomplete_reason"]:
        reason = f"{record['incomplete_reason']}; {reason}"
    provenance.set_provenance(
        repositories,
        completeness="incomplete",
        incomplete_reason=reason,
        failures=record["failures"] | lost,
    )
    message = f"The repositories of {quantity(len(lost), 'project')} are not complete: {reason}."
    advice = "Run it again later with refresh=True (--refresh)"
    raise_or_warn(options, repositories, message, reason, advice)
