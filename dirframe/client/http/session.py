"""Fetch pages of one directory: from the cache, or over HTTP with the key, within the quota."""

# A request passes through requests-cache without the key, which `Signer` adds below it. That returns
# a response only if it is a complete, validated success; everything else is raised, and so is
# never stored.

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import requests
from urllib3 import HTTPResponse

from dirframe import __version__
from dirframe.client.http.api_key import check_absent, install_log_filter
from dirframe.client.http.cache import open_cached_session
from dirframe.client.http.quota import DailyQuota
from dirframe.client.http.signer import Signer
from dirframe.client.page import parse
from dirframe.errors import CacheError, InvalidInputError, StaleWarning, warn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from requests_cache.models.response import CachedResponse

    from dirframe.client.directory import Directory
    from dirframe.client.page import Page
    from dirframe.client.paging import Received


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page as it was received, when, and the number of requests made for it: 0 if it was cached."""

    content: bytes
    url: str
    retrieved: datetime
    attempts: int
    page: Page
    server_time: datetime | None = None  # of a response just received, as the directory has it

    @property
    def from_cache(self) -> bool:
        """Whether it is from the cache."""
        return self.attempts == 0


class Session:
    """Fetch pages of one directory; safe to use from several threads."""

    def __init__(self, directory: Directory) -> None:
        install_log_filter()
        self._base_url, self._key = directory.base_url, directory.api_key
        self._expire_after, self._timeout = directory.expire_after, directory.timeout
        self._http = open_cached_session(
            directory.cache_folder, directory.expire_after, directory.base_url, directory.identity
        )
        self.quota = DailyQuota(
            directory.quota_folder, directory.api_key.fingerprint, directory.daily_quota
        )
        self._signer = Signer(directory, self.quota)
        self._http.headers["User-Agent"] = f"dirframe/{__version__}"
        self._http.headers["Accept"] = "application/xml"
        # The interface needs no cookies, and a stored one could contain the key.
        self._http.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._http.mount("https://", self._signer)
        self._http.mount("http://", self._signer)

    def get(
        self,
        path: str,
        parameters: Mapping[str, str] | None = None,
        *,
        refresh: bool = False,
        offline: bool = False,
        store: bool = True,
    ) -> FetchedPage:
        """Return the page at a path: from the cache if it is fresh, else from the directory.

        `refresh` asks the directory in any case, `offline` takes a cached page of any age or raises
        CacheError, and `store` is whether a received page is kept in the cache.
        """
        if refresh and offline:
            raise InvalidInputError(
                "To refresh asks the directory for every page, and offline asks the cache alone.",
                hint="Pass refresh=True (--refresh) or offline=True (--offline), not both.",
            )
        url = self.address(path, parameters)
        stored = None if refresh else self._stored(url)
        if stored is not None and (offline or self._is_fresh(stored)):
            if stored.url != url:  # other pages were moved as well
                self._signer.learn(url, stored.url)
            page = parse(stored.content, source=url)
            return FetchedPage(stored.content, url, stored.created_at, attempts=0, page=page)
        if offline:
            raise CacheError(
                f"{url} is not in the cache, and offline mode sends no requests.",
                hint="Load it once without offline=True (--offline).",
            )
        response: Any = self._http.get(
            url,
            timeout=self._timeout,
            allow_redirects=False,  # the signer follows them
            force_refresh=True,
            headers=None if store else {"Cache-Control": "no-store"},
        )
        return FetchedPage(
            response.content,
            url,
            response.retrieved,
            response.attempts,
            response.page,
            response.server_time,
        )

    def is_cached(self, path: str, parameters: Mapping[str, str]) -> bool:
        """Return whether a page would come from the cache."""
        stored = self._stored(self.address(path, parameters))
        return stored is not None and self._is_fresh(stored)

    def is_moved(self, path: str) -> bool:
        """Return whether the directory redirects a path, as far as it was seen."""
        url = self.address(path)
        return self._signer.resolve(url) != url

    def put_refusal(self, path: str, why: str) -> None:
        """Remember for as long as a page is fresh why a page was refused."""
        response = requests.Response()
        response.request = requests.Request("GET", f"{self.address(path)}#refused").prepare()
        response.url, response.status_code = response.request.url or "", 404
        response.raw = HTTPResponse(b"", request_url=response.url, preload_content=False)
        response._content = json.dumps(why).encode()  # as requests sets it
        if not self._http.settings.disabled:
            key, expires = self._refusal_key(path), datetime.now(UTC) + self._expire_after
            self._http.cache.save_response(response, key, expires)

    def get_refusal(self, path: str, *, refresh: bool = False, offline: bool = False) -> str | None:
        """Return why a page was refused, if that is newer than the page in the cache."""
        if refresh:
            return None
        refusal = self._http.cache.get_response(self._refusal_key(path))
        if refusal is None or not (offline or self._is_fresh(refusal)):
            return None
        stored = self._stored(self.address(path))
        if stored is not None and stored.created_at > refusal.created_at:
            return None
        return str(json.loads(refusal.content))

    def address(self, path: str, parameters: Mapping[str, str] | None = None) -> str:
        """Return the URL of a page, without the key; raise if a part of it is the key."""
        query = urlencode(sorted((parameters or {}).items()))
        url = f"{self._base_url}{path}" + (f"?{query}" if query else "")
        check_absent(url, self._key)
        return url

    def warn_if_stale(self, pages: Sequence[FetchedPage | Received]) -> None:
        """Warn if any of the cached pages has expired."""
        oldest = min((page.retrieved for page in pages if page.from_cache), default=None)
        if oldest is not None and datetime.now(UTC) - oldest > self._expire_after:
            age = _words(datetime.now(UTC) - oldest)
            warn(
                StaleWarning(
                    f"Pages from the cache are used although they are old: the oldest was fetched "
                    f"{age} ago, at {oldest:%Y-%m-%d %H:%M} UTC."
                )
            )

    def close(self) -> None:
        """Close the connections, the cache and the quota file."""
        self._http.close()
        self.quota.close()

    def _stored(self, url: str) -> CachedResponse | None:
        return self._http.cache.get_response(self._cache_key(url))

    def _cache_key(self, url: str) -> str:
        return self._http.cache.create_key(requests.Request("GET", url).prepare())

    def _refusal_key(self, path: str) -> str:
        # No URL begins with this, so that a refusal is never taken for a page.
        return f"refused:{self._cache_key(self.address(path))}"

    def _is_fresh(self, stored: CachedResponse) -> bool:
        # A clock that was ahead dated pages in the future: those may not be fresh until then, but
        # one that was set back by an hour is no reason to pay for all of them again.
        return abs(datetime.now(UTC) - stored.created_at) <= self._expire_after


def _words(age: timedelta) -> str:
    """Return an age in minutes, hours or days."""
    hours = age.total_seconds() / 3600
    if hours < 1:
        return f"{max(age.total_seconds() / 60, 0):.0f} minutes"
    return f"{hours:.0f} hours" if hours < 48 else f"{age.days:,} days"
