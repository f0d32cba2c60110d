"""Fetch pages of one directory: from the cache, or over HTTP with the key, within the quota."""

# A request passes through requests-cache without the key, which the adapter below it adds for the
# configured host alone. The adapter takes the key out of whatever comes back, and returns a response
# only if it is a complete, validated success; everything else is raised, and so is never stored.

from __future__ import annotations

import json
import logging
import math
import re
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urlencode, urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests_cache import CachedSession
from requests_cache.models.request import CachedRequest
from requests_cache.models.response import CachedResponse

from dirframe import __version__
from dirframe.client.http.cache import PageCache
from dirframe.client.http.quota import DailyQuota
from dirframe.client.http.responses import (
    FAILURES,
    check_response,
    network_error,
    parse_date,
    parse_retry_after,
    read_body,
)
from dirframe.client.page import Page, parse
from dirframe.errors import (
    CacheError,
    InvalidInputError,
    InvalidKeyError,
    QuotaExceededError,
    RequestError,
    ServiceError,
    StaleWarning,
    UnreadableResponseError,
    warn,
)
from dirframe.settings import KEY_PARAMETER, hide_keys

if TYPE_CHECKING:
    from dirframe.client.directory import Directory
    from dirframe.client.paging import ReceivedPage

#: Seconds before each further attempt; the first one is made at once.
PAUSES = (0.0, 1.0, 2.0)
#: An overloaded or restarting server. 429 is not included: it refers to the quota of the whole day.
_TEMPORARY = {502, 503, 504}
#: Seconds. A server that asks for a longer pause is not asked again.
_LONGEST_PAUSE = 30.0
_MAX_REDIRECTS = 5
#: The facts of an error that repeat text of a response.
_REPEATED = {"help_text", "reported", "found"}
#: Behind the URL of a refusal. That of a page has no fragment.
_REFUSED = "#refused"


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A page as it was received, when, and the number of requests made for it: 0 if it was cached."""

    content: bytes
    url: str
    retrieved: datetime
    page: Page
    attempts: int = 0
    server_time: datetime | None = None  # of a response just received, as the directory has it


class Session:
    """Fetch pages of one directory; safe to use from several threads."""

    def __init__(self, directory: Directory) -> None:
        for name in ("connection", "connectionpool", "util.retry"):
            logging.getLogger(f"urllib3.{name}").addFilter(_hide_key)
        self._base_url, self._key = base_url, key = directory.base_url, directory.api_key
        self._identity, self._expire_after = directory.identity, directory.expire_after
        self.quota = DailyQuota(directory.quota_folder, key.fingerprint, directory.daily_quota)
        self._http = CachedSession(
            backend=PageCache(directory.cache_folder),
            key_fn=lambda request, **_: self._key_of(request.url),
            expire_after=self._expire_after,
        )
        self._http.headers["User-Agent"] = f"dirframe/{__version__}"
        self._http.headers["Accept"] = "application/xml"
        self._adapter = _Adapter(directory, self.quota)
        self._http.mount(base_url, self._adapter)

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


class _Adapter(HTTPAdapter):
    """Send requests to one host with the key, and return validated successes without it."""

    def __init__(self, directory: Directory, quota: DailyQuota) -> None:
        # urllib3 itself does not retry: retries are decided here, where the quota is charged.
        super().__init__(max_retries=0, pool_maxsize=directory.workers)
        self._base_url, self._key = directory.base_url, directory.api_key
        self._quota, self._timeout = quota, directory.timeout
        self._turn, self._next_turn, self._interval = threading.Lock(), 0.0, 1 / directory.rate
        #: The first request is made alone: it shows the others whether the paths are redirected.
        self._first: AbstractContextManager[object] = threading.Lock()
        # The base URL with the first name of a path, and what follows up to the query.
        self._split: Any = re.compile(rf"({re.escape(self._base_url)}/[^/.?]*|)([^?]*)").match
        self._moved: dict[str, str] = {}
        #: The last URL that was requested, and the path of what it led to.
        self._last = "", ""

    def send(self, request: Any, **options: Any) -> requests.Response:  # type: ignore[override]  # options are passed through
        """Send one request with its redirects and retries; see `requests.adapters.HTTPAdapter`."""
        receipts: list[int] = []  # of the quota, for each request that arrived
        try:
            with self._first:
                return self._follow(request, receipts, options)
        except BaseException as error:  # noqa: BLE001  # Ctrl-C too: its frames hold the key
            if isinstance(error, RequestError | UnreadableResponseError):
                error.attempts = len(receipts)
            for name, value in vars(error).items():
                if name in _REPEATED and value:
                    setattr(error, name, self._key.redact(value))
            error.args = tuple(map(self._key.redact, map(str, error.args)))
            error.__context__ = None
            raise error.with_traceback(None) from error.__cause__
        finally:
            self._first = nullcontext()

    def _follow(self, request: Any, receipts: list[int], options: Any) -> requests.Response:
        """Return the success that a request leads to, with redirects within the host."""
        requested = request.url
        url = first = self.resolve(requested)
        for _ in range(1 + _MAX_REDIRECTS):
            response = self._request(request, url, receipts, options)
            if not response.is_redirect:
                break
            url = self._redirected(response)
        else:
            circle = f"{requested} redirects in a circle and was not followed further."
            raise ServiceError(circle, url=requested)
        content = self._key.redact_data(response.body)
        try:
            page = check_response(content, response, first if self._is_of_one(first, url) else None)
        except (QuotaExceededError, InvalidKeyError) as error:
            self._quota.release(receipts[-1])  # a directory does not count what it refuses
            if isinstance(error, QuotaExceededError):
                error.resets_at = self._quota.mark_exhausted(error.resets_at)
            raise
        self.learn(requested, url)
        # As the cache stores it: the response of urllib3 holds the URL with the key.
        sent = CachedRequest.from_request(request)
        success: Any = CachedResponse(content=content, status_code=200, url=url, request=sent)
        date, now = parse_date(response.headers.get("Date", "")), success.created_at
        success.fetched = FetchedPage(content, requested, now, page, len(receipts), date)
        return success  # type: ignore[no-any-return]  # its attributes are not in the stubs

    def _request(self, request: Any, url: str, receipts: list[int], options: Any) -> Any:
        """Return the response to a request, with its body, after several attempts."""
        options = options | {"stream": True, "timeout": self._timeout}
        signed, pauses = request.copy(), iter(PAUSES)
        signed.prepare_url(url, {KEY_PARAMETER: self._key.reveal()})
        while True:
            receipts.append(self._quota.acquire(url))
            with self._turn:  # the others wait behind
                if (early := self._next_turn - time.monotonic()) > 0:
                    time.sleep(early)
                self._next_turn = time.monotonic() + self._interval
            pause = next(pauses, math.inf)
            try:
                response: Any = super().send(signed, **options)
                response.url = url
                response.body = read_body(response, self._timeout)
            except FAILURES as error:
                proxies = options.get("proxies")
                failure, is_temporary = network_error(error, url, proxies, self._timeout)
                if not failure.attempts:
                    self._quota.release(receipts.pop())
                if not is_temporary or pause > _LONGEST_PAUSE:
                    raise failure from failure.__cause__
            else:
                pause = max(pause, parse_retry_after(response.headers) or 0.0)
                if response.status_code not in _TEMPORARY or pause > _LONGEST_PAUSE:
                    return response
            time.sleep(pause)

    def _redirected(self, response: requests.Response) -> str:
        """Return where a response redirects to; raise if that is not on the same host."""
        url, own = response.url, _host(self._base_url)
        try:
            # Headers are decoded as Latin-1.
            location = response.headers["Location"].encode("latin-1").decode()
            target = as_sent(self._key.unsign(urldefrag(urljoin(url, location)).url))
        except ValueError:
            target = "no address of the web"
        if _host(target) != own:
            raise ServiceError(
                f"{url} redirects to {_host(target)}, not to {own}. It was not followed, so that the "
                "key stays with the directory.",
                url=url,
            )
        return target

    def learn(self, requested: str, final: str) -> None:
        """Remember a redirect that changes one name: today's service has /p… for /projects…."""
        (old, rest), (new, same) = (self._split(url).groups() for url in (requested, final))
        if old != new and rest == same:
            self._moved[old] = new

    def resolve(self, url: str) -> str:
        """Return the URL that a URL is redirected to, as far as it was seen."""
        name: str = self._split(url)[1]
        return self._moved.get(name, name) + url.removeprefix(name)

    def _is_of_one(self, first: str, final: str) -> bool:
        """Return whether a redirect is about one record, such as to /accounts/ada/disabled.

        A page that the record before it led to as well, such as a login, is about neither.
        """
        is_record, page = self._split(first)[2].startswith("/"), urlsplit(final).path
        (before, same), self._last = self._last, (first, page)
        return first != final and is_record and (page != same or first == before)


def as_sent(url: str) -> str:
    """Return a URL in the form in which it is sent; raise ValueError if it cannot be."""
    return str(requests.Request("GET", url).prepare().url)


def _host(url: str) -> str:
    """Return scheme, host and port of a URL as it is sent, which ends them by a slash."""
    return "/".join(url.split("/", 3)[:3])


def _hide_key(record: logging.LogRecord) -> bool:
    """Take the key out of a log line of urllib3, which holds the whole URL."""
    message = record.getMessage()
    if KEY_PARAMETER in message:
        # What follows "unparsed data" repeats text of the response.
        record.msg, record.args = hide_keys(message).partition("unparsed data: ")[0], ()
        record.exc_info = record.exc_text = None
    return True
