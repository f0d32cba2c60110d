"""The settings of the connection to a directory: address, key, folders and limits."""

from __future__ import annotations

import math
import os
import re
import warnings
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import ip_address
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self
from urllib.parse import SplitResult, urlsplit

import requests

from dirframe.errors import ConfigurationError, InvalidInputError, ShortKeyWarning
from dirframe.settings import (
    OPEN_HUB,
    OPEN_HUB_KEYS,
    ApiKey,
    cache_folder,
    check_name,
    check_switches,
    is_loopback,
    user_data_folder,
)

#: Maximum age of a cached page: its end must be a date.
_LONGEST = timedelta(days=36_500)
#: Seconds of the shortest and the longest time-out; at most a day.
_TIMEOUTS = 0.001, 86_400.0
#: Each worker is a thread with a connection.
_MOST_WORKERS = 100
_LARGEST_QUOTA = 10**9
#: One request a day.
_SLOWEST = 1 / 86_400
_FASTEST = 1e9
_LONGEST_ADDRESS = 2_000
#: Of a name that DNS may have; with the hyphens of an internationalised one.
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.IGNORECASE)
_LONGEST_HOST = 253
#: Characters of a value that an error shows.
_LONGEST_VALUE = 120
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
        check_switches(allow_http=allow_http)
        if name is not None and name != "":
            check_name("name", name)
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
            workers=_whole_number("workers", workers, _MOST_WORKERS),
            rate=_rate(rate),
            daily_quota=_whole_number("daily_quota", daily_quota, _LARGEST_QUOTA),
            timeout=_timeout(timeout),
            allow_http=allow_http,
        )


def as_sent(url: str) -> str:
    """Return a URL in the form in which it is sent; raise ValueError if it cannot be."""
    return str(requests.Request("GET", url).prepare().url)


def _key_of(key: str | ApiKey | None, base_url: str) -> ApiKey:
    if not key:
        raise ConfigurationError(
            f"No API key is given for {base_url}.",
            hint="Set DIRFRAME_API_KEY, or open dirframe.Directory(base_url, getpass.getpass()) in a "
            f"notebook. Open Hub {_KEYS}. {_SAMPLE}",
        )
    api_key = key if isinstance(key, ApiKey) else ApiKey(key)
    if api_key.may_be_a_word:
        text = (
            "The API key has fewer than 16 characters. It may be a word: if the directory repeats it in "
            "a record, it is removed only where it follows api_key=, and stays in frames, the cache and "
            "exports elsewhere."
        )
        hint = "Use a longer key, if the directory issues one."
        # Not from the line of the caller, which Python would show: the key may stand in it.
        warnings.warn(ShortKeyWarning(text, hint=hint), stacklevel=1)
    return api_key


def _cache_folder_of(cache: bool | str | Path | None) -> Path | None:
    if isinstance(cache, bool):
        return cache_folder() if cache else None
    if cache is None:
        raise InvalidInputError("cache is None; it must be True, False or the name of a folder.")
    return cache_folder(cache)


def _age(expire_after: timedelta) -> timedelta:
    is_time = isinstance(expire_after, timedelta)
    if not is_time or not timedelta(0) <= expire_after <= _LONGEST:
        raise InvalidInputError(
            f"expire_after is {_shown(expire_after)}; it must be a timedelta from 0 to "
            f"{_LONGEST.days:,} days, such as timedelta(days=7)."
        )
    return expire_after


def _whole_number(name: str, value: Any, most: int) -> int:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or not 1 <= int(value) <= most:
        raise InvalidInputError(
            f"{name} is {_shown(value)}; it must be a whole number from 1 to {most:,}."
        )
    return int(value)


def _rate(value: Any) -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not (value == math.inf or _SLOWEST <= value <= _FASTEST):
        raise InvalidInputError(
            f"rate is {_shown(value)}; it must be a number of requests per second, at least one a day "
            "(1 / 86400), or math.inf."
        )
    return float(value)


def _timeout(value: Any) -> float:
    shortest, longest = _TIMEOUTS
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not shortest <= value <= longest:
        raise InvalidInputError(
            f"timeout is {_shown(value)}; it must be a number of seconds from {shortest:g} to "
            f"{longest:,.0f}."
        )
    return float(value)


def _shown(value: object) -> str:
    """Return a value as an error shows it, also one whose text is very long."""
    try:
        text = repr(value)
    except ValueError:  # a number of more digits than Python writes
        return "a number of very many digits"
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _address_of(text: object, allow_http: bool) -> str:
    """Return an address as it is sent, without a slash at its end; raise if it carries more."""
    if not text:
        raise ConfigurationError(
            "No directory is given.",
            hint="Set DIRFRAME_BASE_URL (--base-url), or pass dirframe.Directory(base_url, key) to the "
            f"loader. The address of Open Hub is {OPEN_HUB}; it {_KEYS}. {_SAMPLE}",
        )
    # No error repeats what was given: it may hold a password, or be the key by mistake.
    if not isinstance(text, str):
        raise ConfigurationError(f"The base URL must be text, not {type(text).__name__}.")
    text = text.strip()
    if not text.isprintable() or len(text) > _LONGEST_ADDRESS:
        raise ConfigurationError(
            f"The base URL holds control characters, or more than {_LONGEST_ADDRESS:,} characters."
        )
    if text.partition("://")[0].lower() not in ("http", "https"):
        raise ConfigurationError(
            "The base URL must begin with https:// (or http:// on this machine) and name a host."
        )
    parts = _parts_as_sent(text)
    if parts is None:
        raise ConfigurationError(
            "The base URL names no host that can be requested.",
            hint="A name has letters, digits, hyphens and dots; an IPv6 address is in brackets, as in "
            "https://[2001:db8::1]; a port is a number from 1 to 65535.",
        )
    base_url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")
    if "@" in urlsplit(text).netloc or parts.query or parts.fragment:
        advice = (
            "Leave out the user, the query and the fragment; the key is passed as key=, or taken "
            "from DIRFRAME_API_KEY."
        )
    elif parts.path.lower().endswith(".xml"):
        advice = f"It is that of a page: pass it without {parts.path.rpartition('/')[2]}."
    elif parts.scheme == "http" and not allow_http and not is_loopback(parts.hostname or ""):
        advice = "The key would be readable on the way: use https://, or pass allow_http=True."
    else:
        return base_url
    raise ConfigurationError(f"The base URL {base_url} cannot be used.", hint=advice)


def _parts_as_sent(text: str) -> SplitResult | None:
    """Return the parts of an address as it is sent; None if its host cannot be requested."""
    try:
        given, sent = urlsplit(text), urlsplit(as_sent(text))
        port = given.port
    except ValueError:
        return None
    # Browsers take a backslash for a slash, and then another host.
    if port == 0 or "\\" in text or not _is_host(given.hostname, sent.hostname):
        return None
    return sent


def _is_host(given: str | None, sent: str | None) -> bool:
    """Return whether a host is an address or a name, as it was given and in the form that is sent."""
    if not given or not sent:
        return False
    if ":" in sent:
        try:
            ip_address(sent.replace("%25", "%"))  # before the name of a network interface
        except ValueError:
            return False
        return True
    labels = sent.removesuffix(".").split(".")
    if "%" in given or len(sent) > _LONGEST_HOST or not all(map(_LABEL.fullmatch, labels)):
        return False
    # What ends in a number is an IPv4 address, or one that systems read in different ways.
    is_number = labels[-1].isdecimal() or re.fullmatch("0x[0-9a-f]*", labels[-1]) is not None
    try:
        ip_address(".".join(labels))
    except ValueError:
        return not is_number
    return True
