"""A directory: its address, the key and the limits, and what is most often asked of it."""

from __future__ import annotations

import math
import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from numbers import Integral, Real
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import finalize

from dirframe._display import Card
from dirframe.client.http.session import Session
from dirframe.errors import ConfigurationError, InvalidInputError
from dirframe.settings import (
    API_KEY_VARIABLE,
    BASE_URL_VARIABLE,
    ApiKey,
    cache_folder,
    data_folder,
    is_loopback,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    import pandas as pd

    from dirframe.client.plan import Plan

#: Requests per second to another machine.
_RATE = 10.0
_SAMPLE = "or use dirframe.sample_directory() (--sample) for the bundled sample data."
#: Sessions that a forked process has of its parent: not even closing them is allowed.
_inherited: list[object] = []


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


class Directory(Card):
    """An open source directory that is queried over HTTP.

    Parameters
    ----------
    url : str, optional
        Its base URL. Default: the environment variable DIRFRAME_BASE_URL.
    key : str or ApiKey, optional
        The API key; a service of `dirframe.serve` provides one. Default: the environment
        variable DIRFRAME_API_KEY.
    name : str, optional
        Name in captions and citations. Default: the host.
    cache : bool, str or pathlib.Path, default True
        Whether pages are stored on disk and read from there; or the folder. Default:
        DIRFRAME_CACHE_DIR, then the user's cache folder.
    expire_after : datetime.timedelta, default seven days
        Age at which a cached page is fetched again.
    workers : int, default 4
        Number of pages fetched concurrently.
    rate : float, optional
        Maximum number of requests per second; ``math.inf`` for no limit. Default: 10, and no
        limit for a service on this machine.
    daily_quota : int, default 1000
        Requests that the directory allows this key within 24 hours. All processes of a user
        share the count, in the folder DIRFRAME_DATA_DIR or the user's data folder.
    timeout : float, default 30
        Seconds to wait for a connection, and for the next bytes of a response. Its body may take
        four times as long. Headers that are sent byte by byte are not bounded.
    allow_http : bool, default False
        Whether hosts other than this machine may be queried without encryption.

    Raises
    ------
    ConfigurationError
        If there is no address or no key, or the address is invalid.
    InvalidInputError
        If another argument is invalid.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     projects = directory.projects(max_items=10)
    >>> len(projects)
    10
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | ApiKey | None = None,
        *,
        name: str | None = None,
        cache: bool | str | Path = True,
        expire_after: timedelta = timedelta(days=7),
        workers: int = 4,
        rate: float | None = None,
        daily_quota: int = 1_000,
        timeout: float = 30.0,
        allow_http: bool = False,
    ) -> None:
        self.base_url = _base_url(url or os.environ.get(BASE_URL_VARIABLE), allow_http)
        self.api_key = _api_key(key or os.environ.get(API_KEY_VARIABLE), self.base_url)
        host = urlsplit(self.base_url)
        self.name = name or host.netloc
        self.cache_folder = (
            None if cache is False else cache_folder(None if cache is True else cache)
        )
        self.quota_folder: Path | None = data_folder()
        self.expire_after, self.allow_http = expire_after, allow_http
        if not isinstance(expire_after, timedelta):
            raise InvalidInputError(
                f"expire_after is {expire_after!r}; it must be a timedelta, such as "
                "timedelta(days=7)."
            )
        self.workers = _whole("workers", workers)
        self.daily_quota = _whole("daily_quota", daily_quota)
        if rate is None:
            rate = math.inf if is_loopback(host.hostname or "") else _RATE
        self.rate, self.timeout = _positive("rate", rate), _positive("timeout", timeout)
        #: What archives and the cache know it by: the address, or the content of the sample.
        self.identity = self.base_url
        self._closing = ExitStack()
        self._stopper: finalize[..., Directory] | None = None
        self._session: Session | None = None
        self._process, self._opening = os.getpid(), Lock()

    def projects(self, **options: Any) -> pd.DataFrame:
        """Load its projects.

        Parameters
        ----------
        **options
            As in `dirframe.load_projects`.

        Returns
        -------
        pandas.DataFrame
            One row a project.
        """
        frame: pd.DataFrame = _client_module("loaders").load_projects(self, **options)
        return frame

    def accounts(self, **options: Any) -> pd.DataFrame:
        """Load its accounts.

        Parameters
        ----------
        **options
            As in `dirframe.load_accounts`.

        Returns
        -------
        pandas.DataFrame
            One row an account.
        """
        frame: pd.DataFrame = _client_module("loaders").load_accounts(self, **options)
        return frame

    def plan(self, collection: str, **options: Any) -> Plan:
        """Estimate the number of requests of a load.

        Parameters
        ----------
        collection : str
            The collection to load, or a path below the base URL.
        **options
            As in `dirframe.plan`.

        Returns
        -------
        Plan
            Number of pages and of requests, and whether the quota is sufficient.
        """
        price: Plan = _client_module("plan").plan(collection, directory=self, **options)
        return price

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
        return Quota(
            directory=self.name,
            base_url=self.base_url,
            limit=count.limit,
            used=count.used(),
            left=count.remaining(),
            resets_at=count.resets_at(),
        )

    @property
    def session(self) -> Session:
        """The session, opened on first use, and again after `close` and in a forked process."""
        if self._process != os.getpid():
            # Another thread of the parent may have held the lock.
            _inherited.append((self._session, self._closing))
            self._session, self._closing, self._opening = None, ExitStack(), Lock()
            self._process = os.getpid()
        if self._stopper is not None and not self._stopper.alive:
            raise ConfigurationError(
                f"{self.name} is closed, and its service has stopped. Open it again, or load inside the "
                "with block."
            )
        # Workers may be the first to use it, and all together.
        with self._opening:
            if self._session is None:
                self._session = Session(self)
                # Of a directory that nobody closes; also at exit.
                self._closer = finalize(self, self._session.close)
            return self._session

    def close(self) -> None:
        """Close the connections and the cache, and stop an embedded service."""
        with self._opening:
            if self._session is not None:
                self._closer()
                self._session = None
        if self._stopper is not None:
            self._stopper.detach()
        self._closing.close()

    def __enter__(self) -> Directory:  # noqa: PYI034  # editors complete no method of Self
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _card(self) -> tuple[str, dict[str, str], str]:
        rate = "" if self.rate == math.inf else f", at most {self.rate:g} a second"
        facts = {
            "address": self.base_url,
            "key": f"fingerprint {self.api_key.fingerprint}",
            "cache": "none" if self.cache_folder is None else str(self.cache_folder),
            "quota": f"{self.daily_quota:,} requests a day{rate}",
        }
        return f"Directory: {self.name}", facts, ""

    def __repr__(self) -> str:
        cache = "no cache" if self.cache_folder is None else f"cache in {self.cache_folder}"
        return (
            f"<Directory {self.name!r} at {self.base_url}, key {self.api_key.fingerprint}, {cache}>"
        )

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("A Directory is not pickled: make one of the same address there.")


def embedded_directory(
    url: str, key: ApiKey, *, identity: str, stop: Callable[[], object], **options: Any
) -> Directory:
    """Return the directory of a service in this process, which is stopped with it."""
    directory = Directory(url, key, **options)
    directory.identity = identity
    directory.quota_folder = None  # the key is valid for this service only
    directory._closing.callback(stop)
    # In a thread of its own: garbage is collected in any thread, also in one of the service.
    thread = Thread(target=directory._closing.close, name="dirframe close", daemon=True)
    directory._stopper = finalize(directory, thread.start)
    directory._stopper.atexit = False
    return directory


@contextmanager
def open_directory(directory: Directory | None) -> Iterator[Directory]:
    """Yield the given directory, or one from the environment that is closed afterwards."""
    if directory is not None:
        if not isinstance(directory, Directory):
            raise InvalidInputError(
                f"Expected a Directory; got a {type(directory).__name__}.",
                hint="Pass dirframe.Directory(...) or dirframe.sample_directory(); to search for "
                "text, pass query=.",
            )
        yield directory
        return
    with Directory() as opened:
        yield opened


def _client_module(name: str) -> Any:
    """Return a module that itself opens directories: an import here would be a circle."""
    return import_module(f"dirframe.client.{name}")


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < 1:
        raise InvalidInputError(f"{name} is {value!r}; it must be a whole number from 1.")
    return int(value)


def _positive(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not float(value) > 0:
        raise InvalidInputError(f"{name} is {value!r}; it must be a number above 0.")
    return float(value)


def _api_key(key: str | ApiKey | None, base_url: str) -> ApiKey:
    if not key:
        raise ConfigurationError(
            f"No API key is given for {base_url}.",
            hint=f"Pass key=, set {API_KEY_VARIABLE}, {_SAMPLE}",
        )
    return key if isinstance(key, ApiKey) else ApiKey(key)


def _base_url(address: str | None, allow_http: bool) -> str:
    """Return an address without a trailing slash; raise if it is none, or carries more."""
    if not address:
        raise ConfigurationError(
            "No directory is given.",
            hint=f"Pass url= (--base-url), set {BASE_URL_VARIABLE}, {_SAMPLE}",
        )
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ConfigurationError("The base URL is not an address.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigurationError(
            "The base URL must begin with https:// (or http:// on this machine) and name a host."
        )
    if parts.path.endswith(".xml"):
        raise ConfigurationError(
            "The address ends in .xml, as that of a page: pass the address of the directory, without "
            f"{parts.path.rpartition('/')[2]}."
        )
    if not host.isascii():
        raise ConfigurationError(
            f"The host {host} of the base URL is not in the form that goes on the wire. Write it "
            "as xn--…, which a browser shows when you copy the address."
        )
    base_url = _strip_secrets(address)
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError(
            f"The base URL {base_url} carries more than an address (a user, a query or a fragment).",
            hint=f"Leave that out; the key is passed as key=, or taken from {API_KEY_VARIABLE}.",
        )
    if parts.scheme == "http" and not allow_http and not is_loopback(host):
        raise ConfigurationError(
            f"{base_url} is asked without encryption, and the key would be readable on the way.",
            hint="Use https://, or pass allow_http=True if you must.",
        )
    return base_url


def _strip_secrets(address: str) -> str:
    parts = urlsplit(address)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host  # IPv6
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}".rstrip("/")
