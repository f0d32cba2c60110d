"""Settings of a directory: address, API key, cache, timeouts, retries and limits."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import platformdirs

from dirframe.errors import ConfigurationError, Hint, InvalidInputError

if TYPE_CHECKING:
    from requests.auth import AuthBase

BASE_URL_VARIABLE = "DIRFRAME_BASE_URL"
API_KEY_VARIABLE = "DIRFRAME_API_KEY"
CACHE_VARIABLE = "DIRFRAME_CACHE_DIR"
DATA_VARIABLE = "DIRFRAME_DATA_DIR"

_MIB = 1024 * 1024

#: Default limit of requests per second to a remote host.
DEFAULT_REQUESTS_PER_SECOND = 10.0


def cache_folder(folder: str | Path | None = None) -> Path:
    """Return a folder, or the user's cache folder of dirframe; DIRFRAME_CACHE_DIR overrides it."""
    default = os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("dirframe")
    return Path(default if folder is None else folder).expanduser()


def data_folder(folder: str | Path | None = None) -> Path:
    """Return a folder, or the user's data folder of dirframe; DIRFRAME_DATA_DIR overrides it."""
    default = os.environ.get(DATA_VARIABLE) or platformdirs.user_data_dir("dirframe")
    return Path(default if folder is None else folder).expanduser()


