"""Fetch documents of one directory from the cache or over HTTP."""

from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http.cookiejar import DefaultCookiePolicy
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeGuard
from urllib.parse import quote, urlencode, urlsplit

import requests
from requests.utils import get_netrc_auth

from dirframe import __version__
from dirframe._sqlite import close_on_error
from dirframe.client.http.auth import refuse_key
from dirframe.client.http.cache import ResponseCache
from dirframe.client.http.connections import trusted_certificates
from dirframe.client.http.quota import DailyQuota
from dirframe.client.http.redaction import install_log_redaction
from dirframe.client.http.redirects import MovedPaths
from dirframe.client.http.retry import QuotaWait
from dirframe.client.http.transport import DirectoryResponse, SingleOriginAdapter
from dirframe.client.page import parse
from dirframe.errors import (
    CacheError,
    Hint,
    InvalidInputError,
    NotFoundError,
    QuotaExceededError,
    ServiceError,
    StaleWarning,
    UnreadableResponseError,
    warn,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dirframe.client.http.cache import CachedPage
    from dirframe.client.page import Page
    from dirframe.settings import Settings


_HOME_PAGE = "https://github.com/dirframe/dirframe"


@dataclass(frozen=True, kw_only=True)
class CachePolicy:
    """How one load may use the cache and the daily quota.

    Parameters
    ----------
    refresh
        Fetch every page from the directory, even if it is cached.
    offline
        Use only the cache.
    stale
        Accept cached pages of any age, with a warning that reports the age.
    wait
        Maximum number of seconds to wait for the quota to reset; see `QuotaWait`.
    keep
        Store responses in the cache.
    """

    refresh: bool = False
    offline: bool = False
    stale: bool = False
    wait: float = 0.0
    keep: bool = True

    def __post_init__(self) -> None:
        if self.refresh and (self.offline or self.stale):
            raise InvalidInputError(
                "To refresh asks the directory for every page; offline and stale ask the cache, so "
                "they exclude each other.",
                hint=Hint(
                    "Pass refresh=True, or offline=True and stale=True.",
                    shell="Use --refresh, or --offline and --stale.",
                ),
            )
        wait: Any = self.wait
        if not isinstance(wait, Real) or not float(wait) >= 0:  # nor is NaN
            raise InvalidInputError(
                f"wait is {self.wait!r}; it must be a number of seconds from 0."
            )

    def for_retry(self) -> CachePolicy:
        """Return the policy for inconsistent pages: refresh, unless offline."""
        return self if self.offline else replace(self, refresh=True, stale=False)


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A parsed document, its fetch time, and the number of requests made for it."""

    content: bytes
    url: str
    retrieved: datetime
    attempts: int
    page: Page

    @property
    def from_cache(self) -> bool:
        """Whether it is from the cache."""
        return self.attempts == 0


class Session:
    """Fetch documents of one directory, through the cache.

    Parameters
    ----------
    settings
        Settings of the directory: address, key and limits.
    """

    def __init__(self, settings: Settings) -> None:
        install_log_redaction()
        self._settings = settings
        self._moved = MovedPaths()
        self._quota_wait = QuotaWait()
        self._first_request, self._has_requested = threading.Lock(), False
        self._session = requests.Session()
        self._apply_environment(settings)  # may raise: nothing is open yet
        # Responses to a user with a grant may be private: they are neither stored nor looked up.
        self.cache = ResponseCache(settings.cache_dir if settings.auth is None else None)
        with close_on_error(self.cache):
            self.quota = DailyQuota(
                settings.quota_dir, settings.api_key.fingerprint, settings.daily_quota
            )
        self._adapter = SingleOriginAdapter(settings, self.quota)
        self._session.headers["User-Agent"] = f"dirframe/{__version__} (+{_HOME_PAGE})"
        self._session.headers["Accept"] = "application/xml"
        self._session.max_redirects = 5
        # The interface needs no cookies, and a stored one could contain the key.
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._session.mount("https://", self._adapter)
        self._session.mount("http://", self._adapter)

    def _apply_environment(self, settings: Settings) -> None:
        """Read proxies, certificates and netrc once: requests would do so for each page.

        They do not change, since only the host of the base URL is queried.
        """
        session, url = self._session, settings.base_url
        merged = session.merge_environment_settings(url, {}, stream=None, verify=None, cert=None)
        session.proxies = merged["proxies"]
        if urlsplit(url).scheme == "https":
            session.verify = trusted_certificates(os.environ) or True
        session.auth = settings.auth or get_netrc_auth(url)
        session.trust_env = False

    def get(
        self, path: str, parameters: Mapping[str, str], policy: CachePolicy | None = None
    ) -> FetchedPage:
        """Return the document at a path below the base URL.

        Parameters
        ----------
        path
            The path, which begins with a slash and ends in ``.xml``.
        parameters
            Query parameters, without the key.
        policy
            How the cache and the quota may be used.

        Returns
        -------
        FetchedPage
            The parsed document.

        Raises
        ------
        RequestError
            If the directory cannot be reached or reports a failure.
        UnreadableResponseError
            If the response is not the interface's XML.
        CacheError
            If only the cache may be used and the document is not in it.
        """
        policy = policy or CachePolicy()
        fetched = self.get_cached(path, parameters, policy)
        return fetched or self._request_when_allowed(self.address(path, parameters), policy)

    def get_cached(
        self, path: str, parameters: Mapping[str, str], policy: CachePolicy
    ) -> FetchedPage | None:
        """Return a document from the cache, if it is there and may be used."""
        if policy.refresh:
            return None
        url = self.address(path, parameters)
        stored = self.cache.get(self._key(url))
        if self._is_usable(stored, policy):
            if stored.url and stored.url != url:  # other pages were moved as well
                self._moved.learn(url, stored.url)
            page = parse(stored.content, source=url, max_bytes=self._settings.max_response_bytes)
            return FetchedPage(stored.content, url, stored.retrieved, attempts=0, page=page)
        if policy.offline:
            raise self._miss(url, stored)
        return None

    def is_moved(self, path: str) -> bool:
        """Return whether the directory redirects a path, as far as it was seen."""
        url = self.address(path, {})
        return self._moved.resolve(url) != url

    def is_cached(self, path: str, parameters: Mapping[str, str]) -> bool:
        """Return whether a document would come from the cache."""
        stored = self.cache.get(self._key(self.address(path, parameters)))
        return self._is_usable(stored, CachePolicy())

    def put_refusal(self, path: str, why: str) -> None:
        """Cache a refusal of a document for as long as a page is fresh.

        Parameters
        ----------
        path
            The path of the document.
        why
            Short reason.
        """
        url = self.address(path, {})
        content = json.dumps({"refused": why}).encode()
        self.cache.put(self._refusal_key(url), url, content, "application/json")

    def get_refusal(self, path: str, policy: CachePolicy) -> str | None:
        """Return why a document was refused, if the refusal is newer than the cached document.

        Parameters
        ----------
        path
            The path of the document.
        policy
            How the cache may be used.

        Returns
        -------
        str or None
            The reason given to `put_refusal`; None if the directory has to be queried.
        """
        if policy.refresh:
            return None
        url = self.address(path, {})
        stored = self.cache.get(self._refusal_key(url))
        if not self._is_usable(stored, policy):
            return None
        document = self.cache.get(self._key(url))
        if document is not None and document.retrieved > stored.retrieved:
            return None
        return str(json.loads(stored.content)["refused"])

    def address(self, path: str, parameters: Mapping[str, str]) -> str:
        """Return the URL of a document, without the key; raise if a part of it is the key."""
        query = urlencode(sorted(parameters.items()))
        url = f"{self._settings.base_url}{path}" + (f"?{query}" if query else "")
        refuse_key(url, self._settings.api_key)
        return url

    def warn_if_stale(self, pages: list[FetchedPage]) -> None:
        """Warn if any of the documents is expired."""
        oldest = min(page.retrieved for page in pages)
        age = datetime.now(UTC) - oldest
        if age > self._settings.expire_after and any(page.from_cache for page in pages):
            warn(
                StaleWarning(
                    f"Pages from the cache are used although they are old: the oldest was fetched "
                    f"{_words(age)} ago, at {oldest:%Y-%m-%d %H:%M} UTC."
                )
            )

    def close(self) -> None:
        """Close the connections, the cache and the quota file."""
        self._session.close()
        self.cache.close()
        self.quota.close()

    def _request_when_allowed(self, url: str, policy: CachePolicy) -> FetchedPage:
        deadline = time.monotonic() + policy.wait
        refusal: QuotaExceededError | None = None
        while True:
            with self._quota_wait.turn(deadline, refusal) as refusals:
                try:
                    page = self._request(url, keep=policy.keep)
                except QuotaExceededError as error:
                    refusal = error
                except (NotFoundError, ServiceError):  # not about the quota
                    self._quota_wait.note_success(refusals)
                    raise
                else:
                    self._quota_wait.note_success(refusals)
                    return page
                if refusal.resets_at is None:
                    raise refusal
                seconds = max((refusal.resets_at - datetime.now(UTC)).total_seconds(), 0.0)
                if refusal.status is None:  # by the count on this machine: nothing was sent
                    pause = seconds + 1.0
                else:
                    pause = self._quota_wait.note_refusal(refusals, seconds)
            if time.monotonic() + pause > deadline:
                raise refusal
            time.sleep(pause)

    def _request(self, url: str, *, keep: bool) -> FetchedPage:
        if not self._has_requested:
            # The first request is made alone: the waiting ones then know a moved directory.
            with self._first_request:
                if not self._has_requested:
                    try:
                        return self._fetch(url, keep=keep)
                    finally:
                        self._has_requested = True
        return self._fetch(url, keep=keep)

    def _fetch(self, url: str, *, keep: bool) -> FetchedPage:
        timeouts: Any = (self._settings.connect_timeout, self._settings.read_timeout)
        target, response, page = self._moved.resolve(url), None, ""
        try:
            response = self._session.get(target, timeout=timeouts)
        except requests.TooManyRedirects:
            pass  # its error holds every response of the redirect loop
        except UnreadableResponseError as error:
            page = error.source or ""
            if not _is_page_of(page, target, self._settings.base_url):
                raise
        if page:
            raise ServiceError(
                f"{url} redirects to {page}, which is a web page: the directory does not give this "
                "record out as data. It may be disabled, private or removed.",
                url=url,
                status=302,
            )
        if not isinstance(response, DirectoryResponse):
            raise ServiceError(
                f"{url} redirects in a circle and was not followed further.", url=url
            )
        if response.history:
            self._moved.learn(response.history[0].url, response.url)
        content_type = response.headers.get("Content-Type", "")
        retrieved = datetime.now(UTC)
        if keep:
            final_url = response.url if response.history else url
            retrieved = self.cache.put(self._key(url), final_url, response.content, content_type)
        return FetchedPage(response.content, url, retrieved, response.all_attempts, response.page)

    def _is_usable(self, stored: CachedPage | None, policy: CachePolicy) -> TypeGuard[CachedPage]:
        # A clock that was ahead dated pages in the future: those may not be fresh until then, but one
        # that was set back by an hour is no reason to pay for all of them again.
        max_age = self._settings.expire_after
        return stored is not None and (policy.stale or abs(stored.age) <= max_age)

    def _miss(self, url: str, stored: CachedPage | None) -> CacheError:
        if stored is None:
            return CacheError(
                f"{url} is not in the cache, and offline mode sends no requests.",
                hint=Hint(
                    "Load it once without offline=True.", shell="Load it once without --offline."
                ),
            )
        age = f"{_words(stored.age)} old"
        if stored.age < timedelta(0):
            age = f"dated in the future ({stored.retrieved:%Y-%m-%d %H:%M} UTC)"
        return CacheError(
            f"{url} is in the cache, but {age}, and offline mode sends no requests.",
            hint=Hint(
                "Load it once without offline=True, or pass stale=True to take it.",
                shell="Load it once without --offline, or use --stale to take it.",
            ),
        )

    def _refusal_key(self, url: str) -> str:
        # No URL begins with this, so a refusal is never taken for a document.
        return f"refused:{self._key(url)}"

    def _key(self, url: str) -> str:
        namespace = self._settings.cache_namespace
        if namespace is not None:
            url = namespace + url.removeprefix(self._settings.base_url)
        # requests-cache puts the key between quotes in its SQL.
        return quote(url, safe="/:?&=%+-._~")


def _is_page_of(address: str, document: str, base_url: str) -> bool:
    """Return whether a URL is a page below a record: /accounts/1/disabled of /accounts/1.xml.

    Any other page, for example a maintenance page, is not specific to the record.
    """
    folder = document.rpartition("/")[0]
    rest = address.removeprefix(f"{folder}/")
    return folder != base_url and rest != address and "/" in rest and not rest.endswith(".xml")


def _words(age: timedelta) -> str:
    hours = age.total_seconds() / 3600
    if hours < 1:
        return f"{max(age.total_seconds() / 60, 0):.0f} minutes"
    return f"{hours:.0f} hours" if hours < 48 else f"{age.days:,} days"
