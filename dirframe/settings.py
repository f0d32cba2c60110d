"""Where one asks and how politely: the only place with defaults."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import platformdirs

from dirframe.errors import ConfigurationError, Hint, InvalidInputError

if TYPE_CHECKING:
    from requests.auth import AuthBase

__all__ = ["DEFAULT_REQUESTS_PER_SECOND", "ApiKey", "Settings", "cache_folder", "data_folder"]

BASE_URL_VARIABLE = "DIRFRAME_BASE_URL"
API_KEY_VARIABLE = "DIRFRAME_API_KEY"
CACHE_VARIABLE = "DIRFRAME_CACHE_DIR"
DATA_VARIABLE = "DIRFRAME_DATA_DIR"

_MIB = 1024 * 1024

#: Requests a second towards a host that is not this machine, unless told otherwise.
DEFAULT_REQUESTS_PER_SECOND = 10.0


def cache_folder() -> Path:
    """Return the person's cache folder of dirframe; DIRFRAME_CACHE_DIR overrides it."""
    return Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("dirframe"))


def data_folder() -> Path:
    """Return where the service keeps its keys; DIRFRAME_DATA_DIR overrides it."""
    return Path(os.environ.get(DATA_VARIABLE) or platformdirs.user_data_dir("dirframe"))


class ApiKey:
    """A key that shows itself to nobody who does not ask by name.

    Its text and repr are its fingerprint, so that a traceback that prints local variables,
    a notebook's output or a log line cannot leak it; it refuses to be pickled.
    """

    __slots__ = ("_secret",)

    def __init__(self, secret: str) -> None:
        if not secret or secret != secret.strip() or not secret.isprintable():
            raise ConfigurationError(
                "The API key is empty or contains blanks or control characters; "
                "copy it again as the directory shows it."
            )
        self._secret = secret

    def reveal(self) -> str:
        """Return the key itself: only for putting it on the wire."""
        return self._secret

    @property
    def fingerprint(self) -> str:
        """Eight characters that tell two keys apart and do not lead back to either."""
        return sha256(b"dirframe:" + self._secret.encode()).hexdigest()[:8]

    @property
    def is_unmistakable(self) -> bool:
        """Whether the key is a text that no record holds by chance.

        It then has 16 characters or more, at least eight different ones, letters and digits.
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
    """One directory, the key to it and the manners towards it; changes nothing.

    Parameters
    ----------
    base_url
        Address of the directory, without a trailing slash.
    api_key
        The key that the directory gave for this application.
    name
        What the directory is called in captions and citations.
    cache_dir
        Folder of the persistent cache; None for no cache at all.
    cache_namespace
        Stands in for the base URL in the keys of the cache. Only the embedded service sets
        it, whose port changes while its content does not.
    expire_after
        Age at which a cached page is asked for again.
    connect_timeout, read_timeout
        Seconds until a connection, or the next bytes of an answer, must have come.
    total_timeout
        Seconds until an answer must have come whole.
    min_bytes_per_second, slow_time
        An answer that came slower than so many bytes a second, over so many seconds of waiting
        for its bytes after the first one, is ended. 0 bytes for no such bound.
    retries, backoff, longest_pause
        How often an interrupted request is tried again, the factor of the growing pauses
        between the tries, and the longest pause, both in seconds.
    max_body
        Bytes that one answer may have after decompression.
    max_workers
        Pages that are fetched at the same time.
    max_per_second
        Requests that go out within a second; None for no limit. Left out: 10, and no limit
        for a service on this machine.
    daily_quota
        Requests that the directory allows this key within 24 hours.
    quota_dir
        Folder of the count that all processes share; None to count for this session alone.
    allow_http
        Whether a host other than loopback may be asked without encryption.
    auth
        An authentication object of requests, of a person who holds a grant. What comes with
        it may be private and is never stored.
    """

    base_url: str
    api_key: ApiKey = field(repr=False)
    name: str = ""
    cache_dir: Path | None = field(default_factory=cache_folder)
    cache_namespace: str | None = None
    expire_after: timedelta = timedelta(days=1)
    connect_timeout: float = 10.0
    read_timeout: float = 60.0
    total_timeout: float = 300.0
    min_bytes_per_second: float = 100.0
    slow_time: float = 30.0
    retries: int = 3
    backoff: float = 0.5
    longest_pause: float = 30.0
    max_body: int = 64 * _MIB
    max_workers: int = 4
    max_per_second: float | None = DEFAULT_REQUESTS_PER_SECOND
    daily_quota: int = 1_000
    quota_dir: Path | None = field(default_factory=data_folder)
    allow_http: bool = False
    auth: AuthBase | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", _checked_base_url(self.base_url, self.allow_http))
        if not self.name:
            object.__setattr__(self, "name", urlsplit(self.base_url).netloc)
        host = urlsplit(self.base_url).hostname or ""
        if self.max_per_second == DEFAULT_REQUESTS_PER_SECOND and is_loopback(host):
            object.__setattr__(self, "max_per_second", None)
        for name in ("max_workers", "daily_quota"):
            if getattr(self, name) < 1:
                raise InvalidInputError(f"{name} is {getattr(self, name)}; it must be 1 or more.")

    @classmethod
    def from_env(
        cls, base_url: str | None = None, api_key: str | ApiKey | None = None, **options: Any
    ) -> Self:
        """Settle address and key: arguments first, then the environment, then the keyring."""
        address = base_url or os.environ.get(BASE_URL_VARIABLE)
        if not address:
            raise ConfigurationError(
                "No directory is given.",
                hint=Hint(
                    f"Pass base_url=, set {BASE_URL_VARIABLE}, or use "
                    "dirframe.sample_directory() for the bundled sample data.",
                    shell=f"Give --base-url, set {BASE_URL_VARIABLE}, or give --sample for the "
                    "bundled sample data.",
                ),
            )
        key = api_key or os.environ.get(API_KEY_VARIABLE) or _key_from_keyring(address)
        if not key:
            stored = f"store it in your keyring (keyring set dirframe {_without_secrets(address)})"
            raise ConfigurationError(
                f"No API key is given for {_without_secrets(address)}.",
                hint=Hint(
                    f"Pass api_key=, set {API_KEY_VARIABLE}, {stored}, or use "
                    "dirframe.sample_directory() for the bundled sample data.",
                    shell=f"Set {API_KEY_VARIABLE}, {stored}, or give --sample for the bundled "
                    "sample data.",
                ),
            )
        secret = key if isinstance(key, ApiKey) else ApiKey(key)
        return cls(base_url=address, api_key=secret, **options)

    def with_options(self, **changes: Any) -> Self:
        """Return a copy with some settings changed; an unknown one is a TypeError."""
        return replace(self, **changes)


def _without_secrets(address: str) -> str:
    parts = urlsplit(address)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host  # IPv6
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}".rstrip("/")


def _checked_base_url(address: str, allow_http: bool) -> str:
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
            f"The base URL {_without_secrets(address)} carries more than an address (a user, "
            "a query or a fragment).",
            hint=Hint(
                "Leave that out; the key is passed as api_key=.",
                shell=f"Leave that out; the key is taken from {API_KEY_VARIABLE}.",
            ),
        )
    if parts.scheme == "http" and not allow_http and not is_loopback(host):
        raise ConfigurationError(
            f"{_without_secrets(address)} is asked without encryption, and the key would be "
            "readable on the way.",
            hint=Hint("Use https://, or pass allow_http=True if you must.", shell="Use https://."),
        )
    return _without_secrets(address)


def is_loopback(host: str) -> bool:
    """Tell whether a host name is this machine itself."""
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
        return keyring.get_password("dirframe", _without_secrets(address))
    except KeyringError:
        # A machine without a desktop has no keyring: the caller's error names all ways.
        return None