class ApiKey:
    """An API key that is not displayed.

    Its str and repr show the fingerprint, so that a traceback with local variables, the output
    of a notebook or a log line cannot leak the key. It cannot be pickled.
    """

    __slots__ = ("_secret",)

    def __init__(self, secret: str) -> None:
        if not isinstance(secret, str):
            raise ConfigurationError(f"The API key must be text; got a {type(secret).__name__}.")
        if not secret or secret != secret.strip() or not secret.isprintable():
            raise ConfigurationError(
                "The API key is empty or contains blanks or control characters; "
                "copy it again as the directory shows it."
            )
        self._secret = secret

    def reveal(self) -> str:
        """Return the key itself, to be used in requests only."""
        return self._secret

    @property
    def fingerprint(self) -> str:
        """Eight hexadecimal digits that identify the key without revealing it."""
        return sha256(b"dirframe:" + self._secret.encode()).hexdigest()[:8]

    @property
    def is_unmistakable(self) -> bool:
        """Whether the key is unlikely to occur in a record by chance.

        This needs at least 16 characters, eight distinct ones, and both letters and digits.
        """
        secret = self._secret
        return (
            len(secret) >= 16
            and len(set(secret)) >= 8
            and any(character.isalpha() for character in secret)
            and any(character.isdigit() for character in secret)
        )

    def __repr__(self) -> str:
        return f"<API key {self.fingerprint}>"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ApiKey) and other._secret == self._secret

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("An API key is not pickled: set it again where it is needed.")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of one directory; immutable.

    Parameters
    ----------
    base_url
        Address of the directory, without a trailing slash.
    api_key
        The API key that the directory issued for this application.
    name
        Name of the directory in captions and citations.
    cache_dir
        Folder of the cache on disk; None to disable it.
    cache_namespace
        Replaces the base URL in cache keys. Only the embedded service sets it, whose port
        changes while its content does not.
    expire_after
        Age at which a cached page expires.
    connect_timeout, read_timeout
        Seconds to wait for a connection, and for the next bytes of a response.
    total_timeout
        Seconds to wait for a complete response.
    min_bytes_per_second, slow_time
        A response is aborted if its rate, over `slow_time` seconds of waiting for bytes after
        the first one, is below `min_bytes_per_second`. 0 disables the limit.
    retries, backoff, max_backoff
        Number of retries after an interruption, 502, 503 or 504, the backoff factor, and the
        longest pause between attempts, both in seconds.
    max_response_bytes
        Maximum size of a response after decompression, in bytes.
    max_workers
        Maximum number of pages fetched concurrently. A directory that answers within 3 ms is asked
        for one page after the other, which is as fast.
    max_per_second
        Requests per second; None for no limit.
    daily_quota
        Requests that the directory allows this key in 24 hours.
    quota_dir
        Folder of the count shared by all processes; None to count for this session only.
    allow_http
        Whether to allow unencrypted requests to hosts other than loopback.
    auth
        An authentication object of requests, for users with a grant. Responses to such
        requests may be private and are never stored.
    """

    base_url: str
    api_key: ApiKey = field(repr=False)
    name: str = ""
    cache_dir: Path | None = field(default_factory=cache_folder)
    cache_namespace: str | None = None
    expire_after: timedelta = timedelta(days=7)
    connect_timeout: float = 10.0
    read_timeout: float = 60.0
    total_timeout: float = 300.0
    min_bytes_per_second: float = 100.0
    slow_time: float = 30.0
    retries: int = 3
    backoff: float = 0.5
    max_backoff: float = 30.0
    max_response_bytes: int = 64 * _MIB
    max_workers: int = 4
    max_per_second: float | None = None
    daily_quota: int = 1_000
    quota_dir: Path | None = field(default_factory=data_folder)
    allow_http: bool = False
    auth: AuthBase | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", _validate_base_url(self.base_url, self.allow_http))
        if not self.name:
            object.__setattr__(self, "name", urlsplit(self.base_url).netloc)
        for name in ("max_workers", "daily_quota"):
            number: Any = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, Integral) or int(number) < 1:
                raise InvalidInputError(f"{name} is {number!r}; it must be a whole number from 1.")
        if not isinstance(self.expire_after, timedelta):
            raise InvalidInputError(
                f"expire_after is {self.expire_after!r}; it must be a timedelta, such as "
                "timedelta(days=7)."
            )

    @property
    def is_local(self) -> bool:
        """Whether the directory is served on this machine."""
        return is_loopback(urlsplit(self.base_url).hostname or "")

    @classmethod
    def from_env(
        cls, base_url: str | None = None, api_key: str | ApiKey | None = None, **options: Any
    ) -> Self:
        """Resolve address and key from arguments, then the environment, then the keyring."""
        address = base_url or os.environ.get(BASE_URL_VARIABLE)
        if not address:
            raise ConfigurationError(
                "No directory is given.",
                hint=Hint(
                    f"Pass base_url=, set {BASE_URL_VARIABLE}, or use "
                    "dirframe.sample_directory() for the bundled sample data.",
                    shell=f"Use --base-url, set {BASE_URL_VARIABLE}, or use --sample for the "
                    "bundled sample data.",
                ),
            )
        key = api_key or os.environ.get(API_KEY_VARIABLE) or _key_from_keyring(address)
        if not key:
            stored = f"store it in your keyring (keyring set dirframe {_strip_secrets(address)})"
            raise ConfigurationError(
                f"No API key is given for {_strip_secrets(address)}.",
                hint=Hint(
                    f"Pass api_key=, set {API_KEY_VARIABLE}, {stored}, or use "
                    "dirframe.sample_directory() for the bundled sample data.",
                    shell=f"Set {API_KEY_VARIABLE}, {stored}, or use --sample for the bundled "
                    "sample data.",
                ),
            )
        secret = key if isinstance(key, ApiKey) else ApiKey(key)
        return cls(base_url=address, api_key=secret, **options)

    def with_options(self, **changes: Any) -> Self:
        """Return a copy with changed settings; an unknown name is a TypeError."""
        return replace(self, **changes)


def _strip_secrets(address: str) -> str:
    parts = urlsplit(address)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host  # IPv6
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}".rstrip("/")


def _validate_base_url(address: str, allow_http: bool) -> str:
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise ConfigurationError("The base URL is not an address.") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigurationError(
            "The base URL must begin with https:// (or http:// on this machine) and name a host."
        )
    if not host.isascii():
        raise ConfigurationError(
            f"The host {host} of the base URL is not in the form that goes on the wire. Write it "
            "as xn--…, which a browser shows when you copy the address."
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigurationError(
            f"The base URL {_strip_secrets(address)} carries more than an address (a user, "
            "a query or a fragment).",
            hint=Hint(
                "Leave that out; the key is passed as api_key=.",
                shell=f"Leave that out; the key is taken from {API_KEY_VARIABLE}.",
            ),
        )
    if parts.scheme == "http" and not allow_http and not is_loopback(host):
        raise ConfigurationError(
            f"{_strip_secrets(address)} is asked without encryption, and the key would be "
            "readable on the way.",
            hint=Hint("Use https://, or pass allow_http=True if you must.", shell="Use https://."),
        )
    return _strip_secrets(address)


def is_loopback(host: str) -> bool:
    """Return whether a host name is a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _key_from_keyring(address: str) -> str | None:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return None
    try:
        return keyring.get_password("dirframe", _strip_secrets(address))
    except KeyringError:
        # Machines without a desktop have no keyring; the error of the caller names alternatives.
        return None
