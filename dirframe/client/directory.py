"""A directory: its address, the key and the limits."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from numbers import Integral, Real
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlsplit
from weakref import finalize

from dirframe._display import card, suggests_options
from dirframe.client.http.adapter import as_sent
from dirframe.client.http.connection import Connection
from dirframe.client.http.quota import Quota
from dirframe.client.http.session import Session
from dirframe.errors import ConfigurationError, InvalidInputError
from dirframe.settings import (
    OPEN_HUB,
    OPEN_HUB_KEYS,
    ApiKey,
    cache_folder,
    is_loopback,
    user_data_folder,
)

#: Maximum age of a cached page: its end must be a date.
_LONGEST = timedelta(days=36_500)
_KEYS = f"issues keys to its members at {OPEN_HUB_KEYS} (LOGIN is your login name)"
_SAMPLE = "Without a key, use dirframe.sample_directory() (--demo) for the bundled sample data."


class Directory(AbstractContextManager["Directory"]):
    """An open source directory that is queried over HTTP.

    Parameters
    ----------
    url, key : str, optional
        Its base URL and the API key. Default: the environment variables DIRFRAME_BASE_URL and
        DIRFRAME_API_KEY.
    name : str, optional
        Name in captions and citations. Default: the host.
    cache : bool, str or pathlib.Path, default True
        Whether pages are stored on disk; or the folder, by default DIRFRAME_CACHE_DIR or the
        user's cache folder.
    expire_after : datetime.timedelta, default seven days
        Age at which a cached page is fetched again.
    workers : int, default 4
        Number of pages fetched concurrently.
    rate : float, optional
        Maximum number of requests per second. Default: 10; ``math.inf`` on this machine.
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
    ConfigurationError, InvalidInputError
        If there is no address or no key, or the address or another argument is invalid.

    Examples
    --------
    >>> import dirframe
    >>> with dirframe.sample_directory() as directory:
    ...     projects = dirframe.load_projects(directory, max_items=10)
    >>> len(projects)
    10
    """

    @suggests_options
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
        self.base_url = _base_url(url or os.environ.get("DIRFRAME_BASE_URL"), allow_http)
        key = key or os.environ.get("DIRFRAME_API_KEY")
        if not key:
            raise ConfigurationError(
                f"No API key is given for {self.base_url}.",
                hint=f"Pass key= or set DIRFRAME_API_KEY. Open Hub {_KEYS}. {_SAMPLE}",
            )
        self.api_key = key if isinstance(key, ApiKey) else ApiKey(key)
        host = urlsplit(self.base_url)
        self.name = name or host.netloc
        folder = None if cache is True else cache
        self.cache_folder = cache_folder(folder) if folder is not False else None
        self.quota_folder: Path | None = user_data_folder()
        is_time = isinstance(expire_after, timedelta)
        if not is_time or not timedelta(0) <= expire_after <= _LONGEST:
            raise InvalidInputError(
                f"expire_after is {expire_after!r}; it must be a timedelta from 0 to "
                f"{_LONGEST.days:,} days, such as timedelta(days=7)."
            )
        self.expire_after, self.allow_http = expire_after, allow_http
        self.workers = int(_positive("workers", workers, Integral))
        self.daily_quota = int(_positive("daily_quota", daily_quota, Integral))
        if rate is None:
            rate = math.inf if is_loopback(host.hostname or "") else 10.0
        self.rate, self.timeout = _positive("rate", rate), _positive("timeout", timeout)
        #: What archives and the cache know it by: the address, or the content of the sample.
        self.identity = self.base_url
        # By process: a fork inherits sessions, which it may not even close, and locks, perhaps held.
        self._sessions, self._opening = dict[int, Session](), defaultdict[int, Lock](Lock)

    def quota(self) -> Quota:
        """Return the daily quota, and what is used and left of it, without a request."""
        return self.session.quota.state()

    @property
    def session(self) -> Session:
        """The session, opened on first use, and again after `close` and in a forked process."""
        process = os.getpid()
        # Workers may be the first to use it, and all together.
        with self._opening[process]:
            if process not in self._sessions:
                session = self._sessions[process] = Session(self._connection())
                # Of a directory that nobody closes; also at exit.
                self._closer = finalize(self, session.close)
            return self._sessions[process]

    def _connection(self) -> Connection:
        return Connection(
            base_url=self.base_url,
            key=self.api_key,
            identity=self.identity,
            cache_folder=self.cache_folder,
            quota_folder=self.quota_folder,
            expire_after=self.expire_after,
            workers=self.workers,
            rate=self.rate,
            daily_quota=self.daily_quota,
            timeout=self.timeout,
        )

    def close(self) -> None:
        """Close the connections and the cache, and stop the service of a sample."""
        process = os.getpid()
        with self._opening[process]:
            if self._sessions.pop(process, None):
                self._closer()

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        rate = "" if self.rate == math.inf else f", at most {self.rate:g} a second"
        facts = {
            "address": self.base_url,
            "key": f"fingerprint {self.api_key.fingerprint}",
            "cache": "none" if self.cache_folder is None else str(self.cache_folder),
            "quota": f"{self.daily_quota:,} requests a day{rate}",
        }
        return card(f"Directory: {self.name}", facts)


def open_directory(directory: Directory | None) -> AbstractContextManager[Directory]:
    """Return the given directory, which stays open, or one from the environment, which does not."""
    if directory is None:
        return Directory()
    if isinstance(directory, Directory):
        return nullcontext(directory)
    raise InvalidInputError(
        f"Expected a Directory; got a {type(directory).__name__}.",
        hint="Pass dirframe.Directory(...) or dirframe.sample_directory(); to search for text, pass "
        "query=.",
    )


def _positive(name: str, value: Any, kind: type[Any] = Real) -> float:
    if isinstance(value, bool) or not isinstance(value, kind) or not value > 0:
        number = "whole number from 1" if kind is Integral else "number above 0"
        raise InvalidInputError(f"{name} is {value!r}; it must be a {number}.")
    return float(value)


def _base_url(address: str | None, allow_http: bool) -> str:
    """Return an address as it is sent, without a slash at its end; raise if it carries more."""
    if not address:
        raise ConfigurationError(
            "No directory is given.",
            hint=f"Pass url= (--base-url) or set DIRFRAME_BASE_URL. The address of Open Hub is {OPEN_HUB}; "
            f"it {_KEYS}. {_SAMPLE}",
        )
    try:
        parts = urlsplit(as_sent(address.strip()))
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https"):
        raise ConfigurationError(
            "The base URL must begin with https:// (or http:// on this machine) and name a host."
        )
    base_url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")
    if "@" in parts.netloc or parts.query or parts.fragment:
        advice = (
            "Leave out the user, the query and the fragment; the key is passed as key=, or taken "
            "from DIRFRAME_API_KEY."
        )
    elif parts.path.endswith(".xml"):
        advice = f"It is that of a page: pass it without {parts.path.rpartition('/')[2]}."
    elif parts.scheme == "http" and not allow_http and not is_loopback(parts.hostname or ""):
        advice = "The key would be readable on the way: use https://, or pass allow_http=True."
    else:
        return base_url
    raise ConfigurationError(f"The base URL {base_url} cannot be used.", hint=advice)
