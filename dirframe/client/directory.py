"""A directory, and what is most often asked of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from dirframe._display.card import Card
from dirframe._display.suggest import unknown_attribute
from dirframe.client.connection import Connection
from dirframe.client.loaders import load_accounts, load_projects
from dirframe.client.plan import plan

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from dirframe.client.many import Projects
    from dirframe.client.plan import Plan

# mypy alone reads it as true. TYPE_CHECKING is true for jedi as well, which then shows no options.
MYPY = False
if MYPY:
    P = ParamSpec("P")
    R = TypeVar("R")

    def _as_method(function: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
        """Give a function a first argument that is not optional, which mypy asks of a method."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Quota(Card):
    """The daily quota of a key, as counted on this machine.

    Attributes
    ----------
    directory : str
        Name of the directory.
    base_url : str
        Its address.
    limit : int
        Number of requests that it allows within 24 hours.
    used : int
        Number of requests of the last 24 hours, of all processes of a user.
    left : int
        Number of requests left.
    resets_at : datetime or None
        Time when the oldest of these requests is a day old; None if there is none.
    """

    directory: str
    base_url: str
    limit: int
    used: int
    left: int
    resets_at: datetime | None

    def _card(self) -> tuple[str, dict[str, str], str]:
        facts = {
            "used in the last 24 hours": f"{self.used:,}",
            "left": f"{self.left:,} of {self.limit:,}",
        }
        if self.resets_at is not None:
            facts["the first comes back"] = f"{self.resets_at:%Y-%m-%d %H:%M} UTC"
        return f"Quota: {self.directory}", facts, ""


class Directory(Connection):
    """Connection to an open source directory.

    Parameters
    ----------
    base_url : str, optional
        Its base URL. Default: the environment variable DIRFRAME_BASE_URL.
    api_key : str or ApiKey, optional
        The API key; a service of `dirframe.serve` provides one. Default: the environment
        variable DIRFRAME_API_KEY, then the keyring (service ``dirframe``, user the base URL).
    name : str, default ""
        Name in captions and citations; the host by default.
    cache : bool, default True
        Whether pages are stored on disk and read from there.
    cache_dir : str or pathlib.Path, optional
        Folder of the cache. Default: DIRFRAME_CACHE_DIR, then the user's cache folder.
    expire_after : datetime.timedelta, default seven days
        Age at which a cached page is fetched again.
    max_workers : int, default 4
        Number of pages fetched concurrently.
    daily_quota : int, default 1000
        Requests that the directory allows this key within 24 hours. All processes of a
        user share the count.
    max_per_second : float, "auto" or None, default "auto"
        Maximum number of requests per second, None for no limit. ``"auto"`` is 10, and no limit
        for a service on this machine.
    connect_timeout, read_timeout, total_timeout : float, default 10, 60 and 300
        Timeouts in seconds: for connecting, for the next bytes of a response, and for the
        whole response including retries.
    min_bytes_per_second, slow_time : float, default 100 and 30
        A response slower than this rate in bytes per second, measured over `slow_time`
        seconds of waiting for bytes after the first one, is aborted. 0 for no limit.
    retries, backoff, max_backoff : int and float, default 3, 0.5 and 30
        Number of retries of a request that was interrupted or answered with 502, 503 or 504, the
        factor of the pauses between them, and the longest pause, both in seconds.
    max_response_bytes : int, default 64 MiB
        Maximum size of a response after decompression.
    quota_dir : str or pathlib.Path, optional
        Folder of the count of requests that all processes share. Default: DIRFRAME_DATA_DIR,
        then the user's data folder.
    auth : requests.auth.AuthBase, optional
        An authentication object of requests, for users with a grant. Responses to such
        requests may be private and are never stored.
    allow_http : bool, default False
        Whether hosts other than this machine may be queried without encryption.

    Raises
    ------
    ConfigurationError
        If there is no address or no key, or the address is invalid.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     projects = directory.projects(max_items=10)
    >>> len(projects)
    10
    """

    # The loaders themselves: their first argument is the directory.
    if MYPY:
        accounts, projects = _as_method(load_accounts), _as_method(load_projects)
    else:  # as editors read it, which complete and show its options
        accounts = load_accounts
        projects = load_projects

    if not TYPE_CHECKING:  # type checkers would accept any name

        def __getattr__(self, name: str) -> object:
            public = [other for other in dir(type(self)) if not other.startswith("_")]
            raise unknown_attribute("'Directory' object", name, public)

    def __enter__(self) -> Directory:  # noqa: PYI034  # editors complete no method of Self
        return self

    def plan(
        self,
        collection: str,
        *,
        query: str | None = None,
        sort: str | None = None,
        max_items: int | None = None,
        sample: int | None = None,
        seed: int = 0,
        details: bool = False,
        projects: Projects | None = None,
        refresh: bool = False,
    ) -> Plan:
        """Estimate the number of requests of a load; see `dirframe.plan`.

        Parameters
        ----------
        collection : str
            The collection to load, or a path below the base URL.
        query, sort, max_items, sample, seed, details, projects, refresh
            As in `dirframe.plan`.

        Returns
        -------
        Plan
            Number of pages and of requests, and whether the quota is sufficient.

        Examples
        --------
        >>> import dirframe
        >>> with dirframe.sample_directory(cache=False) as directory:
        ...     price = directory.plan("projects", max_items=100)
        >>> price.requests_needed
        4
        """
        return plan(
            collection,
            query=query,
            sort=sort,
            max_items=max_items,
            sample=sample,
            seed=seed,
            details=details,
            projects=projects,
            directory=self,
            refresh=refresh,
        )

    def quota(self) -> Quota:
        """Return the daily quota and what is left of it, without a request.

        Returns
        -------
        Quota
            Limit, used and remaining requests, and the time when the first comes back.

        Examples
        --------
        >>> import dirframe
        >>> with dirframe.sample_directory() as directory:
        ...     quota = directory.quota()
        >>> quota.used, quota.left == quota.limit
        (0, True)
        """
        count = self.session.quota
        left = count.remaining()
        return Quota(
            directory=self.settings.name,
            base_url=self.settings.base_url,
            limit=count.limit,
            used=count.limit - left,
            left=left,
            resets_at=count.resets_at(),
        )
