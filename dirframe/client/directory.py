"""A directory: its settings, and the session that requests its pages."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from pathlib import Path
from threading import Lock
from typing import Self
from weakref import finalize

from dirframe._display import card, quantity, suggests_options
from dirframe.client.http.connection import Connection
from dirframe.client.http.quota import Quota
from dirframe.client.http.session import Session
from dirframe.errors import InvalidInputError
from dirframe.settings import ApiKey


class Directory(AbstractContextManager["Directory"]):
    """An open source directory that is queried over HTTP.

    Its settings are read-only attributes with the names below; of the key, only a fingerprint is
    shown.

    Parameters
    ----------
    base_url, key : str, optional
        Its address and the API key. Default: the environment variables DIRFRAME_BASE_URL and
        DIRFRAME_API_KEY.
    name : str, optional
        Name in captions and citations. Default: the host.
    cache : bool, str or pathlib.Path, default True
        Whether pages are stored on disk; or the folder, by default DIRFRAME_CACHE_DIR or the
        user's cache folder. The attribute is ``cache_folder``.
    expire_after : datetime.timedelta, default seven days
        Age at which a cached page is fetched again.
    workers : int, default 4
        Number of pages fetched concurrently, at most 100.
    rate : float, optional
        Maximum number of requests per second, at least one a day. Default: 10; ``math.inf`` on this
        machine.
    daily_quota : int, default 1000
        Requests that the directory allows this key within 24 hours. All processes of a user
        share the count, in the folder DIRFRAME_DATA_DIR or the user's data folder.
    timeout : float, default 30
        Seconds to wait for a connection, and for the next bytes of a response, at most a day. Its
        body may take four times as long. The time of headers that are sent byte by byte is not
        limited, but Ctrl-C ends all requests in flight after this time, and a second Ctrl-C ends
        them immediately.
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
        base_url: str | None = None,
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
        try:
            connection = Connection.of(
                base_url,
                key,
                name=name,
                cache=cache,
                expire_after=expire_after,
                workers=workers,
                rate=rate,
                daily_quota=daily_quota,
                timeout=timeout,
                allow_http=allow_http,
            )
        except BaseException as error:  # noqa: BLE001  # Ctrl-C too: its frames hold the key
            del self  # it has no settings that a debugger could show
            raise error.with_traceback(None) from error.__cause__
        finally:
            del base_url, key  # an address may hold a password, or be the key by mistake
        self._connect(connection)

    @classmethod
    def _from(cls, connection: Connection) -> Self:
        """Return the directory of checked settings."""
        directory = cls.__new__(cls)
        directory._connect(connection)
        return directory

    def _connect(self, connection: Connection) -> None:
        self._connection = connection
        # By process: a fork inherits sessions, which it may not even close, and locks, perhaps held.
        self._sessions, self._opening = dict[int, Session](), defaultdict[int, Lock](Lock)

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            raise AttributeError(
                f"{name!r} of a Directory cannot be set: its settings are read-only. Open another one "
                f"with dirframe.Directory(...)."
            )
        super().__setattr__(name, value)

    @property
    def base_url(self) -> str:
        """The address, without a slash at its end."""
        return self._connection.base_url

    @property
    def name(self) -> str:
        """The name in captions and citations."""
        return self._connection.name

    @property
    def cache_folder(self) -> Path | None:
        """The folder of the cache; None if pages are not stored."""
        return self._connection.cache_folder

    @property
    def expire_after(self) -> timedelta:
        """The age at which a cached page is fetched again."""
        return self._connection.expire_after

    @property
    def workers(self) -> int:
        """The number of pages fetched concurrently."""
        return self._connection.workers

    @property
    def rate(self) -> float:
        """The maximum number of requests per second."""
        return self._connection.rate

    @property
    def daily_quota(self) -> int:
        """The requests that the directory allows within 24 hours."""
        return self._connection.daily_quota

    @property
    def timeout(self) -> float:
        """The seconds to wait for the next bytes of a response."""
        return self._connection.timeout

    @property
    def allow_http(self) -> bool:
        """Whether hosts other than this machine may be queried without encryption."""
        return self._connection.allow_http

    def quota(self) -> Quota:
        """Return the daily quota, and what is used and left of it, without a request."""
        return self._session.quota.state()

    @property
    def _session(self) -> Session:
        """The session, opened on first use, and again after `close` and in a forked process."""
        process = os.getpid()
        # Workers may be the first to use it, and all together.
        with self._opening[process]:
            if process not in self._sessions:
                session = self._sessions[process] = Session(self._connection)
                # Of a directory that nobody closes; also at exit.
                self._closer = finalize(self, _close_in, process, session)
            return self._sessions[process]

    def close(self) -> None:
        """Close the connections and the cache, and stop the service of a sample."""
        process = os.getpid()
        with self._opening[process]:
            if self._sessions.pop(process, None):
                self._closer()

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError(
            "A Directory is neither copied nor pickled: it holds the key and open files. Pass it on, or "
            "open another one."
        )

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __repr__(self) -> str:
        rate = "" if self.rate == math.inf else f", at most {self.rate:g} a second"
        facts = {
            "address": self.base_url,
            "key": f"fingerprint {self._connection.key.fingerprint}",
            "cache": "none" if self.cache_folder is None else str(self.cache_folder),
            "quota": f"{quantity(self.daily_quota, 'request')} a day{rate}",
        }
        return card(f"Directory: {self.name}", facts)


def _close_in(process: int, session: Session) -> None:
    """Close a session in the process that opened it: a fork has its locks, which may be held."""
    if os.getpid() == process:
        session.close()


def connection_of(directory: Directory) -> Connection:
    """Return the settings of a directory, with its key, for the modules of this package."""
    return directory._connection


def session_of(directory: Directory) -> Session:
    """Return the session of a directory, opened if need be, for the modules of this package."""
    return directory._session


def open_directory(directory: Directory | None) -> AbstractContextManager[Directory]:
    """Return the given directory, which stays open, or one from the environment, which does not."""
    if directory is None:
        return Directory()
    if isinstance(directory, Directory):
        return nullcontext(directory)
    raise InvalidInputError(
        f"Expected a Directory; got {type(directory).__name__}.",
        hint="Pass dirframe.Directory(...) or dirframe.sample_directory(); to search for text, pass "
        "query=.",
    )
