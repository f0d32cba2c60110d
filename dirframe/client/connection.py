"""The connection to a directory: its address, the API key and the session."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from datetime import timedelta
from threading import Lock, Thread
from typing import TYPE_CHECKING, Literal, Self
from weakref import finalize

from dirframe._display.card import Card
from dirframe._sqlite import call_after_fork
from dirframe.client.http.client import Session
from dirframe.errors import Hint, InvalidInputError
from dirframe.settings import DEFAULT_REQUESTS_PER_SECOND, Settings, cache_folder, data_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from requests.auth import AuthBase

    from dirframe.settings import ApiKey


class Connection(Card):
    """The address of a directory, its limits and the session; `Directory` documents its settings."""

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | ApiKey | None = None,
        *,
        name: str = "",
        cache: bool = True,
        cache_dir: str | Path | None = None,
        expire_after: timedelta = timedelta(days=7),
        max_workers: int = 4,
        daily_quota: int = 1_000,
        max_per_second: float | Literal["auto"] | None = "auto",
        connect_timeout: float = 10.0,
        read_timeout: float = 60.0,
        total_timeout: float = 300.0,
        min_bytes_per_second: float = 100.0,
        slow_time: float = 30.0,
        retries: int = 3,
        backoff: float = 0.5,
        max_backoff: float = 30.0,
        max_response_bytes: int = 64 * 2**20,
        quota_dir: str | Path | None = None,
        auth: AuthBase | None = None,
        allow_http: bool = False,
    ) -> None:
        settings = Settings.from_env(
            base_url,
            api_key,
            name=name,
            cache_dir=cache_folder(cache_dir) if cache else None,
            expire_after=expire_after,
            max_workers=max_workers,
            daily_quota=daily_quota,
            max_per_second=None if max_per_second == "auto" else max_per_second,
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
            total_timeout=total_timeout,
            min_bytes_per_second=min_bytes_per_second,
            slow_time=slow_time,
            retries=retries,
            backoff=backoff,
            max_backoff=max_backoff,
            max_response_bytes=max_response_bytes,
            quota_dir=data_folder(quota_dir),
            auth=auth,
            allow_http=allow_http,
        )
        if max_per_second == "auto" and not settings.is_local:
            settings = settings.with_options(max_per_second=DEFAULT_REQUESTS_PER_SECOND)
        self._set_up(settings)

    @classmethod
    def from_settings(cls, settings: Settings, *, closing: ExitStack | None = None) -> Self:
        """Create a directory from settings.

        Parameters
        ----------
        settings : Settings
            Address, key and limits.
        closing : contextlib.ExitStack, optional
            Resources closed together with the directory, such as an embedded service.

        Returns
        -------
        Directory
            The directory.
        """
        directory = cls.__new__(cls)
        directory._set_up(settings, closing)
        if closing is not None:
            # In a thread of its own: garbage is collected in any thread, also in one of the service.
            stop = Thread(target=closing.close, name="dirframe close", daemon=True).start
            directory._stopper = finalize(directory, stop)
            directory._stopper.atexit = False
        return directory

    def _set_up(self, settings: Settings, closing: ExitStack | None = None) -> None:
        self._settings = settings
        self._closing = closing or ExitStack()
        self._session: Session | None = None
        self._stopper: finalize[..., Self] | None = None
        self._opening = Lock()
        call_after_fork(self._leave_to_parent)

    def _leave_to_parent(self) -> object:
        """Begin anew in a forked process; return what is open, which belongs to its parent."""
        inherited = self._session, self._closing
        if self._session is not None:
            self._closer.detach()
        if self._stopper is not None:
            self._stopper.detach()
        # Another thread of the parent may have held the lock.
        self._session, self._closing, self._opening = None, ExitStack(), Lock()
        return inherited

    @property
    def settings(self) -> Settings:
        """Address, key and limits."""
        return self._settings

    @property
    def session(self) -> Session:
        """The session, opened on first use and again after `close`."""
        # Workers may be the first to use it, and all together: a session of each would learn the
        # same redirect anew, and stay open.
        with self._opening:
            if self._session is None:
                self._session = Session(self._settings)
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

    def __copy__(self) -> Self:
        # Of its own session, which closes with it and not with the other.
        return type(self).from_settings(self._settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _card(self) -> tuple[str, dict[str, str], str]:
        settings = self._settings
        rate = settings.max_per_second
        facts = {
            "address": settings.base_url,
            "key": f"fingerprint {settings.api_key.fingerprint}",
            "cache": "none" if settings.cache_dir is None else str(settings.cache_dir),
            "quota": f"{settings.daily_quota:,} requests a day"
            + ("" if rate is None else f", at most {rate:g} a second"),
        }
        return f"Directory: {settings.name}", facts, ""

    def __repr__(self) -> str:
        settings = self._settings
        cache = "no cache" if settings.cache_dir is None else f"cache in {settings.cache_dir}"
        return (
            f"<Directory {settings.name!r} at {settings.base_url}, "
            f"key {settings.api_key.fingerprint}, {cache}>"
        )


@contextmanager
def client_or_default(directory: Connection | None) -> Iterator[Connection]:
    """Yield the given directory, or one from the environment that is closed afterwards."""
    if directory is not None:
        if not isinstance(directory, Connection):
            raise InvalidInputError(
                f"Expected a Directory; got a {type(directory).__name__}.",
                hint=Hint(
                    "Pass dirframe.Directory(...) or dirframe.sample_directory(); to search for "
                    "text, pass query=."
                ),
            )
        yield directory
        return
    with Connection() as connection:
        yield connection
