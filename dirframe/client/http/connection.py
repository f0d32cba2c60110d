"""The settings of the connection to a directory: address, key, folders and limits."""

from __future__ import annotations

import math
import os
import warnings
from dataclasses import dataclass
from datetime import timedelta
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import requests

from dirframe.errors import ConfigurationError, InvalidInputError, ShortKeyWarning
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """The settings of a directory, as they were checked; nothing changes them."""

    base_url: str  # without a slash at its end
    name: str
    key: ApiKey
    identity: str  # what archives and the cache know the directory by
    cache_folder: Path | None  # None: pages are not stored
    quota_folder: Path | None  # None: requests are counted in memory
    expire_after: timedelta
    workers: int
    rate: float  # requests per second
    daily_quota: int
    timeout: float  # seconds
    allow_http: bool
    code: str | None = None  # that opens it, unless it is dirframe.Directory(...)

    @classmethod
    def of(
        cls,
        base_url: str | None,
        key: str | ApiKey | None,
        *,
        name: str | None,
        cache: bool | str | Path,
        expire_after: timedelta,
        workers: int,
        rate: float | None,
        daily_quota: int,
        timeout: float,
        allow_http: bool,
    ) -> Self:
        """Return the settings of these arguments of `Directory`, or of the environment."""
        address = _address_of(base_url or os.environ.get("DIRFRAME_BASE_URL"), allow_http)
        api_key = _key_of(key or os.environ.get("DIRFRAME_API_KEY"), address)
        host = urlsplit(address)
        if rate is None:
            rate = math.inf if is_loopback(host.hostname or "") else 10.0
        return cls(
            base_url=address,
            name=name or host.netloc,
            key=api_key,
            identity=address,
            cache_folder=_cache_folder_of(cache),
            quota_folder=user_data_folder(),
            expire_after=_age(expire_after),
            workers=int(_positive("workers", workers, Integral)),
            rate=_positive("rate", rate),
            daily_quota=int(_positive("daily_quota", daily_quota, Integral)),
            timeout=_positive("timeout", timeout),
            allow_http=allow_http,
        )


def as_sent(url: str) -> str:
    """Return a URL in the form in which it is sent; raise ValueError if it cannot be."""
    return str(requests.Request("GET", url).prepare().url)


def _key_of(key: str | ApiKey | None, base_url: str) -> ApiKey:
    if not key:
        raise ConfigurationError(
            f"No API key is given for {base_url}.",
            hint="Set DIRFRAME_API_KEY, or pass key=getpass.getpass() in a notebook. Open Hub "
            f"{_KEYS}. {_SAMPLE}",
        )
    api_key = key if isinstance(key, ApiKey) else ApiKey(key)
    if api_key.may_be_a_word:
        text = (
            "The API key has less than 16 characters. It may be a word: if the directory repeats it in "
            "a record, it is removed only where it follows api_key=, and stays in frames, the cache and "
            "exports elsewhere."
        )
        hint = "Use a longer key, if the directory issues one."
        # Not from the line of the caller, which Python would show: the key may stand in it.
        warnings.warn(ShortKeyWarning(text, hint=hint), stacklevel=1)
    return api_key


def _cache_folder_of(cache: bool | str | Path) -> Path | None:
    if cache is False:
        return None
    return cache_folder() if cache is True else cache_folder(cache)


def _age(expire_after: timedelta) -> timedelta:
    is_time = isinstance(expire_after, timedelta)
    if not is_time or not timedelta(0) <= expire_after <= _LONGEST:
        raise InvalidInputError(
            f"expire_after is {expire_after!r}; it must be a timedelta from 0 to "
            f"{_LONGEST.days:,} days, such as timedelta(days=7)."
        )
    return expire_after


def _positive(name: str, value: Any, kind: type[Any] = Real) -> float:
    if isinstance(value, bool) or not isinstance(value, kind) or not value > 0:
        number = "whole number from 1" if kind is Integral else "number above 0"
        raise InvalidInputError(f"{name} is {value!r}; it must be a {number}.")
    return float(value)


def _address_of(text: str | None, allow_http: bool) -> str:
    """Return an address as it is sent, without a slash at its end; raise if it carries more."""
    if not text:
        raise ConfigurationError(
            "No directory is given.",
            hint=f"Pass base_url= (--base-url) or set DIRFRAME_BASE_URL. The address of Open Hub is "
            f"{OPEN_HUB}; it {_KEYS}. {_SAMPLE}",
        )
    try:
        parts = urlsplit(as_sent(text.strip()))
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
