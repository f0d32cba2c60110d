"""Fetch pages of one directory: from the cache, or over HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from requests_cache import CachedSession
from requests_cache.models.response import CachedResponse

from dirframe import __version__
from dirframe.client.http.adapter import FetchedPage, SigningAdapter, as_sent
from dirframe.client.http.cache import PageCache
from dirframe.client.http.connection import Connection
from dirframe.client.http.quota import DailyQuota
from dirframe.client.page import parse
from dirframe.errors import CacheError, InvalidInputError, StaleWarning, warn

if TYPE_CHECKING:
    from dirframe.client.paging import ReceivedPage

#: Behind the URL of a refusal. That of a page has no fragment.
_REFUSED = "#refused"


class Session:
    """Fetch pages of one directory; safe to use from several threads."""

    def __init__(self, connection: Connection) -> None:
        self._base_url, self._key = connection.base_url, connection.key
        self._identity, self._expire_after = connection.identity, connection.expire_after
        self.quota = DailyQuota(
            connection.quota_folder, connection.key.fingerprint, connection.daily_quota
        )
        self._http = CachedSession(
            backend=PageCache(connection.cache_folder),
            key_fn=lambda request, **_: self._key_of(request.url),
            expire_after=self._expire_after,
        )
        # Not the passwords of .netrc. The adapter reads what else the environment says.
        self._http.trust_env = False
        self._http.headers["User-Agent"] = f"dirframe/{__version__}"
        self._http.headers["Accept"] = "application/xml"
        self._adapter = SigningAdapter(connection, self.quota)
        self._http.mount(connection.base_url, self._adapter)

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
        CacheError, and `store` is whether a received page is stored in the cache.
        """
        if refresh and offline:
            raise InvalidInputError(
                "To refresh asks the directory for every page, and offline asks the cache alone.",
                hint="Pass refresh=True (--refresh) or offline=True (--offline), not both.",
            )
        url = self.address(path, parameters)
        cached = None if refresh else self._cached(url, of_any_age=offline)
        if cached is not None:
            self._adapter.learn(url, cached.url)
            page = parse(cached.content, source=url)
            return FetchedPage(cached.content, url, cached.created_at, page)
        if offline:
            raise CacheError(
                f"{url} is not in the cache, and offline mode sends no requests.",
                hint="Load it once without offline=True (--offline).",
            )
        headers = None if store else {"Cache-Control": "no-store"}
        response: Any = self._http.get(url, headers=headers, force_refresh=True)
        fetched: FetchedPage = response.fetched
        return fetched

    def is_cached(
        self, path: str, parameters: Mapping[str, str], *, of_any_age: bool = False
    ) -> bool:
        """Return whether a page would come from the cache."""
        return self._cached(self.address(path, parameters), of_any_age=of_any_age) is not None

    def is_moved(self, path: str) -> bool:
        """Return whether the directory redirects a path, as far as it was seen."""
        url = self.address(path)
        return self._adapter.resolve(url) != url

    def put_refusal(self, url: str, why: str) -> None:
        """Remember for as long as a page is fresh why a page was refused."""
        refusal: Any = CachedResponse(content=json.dumps(why).encode(), url=url + _REFUSED)
        expires = datetime.now(UTC) + self._expire_after
        self._http.cache.save_response(refusal, self._key_of(refusal.url), expires)

    def get_refusal(
        self, url: str, *, refresh: bool = False, offline: bool = False
    ) -> tuple[str, datetime] | None:
        """Return why a page was refused, and when, if that is newer than the page in the cache."""
        refusal = None if refresh else self._cached(url + _REFUSED, of_any_age=offline)
        page = refusal and self._cached(url, of_any_age=True)
        if refusal is None or (page and page.created_at > refusal.created_at):
            return None
        return str(json.loads(refusal.content)), refusal.created_at

    def address(self, path: str, parameters: Mapping[str, str] | None = None) -> str:
        """Return the URL of a page as it is sent, but without the key; raise if a part is the key."""
        query = urlencode(sorted((parameters or {}).items()))
        url = f"{self._base_url}{path}" + (f"?{query}" if query else "")
        if self._key.redact_data(url.encode()) != url.encode():
            raise InvalidInputError(
                "An id, a query or another part of the address to request contains the API key. "
                "Nothing was requested or stored.",
                hint="Pass it as the key of Directory alone, or set DIRFRAME_API_KEY.",
            )
        return as_sent(url) if "%" in url else url

    def warn_if_stale(self, pages: Sequence[FetchedPage | ReceivedPage]) -> None:
        """Warn if any of the cached pages has expired."""
        oldest = min((page.retrieved for page in pages if not page.attempts), default=None)
        if oldest is not None and (age := datetime.now(UTC) - oldest) > self._expire_after:
            when = f"{age / timedelta(days=1):,.1f} days ago, at {oldest:%Y-%m-%d %H:%M} UTC"
            warn(StaleWarning(f"Old pages from the cache are used: the oldest was fetched {when}."))

    def close(self) -> None:
        """Close the connections, the cache and the quota file."""
        self._http.close()
        self.quota.close()

    def _cached(self, url: str, *, of_any_age: bool = False) -> CachedResponse | None:
        page = self._http.cache.get_response(self._key_of(url))
        is_old = page is not None and datetime.now(UTC) - page.created_at > self._expire_after
        return None if is_old and not of_any_age else page

    def _key_of(self, url: str) -> str:
        # The port of the sample changes.
        return self._identity + url.removeprefix(self._base_url)
