"""Fetch pages of one directory: from the cache, or over HTTP."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.cookiejar import DefaultCookiePolicy
from threading import Event
from typing import Any, cast
from urllib.parse import quote_plus, urlencode

import requests

from dirframe import __version__
from dirframe.client.http.adapter import SigningAdapter, Success
from dirframe.client.http.cache import CachedPage, PageCache
from dirframe.client.http.connection import Connection, as_sent
from dirframe.client.http.quota import DailyQuota
from dirframe.client.xml.page import Page, check_records, parse
from dirframe.client.xml.records import check_readable
from dirframe.errors import CacheError, InvalidInputError, UnreadableResponseError
from dirframe.schema import Resource
from dirframe.settings import KEY_PARAMETER

#: Behind the URL of a refusal. That of a page has no fragment.
_REFUSED = "#refused"
#: Behind the URL of a page that is stored beside an earlier version. A fragment is not sent.
_BESIDE = "#beside"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    """A page as it was received, when, and what it cost."""

    content: bytes
    url: str
    received_at: datetime
    page: Page
    requests: int  # made now: 0 if it was cached
    requests_paid: int  # made when it was received
    server_time: datetime | None = None  # of a page just received, as the directory has it


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedRefusal:
    """Why a page was refused, when, and what it cost to ask."""

    why: str
    received_at: datetime
    requests_paid: int


class Session:
    """Fetch pages of one directory; safe to use from several threads."""

    def __init__(self, connection: Connection) -> None:
        self._base_url, self._key = connection.base_url, connection.key
        self._identity, self._expire_after = connection.identity, connection.expire_after
        self.quota = DailyQuota(
            connection.quota_folder, connection.key.fingerprint, connection.daily_quota
        )
        self._timeout = connection.timeout
        self._cache = PageCache(connection.cache_folder)
        self._http = requests.Session()
        # Not the passwords of .netrc. The adapter reads what else the environment says.
        self._http.trust_env = False
        # No cookie is kept or sent: one could hold the key.
        self._http.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
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
        beside: bool = False,
        long_values: Mapping[str, str] | None = None,
        resource: Resource | None = None,
    ) -> FetchedPage:
        """Return the page at a path: from the cache if it is fresh, else from the directory.

        `long_values` are sent instead of the parameters of their names, which stand for them in the
        cache and in messages.

        `refresh` asks the directory in any case, `offline` takes a cached page of any age or raises
        CacheError, and `store` is whether a received page is stored in the cache: `beside` the page
        that is there, which stays, and is read from there. A page whose records cannot be read, or
        are not those of `resource`, is neither stored nor taken from the cache.
        """
        if refresh and offline:
            raise InvalidInputError(
                "refresh requests every page, and offline requests none.",
                hint="Pass refresh=True (--refresh) or offline=True (--offline), not both.",
            )
        url = self.address(path, parameters) + (_BESIDE if beside else "")
        if not refresh:
            cached = self._cached(url, of_any_age=offline)
            fetched = None if cached is None else self._from_cache(url, cached, resource)
            if fetched is not None:
                return fetched
        if offline:
            raise CacheError(
                f"{url} is not in the cache, and offline mode sends no requests.",
                hint="Load it once without offline=True (--offline).",
            )
        if not long_values:
            return self._from_directory(url, resource, store=store)
        short = {name: (parameters or {})[name] for name in long_values}
        with self._adapter.spelled_out(urlencode(short), urlencode(long_values, safe=",")):
            return self._from_directory(url, resource, store=store)

    def is_cached(
        self,
        path: str,
        parameters: Mapping[str, str],
        *,
        of_any_age: bool = False,
        beside: bool = False,
    ) -> bool:
        """Return whether a page would come from the cache; it is not read."""
        key = self._key_of(self.address(path, parameters) + (_BESIDE if beside else ""))
        return self._cache.has(key, expire_after=None if of_any_age else self._expire_after)

    def is_moved(self, path: str) -> bool:
        """Return whether the directory redirects a path, as far as it was seen."""
        url = self.address(path)
        return self._adapter.resolve(url) != url

    def put_refusal(self, url: str, why: str, requests_paid: int) -> None:
        """Remember for as long as a page is fresh why a page was refused."""
        refusal = CachedPage(
            content=json.dumps(why).encode(),
            url=url + _REFUSED,
            received_at=datetime.now(UTC),
            requests=requests_paid,
        )
        self._store(refusal.url, refusal)

    def get_refusal(
        self, url: str, *, refresh: bool = False, offline: bool = False
    ) -> CachedRefusal | None:
        """Return why a page was refused, unless it was received since."""
        refusal = None if refresh else self._cached(url + _REFUSED, of_any_age=offline)
        if refusal is None:
            return None
        return CachedRefusal(
            why=str(json.loads(refusal.content)),
            received_at=refusal.received_at,
            requests_paid=refusal.requests,
        )

    def address(self, path: str, parameters: Mapping[str, str] | None = None) -> str:
        """Return the URL of a page as it is sent, but without the key; raise if a part is the key."""
        query = urlencode(sorted((parameters or {}).items()))
        url = f"{self._base_url}{path}" + (f"?{query}" if query else "")
        if self._key.is_in(url):
            raise InvalidInputError(
                "An id, a query or another part of the address to request contains the API key. "
                "Nothing was requested or stored.",
                hint="Pass it as the key of Directory alone, or set DIRFRAME_API_KEY.",
            )
        return as_sent(url) if "%" in url else url

    def length_of_line(self, path: str, parameters: Mapping[str, str]) -> int:
        """Return the bytes of the first line of a request, and of the base URL before the path."""
        return (
            len(self.address(path, parameters))
            + len(f"GET ?{KEY_PARAMETER}= HTTP/1.1")
            + len(quote_plus(self._key.reveal()))
        )

    def forget(self, url: str) -> None:
        """Remove a page from the cache: it is requested again."""
        self._cache.remove(self._key_of(url))

    def join(self, stop: Event) -> None:
        """Let this thread send requests until it is told to stop."""
        self._adapter.join(stop)

    @contextmanager
    def ending(self, stop: Event, requests: Collection[Future[Any]]) -> Iterator[None]:
        """End the requests of threads that were told to stop, at the latest after the time-out.

        The block waits for the threads.
        """
        try:
            if stop.is_set():
                # Headers that are sent byte by byte have no time-out.
                wait(requests, timeout=self._timeout)
        finally:
            if stop.is_set():
                self._adapter.end(stop)
            try:
                yield
            finally:
                self._adapter.leave(stop)

    def close(self) -> None:
        """Close the connections, the cache and the quota file."""
        self._http.close()
        self._cache.close()
        self.quota.close()

    def _from_cache(
        self, url: str, cached: CachedPage, resource: Resource | None
    ) -> FetchedPage | None:
        """Return a cached page; None if it is damaged, or of other records."""
        try:
            page = parse(cached.content, source=url)
            if resource is not None:
                check_records(page, resource.name)
        except UnreadableResponseError:
            return None
        self._adapter.learn_from_cache(url, cached.url)
        return FetchedPage(
            content=cached.content,
            url=url,
            received_at=cached.received_at,
            page=page,
            requests=0,
            requests_paid=cached.requests,
        )

    def _from_directory(self, url: str, resource: Resource | None, *, store: bool) -> FetchedPage:
        success = cast("Success", self._http.get(url))
        try:
            check_readable(success.page, resource)
        except UnreadableResponseError as error:
            error.url, error.status, error.attempts = url, 200, success.requests
            raise
        fetched = FetchedPage(
            content=success.content,
            url=url,
            received_at=success.received_at,
            page=success.page,
            requests=success.requests,
            requests_paid=success.requests,
            server_time=success.server_time,
        )
        # One that does not hold what it says may be right the next time.
        is_miscounted = success.page.items_returned not in {None, len(success.page.records)}
        if store and not is_miscounted:
            page = CachedPage(
                content=fetched.content,
                url=success.url,
                received_at=fetched.received_at,
                requests=fetched.requests,
            )
            self._store(url, page)
            # What was refused before is there now.
            self._cache.remove(self._key_of(url + _REFUSED))
        return fetched

    def _store(self, url: str, page: CachedPage) -> None:
        self._cache.put(self._key_of(url), page, expire_after=self._expire_after)

    def _cached(self, url: str, *, of_any_age: bool = False) -> CachedPage | None:
        page = self._cache.get(self._key_of(url))
        if page is None:
            return None
        return page if of_any_age or page.is_fresh(self._expire_after) else None

    def _key_of(self, url: str) -> str:
        # The port of the sample changes.
        return self._identity + url.removeprefix(self._base_url)
